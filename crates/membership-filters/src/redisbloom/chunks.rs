//! The stored form of a chain: what `BF.SCANDUMP` returns. `FORMAT.md` describes it.

use alloc::vec::Vec;
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
        let (mut iterator, header) = chunks.next().unwrap_or((1, &[]));
        if iterator != 1 {
            return Err(invalid("the iterator of the first chunk", 1, iterator));
        }
        let (expansion, is_scaling, shapes) = read_header(header)?;
        let (mut full, mut bits) = (Vec::new(), Vec::new());
        Error::reserve(&mut full, shapes.len())?;
        let mut shapes = shapes.into_iter();
        let mut filling = shapes.next();
        for (stated, mut bytes) in chunks {
            iterator = iterator.saturating_add(i64::try_from(bytes.len()).unwrap_or(i64::MAX));
            if stated != iterator {
                return Err(invalid("the iterator of a chunk", iterator, stated));
            }
            while !bytes.is_empty() {
                let Some((shape, len)) = filling else {
                    let (thing, got) = ("the bytes behind the last link", bytes.len());
                    return Err(Error::new(ErrorKind::TrailingBytes, thing, 0, got));
                };
                let missing = usize::try_from(shape.bits / 8).unwrap_or(usize::MAX) - bits.len();
                let (now, later) = bytes.split_at(bytes.len().min(missing));
                if bits.capacity() - bits.len() < now.len() {
                    // Double the memory, up to the size of the link.
                    let more = now.len().max(bits.len()).min(missing);
                    Error::reserve(&mut bits, more)?;
                    arch::prefer_huge_pages(&mut bits);
                }
                bits.extend_from_slice(now);
                if now.len() == missing {
                    let bits = Bits::from_words(mem::take(&mut bits))?;
                    full.push(Link { shape, bits, len });
                    filling = shapes.next();
                }
                bytes = later;
            }
        }
        let missing = filling.into_iter().chain(shapes).map(|(shape, _)| shape.bits / 8);
        let missing = missing.fold(0, u64::saturating_add);
        if missing > 0 {
            let thing = "the bytes of the links without all bits";
            return Err(Error::new(ErrorKind::Truncated, thing, missing, bits.len()));
        }
        let last = full.pop().ok_or_else(|| invalid("the links", "at least 1", 0))?;
        Ok(Self {
            expansion,
            is_scaling,
            full,
            last,
        })
    }

    /// Returns the bytes of all chunks, one after the other.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.chunks().fold(Vec::new(), |mut all, (_, bytes)| {
            all.extend(bytes);
            all
        })
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
        // No slice is as long as the largest number.
        Self::from_chunks([(1, header), (1 + bits.len() as i64, bits)])
    }

    fn header(&self) -> Vec<u8> {
        let stats = self.stats();
        let [len, links] = [stats.len, stats.links].map(u64::to_le_bytes);
        let options = if self.is_scaling { SCALING } else { NON_SCALING };
        let [options, expansion] = [options, self.expansion].map(u32::to_le_bytes);
        let mut header = [&len[..], &links[..4], &options, &expansion].concat();
        for Link { shape, len, .. } in self.links() {
            let (rate, bits_per_key) = (shape.rate.to_bits(), shape.bits_per_key.to_bits());
            let numbers = [shape.bits / 8, shape.bits, *len, rate, bits_per_key].map(u64::to_le_bytes);
            let (probes, capacity) = (shape.probe_count.to_le_bytes(), shape.capacity.to_le_bytes());
            header.extend([numbers.as_flattened(), &probes, &capacity, &[0]].concat());
        }
        header
    }
}

/// A link without its bits, and its number of keys.
type Shape = (RedisBloomLink, u64);

/// Reads the expansion, whether the chain scales, and its links.
fn read_header(header: &[u8]) -> Result<(u32, bool, Vec<Shape>), Error> {
    let mut rest = header;
    let mut reader = Reader::plain(&mut rest);
    let len = reader.u64()?;
    let mut number = || reader.array().map(u32::from_le_bytes);
    let (count, options, expansion) = (number()?, number()?, number()?);
    if ![SCALING, NON_SCALING].contains(&options) {
        return Err(invalid(
            "the options",
            "5 or 13, of filters by 64-bit hashes",
            options,
        ));
    }
    if (options, expansion) == (SCALING, 0) {
        return Err(invalid("the expansion", "at least 1", expansion));
    }
    let mut shapes = Vec::new();
    // As many as there can be.
    Error::reserve(&mut shapes, header.len() / LINK_LEN)?;
    for _ in 0..count {
        shapes.push(read_link(&mut reader)?);
    }
    reader.end()?;
    let sum = shapes
        .iter()
        .fold(0, |sum: u64, (_, len)| sum.saturating_add(*len));
    match len == sum {
        true => Ok((expansion, options == SCALING, shapes)),
        false => Err(invalid("the number of keys", sum, len)),
    }
}

/// Reads a link and its number of keys. What follows from other numbers must follow, so that no header makes a query endless;
/// only another logarithm may have made the bits for a key.
#[expect(clippy::cast_possible_truncation, reason = "the cast stops at the limits")]
fn read_link(reader: &mut Reader<'_>) -> Result<Shape, Error> {
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
