//! Kinds of filters, of engines and for applications.
//!
//! Keys are hashed once for all bits per key: the crates' own filters are built and queried by the methods that take
//! hash values.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Mutex;

use bench_kit::suites::rates::{IDEAL, LEVELDB};
use filter_formats::BloomFilter64Policy;
use filter_formats::rocksdb::{FastLocalBloomPolicy, LegacyFullFilterPolicy, RibbonPolicy};
use filter_formats::sizing::{self, Format};
use filter_formats::view::{FilterLayout, FilterView};
use filter_policy::hashers::{KeyHasher as _, LevelDbHash, Murmur2};
use filter_policy::{BitsPerKey, BloomFilterPolicy, HashedPolicy, leveldb};
use guava_bloom::{BloomFilter, Hash128, Parameters, Strategy, StreamHeader};
use hash_comparison::functions;
use hash_comparison::questions::filters::Ideal;
use membership_filters::{
    CounterWidth, CountingBloomFilter, CuckooFilter, CuckooParameters, ErrorKind, GrowingBloomFilter,
    GrowingParameters,
};
use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::SplitMix64;

use super::SEED;
use super::series::{BLOOM_FILTER2, Series};

/// The hash value of a key; values of 32 and of 64 bits are in its first half.
pub(super) type Value = Hash128;

/// A filter with its rates.
pub(super) struct Filter {
    /// Bytes of the stored filter.
    pub(super) bytes: u64,
    /// Returns the rate of an ideal Bloom filter, and the rate by the filter's own formula: the columns `ideal` and
    /// `expected` of [`SUITE`](bench_kit::suites::rates::SUITE).
    pub(super) rates: Rates,
    /// Counts the values that match.
    pub(super) matching: Matching,
}

type Rates = Box<dyn Fn() -> Result<[f64; 2], String>>;
type Matching = Box<dyn Fn(&[Value]) -> u64>;
type Hash<T> = Box<dyn Fn(&[u8]) -> T + Sync>;
type Build = Box<dyn Fn(u32, &[Value]) -> Result<Filter, String> + Sync>;

/// A kind of filter.
pub(super) struct Kind {
    /// Hashes a key.
    pub(super) value: Hash<Value>,
    /// Builds a filter with the given bits per key from at least one value.
    pub(super) build: Build,
}

/// Returns the kind of a series.
///
/// # Errors
///
/// If there is no such scheme or function, or the function fails its known answers.
pub(super) fn of(series: &Series) -> Result<Kind, String> {
    let in_leveldbs_scheme = |hash: Hash<u32>| Kind {
        value: Box::new(move |key| of_64_bits(hash(key).into())),
        ..stored(
            BloomFilterPolicy::new,
            |hash| hash as u32,
            FilterLayout::LevelDb,
            Some(Format::LevelDb),
        )
    };
    let bloom64 = BloomFilter64Policy::new;
    let ideal = Ideal::drawn(SEED, 0);
    Ok(match (series.scheme, series.name) {
        ("leveldb", IDEAL) => in_leveldbs_scheme(Box::new(move |key| ideal.hash(key))),
        ("leveldb", LEVELDB) => in_leveldbs_scheme(Box::new(|key| LevelDbHash.hash(key))),
        ("leveldb", BLOOM_FILTER2) => {
            let murmur2 = Murmur2::new();
            in_leveldbs_scheme(Box::new(move |key| murmur2.hash(key)))
        }
        ("leveldb", name) => {
            let function = functions::find(name).map_err(words)?;
            functions::gate([function]).map_err(words)?;
            in_leveldbs_scheme(Box::new(move |key| function.compared(key)))
        }
        ("ideal", _) => ideal_scheme(ideal),
        ("bloom64", _) => stored(bloom64, |hash| hash, FilterLayout::Bloom64, Some(Format::Bloom64)),
        ("fast-local-bloom", _) => {
            let format = Some(Format::FastLocalBloom);
            stored(
                FastLocalBloomPolicy::new,
                |hash| hash,
                FilterLayout::RocksDb,
                format,
            )
        }
        ("legacy-full", _) => stored(
            LegacyFullFilterPolicy::new,
            |hash| hash as u32,
            FilterLayout::RocksDb,
            None,
        ),
        ("ribbon", _) => stored(
            RibbonPolicy::new,
            |hash| hash,
            FilterLayout::RocksDb,
            Some(Format::Ribbon),
        ),
        ("guava-mitz64", _) => guava(Strategy::Murmur128Mitz64),
        ("guava-mitz32", _) => guava(Strategy::Murmur128Mitz32),
        ("counting", _) => of_application(counting),
        ("cuckoo", _) => of_application(cuckoo),
        ("growing", _) => of_application(growing),
        (other, _) => return Err(format!("there is no scheme {other}")),
    })
}

