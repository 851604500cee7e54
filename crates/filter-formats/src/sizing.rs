//! Computes the size, false-positive rate or number of keys of a filter from the others.
//!
//! Pure functions of numbers. The free functions are the textbook formulas for filters of any format with independent
//! probes, derived in [`theory`](crate::theory); [`Format`] describes the real behaviour of a stored format: its whole
//! bytes, its own rule for k, its limits. Logarithms and exponentials come from `libm`, so every platform gets the same
//! numbers.
//!
//! | wanted | given | function |
//! |---|---|---|
//! | false-positive rate | bits, keys, k | [`rate`] |
//! | | the same, for small filters too | [`exact_rate`] |
//! | | bits per key, k | [`rate_at`] |
//! | | bits per key, best k | [`best_rate_at`] |
//! | bits per key | rate, best k | [`bits_per_key_for_rate`] |
//! | | rate, k | [`bits_per_key_for_rate_and_probe_count`] |
//! | memory in bits | keys, rate | [`bits_for`] |
//! | | keys, rate, k | [`bits_for_probe_count`] |
//! | keys | memory, rate | [`keys_for`] |
//! | | memory, rate, k | [`keys_for_probe_count`] |
//! | k | bits per key | [`best_probe_count`], [`best_whole_probe_count`] |
//! | | rate, at the least memory | [`probe_count_for_rate`] |
//! | exact bytes | keys, bits per key | [`Format::filter_bytes`] |
//! | rate | keys, bits per key | [`Format::rate`] |
//! | bits per key | keys, rate | [`Format::bits_per_key_for_rate`] |
//! | | keys, memory | [`Format::bits_per_key_for_bytes`] |
//! | keys | memory, bits per key | [`Format::max_keys`] |
//! | k | keys, bits per key | [`Format::probe_count`] |
//! | whether LevelDB's filter has a good size | bytes | [`is_coprime_size`](filter_policy::leveldb::is_coprime_size) |

mod format;
mod leveldb_rate;
mod lines;
mod occupancy;
mod textbook;

pub use format::Format;
pub(crate) use format::{least, split_block_rate};
pub use occupancy::exact_rate;
pub(crate) use textbook::proper_rate;
pub use textbook::{
    best_probe_count, best_rate_at, best_whole_probe_count, bits_for, bits_for_probe_count,
    bits_per_key_for_rate, bits_per_key_for_rate_and_probe_count, keys_for, keys_for_probe_count,
    probe_count_for_rate, rate, rate_at,
};
