//! A fixed filter's string: its bits, then its mark.
//!
//! The mark is 24 bytes: `BfR` and the version, here `1`; the number of bits (8 bytes, little-endian); the probes (1
//! byte); three zeros; and the number of the rebuild that made the string (8 bytes), 0 if none did. No insert writes
//! there: a string that ends with the mark was made by this crate, as a whole, with these parameters.

use membership_filters::Hash128;
use redis::{Cmd, cmd};

use crate::error::{Details, Error};
use crate::options::{Expiry, Missing, Options};
use crate::schema::{MARK, Schema};

/// The bytes of a mark that identify the parameters of the bits.
const PARAMETERS: usize = 16;

/// The beginning of every mark.
const MAGIC: &[u8] = b"BfR";

/// The version of the mark, which follows.
const VERSION: u8 = b'1';

/// A Bloom filter's bits in one string.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bitmap {
    pub(crate) key: Vec<u8>,
    pub(crate) schema: Schema,
    /// The rebuild that this is the generation of; 0 for a filter.
    pub(crate) generation: u64,
    pub(crate) options: Options,
    /// The change that inserts make to the time to live.
    pub(crate) expiry: Expiry,
}

impl Bitmap {
    pub(crate) fn new(key: Vec<u8>, schema: Schema) -> Self {
        Self {
            key,
            schema,
            generation: 0,
            options: Options::default(),
            expiry: Expiry::Keep,
        }
    }

    /// Returns the number of bytes before the mark.
    pub(crate) const fn bytes(&self) -> u64 {
        self.schema.bits().div_ceil(8)
    }

    pub(crate) fn mark(&self) -> Vec<u8> {
        let (bits, generation) = (self.schema.bits().to_le_bytes(), self.generation.to_le_bytes());
        let probes = self.schema.probe_count().to_le_bytes();
        [MAGIC, &[VERSION], &bits, &probes, &generation].concat()
    }

    /// Returns the part of the mark that the strings of all generations have.
    pub(crate) fn parameters(&self) -> Vec<u8> {
        self.mark()[..PARAMETERS].to_vec()
    }

    /// Returns the rebuild that made the string with this end; 0 if none did.
    pub(crate) fn generation_of(&self, end: &[u8]) -> u64 {
        let number = end.strip_prefix(&self.parameters()[..]);
        number.map_or(0, |number| number.try_into().map_or(0, u64::from_le_bytes))
    }

    /// Returns the command that reads the mark, or the end of another string.
    pub(crate) fn end(&self) -> Cmd {
        cmd("GETRANGE").arg(&self.key).arg(-(MARK as i64)).arg(-1).take()
    }

    /// Interprets the end of the string on the server: returns whether it is there.
    pub(crate) fn is_there(&self, end: &[u8]) -> Result<bool, Error> {
        let ours = self.parameters();
        if end.is_empty() || end.starts_with(&ours) {
            return Ok(!end.is_empty());
        }
        let is_mark = end.len() == MARK && end.starts_with(MAGIC);
        for (what, at) in [("version", 3..4), ("bits", 4..12), ("probes", 12..13)] {
            if is_mark && end[at.clone()] != ours[at.clone()] {
                let number = |mark: &[u8]| {
                    let bytes = mark[at.clone()].iter().rev();
                    bytes.fold(0, |number, &byte| number << 8 | u64::from(byte))
                };
                let (stored, given) = (number(end), number(&ours));
                let what = format_args!("{what} must be {stored} as in the filter's mark, got {given}");
                return Err(Error::Mismatch(Details::of_key(&self.key, what)));
            }
        }
        match self.options.missing {
            Missing::Published => Ok(true),
            _ => Err(self.without_mark(end)),
        }
    }

    /// Interprets the end of a string that must be the filter's, unless a missing filter is an empty one.
    pub(crate) fn expect(&self, end: &[u8]) -> Result<(), Error> {
        match self.is_there(end)? || self.options.missing != Missing::Reported {
            true => Ok(()),
            false => Err(Error::missing(&self.key)),
        }
    }

    /// Returns the error for a string of another program.
    pub(super) fn without_mark(&self, end: &[u8]) -> Error {
        let what = format_args!(
            "the string must end with the mark that `create` or `write_marks` wrote, got \"{}\"",
            end.escape_ascii()
        );
        Error::Malformed(Details::of_key(&self.key, what))
    }
}

/// Hashes keys. Their offsets depend on nothing else.
pub(crate) fn hashes(keys: impl IntoIterator<Item: AsRef<[u8]>>) -> Vec<Hash128> {
    let keys = keys.into_iter();
    keys.map(|key| Hash128::of(key.as_ref())).collect()
}

/// Returns the offsets of all keys' bits, one key after another.
pub(crate) fn offsets(schema: &Schema, hashes: &[Hash128]) -> Vec<u64> {
    let mut offsets = Vec::with_capacity(hashes.len() * schema.probe_count() as usize);
    for &hash in hashes {
        offsets.extend(schema.positions(hash));
    }
    offsets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_identifies_its_filter_another_one_and_a_string_without_one() {
        let of = |insertions, rate| Bitmap::new(b"key".to_vec(), Schema::fixed(insertions, rate).unwrap());
        let (one, other) = (of(1_000, 0.01), of(500, 0.0001));
        // The same length of the string.
        assert_eq!(
            (one.schema.bits(), one.schema.bits()),
            (9_585, other.schema.bits())
        );
        let generation = Bitmap {
            generation: 7,
            ..one.clone()
        };
        let published = Bitmap {
            options: Options::default().missing(Missing::Published),
            ..one.clone()
        };
        let golden = b"BfR1\x71\x25\0\0\0\0\0\0\x07\0\0\0\0\0\0\0\0\0\0\0";
        assert_eq!(one.mark(), golden, "9,585 bits and 7 probes");
        let mut newer = one.mark();
        newer[3] = b'2';
        let mut odd = one.mark();
        odd[14] = 1;
        for (end, expected) in [
            (&one.mark()[..], Ok(true)),
            (&generation.mark(), Ok(true)),
            (b"", Ok(false)),
            (
                &other.mark(),
                Err("key: probes must be 13 as in the filter's mark, got 7"),
            ),
            (
                &newer,
                Err("key: version must be 50 as in the filter's mark, got 49"),
            ),
            (&odd, Err("key: the string must end with the mark")),
            (b"BfR1", Err("key: the string must end with the mark")),
            (&[0; MARK], Err("key: the string must end with the mark")),
        ] {
            match (one.is_there(end), expected) {
                (Err(error), Err(text)) => assert!(error.to_string().starts_with(text), "{error}"),
                (there, expected) => assert_eq!(there.ok(), expected.ok(), "{}", end.escape_ascii()),
            }
        }
        assert_eq!(published.is_there(&[0; MARK]), Ok(true));
        assert!(published.is_there(&other.mark()).is_err());
    }
}
