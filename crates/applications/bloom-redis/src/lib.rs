#![doc = include_str!("../README.md")]
//!
//! # How it is built
//!
//! `fixed` and `growing` are the designs: they choose keys and plans. Each file of `plan` builds the commands
//! of one concern and reads the replies; the Lua scripts are in `scripts/`. Only [`Call`] and its drivers touch a
//! connection.
//!
//! An operation is written once, as an `async` block that sends batches of commands over a `Line` and never waits for
//! anything else. [`Call::query`] and `Call::query_async` drive the same block.
#![forbid(unsafe_code)]

mod answer;
mod batch;
mod bitfield;
mod call;
mod error;
mod fixed;
mod growing;
mod options;
mod plan;
mod rebuild;
mod redisbloom;
mod schema;
mod stats;

pub use answer::Answer;
pub use call::Call;
pub use error::{Details, Error};
pub use fixed::FixedFilter;
pub use growing::GrowingFilter;
pub use options::{Expiry, Missing, Options};
pub use rebuild::Rebuild;
pub use redisbloom::RedisBloom;
pub use schema::Schema;
pub use stats::Stats;

pub use membership_filters::redisbloom::hash_tag;
/// The `redis` crate, which provides the connections.
pub use redis;
