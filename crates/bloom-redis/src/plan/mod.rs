//! What to send to the server, and what its replies mean. Knows no connection, and no design of filters.

pub(crate) mod acknowledged;
mod batch;
mod bitfield;
pub(crate) mod bits;
pub(crate) mod chain;
pub(crate) mod chain_begin;
mod chain_by_commands;
pub(crate) mod generation;
pub(crate) mod insert;
pub(crate) mod scripts;
pub(crate) mod tally;
pub(crate) mod transfer;

pub(crate) use batch::{Batch, Replies};
