//! The width of a counter.

use crate::error::BuildError;
use crate::limits::{MAX_COUNTER_BITS, MIN_COUNTER_BITS};

/// Bits of a counter: any number from 2 to 16.
///
/// A counter of w bits that reaches 2^w - 1 stays there for good. Four bits are the usual choice: in a filter that is not
/// fuller than expected, of elements that are there once, a counter reaches 15 with a probability of at most
/// `(e ln 2 / 15)^15`, some 3e-14 (Fan, Cao, Almeida, Broder, "Summary Cache", 2000, section V.C). More bits are for
/// elements that are inserted many times each; fewer save memory where counters may stick. Any width takes the same code,
/// as counters lie without gaps, so none is left out.
///
/// ```
/// use membership_filters::CounterWidth;
///
/// assert_eq!(CounterWidth::default(), CounterWidth::FOUR);
/// assert_eq!(CounterWidth::new(6)?.largest(), 63);
/// assert_eq!(CounterWidth::new(1).unwrap_err().to_string(), "counters have 1 bits, allowed are 2 to 16");
/// # Ok::<(), membership_filters::BuildError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CounterWidth(u8);

impl CounterWidth {
    /// The narrowest, 2 bits.
    pub const MIN: Self = Self(MIN_COUNTER_BITS);
    /// 4 bits: counters up to 15.
    pub const FOUR: Self = Self(4);
    /// 8 bits: counters up to 255.
    pub const EIGHT: Self = Self(8);
    /// 16 bits: counters up to 65,535.
    pub const SIXTEEN: Self = Self(16);
    /// The widest, 16 bits.
    pub const MAX: Self = Self(MAX_COUNTER_BITS);

    /// A width of 2 to 16 bits.
    ///
    /// # Errors
    ///
    /// [`BuildError::CounterBits`].
    pub const fn new(bits: u8) -> Result<Self, BuildError> {
        if bits >= Self::MIN.0 && bits <= Self::MAX.0 {
            Ok(Self(bits))
        } else {
            Err(BuildError::CounterBits { given: bits })
        }
    }

    /// The number of bits.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The value at which a counter stays: all bits are ones.
    pub const fn largest(self) -> u16 {
        u16::MAX >> (16 - self.0)
    }
}

impl Default for CounterWidth {
    fn default() -> Self {
        Self::FOUR
    }
}
