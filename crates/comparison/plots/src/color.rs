//! The colours of charts on white paper; a page's style sheet may replace them on a dark background.

pub use plotters::style::RGBColor as Color;

/// Text and marks.
pub const INK: Color = Color(0x1b, 0x1f, 0x24);
/// Axis labels and notes; contrast 6.1:1 on white and 5.6:1 on a stripe.
pub const MUTED: Color = Color(0x5a, 0x63, 0x6e);
/// Grid lines.
pub const GRID: Color = Color(0xdd, 0xe1, 0xe6);
/// Every second row.
pub const STRIPE: Color = Color(0xf5, 0xf6, 0xf8);
/// Range of a random function's results.
pub const BAND: Color = Color(0xc3, 0xc9, 0xd1);
/// Background.
pub const PAPER: Color = Color(0xff, 0xff, 0xff);
/// The frame of a name, in a colour that no mark has.
pub const FRAME: Color = Color(0x6a, 0x1b, 0x9a);
