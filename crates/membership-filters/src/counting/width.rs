//! The width of a counter.

use crate::error::{Error, ErrorKind};

/// The width of a counter: any number of bits from 2 to 16.
///
/// A counter of w bits that reaches 2^w - 1 stays there for good. Four bits are the usual choice: in a filter that is
/// no fuller than expected, with elements inserted once, a counter reaches 15 with a probability of at most
/// `(e ln 2 / 15)^15`, some 3e-14 (Fan, Cao, Almeida, Broder, "Summary Cache", 2000, section V.C). More bits suit
/// elements that are inserted many times each; fewer save memory if counters may stick. Counters are stored without
/// gaps, so every width is supported by the same code.
///
/// ```
/// use membership_filters::CounterWidth;
///
/// assert_eq!(CounterWidth::default(), CounterWidth::FOUR);
/// assert_eq!(CounterWidth::new(6)?.largest(), 63);
/// assert_eq!(CounterWidth::new(1).unwrap_err().to_string(), "the counter bits must be between 2 and 16, got 1");
/// # Ok::<(), membership_filters::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CounterWidth(u8);

impl CounterWidth {
    /// The narrowest width, 2 bits.
    pub const MIN: Self = Self(2);
    /// 4 bits: counters up to 15.
    pub const FOUR: Self = Self(4);
    /// 8 bits: counters up to 255.
    pub const EIGHT: Self = Self(8);
    /// 16 bits: counters up to 65,535.
    pub const SIXTEEN: Self = Self(16);
    /// The widest width, 16 bits.
    pub const MAX: Self = Self(16);

    /// Returns the width of this many bits.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] unless `bits` is 2 to 16.
    pub fn new(bits: u8) -> Result<Self, Error> {
        if (Self::MIN.0..=Self::MAX.0).contains(&bits) {
            Ok(Self(bits))
        } else {
            let (thing, range) = ("the counter bits", "between 2 and 16");
            Err(Error::new(ErrorKind::InvalidArgument, thing, range, bits))
        }
    }

    /// Returns the number of bits.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Returns the largest value of a counter, at which it stays.
    pub const fn largest(self) -> u16 {
        u16::MAX >> (16 - self.0)
    }
}

impl Default for CounterWidth {
    fn default() -> Self {
        Self::FOUR
    }
}
