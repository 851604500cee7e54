//! Filters for engines, built from values of keys and asked for others; those for applications are beside it.
//!
//! Keys are hashed once for all bits per key: what is built and asked are the filters of the crates themselves, by the
//! methods that take hash values.

use filter_policy::sizing::{self, Format};
use filter_policy::{
    BitsPerKey, BloomFilter64Policy, BloomFilter64View, BloomFilterPolicy, Error, FastLocalBloomPolicy,
    FilterView, LegacyFullFilterPolicy, PreparedFilter, RibbonPolicy, RocksDbBitsPerKey, RocksDbFilterView,
};
use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::SplitMix64;

use super::keys::Key;

/// What is to be expected of a filter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Prospect {
    /// The rate of an ideal Bloom filter, see [`Rate::ideal`](bench_kit::suites::rates::Rate::ideal).
    pub(super) ideal: f64,
    /// What the filter's own formula says, see [`Rate::expected`](bench_kit::suites::rates::Rate::expected).
    pub(super) expected: f64,
}

/// A kind of filter.
pub(super) trait Contestant {
    /// What is kept of a key.
    type Value: Copy;
    type Filter;

    fn value(&self, key: &Key) -> Self::Value;

    /// The filter of keys with these values, of which there is one at least.
    fn build(&self, bits_per_key: u32, members: &[Self::Value]) -> Result<Self::Filter, String>;

    /// Bytes that it takes where it is stored.
    fn bytes(&self, filter: &Self::Filter) -> u64;

    /// How many of these match.
    fn matching(&self, filter: &Self::Filter, values: &[Self::Value]) -> u64;

    /// What is to be expected of a filter of so many keys, built for these bits per key.
    fn prospect(&self, filter: &Self::Filter, bits_per_key: u32, keys: u64) -> Result<Prospect, String>;
}

pub(super) fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// The exact rate of an ideal filter of this shape.
pub(super) fn ideal(bits: u64, keys: u64, probes: impl Into<u32>) -> Result<f64, String> {
    let probes = u8::try_from(probes.into()).map_err(words)?;
    sizing::exact_rate(bits, keys, probes).map_err(words)
}

/// That of the best ideal filter of so many bits per key, which filters without probes of their own are held against.
pub(super) fn best_ideal(bits_per_key: u32, keys: u64) -> Result<f64, String> {
    let format = Format::BloomFilter64;
    format.rate(keys, BitsPerKey::whole(bits_per_key)).map_err(words)
}

/// The rate that filters are made for which are not configured by bits per key: the best that so many bits allow.
pub(super) fn rate_for(bits_per_key: u32) -> Result<f64, String> {
    sizing::best_rate_at(f64::from(bits_per_key)).map_err(words)
}

/// Values that are asked for together; a whole number of words of answers.
const TOGETHER: usize = 4096;

/// Counts the answers of a method that writes them as bits.
fn count<V>(values: &[V], ask: impl Fn(&[V], &mut [u64]) -> Result<(), Error>) -> u64 {
    let mut answers = [0; TOGETHER / 64];
    let mut matching = 0;
    for values in values.chunks(TOGETHER) {
        ask(values, &mut answers).expect("there are words for all values");
        let words = &answers[..values.len().div_ceil(64)];
        matching += words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
    }
    matching
}

/// LevelDB's scheme with any function of 32 bits.
pub(super) struct LevelDbScheme<H>(pub(super) H);

impl<H: Fn(&[u8]) -> u32> Contestant for LevelDbScheme<H> {
    type Value = u32;
    type Filter = Vec<u8>;

    fn value(&self, key: &Key) -> u32 {
        (self.0)(key.bytes())
    }

    fn build(&self, bits_per_key: u32, members: &[u32]) -> Result<Vec<u8>, String> {
        // The policy's own hash is not asked: the values are there.
        let policy = BloomFilterPolicy::bloom_filter2(BitsPerKey::whole(bits_per_key));
        let mut filter = Vec::new();
        policy
            .append_hashes(members.iter().copied(), &mut filter)
            .map_err(words)?;
        Ok(filter)
    }

