//! Builds a set of many keys and asks it, with times and memory; beside it a sorted file with binary search. On Linux:
//!
//! ```text
//! cargo run --release -p filter-sets --example scale -- build 10000000 scale.set
//! cargo run --release -p filter-sets --example scale -- ask 10000000 scale.set
//! cargo run --release -p filter-sets --example scale -- sorted 1000000 scale.sorted
//! ```
//!
//! A third argument of `build` names the format, `split-block-xxph3` by default. For cold figures, run
//! `sync; echo 3 > /proc/sys/vm/drop_caches` before `ask`. Prints rows of CSV: subject, keys, measure, value, unit.
#![forbid(unsafe_code)]

use std::cmp::Ordering;
use std::error::Error;
use std::fs::{self, File};
use std::hint::black_box;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::Instant;

use filter_sets::{Access, Builder, FilterSet, Format, Opening, Size};

const MEMORY: u64 = 1 << 30;
/// Keys of a shard, about.
const OF_SHARD: u64 = 8_000_000;
/// Keys that are asked one by one, and by so many together.
const ASKED: u64 = 500_000;
const TOGETHER: usize = 4_096;

type Done<T> = Result<T, Box<dyn Error>>;

/// Returns key `i`, 16 hexadecimal digits: an odd multiplier makes distinct numbers without order.
fn key(i: u64) -> [u8; 16] {
    let number = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut digits = [0; 16];
    for (place, digit) in digits.iter_mut().enumerate() {
        *digit = b"0123456789abcdef"[(number >> (4 * place)) as usize & 15];
    }
    digits
}

/// Returns a number from a file of Linux about this process.
fn of_process(file: &str, name: &str) -> Done<u64> {
    let text = fs::read_to_string(Path::new("/proc/self").join(file))?;
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next());
    Ok(number.ok_or("no such line")?.parse()?)
}

/// Runs `work` and returns its result and the seconds that it took.
#[expect(clippy::disallowed_methods, reason = "an example that measures")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

const SET: &str = "filter set";

fn row(subject: &str, keys: u64, measure: &str, value: f64, unit: &str) {
    println!("{subject},{keys},{measure},{value:.6},{unit}");
}

fn build(keys: u64, folder: &Path, format: &str) -> Done<()> {
    let shards = u32::try_from(keys.div_ceil(OF_SHARD))?;
    let builder = Builder::new(Format::named(format)?, Size::Rate(0.01)).memory(MEMORY)?;
    let before = of_process("io", "wchar:")?;
    let (manifest, seconds) = timed(|| -> Done<_> {
        let mut building = builder.set(folder, shards)?;
        for i in 0..keys {
            building.insert(&key(i))?;
        }
        Ok(building.finish(&|_| true)?)
    });
    let manifest = manifest?;
    let spilled = of_process("io", "wchar:")? - before - manifest.bytes();
    row(SET, keys, "shards", shards.into(), "");
    row(SET, keys, "size", manifest.bytes() as f64 / 1e9, "GB");
    row(SET, keys, "build", seconds, "s");
    row(SET, keys, "spilled", spilled as f64 / 1e9, "GB");
    row(
        SET,
        keys,
        "memory of building",
        of_process("status", "VmHWM:")? as f64 / 1e6,
        "GB",
    );
    Ok(())
}

/// Asks these keys one by one, and prints percentiles, the clock's own time included.
fn one_by_one(
    subject: &str,
    all: u64,
    what: &str,
    keys: impl Iterator<Item = u64>,
    ask: impl Fn(&[u8]) -> bool,
) {
    let mut found = 0;
    let mut times: Vec<f64> = keys
        .map(|i| {
            let key = key(i);
            let (answer, seconds) = timed(|| ask(black_box(&key)));
            found += u64::from(answer);
            seconds * 1e6
        })
        .collect();
    times.sort_by(f64::total_cmp);
    for (name, share) in [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)] {
        let at = times[(share * (times.len() - 1) as f64) as usize];
        row(subject, all, &format!("{what} one by one {name}"), at, "us");
    }
    let share = found as f64 / times.len() as f64;
    row(subject, all, &format!("{what} that may be in"), share, "share");
}

