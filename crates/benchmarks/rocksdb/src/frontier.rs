//! Bits and times of every filter at the same false-positive rates.

use core::hint::black_box;
use std::fmt::Display;

use bench_kit::policies::ours::{count, count_ones};
use bench_kit::policies::{EngineSlice, KeyLengths, keys, rounds, sbbf};
use bench_kit::record::Batch;
use bench_kit::suites::frontier::SUITE;
use bench_kit::turns::{Contender, Work, take_turns};
use bench_rocksdb::{EnginePolicy, EngineReader, version};
use fastbloom::BloomFilter;
use filter_formats::parquet::SplitBlockBloomPolicy;
use filter_formats::rocksdb::{FastLocalBloomPolicy, RibbonPolicy};
use filter_formats::sizing::Format;
use filter_formats::{BinaryFusePolicy, BloomFilter64Policy};
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy};
use xorf::{BinaryFuse8, BinaryFuse16, Filter as _};

/// The rates that the filters must not exceed.
const RATES: [f64; 4] = [0.001, 0.004, 0.01, 0.03];
/// The keys of a filter.
const SIZES: [usize; 6] = [64, 3000, 12_850, 100_000, 1_000_000, 20_000_000];
/// The largest filter that is measured with keys in their own memory each: beyond, fetching them is most of the time.
const MAX_SCATTERED: usize = 1_000_000;
/// Absent keys that are queried for a rate: at 0.1 % the statistical error is 3 % of the rate.
const QUERIES: usize = 1_000_000;

/// Works through all keys of a batch, and returns a number that checks the work.
type Loop<'a> = Box<dyn FnMut() -> u64 + 'a>;

/// Builds filters of a size for a rate.
trait Maker {
    fn version(&self) -> String;
    /// Builds a filter of every `size` keys, each in newly allocated memory.
    fn builds<'a>(&'a self, size: usize, keys: &'a [&'a [u8]]) -> Loop<'a>;
    fn filter<'a>(&'a self, keys: &[&[u8]]) -> Box<dyn Made + 'a>;
}

/// A filter that was built.
trait Made {
    fn bytes(&self) -> usize;
    /// Counts the keys that may match, one key a call.
    fn one<'a>(&'a self, keys: &'a [&'a [u8]]) -> Loop<'a>;
    /// Counts them with many keys a call, if the filter has such a call.
    fn many<'a>(&'a self, _: &'a [&'a [u8]]) -> Option<Loop<'a>> {
        None
    }
}

/// A policy of this project, held as engines hold it.
struct Ours(Box<dyn FilterPolicy>);

impl Ours {
    fn create(&self, keys: &[&[u8]]) -> Vec<u8> {
        let mut filter = Vec::new();
        let built = black_box(&*self.0).append_filter(keys, &mut filter);
        built.expect("memory for the filter");
        filter
    }
}

impl Maker for Ours {
    fn version(&self) -> String {
        bench_kit::version("filter-policy")
    }

    fn builds<'a>(&'a self, size: usize, keys: &'a [&'a [u8]]) -> Loop<'a> {
        Box::new(move || {
            keys.chunks_exact(size)
                .map(|keys| black_box(self.create(keys)).len() as u64)
                .sum()
        })
    }

    fn filter<'a>(&'a self, keys: &[&[u8]]) -> Box<dyn Made + 'a> {
        Box::new(OfOurs(&*self.0, self.create(keys)))
    }
}

struct OfOurs<'p>(&'p dyn FilterPolicy, Vec<u8>);

impl Made for OfOurs<'_> {
    fn bytes(&self) -> usize {
        self.1.len()
    }

    fn one<'a>(&'a self, keys: &'a [&'a [u8]]) -> Loop<'a> {
        Box::new(move || {
            let prepared = self.0.prepare(black_box(&self.1));
            count(keys, |key| prepared.may_match(key))
        })
    }

    fn many<'a>(&'a self, keys: &'a [&'a [u8]]) -> Option<Loop<'a>> {
        let mut answers = vec![0; keys.len().div_ceil(64)];
        Some(Box::new(move || {
            let asked = self
                .0
                .prepare(black_box(&self.1))
                .may_match_many(keys, &mut answers);
            asked.expect("there are answers enough");
            count_ones(&answers)
        }))
    }
}

