//! Point reads without a useful filter, with the engine's own policy and with ours.
//!
//! All databases hold the same entries in tables of the same shape: the filters that deny nothing, or everything, are
//! as large as the others. Rounds go through the databases in turn, the first one another in every round, so that
//! ratios can be formed within a round. Batches are short, a few milliseconds, so that most of them run without another
//! program in between, and many, so that medians are those of the undisturbed. A batch with a wrong answer ends the
//! program. What is written are the batches; medians and ratios are formed from them by `cargo xtask bench`, for all
//! engines alike.

#[path = "../tests/support/disk.rs"]
mod disk;

use std::cell::Cell;
use std::error::Error;
use std::fmt::Write as _;
use std::rc::Rc;

use disk::CountingEnv;
use filter_policy::{BitsPerKey, BloomFilterPolicy};
use filter_policy_rusty_leveldb::RustyLevelDbPolicy;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rusty_leveldb::{BloomPolicy, DB, FilterPolicy, Options};

const USAGE: &str =
    "arguments: [--entries N] [--gets N] [--rounds N] [--key-set random|decimal] [--csv FILE]";
const HEADER: &str = "engine,version,policy,bits_per_key,cache,key_set,entries,key_bytes,value_bytes,keys,round,gets,blocks,ns";
const BITS_PER_KEY: u32 = 10;
const VALUE_BYTES: usize = 100;
const SEED: u64 = 1;

type Key = [u8; 16];

struct Settings {
    entries: usize,
    gets: usize,
    rounds: usize,
    key_set: String,
    csv: Option<String>,
}

fn settings() -> Result<Settings, String> {
    let mut settings = Settings {
        entries: 200_000,
        gets: 2_000,
        rounds: 151,
        key_set: "random".to_owned(),
        csv: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        // What cargo adds.
        if name == "--bench" {
            continue;
        }
        let mut value = || arguments.next().ok_or(format!("{name} has no value; {USAGE}"));
        match name.as_str() {
            "--entries" => settings.entries = number(&name, &value()?)?,
            "--gets" => settings.gets = number(&name, &value()?)?,
            "--rounds" => settings.rounds = number(&name, &value()?)?,
            "--key-set" => settings.key_set = value()?,
            "--csv" => settings.csv = Some(value()?),
            _ => return Err(format!("no argument is called {name:?}; {USAGE}")),
        }
    }
    Ok(settings)
}

fn number(name: &str, text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|number| (1..=100_000_000).contains(number))
        .ok_or_else(|| format!("{name} is {text:?}, allowed are whole numbers from 1 to 100000000"))
}

/// The entries' keys, and as many that no database has.
struct Data {
    present: Vec<Key>,
    absent: Vec<Key>,
}

impl Data {
    fn new(settings: &Settings) -> Result<Self, String> {
        let entries = settings.entries;
        match settings.key_set.as_str() {
            "random" => {
                let mut random = SplitMix64::seed_from_u64(SEED);
                // The generator gives every number once before it gives one again.
                let mut some = || (0..entries).map(|_| hexadecimal(random.next_u64())).collect();
                Ok(Self {
                    present: some(),
                    absent: some(),
                })
            }
            "decimal" => Ok(Self {
                present: (0..entries).map(|i| decimal(2 * i)).collect(),
                absent: (0..entries).map(|i| decimal(2 * i + 1)).collect(),
            }),
            other => Err(format!(
                "--key-set is {other:?}, allowed are \"random\" and \"decimal\""
            )),
        }
    }
}

fn hexadecimal(number: u64) -> Key {
    digits(number, 16)
}

/// Neighbours differ in their last digits.
fn decimal(number: usize) -> Key {
    digits(number as u64, 10)
}

fn digits(mut number: u64, base: u64) -> Key {
    let mut key = [b'0'; 16];
    for digit in key.iter_mut().rev() {
        *digit = b"0123456789abcdef"[(number % base) as usize];
        number /= base;
    }
    key
}

/// Filters as large as the others, which give the same answer to everything.
struct Always {
    answer: bool,
    built: BloomPolicy,
}

impl Always {
    fn says(answer: bool) -> Self {
        Self {
            answer,
            built: BloomPolicy::new(BITS_PER_KEY),
        }
    }
}

impl FilterPolicy for Always {
    fn name(&self) -> &'static str {
        "Always"
    }

    fn create_filter(&self, keys: &[u8], offsets: &[usize]) -> Vec<u8> {
        self.built.create_filter(keys, offsets)
    }

    fn key_may_match(&self, _: &[u8], _: &[u8]) -> bool {
        self.answer
    }
}

struct Contender {
    policy: &'static str,
    cache: &'static str,
    db: DB,
    reads: Rc<Cell<u64>>,
    _folder: tempfile::TempDir,
}

