//! The shades of cells: of a p-value, and of a deviation from chance to either side.
//!
//! Shades of deviations run from blue through pale grey to brown, a range that readers with common colour blindness can
//! tell apart. They grow darker to both sides, so they also read without colour; on a dark page they grow lighter instead.

use plots::key::Sign;
use plots::scene::{Color, INK, MUTED};

/// The class of a p-value. Each cell also shows its number, so that no reader depends on the shade.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Significance {
    /// p at least 0.001.
    Insignificant,
    /// p below 0.001: about one cell in a thousand by chance.
    Weak,
    /// p below 1e-6: hardly ever by chance.
    Strong,
    /// p below 1e-30.
    Extreme,
}

impl Significance {
    /// Key of the shades.
    pub(crate) const KEY: [(Sign, &'static str); 4] = [
        (Sign::Shade(Self::Insignificant.fill()), "p ≥ 0.001: chance"),
        (Sign::Shade(Self::Weak.fill()), "p < 0.001"),
        (Sign::Shade(Self::Strong.fill()), "p < 1e-6"),
        (Sign::Shade(Self::Extreme.fill()), "p < 1e-30"),
    ];

    /// Returns the class of a p-value; NaN gives [`Self::Insignificant`].
    pub(crate) fn of(p: f64) -> Self {
        match p {
            _ if p < 1e-30 => Self::Extreme,
            _ if p < 1e-6 => Self::Strong,
            _ if p < 1e-3 => Self::Weak,
            _ => Self::Insignificant,
        }
    }

    /// Returns the fill colour, which is darker for smaller p-values.
    pub(crate) const fn fill(self) -> Color {
        match self {
            Self::Insignificant => Color(0xee, 0xf2, 0xf6),
            Self::Weak => Color(0xfd, 0xdc, 0xa6),
            Self::Strong => Color(0xf0, 0x9a, 0x3e),
            Self::Extreme => Color(0x9c, 0x3a, 0x00),
        }
    }

    /// Returns the text colour on the fill.
    pub(crate) fn ink(self) -> Color {
        match self {
            Self::Insignificant => MUTED,
            Self::Weak | Self::Strong => INK,
            Self::Extreme => Color(0xff, 0xff, 0xff),
        }
    }
}

/// The deviation of a cell from chance, as a class and a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Heat {
    /// Below chance, by one to four classes.
    Below(u8),
    /// Consistent with chance.
    Chance,
    /// Above chance, by one to four classes.
    Above(u8),
}

impl Heat {
    /// The darkest class on either side.
    pub(crate) const MAX_CLASS: u8 = 4;

    /// Builds the deviation of `class` classes above or below chance.
    pub(crate) fn of(class: u8, is_above: bool) -> Self {
        match class {
            0 => Self::Chance,
            _ if is_above => Self::Above(class),
            _ => Self::Below(class),
        }
    }

    /// Builds a key with the given labels, from furthest below to furthest above.
    pub(crate) fn key(words: [&str; 9]) -> [(Sign, &str); 9] {
        let mut classes = -4_i8..=4;
        words.map(|words| {
            let class = classes.next().unwrap_or_default();
            (
                Sign::Shade(Self::of(class.unsigned_abs(), class > 0).fill()),
                words,
            )
        })
    }

    /// Returns the fill colour of a cell.
    pub(crate) fn fill(self) -> Color {
        match self {
            Self::Chance => Color(0xe4, 0xe9, 0xef),
            Self::Below(0 | 1) => Color(0xc6, 0xdc, 0xef),
            Self::Below(2) => Color(0x7f, 0xb2, 0xdc),
            Self::Below(3) => Color(0x3a, 0x7a, 0xb8),
            Self::Below(_) => Color(0x14, 0x43, 0x78),
            Self::Above(0 | 1) => Color(0xfd, 0xdc, 0xa6),
            Self::Above(2) => Color(0xf0, 0x9a, 0x3e),
            Self::Above(3) => Color(0xc8, 0x5a, 0x0a),
            Self::Above(_) => Color(0x7a, 0x2c, 0x00),
        }
    }
}
