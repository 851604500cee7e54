//! The stored form of a chain: what `BF.SCANDUMP` returns. `FORMAT.md` describes it.

use alloc::vec::{IntoIter, Vec};
use core::{iter, mem};

use super::parameters::{LN_2, MAX_BITS, RedisBloomLink};
use super::{Link, RedisBloomFilter};
use crate::arch;
use crate::bits::Bits;
use crate::envelope::Reader;
use crate::error::{Error, ErrorKind};
use crate::stored::{invalid, of_field, within};

/// The largest number of bytes of a chunk.
const CHUNK_LEN: usize = 1 << 24;

/// The number of bytes of the header before its links, and of each of these.
const FIELDS_LEN: usize = 20;
const LINK_LEN: usize = 53;

/// The options of a chain: positions by 64-bit hashes in any number of bits, and whether it scales.
const SCALING: u32 = 5;
const NON_SCALING: u32 = 13;

impl RedisBloomFilter {
    /// Returns the chunks of the filter, as repeated calls of `BF.SCANDUMP` do: the iterator to pass to `BF.LOADCHUNK` with the
    /// bytes. The first is a header, and the others have at most 16 MiB.
    pub fn chunks(&self) -> impl Iterator<Item = (i64, Vec<u8>)> {
        let bits = self.links().flat_map(|link| link.bits.words().chunks(CHUNK_LEN));
        let mut iterator = 1;
        let bits = bits.map(move |bytes| {
            iterator += i64::try_from(bytes.len()).unwrap_or_default();
            (iterator, bytes.to_vec())
        });
        iter::once_with(|| (1, self.header())).chain(bits)
    }

    /// Reads a filter from its chunks in their order, as `BF.SCANDUMP` returns them; those may be divided in other places. Ends
    /// at a chunk of the iterator 0, which `BF.SCANDUMP` returns behind the last. Allocates as bytes arrive, at most three
    /// times as many.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Truncated`] if chunks are missing at the end, [`ErrorKind::TrailingBytes`] behind the last,
    /// [`ErrorKind::InvalidField`] for one of another place and for a header that no server writes.
    pub fn from_chunks<'a>(chunks: impl IntoIterator<Item = (i64, &'a [u8])>) -> Result<Self, Error> {
        let mut chunks = chunks.into_iter().take_while(|&(iterator, _)| iterator != 0);
        let (first, header) = chunks.next().unwrap_or((1, &[]));
        if first != 1 {
            return Err(invalid("the iterator of the first chunk", 1, first));
        }
        let mut chain = Unfilled::new(header)?;
        let mut iterator = 1_i64;
        for (stated, bytes) in chunks {
            iterator = iterator.saturating_add(i64::try_from(bytes.len()).unwrap_or(i64::MAX));
            if stated != iterator {
                return Err(invalid("the iterator of a chunk", iterator, stated));
            }
            chain.fill(bytes)?;
        }
        chain.finish()
    }

    /// Returns the bytes of all chunks, one after the other.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut all = Vec::new();
        self.chunks().for_each(|(_, bytes)| all.extend(bytes));
        all
    }

    /// Reads a filter from the bytes of all its chunks, one after the other.
    ///
    /// # Errors
    ///
    /// The errors of [`from_chunks`](Self::from_chunks).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let links = bytes.get(8..12).and_then(|bytes| bytes.first_chunk());
        let links = links.map_or(0, |bytes| u32::from_le_bytes(*bytes) as usize);
        let header = links.saturating_mul(LINK_LEN).saturating_add(FIELDS_LEN);
        let (header, bits) = bytes.split_at(header.min(bytes.len()));
        let mut chain = Unfilled::new(header)?;
        chain.fill(bits)?;
        chain.finish()
    }

    /// Returns true if so many bytes that begin with these, of which 16 suffice, may be those of all chunks.
    pub fn is_begun_by(head: &[u8], len: u64) -> bool {
        let field = |at| {
            head.get(at..)?
                .first_chunk()
                .map(|bytes| u32::from_le_bytes(*bytes))
        };
        let (Some(links), Some(SCALING | NON_SCALING)) = (field(8), field(12)) else {
            return false;
        };
        // Each link has 8 bytes of bits, at least.
        links > 0 && len >= FIELDS_LEN as u64 + u64::from(links) * (LINK_LEN as u64 + 8)
    }

    fn header(&self) -> Vec<u8> {
        let stats = self.stats();
        let options = if self.is_scaling { SCALING } else { NON_SCALING };
        let mut header = Vec::with_capacity(FIELDS_LEN + LINK_LEN * (self.full.len() + 1));
        header.extend(stats.len.to_le_bytes());
        header.extend((self.full.len() as u64 + 1).to_le_bytes().iter().take(4));
        header.extend(options.to_le_bytes());
        header.extend(self.expansion.to_le_bytes());
        for link in self.links() {
            let shape = &link.shape;
            let (rate, bits_per_key) = (shape.rate.to_bits(), shape.bits_per_key.to_bits());
            for field in [shape.bits / 8, shape.bits, link.len, rate, bits_per_key] {
                header.extend(field.to_le_bytes());
            }
            header.extend(shape.probe_count.to_le_bytes());
            header.extend(shape.capacity.to_le_bytes());
            header.push(0);
        }
        header
    }
}

