//! Charts laid out as shapes and written as SVG. The crate knows no records: callers pass numbers and names.
#![forbid(unsafe_code)]

mod axes;
pub mod cells;
mod color;
pub mod font;
pub mod key;
mod labels;
pub mod mark;
pub mod panel;
pub mod scale;
pub mod scene;
mod svg;
pub mod xy;

pub use svg::{escape, svg};
