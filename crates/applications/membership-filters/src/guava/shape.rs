//! The methods that the sequential and the concurrent filter share.

/// Implements them; the latter inserts through `&self`.
macro_rules! common {
    ($filter:ident $(, $mutable:tt)?) => {
        crate::stored::filter!([F] $filter<F>, F, |hash| hash, bool, () $(, $mutable)?);
        crate::stored::stored!([F: crate::funnel::Hashing] $filter<F>, b"GBfilter", F, (funnel: F), funnel);
        crate::stored::with_capacity!([F] $filter<F>, (funnel: F), |capacity, rate| {
            Self::new(funnel, &crate::guava::parameters::Parameters::new(capacity, rate)?)
        });
        crate::bloom::around!([F] $filter<F> $(, $mutable)?);

        impl<F> $filter<F> {
            /// Creates an empty filter.
            ///
            /// # Errors
            ///
            /// [`OutOfMemory`](crate::ErrorKind::OutOfMemory) when the allocator refuses the memory.
            pub fn new(funnel: F, parameters: &crate::guava::parameters::Parameters) -> Result<Self, crate::error::Error> {
                let rule = parameters.chosen_strategy().rule();
                let bloom = crate::bloom::Bloom::zeros(parameters.word_count(), rule, parameters.probe_count())?;
                Ok(Self { bloom, funnel })
            }

            /// Returns the strategy.
            #[inline]
            pub fn strategy(&self) -> crate::guava::strategy::Strategy {
                crate::guava::strategy::Strategy::of_rule(self.bloom.rule)
            }

            /// Returns the header of this filter's stream.
            pub fn stream_header(&self) -> crate::guava::header::StreamHeader {
                let words = self.bloom.bits.words();
                crate::guava::header::StreamHeader::new(self.strategy(), self.bloom.probe_count, words)
            }

            /// Returns the length of this filter's stream in bytes: 6, plus 8 per word.
            pub fn guava_len(&self) -> u64 {
                self.stream_header().stream_len()
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
                self.bloom.check_equal(&other.bloom)?;
                crate::error::Error::check_equal("strategies", &self.strategy(), &other.strategy())?;
                crate::error::Error::check_equal("funnels", &self.funnel, &other.funnel)
            }
        }
    };
}
pub(crate) use common;
