//! Point reads without a useful filter, with the engine's own policy and with ours.
//!
//! All databases hold the same entries in tables of the same shape: the filters that deny nothing are as large
//! as the others. Rounds go through the databases in turn, so that what slows the machine down slows all of
//! them; every answer is checked.

#[path = "../tests/support/disk.rs"]
mod disk;

use std::cell::Cell;
use std::error::Error;
use std::fmt::Write as _;
use std::hint::black_box;
use std::rc::Rc;
use std::time::Duration;

use disk::CountingEnv;
use filter_policy::{BitsPerKey, BloomFilterPolicy};
use filter_policy_rusty_leveldb::RustyLevelDbPolicy;
use rusty_leveldb::{BloomPolicy, DB, FilterPolicy, Options};

const USAGE: &str = "arguments: [--keys N] [--rounds N] [--csv FILE]";
const BITS_PER_KEY: u32 = 10;
const MAX_KEYS: u32 = 100_000_000;
/// Gets of a database in a round, of each kind.
const GETS: u32 = 10_000;

struct Settings {
    keys: u32,
    rounds: usize,
    csv: Option<String>,
}

fn settings() -> Result<Settings, Box<dyn Error>> {
    let mut settings = Settings {
        keys: 200_000,
        rounds: 15,
        csv: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || {
            arguments
                .next()
                .ok_or(format!("{argument} has no value; {USAGE}"))
        };
        match argument.as_str() {
            "--keys" => settings.keys = value()?.parse()?,
            "--rounds" => settings.rounds = value()?.parse()?,
            "--csv" => settings.csv = Some(value()?),
            // What cargo adds.
            "--bench" => {}
            _ => return Err(format!("{argument} is no argument; {USAGE}").into()),
        }
    }
    if settings.rounds == 0 || !(1..=MAX_KEYS).contains(&settings.keys) {
        return Err(format!("rounds are at least 1, keys 1 to {MAX_KEYS}; {USAGE}").into());
    }
    Ok(settings)
}

/// Filters as large as the others, which deny nothing.
struct Nothing(BloomPolicy);

impl FilterPolicy for Nothing {
    fn name(&self) -> &'static str {
        "Nothing"
    }

    fn create_filter(&self, keys: &[u8], offsets: &[usize]) -> Vec<u8> {
        self.0.create_filter(keys, offsets)
    }

    fn key_may_match(&self, _: &[u8], _: &[u8]) -> bool {
        true
    }
}

/// Present keys have even numbers, absent ones odd.
fn key(number: u32) -> [u8; 16] {
    let mut key = *b"key:000000000000";
    let mut rest = number;
    for digit in key.iter_mut().rev().take(10) {
        *digit = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
    }
    key
}

struct Contender {
    policy: &'static str,
    cache: &'static str,
    db: DB,
    reads: Rc<Cell<u64>>,
    _folder: tempfile::TempDir,
    /// For absent and present keys: times of the rounds, and table reads.
    results: [(Vec<Duration>, u64); 2],
}

impl Contender {
    fn new(
        policy: &'static str,
        cache: &'static str,
        keys: u32,
        filter_policy: Rc<Box<dyn FilterPolicy>>,
    ) -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let (env, reads) = CountingEnv::new();
        let options = Options {
            env: Rc::new(Box::new(env)),
            filter_policy,
            block_cache_capacity_bytes: if cache == "one block" { 4 << 10 } else { 1 << 30 },
            ..Options::default()
        };
        let mut db = DB::open(folder.path(), options.clone())?;
        for number in 0..keys {
            // In a scattered order, so that tables overlap before they are compacted.
            let number = u64::from(number) * 1_000_003 % u64::from(keys);
            db.put(&key(2 * u32::try_from(number)?), &[b'v'; 100])?;
        }
        db.compact_range(b"key:", b"key;")?;
        db.close()?;
        drop(db);
        let mut contender = Self {
            policy,
            cache,
            db: DB::open(folder.path(), options)?,
            reads,
            _folder: folder,
            results: Default::default(),
        };
        // Opens the tables, and fills the cache that holds everything.
        for number in (0..2 * keys).step_by(2) {
            contender.get(number)?;
        }
        Ok(contender)
    }

    fn get(&mut self, number: u32) -> Result<(), String> {
        let found = black_box(self.db.get(&key(number))).is_some();
        if found == number.is_multiple_of(2) {
            Ok(())
        } else {
            Err(format!("{}: key {number} found: {found}", self.policy))
        }
    }

    #[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
    fn round(&mut self, round: usize, keys: u32, present: bool) -> Result<(), String> {
        let before = self.reads.get();
        let start = std::time::Instant::now();
        for i in 0..GETS {
            let spread = (u64::from(i) + u64::try_from(round).unwrap_or(0) * u64::from(GETS)) * 7_368_787;
            let number = u32::try_from(spread % u64::from(keys)).unwrap_or(0);
            self.get(2 * number + u32::from(!present))?;
        }
        let (times, reads) = &mut self.results[usize::from(present)];
        times.push(start.elapsed());
        *reads += self.reads.get() - before;
        Ok(())
    }
}

