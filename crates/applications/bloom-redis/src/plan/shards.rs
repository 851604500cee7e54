//! Sets of shards: the small key, loading and queries.

pub(crate) mod current;
pub(crate) mod load;
pub(crate) mod nodes;
mod query;
pub(crate) mod record;
