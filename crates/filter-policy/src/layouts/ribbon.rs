//! Standard128 Ribbon filters: a system of linear equations over bits whose solution is stored, a column a bit of the
//! answer (Dillinger and Walzer, "Ribbon filter: practically smaller than Bloom and Xor", 2021).
//!
//! Each key is an equation: of the 128 slots from some start on, those that its coefficients choose have the sum that
//! its hash value says. A key that solves the stored system may be in the set.

#[cfg(feature = "alloc")]
mod banding;
mod equation;
mod sizing;
mod solution;

#[cfg(feature = "alloc")]
pub(crate) use banding::Banding;
#[cfg(feature = "alloc")]
pub(crate) use sizing::{MAX_ENTRIES, SMALL_SLOTS, Shape};
pub(crate) use sizing::{RibbonSize, size};
pub(crate) use solution::Solution;
