//! Looks at the filters in tables of storage engines, and says how large filters must be: the library behind `filters`.
#![forbid(unsafe_code)]

pub mod commands;
pub mod failure;
pub mod inspection;
pub mod sizing;
pub mod table;
