//! The properties of a filter apart from its bits: compatibility of filters, estimates from the count of ones, and the
//! methods that the sequential and the concurrent filter share.

use crate::guava::java_math;

/// Returns the false-positive rate of a filter with this number of ones.
pub(crate) fn rate(ones: u64, bits: u64, probe_count: u32) -> f64 {
    let share = ones as f64 / bits as f64;
    match u8::try_from(probe_count) {
        Ok(probe_count) => java_math::power(share, probe_count),
        Err(_) => libm::pow(share, probe_count.into()),
    }
}

/// Estimates the number of keys of a filter with this number of ones; `None` if all bits are set.
pub(crate) fn estimated_len(ones: u64, bits: u64, probe_count: u32) -> Option<u64> {
    let share = ones as f64 / bits as f64;
    let len = -libm::log1p(-share) * bits as f64 / f64::from(probe_count);
    (share < 1.0).then(|| java_math::round(len))
}

/// Implements the methods shared by the sequential and the concurrent filter; the latter inserts through `&self`.
macro_rules! common {
    ($filter:ident $(, $mutable:tt)?) => {
        crate::stored::keyed!($filter);

        impl<F> $filter<F> {
            /// Creates an empty filter.
            ///
            /// # Errors
            ///
            /// [`OutOfMemory`](crate::ErrorKind::OutOfMemory) when the allocator refuses the memory.
            pub fn new(funnel: F, parameters: &crate::guava::parameters::Parameters) -> Result<Self, crate::error::Error> {
                Ok(Self {
                    bits: crate::bits::Bits::zeros(parameters.word_count())?,
                    strategy: parameters.strategy(),
                    probe_count: parameters.probe_count(),
                    funnel,
                })
            }

            /// Inserts a key that is hashed already, as `insert` does.
            ///
            /// # Errors
            ///
            /// [`Incompatible`](crate::ErrorKind::Incompatible) if the hash was made with a funnel that is not equal to this
            /// filter's. Nothing is inserted then.
            #[inline]
            pub fn insert_hashed(&$($mutable)? self, hash: &crate::funnel::Hashed<F>) -> Result<bool, crate::error::Error>
            where
                F: PartialEq,
            {
                let hash = self.own(hash)?;
                Ok(self.insert_raw(hash))
            }

            #[inline]
            fn insert_raw(&$($mutable)? self, hash: crate::hash::Hash128) -> bool {
                crate::guava::strategy::by_strategy!(self.strategy, S => self.insert_steps(S::from(hash)))
            }

            #[inline]
            fn contains_raw(&self, hash: crate::hash::Hash128) -> bool {
                crate::guava::strategy::by_strategy!(self.strategy, S => self.contains_steps(S::from(hash)))
            }

            #[inline]
            fn insert_steps(&$($mutable)? self, steps: impl crate::unrolled::Steps) -> bool {
                let modulus = self.bits.modulus();
                crate::unrolled::any(steps, self.probe_count, modulus, |position| self.bits.set(position))
            }

            #[inline]
            fn contains_steps(&self, steps: impl crate::unrolled::Steps) -> bool {
                let modulus = self.bits.modulus();
                crate::unrolled::every(steps, self.probe_count, modulus, |position| self.bits.test(position))
            }

            /// Returns whether each key might be in the filter, in the order of the keys. In filters that are
            /// larger than the processor's caches this takes a fraction of the time of single calls.
            ///
            /// ```
            /// use membership_filters::{BloomFilter, Parameters, Utf8};
            ///
            /// let mut filter = BloomFilter::new(Utf8, &Parameters::new(100, 0.001)?)?;
            /// assert_eq!(filter.insert_many(&["apple", "apple"]), [true, false]);
            /// assert_eq!(filter.contains_many(&["apple", "banana"]), [true, false]);
            /// # Ok::<(), membership_filters::Error>(())
            /// ```
            #[must_use]
            pub fn contains_many<T>(&self, items: &[T]) -> alloc::vec::Vec<bool>
            where
                F: crate::funnel::Funnel<T>,
            {
                self.contains_each(items, |item| crate::hash::Hash128::of_key(&self.funnel, item))
            }

            /// Returns for each key that is hashed already what `contains_hashed` would return.
            #[must_use]
            pub fn contains_many_hashed(&self, hashes: &[crate::funnel::Hashed<F>]) -> alloc::vec::Vec<bool>
            where
                F: PartialEq,
            {
                let mut answers = self.contains_each(hashes, crate::funnel::Hashed::hash);
                // No pass at all for funnels without fields, which are always equal.
                for (answer, hash) in answers.iter_mut().zip(hashes) {
                    *answer |= hash.under(&self.funnel).is_none();
                }
                answers
            }

            /// Inserts the keys in order, and returns for each what `insert` would return.
            pub fn insert_many<T>(&$($mutable)? self, items: &[T]) -> alloc::vec::Vec<bool>
            where
                F: crate::funnel::Funnel<T>,
            {
                self.insert_each(items, |funnel, item| crate::hash::Hash128::of_key(funnel, item))
            }

            /// Inserts keys that are hashed already, in order, and returns for each what `insert` would return.
            ///
            /// # Errors
            ///
            /// The error of `insert_hashed`, before the first key is inserted.
            pub fn insert_many_hashed(&$($mutable)? self, hashes: &[crate::funnel::Hashed<F>]) -> Result<alloc::vec::Vec<bool>, crate::error::Error>
            where
                F: PartialEq,
            {
                if hashes.iter().any(|hash| hash.under(&self.funnel).is_none()) {
                    return Err(crate::error::Error::other_funnel());
                }
                Ok(self.insert_each(hashes, |_, hash| hash.hash()))
            }

            fn contains_each<T>(&self, items: &[T], hash: impl Fn(&T) -> crate::hash::Hash128) -> alloc::vec::Vec<bool> {
                let probes = self.probe_count;
                crate::guava::strategy::by_strategy!(self.strategy, S => crate::batch::contains::<S, _, _, T>(&self.bits, probes, items, hash))
            }

            fn insert_each<T>(
                &$($mutable)? self,
                items: &[T],
                hash: impl Fn(&F, &T) -> crate::hash::Hash128,
            ) -> alloc::vec::Vec<bool> {
                if self.bits.are_near() {
                    let insert = |item| self.insert_raw(hash(&self.funnel, item));
                    return items.iter().map(insert).collect();
                }
                let (bits, funnel) = (&$($mutable)? self.bits, &self.funnel);
                let (probes, hash) = (self.probe_count, |item: &T| hash(funnel, item));
                crate::guava::strategy::by_strategy!(self.strategy, S => crate::batch::insert::<S, _, T>(bits, probes, items, hash))
            }

            /// Returns the number of bits, a multiple of 64.
            #[inline]
            pub fn bits(&self) -> u64 {
                self.bits.modulus().get()
            }

            /// Returns the probe count k.
            #[inline]
            pub fn probe_count(&self) -> u32 {
                self.probe_count
            }

            /// Returns the strategy.
            #[inline]
            pub fn strategy(&self) -> crate::guava::strategy::Strategy {
                self.strategy
            }

            /// Returns the header of this filter's stream.
            pub fn stream_header(&self) -> crate::guava::header::StreamHeader {
                crate::guava::header::StreamHeader::new(self.strategy, self.probe_count, self.bits.words())
            }

            /// Returns the length of this filter's stream in bytes: 6, plus 8 per word.
            pub fn stream_len(&self) -> u64 {
                self.stream_header().stream_len()
            }

            /// Returns the number of set bits. Reads the whole filter.
            ///
            /// While other threads insert, the count includes at least the bits of every insertion that happened before this
            /// call, and at most the bits that are set when it returns.
            pub fn ones(&self) -> u64 {
                self.bits.ones()
            }

            /// Returns the filter's current false-positive rate: the share of ones to the power of the probe count.
            /// Reads the whole filter.
            pub fn expected_rate(&self) -> f64 {
                crate::guava::shape::rate(self.bits.ones(), self.bits(), self.probe_count)
            }

            /// Returns an estimate of the number of different keys, from the share of ones; `None` if all bits are
            /// set, because no estimate is possible then. Reads the whole filter.
            pub fn estimated_len(&self) -> Option<u64> {
                crate::guava::shape::estimated_len(self.bits.ones(), self.bits(), self.probe_count)
            }

            /// Checks that the filters can be merged: equal probe counts, numbers of bits, strategies and funnels.
            ///
            /// Unlike in Guava, a filter is compatible with itself: merging would change nothing.
            ///
            /// # Errors
            ///
            /// [`Incompatible`](crate::ErrorKind::Incompatible) names the first difference and both values.
            pub fn check_compatible(&self, other: &Self) -> Result<(), crate::error::Error>
            where
                F: PartialEq + core::fmt::Debug,
            {
                crate::error::Error::check_equal("probe counts", &self.probe_count, &other.probe_count)?;
                crate::error::Error::check_equal("numbers of bits", &self.bits(), &other.bits())?;
                crate::error::Error::check_equal("strategies", &self.strategy, &other.strategy)?;
                crate::error::Error::check_equal("funnels", &self.funnel, &other.funnel)
            }
        }
    };
}
pub(crate) use common;
