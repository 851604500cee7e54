//! Measures false-positive rates against the exact expectation of an ideal filter, for the probe sequence and the hash
//! of `BloomFilter64.Xxph3` and for the alternatives that were considered.
//!
//! ```text
//! cargo run --release --example rates [-- FALSE_POSITIVES]
//! ```
//!
//! Every row is measured until this many false positives were seen (40,000 by default, for a random error of half a per
//! cent), over as many filters as that takes. The default takes half an hour, 2,000 a few minutes. Seeds are fixed, so
//! the output is the same in every run.

use std::io::{self, Write};
use std::process::ExitCode;

use filter_formats::BloomFilter64Policy;
use filter_formats::sizing::{Format, exact_rate};
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy, HashedPolicy, leveldb};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The source of a filter's hash values.
#[derive(Clone, Copy)]
enum Hashes {
    /// A random generator: the ideal hash.
    Random,
    /// The policy's hash of consecutive 16-byte decimal numbers; the absent keys are the numbers that follow.
    Decimals,
    /// The policy's hash of eight-byte counters.
    Counters,
}

/// The hash function does not depend on the bits per key.
const TEN: BloomFilter64Policy = BloomFilter64Policy::new(BitsPerKey::whole(10));

impl Hashes {
    const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Decimals => "decimals",
            Self::Counters => "counters",
        }
    }

    /// Returns hash value number `i`, counted over all filters.
    fn of(self, i: u64) -> u64 {
        match self {
            Self::Random => SplitMix64::seed_from_u64(i).next_u64(),
            Self::Decimals => TEN.hash_key(&decimal(i)),
            Self::Counters => TEN.hash_key(&i.to_le_bytes()),
        }
    }
}

/// Formats a number in sixteen digits.
fn decimal(mut number: u64) -> [u8; 16] {
    let mut digits = [b'0'; 16];
    for digit in digits.iter_mut().rev() {
        *digit += u8::try_from(number % 10).expect("a digit is below ten");
        number /= 10;
    }
    digits
}

/// The sequence of positions that a hash value gives.
#[derive(Clone, Copy)]
enum Sequence {
    /// The policy itself.
    Policy,
    /// LevelDB's sequence, from the low half of the hash value.
    LevelDb,
    /// One step further each time; the halves of the hash value are start and step.
    DoubleHashing,
    /// The step grows by a constant each time.
    EnhancedDoubleHashing,
    /// Multiplication by the golden ratio each time.
    GoldenRatio,
}

impl Sequence {
    const fn name(self) -> &'static str {
        match self {
            Self::Policy => "BloomFilter64",
            Self::LevelDb => "LevelDB",
            Self::DoubleHashing => "double hashing",
            Self::EnhancedDoubleHashing => "enhanced double hashing",
            Self::GoldenRatio => "times golden ratio",
        }
    }
}

const GOLDEN_RATIO: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the positions of the alternative sequences.
fn positions(sequence: Sequence, hash: u64, bits: u64, probes: u8) -> impl Iterator<Item = usize> {
    let mut walk = hash;
    let mut step = hash.rotate_left(32);
    (0..probes).map(move |_| {
        let position = (u128::from(walk) * u128::from(bits)) >> 64;
        match sequence {
            Sequence::DoubleHashing => walk = walk.wrapping_add(step),
            Sequence::EnhancedDoubleHashing => {
                walk = walk.wrapping_add(step);
                step = step.wrapping_add(GOLDEN_RATIO);
            }
            _ => walk = walk.wrapping_mul(GOLDEN_RATIO),
        }
        usize::try_from(position).expect("a position in memory")
    })
}

/// One row of the output.
#[derive(Clone, Copy)]
struct Case {
    sequence: Sequence,
    hashes: Hashes,
    keys: u64,
    bits_per_key: u32,
}

struct Measured {
    filters: u64,
    queries: u64,
    matches: u64,
    expected: f64,
}

