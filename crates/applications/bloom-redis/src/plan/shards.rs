//! Sets of shards: the small key, loading and queries.

pub(crate) mod ask;
pub(crate) mod current;
pub(crate) mod load;
pub(crate) mod nodes;
pub(crate) mod record;
