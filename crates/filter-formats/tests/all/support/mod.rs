//! Code shared by several tests.

pub(crate) mod any_bytes;
pub(crate) mod layouts;
pub(crate) mod random;
pub(crate) mod ways;
pub(crate) mod which_policy;
