//! What is measured. Everything here but the times is the same for the same keys and seed on every machine.

pub mod collisions;
pub mod curves;
pub mod distribution;
pub mod false_positives;
mod hashed;
pub mod places;
mod radix;
pub mod timing;

pub use hashed::Hashed;
