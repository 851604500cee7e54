//! Builds filters over growing key sets and measures them, in the manner of LevelDB's `bloom_test`: reset,
//! add, build, then size, matches of the added keys and the rate of false positives.
//!
//! ```text
//! cargo run --example bloom_test [-- [BITS_PER_KEY [HASH]]]
//! ```
//!
//! `BITS_PER_KEY` is 10 when not given; `HASH` is murmur2 (the default), murmur2-signed-tail, leveldb, or
//! murmur2:SEED with a seed in hexadecimal.

use std::io::{self, Write};
use std::process::ExitCode;

use filter_formats::sizing::Textbook;
use filter_formats::view::{FilterLayout, FilterView};
use filter_policy::{BitsPerKey, BloomFilterPolicy, Error, FilterPolicy, leveldb};

const USAGE: &str =
    "usage: bloom_test [BITS_PER_KEY [murmur2 | murmur2-signed-tail | leveldb | murmur2:SEED]]";

/// The first of the keys that no filter holds.
const ABSENT_FROM: u32 = 1_000_000_000;
const ABSENT: u32 = 100_000;

/// A policy, the keys for the next filter, and the filter.
struct BloomTest {
    policy: Box<dyn FilterPolicy>,
    keys: Vec<Vec<u8>>,
    filter: Vec<u8>,
}

impl BloomTest {
    fn new(policy: Box<dyn FilterPolicy>) -> Self {
        Self {
            policy,
            keys: Vec::new(),
            filter: Vec::new(),
        }
    }

    fn reset(&mut self) {
        self.keys.clear();
        self.filter.clear();
    }

    fn add(&mut self, key: Vec<u8>) {
        self.keys.push(key);
    }

    fn build(&mut self) -> Result<(), Error> {
        let keys: Vec<&[u8]> = self.keys.iter().map(Vec::as_slice).collect();
        self.filter.clear();
        self.policy.append_filter(&keys, &mut self.filter)
    }

    fn filter_size(&self) -> usize {
        self.filter.len()
    }

    fn matches(&self, key: &[u8]) -> bool {
        self.policy.key_may_match(key, &self.filter)
    }

    fn false_positive_rate(&self) -> f64 {
        let matches = (ABSENT_FROM..ABSENT_FROM + ABSENT)
            .filter(|&i| self.matches(&key(i)))
            .count();
        matches as f64 / f64::from(ABSENT)
    }
}

fn key(i: u32) -> Vec<u8> {
    i.to_string().into_bytes()
}

/// Returns 1, 2, ... 10, 20, ... 100, 200, ... 100,000.
fn key_counts() -> impl Iterator<Item = u32> {
    (0..5)
        .flat_map(|power| (1..10).map(move |digit| digit * 10_u32.pow(power)))
        .chain([100_000])
}

fn parse_bits_per_key(text: &str) -> Result<BitsPerKey, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| format!("bits per key must be a number, got {text:?}"))?;
    BitsPerKey::fractional(number).map_err(|error| error.to_string())
}

fn parse_policy(hash: &str, bits_per_key: BitsPerKey) -> Result<Box<dyn FilterPolicy>, String> {
    Ok(match hash {
        "murmur2" => Box::new(BloomFilterPolicy::new(bits_per_key)),
        "murmur2-signed-tail" => Box::new(BloomFilterPolicy::signed_tail(bits_per_key)),
        "leveldb" => Box::new(BloomFilterPolicy::leveldb_builtin(bits_per_key)),
        _ => {
            let Some(digits) = hash.strip_prefix("murmur2:") else {
                return Err(format!(
                    "hash must be murmur2, murmur2-signed-tail, leveldb or murmur2:SEED, got {hash:?}"
                ));
            };
            let seed = u32::from_str_radix(digits.strip_prefix("0x").unwrap_or(digits), 16)
                .map_err(|_| format!("seed must be between 0 and ffffffff in hexadecimal, got {digits:?}"))?;
            Box::new(BloomFilterPolicy::with_seed(seed, bits_per_key))
        }
    })
}

fn run(bits_per_key: BitsPerKey, policy: Box<dyn FilterPolicy>) -> Result<(), String> {
    let mut out = io::stdout().lock();
    let mut line = |text: String| match writeln!(out, "{text}") {
        // The reader may stop early, as `head` does; that is no failure.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(format!("standard output: {error}")),
        _ => Ok(()),
    };
    line(format!(
        "policy {}, {} bits per key, {} probes, {ABSENT} absent keys queried",
        policy.name(),
        bits_per_key.get(),
        leveldb::probe_count(bits_per_key)
    ))?;
    line(format!(
        "{:>8} {:>8} {:>8} {:>7} {:>10} {:>10}",
        "keys", "bytes", "matches", "fill", "measured", "textbook"
    ))?;

    let mut test = BloomTest::new(policy);
    for count in key_counts() {
        test.reset();
        (0..count).for_each(|i| test.add(key(i)));
        test.build().map_err(|error| format!("{count} keys: {error}"))?;

        let matches = (0..count).filter(|&i| test.matches(&key(i))).count();
        if matches != count as usize {
            return Err(format!(
                "{} of {count} added keys are missing",
                count as usize - matches
            ));
        }
        let view = FilterView::new(FilterLayout::LEVEL_DB, &test.filter);
        let fill = view.fill().unwrap_or_default();
        let probes = view.probe_count().unwrap_or_default();
        let textbook = Textbook::with_probe_count(probes.into())
            .rate(view.bits(), count.into())
            .map_err(|error| error.to_string())?;
        line(format!(
            "{count:>8} {:>8} {matches:>8} {:>6.2}% {:>9.4}% {:>9.4}%",
            test.filter_size(),
            fill * 100.0,
            test.false_positive_rate() * 100.0,
            textbook * 100.0
        ))?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|text| text.to_string_lossy().into_owned())
        .collect();
    let (bits, hash) = match arguments.as_slice() {
        [] => ("10", "murmur2"),
        [help] if help == "--help" || help == "-h" => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        [bits] => (bits.as_str(), "murmur2"),
        [bits, hash] => (bits.as_str(), hash.as_str()),
        _ => {
            eprintln!(
                "there must be at most 2 arguments, got {}\n{USAGE}",
                arguments.len()
            );
            return ExitCode::from(2);
        }
    };
    let parsed = parse_bits_per_key(bits)
        .and_then(|bits_per_key| Ok((bits_per_key, parse_policy(hash, bits_per_key)?)))
        .map_err(|message| format!("{message}\n{USAGE}"));
    match parsed.map(|(bits_per_key, policy)| run(bits_per_key, policy)) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(message)) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}
