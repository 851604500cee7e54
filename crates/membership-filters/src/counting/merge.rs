//! Merging of counting filters.

use core::fmt;

use crate::error::Error;

use super::CountingBloomFilter;

impl<F> CountingBloomFilter<F> {
    /// Inserts all elements of the other filter: each counter becomes the sum of both, or stays at its largest value.
    ///
    /// # Errors
    ///
    /// The errors of [`check_compatible`](Self::check_compatible); the filter is then unchanged.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error>
    where
        F: PartialEq + fmt::Debug,
    {
        self.check_compatible(other)?;
        for position in 0..self.counters.len() {
            let more = other.counters.get(position);
            if more > 0 {
                self.change(position, |counter, largest| (counter + more).min(largest));
            }
        }
        self.len = self.len.saturating_add(other.len);
        Ok(())
    }

    /// Checks that the filters can be merged: equal probe counts, numbers of counters, strategies, funnels and widths.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Incompatible`](crate::ErrorKind::Incompatible) names the first difference and both values.
    pub fn check_compatible(&self, other: &Self) -> Result<(), Error>
    where
        F: PartialEq + fmt::Debug,
    {
        Error::check_equal("probe counts", &self.probe_count, &other.probe_count)?;
        Error::check_equal("numbers of counters", &self.counters(), &other.counters())?;
        Error::check_equal("strategies", &self.strategy, &other.strategy)?;
        Error::check_equal("funnels", &self.funnel, &other.funnel)?;
        Error::check_equal("counter bits", &self.width.bits(), &other.width.bits())
    }
}