fn words(error: impl Display) -> String {
    error.to_string()
}

fn of_64_bits(hash: u64) -> Value {
    Value { h1: hash, h2: 0 }
}

/// Returns the exact rate of an ideal filter.
fn ideal_rate(bits: u64, keys: usize, probes: u32) -> Result<f64, String> {
    let probes = u8::try_from(probes).map_err(words)?;
    sizing::exact_rate(bits, keys as u64, probes).map_err(words)
}

/// Returns the rates of a filter whose own formula is the ideal one.
fn as_ideal(bits: u64, keys: usize, probes: impl Into<u32>) -> Rates {
    let probes = probes.into();
    Box::new(move || ideal_rate(bits, keys, probes).map(|rate| [rate; 2]))
}

/// Returns the rate of a stored format. LevelDB's rate takes long to count and is needed for every hash function, so
/// each is counted once.
fn rate_of(format: Format, bits_per_key: u32, keys: usize) -> Result<f64, String> {
    static COUNTED: Mutex<BTreeMap<(u32, usize), f64>> = Mutex::new(BTreeMap::new());
    let rate = || {
        let bits_per_key = BitsPerKey::whole(bits_per_key);
        format.rate(keys as u64, bits_per_key).map_err(words)
    };
    if format != Format::LevelDb {
        return rate();
    }
    let mut counted = COUNTED.lock().map_err(words)?;
    if let Some(&known) = counted.get(&(bits_per_key, keys)) {
        return Ok(known);
    }
    let rate = rate()?;
    counted.insert((bits_per_key, keys), rate);
    Ok(rate)
}

/// Values per query batch: a whole number of words of answers.
const TOGETHER: usize = 4096;

/// Returns the kind of a policy. `hash` is a value as the policy's; `format` has the formula of the expected rate, and
/// without it the ideal formula is used.
fn stored<P: HashedPolicy<Hash: Into<u64>> + Sync + 'static>(
    policy: fn(BitsPerKey) -> P,
    hash: fn(u64) -> P::Hash,
    layout: FilterLayout,
    format: Option<Format>,
) -> Kind {
    let any = policy(BitsPerKey::whole(10));
    let build = move |bits_per_key, members: &[Value]| {
        let policy = policy(BitsPerKey::whole(bits_per_key));
        let filter = policy
            .build_hashes(members.iter().map(|value| hash(value.h1)))
            .map_err(words)?;
        let (view, keys) = (FilterView::new(layout, &filter), members.len());
        let (bits, probes) = (view.bits(), view.probe_count().map(u32::from));
        let rates = move || {
            let ideal = match probes {
                Some(probes) => ideal_rate(bits, keys, probes)?,
                // A Ribbon filter.
                None => rate_of(Format::Bloom64, bits_per_key, keys)?,
            };
            let expected = format.map(|format| rate_of(format, bits_per_key, keys));
            Ok([ideal, expected.unwrap_or(Ok(ideal))?])
        };
        Ok(Filter {
            bytes: filter.len() as u64,
            rates: Box::new(rates),
            matching: Box::new(move |values| {
                let prepared = policy.prepare(&filter);
                let mut answers = [0; TOGETHER / 64];
                let mut matching = 0;
                for values in values.chunks(TOGETHER) {
                    let hashes: Vec<P::Hash> = values.iter().map(|value| hash(value.h1)).collect();
                    let asked = prepared.may_match_hashes(&hashes, &mut answers);
                    asked.expect("there are words for all values");
                    let words = &answers[..values.len().div_ceil(64)];
                    matching += words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
                }
                matching
            }),
        })
    };
    Kind {
        value: Box::new(move |key| of_64_bits(any.hash_key(key).into())),
        build: Box::new(build),
    }
}

fn counter(matches: impl Fn(Value) -> bool + 'static) -> Matching {
    Box::new(move |values| values.iter().filter(|value| matches(**value)).count() as u64)
}

/// Returns the word index and bit mask of each probe of the ideal scheme.
fn places(value: Value, bits: u64, probes: u8) -> impl Iterator<Item = (usize, u64)> {
    let mut generator = SplitMix64::seed_from_u64(value.h1);
    (0..probes).map(move |_| {
        let position = ((u128::from(generator.next_u64()) * u128::from(bits)) >> 64) as u64;
        ((position / 64) as usize, 1 << (position % 64))
    })
}

