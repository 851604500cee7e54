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
