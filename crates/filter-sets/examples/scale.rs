//! Builds a set of many keys and asks it, with times and memory; on Linux.
//!
//! ```text
//! cargo run --release -p filter-sets --example scale -- build 10000000 scale.set
//! cargo run --release -p filter-sets --example scale -- ask 10000000 scale.set
//! ```
//!
//! A third argument names the format, `split-block-xxph3` by default. For cold figures, run
//! `sync; echo 3 > /proc/sys/vm/drop_caches` before `ask`.
#![forbid(unsafe_code)]

use std::error::Error;
use std::fs;
use std::hint::black_box;
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

fn build(keys: u64, folder: &Path, format: &str) -> Done<()> {
    let shards = u32::try_from(keys.div_ceil(OF_SHARD))?;
    let builder = Builder::new(Format::named(format)?, Size::Rate(0.01))
        .memory(MEMORY)?
        .shards(shards)?;
    let before = of_process("io", "wchar:")?;
    let (manifest, seconds) = timed(|| -> Done<_> {
        let mut building = builder.start_set(folder)?;
        for i in 0..keys {
            building.insert(&key(i))?;
        }
        Ok(building.write_set(folder, "line", &|_| true)?)
    });
    let manifest = manifest?;
    let spilled = of_process("io", "wchar:")? - before - manifest.bytes();
    println!(
        "{keys} keys, {format}, {shards} shards of {:.2} GB in all",
        manifest.bytes() as f64 / 1e9
    );
    println!(
        "built in {seconds:.1} s: {:.2} million keys a second, {:.2} GB spilled, {:.2} GB of memory at the peak",
        keys as f64 / seconds / 1e6,
        spilled as f64 / 1e9,
        of_process("status", "VmHWM:")? as f64 / 1e6
    );
    Ok(())
}

/// Asks these keys one by one, and prints percentiles.
fn one_by_one(set: &FilterSet, what: &str, keys: impl Iterator<Item = u64>) {
    let mut found = 0;
    let mut times: Vec<f64> = keys
        .map(|i| {
            let key = key(i);
            let (answer, seconds) = timed(|| set.may_contain(black_box(&key)));
            found += u64::from(answer);
            seconds * 1e9
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[(share * (times.len() - 1) as f64) as usize];
    println!(
        "{what}, one by one: {:.0} ns at p50, {:.0} at p99, {:.0} at p99.9, the clock's own included; {:.3} % may be in",
        at(0.5),
        at(0.99),
        at(0.999),
        found as f64 / times.len() as f64 * 100.0
    );
}

fn ask(keys: u64, folder: &Path) -> Done<()> {
    let opening = Opening {
        access: Access::Map,
        verify: false,
    };
    let (set, seconds) = timed(|| FilterSet::open(folder, opening));
    let set = set?;
    println!("mapped in {:.1} ms", seconds * 1e3);
    // Far apart, so that no page is asked twice in a row.
    let present = |i: u64| i.wrapping_mul(0x2545_f491_4f6c_dd1d) % keys;
    one_by_one(&set, "present keys, first time", (0..ASKED).map(present));
    one_by_one(&set, "present keys", (0..ASKED).map(present));
    one_by_one(&set, "absent keys", keys..keys + ASKED);
    let stored: Vec<[u8; 16]> = (0..ASKED).map(|i| key(present(i))).collect();
    let slices: Vec<&[u8]> = stored.iter().map(|key| &key[..]).collect();
    let ((), seconds) = timed(|| {
        for keys in slices.chunks(TOGETHER) {
            black_box(set.may_contain_many(keys));
        }
    });
    println!(
        "{TOGETHER} keys a call: {:.0} ns a key",
        seconds * 1e9 / ASKED as f64
    );
    println!(
        "{:.2} GB of memory at the peak, mapped pages included",
        of_process("status", "VmHWM:")? as f64 / 1e6
    );
    Ok(())
}

fn main() -> Done<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["build", keys, folder] => build(keys.parse()?, Path::new(folder), "split-block-xxph3"),
        ["build", keys, folder, format] => build(keys.parse()?, Path::new(folder), format),
        ["ask", keys, folder] => ask(keys.parse()?, Path::new(folder)),
        _ => Err("the arguments must be: build KEYS FOLDER [FORMAT], or: ask KEYS FOLDER".into()),
    }
}
