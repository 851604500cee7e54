//! What to send to the server, and what its replies mean. Knows no connection, and no design of filters.

pub(crate) mod acknowledged;
pub(crate) mod bitmap;
pub(crate) mod bits;
pub(crate) mod chain;
mod chain_by_commands;
pub(crate) mod generation;
pub(crate) mod growth;
pub(crate) mod insert;
pub(crate) mod lifetime;
pub(crate) mod scripts;
pub(crate) mod tally;
pub(crate) mod transfer;
