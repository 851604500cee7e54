//! Kinds of filters, of engines and for applications, all built from keys and queried for keys.

use bench_kit::suites::rates::IDEAL;
use filter_policy::leveldb::{KeyHasher, Murmur2SignedTail};
use filter_policy::policies::AnyPolicy;
use filter_policy::sizing;
use filter_policy::view::FilterView;
use filter_policy::{Answers, BitsPerKey, BloomFilterPolicy};
use filter_policy::{AnyFormat, formats};
use membership_filters::guava::{BloomFilter, Parameters, Strategy};
use membership_filters::redisbloom::{BloomFilter as RedisBloomFilter, Parameters as RedisBloomParameters};
use membership_filters::{Bytes, CuckooFilter, CuckooParameters, Error};

/// There is no memory for a filter, or it does not do what it must.
pub(super) type Failed = Box<dyn std::error::Error + Send + Sync>;

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

/// Counts the keys that match.
type Matching = Box<dyn Fn(&[&[u8]]) -> u64>;

/// Builds a filter from bits per key, or a rate, and at least one key.
type Build<By> = dyn Fn(By, &[&[u8]]) -> Result<Filter, Failed> + Sync;

/// Filters of one kind.
pub(super) struct Series {
    /// Name in the records.
    pub(super) name: &'static str,
    /// The format of a policy.
    format: Option<&'static dyn AnyFormat>,
    /// Builds a filter.
    pub(super) build: Box<Build<u32>>,
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

/// Filters for applications, built from a rate and keys.
#[rustfmt::skip]
static APPLICATIONS: [(&str, &Build<f64>); 4] = [
    ("Guava, MITZ_64", &|rate, members| guava(rate, members, Strategy::Murmur128Mitz64)),
    ("Guava, MITZ_32", &|rate, members| guava(rate, members, Strategy::Murmur128Mitz32)),
    ("cuckoo", &cuckoo),
    ("redisbloom", &redisbloom),
];

/// Returns all series: the list of policies, the ideal hash, and filters for applications.
///
/// Some have no series: `BloomFilter2.SignedTail`, which equals `BloomFilter2` on ASCII keys; prefix policies, to
/// which prefixes are keys; and counting filters and the designs in Redis, which use Guava's positions.
pub(super) fn all() -> Vec<Series> {
    let policies = formats::ALL.iter();
    let policies = policies.filter(|known| known.name() != Murmur2SignedTail::POLICY_NAME);
    let policies = policies.map(|known| of_policy(known.name(), *known, |bits| known.policy(bits)));
    let ideal = of_policy(IDEAL, formats::LEVEL_DB, |bits| {
        Box::new(BloomFilterPolicy::with_hasher(Ideal, bits))
    });
    let applications = APPLICATIONS.map(|(name, make)| Series {
        name,
        format: None,
        // All are sized by the best rate that the bits allow.
        build: Box::new(move |bits, members| make(sizing::Textbook::BEST.rate_at(f64::from(bits))?, members)),
    });
    policies.chain([ideal]).chain(applications).collect()
}

impl Series {
    /// Returns the rate of an ideal Bloom filter, and the rate by the filter's own formula: the columns `ideal` and
    /// `expected` of [`SUITE`](bench_kit::suites::rates::SUITE).
    pub(super) fn rates(&self, filter: &Filter, bits_per_key: u32, keys: u64) -> Result<[f64; 2], Failed> {
        let of = |format: &'static dyn AnyFormat| format.expected_rate(keys, BitsPerKey::whole(bits_per_key));
        let ideal = match filter.probed {
            Some((bits, probes)) => sizing::exact_rate(bits, keys, probes)?,
            None => of(formats::BLOOM64)?,
        };
        let own = self.format.map(of).transpose()?;
        Ok([ideal, own.or(filter.expected).unwrap_or(ideal)])
    }
}

/// Returns the series of a policy.
fn of_policy(
    name: &'static str,
    format: &'static dyn AnyFormat,
    policy: impl Fn(BitsPerKey) -> AnyPolicy + Sync + 'static,
) -> Series {
    let build = move |bits, members: &[&[u8]]| {
        let policy = policy(BitsPerKey::whole(bits));
        let mut filter = Vec::new();
        policy.append_filter(members, &mut filter)?;
        let view = FilterView::new(format, &filter);
        Ok(Filter {
            bytes: filter.len() as u64,
            probed: view.probe_count().map(|probes| (view.bits(), probes)),
            expected: None,
            matching: Box::new(move |keys| {
                let mut words = vec![0; Answers::words_for(keys.len())];
                let mut answers = Answers::new(&mut words);
                let answered = policy.prepare(&filter).may_match_many(keys, &mut answers);
                answered.expect("there are words for all keys");
                answers.matches()
            }),
        })
    };
    Series {
        name,
        format: Some(format),
        build: Box::new(build),
    }
}

/// Counts the keys that match one by one.
fn counter(matches: impl Fn(&[u8]) -> bool + 'static) -> Matching {
    Box::new(move |keys| keys.iter().filter(|key| matches(key)).count() as u64)
}

/// Guava's filter.
fn guava(rate: f64, members: &[&[u8]], strategy: Strategy) -> Result<Filter, Failed> {
    let parameters = Parameters::new(members.len() as u64, rate)?;
    let mut filter = BloomFilter::new(Bytes, &parameters.strategy(strategy))?;
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

fn cuckoo(rate: f64, members: &[&[u8]]) -> Result<Filter, Failed> {
    let parameters = CuckooParameters::new(members.len() as u64, rate)?;
    let mut filter = CuckooFilter::new(Bytes, &parameters)?;
    for key in members {
        match filter.insert(key) {
            // With narrow fingerprints one filter in thousands refuses a key. Leaving the key out does not change the
            // rate.
            Ok(_) | Err(Error::Full(_) | Error::TooManyCopies) => {}
            Err(error) => return Err(error.into()),
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
fn redisbloom(rate: f64, members: &[&[u8]]) -> Result<Filter, Failed> {
    let parameters = RedisBloomParameters::new(members.len() as u64, rate).non_scaling();
    let link = parameters.first_link()?;
    let mut filter = RedisBloomFilter::new(&parameters)?;
    filter.insert_many(members)?;
    Ok(Filter {
        bytes: filter.chunks().map(|(_, bytes)| bytes.len() as u64).sum(),
        probed: Some((link.bits, link.probe_count)),
        expected: None,
        matching: counter(move |key| filter.contains(key)),
    })
}
