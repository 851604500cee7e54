//! Kinds of filters, of engines and for applications.
//!
//! Keys are hashed once for all bits per key: filters are built from hash values and queried with them.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Mutex;

use bench_kit::suites::rates::IDEAL;
use filter_formats::policies::{self, AnyPolicy, NamedPolicy};
use filter_formats::sizing::{self, Format};
use filter_formats::view::{FilterLayout, FilterView};
use filter_policy::hashers::{KeyHasher, LevelDbHash, Murmur2SignedTail};
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy as _, HashValue, KeyHash};
use guava_bloom::{BloomFilter, Hash128, Parameters, Strategy, StreamHeader};
use membership_filters::{
    CounterWidth, CountingBloomFilter, CuckooFilter, CuckooParameters, ErrorKind, GrowingBloomFilter,
    GrowingParameters,
};

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
type Hash = Box<dyn Fn(&[u8]) -> Value>;

/// Builds a filter from its rate, its members and its bits per key.
type Make = fn(f64, &[Value], u32) -> Result<Filter, String>;

/// A line of the charts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Series {
    /// Name in the records.
    pub(super) name: &'static str,
    pub(super) is_in_a_row: bool,
    pub(super) kind: Kind,
}

/// A kind of filter.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Policy(NamedPolicy),
    /// A hash function in LevelDB's scheme.
    Function(fn(&[u8]) -> u64),
    /// A filter for applications, with the largest number of keys of a filter.
    Application(Make, u64),
}

/// The functions of `hashzoo` that are measured in LevelDB's scheme.
const FUNCTIONS: [&str; 6] = ["XXH3", "DJB2Hash", "SDBMHash", "FNVHash", "PJW", "BPHash"];

/// Counting filters have Guava's positions and so its rates, and the last links of growing filters are all alike; both
/// take long to build.
const SLOW: u64 = 4_000_000;

const APPLICATIONS: [(&str, Make, u64); 5] = [
    (
        "Guava, MITZ_64",
        |rate, members, _| guava(rate, members, Strategy::Murmur128Mitz64),
        u64::MAX,
    ),
    (
        "Guava, MITZ_32",
        |rate, members, _| guava(rate, members, Strategy::Murmur128Mitz32),
        u64::MAX,
    ),
    ("counting", counting, SLOW),
    ("cuckoo", cuckoo, u64::MAX),
    ("growing", growing, SLOW),
];

/// Returns all series: the list of policies, hash functions, and filters for applications.
///
/// Three have no series: `BloomFilter2.SignedTail`, which equals `BloomFilter2` on ASCII keys; prefix policies, to
/// which prefixes are keys; and the designs in Redis, which use Guava's positions.
pub(super) fn all() -> Vec<Series> {
    let series = |name, kind| Series {
        name,
        is_in_a_row: false,
        kind,
    };
    let policies = policies::ALL
        .iter()
        .map(|&known| series(known.name(), Kind::Policy(known)));
    let ideal: fn(&[u8]) -> u64 = |key| hashzoo::siphash24(b"the ideal hash 1", key);
    let mut all: Vec<Series> = policies
        .filter(|series| series.name != Murmur2SignedTail::POLICY_NAME)
        .chain([series(IDEAL, Kind::Function(ideal))])
        .chain(
            (FUNCTIONS.iter())
                .filter_map(|name| Some(series(name, Kind::Function(hashzoo::find(name)?.hash)))),
        )
        .chain(APPLICATIONS.map(|(name, make, largest)| series(name, Kind::Application(make, largest))))
        .collect();
    let of_leveldb = all.iter().find(|series| series.name == LevelDbHash::POLICY_NAME);
    all.extend(of_leveldb.map(|&series| Series {
        is_in_a_row: true,
        ..series
    }));
    all
}

/// A hash function in LevelDB's scheme.
struct Function(fn(&[u8]) -> u64);

impl KeyHasher for Function {
    fn hash(&self, key: &[u8]) -> u32 {
        (self.0)(key) as u32
    }

    fn policy_name(&self) -> &str {
        "function"
    }
}

impl Kind {
    /// Returns the mapping of hash values to bits: LevelDB's, or one of the kind's own.
    pub(super) fn scheme(&self) -> &'static str {
        match self {
            Self::Policy(known) if known.layout() != FilterLayout::LEVEL_DB => "own",
            Self::Policy(_) | Self::Function(_) => "leveldb",
            Self::Application(..) => "own",
        }
    }

    /// Returns the number of keys of the largest filter.
    pub(super) fn largest(&self) -> u64 {
        match self {
            Self::Application(_, largest) => *largest,
            _ => u64::MAX,
        }
    }

    /// Returns the policy with its layout and its format; `None` for a filter that is no policy.
    fn policy(&self, bits_per_key: u32) -> Option<(AnyPolicy, FilterLayout, Option<Format>)> {
        let bits = BitsPerKey::whole(bits_per_key);
        match *self {
            Self::Policy(known) => Some((known.build(bits), known.layout(), known.format())),
            Self::Function(hash) => {
                let policy = BloomFilterPolicy::with_hasher(Function(hash), bits);
                Some((Box::new(policy), FilterLayout::LEVEL_DB, Some(Format::LEVEL_DB)))
            }
            Self::Application(..) => None,
        }
    }

    /// Returns the function that hashes keys.
    pub(super) fn hasher(&self) -> Hash {
        let Some((policy, ..)) = self.policy(10) else {
            return Box::new(Hash128::of);
        };
        Box::new(move |key| {
            let h1 = match policy.key_hash(key) {
                Some(KeyHash::Bits32(hash)) => hash.into(),
                Some(KeyHash::Bits64(hash)) => hash,
                None => 0,
            };
            Value { h1, h2: 0 }
        })
    }

    /// Builds a filter from at least one value.
    ///
    /// # Errors
    ///
    /// If there is no such filter, or no memory for it.
    pub(super) fn build(&self, bits_per_key: u32, members: &[Value]) -> Result<Filter, String> {
        if let Self::Application(make, _) = self {
            // All are sized by the best rate that the bits allow.
            let best = sizing::Textbook::BEST.rate_at(f64::from(bits_per_key));
            return make(best.map_err(words)?, members, bits_per_key);
        }
        let (policy, layout, format) = self.policy(bits_per_key).ok_or("it is no policy")?;
        let (filter, matching) = match policy.key_hash(b"") {
            Some(KeyHash::Bits32(_)) => stored(policy, members, |hash| hash as u32),
            _ => stored(policy, members, |hash| hash),
        }?;
        let (view, keys) = (FilterView::new(layout, &filter), members.len());
        let (bits, probes) = (view.bits(), view.probe_count());
        Ok(Filter {
            bytes: filter.len() as u64,
            rates: Box::new(move || {
                let ideal = match probes {
                    Some(probes) => ideal_rate(bits, keys, probes)?,
                    // A filter without probes.
                    None => rate_of(Format::BLOOM64, bits_per_key, keys)?,
                };
                // Without a formula, the ideal one.
                let expected = format.map(|format| rate_of(format, bits_per_key, keys));
                Ok([ideal, expected.unwrap_or(Ok(ideal))?])
            }),
            matching,
        })
    }
}

