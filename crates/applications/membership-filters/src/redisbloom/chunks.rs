//! The stored form of a chain: what `BF.SCANDUMP` returns. `FORMAT.md` describes it.

use alloc::format;
use alloc::string::ToString as _;
use alloc::vec::Vec;
use core::iter;

use hashzoo::xxh3_64;

use super::chain::Chain;
use super::keys::companion_key;
use super::layer::Layer;
use super::parameters::{LN_2, LOG2_BITS, Link, MAX_EXPANSION};
use crate::bits::Bits;
use crate::contents::{ByteSource, FormOf, Reader};
use crate::error::{Error, Violation};
use crate::stored::{invalid, of_field, within};

/// The largest number of words of a chunk: 16 MiB.
const CHUNK_WORDS: usize = 1 << 21;

/// The number of bytes of the header before its links, and of each of these.
const FIELDS_LEN: u64 = 20;
const LINK_LEN: u64 = 53;

/// Loads a chunk and notes its iterator; the first one begins anew. An error of the server's ends the script before the note.
///
/// KEYS: the filter that is loaded, and the set of iterators. ARGV: the iterator, the chunk.
const LOAD: &str = "\
if ARGV[1] == '1' then redis.call('UNLINK', KEYS[1], KEYS[2]) end
redis.call('BF.LOADCHUNK', KEYS[1], ARGV[1], ARGV[2])
redis.call('SADD', KEYS[2], ARGV[1])
redis.call('PEXPIRE', KEYS[1], 600000)
return redis.call('PEXPIRE', KEYS[2], 600000)";

/// Puts the loaded filter in its place if all chunks were loaded. Without its mark no other load proves it.
///
/// KEYS: those of [`LOAD`], the filter that is in use, and its mark. ARGV: the number of chunks.
const REPLACE: &str = "\
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('SCARD', KEYS[2]) ~= tonumber(ARGV[1]) then
return redis.error_reply('ERR not all chunks of the filter were loaded: the filter before it is kept') end
redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[4])
redis.call('RENAME', KEYS[1], KEYS[3])
return redis.call('PERSIST', KEYS[3])";

/// The options of a chain: bits are not rounded up to a power of two, hashes have 64 bits, and it does not scale.
const NO_ROUNDING: u32 = 1;
const HASHES_OF_64_BITS: u32 = 4;
const NO_SCALING: u32 = 8;

/// The form of a header. Before RedisBloom 2.2 it had no expansion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HeaderForm {
    WithoutExpansion,
    Today,
}

/// Returns the number of bytes of all chunks.
pub(super) const fn chunks_len(links: u64, bits: u64) -> u64 {
    FIELDS_LEN + links * LINK_LEN + bits / 8
}

/// Returns true if these are the first bytes of chunks of this length.
pub(super) fn begins(head: &[u8], len: u64) -> bool {
    let number = |at| Some(u32::from_le_bytes(*head.get(at..)?.first_chunk()?));
    let Some((links, options)) = number(8).zip(number(12)) else {
        return false;
    };
    // Links without expansion are shorter.
    let is_whole = len >= FIELDS_LEN + u64::from(links) * 57;
    is_whole && options & !(NO_ROUNDING | NO_SCALING) == HASHES_OF_64_BITS
}

impl Chain {
    /// Reads a chain from its chunks: see [`BloomFilter::from_chunks`](super::BloomFilter::from_chunks).
    pub(crate) fn from_chunks<'a>(
        chunks: impl Iterator<Item = (i64, &'a [u8])>,
        form_of: FormOf,
    ) -> Result<Self, Error> {
        let mut source = Chunks {
            chunks: chunks.take_while(|&(stated, _)| stated != 0),
            iterator: 0,
            chunk: &[],
        };
        let mut reader = Reader::plain(&mut source, Some(form_of));
        let chain = Self::read_chunks(&mut reader)?;
        reader.end()?;
        Ok(chain)
    }