/// A chain whose bits arrive.
struct Unfilled {
    expansion: u32,
    is_scaling: bool,
    /// The links that have their bits.
    links: Vec<Link>,
    /// The others, the oldest first, with their numbers of keys.
    left: IntoIter<(RedisBloomLink, u64)>,
    /// The bits of the first of these.
    bits: Vec<u8>,
}

impl Unfilled {
    fn new(header: &[u8]) -> Result<Self, Error> {
        let mut rest = header;
        let mut reader = Reader::plain(&mut rest);
        let len = reader.u64()?;
        let mut number = || reader.array().map(u32::from_le_bytes);
        let (count, options, expansion) = (number()?, number()?, number()?);
        let is_scaling = match options {
            SCALING if expansion == 0 => return Err(invalid("the expansion", "at least 1", expansion)),
            SCALING | NON_SCALING => options == SCALING,
            _ => {
                return Err(invalid(
                    "the options",
                    "5 or 13, of filters by 64-bit hashes",
                    options,
                ));
            }
        };
        let mut left = Vec::new();
        // As many as there can be.
        Error::reserve(&mut left, header.len() / LINK_LEN)?;
        for _ in 0..count {
            left.push(read_link(&mut reader)?);
        }
        reader.end()?;
        let sum = left.iter().fold(0, |sum: u64, (_, len)| sum.saturating_add(*len));
        if len != sum {
            return Err(invalid("the number of keys", sum, len));
        }
        let mut links = Vec::new();
        Error::reserve(&mut links, left.len())?;
        Ok(Self {
            expansion,
            is_scaling,
            links,
            left: left.into_iter(),
            bits: Vec::new(),
        })
    }

    /// Takes the next bits.
    fn fill(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        while !bytes.is_empty() {
            let Some(&(shape, len)) = self.left.as_slice().first() else {
                let (thing, got) = ("the bytes behind the last link", bytes.len());
                return Err(Error::new(ErrorKind::TrailingBytes, thing, 0, got));
            };
            let missing = usize::try_from(shape.bits / 8).unwrap_or(usize::MAX) - self.bits.len();
            let (now, later) = bytes.split_at(bytes.len().min(missing));
            if self.bits.capacity() - self.bits.len() < now.len() {
                // Double the memory, up to the size of the link.
                let more = now.len().max(self.bits.len()).min(missing);
                Error::reserve(&mut self.bits, more)?;
                arch::prefer_huge_pages(&mut self.bits);
            }
            self.bits.extend_from_slice(now);
            if now.len() == missing {
                let bits = Bits::from_words(mem::take(&mut self.bits))?;
                self.links.push(Link::of(shape, bits, len));
                self.left.next();
            }
            bytes = later;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<RedisBloomFilter, Error> {
        let missing = self.left.map(|(shape, _)| shape.bits / 8);
        let missing = missing.fold(0, u64::saturating_add);
        if missing > 0 {
            let (thing, got) = ("the bytes of the links without all bits", self.bits.len());
            return Err(Error::new(ErrorKind::Truncated, thing, missing, got));
        }
        let last = self.links.pop();
        Ok(RedisBloomFilter {
            expansion: self.expansion,
            is_scaling: self.is_scaling,
            last: last.ok_or_else(|| invalid("the links", "at least 1", 0))?,
            full: self.links,
        })
    }
}

/// Reads a link and its number of keys. What follows from other numbers must follow, so that no header makes a query endless;
/// only another logarithm may have made the bits for a key.
#[expect(clippy::cast_possible_truncation, reason = "the cast stops at the limits")]
fn read_link(reader: &mut Reader<'_>) -> Result<(RedisBloomLink, u64), Error> {
    let (bytes, bits, len) = (reader.u64()?, reader.u64()?, reader.u64()?);
    let mut double = || reader.u64().map(f64::from_bits);
    let (rate, bits_per_key) = (double()?, double()?);
    let probe_count = u32::from_le_bytes(reader.array()?);
    let capacity = reader.u64()?;
    let [rounding] = reader.array()?;
    let computed = RedisBloomLink::new(capacity, rate).map_err(of_field)?;
    let expected = computed.bits_per_key;
    let is_near = (bits_per_key - expected).abs() <= expected * 1e-9;
    if !is_near {
        return Err(invalid("the bits for a key", expected, bits_per_key));
    }
    let probes = libm::ceil(LN_2 * bits_per_key) as u32;
    within(
        "the probe count",
        probe_count.into(),
        probes.into(),
        probes.into(),
    )?;
    within("the bits", bits, 64, MAX_BITS)?;
    if bits % 64 != 0 || bytes != bits / 8 {
        let range = format_args!("an eighth of the bits, {bits}, in words of 8");
        return Err(invalid("the bytes", range, bytes));
    }
    within("the number of keys", len, 0, capacity)?;
    if rounding != 0 {
        return Err(invalid("the power of two of the bits", 0, rounding));
    }
    let link = RedisBloomLink {
        bits_per_key,
        bits,
        probe_count,
        ..computed
    };
    Ok((link, len))
}
