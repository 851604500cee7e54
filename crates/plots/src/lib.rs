//! Charts laid out as shapes and written as SVG and PNG. The crate knows no records: callers pass numbers and names.
#![forbid(unsafe_code)]

mod axes;
mod bitmap;
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

pub use bitmap::png;
pub use svg::{escape, svg};
