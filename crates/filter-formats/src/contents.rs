//! The contents of stored bytes: a filter of their layout, or one answer for all keys.
//!
//! Stored bytes may be anything: all of them have a documented answer, and none cause a panic.

use filter_kernels::{Asker, KernelToken};
use filter_policy::prepared::{Plan, Reader};
use filter_policy::{HashFunction, KeyHash};

use crate::view::FilterView;
#[cfg(feature = "alloc")]
use crate::view::places::Places;

/// A filter, or one answer for all keys.
///
/// The tag is a byte of its own: one inside the filter's would take more instructions to read.
#[derive(Debug, Clone, Copy)]
#[repr(u8)]
pub(crate) enum Contents<S> {
    /// Too short to hold a key: never matches.
    Empty,
    /// An unknown encoding: always matches.
    Reserved,
    /// A filter.
    Filter(S),
}

/// A filter that was recognised in stored bytes.
pub(crate) trait Stored<'a>: Copy {
    /// Prepares queries.
    fn plan(self, kernel: KernelToken) -> Plan;

    /// Describes the filter.
    fn view(self) -> FilterView<'a>;
}

impl<'a, S: Stored<'a>> Contents<S> {
    /// Prepares queries. Not inlined: `key_may_match` comes here for unusual bytes alone.
    #[inline(never)]
    pub(crate) fn plan(&self, kernel: KernelToken) -> Plan {
        match *self {
            Self::Empty => Plan::same_for_all(false, kernel),
            Self::Reserved => Plan::same_for_all(true, kernel),
            Self::Filter(stored) => stored.plan(kernel),
        }
    }

    pub(crate) fn view(self) -> FilterView<'a> {
        match self {
            Self::Empty => FilterView::EMPTY,
            Self::Reserved => FilterView::RESERVED,
            Self::Filter(stored) => stored.view(),
        }
    }

    /// Answers for a key with a hash value, which may be of another function.
    #[inline(never)]
    pub(crate) fn hashed_may_match(
        &self,
        kernel: KernelToken,
        key: &[u8],
        hash: KeyHash,
        filter: &[u8],
    ) -> bool {
        let plan = self.plan(kernel);
        plan.may_match_hash(filter, hash)
            .unwrap_or_else(|| plan.may_match(filter, key))
    }
}

#[cfg(feature = "alloc")]
impl<S> Contents<S> {
    /// Returns the places of a hash value; `None`, one of another function, may match.
    pub(crate) fn places<H>(self, hash: Option<H>, of_filter: impl FnOnce(S, H) -> Places) -> Places {
        match (self, hash) {
            (Self::Empty, _) => Places::Same(false),
            (Self::Filter(stored), Some(hash)) => of_filter(stored, hash),
            _ => Places::Same(true),
        }
    }
}

/// Makes the plan of a filter that begins with these bits.
#[inline]
pub(crate) fn plan(
    kernel: KernelToken,
    function: HashFunction,
    reader: &'static Reader,
    asker: Asker,
    bits: &[u8],
    words: [u64; 3],
) -> Plan {
    Plan {
        asker: Some(asker),
        function: Some(function),
        reader,
        kernel,
        bits_len: bits.len(),
        words,
    }
}

/// Returns the probe count of a plan that has it in its first word.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "was a byte")]
pub(crate) const fn probes(plan: &Plan) -> u8 {
    plan.words[0] as u8
}
