//! All code with pointers: the callbacks for LevelDB, and the functions for C programs.
//!
//! No panic crosses into C. All arguments from C are checked, except for the one property that cannot be: that non-null
//! pointers point to memory of their types and lengths.
//!
//! A lookup through C takes 31 to 40 instructions more than through Rust's `dyn FilterPolicy` (106 for keys of 16 bytes).
//! Through LevelDB, it takes 2.1 to 3.0 ns longer, and each key of a build 1.4 to 2.6 ns, in filters of up to 100,000 keys
//! (AMD EPYC Zen 4 with AVX-512, `reports/reference/policy/policy.csv`; an older commit on an AMD EPYC with AVX2,
//! `reports/reference/policy-avx2/policy.csv`, took 2.9 to 4.4 and 3.1 to 10.3 ns).
#![expect(
    unsafe_code,
    reason = "C hands in and takes pointers; nothing outside this module and its children touches them"
)]

mod c_api;
mod c_bytes;
mod callbacks;
pub(crate) mod policy;
mod state;
#[cfg(test)]
mod tests;

pub use c_api::{
    filter_policy_create_filter, filter_policy_destroy, filter_policy_key_may_match, filter_policy_name,
    filter_policy_new, filter_policy_new_fractional, filter_policy_parse, filter_policy_reader,
};
pub use callbacks::Callbacks;
