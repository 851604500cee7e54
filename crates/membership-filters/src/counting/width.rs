//! The width of a counter.

use crate::error::Error;

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
/// assert_eq!(CounterWidth::new(4)?, CounterWidth::FOUR);
/// assert_eq!(CounterWidth::new(1).unwrap_err().to_string(), "the counter bits must be between 2 and 16, got 1");
/// # Ok::<(), membership_filters::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CounterWidth(u8);

impl CounterWidth {
    /// 4 bits: counters up to 15.
    pub const FOUR: Self = Self(4);

    /// Returns the width of this many bits.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) unless `bits` is 2 to 16.
    pub fn new(bits: u8) -> Result<Self, Error> {
        if (2..=16).contains(&bits) {
            Ok(Self(bits))
        } else {
            let (thing, range) = ("the counter bits", "between 2 and 16");
            Err(Error::argument(thing, range, bits))
        }
    }

    /// Returns the number of bits.
    pub const fn bits(self) -> u8 {
        self.0
    }
}
