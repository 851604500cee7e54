//! The header that Parquet stores before a filter: a `BloomFilterHeader` in Thrift's compact encoding.
//!
//! Source: the Parquet format, `parquet.thrift`.

use crate::formats::split_block::BLOCK_LEN;

use super::thrift::{I32, Input, Read, STRUCT};
use crate::error::Error;
use crate::formats::split_block::MAX_LEN;

/// The header before a bit set in a Parquet file.
///
/// ```
/// use filter_policy::parquet::Header;
/// use filter_policy::Error;
///
/// let header = Header::new(1024)?;
/// let bytes = header.encode();
/// assert_eq!(bytes.as_ref().len(), 16);
/// assert_eq!(Header::read(bytes.as_ref()), Ok((header, 16)));
/// assert_eq!(Header::read(&bytes.as_ref()[..9]), Err(Error::ParquetHeader));
/// assert_eq!(Header::new(1000), Err(Error::BitsetLength { given: 1000 }));
/// # Ok::<(), Error>(())
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
    /// [`Error::BitsetLength`] when `bitset_len` is not a multiple of 32 from 32 to 2,147,483,616.
    pub const fn new(bitset_len: usize) -> Result<Self, Error> {
        Self::of_length(if bitset_len as u64 > i64::MAX as u64 {
            i64::MAX
        } else {
            bitset_len as i64
        })
    }

    #[expect(clippy::cast_possible_truncation, reason = "at most the longest there can be")]
    const fn of_length(given: i64) -> Result<Self, Error> {
        if given <= 0 || given > MAX_LEN as i64 || given % BLOCK_LEN as i64 != 0 {
            return Err(Error::BitsetLength { given });
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
    /// [`Error::ParquetHeader`], [`Error::UnknownToParquet`], [`Error::BitsetLength`].
    pub fn read(bytes: &[u8]) -> Result<(Self, usize), Error> {
        let bytes = bytes.get(..Self::MAX_BYTES).unwrap_or(bytes);
        let mut input = Input(bytes);
        let mut len = None;
        let [mut algorithm, mut hash, mut compression] = [None; 3];
        let read = input.structure(|input, field| {
            match field {
                (1, I32) => len = Some(input.number()?),
                (2, STRUCT) => algorithm = Some(choice(input)?),
                (3, STRUCT) => hash = Some(choice(input)?),
                (4, STRUCT) => compression = Some(choice(input)?),
                (_, kind) => input.skip(kind)?,
            }
            Ok(())
        });
        read.map_err(|_| Error::ParquetHeader)?;
        for (what, number) in [
            ("algorithm", algorithm),
            ("hash function", hash),
            ("compression", compression),
        ] {
            match number.ok_or(Error::ParquetHeader)? {
                1 => {}
                number => return Err(Error::UnknownToParquet { what, number }),
            }
        }
        let header = Self::of_length(len.ok_or(Error::ParquetHeader)?)?;
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

/// Returns the number of a structure's only field, whatever the field's value, or 0 of an empty structure: parquetjs
/// writes those.
fn choice(input: &mut Input<'_>) -> Read<i16> {
    let mut only = None;
    let read = input.structure(|input, (number, kind)| {
        let number = i16::try_from(number).map_err(|_| "the number of a field must have 16 bits")?;
        match only.replace(number) {
            None => input.skip(kind),
            Some(_) => Err("a choice must have one field"),
        }
    });
    read.map(|()| only.unwrap_or(0))
}
