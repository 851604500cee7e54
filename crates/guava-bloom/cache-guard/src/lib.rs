#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod database;
mod lookups;
mod store;

pub use database::Database;
pub use lookups::{Lookups, name};
pub use store::{Counts, Error, Store};
