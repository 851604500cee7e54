//! Filters that are asked for ranges, prefixes and points.

use std::ops::Bound::Included;
use std::sync::Arc;

use bytes::Bytes;
use filter_policy::prefix::{PrefixExtractor, PrefixPolicy};
use filter_policy::range::{RangeFilterBuilder, RangePolicy};
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy as _};
use grafite::{PairwiseIndependentHasher, RangeFilter};
use slatedb::{
    BloomFilterPolicy as SlateDbBloom, FilterPolicy, FilterQuery, FilterTarget, PrefixTarget, RowEntry,
    ValueDeletable,
};

use crate::keys::ordered::{Set, prefix, slice};
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
    Some(match contender {
        "range" => Box::new(move || {
            let mut builder = RangeFilterBuilder::new(bits);
            set.keys.iter().try_for_each(|key| builder.insert(key))?;
            let (policy, filter) = (RangePolicy::new(bits), builder.finish()?);
            Ok(Filter {
                bytes: filter.len(),
                may_match: Box::new(move |query| match &query.target {
                    FilterTarget::Point(key) => policy.key_may_match(key, &filter),
                    FilterTarget::Prefix(start) => policy.prefix_may_match(start, &filter),
                    FilterTarget::Range { lower, upper } => {
                        policy.range_may_match(slice(lower), slice(upper), &filter)
                    }
                }),
            })
        }),
        "prefixes" => Box::new(move || {
            let policy = PrefixPolicy::new(BloomFilterPolicy::new(bits), Prefix(set.name));
            let keys: Vec<&[u8]> = set.keys.iter().map(Vec::as_slice).collect();
            let mut filter = Vec::new();
            policy.append_filter(&keys, &mut filter)?;
            Ok(Filter {
                bytes: filter.len(),
                may_match: Box::new(move |query| match &query.target {
                    FilterTarget::Point(key) => policy.key_may_match(key, &filter),
                    FilterTarget::Prefix(start) => policy.prefix_may_match(start, &filter),
                    FilterTarget::Range { .. } => true,
                }),
            })
        }),
        "grafite" if set.name == "u64" => Box::new(move || {
            let keys = set.keys.iter().map(|key| number(key, 0));
            let bits = bits_per_key as u8;
            let hash = PairwiseIndependentHasher::new_with_space_budget(set.keys.len(), bits, GRAFITE_RANGE);
            let filter = RangeFilter::new(keys, hash.map_err(|error| format!("{error:?}"))?);
            Ok(Filter {
                bytes: filter.ef.heap_size(),
                may_match: Box::new(move |query| {
                    let (start, end) = match &query.target {
                        FilterTarget::Point(key) => (number(key, 0), number(key, 0)),
                        FilterTarget::Prefix(start) => (number(start, 0), number(start, 0xff)),
                        FilterTarget::Range {
                            lower: Included(low),
                            upper: Included(high),
                        } => (number(low, 0), number(high, 0)),
                        FilterTarget::Range { .. } => return true,
                    };
                    // Of a longer range it can deny stored keys.
                    end.saturating_sub(start) >= GRAFITE_RANGE || filter.query(start..=end)
                }),
            })
        }),
        "slatedb" | "slatedb-prefixes" => {
            let policy = slatedb_bloom(bits_per_key, (contender != "slatedb").then_some(set.name));
            let entries: Vec<RowEntry> = set.keys.iter().map(|key| entry(key)).collect();
            Box::new(move || {
                let mut builder = policy.builder();
                entries.iter().for_each(|entry| builder.add_entry(entry));
                let filter = builder.build();
                Ok(Filter {
                    bytes: filter.size(),
                    may_match: Box::new(move |query| filter.might_match(query)),
                })
            })
        }
        _ => return None,
    })
}

/// Returns a number of eight bytes, the missing ones as given.
fn number(key: &[u8], missing: u8) -> u64 {
    u64::from_be_bytes(std::array::from_fn(|place| {
        key.get(place).copied().unwrap_or(missing)
    }))
}

fn entry(key: &[u8]) -> RowEntry {
    RowEntry {
        key: Bytes::copy_from_slice(key),
        value: ValueDeletable::Value(Bytes::new()),
        seq: 0,
        create_ts: None,
        expire_ts: None,
    }
}

/// Returns SlateDB's own policy, which stores prefixes too if there is a set whose they are.
pub fn slatedb_bloom(bits_per_key: u32, prefixes_of: Option<&'static str>) -> SlateDbBloom {
    let policy = SlateDbBloom::new(bits_per_key);
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
