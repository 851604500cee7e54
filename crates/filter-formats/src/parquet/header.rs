//! The header that Parquet stores before a filter: a `BloomFilterHeader` in Thrift's compact encoding.
//!
//! Sources: the Parquet format, `parquet.thrift`; Thrift, `doc/specs/thrift-compact-protocol.md`.

use filter_kernels::split_block::BLOCK_LEN;

use super::error::ReadError;
use super::policy::MAX_LEN;

/// Field types.
const BYTE: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;

/// The maximum nesting depth of skipped structures.
const MAX_DEPTH: u8 = 16;

/// The header before a bit set in a Parquet file.
///
/// ```
/// use filter_formats::parquet::{Header, ReadError};
///
/// let header = Header::new(1024)?;
/// let bytes = header.encode();
/// assert_eq!(bytes.as_ref().len(), 16);
/// assert_eq!(Header::read(bytes.as_ref()), Ok((header, 16)));
/// assert_eq!(Header::read(&bytes.as_ref()[..9]), Err(ReadError::Header));
/// assert_eq!(Header::new(1000), Err(ReadError::Length { given: 1000 }));
/// # Ok::<(), ReadError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    bitset_len: u32,
}

impl Header {
    /// The number of bytes to read for a whole header: today's writers make headers of 15 to 19 bytes, and later
    /// versions of the format may have longer ones.
    pub const MAX_BYTES: usize = 256;

    /// Makes the header of a bit set of this many bytes.
    ///
    /// # Errors
    ///
    /// [`ReadError::Length`] when `bitset_len` is not a multiple of 32 from 32 to 2,147,483,616.
    pub const fn new(bitset_len: usize) -> Result<Self, ReadError> {
        Self::of_length(if bitset_len as u64 > i64::MAX as u64 {
            i64::MAX
        } else {
            bitset_len as i64
        })
    }

    #[expect(clippy::cast_possible_truncation, reason = "at most the longest there can be")]
    const fn of_length(given: i64) -> Result<Self, ReadError> {
        if given <= 0 || given > MAX_LEN as i64 || given % BLOCK_LEN as i64 != 0 {
            return Err(ReadError::Length { given });
        }
        Ok(Self {
            bitset_len: given.unsigned_abs() as u32,
        })
    }

    /// Reads the header within the first [`MAX_BYTES`](Self::MAX_BYTES) bytes and returns it with its length. Unknown
    /// fields are skipped.
    ///
    /// # Errors
    ///
    /// [`ReadError::Header`], [`ReadError::Unknown`], [`ReadError::Length`].
    pub fn read(bytes: &[u8]) -> Result<(Self, usize), ReadError> {
        let bytes = bytes.get(..Self::MAX_BYTES).unwrap_or(bytes);
        let mut input = Input(bytes);
        let mut len = None;
        let mut known = [None; 3];
        let mut last = 0;
        while let Some((field, kind)) = input.field(&mut last)? {
            match (field, kind) {
                (1, I32) => len = Some(input.integer()?),
                (2..=4, STRUCT) => {
                    if let Some(known) = known.get_mut(usize::from(field.unsigned_abs()) - 2) {
                        *known = Some(input.choice()?);
                    }
                }
                _ => input.skip(kind, MAX_DEPTH)?,
            }
        }
        for (what, number) in ["algorithm", "hash function", "compression"]
            .into_iter()
            .zip(known)
        {
            match number.ok_or(ReadError::Header)? {
                1 => {}
                number => return Err(ReadError::Unknown { what, number }),
            }
        }
        let header = Self::of_length(len.ok_or(ReadError::Header)?)?;
        Ok((header, bytes.len() - input.0.len()))
    }

    /// Returns the length of the bit set in bytes, a multiple of 32 from 32 to 2,147,483,616.
    pub const fn bitset_len(&self) -> u32 {
        self.bitset_len
    }

    /// Returns the header as Parquet's writers store it.
    pub fn encode(&self) -> EncodedHeader {
        let mut encoded = EncodedHeader {
            bytes: [0; 19],
            len: 0,
        };
        encoded.push(&[0x10 | I32]);
        // Zigzag encoding: twice the number, with the sign in the lowest bit.
        let mut rest = u64::from(self.bitset_len) << 1;
        while rest > 0x7f {
            encoded.push(&[rest.to_le_bytes()[0] | 0x80]);
            rest >>= 7;
        }
        encoded.push(&[rest.to_le_bytes()[0]]);
        // Three structures, each with an empty structure as its first field.
        const FIRST_OF_ITS_KIND: [u8; 4] = [0x10 | STRUCT, 0x10 | STRUCT, 0, 0];
        for _ in 0..3 {
            encoded.push(&FIRST_OF_ITS_KIND);
        }
        encoded.push(&[0]);
        encoded
    }
}

