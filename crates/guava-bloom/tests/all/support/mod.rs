//! What several of the tests share.

pub(crate) mod example;
pub(crate) mod hex;
pub(crate) mod number;
