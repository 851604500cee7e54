#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod batch;
mod contents;
mod form;
mod gzip;
mod keys;
mod kind;
mod signature;
#[cfg(test)]
mod tests;
mod zstandard;

pub use batch::Batch;
pub use form::{Delimiter, KeyForm, sources};
pub use keys::Keys;
pub use kind::KeyKind;