    fn bytes(&self, filter: &Vec<u8>) -> u64 {
        filter.len() as u64
    }

    fn matching(&self, filter: &Vec<u8>, values: &[u32]) -> u64 {
        let filter = PreparedFilter::new(filter);
        count(values, |values, answers| filter.may_match_hashes(values, answers))
    }

    fn prospect(&self, filter: &Vec<u8>, bits_per_key: u32, keys: u64) -> Result<Prospect, String> {
        let view = FilterView::new(filter);
        let probes = view.probe_count().unwrap_or(0);
        Ok(Prospect {
            ideal: ideal(view.bits(), keys, probes)?,
            expected: Format::LevelDb
                .rate(keys, BitsPerKey::whole(bits_per_key))
                .map_err(words)?,
        })
    }
}

/// Ideal in both: 64 bits of an ideal hash, from which SplitMix64 draws as many independent positions as there are
/// probes.
pub(super) struct IdealScheme<H>(pub(super) H);

/// The bits of an ideal filter.
pub(super) struct IdealFilter {
    words: Vec<u64>,
    bits: u64,
    probes: u8,
}

impl IdealFilter {
    /// Word and bit of each probe.
    fn places(&self, value: u64) -> impl Iterator<Item = (usize, u64)> + use<> {
        let mut generator = SplitMix64::seed_from_u64(value);
        let bits = u128::from(self.bits);
        (0..self.probes).map(move |_| {
            let position = ((u128::from(generator.next_u64()) * bits) >> 64) as u64;
            ((position / 64) as usize, 1 << (position % 64))
        })
    }
}

impl<H: Fn(&[u8]) -> u64> Contestant for IdealScheme<H> {
    type Value = u64;
    type Filter = IdealFilter;

    fn value(&self, key: &Key) -> u64 {
        (self.0)(key.bytes())
    }

    fn build(&self, bits_per_key: u32, members: &[u64]) -> Result<IdealFilter, String> {
        let bits_per_key = BitsPerKey::whole(bits_per_key);
        let bits = bits_per_key.filter_bits(members.len() as u64).map_err(words)?;
        let mut filter = IdealFilter {
            words: vec![0; bits.div_ceil(64) as usize],
            bits,
            probes: BloomFilter64Policy::new(bits_per_key)
                .probe_count(members.len())
                .map_err(words)?,
        };
        for &value in members {
            for (word, bit) in filter.places(value) {
                filter.words[word] |= bit;
            }
        }
        Ok(filter)
    }

    fn bytes(&self, filter: &IdealFilter) -> u64 {
        filter.bits.div_ceil(8)
    }

    fn matching(&self, filter: &IdealFilter, values: &[u64]) -> u64 {
        let matches = |&&value: &&u64| {
            filter
                .places(value)
                .all(|(word, bit)| filter.words[word] & bit != 0)
        };
        values.iter().filter(matches).count() as u64
    }

    fn prospect(&self, filter: &IdealFilter, _: u32, keys: u64) -> Result<Prospect, String> {
        let ideal = ideal(filter.bits, keys, filter.probes)?;
        Ok(Prospect {
            ideal,
            expected: ideal,
        })
    }
}

/// `BloomFilter64.Xxph3`.
pub(super) struct Bloom64;

impl Contestant for Bloom64 {
    type Value = u64;
    type Filter = Vec<u8>;

    fn value(&self, key: &Key) -> u64 {
        BloomFilter64Policy::hash(key.bytes())
    }

    fn build(&self, bits_per_key: u32, members: &[u64]) -> Result<Vec<u8>, String> {
        let policy = BloomFilter64Policy::new(BitsPerKey::whole(bits_per_key));
        let mut filter = Vec::new();
        policy
            .append_hashes(members.iter().copied(), &mut filter)
            .map_err(words)?;
        Ok(filter)
    }

    fn bytes(&self, filter: &Vec<u8>) -> u64 {
        filter.len() as u64
    }

