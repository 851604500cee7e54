//! What is measured. Everything here but the times is the same for the same keys and seed on every machine.

mod avalanche;
pub mod collisions;
pub mod curves;
pub mod distribution;
pub mod environment;
pub mod false_positives;
mod flips;
mod hashed;
mod independence;
pub mod mechanism;
pub mod mixing;
pub mod occupancy;
pub mod places;
mod prefixes;
mod radix;
mod remainder;
pub mod structured;
pub mod timing;
pub mod windows;

pub use hashed::Hashed;
