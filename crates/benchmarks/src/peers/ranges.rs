//! Filters that are asked for ranges, prefixes and points.

use std::ops::Bound::Included;
use std::sync::Arc;

use bytes::Bytes;
use filter_policy::prefix::{PrefixExtractor, PrefixPolicy};
use filter_policy::range::RangePolicy;
use filter_policy::{BitsPerKey, BloomFilterPolicy};
use filter_policy_slatedb::SlateDbPolicy;
use grafite::{PairwiseIndependentHasher, RangeFilter};
use slatedb::{FilterPolicy, FilterQuery, FilterTarget, PrefixTarget, RowEntry, ValueDeletable};

use crate::keys::ordered::{Set, prefix};
use crate::suite::Label;
use crate::suites::rates::Failed;

/// The contenders.
pub const CONTENDERS: [Label; 5] = [
    ("range", "our range filter"),
    // Without an extractor it answers points, with one also prefixes: it then has keys and prefixes.
    ("slatedb", "SlateDB's Bloom filter"),
    ("slatedb-prefixes", "SlateDB's, with prefixes"),
    ("prefixes", "Bloom filter of prefixes"),
    // For numbers of 64 bits, at these bits per key for ranges of up to 16 numbers.
    ("grafite", "grafite"),
];

/// The longest range for which grafite is made.
const GRAFITE_RANGE: u64 = 16;

/// A filter.
pub struct Filter {
    /// Its bytes.
    pub bytes: usize,
    /// Returns true if something may match.
    pub may_match: Box<dyn Fn(&FilterQuery) -> bool>,
}

/// Builds a filter.
pub type Build<'a> = Box<dyn Fn() -> Result<Filter, Failed> + 'a>;

/// Returns true if the contender answers queries of this kind at all.
pub fn answers(contender: &str, kind: &str) -> bool {
    match contender {
        "slatedb" => kind.starts_with("point"),
        "slatedb-prefixes" => kind == "prefix",
        "prefixes" => kind == "prefix" || kind.starts_with("point"),
        "grafite" => !["fresh", "gap-half", "prefix"].contains(&kind),
        _ => true,
    }
}

/// Returns the engine's policy of a contender; `None` for grafite, which is in no engine. Prefixes are those of a set.
pub fn policy(contender: &str, set: &'static str, bits_per_key: u32) -> Option<Arc<dyn FilterPolicy>> {
    let bits = BitsPerKey::whole(bits_per_key);
    let bloom = slatedb::BloomFilterPolicy::new(bits_per_key);
    let prefixes = Arc::new(Prefix(set));
    Some(match contender {
        "range" => Arc::new(SlateDbPolicy::new(RangePolicy::new(bits))),
        "slatedb" => Arc::new(bloom),
        "slatedb-prefixes" => Arc::new(bloom.with_prefix_extractor(prefixes)),
        "prefixes" => {
            let policy = BloomFilterPolicy::new(bits);
            Arc::new(SlateDbPolicy::new(PrefixPolicy::new(policy, Prefix(set))))
        }
        _ => return None,
    })
}

/// Returns what builds a contender's filter of a set, as engines do; `None` for a set that it cannot hold.
pub fn builds<'a>(contender: &str, set: &'a Set, bits_per_key: u32) -> Option<Build<'a>> {
    let Some(policy) = policy(contender, set.name, bits_per_key) else {
        return (set.name == "u64").then(|| Box::new(move || grafite(set, bits_per_key)) as _);
    };
    let entry = |key: &Vec<u8>| RowEntry {
        key: Bytes::copy_from_slice(key),
        value: ValueDeletable::Value(Bytes::new()),
        seq: 0,
        create_ts: None,
        expire_ts: None,
    };
    let entries: Vec<RowEntry> = set.keys.iter().map(entry).collect();
    Some(Box::new(move || {
        let mut builder = policy.builder();
        entries.iter().for_each(|entry| builder.add_entry(entry));
        let filter = builder.build();
        let bytes = filter.size();
        let may_match = Box::new(move |query: &FilterQuery| filter.might_match(query));
        Ok(Filter { bytes, may_match })
    }))
}

/// Builds grafite's filter of keys of eight bytes. Of ranges longer than its own it could deny stored keys.
fn grafite(set: &Set, bits_per_key: u32) -> Result<Filter, Failed> {
    let number = |key: &[u8]| key.try_into().map_or(0, u64::from_be_bytes);
    let (keys, bits) = (set.keys.len(), bits_per_key as u8);
    let hash = PairwiseIndependentHasher::new_with_space_budget(keys, bits, GRAFITE_RANGE);
    let numbers = set.keys.iter().map(|key| number(key));
    let filter = RangeFilter::new(numbers, hash.map_err(|error| format!("{error:?}"))?);
    let bytes = filter.ef.heap_size();
    let may_match = Box::new(move |query: &FilterQuery| match &query.target {
        FilterTarget::Point(key) => filter.query(number(key)..=number(key)),
        FilterTarget::Range { lower, upper } => match (lower, upper) {
            (Included(low), Included(high)) => filter.query(number(low)..=number(high)),
            _ => true,
        },
        FilterTarget::Prefix(_) => true,
    });
    Ok(Filter { bytes, may_match })
}

/// Extracts the prefixes of the set of this name.
struct Prefix(&'static str);

impl PrefixExtractor for Prefix {
    fn name(&self) -> &str {
        self.0
    }

    fn prefix<'k>(&self, key: &'k [u8]) -> Option<&'k [u8]> {
        prefix(self.0, key)
    }

    fn shared_prefix<'k>(&self, start: &'k [u8]) -> Option<&'k [u8]> {
        prefix(self.0, start)
    }
}

impl slatedb::PrefixExtractor for Prefix {
    fn name(&self) -> &str {
        self.0
    }

    fn prefix_len(&self, target: &PrefixTarget) -> Option<usize> {
        let (PrefixTarget::Point(key) | PrefixTarget::Prefix(key)) = target;
        prefix(self.0, key).map(<[u8]>::len)
    }
}
