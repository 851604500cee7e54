//! Charts laid out as shapes, and written as SVG and PNG. Knows no record: callers hand over numbers and names.
#![forbid(unsafe_code)]

pub mod bars;
pub mod font;
pub mod grid;
pub mod heat;
pub mod labels;
pub mod mark;
pub mod number;
mod paint;
pub mod panel;
pub mod scale;
pub mod scene;
mod svg;
pub mod thousands;

pub use paint::{png, svg};