impl Contender {
    fn new(
        policy: &'static str,
        cache: &'static str,
        data: &Data,
        filter_policy: Rc<Box<dyn FilterPolicy>>,
    ) -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let (env, reads) = CountingEnv::new();
        let options = Options {
            env: Rc::new(Box::new(env)),
            filter_policy,
            // The engine counts blocks of 4 KiB, and wants room for at least one.
            block_cache_capacity_bytes: if cache == "one-block" { 4 << 10 } else { 1 << 30 },
            ..Options::default()
        };
        let mut db = DB::open(folder.path(), options.clone())?;
        let mut random = SplitMix64::seed_from_u64(SEED + 2);
        let mut scattered: Vec<&Key> = data.present.iter().collect();
        // So that tables overlap before they are compacted.
        scattered.sort_by_cached_key(|_| random.next_u64());
        for key in scattered {
            db.put(key, &[b'v'; VALUE_BYTES])?;
        }
        db.compact_range(b"0", b"g")?;
        db.close()?;
        drop(db);
        let mut contender = Self {
            policy,
            cache,
            db: DB::open(folder.path(), options)?,
            reads,
            _folder: folder,
        };
        // Opens the tables, and fills the cache that holds everything.
        for key in &data.present {
            contender.db.get(key);
        }
        Ok(contender)
    }

    fn finds_present_keys(&self) -> bool {
        self.policy != "always-no"
    }

    /// Asks for all keys of a batch: blocks read, and nanoseconds.
    #[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
    fn ask(&mut self, batch: &[Key], expected: usize) -> Result<(u64, u128), String> {
        let before = self.reads.get();
        let start = std::time::Instant::now();
        let found = batch.iter().filter(|key| self.db.get(*key).is_some()).count();
        let ns = start.elapsed().as_nanos();
        if found != expected {
            return Err(format!(
                "{}: {found} of {} keys found, not {expected}",
                self.policy,
                batch.len()
            ));
        }
        Ok((self.reads.get() - before, ns))
    }
}

fn contenders(data: &Data) -> Result<Vec<Contender>, Box<dyn Error>> {
    let bits = BitsPerKey::whole(BITS_PER_KEY);
    let mut contenders = Vec::new();
    for cache in ["everything", "one-block"] {
        let policies: [(&str, Box<dyn FilterPolicy>); 5] = [
            ("always-yes", Box::new(Always::says(true))),
            ("engine", Box::new(BloomPolicy::new(BITS_PER_KEY))),
            (
                "ours-leveldb-hash",
                Box::new(RustyLevelDbPolicy::new(BloomFilterPolicy::leveldb_builtin(bits))?),
            ),
            (
                "ours-bloomfilter2",
                Box::new(RustyLevelDbPolicy::new(BloomFilterPolicy::bloom_filter2(bits))?),
            ),
            ("always-no", Box::new(Always::says(false))),
        ];
        for (name, policy) in policies {
            contenders.push(Contender::new(name, cache, data, Rc::new(policy))?);
        }
    }
    Ok(contenders)
}

/// The engine's version, as the lock file has it.
fn version() -> Option<&'static str> {
    let (_, rest) = include_str!("../Cargo.lock").split_once("name = \"rusty-leveldb\"\nversion = \"")?;
    Some(rest.split_once('"')?.0)
}

fn main() -> Result<(), Box<dyn Error>> {
    let settings = settings()?;
    let data = Data::new(&settings)?;
    let version = version().ok_or("the lock file has no rusty-leveldb")?;
    eprintln!("writing {} entries for each policy", settings.entries);
    let mut contenders = contenders(&data)?;
    eprintln!("measuring");
    let mut choices = SplitMix64::seed_from_u64(SEED + 1);
    let mut csv = format!("{HEADER}\n");
    for round in 1..=settings.rounds {
        let mut some = |keys: &[Key]| -> Vec<Key> {
            (0..settings.gets)
                .map(|_| keys[choices.next_u64() as usize % keys.len()])
                .collect()
        };
        let (absent, present) = (some(&data.absent), some(&data.present));
        contenders.rotate_left(1);
        for contender in &mut contenders {
            for (keys, batch, expected) in [("absent", &absent, 0), ("present", &present, present.len())] {
                if expected > 0 && !contender.finds_present_keys() {
                    continue;
                }
                let (blocks, ns) = contender.ask(batch, expected)?;
                writeln!(
                    csv,
                    "rusty-leveldb,{version},{},{BITS_PER_KEY},{},{},{},{},{VALUE_BYTES},{keys},{round},{},{blocks},{ns}",
                    contender.policy,
                    contender.cache,
                    settings.key_set,
                    settings.entries,
                    size_of::<Key>(),
                    batch.len()
                )?;
            }
        }
    }
    match settings.csv {
        Some(path) => std::fs::write(&path, csv).map_err(|error| format!("{path}: {error}"))?,
        None => print!("{csv}"),
    }
    Ok(())
}
