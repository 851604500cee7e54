//! The shades of cells: deviations from chance to either side.
//!
//! Shades run from blue through pale grey to brown, a range that readers with common colour blindness can
//! distinguish. They grow darker to both sides, so they also read without colour; on a dark page they grow lighter instead.

use plots::key::Sign;
use plots::mark::Mark;
use plots::scene::{Color, INK};

use crate::record::Verdict;

/// The deviation of a cell from chance, as a class and a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Heat {
    /// Below chance, by one to four classes.
    Below(u8),
    /// Consistent with chance.
    Chance,
    /// Above chance, by one to four classes.
    Above(u8),
}

impl Heat {
    /// The darkest class on either side.
    pub const MAX_CLASS: u8 = 4;

    /// Builds the deviation of `class` classes above or below chance.
    pub fn of(class: u8, is_above: bool) -> Self {
        match class {
            0 => Self::Chance,
            _ if is_above => Self::Above(class),
            _ => Self::Below(class),
        }
    }

    /// Builds a key with the given labels, from furthest below to furthest above.
    pub fn key(words: [&str; 9]) -> [(Sign, &str); 9] {
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
    pub fn fill(self) -> Color {
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

    /// Returns the colour of a text in a cell above chance.
    pub fn ink(self) -> Color {
        match self {
            Self::Above(Self::MAX_CLASS) => Color(0xff, 0xff, 0xff),
            _ => INK,
        }
    }
}

impl From<Verdict> for Mark {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::FewerThanChance => Self::Diamond,
            Verdict::WithinChance => Self::Circle,
            Verdict::WorseThanChance => Self::Triangle,
            Verdict::FarWorseThanChance => Self::Square,
        }
    }
}
