//! Computes the size, false-positive rate or number of keys of a filter from the others.
//!
//! Pure functions of numbers: [`EngineFormat`](crate::EngineFormat) describes the real behaviour of a stored format, its whole
//! bytes, its own rule for k and its limits; [`Textbook`] has the formulas for filters of any format with independent
//! probes, derived in [`theory`](crate::theory). Logarithms and exponentials come from `libm`, so every platform gets
//! the same numbers.
//!
//! | wanted | given | of a stored format | by the textbook |
//! |---|---|---|---|
//! | false-positive rate | keys, size | [`EngineFormat::expected_rate`] | [`Textbook::rate`], [`exact_rate`] for small filters too |
//! | bits per key | rate | [`EngineFormat::bits_per_key_for_rate`] | [`Textbook::bits_per_key`] |
//! | | memory | [`EngineFormat::bits_per_key_for_len`] | |
//! | memory | keys, bits per key or rate | [`EngineFormat::filter_len`] | [`Textbook::bits`] |
//! | keys | memory, bits per key or rate | [`EngineFormat::capacity`] | |
//! | k | bits per key | [`EngineFormat::probe_count`] | [`Textbook::best_probe_count`] |
//!
//! [`EngineFormat::expected_rate`]: crate::EngineFormat::expected_rate
//! [`EngineFormat::bits_per_key_for_rate`]: crate::EngineFormat::bits_per_key_for_rate
//! [`EngineFormat::bits_per_key_for_len`]: crate::EngineFormat::bits_per_key_for_len
//! [`EngineFormat::filter_len`]: crate::EngineFormat::filter_len
//! [`EngineFormat::capacity`]: crate::EngineFormat::capacity
//! [`EngineFormat::probe_count`]: crate::EngineFormat::probe_count
//!
//! [`is_coprime_size`](filter_policy::leveldb::is_coprime_size) returns true if LevelDB's filter has a good size.

mod format;
pub(crate) mod leveldb_rate;
mod lines;
mod occupancy;
mod search;
mod textbook;

pub(crate) use lines::{line_rate, split_block_rate};
pub use occupancy::exact_rate;
pub(crate) use search::least;
pub use search::{largest, lowest_rate};
pub use textbook::Textbook;
pub(crate) use textbook::proper_rate;
