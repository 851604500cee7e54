//! The commands of `filters`, one per file: arguments and messages only.

pub mod inspect;
pub mod size;
