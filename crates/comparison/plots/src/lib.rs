//! Public for `hash-comparison` and `bench` alone. Charts laid out as shapes and written as SVG. The crate knows no records:
//! callers pass numbers and names.
#![forbid(unsafe_code)]

mod axes;
pub mod cells;
mod color;
pub mod dots;
pub mod font;
pub mod key;
pub mod mark;
pub mod rows;
pub mod scale;
pub mod scene;
mod svg;
pub mod xy;

pub use svg::{INLINE_STYLE, inline_alternatives, inline_marks, inline_svg, svg};