fn words(error: impl Display) -> String {
    error.to_string()
}

/// Returns the exact rate of an ideal filter.
fn ideal_rate(bits: u64, keys: usize, probes: u8) -> Result<f64, String> {
    sizing::exact_rate(bits, keys as u64, probes).map_err(words)
}

/// Returns the rates of a filter whose own formula is the ideal one.
fn as_ideal(bits: u64, keys: usize, probes: u32) -> Rates {
    Box::new(move || {
        let probes = u8::try_from(probes).map_err(words)?;
        ideal_rate(bits, keys, probes).map(|rate| [rate; 2])
    })
}

/// Returns the rates of a filter with a formula that is compared with the best ideal filter of these bits per key.
fn beside_ideal(bits_per_key: u32, keys: usize, expected: f64) -> Rates {
    Box::new(move || Ok([rate_of(Format::BLOOM64, bits_per_key, keys)?, expected]))
}

/// Returns the rate of a stored format. LevelDB's rate takes long to count and is needed for every hash function, so
/// each is counted once.
fn rate_of(format: Format, bits_per_key: u32, keys: usize) -> Result<f64, String> {
    static COUNTED: Mutex<BTreeMap<(u32, usize), f64>> = Mutex::new(BTreeMap::new());
    let rate = || {
        let bits_per_key = BitsPerKey::whole(bits_per_key);
        format.rate(keys as u64, bits_per_key).map_err(words)
    };
    if format != Format::LEVEL_DB {
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

/// Builds the filter of a policy with these hash values.
fn stored<H: HashValue + 'static>(
    policy: AnyPolicy,
    members: &[Value],
    hash: fn(u64) -> H,
) -> Result<(Vec<u8>, Matching), String> {
    let hashes = move |values: &[Value]| values.iter().map(|value| hash(value.h1)).collect::<Vec<H>>();
    let mut filter = vec![0; policy.max_filter_len(members.len()).map_err(words)?];
    let created = policy.create_from_hashes(H::hashes(&hashes(members)), &mut filter);
    let len = created.map_err(words)?.len();
    filter.truncate(len);
    let copy = filter.clone();
    let matching = move |values: &[Value]| {
        let prepared = policy.prepare(&copy);
        let mut answers = [0; TOGETHER / 64];
        let count = |values: &[Value]| {
            let asked = prepared.may_match_hashes(&hashes(values), &mut answers);
            asked.expect("there are words for all values");
            let words = &answers[..values.len().div_ceil(64)];
            words.iter().map(|word| u64::from(word.count_ones())).sum::<u64>()
        };
        values.chunks(TOGETHER).map(count).sum()
    };
    Ok((filter, Box::new(matching)))
}

fn counter(matches: impl Fn(Value) -> bool + 'static) -> Matching {
    Box::new(move |values| values.iter().filter(|value| matches(**value)).count() as u64)
}

fn parameters(rate: f64, members: &[Value]) -> Result<Parameters, String> {
    Parameters::new(members.len() as u64, rate).map_err(words)
}

/// Guava's filter.
fn guava(rate: f64, members: &[Value], strategy: Strategy) -> Result<Filter, String> {
    let parameters = parameters(rate, members)?.with_strategy(strategy);
    let mut filter = BloomFilter::new((), &parameters).map_err(words)?;
    for &hash in members {
        filter.insert_hash(hash);
    }
    Ok(Filter {
        bytes: StreamHeader::LEN as u64 + filter.words().len() as u64 * 8,
        rates: as_ideal(filter.bits(), members.len(), filter.probe_count().into()),
        matching: counter(move |hash| filter.might_contain_hash(hash)),
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
        rates: as_ideal(filter.counters(), members.len(), filter.probe_count().into()),
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
    let expected = filter.parameters().false_positive_rate_at(members.len() as u64);
    Ok(Filter {
        bytes: filter.stored_len(),
        rates: beside_ideal(bits_per_key, members.len(), expected),
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
    Ok(Filter {
        bytes: filter.stored_len(),
        rates: beside_ideal(
            bits_per_key,
            members.len(),
            filter.parameters().false_positive_rate(),
        ),
        matching: counter(move |hash| filter.might_contain_hash(hash)),
    })
}
