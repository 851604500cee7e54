//! Filters that are asked for ranges, prefixes and points.

use std::ops::Bound::{self, Included};
use std::sync::Arc;

use bytes::Bytes;
use filter_policy::prefix::{PrefixExtractor, PrefixPolicy};
use filter_policy::range::{RangeFilterBuilder, RangePolicy};
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy as _};
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

/// Returns what builds a contender's filter of a set; `None` for a set that it cannot hold.
pub fn builds<'a>(contender: &str, set: &'a Set, bits_per_key: u32) -> Option<Build<'a>> {
    let bits = BitsPerKey::whole(bits_per_key);
    let policy: Box<dyn FilterPolicy> = match contender {
        "range" => return Some(Box::new(move || ours(set, bits))),
        "grafite" if set.name == "u64" => return Some(Box::new(move || grafite(set, bits_per_key))),
        "grafite" => return None,
        "slatedb" => Box::new(slatedb_bloom(bits_per_key, None)),
        "slatedb-prefixes" => Box::new(slatedb_bloom(bits_per_key, Some(set.name))),
        _ => Box::new(SlateDbPolicy::new(PrefixPolicy::new(
            BloomFilterPolicy::new(bits),
            Prefix(set.name),
        ))),
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

/// Builds our filter.
fn ours(set: &Set, bits: BitsPerKey) -> Result<Filter, Failed> {
    let policy = RangePolicy::new(bits);
    let mut builder = RangeFilterBuilder::new(bits);
    set.keys.iter().try_for_each(|key| builder.insert(key))?;
    let filter = builder.finish()?;
    fn slice(bound: &Bound<Bytes>) -> Bound<&[u8]> {
        bound.as_ref().map(|key| &key[..])
    }
    let bytes = filter.len();
    let may_match = Box::new(move |query: &FilterQuery| match &query.target {
        FilterTarget::Point(key) => policy.key_may_match(key, &filter),
        FilterTarget::Prefix(start) => policy.prefix_may_match(start, &filter),
        FilterTarget::Range { lower, upper } => policy.range_may_match(slice(lower), slice(upper), &filter),
    });
    Ok(Filter { bytes, may_match })
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

/// Returns SlateDB's own policy, which stores prefixes too if there is a set whose they are.
pub fn slatedb_bloom(bits_per_key: u32, prefixes_of: Option<&'static str>) -> slatedb::BloomFilterPolicy {
    let policy = slatedb::BloomFilterPolicy::new(bits_per_key);
    match prefixes_of {
        Some(set) => policy.with_prefix_extractor(Arc::new(Prefix(set))),
        None => policy,
    }
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
