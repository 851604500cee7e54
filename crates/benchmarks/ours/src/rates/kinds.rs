//! Kinds of filters, of engines and for applications.
//!
//! Keys are hashed once for all bits per key: filters are built from hash values and queried with them.

use std::fmt::Display;
use std::sync::Mutex;

use bench_kit::suites::rates::IDEAL;
use filter_formats::policies::{self, AnyPolicy, NamedPolicy};
use filter_formats::sizing::{self, Format};
use filter_formats::view::{FilterLayout, FilterView};
use filter_policy::hashers::{LevelDbHash, Murmur2SignedTail};
use filter_policy::{BitsPerKey, FilterPolicy as _, HashValue, KeyHash};
use guava_bloom::{BloomFilter, Hash128, Parameters, Strategy, StreamHeader};
use membership_filters::{
    CounterWidth, CountingBloomFilter, CuckooFilter, CuckooParameters, ErrorKind, GrowingBloomFilter,
    GrowingParameters,
};

/// The hash value of a key; values of 32 and of 64 bits are in its first half.
pub(super) type Value = Hash128;

/// A filter that was built.
pub(super) struct Filter {
    /// Bytes of the stored filter.
    pub(super) bytes: u64,
    /// The bits and probes of an array that is probed; `None` for other filters.
    probed: Option<(u64, u32)>,
    /// The rate by the filter's own formula, if it is neither the ideal one nor that of a format.
    expected: Option<f64>,
    /// Counts the values that match.
    pub(super) matching: Matching,
}

type Matching = Box<dyn Fn(&[Value]) -> u64>;
type Hash = Box<dyn Fn(&[u8]) -> Value>;

/// Builds a filter from its rate and its members.
type Make = fn(f64, &[Value]) -> Result<Filter, String>;

/// A line of the charts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Series {
    /// Name in the records.
    pub(super) name: &'static str,
    pub(super) is_in_a_row: bool,
    /// The hash function, if it is not the filter's own.
    hash: Option<fn(&[u8]) -> u64>,
    kind: Kind,
}

/// A kind of filter.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Policy(NamedPolicy),
    /// A filter for applications, with the largest number of keys of a filter.
    Application(Make, u64),
}

/// The functions of `hashzoo` that are measured in LevelDB's scheme.
const FUNCTIONS: [&str; 6] = ["XXH3", "DJB2Hash", "SDBMHash", "FNVHash", "PJW", "BPHash"];

/// Counting filters have Guava's positions and so its rates, and the last links of growing filters are all alike; both
/// take long to build.
const SLOW: u64 = 4_000_000;

#[rustfmt::skip]
const APPLICATIONS: [(&str, Make, u64); 5] = [
    ("Guava, MITZ_64", |rate, members| guava(rate, members, Strategy::Murmur128Mitz64), u64::MAX),
    ("Guava, MITZ_32", |rate, members| guava(rate, members, Strategy::Murmur128Mitz32), u64::MAX),
    ("counting", counting, SLOW),
    ("cuckoo", cuckoo, u64::MAX),
    ("growing", growing, SLOW),
];

/// Returns all series: the list of policies, hash functions, and filters for applications.
///
/// Three have no series: `BloomFilter2.SignedTail`, which equals `BloomFilter2` on ASCII keys; prefix policies, to
/// which prefixes are keys; and the designs in Redis, which use Guava's positions.
pub(super) fn all() -> Vec<Series> {
    let series = |name, hash, kind| Series {
        name,
        is_in_a_row: false,
        hash,
        kind,
    };
    let policies = policies::ALL.iter();
    let mut all: Vec<Series> = policies
        .filter(|known| known.name() != Murmur2SignedTail::POLICY_NAME)
        .map(|&known| series(known.name(), None, Kind::Policy(known)))
        .collect();
    let of_leveldb = all.iter().find(|series| series.name == LevelDbHash::POLICY_NAME);
    if let Some(&of_leveldb) = of_leveldb {
        let ideal: fn(&[u8]) -> u64 = |key| hashzoo::siphash24(b"the ideal hash 1", key);
        let functions = FUNCTIONS
            .iter()
            .filter_map(|name| Some((*name, hashzoo::find(name)?.hash)));
        for (name, hash) in [(IDEAL, ideal)].into_iter().chain(functions) {
            all.push(series(name, Some(hash), of_leveldb.kind));
        }
        let applications = APPLICATIONS.into_iter();
        all.extend(
            applications.map(|(name, make, largest)| series(name, None, Kind::Application(make, largest))),
        );
        let is_in_a_row = true;
        all.push(Series {
            is_in_a_row,
            ..of_leveldb
        });
    }
    all
}

