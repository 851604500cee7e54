#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

use std::fmt;
use std::sync::Arc;

use bytes::{BufMut, Bytes};
use filter_policy::{FilterPolicy, MATCHES_EVERYTHING};
use slatedb::{Filter, FilterBuilder, FilterQuery, FilterTarget, RowEntry};

/// A policy of the crate `filter-policy`, as SlateDB asks for one.
///
/// The name is the policy's own. What is stored under it is the policy's filter as it is, one for each table
/// (SST), over the keys of all its rows, tombstones and merge operands included.
///
/// * A point read asks [`key_may_match`](FilterPolicy::key_may_match).
/// * A prefix scan asks [`prefix_may_match`](FilterPolicy::prefix_may_match), and fetches the filter only where
///   [`answers_prefixes`](FilterPolicy::answers_prefixes) says that this can help.
/// * A range scan never asks.
///
/// Should a filter fail to be built, two bytes are stored in its place that say "may match" to every question.
#[derive(Debug)]
pub struct SlateDbPolicy<P> {
    policy: Arc<P>,
}

impl<P> SlateDbPolicy<P> {
    /// The policy for the engine.
    pub fn new(policy: P) -> Self {
        Self {
            policy: Arc::new(policy),
        }
    }

    /// The policy.
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

    fn builder(&self) -> Box<dyn FilterBuilder> {
        Box::new(Keys {
            policy: Arc::clone(&self.policy),
            bytes: Vec::new(),
            starts: Vec::new(),
        })
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
        false
    }

    fn supports_prefix_queries(&self) -> bool {
        self.policy.answers_prefixes()
    }
}

/// The keys of a table that is being written, end to end: the engine's own may be views into whole blocks,
/// which they would keep in memory.
struct Keys<P> {
    policy: Arc<P>,
    bytes: Vec<u8>,
    /// Where each key starts.
    starts: Vec<usize>,
}

impl<P> Keys<P> {
    fn slices(&self) -> Vec<&[u8]> {
        let ends = self.starts.iter().skip(1).copied().chain([self.bytes.len()]);
        self.starts
            .iter()
            .zip(ends)
            .map(|(&start, end)| &self.bytes[start..end])
            .collect()
    }

    fn last(&self) -> Option<&[u8]> {
        self.starts.last().map(|&start| &self.bytes[start..])
    }
}

impl<P> FilterBuilder for Keys<P>
where
    P: FilterPolicy + Send + Sync + 'static,
{
    fn add_entry(&mut self, entry: &RowEntry) {
        // Versions of a key follow each other; one is enough.
        if self.last() != Some(&entry.key) {
            self.starts.push(self.bytes.len());
            self.bytes.extend_from_slice(&entry.key);
        }
    }

    fn build(&mut self) -> Arc<dyn Filter> {
        let mut filter = Vec::new();
        if self.policy.append_filter(&self.slices(), &mut filter).is_err() {
            filter = MATCHES_EVERYTHING.to_vec();
        }
        self.bytes = Vec::new();
        self.starts = Vec::new();
        Arc::new(StoredFilter {
            policy: Arc::clone(&self.policy),
            bytes: filter.into(),
        })
    }
}

/// A filter as the policy wrote it, or whatever the disk made of it.
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
        // Asked first, because a policy with a layout of its own need not read these bytes so.
        if self.bytes[..] == MATCHES_EVERYTHING {
            return true;
        }
        match &query.target {
            FilterTarget::Point(key) => self.policy.key_may_match(key, &self.bytes),
            FilterTarget::Prefix(start) => self.policy.prefix_may_match(start, &self.bytes),
            FilterTarget::Range { .. } => true,
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
