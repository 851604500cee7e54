//! The commands that work on keys and runs, one file each: arguments and messages only.

pub mod compare;
pub mod join;
pub mod list;
pub mod render;
pub mod reproduce;