impl Series {
    /// Returns the mapping of hash values to bits: LevelDB's, or one of the kind's own.
    pub(super) fn scheme(&self) -> &'static str {
        match self.kind {
            Kind::Policy(known) if known.layout() == FilterLayout::LEVEL_DB => "leveldb",
            _ => "own",
        }
    }

    /// Returns the number of keys of the largest filter.
    pub(super) fn largest(&self) -> u64 {
        match self.kind {
            Kind::Application(_, largest) => largest,
            Kind::Policy(_) => u64::MAX,
        }
    }

    /// Returns the function that hashes keys.
    pub(super) fn hasher(&self) -> Hash {
        let value = |h1| Value { h1, h2: 0 };
        match (self.hash, self.kind) {
            (Some(hash), _) => Box::new(move |key| value(hash(key))),
            (None, Kind::Application(..)) => Box::new(Hash128::of),
            (None, Kind::Policy(known)) => {
                let policy = known.build(BitsPerKey::whole(10));
                Box::new(move |key| match policy.key_hash(key) {
                    Some(KeyHash::Bits32(hash)) => value(hash.into()),
                    Some(KeyHash::Bits64(hash)) => value(hash),
                    None => value(0),
                })
            }
        }
    }

    /// Builds a filter from at least one value.
    ///
    /// # Errors
    ///
    /// If there is no memory for it.
    pub(super) fn build(&self, bits_per_key: u32, members: &[Value]) -> Result<Filter, String> {
        let known = match self.kind {
            Kind::Policy(known) => known,
            Kind::Application(make, _) => {
                // All are sized by the best rate that the bits allow.
                let best = sizing::Textbook::BEST.rate_at(f64::from(bits_per_key));
                return make(best.map_err(words)?, members);
            }
        };
        let policy = known.build(BitsPerKey::whole(bits_per_key));
        let (filter, matching) = match policy.key_hash(b"") {
            Some(KeyHash::Bits32(_)) => stored(policy, members, |hash| hash as u32),
            _ => stored(policy, members, |hash| hash),
        }?;
        let view = FilterView::new(known.layout(), &filter);
        Ok(Filter {
            bytes: filter.len() as u64,
            probed: view.probe_count().map(|probes| (view.bits(), probes.into())),
            expected: None,
            matching,
        })
    }

    /// Returns the rate of an ideal Bloom filter, and the rate by the filter's own formula: the columns `ideal` and
    /// `expected` of [`SUITE`](bench_kit::suites::rates::SUITE).
    pub(super) fn rates(&self, filter: &Filter, bits_per_key: u32, keys: u64) -> Result<[f64; 2], String> {
        let of = |format| rate_of(format, bits_per_key, keys);
        let ideal = match filter.probed {
            Some((bits, probes)) => {
                let probes = u8::try_from(probes).map_err(words)?;
                sizing::exact_rate(bits, keys, probes).map_err(words)?
            }
            None => of(Format::BLOOM64)?,
        };
        let format = match self.kind {
            Kind::Policy(known) => known.format(),
            Kind::Application(..) => None,
        };
        let of_format = format.map(of).transpose()?;
        Ok([ideal, filter.expected.or(of_format).unwrap_or(ideal)])
    }
}

/// Returns the rate of a stored format. LevelDB's rate takes long to count and is needed for every hash function, so
/// it is counted once, as are the others.
fn rate_of(format: Format, bits_per_key: u32, keys: u64) -> Result<f64, String> {
    type Counted = Vec<((Format, u32, u64), f64)>;
    static COUNTED: Mutex<Counted> = Mutex::new(Vec::new());
    let case = (format, bits_per_key, keys);
    let mut counted = COUNTED.lock().map_err(words)?;
    if let Some((_, known)) = counted.iter().find(|(known, _)| *known == case) {
        return Ok(*known);
    }
    let rate = format
        .rate(keys, BitsPerKey::whole(bits_per_key))
        .map_err(words)?;
    counted.push((case, rate));
    Ok(rate)
}

fn words(error: impl Display) -> String {
    error.to_string()
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
        probed: Some((filter.bits(), filter.probe_count().into())),
        expected: None,
        matching: counter(move |hash| filter.might_contain_hash(hash)),
    })
}

/// The counting filter with counters of four bits.
fn counting(rate: f64, members: &[Value]) -> Result<Filter, String> {
    let parameters = parameters(rate, members)?;
    let mut filter = CountingBloomFilter::new((), &parameters, CounterWidth::FOUR).map_err(words)?;
    for &hash in members {
        filter.insert_hash(hash);
    }
    Ok(Filter {
        bytes: filter.stored_len(),
        probed: Some((filter.counters(), filter.probe_count().into())),
        expected: None,
        matching: counter(move |hash| filter.might_contain_hash(hash)),
    })
}

fn cuckoo(rate: f64, members: &[Value]) -> Result<Filter, String> {
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
        probed: None,
        expected: Some(expected),
        matching: counter(move |hash| filter.might_contain_hash(hash)),
    })
}

/// The growing filter, at first sized for a tenth of the keys.
fn growing(rate: f64, members: &[Value]) -> Result<Filter, String> {
    let parameters = GrowingParameters::new(members.len() as u64 / 10, rate).map_err(words)?;
    let mut filter = GrowingBloomFilter::new((), &parameters).map_err(words)?;
    for &hash in members {
        filter.insert_hash(hash).map_err(words)?;
    }
    Ok(Filter {
        bytes: filter.stored_len(),
        probed: None,
        expected: Some(filter.parameters().false_positive_rate()),
        matching: counter(move |hash| filter.might_contain_hash(hash)),
    })
}
