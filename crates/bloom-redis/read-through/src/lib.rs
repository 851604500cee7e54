#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod database;
mod link;
mod lookups;
mod store;

pub use database::Database;
pub use link::Link;
pub use lookups::{Lookups, name};
pub use store::{Error, Guard, Store};