/// RocksDB's policy, in C++ through its virtual functions.
struct RocksDb(EnginePolicy);

impl Maker for RocksDb {
    fn version(&self) -> String {
        version()
    }

    fn builds<'a>(&'a self, size: usize, keys: &'a [&'a [u8]]) -> Loop<'a> {
        let keys = EngineSlice::of(keys);
        Box::new(move || self.0.create_filters(&keys, size))
    }

    fn filter<'a>(&'a self, keys: &[&[u8]]) -> Box<dyn Made + 'a> {
        let filter = self.0.create_filter(keys);
        Box::new((filter.len(), self.0.reader(&filter)))
    }
}

impl Made for (usize, EngineReader) {
    fn bytes(&self) -> usize {
        self.0
    }

    fn one<'a>(&'a self, keys: &'a [&'a [u8]]) -> Loop<'a> {
        let keys = EngineSlice::of(keys);
        Box::new(move || self.1.count_matches(&keys))
    }

    fn many<'a>(&'a self, keys: &'a [&'a [u8]]) -> Option<Loop<'a>> {
        let keys = EngineSlice::of(keys);
        Some(Box::new(move || self.1.count_matches_in_batches(&keys)))
    }
}

/// A filter of another crate, with XXH3 of each key.
struct Peer<F, M, H> {
    package: &'static str,
    /// Builds a filter from hash values.
    make: M,
    bytes: fn(&F) -> usize,
    has: H,
}

impl<F, M: Fn(&[&[u8]]) -> F, H: Fn(&F, u64) -> bool> Maker for Peer<F, M, H> {
    fn version(&self) -> String {
        bench_kit::version(self.package)
    }

    fn builds<'a>(&'a self, size: usize, keys: &'a [&'a [u8]]) -> Loop<'a> {
        let build = |keys| (self.bytes)(black_box(&(self.make)(keys))) as u64;
        Box::new(move || keys.chunks_exact(size).map(build).sum())
    }

    fn filter<'a>(&'a self, keys: &[&[u8]]) -> Box<dyn Made + 'a> {
        Box::new(OfPeer(self, (self.make)(keys)))
    }
}

struct OfPeer<'p, F, M, H>(&'p Peer<F, M, H>, F);

impl<F, M, H: Fn(&F, u64) -> bool> Made for OfPeer<'_, F, M, H> {
    fn bytes(&self) -> usize {
        (self.0.bytes)(&self.1)
    }

    fn one<'a>(&'a self, keys: &'a [&'a [u8]]) -> Loop<'a> {
        Box::new(move || {
            let filter = black_box(&self.1);
            count(keys, |key| (self.0.has)(filter, sbbf::HASH(key)))
        })
    }
}

/// Returns the fewest bits per key, in tenths, with which the format's rate is not above the wanted one; `None` if it
/// always is.
fn bits_for(format: Format, keys: usize, wanted: f64) -> Option<BitsPerKey> {
    let keys = keys as u64;
    let whole = format.bits_per_key_for_rate(keys, wanted).ok()?;
    let tenths = (1..10)
        .rev()
        .filter_map(|tenths| BitsPerKey::fractional(whole.get() - f64::from(tenths) / 10.0).ok());
    let is_enough = |bits: &BitsPerKey| format.rate(keys, *bits).is_ok_and(|rate| rate <= wanted);
    Some(tenths.into_iter().find(is_enough).unwrap_or(whole))
}

