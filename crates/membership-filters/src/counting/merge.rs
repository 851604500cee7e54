//! Counting filters made one.

use alloc::format;
use core::fmt;

use guava_bloom::Incompatible;

use super::{CounterWidth, CountingBloomFilter};

impl<F> CountingBloomFilter<F> {
    /// Adds all elements of the other filter: each counter becomes the sum of both, or stays at its largest value.
    ///
    /// # Errors
    ///
    /// [`MergeError`] names the first difference; nothing is changed then.
    pub fn insert_all(&mut self, other: &Self) -> Result<(), MergeError>
    where
        F: PartialEq + fmt::Debug,
    {
        self.is_compatible(other)?;
        for position in 0..self.counters.len() {
            let more = other.counters.get(position);
            if more > 0 {
                self.change(position, |counter, largest| (counter + more).min(largest));
            }
        }
        self.items = self.items.saturating_add(other.items);
        Ok(())
    }

    /// Whether the filters can be merged: equal probe counts, numbers of counters, strategies, funnels and widths.
    ///
    /// # Errors
    ///
    /// [`MergeError`] names the first difference.
    pub fn is_compatible(&self, other: &Self) -> Result<(), MergeError>
    where
        F: PartialEq + fmt::Debug,
    {
        let difference = if self.probes != other.probes {
            Incompatible::Probes {
                ours: self.probes,
                theirs: other.probes,
            }
        } else if self.counters.len() != other.counters.len() {
            Incompatible::BitSize {
                ours: self.counters.len(),
                theirs: other.counters.len(),
            }
        } else if self.strategy != other.strategy {
            Incompatible::Strategy {
                ours: self.strategy,
                theirs: other.strategy,
            }
        } else if self.funnel != other.funnel {
            Incompatible::Funnel {
                ours: format!("{:?}", self.funnel),
                theirs: format!("{:?}", other.funnel),
            }
        } else if self.width != other.width {
            return Err(MergeError::CounterWidth {
                ours: self.width,
                theirs: other.width,
            });
        } else {
            return Ok(());
        };
        Err(MergeError::Bloom(difference))
    }
}

/// Why two counting filters cannot be merged: the first difference.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum MergeError {
    /// The plain filters could not be combined either.
    Bloom(Incompatible),
    /// The counters have different widths.
    CounterWidth {
        /// Of the filter that was to be changed.
        ours: CounterWidth,
        /// Of the other.
        theirs: CounterWidth,
    },
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bloom(difference) => difference.fmt(f),
            Self::CounterWidth { ours, theirs } => write!(
                f,
                "the filters cannot be combined: counters of {} bits here, of {} in the other",
                ours.bits(),
                theirs.bits()
            ),
        }
    }
}

impl core::error::Error for MergeError {}
