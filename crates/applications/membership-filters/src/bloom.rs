//! The Bloom filter below those of Guava, Spark and RedisBloom: bits, and the rule for their positions.

use alloc::vec::Vec;

#[cfg(target_has_atomic = "64")]
use crate::atomic_bits::AtomicU64;
use crate::batch;
use crate::bits::{Bits, Word};
use crate::error::Error;
use crate::hash::Hash128;
use crate::stats::{Stats, estimated_len, rate};
use crate::steps::{Rule, by_rule};
use crate::unrolled::{self, Steps as _};

/// Bits, and the rule for the positions of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bloom<W = u64> {
    pub(crate) bits: Bits<W>,
    pub(crate) rule: Rule,
    pub(crate) probe_count: u32,
}

/// Insertion, through `&mut self` or `&self`.
macro_rules! insertion {
    ($word:ty $(, $mutable:tt)?) => {
        impl Bloom<$word> {
            /// Inserts a key. Returns true if that changed a bit.
            #[inline]
            pub(crate) fn insert(&$($mutable)? self, hash: Hash128) -> bool {
                let (probes, modulus) = (self.probe_count, self.bits.modulus());
                by_rule!(self.rule, S => {
                    unrolled::any(S::start(hash, modulus), probes, modulus, |position| self.bits.set(position))
                })
            }

            /// Inserts keys in order. Returns the number of those that changed bits.
            pub(crate) fn insert_batch(&$($mutable)? self, hashes: &[Hash128]) -> u64 {
                if self.bits.are_near() {
                    return hashes.iter().map(|&hash| u64::from(self.insert(hash))).sum();
                }
                let probes = self.probe_count;
                by_rule!(self.rule, S => batch::insert::<S, _, _>(&$($mutable)? self.bits, |bits, at| bits.set(at), probes, hashes))
            }
        }
    };
}

insertion!(u64, mut);
#[cfg(target_has_atomic = "64")]
insertion!(AtomicU64);

impl<W> Bloom<W> {
    pub(crate) fn zeros(words: usize, rule: Rule, probe_count: u32) -> Result<Self, Error>
    where
        W: Default,
    {
        Ok(Self {
            bits: Bits::zeros(words)?,
            rule,
            probe_count,
        })
    }

    /// Returns the same filter with words of another kind.
    pub(crate) fn map<V>(self, word: impl FnMut(W) -> V) -> Bloom<V> {
        let (rule, probe_count, bits) = (self.rule, self.probe_count, self.bits.map(word));
        Bloom {
            bits,
            rule,
            probe_count,
        }
    }
}

impl<W: Word> Bloom<W> {
    /// Returns whether a key might be there.
    #[inline]
    pub(crate) fn contains(&self, hash: Hash128) -> bool {
        let (probes, modulus) = (self.probe_count, self.bits.modulus());
        by_rule!(self.rule, S => {
            unrolled::every(S::start(hash, modulus), probes, modulus, |position| self.bits.test(position))
        })
    }

    /// Appends for each key whether it might be there.
    pub(crate) fn contains_batch(&self, hashes: &[Hash128], answers: &mut Vec<bool>) {
        by_rule!(self.rule, S => batch::contains::<S, W>(&self.bits, self.probe_count, hashes, answers));
    }

    /// Checks what filters of every format must have in common to be merged.
    pub(crate) fn check_equal<V: Word>(&self, other: &Bloom<V>) -> Result<(), Error> {
        Error::check_equal("probe counts", &self.probe_count, &other.probe_count)?;
        Error::check_equal("numbers of bits", &self.bits.len(), &other.bits.len())
    }

    pub(crate) fn rate(&self) -> f64 {
        rate(self.bits.ones(), self.bits.len(), self.probe_count)
    }

    pub(crate) fn estimated_len(&self) -> Option<u64> {
        estimated_len(self.bits.ones(), self.bits.len(), self.probe_count)
    }

    pub(crate) fn stats(&self) -> Stats {
        let (ones, bits) = (self.bits.ones(), self.bits.len());
        Stats {
            len: estimated_len(ones, bits, self.probe_count),
            is_estimate: true,
            places: bits,
            taken: ones,
            memory_bytes: bits / 8,
            expected_rate: rate(ones, bits, self.probe_count),
        }
    }
}

/// The methods of a filter around its field `bloom`. The last argument is `mut` unless threads share the filter.
macro_rules! around {
    ([$($f:ident)?] $filter:ty $(, $mutable:tt)?) => {
        impl<$($f)?> $filter {
            #[inline]
            fn insert_raw(&$($mutable)? self, hash: crate::hash::Hash128) -> bool {
                self.bloom.insert(hash)
            }

            fn insert_batch(&$($mutable)? self, hashes: &[crate::hash::Hash128]) {
                self.bloom.insert_batch(hashes);
            }

            #[inline]
            fn contains_raw(&self, hash: crate::hash::Hash128) -> bool {
                self.bloom.contains(hash)
            }

            fn contains_batch(&self, hashes: &[crate::hash::Hash128], answers: &mut alloc::vec::Vec<bool>) {
                self.bloom.contains_batch(hashes, answers);
            }

            /// Returns the number of bits, a multiple of 64: Spark's `bitSize`.
            #[inline]
            pub const fn bits(&self) -> u64 {
                self.bloom.bits.len()
            }

            /// Returns the probe count k.
            #[inline]
            pub const fn probe_count(&self) -> u32 {
                self.bloom.probe_count
            }

            /// Returns the number of set bits: Spark's `cardinality`. Reads the whole filter.
            ///
            /// While other threads insert, the count includes at least the bits of every insertion that happened before this
            /// call, and at most the bits that are set when it returns.
            pub fn ones(&self) -> u64 {
                self.bloom.bits.ones()
            }

            /// Returns an estimate of the number of different keys, from the share of ones: Guava's `approximateElementCount`.
            /// `None` if too few bits are left for an error of 5 %. Reads the whole filter.
            pub fn estimated_len(&self) -> Option<u64> {
                self.bloom.estimated_len()
            }

            /// Returns the state of the filter. Reads the whole filter. The rate is `expectedFpp` of Guava and Spark: the share of
            /// ones to the power of the probe count.
            pub fn stats(&self) -> crate::stats::Stats {
                self.bloom.stats()
            }
        }
    };
}
pub(crate) use around;
