#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

use std::sync::Arc;
use std::{fmt, mem};

use bytes::{BufMut, Bytes};
use filter_policy::range::RangeFilterBuilder;
use filter_policy::{Error, FilterBuilder, FilterPolicy, MATCHES_EVERYTHING};
use slatedb::{Filter, FilterQuery, FilterTarget, RowEntry};

/// A policy of the crate `filter-policy` for SlateDB.
///
/// The policy's own filter is stored under its own name, one for each table (SST), over the keys of all rows, including
/// tombstones and merge operands.
///
/// * A point read calls [`key_may_match`](FilterPolicy::key_may_match).
/// * A scan of a range or a prefix calls [`range_may_match`](FilterPolicy::range_may_match), if the policy
///   [answers ranges](FilterPolicy::answers_ranges): SlateDB narrows a prefix to the bounds that the scan has within it.
/// * Otherwise a scan of a prefix calls [`prefix_may_match`](FilterPolicy::prefix_may_match), if the policy
///   [answers prefixes](FilterPolicy::answers_prefixes), and a scan of a range does not even fetch the filter.
///
/// If a filter cannot be built, two bytes are stored instead that match every query.
#[derive(Debug)]
pub struct SlateDbPolicy<P> {
    policy: Arc<P>,
}

impl<P: FilterPolicy> SlateDbPolicy<P> {
    /// Returns the policy for the engine.
    ///
    /// # Panics
    ///
    /// If the policy's name is one of SlateDB's own, `_bf` or `_bf:` and more: each would deny keys in the other's filters.
    pub fn new(policy: P) -> Self {
        let name = policy.name();
        let of_engine = name.strip_prefix(slatedb::BloomFilterPolicy::NAME);
        assert!(
            of_engine.is_none_or(|rest| !rest.is_empty() && !rest.starts_with(':')),
            "the policy's name must not be one of SlateDB's own, got {name:?}"
        );
        Self {
            policy: Arc::new(policy),
        }
    }

    /// Returns the wrapped policy.
    pub fn policy(&self) -> &P {
        &self.policy
    }
}

impl<P> slatedb::FilterPolicy for SlateDbPolicy<P>
where
    P: FilterPolicy + Send + Sync + 'static,
{
    fn name(&self) -> &str {
        self.policy.name()
    }

    fn builder(&self) -> Box<dyn slatedb::FilterBuilder> {
        Box::new(TableKeys::new(Arc::clone(&self.policy)))
    }

    fn decode(&self, data: &[u8]) -> Arc<dyn Filter> {
        Arc::new(StoredFilter {
            policy: Arc::clone(&self.policy),
            bytes: Bytes::copy_from_slice(data),
        })
    }

    fn estimate_size(&self, num_keys: usize) -> usize {
        self.policy
            .max_filter_len(num_keys)
            .unwrap_or(MATCHES_EVERYTHING.len())
            .max(MATCHES_EVERYTHING.len())
    }

    fn supports_range_queries(&self) -> bool {
        self.policy.answers_ranges()
    }

    /// A scan of a prefix comes as a range, with its own bounds, unless another policy of the table asks for prefixes.
    fn supports_prefix_queries(&self) -> bool {
        self.policy.answers_prefixes() && !self.policy.answers_ranges()
    }
}

/// The keys of a table under construction.
struct TableKeys<P> {
    policy: Arc<P>,
    keys: Keys<P>,
    /// The last key, copied, because the engine's keys may be views that would keep whole blocks in memory.
    last: Option<Vec<u8>>,
    is_failed: bool,
}

enum Keys<P> {
    Whole(FilterBuilder<Arc<P>>),
    /// A table's keys come in order, so that a policy for ranges keeps a part of each.
    Sorted(RangeFilterBuilder),
}

impl<P: FilterPolicy> TableKeys<P> {
    fn new(policy: Arc<P>) -> Self {
        let sorted = policy.range_builder().map(Keys::Sorted);
        Self {
            keys: sorted.unwrap_or_else(|| Keys::Whole(FilterBuilder::new(Arc::clone(&policy)))),
            policy,
            last: None,
            is_failed: false,
        }
    }

    fn finish(self) -> Result<Vec<u8>, Error> {
        match self.keys {
            Keys::Whole(builder) => builder.finish(),
            Keys::Sorted(builder) => builder.finish(),
        }
    }
}

impl<P> slatedb::FilterBuilder for TableKeys<P>
where
    P: FilterPolicy + Send + Sync + 'static,
{
    fn add_entry(&mut self, entry: &RowEntry) {
        // Versions of a key are adjacent, and one is enough.
        if self.last.as_deref() == Some(&entry.key) {
            return;
        }
        let inserted = match &mut self.keys {
            Keys::Whole(builder) => builder.insert(&entry.key),
            Keys::Sorted(builder) => builder.insert(&entry.key),
        };
        self.is_failed |= inserted.is_err();
        let last = self.last.get_or_insert_default();
        last.clear();
        last.extend_from_slice(&entry.key);
    }

    fn build(&mut self) -> Arc<dyn Filter> {
        let policy = Arc::clone(&self.policy);
        let built = mem::replace(self, Self::new(Arc::clone(&policy)));
        let filter = if built.is_failed {
            None
        } else {
            built.finish().ok()
        };
        Arc::new(StoredFilter {
            policy,
            bytes: filter.unwrap_or_else(|| MATCHES_EVERYTHING.to_vec()).into(),
        })
    }
}

/// A filter that the policy wrote, or any bytes from a damaged disk.
struct StoredFilter<P> {
    policy: Arc<P>,
    bytes: Bytes,
}

impl<P> fmt::Debug for StoredFilter<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredFilter")
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

impl<P> Filter for StoredFilter<P>
where
    P: FilterPolicy + Send + Sync + 'static,
{
    fn might_match(&self, query: &FilterQuery) -> bool {
        // Tested first, because a policy of another format need not know these bytes.
        if self.bytes[..] == MATCHES_EVERYTHING {
            return true;
        }
        match &query.target {
            FilterTarget::Point(key) => self.policy.key_may_match(key, &self.bytes),
            FilterTarget::Prefix(start) => self.policy.prefix_may_match(start, &self.bytes),
            FilterTarget::Range { lower, upper } => {
                let [lower, upper] = [lower, upper].map(|bound| bound.as_ref().map(AsRef::as_ref));
                self.policy.range_may_match(lower, upper, &self.bytes)
            }
        }
    }

    fn encode(&self, writer: &mut dyn BufMut) {
        writer.put_slice(&self.bytes);
    }

    fn size(&self) -> usize {
        self.bytes.len()
    }

    fn clamp_allocated_size(&self) -> Arc<dyn Filter> {
        Arc::new(Self {
            policy: Arc::clone(&self.policy),
            bytes: Bytes::copy_from_slice(&self.bytes),
        })
    }
}
