//! All code with pointers: the callbacks for LevelDB, and the functions for C programs.
//!
//! No panic crosses into C. All arguments from C are checked, except for the one property that cannot be: that non-null
//! pointers point to memory of their types and lengths.
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
