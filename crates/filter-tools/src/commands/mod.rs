//! The commands of `filters`, one per file: arguments and messages only.

pub mod ask;
pub mod build;
pub mod inspect;
pub mod merge;
pub mod size;