impl Case {
    /// Builds filters and queries them for absent keys until there are enough false positives.
    fn measure(self, enough: u64) -> Measured {
        let bits_per_key = BitsPerKey::whole(self.bits_per_key);
        let policy = BloomFilter64Policy::new(bits_per_key);
        let leveldb = BloomFilterPolicy::leveldb_builtin(bits_per_key);
        let keys = usize::try_from(self.keys).expect("keys in memory");
        let bits = leveldb::filter_bits(bits_per_key, self.keys).expect("a filter in memory");
        let probes = match self.sequence {
            Sequence::LevelDb => leveldb::probe_count(bits_per_key),
            _ => Format::BLOOM64
                .probe_count(self.keys, bits_per_key)
                .expect("a filter in memory")
                .unwrap_or_default(),
        };
        let expected = exact_rate(bits, self.keys, probes).expect("bits, and at most 30 probes");
        // The number of queries per filter balances the random errors of filters and queries.
        let wanted = enough as f64 / expected;
        let filters = (100_000_000 / self.keys).clamp(1, 200_000);
        let queries = (wanted / filters as f64).ceil() as u64;

        let mut filter = vec![0; policy.max_filter_len(keys).expect("a filter in memory")];
        let mut next = 0;
        let mut matches = 0;
        for _ in 0..filters {
            let members = next..next + keys;
            let absent = members.end as u64..members.end as u64 + queries;
            next = members.end + usize::try_from(queries).expect("queries to count");
            let hashes = members.map(|i| self.hashes.of(i as u64));
            let absent = absent.map(|i| self.hashes.of(i));
            matches += match self.sequence {
                Sequence::Policy => {
                    let filter = policy
                        .build_raw_hashes_in(hashes, &mut filter)
                        .expect("room for it");
                    let prepared = policy.prepare(&filter);
                    absent.filter(|&hash| prepared.may_match_raw_hash(hash)).count()
                }
                Sequence::LevelDb => {
                    let filter = leveldb
                        .build_raw_hashes_in(hashes.map(|hash| hash as u32), &mut filter)
                        .expect("room for it");
                    let prepared = leveldb.prepare(&filter);
                    absent
                        .filter(|&hash| prepared.may_match_raw_hash(hash as u32))
                        .count()
                }
                sequence => {
                    filter.fill(0);
                    for hash in hashes {
                        for at in positions(sequence, hash, bits, probes) {
                            filter[at / 8] |= 1 << (at % 8);
                        }
                    }
                    let is_set = |at: usize| filter[at / 8] & (1 << (at % 8)) != 0;
                    absent
                        .filter(|&hash| positions(sequence, hash, bits, probes).all(is_set))
                        .count()
                }
            } as u64;
        }
        Measured {
            filters,
            queries: filters * queries,
            matches,
            expected,
        }
    }
}

/// Returns every sequence for small and large filters, then the policy at all sizes.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for bits_per_key in [10, 15, 20] {
        for keys in [32, 512, 1_000_000] {
            for sequence in [
                Sequence::LevelDb,
                Sequence::DoubleHashing,
                Sequence::EnhancedDoubleHashing,
                Sequence::GoldenRatio,
            ] {
                let hashes = Hashes::Random;
                cases.push(Case {
                    sequence,
                    hashes,
                    keys,
                    bits_per_key,
                });
            }
        }
        for keys in [32, 100, 512, 4096, 65_536, 1_000_000, 20_000_000] {
            for hashes in [Hashes::Random, Hashes::Decimals, Hashes::Counters] {
                let sequence = Sequence::Policy;
                cases.push(Case {
                    sequence,
                    hashes,
                    keys,
                    bits_per_key,
                });
            }
        }
    }
    cases
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let enough = match (arguments.next().map(|text| text.parse()), arguments.next()) {
        (None, _) => 40_000,
        (Some(Ok(enough)), None) => enough,
        _ => {
            eprintln!("usage: rates [FALSE_POSITIVES]");
            return ExitCode::from(2);
        }
    };
    match run(enough) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(enough: u64) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "bits  keys      sequence                 hashes     filters  queries       measured      expected      ratio"
    )?;
    for case in cases() {
        let Measured {
            filters,
            queries,
            matches,
            expected,
        } = case.measure(enough);
        let rate = matches as f64 / queries as f64;
        writeln!(
            out,
            "{:<4}  {:<8}  {:<23}  {:<9}  {filters:<7}  {queries:<12}  {:<10.5} %  {:<10.5} %  {:.4}",
            case.bits_per_key,
            case.keys,
            case.sequence.name(),
            case.hashes.name(),
            rate * 100.0,
            expected * 100.0,
            rate / expected
        )?;
        out.flush()?;
    }
    Ok(())
}