/// Returns the number of the `i`-th present key that is asked: far apart, so that no page is asked twice in a row.
fn present(i: u64, keys: u64) -> u64 {
    i.wrapping_mul(0x2545_f491_4f6c_dd1d) % keys
}

fn ask(keys: u64, folder: &Path) -> Done<()> {
    let opening = Opening {
        access: Access::Map,
        verify: false,
    };
    let (set, seconds) = timed(|| FilterSet::open(folder, opening));
    let set = set?;
    row(SET, keys, "open", seconds, "s");
    let asked = || (0..ASKED).map(|i| present(i, keys));
    let ask = |key: &[u8]| set.may_contain(key);
    one_by_one(SET, keys, "present keys first time", asked(), ask);
    one_by_one(SET, keys, "present keys", asked(), ask);
    one_by_one(SET, keys, "absent keys", keys..keys + ASKED, ask);
    let stored: Vec<[u8; 16]> = asked().map(key).collect();
    let slices: Vec<&[u8]> = stored.iter().map(|key| &key[..]).collect();
    let ((), seconds) = timed(|| {
        for keys in slices.chunks(TOGETHER) {
            black_box(set.may_contain_many(keys));
        }
    });
    let measure = format!("{TOGETHER} keys a call");
    row(SET, keys, &measure, seconds * 1e6 / ASKED as f64, "us a key");
    row(
        SET,
        keys,
        "memory of asking",
        of_process("status", "VmHWM:")? as f64 / 1e6,
        "GB",
    );
    Ok(())
}

/// Writes the keys sorted, which happens in memory, and asks by binary search: in the file and in memory.
fn sorted(keys: u64, path: &Path) -> Done<()> {
    const FILE: &str = "sorted file";
    let (sorted, seconds) = timed(|| -> Done<_> {
        let mut sorted: Vec<[u8; 16]> = (0..keys).map(key).collect();
        sorted.sort_unstable();
        fs::write(path, sorted.as_flattened())?;
        Ok(sorted)
    });
    let sorted = sorted?;
    row(FILE, keys, "build", seconds, "s");
    row(FILE, keys, "size", fs::metadata(path)?.len() as f64 / 1e9, "GB");
    let file = File::open(path)?;
    let in_file = |wanted: &[u8]| {
        let (mut low, mut high) = (0, keys);
        while low < high {
            let middle = low.midpoint(high);
            let mut read = [0; 16];
            if file.read_exact_at(&mut read, middle * 16).is_err() {
                return true;
            }
            match read[..].cmp(wanted) {
                Ordering::Equal => return true,
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
            }
        }
        false
    };
    let asked = || (0..ASKED).map(|i| present(i, keys));
    one_by_one(FILE, keys, "present keys", asked(), in_file);
    one_by_one(FILE, keys, "absent keys", keys..keys + ASKED, in_file);
    let in_memory = |wanted: &[u8]| sorted.binary_search_by(|key| key[..].cmp(wanted)).is_ok();
    one_by_one("sorted array", keys, "present keys", asked(), in_memory);
    one_by_one("sorted array", keys, "absent keys", keys..keys + ASKED, in_memory);
    Ok(())
}

fn main() -> Done<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["build", keys, folder] => build(keys.parse()?, Path::new(folder), "split-block-xxph3"),
        ["build", keys, folder, format] => build(keys.parse()?, Path::new(folder), format),
        ["ask", keys, folder] => ask(keys.parse()?, Path::new(folder)),
        ["sorted", keys, file] => sorted(keys.parse()?, Path::new(file)),
        _ => Err(
            "the arguments must be: build KEYS FOLDER [FORMAT], ask KEYS FOLDER, or sorted KEYS FILE".into(),
        ),
    }
}
