//! The commands to send and the meaning of their replies. Knows neither connections nor designs of filters.

pub(crate) mod bitmap;
pub(crate) mod bits;
pub(crate) mod chain;
pub(crate) mod chain_marks;
pub(crate) mod generation;
pub(crate) mod growth;
pub(crate) mod insert;
pub(crate) mod loaded;
pub(crate) mod scripts;
pub(crate) mod transfer;
pub(crate) mod whole;
