//! The commands of `filters`, a file each: arguments and messages only.

pub mod inspect;
pub mod size;