/// The 15 to 19 bytes of a [`Header`], available through `as_ref`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodedHeader {
    bytes: [u8; 19],
    len: usize,
}

impl EncodedHeader {
    fn push(&mut self, more: &[u8]) {
        let free = self.bytes.iter_mut().skip(self.len);
        free.zip(more).for_each(|(byte, more)| *byte = *more);
        self.len += more.len();
    }
}

impl AsRef<[u8]> for EncodedHeader {
    fn as_ref(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

/// The bytes that have not been read yet.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> Result<u8, ReadError> {
        let (first, rest) = self.0.split_first().ok_or(ReadError::Header)?;
        self.0 = rest;
        Ok(*first)
    }

    /// Reads a number of seven bits per byte, lowest first; the highest bit of a byte is set if another byte follows.
    fn varint(&mut self) -> Result<u64, ReadError> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(ReadError::Header)
    }

    /// Reads a zigzag integer: an even `n` means `n / 2`, an odd `n` means `-(n + 1) / 2`.
    fn integer(&mut self) -> Result<i64, ReadError> {
        let value = self.varint()?;
        Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    /// Returns the number and the type of the next field; `None` after the last one.
    fn field(&mut self, last: &mut i16) -> Result<Option<(i16, u8)>, ReadError> {
        let byte = self.byte()?;
        if byte == 0 {
            return Ok(None);
        }
        let number = match byte >> 4 {
            0 => i16::try_from(self.integer()?).ok(),
            further => last.checked_add(i16::from(further)),
        };
        *last = number.ok_or(ReadError::Header)?;
        Ok(Some((*last, byte & 0xf)))
    }

    /// Returns the number of a structure's only field, whatever the field's value.
    fn choice(&mut self) -> Result<i16, ReadError> {
        let mut last = 0;
        let (number, kind) = self.field(&mut last)?.ok_or(ReadError::Header)?;
        self.skip(kind, MAX_DEPTH)?;
        match self.field(&mut last)? {
            None => Ok(number),
            Some(_) => Err(ReadError::Header),
        }
    }

    fn skip_bytes(&mut self, count: u64) -> Result<(), ReadError> {
        let count = usize::try_from(count).map_err(|_| ReadError::Header)?;
        self.0 = self.0.get(count..).ok_or(ReadError::Header)?;
        Ok(())
    }

    /// Skips the value of a field. Every element takes at least one byte, so skipping ends with the input.
    fn skip(&mut self, kind: u8, depth: u8) -> Result<(), ReadError> {
        let depth = depth.checked_sub(1).ok_or(ReadError::Header)?;
        match kind {
            // Booleans: the type is the value.
            1 | 2 => Ok(()),
            BYTE => self.skip_bytes(1),
            I16 | I32 | I64 => self.varint().map(|_| ()),
            DOUBLE => self.skip_bytes(8),
            BINARY => {
                let len = self.varint()?;
                self.skip_bytes(len)
            }
            LIST | SET => {
                let byte = self.byte()?;
                let count = match byte >> 4 {
                    15 => self.varint()?,
                    count => u64::from(count),
                };
                (0..count).try_for_each(|_| self.skip_element(byte & 0xf, depth))
            }
            MAP => {
                let count = self.varint()?;
                if count == 0 {
                    return Ok(());
                }
                let kinds = self.byte()?;
                (0..count).try_for_each(|_| {
                    self.skip_element(kinds >> 4, depth)?;
                    self.skip_element(kinds & 0xf, depth)
                })
            }
            STRUCT => {
                let mut last = 0;
                while let Some((_, kind)) = self.field(&mut last)? {
                    self.skip(kind, depth)?;
                }
                Ok(())
            }
            _ => Err(ReadError::Header),
        }
    }

    /// Skips an element of a list or map, where booleans take a byte.
    fn skip_element(&mut self, kind: u8, depth: u8) -> Result<(), ReadError> {
        match kind {
            1 | 2 => self.skip_bytes(1),
            kind => self.skip(kind, depth),
        }
    }
}
