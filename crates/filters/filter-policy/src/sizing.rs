//! Computes the size, false-positive rate or number of keys of a filter from the others.
//!
//! Pure functions of numbers: [`AnyFormat`](crate::AnyFormat) describes the real behaviour of a stored format, its whole
//! bytes, its own rule for k and its limits; [`Textbook`] has the formulas for filters of any format with independent
//! probes, derived in [`theory`](crate::theory). Logarithms and exponentials come from `libm`, so every platform gets
//! the same numbers.
//!
//! | wanted | given | of a stored format | by the textbook |
//! |---|---|---|---|
//! | false-positive rate | keys, size | [`AnyFormat::expected_rate`] | [`Textbook::rate`], [`exact_rate`] for small filters too |
//! | bits per key | rate | [`AnyFormat::bits_per_key_for_rate`] | [`Textbook::bits_per_key`] |
//! | | memory | [`AnyFormat::bits_per_key_for_len`] | |
//! | memory | keys, bits per key or rate | [`AnyFormat::filter_len`] | [`Textbook::bits_per_key`] times the keys |
//! | keys | memory, bits per key or rate | [`AnyFormat::capacity`] | |
//! | k | bits per key | [`AnyFormat::probe_count`] | [`Textbook::best_probe_count`] |
//!
//! [`AnyFormat::expected_rate`]: crate::AnyFormat
//! [`AnyFormat::bits_per_key_for_rate`]: crate::AnyFormat
//! [`AnyFormat::bits_per_key_for_len`]: crate::AnyFormat
//! [`AnyFormat::filter_len`]: crate::AnyFormat
//! [`AnyFormat::capacity`]: crate::AnyFormat
//! [`AnyFormat::probe_count`]: crate::AnyFormat
//!
//! [`is_coprime_size`](crate::leveldb::is_coprime_size) returns true if LevelDB's filter has a good size.

#[cfg(feature = "alloc")]
pub mod budget;
mod double_hashing;
mod format;
mod lines;
mod occupancy;
mod search;
mod textbook;

pub use double_hashing::DoubleHashing;
pub(crate) use double_hashing::{Precision, Walks, gcd, inverse, rate_of};
pub(crate) use lines::{line_rate, split_block_rate};
pub use occupancy::exact_rate;
pub(crate) use search::least;
pub use search::{largest, lowest_rate};
pub use textbook::Textbook;
pub(crate) use textbook::{equal_hashes, proper_rate};