/// Returns what builds a contender's filters of `keys` keys with at most this rate; `None` if it cannot.
fn maker(name: &str, keys: usize, rate: f64) -> Option<Box<dyn Maker>> {
    let bits = |format| bits_for(format, keys, rate);
    let ours = |policy: Box<dyn FilterPolicy>| Some(Box::new(Ours(policy)) as Box<dyn Maker>);
    match name {
        "leveldb" => ours(Box::new(BloomFilterPolicy::new(bits(Format::LevelDb)?))),
        "bloom-filter64" => ours(Box::new(BloomFilter64Policy::new(bits(Format::Bloom64)?))),
        "fast-local" => ours(Box::new(FastLocalBloomPolicy::new(bits(Format::FastLocalBloom)?))),
        "split-block" => ours(Box::new(SplitBlockBloomPolicy::xxph3(bits(Format::SplitBlock)?))),
        "ribbon" => ours(Box::new(RibbonPolicy::new(bits(Format::Ribbon)?))),
        "binary-fuse" => ours(Box::new(BinaryFusePolicy::new(bits(Format::BinaryFuse)?))),
        "rocksdb" => {
            let policy = EnginePolicy::bloom(bits(Format::FastLocalBloom)?.get(), 5);
            Some(Box::new(RocksDb(policy)))
        }
        "rocksdb-ribbon" => {
            let policy = EnginePolicy::ribbon(bits(Format::Ribbon)?.get());
            Some(Box::new(RocksDb(policy)))
        }
        "sbbf-rs" => {
            let bits = bits(Format::SplitBlock)?.get() * keys as f64;
            Some(Box::new(Peer {
                package: "sbbf-rs",
                make: move |keys: &[&[u8]]| {
                    let mut blocks = sbbf::SplitBlocks::with_bits(bits as usize);
                    keys.iter().for_each(|key| blocks.insert(sbbf::HASH(key)));
                    blocks
                },
                bytes: sbbf::SplitBlocks::bytes,
                has: sbbf::SplitBlocks::contains,
            }))
        }
        "fastbloom" => Some(Box::new(Peer {
            package: "fastbloom",
            make: move |keys: &[&[u8]]| {
                let filter = BloomFilter::with_false_pos(rate).seed(&1);
                let mut filter = filter.expected_items(keys.len());
                keys.iter().for_each(|key| {
                    filter.insert_hash(sbbf::HASH(key));
                });
                filter
            },
            bytes: |filter: &BloomFilter| filter.as_slice().len() * 8,
            has: |filter: &BloomFilter, hash| filter.contains_hash(hash),
        })),
        "xorf" if rate >= 1.0 / 256.0 => Some(Box::new(Peer {
            package: "xorf",
            make: |keys: &[&[u8]]| BinaryFuse8::try_from(hashes(keys)).expect("hash values differ"),
            bytes: |filter: &BinaryFuse8| filter.fingerprints.len(),
            has: |filter: &BinaryFuse8, hash| filter.contains(&hash),
        })),
        "xorf" => Some(Box::new(Peer {
            package: "xorf",
            make: |keys: &[&[u8]]| BinaryFuse16::try_from(hashes(keys)).expect("hash values differ"),
            bytes: |filter: &BinaryFuse16| filter.fingerprints.len() * 2,
            has: |filter: &BinaryFuse16, hash| filter.contains(&hash),
        })),
        other => panic!("there is no contender {other}"),
    }
}

fn hashes(keys: &[&[u8]]) -> Vec<u64> {
    keys.iter().map(|key| sbbf::HASH(key)).collect()
}

/// Measures every contender.
pub(crate) fn measure(is_quick: bool) -> Vec<Batch> {
    let sizes = if is_quick { &SIZES[..2] } else { &SIZES };
    let mut batches = Vec::new();
    for &size in sizes {
        for lengths in [KeyLengths::Urls, KeyLengths::Fixed] {
            if lengths == KeyLengths::Fixed || size <= MAX_SCATTERED {
                eprintln!("{size} {}", lengths.name());
                measure_size(size, lengths, is_quick, &mut batches);
            }
        }
    }
    batches
}