    pub(super) fn read_chunks(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let stated = reader.u64()?;
        let mut number = || reader.array().map(u32::from_le_bytes);
        let (count, options, first) = (number()?, number()?, number()?);
        if options & !(NO_ROUNDING | NO_SCALING) != HASHES_OF_64_BITS {
            let range = "4, 5, 12 or 13, of filters by 64-bit hashes";
            let violation = Violation::new("the options", range, options);
            let violation = reader.with_form(violation, &stated.to_le_bytes());
            return Err(Error::InvalidField(violation));
        }
        let is_scaling = options & NO_SCALING == 0;
        // Next come the expansion, and the bytes and the bits of the first link; or these bytes, of which `first` is a half, no bits,
        // and half of the keys.
        let [bytes, bits] = [reader.u64()?, reader.u64()?];
        let is_older = bytes < 8 && bits & u64::from(u32::MAX) == 0 && first.is_multiple_of(8);
        let (form, expansion, start) = if is_older {
            let keys = reader.array().map(u32::from_le_bytes)?;
            let start = [
                bytes << 32 | u64::from(first),
                0,
                u64::from(keys) << 32 | bits >> 32,
            ];
            (HeaderForm::WithoutExpansion, 2, start)
        } else {
            (HeaderForm::Today, first, [bytes, bits, reader.u64()?])
        };
        if is_scaling && !(1..=MAX_EXPANSION).contains(&expansion) {
            let range = format_args!("between 1 and {MAX_EXPANSION}");
            return Err(invalid("the expansion", range, expansion));
        }
        // As many as there are bytes for; most chains have one.
        let mut links = Vec::with_capacity(1);
        for number in 0..count {
            let start = match number {
                0 => start,
                _ => [reader.u64()?, reader.u64()?, reader.u64()?],
            };
            links.push(read_link(reader, form, start)?);
        }
        let (mut full, mut sum) = (Vec::with_capacity(links.len()), 0_u64);
        for (shape, len) in links {
            let bits = Bits::from_words(reader.words(shape.bits / 64)?).map_err(of_field)?;
            sum = sum.saturating_add(len);
            full.push(Layer::of(shape, bits, len));
        }
        if stated != sum {
            return Err(invalid("the number of keys", sum, stated));
        }
        let last = full.pop().ok_or_else(|| invalid("the links", "at least 1", 0))?;
        Ok(Self {
            expansion,
            is_scaling,
            is_rounded: options & NO_ROUNDING == 0,
            full,
            last,
        })
    }
}

impl Chain {
    pub(super) fn chunks(&self) -> impl Iterator<Item = (i64, Vec<u8>)> {
        let words = self
            .layers()
            .flat_map(|layer| layer.bloom.bits.words().chunks(CHUNK_WORDS));
        let mut iterator = 1;
        let bits = words.map(move |words| {
            let bytes: Vec<_> = words.iter().map(|word| word.to_le_bytes()).collect();
            let bytes = bytes.into_flattened();
            iterator += bytes.len() as i64;
            (iterator, bytes)
        });
        iter::once_with(|| (1, self.header())).chain(bits)
    }

    pub(super) fn commands<'a>(&'a self, key: &[u8]) -> impl Iterator<Item = Vec<Vec<u8>>> + use<'a> {
        let (parts, print) = self.chunks().fold((0_u64, 0), |(parts, print), (_, bytes)| {
            (parts + 1, xxh3_64(&bytes, print))
        });
        let companion = |purpose: &str| companion_key(purpose, key);
        let loading = companion(&format!("loading:{print:016x}"));
        let taken = companion(&format!("loading:{print:016x}:chunks"));
        let eval = |script: &str, keys: &[&[u8]], arguments: &[&[u8]]| -> Vec<Vec<u8>> {
            let count = keys.len().to_string();
            let words = [&[b"EVAL", script.as_bytes(), count.as_bytes()], keys, arguments].concat();
            words.iter().map(|word| word.to_vec()).collect()
        };
        let keys: [&[u8]; 4] = [&loading, &taken, key, &companion("loaded")];
        let end = eval(REPLACE, &keys, &[parts.to_string().as_bytes()]);
        let chunks = self.chunks().map(move |(iterator, bytes)| {
            eval(
                LOAD,
                &[&loading, &taken],
                &[iterator.to_string().as_bytes(), &bytes],
            )
        });
        chunks.chain(iter::once(end))
    }

    fn header(&self) -> Vec<u8> {
        let [len, links] = [self.sum(|layer| layer.len), self.sum(|_| 1)].map(u64::to_le_bytes);
        let [no_rounding, no_scaling] = [self.is_rounded, self.is_scaling].map(|is_set| u32::from(!is_set));
        let options = HASHES_OF_64_BITS + no_rounding * NO_ROUNDING + no_scaling * NO_SCALING;
        let [options, expansion] = [options, self.expansion].map(u32::to_le_bytes);
        let mut header = [&len[..], &links[..4], &options, &expansion].concat();
        for Layer { shape, len, .. } in self.layers() {
            let (rate, bits_per_key) = (shape.rate.to_bits(), shape.bits_per_key.to_bits());
            let numbers = [shape.bits / 8, shape.bits, *len, rate, bits_per_key].map(u64::to_le_bytes);
            let (probes, capacity) = (shape.probe_count.to_le_bytes(), shape.capacity.to_le_bytes());
            header.extend([numbers.as_flattened(), &probes, &capacity, &[shape.log2_bits]].concat());
        }
        header
    }
}

