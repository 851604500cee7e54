//! The filters whose rates are counted, of engines and for applications, all built from keys and queried for keys.

use filter_policy::leveldb::{KeyHasher, Murmur2SignedTail};
use filter_policy::policies::AnyPolicy;
use filter_policy::sizing::Textbook;
use filter_policy::view::FilterView;
use filter_policy::{Answers, AnyFormat, BitsPerKey, BloomFilterPolicy, formats};
use membership_filters::backend::{Bloom, Chain, Cuckoo, Exclusive};
use membership_filters::envelope::{CHECKSUM_LEN, HEADER_LEN};
use membership_filters::guava::{Parameters, Strategy};
use membership_filters::{Bytes, CuckooParameters, Error, Hashing as _, RedisBloomParameters};

use crate::suites::rates::{Filter, IDEAL, Plan, Series};

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

/// Returns all series: the list of policies, the ideal hash, and filters for applications.
///
/// Some have no series: `BloomFilter2.SignedTail`, which equals `BloomFilter2` on ASCII keys; prefix policies, to
/// which prefixes are keys; and counting filters and the designs in Redis, which use Guava's positions.
pub fn all() -> Vec<Series> {
    let policies = formats::ALL.iter();
    let policies = policies.filter(|known| known.name() != Murmur2SignedTail::POLICY_NAME);
    let policies = policies.map(|known| of_policy(known.name(), *known, |bits| known.policy(bits)));
    let ideal = of_policy(IDEAL, formats::LEVEL_DB, |bits| {
        Box::new(BloomFilterPolicy::with_hasher(Ideal, bits))
    });
    // Not the list of kinds: Guava's other strategy is none, and a chain that grows has a lower rate in its first link.
    let applications = [
        of_backend::<Bloom<Strategy>>("Guava, MITZ_64", Parameters::new),
        of_backend::<Bloom<Strategy>>("Guava, MITZ_32", |keys, rate| {
            Ok(Parameters::new(keys, rate)?.strategy(Strategy::Murmur128Mitz32))
        }),
        of_backend::<Cuckoo>("cuckoo", CuckooParameters::new),
        of_backend::<Chain>("redisbloom", |keys, rate| {
            Ok(RedisBloomParameters::new(keys, rate).non_scaling())
        }),
    ];
    policies.chain([ideal]).chain(applications).collect()
}

/// Returns the series of a policy.
fn of_policy(
    name: &'static str,
    format: &'static dyn AnyFormat,
    policy: impl Fn(BitsPerKey) -> AnyPolicy + Copy + Sync + 'static,
) -> Series {
    let plan = move |bits, keys| {
        let bits_per_key = BitsPerKey::whole(bits);
        let build = move |members: &[&[u8]]| {
            let policy = policy(bits_per_key);
            let mut filter = Vec::new();
            policy.append_filter(members, &mut filter)?;
            let view = FilterView::new(format, &filter);
            Ok(Filter {
                bytes: filter.len() as u64,
                probed: view.probe_count().map(|probes| (view.bits(), probes)),
                matching: Box::new(move |keys| {
                    let mut words = vec![0; Answers::words_for(keys.len())];
                    let mut answers = Answers::new(&mut words);
                    let answered = policy.prepare(&filter).may_match_many(keys, &mut answers);
                    answered.expect("there are words for all keys");
                    answers.matches()
                }),
            })
        };
        Ok(Plan {
            expected: Some(format.expected_rate(keys, bits_per_key)?),
            build: Box::new(build),
        })
    };
    let plan = Box::new(plan);
    Series { name, plan }
}

/// Returns the series of a filter for applications, sized by the best rate that the bits allow.
fn of_backend<B: Exclusive + 'static>(
    name: &'static str,
    sized: fn(u64, f64) -> Result<B::Parameters, Error>,
) -> Series {
    let plan = move |bits, keys| {
        let parameters = sized(keys, Textbook::BEST.rate_at(f64::from(bits))?)?;
        let size = B::size(&parameters)?;
        let around = if B::IS_STREAM {
            0
        } else {
            HEADER_LEN + CHECKSUM_LEN
        };
        let hash = |key: &[u8]| B::Hash::from(B::HASH.unwrap_or(Bytes.hash_id()).hash_bytes(key));
        let expected = size.probe_count.is_none().then(|| B::rate(&parameters, keys));
        let build = move |members: &[&[u8]]| {
            let mut filter = B::new(&parameters)?;
            for key in members {
                match B::new_result(filter.insert(hash(key))) {
                    // With narrow fingerprints one filter in thousands refuses a key. Leaving the key out does not
                    // change the rate.
                    Ok(_) | Err(Error::Full(_) | Error::TooManyCopies) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            Ok(Filter {
                bytes: size.contents_len + around,
                probed: size.probe_count.map(|probes| (filter.bits(), probes)),
                matching: Box::new(move |keys| {
                    keys.iter().filter(|key| filter.contains(hash(key))).count() as u64
                }),
            })
        };
        let build = Box::new(build);
        Ok(Plan { expected, build })
    };
    let plan = Box::new(plan);
    Series { name, plan }
}