fn measure_size(size: usize, lengths: KeyLengths, is_quick: bool, batches: &mut Vec<Batch>) {
    // A round of the largest filters takes a minute.
    let rounds = if size > MAX_SCATTERED {
        1
    } else {
        rounds(size, is_quick)
    };
    let owned = keys::stored(size, lengths);
    let copies = keys::scattered(&owned, lengths);
    let stored = keys::slices(&owned, &copies);
    let asked = ["absent", "present"].map(|task| {
        let keys = keys::asked(&owned, size, lengths, task);
        let copies = keys::scattered(&keys, lengths);
        (keys, copies)
    });
    let [absent, present] = [0, 1].map(|task| keys::slices(&asked[task].0, &asked[task].1));
    let others = keys::random(if is_quick { QUERIES / 10 } else { QUERIES }, 4, lengths);
    let others: Vec<&[u8]> = others.iter().collect();
    for rate in RATES {
        let makers: Vec<(&str, Box<dyn Maker>)> = SUITE
            .contenders
            .iter()
            .filter_map(|&(name, _)| Some((name, maker(name, size, rate)?)))
            .collect();
        let case = |name: &str, maker: &dyn Maker, task: &str| {
            let parameters: [&dyn Display; 4] = [&maker.version(), &lengths.name(), &size, &rate];
            SUITE.case(name, task, &parameters)
        };
        let filters: Vec<Box<dyn Made + '_>> = makers
            .iter()
            .map(|(_, maker)| maker.filter(&stored[..size]))
            .collect();
        for ((name, maker), filter) in makers.iter().zip(&filters) {
            batches.push(case(name, &**maker, "size").batch(1, size as u64, filter.bytes() as u64));
            assert_eq!(
                filter.one(&present)(),
                present.len() as u64,
                "{name} denies stored keys"
            );
            // Each of the filters that the keys fill is asked for its share of the others.
            let filled = stored.len() / size;
            let share = others.len() / filled;
            let (first, rest) = others.split_at(share);
            let mut matches = filter.one(first)();
            for (stored, others) in stored[size..].chunks_exact(size).zip(rest.chunks_exact(share)) {
                matches += maker.filter(stored).one(others)();
            }
            batches.push(case(name, &**maker, "rate").batch(1, (filled * share) as u64, matches));
        }
        let mut turns = |task: &str, calls: usize, loops: Vec<(usize, Loop<'_>)>| {
            let mut contenders = Vec::new();
            for (index, run) in loops {
                contenders.push(Contender::engine(index, String::new(), Work::Own, run));
            }
            take_turns(rounds, &mut contenders, |round, contender, ns| {
                let (name, maker) = &makers[contender.name];
                batches.push(case(name, &**maker, task).batch(round, calls as u64, ns));
            });
        };
        let builds = makers.iter().map(|(_, maker)| maker.builds(size, &stored));
        turns("build", stored.len(), builds.enumerate().collect());
        for (task, keys) in [("absent", &absent), ("present", &present)] {
            turns(
                task,
                keys.len(),
                filters
                    .iter()
                    .map(|filter| filter.one(keys))
                    .enumerate()
                    .collect(),
            );
        }
        let many = filters
            .iter()
            .enumerate()
            .filter_map(|(index, filter)| Some((index, filter.many(&absent)?)));
        turns("many", absent.len(), many.collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contender_takes_part_at_every_rate() {
        let mut batches = Vec::new();
        measure_size(3000, KeyLengths::Fixed, true, &mut batches);
        let rows = SUITE.rows(&batches).unwrap();
        for rate in RATES {
            for (name, _) in SUITE.contenders {
                let of = |task: &str| {
                    let is_it = |row: &&bench_kit::record::Row| {
                        row.is(name, task) && row.case.get("rate") == rate.to_string()
                    };
                    rows.iter().find(is_it).map(|row| row.value)
                };
                assert!(
                    of("build") > Some(0.0) && of("present") > Some(0.0),
                    "{name} {rate}"
                );
                let (counted, bytes) = (of("rate").unwrap(), of("size").unwrap());
                // Three standard deviations of the count, and what LevelDB's computed rate neglects.
                let most = rate * 1.05 + 3.0 * (rate / 100_000.0).sqrt();
                assert!(counted < most, "{name} {rate}: {counted}");
                // No filter can have fewer bits.
                assert!(
                    bytes * 8.0 > -counted.max(1e-9).log2() * 0.9,
                    "{name} {rate}: {bytes}"
                );
            }
        }
    }
}
