//! Everything that deals in pointers: what LevelDB calls, what C programs call, and what calls LevelDB.
//!
//! No panic crosses into C from here, and nothing that C hands in is believed but what cannot be checked: that
//! pointers that are not null point to what their types and lengths say.
#![expect(
    unsafe_code,
    reason = "C hands in and takes pointers; nothing outside this module and its children touches them"
)]

mod c_api;
mod c_bytes;
mod callbacks;
#[cfg(feature = "leveldb")]
mod database;
#[cfg(feature = "leveldb")]
mod leveldb;
mod state;
#[cfg(test)]
mod tests;

pub use c_api::{
    filter_policy_create_filter, filter_policy_destroy, filter_policy_key_may_match, filter_policy_name,
    filter_policy_new,
};
pub use callbacks::Callbacks;
#[cfg(feature = "leveldb")]
pub use database::{Database, DatabaseOptions};
#[cfg(feature = "leveldb")]
pub use leveldb::{LevelDbPolicy, leveldb_filterpolicy_t};
