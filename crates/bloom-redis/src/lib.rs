#![doc = include_str!("../README.md")]
//!
//! # Where things are
//!
//! | module | holds | must not know |
//! |---|---|---|
//! | `schema` | the sizes that follow from insertions and probability | keys, servers |
//! | `names` | keys, prefixes, hash tags, companion keys | commands |
//! | `options` | what a caller chooses: commands, missing filters, failures, bounds, replicas | servers |
//! | `answer`, `statistics` | what queries say | |
//! | `error`, `trouble` | what can go wrong; of the server's failures, the kinds | |
//! | `batch`, `bitfield` | commands of one round trip, and their replies | what they are for |
//! | `call` | [`Call`] and its drivers, synchronous and asynchronous: the only code that sends anything | filters |
//! | `reconnecting` | [`Reconnecting`], a blocking connection that outlives the server's | filters |
//! | `plan` | what to send and how the replies are read, a file a concern; the Lua scripts lie in `scripts/` | connections |
//! | `record`, `rebuild` | the parameter record, generations | connections |
//! | `stored` | what can be done with a filter of one bitmap | designs |
//! | `fixed`, `growing`, `split` | the designs: their keys, and which plan does what | commands |
//!
//! An operation is written once, as an `async` block that sends batches of commands over a `Line` and never waits for
//! anything else. [`Call::query`] and [`Call::query_async`] drive the same block.
#![forbid(unsafe_code)]

mod answer;
mod batch;
mod bitfield;
mod call;
mod error;
mod fixed;
mod growing;
mod names;
mod options;
mod plan;
mod rebuild;
mod reconnecting;
mod record;
mod schema;
mod split;
mod statistics;
mod stored;
mod trouble;

pub use answer::Answer;
pub use call::Call;
pub use error::Error;
pub use fixed::Fixed;
pub use growing::Growing;
pub use names::hash_tag;
pub use options::{Commands, Expiry, Missing, OnFailure, Options, Replicas};
pub use rebuild::{GrowingRebuild, Rebuild};
pub use reconnecting::Reconnecting;
pub use record::{Design, NoRecord, Record};
pub use schema::{Schema, SchemaError};
pub use split::Split;
pub use statistics::Statistics;
pub use trouble::Trouble;

/// The client that connections come from.
pub use redis;
