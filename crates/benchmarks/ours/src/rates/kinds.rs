//! Kinds of filters, of engines and for applications, all built from keys and asked for keys.

use std::fmt::Display;
use std::sync::Mutex;

use bench_kit::suites::rates::IDEAL;
use filter_formats::Format;
use filter_formats::policies::{self, AnyPolicy, NamedPolicy};
use filter_formats::sizing;
use filter_formats::view::FilterView;
use filter_policy::hashers::{KeyHasher, LevelDbHash, Murmur2SignedTail};
use filter_policy::{Answers, BitsPerKey, BloomFilterPolicy};
use membership_filters::{BloomFilter, Bytes, Parameters, Strategy, StreamHeader};
use membership_filters::{
    CountingBloomFilter, CuckooFilter, CuckooParameters, ErrorKind, RedisBloomFilter, RedisBloomParameters,
};

/// A filter that was built.
pub(super) struct Filter {
    /// Bytes of the stored filter.
    pub(super) bytes: u64,
    /// The bits and probes of an array that is probed; `None` for other filters.
    probed: Option<(u64, u32)>,
    /// The rate by the filter's own formula, if it is neither the ideal one nor that of a format.
    expected: Option<f64>,
    /// Counts the keys that match.
    pub(super) matching: Matching,
}

type Matching = Box<dyn Fn(&[&[u8]]) -> u64>;

/// Builds a filter from its rate and its members.
type Make = fn(f64, &[&[u8]]) -> Result<Filter, String>;

/// A line of the charts.
#[derive(Clone, Copy)]
pub(super) struct Series {
    /// Name in the records.
    pub(super) name: &'static str,
    pub(super) is_in_a_row: bool,
    kind: Kind,
}

/// A kind of filter.
#[derive(Clone, Copy)]
enum Kind {
    Policy(NamedPolicy),
    /// LevelDB's filters with another hash function.
    Function(Function),
    /// A filter for applications, with the largest number of keys of a filter.
    Application(Make, u64),
}

/// A hash function in LevelDB's scheme, which takes its lower 32 bits.
#[derive(Clone, Copy)]
struct Function(fn(&[u8]) -> u64);

impl KeyHasher for Function {
    fn hash(&self, key: &[u8]) -> u32 {
        (self.0)(key) as u32
    }

    /// No filter is stored.
    fn policy_name(&self) -> &str {
        ""
    }
}

/// The functions of `hashzoo` that are measured in LevelDB's scheme.
const FUNCTIONS: [&str; 6] = ["XXH3", "DJB2Hash", "SDBMHash", "FNVHash", "PJW", "BPHash"];

/// Counting filters have Guava's positions and so its rates, and take long to build.
const SLOW: u64 = 4_000_000;

#[rustfmt::skip]
const APPLICATIONS: [(&str, Make, u64); 5] = [
    ("Guava, MITZ_64", |rate, members| guava(rate, members, Strategy::Murmur128Mitz64), u64::MAX),
    ("Guava, MITZ_32", |rate, members| guava(rate, members, Strategy::Murmur128Mitz32), u64::MAX),
    ("counting", counting, SLOW),
    ("cuckoo", cuckoo, u64::MAX),
    ("redisbloom", redisbloom, u64::MAX),
];

/// Returns all series: the list of policies, hash functions, filters for applications, and LevelDB's policy with keys in
/// a row.
///
/// Three have no series: `BloomFilter2.SignedTail`, which equals `BloomFilter2` on ASCII keys; prefix policies, to
/// which prefixes are keys; and the designs in Redis, which use Guava's positions.
pub(super) fn all() -> Vec<Series> {
    let policies = policies::ALL.iter();
    let policies = policies.filter(|known| known.name() != Murmur2SignedTail::POLICY_NAME);
    let policies = policies.map(|known| (known.name(), Kind::Policy(*known)));
    let ideal = Function(|key| hashzoo::siphash24(b"the ideal hash 1", key));
    let functions = FUNCTIONS.iter().filter_map(|name| {
        let found = hashzoo::find(name)?;
        Some((*name, Kind::Function(Function(found.hash))))
    });
    let applications = APPLICATIONS.map(|(name, make, largest)| (name, Kind::Application(make, largest)));
    let kinds = policies.chain([(IDEAL, Kind::Function(ideal))]);
    let series = kinds
        .chain(functions)
        .chain(applications)
        .map(|(name, kind)| Series {
            name,
            is_in_a_row: false,
            kind,
        });
    let mut all: Vec<Series> = series.collect();
    let of_leveldb = all.iter().find(|series| series.name == LevelDbHash::POLICY_NAME);
    all.extend(of_leveldb.copied().map(|series| Series {
        is_in_a_row: true,
        ..series
    }));
    all
}

