//! Standard128 Ribbon filters: the stored solution of a system of linear equations over bits, with one column per bit
//! of the result (Dillinger and Walzer, "Ribbon filter: practically smaller than Bloom and Xor", 2021).
//!
//! Each key is an equation: the slots that its coefficients select, among the 128 slots from a start on, sum to the
//! result that its hash value gives. A key whose equation holds in the stored solution may be in the set.

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
