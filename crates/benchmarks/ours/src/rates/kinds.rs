//! Kinds of filters, of engines and for applications.
//!
//! Keys are hashed once for all bits per key: the crates' own filters are built and queried by the methods that take
//! hash values.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Mutex;

use filter_formats::BloomFilter64Policy;
use filter_formats::rocksdb::{FastLocalBloomPolicy, LegacyFullFilterPolicy, RibbonPolicy};
use filter_formats::sizing::{self, Format};
use filter_formats::view::{FilterLayout, FilterView};
use filter_policy::hashers::Murmur2;
use filter_policy::{BitsPerKey, BloomFilterPolicy, HashedPolicy, leveldb};
use guava_bloom::{BloomFilter, Hash128, Parameters, Strategy, StreamHeader};
use membership_filters::{
    CounterWidth, CountingBloomFilter, CuckooFilter, CuckooParameters, ErrorKind, GrowingBloomFilter,
    GrowingParameters,
};
use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::SplitMix64;

use super::keys::Key;

/// The expected rates of a filter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Prospect {
    /// The rate of an ideal Bloom filter, see the columns of [`SUITE`](bench_kit::suites::rates::SUITE).
    pub(super) ideal: f64,
    /// The rate by the filter's own formula.
    pub(super) expected: f64,
}

/// A kind of filter `F`. `V` is the hash value of a key.
pub(super) struct Kind<'a, V, F> {
    pub(super) value: Box<dyn Fn(&Key) -> V + Sync + 'a>,
    /// Builds a filter with the given bits per key from at least one value.
    pub(super) build: fn(u32, &[V]) -> Result<F, String>,
    /// Returns the bytes of the stored filter.
    pub(super) bytes: fn(&F) -> u64,
    /// Counts the values that match.
    pub(super) matching: fn(&F, &[V]) -> u64,
    /// Returns the expected rates of a filter, given bits per key and number of keys.
    pub(super) prospect: fn(&F, u32, u64) -> Result<Prospect, String>,
}

fn words(error: impl Display) -> String {
    error.to_string()
}

fn prospect(ideal: Result<f64, String>, expected: Result<f64, String>) -> Result<Prospect, String> {
    Ok(Prospect {
        ideal: ideal?,
        expected: expected?,
    })
}

/// Returns the rates of a filter whose own formula is the ideal one.
fn as_ideal(bits: u64, keys: u64, probes: impl Into<u32>) -> Result<Prospect, String> {
    let ideal = ideal(bits, keys, probes);
    prospect(ideal.clone(), ideal)
}

/// Returns the exact rate of an ideal filter.
fn ideal(bits: u64, keys: u64, probes: impl Into<u32>) -> Result<f64, String> {
    let probes = u8::try_from(probes.into()).map_err(words)?;
    sizing::exact_rate(bits, keys, probes).map_err(words)
}

/// Returns the rate of a stored format. LevelDB's rate takes long to count and is needed for every hash function, so
/// each is counted once.
fn rate_of(format: Format, bits_per_key: u32, keys: u64) -> Result<f64, String> {
    static COUNTED: Mutex<BTreeMap<(u32, u64), f64>> = Mutex::new(BTreeMap::new());
    let rate = || format.rate(keys, BitsPerKey::whole(bits_per_key)).map_err(words);
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

/// A policy. Hashing and queries do not depend on the bits per key.
trait Stored: HashedPolicy<Hash: 'static> + Sync + Sized + 'static {
    /// The layout of the measured filters.
    const LAYOUT: FilterLayout;
    /// The format whose formula gives the expected rate; `None` for the ideal formula.
    const FORMAT: Option<Format>;

    fn policy(bits_per_key: BitsPerKey) -> Self;
}

macro_rules! stored {
    ($policy:ty, $new:ident, $layout:ident, $format:expr) => {
        impl Stored for $policy {
            const LAYOUT: FilterLayout = FilterLayout::$layout;
            const FORMAT: Option<Format> = $format;

            fn policy(bits_per_key: BitsPerKey) -> Self {
                Self::$new(bits_per_key)
            }
        }
    };
}

stored!(BloomFilterPolicy<Murmur2>, new, LevelDb, Some(Format::LevelDb));
stored!(BloomFilter64Policy, new, Bloom64, Some(Format::Bloom64));
stored!(FastLocalBloomPolicy, new, RocksDb, Some(Format::FastLocalBloom));
stored!(RibbonPolicy, new, RocksDb, Some(Format::Ribbon));
stored!(LegacyFullFilterPolicy, new, RocksDb, None);

/// Returns the kind for a policy.
fn stored<P: Stored>() -> Kind<'static, P::Hash, Vec<u8>> {
    let any = P::policy(BitsPerKey::whole(10));
    Kind {
        value: Box::new(move |key| any.hash_key(key.bytes())),
        build: |bits_per_key, members| {
            let policy = P::policy(BitsPerKey::whole(bits_per_key));
            policy.build_hashes(members.iter().copied()).map_err(words)
        },
        bytes: |filter| filter.len() as u64,
        matching: |filter, values| {
            let any = P::policy(BitsPerKey::whole(10));
            let prepared = any.prepare(filter);
            let mut answers = [0; TOGETHER / 64];
            let mut matching = 0;
            for values in values.chunks(TOGETHER) {
                let asked = prepared.may_match_hashes(values, &mut answers);
                asked.expect("there are words for all values");
                let words = &answers[..values.len().div_ceil(64)];
                matching += words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
            }
            matching
        },
        prospect: |filter, bits_per_key, keys| {
            let view = FilterView::new(P::LAYOUT, filter);
            let ideal = match view.probe_count() {
                Some(probes) => ideal(view.bits(), keys, probes),
                // A Ribbon filter.
                None => rate_of(Format::Bloom64, bits_per_key, keys),
            };
            let expected = P::FORMAT.map(|format| rate_of(format, bits_per_key, keys));
            prospect(ideal.clone(), expected.unwrap_or(ideal))
        },
    }
}