/// Median and median absolute deviation, in nanoseconds per Get.
fn median_and_mad(times: &[Duration]) -> (f64, f64) {
    let median = |values: &mut Vec<f64>| {
        values.sort_by(f64::total_cmp);
        let (low, high) = (values[(values.len() - 1) / 2], values[values.len() / 2]);
        f64::midpoint(low, high)
    };
    let mut values: Vec<f64> = times
        .iter()
        .map(|time| time.as_secs_f64() * 1e9 / f64::from(GETS))
        .collect();
    let middle = median(&mut values);
    let mut deviations: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    (middle, median(&mut deviations))
}

fn main() -> Result<(), Box<dyn Error>> {
    let settings = settings()?;
    let bits = BitsPerKey::whole(BITS_PER_KEY);
    let mut contenders = Vec::new();
    for cache in ["one block", "everything"] {
        let policies: [(&str, Box<dyn FilterPolicy>); 4] = [
            (
                "none (denies nothing)",
                Box::new(Nothing(BloomPolicy::new(BITS_PER_KEY))),
            ),
            ("engine's BloomPolicy", Box::new(BloomPolicy::new(BITS_PER_KEY))),
            (
                "ours, LevelDB's hash",
                Box::new(RustyLevelDbPolicy::new(BloomFilterPolicy::leveldb_builtin(bits))?),
            ),
            (
                "ours, MurmurHash2",
                Box::new(RustyLevelDbPolicy::new(BloomFilterPolicy::bloom_filter2(bits))?),
            ),
        ];
        for (name, policy) in policies {
            contenders.push(Contender::new(name, cache, settings.keys, Rc::new(policy))?);
        }
    }
    for round in 0..settings.rounds {
        for present in [false, true] {
            // Each round starts with another.
            contenders.rotate_left(1);
            for contender in &mut contenders {
                contender.round(round, settings.keys, present)?;
            }
        }
    }

    contenders.sort_by_key(|contender| (contender.cache, contender.policy));
    let mut csv = String::from(
        "policy,cache,keys,bits_per_key,present,gets,median_ns_per_get,mad_ns_per_get,table_reads_per_get\n",
    );
    println!(
        "{} keys, {BITS_PER_KEY} bits per key, {} rounds of {GETS} Gets; median over rounds, and its absolute deviation\n",
        settings.keys, settings.rounds
    );
    println!(
        "{:<22} {:<11} {:<8} {:>10} {:>8} {:>10}",
        "filter", "cache", "keys", "ns/Get", "MAD", "reads/Get"
    );
    for present in [false, true] {
        for contender in &contenders {
            let (times, reads) = &contender.results[usize::from(present)];
            let (median, mad) = median_and_mad(times);
            let gets = u64::from(GETS) * u64::try_from(times.len())?;
            let reads_per_get = *reads as f64 / gets as f64;
            let kind = if present { "present" } else { "absent" };
            println!(
                "{:<22} {:<11} {kind:<8} {median:>10.0} {mad:>8.0} {reads_per_get:>10.4}",
                contender.policy, contender.cache
            );
            writeln!(
                csv,
                "\"{}\",{},{},{BITS_PER_KEY},{present},{gets},{median:.1},{mad:.1},{reads_per_get:.6}",
                contender.policy, contender.cache, settings.keys
            )?;
        }
    }
    match settings.csv {
        Some(path) => std::fs::write(&path, csv).map_err(|error| format!("{path}: {error}"))?,
        None => print!("\n{csv}"),
    }
    Ok(())
}