/// Reads a link and its number of keys. What follows from other numbers must follow, so that no header makes a query endless;
/// only another logarithm may have made the bits for a key.
#[expect(clippy::cast_possible_truncation, reason = "the cast stops at the limits")]
fn read_link(reader: &mut Reader<'_>, form: HeaderForm, start: [u64; 3]) -> Result<(Link, u64), Error> {
    let [bytes, mut bits, len] = start;
    let mut double = || reader.u64().map(f64::from_bits);
    let (rate, bits_per_key) = (double()?, double()?);
    let probe_count = u32::from_le_bytes(reader.array()?);
    let capacity = match form {
        HeaderForm::Today => reader.u64()?,
        HeaderForm::WithoutExpansion => reader.array().map(u32::from_le_bytes)?.into(),
    };
    let [log2_bits] = reader.array()?;
    if log2_bits > 0 {
        let (least, most) = LOG2_BITS;
        within("the power of two of the bits", log2_bits.into(), least, most)?;
        let rounded = 1 << log2_bits;
        // RedisBloom 1 and 2.0 did not count them, and later servers keep what they loaded of these from an RDB file.
        if bits == 0 {
            bits = rounded;
        }
        within("the bits", bits, rounded, rounded)?;
        within("the capacity", capacity, 1, rounded)?;
    }
    let computed = Link::new(capacity, rate).map_err(of_field)?;
    let expected = computed.bits_per_key;
    let is_near = (bits_per_key - expected).abs() <= expected * 1e-9;
    if !is_near {
        let got = format_args!("{bits_per_key:?}");
        return Err(invalid("the bits for a key", expected, got));
    }
    let probes = libm::ceil(LN_2 * bits_per_key) as u64;
    within("the probe count", probe_count.into(), probes, probes)?;
    if bits % 64 != 0 || bytes != bits / 8 {
        let range = format_args!("an eighth of the bits, {bits}, in words of 8");
        return Err(invalid("the bytes", range, bytes));
    }
    within("the number of keys", len, 0, capacity)?;
    let link = Link {
        bits_per_key,
        bits,
        probe_count,
        log2_bits,
        ..computed
    };
    Ok((link, len))
}

/// Chunks, read one after the other without a copy.
struct Chunks<'a, I> {
    chunks: I,
    /// The iterator of the chunk that was begun; 0 before the first.
    iterator: i64,
    /// Holds the bytes of the chunk that are not read yet.
    chunk: &'a [u8],
}

impl<'a, I: Iterator<Item = (i64, &'a [u8])>> ByteSource for Chunks<'a, I> {
    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        let mut filled = self.chunk.fill(buffer)?;
        while filled < buffer.len()
            && let Some((stated, chunk)) = self.chunks.next()
        {
            // That of the header is 1.
            self.iterator = match self.iterator {
                0 => 1,
                before => before + chunk.len() as i64,
            };
            if stated != self.iterator {
                return Err(invalid("the iterator of a chunk", self.iterator, stated));
            }
            self.chunk = chunk;
            filled += self.chunk.fill(buffer.get_mut(filled..).unwrap_or_default())?;
        }
        Ok(filled)
    }

    fn left(&self) -> Option<u64> {
        None
    }
}