impl Series {
    /// Returns the mapping of hash values to bits: LevelDB's, or one of the kind's own.
    pub(super) fn scheme(&self) -> &'static str {
        match self.kind {
            Kind::Policy(known) if known.format() != Format::LEVEL_DB => "own",
            Kind::Application(..) => "own",
            _ => "leveldb",
        }
    }

    /// Returns the number of keys of the largest filter.
    pub(super) fn largest(&self) -> u64 {
        match self.kind {
            Kind::Application(_, largest) => largest,
            _ => u64::MAX,
        }
    }

    /// Builds a filter from at least one key.
    ///
    /// # Errors
    ///
    /// If there is no memory for it.
    pub(super) fn build(&self, bits_per_key: u32, members: &[&[u8]]) -> Result<Filter, String> {
        let bits = BitsPerKey::whole(bits_per_key);
        match self.kind {
            Kind::Policy(known) => stored(known.policy(bits), known.format(), members),
            Kind::Function(function) => {
                let policy = BloomFilterPolicy::with_hasher(function, bits);
                stored(Box::new(policy), Format::LEVEL_DB, members)
            }
            // All are sized by the best rate that the bits allow.
            Kind::Application(make, _) => {
                let best = sizing::Textbook::BEST.rate_at(f64::from(bits_per_key));
                make(best.map_err(words)?, members)
            }
        }
    }

    /// Returns the rate of an ideal Bloom filter, and the rate by the filter's own formula: the columns `ideal` and
    /// `expected` of [`SUITE`](bench_kit::suites::rates::SUITE).
    pub(super) fn rates(&self, filter: &Filter, bits_per_key: u32, keys: u64) -> Result<[f64; 2], String> {
        let of = |format| rate_of(format, bits_per_key, keys);
        let ideal = match filter.probed {
            Some((bits, probes)) => sizing::exact_rate(bits, keys, probes).map_err(words)?,
            None => of(Format::BLOOM64)?,
        };
        let format = match self.kind {
            Kind::Policy(known) => Some(known.format()),
            Kind::Function(_) => Some(Format::LEVEL_DB),
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
        .expected_rate(keys, BitsPerKey::whole(bits_per_key))
        .map_err(words)?;
    counted.push((case, rate));
    Ok(rate)
}

fn words(error: impl Display) -> String {
    error.to_string()
}

/// Builds the filter of a policy.
fn stored(policy: AnyPolicy, layout: Format, members: &[&[u8]]) -> Result<Filter, String> {
    let mut filter = Vec::new();
    policy.append_filter(members, &mut filter).map_err(words)?;
    let view = FilterView::new(layout, &filter);
    Ok(Filter {
        bytes: filter.len() as u64,
        probed: view.probe_count().map(|probes| (view.bits(), probes)),
        expected: None,
        matching: Box::new(move |keys| {
            let mut words = vec![0; Answers::words_for(keys.len())];
            let mut answers = Answers::new(&mut words);
            let asked = policy.prepare(&filter).may_match_many(keys, &mut answers);
            asked.expect("there are words for all keys");
            answers.matches()
        }),
    })
}

fn counter(matches: impl Fn(&[u8]) -> bool + 'static) -> Matching {
    Box::new(move |keys| keys.iter().filter(|key| matches(key)).count() as u64)
}

fn parameters(rate: f64, members: &[&[u8]]) -> Result<Parameters, String> {
    Parameters::new(members.len() as u64, rate).map_err(words)
}

/// Guava's filter.
fn guava(rate: f64, members: &[&[u8]], strategy: Strategy) -> Result<Filter, String> {
    let parameters = parameters(rate, members)?.with_strategy(strategy);
    let mut filter = BloomFilter::new(Bytes, &parameters).map_err(words)?;
    for key in members {
        filter.insert(key);
    }
    Ok(Filter {
        bytes: StreamHeader::LEN as u64 + filter.words().len() as u64 * 8,
        probed: Some((filter.bits(), filter.probe_count())),
        expected: None,
        matching: counter(move |key| filter.contains(key)),
    })
}

fn counting(rate: f64, members: &[&[u8]]) -> Result<Filter, String> {
    let parameters = parameters(rate, members)?;
    let mut filter = CountingBloomFilter::new(Bytes, &parameters).map_err(words)?;
    for key in members {
        filter.insert(key);
    }
    Ok(Filter {
        bytes: filter.stored_len(),
        probed: Some((filter.counters(), filter.probe_count())),
        expected: None,
        matching: counter(move |key| filter.contains(key)),
    })
}

fn cuckoo(rate: f64, members: &[&[u8]]) -> Result<Filter, String> {
    let parameters = CuckooParameters::new(members.len() as u64, rate).map_err(words)?;
    let mut filter = CuckooFilter::new(Bytes, &parameters).map_err(words)?;
    for key in members {
        match filter.insert(key) {
            // With narrow fingerprints one filter in thousands refuses a key. Leaving the key out does not change the
            // rate.
            Err(error) if ![ErrorKind::Full, ErrorKind::TooManyCopies].contains(&error.kind()) => {
                return Err(words(error));
            }
            _ => {}
        }
    }
    let expected = filter.parameters().rate_at(members.len() as u64);
    Ok(Filter {
        bytes: filter.stored_len(),
        probed: None,
        expected: Some(expected),
        matching: counter(move |key| filter.contains(key)),
    })
}

/// RedisBloom's filter of one link.
fn redisbloom(rate: f64, members: &[&[u8]]) -> Result<Filter, String> {
    let parameters = RedisBloomParameters::new(members.len() as u64, rate).non_scaling();
    let link = parameters.first_link().map_err(words)?;
    let mut filter = RedisBloomFilter::new(&parameters).map_err(words)?;
    filter.insert_many(members).map_err(words)?;
    Ok(Filter {
        bytes: filter.chunks().map(|(_, bytes)| bytes.len() as u64).sum(),
        probed: Some((link.bits, link.probe_count)),
        expected: None,
        matching: counter(move |key| filter.contains(key)),
    })
}