fn count<V: Copy>(values: &[V], matches: impl Fn(V) -> bool) -> u64 {
    values.iter().filter(|value| matches(**value)).count() as u64
}

/// Returns LevelDB's scheme with a 32-bit function in place of the policy's own hash.
pub(super) fn leveldb<'a>(hash: impl Fn(&[u8]) -> u32 + Sync + 'a) -> Kind<'a, u32, Vec<u8>> {
    let Kind {
        build,
        bytes,
        matching,
        prospect,
        ..
    } = stored::<BloomFilterPolicy<Murmur2>>();
    Kind {
        value: Box::new(move |key| hash(key.bytes())),
        build,
        bytes,
        matching,
        prospect,
    }
}

pub(super) struct IdealFilter {
    words: Vec<u64>,
    bits: u64,
    probes: u8,
}

impl IdealFilter {
    /// Returns the word index and bit mask of each probe.
    fn places(&self, value: u64) -> impl Iterator<Item = (usize, u64)> + use<> {
        let mut generator = SplitMix64::seed_from_u64(value);
        let bits = u128::from(self.bits);
        (0..self.probes).map(move |_| {
            let position = ((u128::from(generator.next_u64()) * bits) >> 64) as u64;
            ((position / 64) as usize, 1 << (position % 64))
        })
    }
}

/// Returns the ideal scheme: a 64-bit ideal hash seeds SplitMix64, which draws an independent position for each probe.
pub(super) fn ideal_scheme<'a>(hash: impl Fn(&[u8]) -> u64 + Sync + 'a) -> Kind<'a, u64, IdealFilter> {
    Kind {
        value: Box::new(move |key| hash(key.bytes())),
        build: |bits_per_key, members| {
            let bits_per_key = BitsPerKey::whole(bits_per_key);
            let bits = leveldb::filter_bits(bits_per_key, members.len() as u64).map_err(words)?;
            let mut filter = IdealFilter {
                words: vec![0; bits.div_ceil(64) as usize],
                bits,
                probes: Format::Bloom64
                    .probe_count(members.len() as u64, bits_per_key)
                    .map_err(words)?
                    .unwrap_or(1),
            };
            for &value in members {
                for (word, bit) in filter.places(value) {
                    filter.words[word] |= bit;
                }
            }
            Ok(filter)
        },
        bytes: |filter| filter.bits.div_ceil(8),
        matching: |filter, values| {
            let is_set = |(word, bit): (usize, u64)| filter.words[word] & bit != 0;
            count(values, |value| filter.places(value).all(is_set))
        },
        prospect: |filter, _, keys| as_ideal(filter.bits, keys, filter.probes),
    }
}

pub(super) fn bloom64() -> Kind<'static, u64, Vec<u8>> {
    stored::<BloomFilter64Policy>()
}

/// RocksDB's 64-byte lines.
pub(super) fn fast_local_bloom() -> Kind<'static, u64, Vec<u8>> {
    stored::<FastLocalBloomPolicy>()
}

pub(super) fn ribbon() -> Kind<'static, u64, Vec<u8>> {
    stored::<RibbonPolicy>()
}

/// RocksDB's filter up to format version 4.
pub(super) fn legacy_full() -> Kind<'static, u32, Vec<u8>> {
    stored::<LegacyFullFilterPolicy>()
}

/// Returns the rate for filters that are not configured by bits per key: the best rate that the bits allow.
fn rate_for(bits_per_key: u32) -> Result<f64, String> {
    sizing::Textbook::BEST
        .rate_at(f64::from(bits_per_key))
        .map_err(words)
}

