//! The part of a stored filter that answers for a key, for filters that are kept where a few bytes are read at a time.

use std::fmt;

use filter_formats::view::places::{self, Places};
use membership_filters::Modulus;

use crate::error::Error;
use crate::format::Result;

/// The number of a filter's first bytes, and of its last, that suffice for [`Format::outline`](crate::Format::outline).
pub const ENDS: usize = places::TAIL_LEN;

/// The layout of a stored filter without its bits. It gives the bits that answer for a key.
pub struct Outline(pub(crate) Box<dyn Placed>);

/// A stored filter whose answer for a key needs a few of its bytes.
pub(crate) trait Placed: Send + Sync {
    fn places(&self, key: &[u8]) -> Places;

    /// Answers from the bytes of the places, if these are bytes.
    fn contains(&self, _key: &[u8], _bytes: &[u8]) -> bool {
        true
    }
}

impl Outline {
    /// Returns the places in the filter that answer for a key.
    pub fn places(&self, key: &[u8]) -> Places {
        self.0.places(key)
    }

    /// Returns true if the filter may contain a key, given the bytes of its [`places`](Self::places), one range after
    /// the other. False is certain.
    #[must_use]
    pub fn contains(&self, key: &[u8], bytes: &[u8]) -> bool {
        self.0.contains(key, bytes)
    }
}

impl fmt::Debug for Outline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outline").finish_non_exhaustive()
    }
}

/// Implements outlines of filters in which all bits of a key must be set.
impl<F: Fn(&[u8]) -> Places + Send + Sync> Placed for F {
    fn places(&self, key: &[u8]) -> Places {
        self(key)
    }
}

/// Returns the outline of a stream, which is queried bit by bit: a header, then so many big-endian words of 64 bits,
/// `wanted` bytes in all.
pub(crate) fn stream<P: IntoIterator<Item = u64>>(
    len: u64,
    wanted: u64,
    header: usize,
    words: u32,
    positions: impl Fn(&[u8], Modulus) -> P + Send + Sync + 'static,
) -> Result<Outline> {
    let bits = Modulus::new(u64::from(words) * 64).filter(|_| wanted == len);
    let wrong = || {
        Error::argument(format_args!(
            "the length must be {wanted} by its header, got {len}"
        ))
    };
    let bits = bits.ok_or_else(wrong)?;
    let places = move |key: &[u8]| {
        let bits = positions(key, bits).into_iter();
        // The bytes of a word are turned around, the bits of a byte are not.
        Places::Bits(bits.map(|bit| header as u64 * 8 + (bit ^ 56)).collect())
    };
    Ok(Outline(Box::new(places)))
}
