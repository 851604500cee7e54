//! Kinds of filters, of engines and for applications, all built from keys and asked for keys.

use std::fmt::Display;

use bench_kit::suites::rates::IDEAL;
use filter_formats::Format;
use filter_formats::policies::{self, AnyPolicy};
use filter_formats::sizing;
use filter_formats::view::FilterView;
use filter_policy::leveldb::{KeyHasher, Murmur2SignedTail};
use filter_policy::{Answers, BitsPerKey, BloomFilterPolicy};
use membership_filters::guava::{BloomFilter, Parameters, Strategy};
use membership_filters::redisbloom::{BloomFilter as RedisBloomFilter, Parameters as RedisBloomParameters};
use membership_filters::{Bytes, CuckooFilter, CuckooParameters, ErrorKind};

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

/// Filters of one kind.
pub(super) struct Series {
    /// Name in the records.
    pub(super) name: &'static str,
    kind: Kind,
}

/// A kind of filter.
enum Kind {
    /// A policy for bits per key, and its format.
    Policy(Box<dyn Fn(BitsPerKey) -> AnyPolicy + Sync>, Format),
    /// A filter for applications.
    Application(Make),
}

/// An ideal hash in LevelDB's scheme.
#[derive(Clone, Copy)]
struct Ideal;

impl KeyHasher for Ideal {
    fn hash(&self, key: &[u8]) -> u32 {
        hashzoo::siphash24(b"the ideal hash 1", key) as u32
    }

    /// No filter is stored.
    fn policy_name(&self) -> &str {
        ""
    }
}

#[rustfmt::skip]
const APPLICATIONS: [(&str, Make); 4] = [
    ("Guava, MITZ_64", |rate, members| guava(rate, members, Strategy::Murmur128Mitz64)),
    ("Guava, MITZ_32", |rate, members| guava(rate, members, Strategy::Murmur128Mitz32)),
    ("cuckoo", cuckoo),
    ("redisbloom", redisbloom),
];

/// Returns all series: the list of policies, the ideal hash, and filters for applications.
///
/// Some have no series: `BloomFilter2.SignedTail`, which equals `BloomFilter2` on ASCII keys; prefix policies, to
/// which prefixes are keys; and counting filters and the designs in Redis, which use Guava's positions.
pub(super) fn all() -> Vec<Series> {
    let policies = policies::ALL.iter();
    let policies = policies.filter(|known| known.name() != Murmur2SignedTail::POLICY_NAME);
    let policies = policies.map(|known| {
        let kind = Kind::Policy(Box::new(|bits| known.policy(bits)), known.format());
        (known.name(), kind)
    });
    let ideal = |bits| -> AnyPolicy { Box::new(BloomFilterPolicy::with_hasher(Ideal, bits)) };
    let ideal = (IDEAL, Kind::Policy(Box::new(ideal), Format::LEVEL_DB));
    let applications = APPLICATIONS.map(|(name, make)| (name, Kind::Application(make)));
    let kinds = policies.chain([ideal]).chain(applications);
    kinds.map(|(name, kind)| Series { name, kind }).collect()
}

impl Series {
    /// Builds a filter from at least one key.
    ///
    /// # Errors
    ///
    /// If there is no memory for it.
    pub(super) fn build(&self, bits_per_key: u32, members: &[&[u8]]) -> Result<Filter, String> {
        match &self.kind {
            Kind::Policy(build, format) => stored(build(BitsPerKey::whole(bits_per_key)), *format, members),
            // All are sized by the best rate that the bits allow.
            Kind::Application(make) => {
                let best = sizing::Textbook::BEST.rate_at(f64::from(bits_per_key));
                make(best.map_err(words)?, members)
            }
        }
    }

    /// Returns the rate of an ideal Bloom filter, and the rate by the filter's own formula: the columns `ideal` and
    /// `expected` of [`SUITE`](bench_kit::suites::rates::SUITE).
    pub(super) fn rates(&self, filter: &Filter, bits_per_key: u32, keys: u64) -> Result<[f64; 2], String> {
        let of = |format: Format| {
            let rate = format.expected_rate(keys, BitsPerKey::whole(bits_per_key));
            rate.map_err(words)
        };
        let ideal = match filter.probed {
            Some((bits, probes)) => sizing::exact_rate(bits, keys, probes).map_err(words)?,
            None => of(Format::BLOOM64)?,
        };
        let expected = match self.kind {
            Kind::Policy(_, format) => of(format)?,
            Kind::Application(_) => filter.expected.unwrap_or(ideal),
        };
        Ok([ideal, expected])
    }
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

/// Guava's filter.
fn guava(rate: f64, members: &[&[u8]], strategy: Strategy) -> Result<Filter, String> {
    let parameters = Parameters::new(members.len() as u64, rate).map_err(words)?;
    let parameters = parameters.strategy(strategy);
    let mut filter = BloomFilter::new(Bytes, &parameters).map_err(words)?;
    for key in members {
        filter.insert(key);
    }
    Ok(Filter {
        bytes: filter.guava_len(),
        probed: Some((filter.bits(), filter.probe_count())),
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