fn parameters(bits_per_key: u32, members: &[Hash128]) -> Result<Parameters, String> {
    Parameters::new(members.len() as u64, rate_for(bits_per_key)?).map_err(words)
}

/// Returns the hash that all filters for applications use.
fn hash128() -> Box<dyn Fn(&Key) -> Hash128 + Sync> {
    Box::new(|key| Hash128::of(key.bytes()))
}

fn guava_filter(parameters: &Parameters, members: &[Hash128]) -> Result<BloomFilter<()>, String> {
    let mut filter = BloomFilter::new((), parameters).map_err(words)?;
    for &hash in members {
        filter.insert_hash(hash);
    }
    Ok(filter)
}

/// Guava's filter under `MURMUR128_MITZ_64`.
pub(super) fn guava_mitz64() -> Kind<'static, Hash128, BloomFilter<()>> {
    Kind {
        value: hash128(),
        build: |bits_per_key, members| {
            let parameters = parameters(bits_per_key, members)?;
            guava_filter(&parameters.with_strategy(Strategy::Murmur128Mitz64), members)
        },
        bytes: |filter| StreamHeader::LEN as u64 + filter.words().len() as u64 * 8,
        matching: |filter, values| count(values, |hash| filter.might_contain_hash(hash)),
        prospect: |filter, _, keys| as_ideal(filter.bits(), keys, filter.probe_count()),
    }
}

/// Guava's filter under `MURMUR128_MITZ_32`.
pub(super) fn guava_mitz32() -> Kind<'static, Hash128, BloomFilter<()>> {
    Kind {
        build: |bits_per_key, members| {
            let parameters = parameters(bits_per_key, members)?;
            guava_filter(&parameters.with_strategy(Strategy::Murmur128Mitz32), members)
        },
        ..guava_mitz64()
    }
}

/// The counting filter with counters of four bits.
pub(super) fn counting() -> Kind<'static, Hash128, CountingBloomFilter<()>> {
    Kind {
        value: hash128(),
        build: |bits_per_key, members| {
            let parameters = parameters(bits_per_key, members)?;
            let mut filter = CountingBloomFilter::new((), &parameters, CounterWidth::FOUR).map_err(words)?;
            for &hash in members {
                filter.insert_hash(hash);
            }
            Ok(filter)
        },
        bytes: CountingBloomFilter::stored_len,
        matching: |filter, values| count(values, |hash| filter.might_contain_hash(hash)),
        prospect: |filter, _, keys| as_ideal(filter.counters(), keys, filter.probe_count()),
    }
}

pub(super) fn cuckoo() -> Kind<'static, Hash128, CuckooFilter<()>> {
    Kind {
        value: hash128(),
        build: |bits_per_key, members| {
            let rate = rate_for(bits_per_key)?;
            let parameters = CuckooParameters::new(members.len() as u64, rate).map_err(words)?;
            let mut filter = CuckooFilter::new((), &parameters).map_err(words)?;
            for &hash in members {
                match filter.insert_hash(hash) {
                    // With narrow fingerprints one filter in thousands refuses a key. Leaving the key out does not
                    // change the rate.
                    Err(error) if ![ErrorKind::Full, ErrorKind::TooManyCopies].contains(&error.kind()) => {
                        return Err(words(error));
                    }
                    _ => {}
                }
            }
            Ok(filter)
        },
        bytes: CuckooFilter::stored_len,
        matching: |filter, values| count(values, |hash| filter.might_contain_hash(hash)),
        prospect: |filter, bits_per_key, keys| {
            let ideal = rate_of(Format::Bloom64, bits_per_key, keys);
            prospect(ideal, Ok(filter.parameters().false_positive_rate_at(keys)))
        },
    }
}

/// The growing filter, at first sized for a tenth of the keys.
pub(super) fn growing() -> Kind<'static, Hash128, GrowingBloomFilter<()>> {
    Kind {
        value: hash128(),
        build: |bits_per_key, members| {
            let first = members.len() as u64 / 10;
            let parameters = GrowingParameters::new(first, rate_for(bits_per_key)?).map_err(words)?;
            let mut filter = GrowingBloomFilter::new((), &parameters).map_err(words)?;
            for &hash in members {
                filter.insert_hash(hash).map_err(words)?;
            }
            Ok(filter)
        },
        bytes: GrowingBloomFilter::stored_len,
        matching: |filter, values| count(values, |hash| filter.might_contain_hash(hash)),
        prospect: |filter, bits_per_key, keys| {
            let ideal = rate_of(Format::Bloom64, bits_per_key, keys);
            prospect(ideal, Ok(filter.parameters().false_positive_rate()))
        },
    }
}