    fn matching(&self, filter: &Vec<u8>, values: &[u64]) -> u64 {
        let view = BloomFilter64View::new(filter);
        count(values, |values, answers| view.may_match_hashes(values, answers))
    }

    fn prospect(&self, filter: &Vec<u8>, bits_per_key: u32, keys: u64) -> Result<Prospect, String> {
        let view = BloomFilter64View::new(filter);
        Ok(Prospect {
            ideal: ideal(view.bits(), keys, view.probe_count().unwrap_or(0))?,
            expected: best_ideal(bits_per_key, keys)?,
        })
    }
}

/// RocksDB's filters of 64 bits of hash.
#[derive(Clone, Copy)]
pub(super) enum RocksDb {
    FastLocalBloom,
    Ribbon,
}

impl Contestant for RocksDb {
    type Value = u64;
    type Filter = Vec<u8>;

    fn value(&self, key: &Key) -> u64 {
        FastLocalBloomPolicy::hash(key.bytes())
    }

    fn build(&self, bits_per_key: u32, members: &[u64]) -> Result<Vec<u8>, String> {
        let bits_per_key = RocksDbBitsPerKey::whole(bits_per_key);
        let members = members.iter().copied();
        let mut filter = Vec::new();
        match self {
            Self::FastLocalBloom => {
                FastLocalBloomPolicy::new(bits_per_key).append_hashes(members, &mut filter)
            }
            Self::Ribbon => RibbonPolicy::new(bits_per_key).append_hashes(members, &mut filter),
        }
        .map_err(words)?;
        Ok(filter)
    }

    fn bytes(&self, filter: &Vec<u8>) -> u64 {
        filter.len() as u64
    }

    fn matching(&self, filter: &Vec<u8>, values: &[u64]) -> u64 {
        let view = RocksDbFilterView::new(filter);
        count(values, |values, answers| view.may_match_hashes(values, answers))
    }

    fn prospect(&self, filter: &Vec<u8>, bits_per_key: u32, keys: u64) -> Result<Prospect, String> {
        let format = match self {
            Self::FastLocalBloom => Format::FastLocalBloom,
            Self::Ribbon => Format::Ribbon,
        };
        let view = RocksDbFilterView::new(filter);
        Ok(Prospect {
            ideal: match view.probe_count() {
                Some(probes) => ideal(view.bits(), keys, probes)?,
                None => best_ideal(bits_per_key, keys)?,
            },
            expected: format
                .rate(keys, BitsPerKey::whole(bits_per_key))
                .map_err(words)?,
        })
    }
}

/// RocksDB's filter up to format version 4.
pub(super) struct LegacyFull;

impl Contestant for LegacyFull {
    /// The number: this filter is asked by key alone.
    type Value = u64;
    type Filter = Vec<u8>;

    fn value(&self, key: &Key) -> u64 {
        key.number()
    }

    fn build(&self, bits_per_key: u32, members: &[u64]) -> Result<Vec<u8>, String> {
        let hash = |&number: &u64| LegacyFullFilterPolicy::hash(Key::decimal(number, 1).bytes());
        let mut filter = Vec::new();
        LegacyFullFilterPolicy::new(RocksDbBitsPerKey::whole(bits_per_key))
            .append_hashes(members.iter().map(hash), &mut filter)
            .map_err(words)?;
        Ok(filter)
    }

    fn bytes(&self, filter: &Vec<u8>) -> u64 {
        filter.len() as u64
    }

    fn matching(&self, filter: &Vec<u8>, values: &[u64]) -> u64 {
        let view = RocksDbFilterView::new(filter);
        let matches = |&&number: &&u64| view.may_match(Key::decimal(number, 1).bytes());
        values.iter().filter(matches).count() as u64
    }

    fn prospect(&self, filter: &Vec<u8>, _: u32, keys: u64) -> Result<Prospect, String> {
        let view = RocksDbFilterView::new(filter);
        let ideal = ideal(view.bits(), keys, view.probe_count().unwrap_or(0))?;
        Ok(Prospect {
            ideal,
            expected: ideal,
        })
    }
}