/// Returns the ideal scheme: a 64-bit ideal hash seeds SplitMix64, which draws an independent position for each probe.
fn ideal_scheme(hash: Ideal) -> Kind {
    let build = |bits_per_key, members: &[Value]| {
        let (bits_per_key, keys) = (BitsPerKey::whole(bits_per_key), members.len() as u64);
        let bits = leveldb::filter_bits(bits_per_key, keys).map_err(words)?;
        let probes = Format::Bloom64
            .probe_count(keys, bits_per_key)
            .map_err(words)?
            .unwrap_or(1);
        let mut filter = vec![0; bits.div_ceil(64) as usize];
        for (word, bit) in members.iter().flat_map(|value| places(*value, bits, probes)) {
            filter[word] |= bit;
        }
        Ok(Filter {
            bytes: bits.div_ceil(8),
            rates: as_ideal(bits, members.len(), probes),
            matching: counter(move |value| {
                places(value, bits, probes).all(|(word, bit)| filter[word] & bit != 0)
            }),
        })
    };
    Kind {
        value: Box::new(move |key| of_64_bits(hash.wide(key))),
        build: Box::new(build),
    }
}

/// Returns the kind of a filter for applications, all of which use the same hash and are sized by the best rate that
/// the bits allow.
fn of_application(build: impl Fn(f64, &[Value], u32) -> Result<Filter, String> + Sync + 'static) -> Kind {
    Kind {
        value: Box::new(Hash128::of),
        build: Box::new(move |bits_per_key, members| {
            let best = sizing::Textbook::BEST.rate_at(f64::from(bits_per_key));
            build(best.map_err(words)?, members, bits_per_key)
        }),
    }
}

fn parameters(rate: f64, members: &[Value]) -> Result<Parameters, String> {
    Parameters::new(members.len() as u64, rate).map_err(words)
}

/// Guava's filter.
fn guava(strategy: Strategy) -> Kind {
    of_application(move |rate, members, _| {
        let parameters = parameters(rate, members)?.with_strategy(strategy);
        let mut filter = BloomFilter::new((), &parameters).map_err(words)?;
        for &hash in members {
            filter.insert_hash(hash);
        }
        Ok(Filter {
            bytes: StreamHeader::LEN as u64 + filter.words().len() as u64 * 8,
            rates: as_ideal(filter.bits(), members.len(), filter.probe_count()),
            matching: counter(move |hash| filter.might_contain_hash(hash)),
        })
    })
}

/// The counting filter with counters of four bits.
fn counting(rate: f64, members: &[Value], _: u32) -> Result<Filter, String> {
    let parameters = parameters(rate, members)?;
    let mut filter = CountingBloomFilter::new((), &parameters, CounterWidth::FOUR).map_err(words)?;
    for &hash in members {
        filter.insert_hash(hash);
    }
    Ok(Filter {
        bytes: filter.stored_len(),
        rates: as_ideal(filter.counters(), members.len(), filter.probe_count()),
        matching: counter(move |hash| filter.might_contain_hash(hash)),
    })
}

fn cuckoo(rate: f64, members: &[Value], bits_per_key: u32) -> Result<Filter, String> {
    let parameters = CuckooParameters::new(members.len() as u64, rate).map_err(words)?;
    let mut filter = CuckooFilter::new((), &parameters).map_err(words)?;
    for &hash in members {
        match filter.insert_hash(hash) {
            // With narrow fingerprints one filter in thousands refuses a key. Leaving the key out does not change the
            // rate.
            Err(error) if ![ErrorKind::Full, ErrorKind::TooManyCopies].contains(&error.kind()) => {
                return Err(words(error));
            }
            _ => {}
        }
    }
    let (keys, expected) = (
        members.len(),
        filter.parameters().false_positive_rate_at(members.len() as u64),
    );
    Ok(Filter {
        bytes: filter.stored_len(),
        rates: Box::new(move || Ok([rate_of(Format::Bloom64, bits_per_key, keys)?, expected])),
        matching: counter(move |hash| filter.might_contain_hash(hash)),
    })
}

/// The growing filter, at first sized for a tenth of the keys.
fn growing(rate: f64, members: &[Value], bits_per_key: u32) -> Result<Filter, String> {
    let parameters = GrowingParameters::new(members.len() as u64 / 10, rate).map_err(words)?;
    let mut filter = GrowingBloomFilter::new((), &parameters).map_err(words)?;
    for &hash in members {
        filter.insert_hash(hash).map_err(words)?;
    }
    let (keys, expected) = (members.len(), filter.parameters().false_positive_rate());
    Ok(Filter {
        bytes: filter.stored_len(),
        rates: Box::new(move || Ok([rate_of(Format::Bloom64, bits_per_key, keys)?, expected])),
        matching: counter(move |hash| filter.might_contain_hash(hash)),
    })
}
