//! What a filter is apart from its bits: decides which filters can be combined, and what a count of ones means.

use alloc::format;
use core::fmt;

use crate::error::{Incompatible, Saturated};
use crate::java_math;
use crate::strategy::Strategy;

/// All that two filters must have in common to be combined.
pub(crate) struct Shape<'a, F> {
    pub(crate) funnel: &'a F,
    pub(crate) strategy: Strategy,
    pub(crate) probes: u8,
    pub(crate) bit_size: u64,
}

impl<F> Shape<'_, F> {
    /// The first difference, if there is any.
    pub(crate) fn check(&self, other: &Self) -> Result<(), Incompatible>
    where
        F: PartialEq + fmt::Debug,
    {
        if self.probes != other.probes {
            return Err(Incompatible::Probes {
                ours: self.probes,
                theirs: other.probes,
            });
        }
        if self.bit_size != other.bit_size {
            return Err(Incompatible::BitSize {
                ours: self.bit_size,
                theirs: other.bit_size,
            });
        }
        if self.strategy != other.strategy {
            return Err(Incompatible::Strategy {
                ours: self.strategy,
                theirs: other.strategy,
            });
        }
        if self.funnel != other.funnel {
            return Err(Incompatible::Funnel {
                ours: format!("{:?}", self.funnel),
                theirs: format!("{:?}", other.funnel),
            });
        }
        Ok(())
    }

    /// The false-positive probability of a filter with so many ones.
    pub(crate) fn expected_fpp(&self, ones: u64) -> f64 {
        java_math::power(self.share(ones), self.probes)
    }

    /// The elements of a filter with so many ones, estimated.
    pub(crate) fn approximate_element_count(&self, ones: u64) -> Result<u64, Saturated> {
        let share = self.share(ones);
        if share >= 1.0 {
            return Err(Saturated {
                bit_size: self.bit_size,
            });
        }
        Ok(java_math::round(
            -libm::log1p(-share) * self.bit_size as f64 / f64::from(self.probes),
        ))
    }

    fn share(&self, ones: u64) -> f64 {
        ones as f64 / self.bit_size as f64
    }
}

/// What the filter of one thread and that of many have in common.
macro_rules! common {
    ($filter:ident) => {
        impl<F> $filter<F> {
            /// An empty filter.
            ///
            /// # Errors
            ///
            /// [`ParameterError::OutOfMemory`](crate::ParameterError::OutOfMemory) when the allocator refuses the memory.
            pub fn new(funnel: F, parameters: &crate::Parameters) -> Result<Self, crate::ParameterError> {
                Ok(Self {
                    bits: crate::bits::Bits::zeros(parameters.words())?,
                    strategy: parameters.strategy(),
                    probes: parameters.probes(),
                    funnel,
                })
            }

            /// The number of bits, a multiple of 64.
            #[inline]
            pub fn bit_size(&self) -> u64 {
                self.bits.modulus().get()
            }

            /// The probe count k.
            #[inline]
            pub fn probes(&self) -> u8 {
                self.probes
            }

            /// The strategy.
            #[inline]
            pub fn strategy(&self) -> crate::Strategy {
                self.strategy
            }

            /// The funnel.
            #[inline]
            pub fn funnel(&self) -> &F {
                &self.funnel
            }

            /// The header of this filter's stream.
            pub fn stream_header(&self) -> crate::StreamHeader {
                crate::StreamHeader::of(self.strategy, self.probes, self.bits.words().len())
            }

            /// Bytes of this filter's stream: a header of 6 and 8 for each word.
            pub fn stream_len(&self) -> u64 {
                self.stream_header().stream_len()
            }

            /// The probability that an absent element is said to be in, as the bits are now: the share of ones to the power of
            /// the probe count. Counts the bits, which reads the whole filter, and underestimates while other threads put.
            pub fn expected_fpp(&self) -> f64 {
                self.shape().expected_fpp(self.bit_count())
            }

            /// An estimate of how many different elements were put, from the share of ones. Counts the bits, which reads the
            /// whole filter, and leaves out what other threads put meanwhile.
            ///
            /// # Errors
            ///
            /// [`Saturated`](crate::Saturated) when all bits are ones; Guava throws an `ArithmeticException` then.
            pub fn approximate_element_count(&self) -> Result<u64, crate::Saturated> {
                self.shape().approximate_element_count(self.bit_count())
            }

            pub(crate) fn shape(&self) -> crate::shape::Shape<'_, F> {
                crate::shape::Shape {
                    funnel: &self.funnel,
                    strategy: self.strategy,
                    probes: self.probes,
                    bit_size: self.bit_size(),
                }
            }
        }

        /// Size and shape; not the bits, which may be many.
        impl<F: core::fmt::Debug> core::fmt::Debug for $filter<F> {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($filter))
                    .field("funnel", &self.funnel)
                    .field("strategy", &self.strategy)
                    .field("probes", &self.probes)
                    .field("bit_size", &self.bit_size())
                    .finish_non_exhaustive()
            }
        }
    };
}
pub(crate) use common;
