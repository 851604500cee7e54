//! Decompression of blocks. Every kind stops at the size limit of the block, whatever its bytes claim.

use alloc::format;
use alloc::vec::Vec;

use super::error::{BlockRole, Error};
use super::stored::StoredBlock;
use super::varint;

/// A compression whose blocks are read.
#[derive(Debug, Clone, Copy)]
enum Codec {
    Snappy,
    Lz4,
    Zstd,
    Zlib,
    Deflate,
}

/// The place where a block states the length of its contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    /// The stream states it, or nothing does.
    Unstated,
    /// The block starts with it, in four bytes, little-endian.
    Fixed,
    /// The block starts with it, in groups of seven bits.
    Varint,
}

/// Decompresses a block whose checksum is right: what does not decompress is another writer's, and no damage.
/// `format_version` is that of RocksDB's and Pebble's tables.
pub(super) fn decompress<E>(
    role: BlockRole,
    stored: &StoredBlock<'_>,
    format_version: Option<u32>,
    limit: u64,
) -> Result<Vec<u8>, Error<E>> {
    let (kind, bytes) = (stored.compression(), stored.contents());
    let (name, ways): (&str, &[(Codec, Length)]) = match (kind, format_version) {
        (1, _) => ("Snappy", &[(Codec::Snappy, Length::Unstated)]),
        (2, None) => ("Zstandard, zlib or LZ4", second_of_leveldb(bytes)),
        (4, None) => ("deflate", &[(Codec::Deflate, Length::Unstated)]),
        // Before format version 2, lengths are stored otherwise.
        (2, Some(2..)) => ("zlib", &[(Codec::Deflate, Length::Varint)]),
        (4, Some(2..)) => ("LZ4", &[(Codec::Lz4, Length::Varint)]),
        (5, Some(2..)) => ("LZ4HC", &[(Codec::Lz4, Length::Varint)]),
        (7, Some(2..)) => ("Zstandard", &[(Codec::Zstd, Length::Varint)]),
        (_, Some(_)) => (of_rocksdb(kind), &[]),
        (_, None) => ("unknown", &[]),
    };
    let mut reason = format!("the {role} has the compression {kind} ({name}), which is not supported");
    for &(codec, length) in ways {
        match contents(codec, length, bytes, limit) {
            Ok(contents) => return Ok(contents),
            Err(Failed::TooLarge(size)) => Error::check_size(role, size, limit)?,
            Err(Failed::Stream) => {
                reason = format!("the {role} must be a stream of its compression {kind} ({name})");
            }
            #[cfg(not(all(feature = "snappy", feature = "lz4", feature = "zstd", feature = "deflate")))]
            Err(Failed::Feature(feature)) => {
                reason = format!(
                    "the {role} has the compression {kind} ({name}), which needs the feature `{feature}`"
                );
            }
        }
    }
    Err(Error::Unsupported { reason })
}

/// Returns the ways in which a block of LevelDB's kind 2 may be compressed, by its first bytes: by Zstandard since
/// LevelDB 1.23, by zlib in Minecraft, by LZ4 behind a length in Basho's LevelDB.
fn second_of_leveldb(bytes: &[u8]) -> &'static [(Codec, Length)] {
    const ZLIB: (Codec, Length) = (Codec::Zlib, Length::Unstated);
    const LZ4: (Codec, Length) = (Codec::Lz4, Length::Fixed);
    match bytes {
        [0x28, 0xb5, 0x2f, 0xfd, ..] => &[(Codec::Zstd, Length::Unstated), LZ4],
        [method, flags, ..] if method & 15 == 8 && u16::from_be_bytes([*method, *flags]) % 31 == 0 => {
            &[ZLIB, LZ4]
        }
        _ => &[LZ4],
    }
}

/// Returns RocksDB's name of the compression byte (`include/rocksdb/compression_type.h`), and Pebble's.
const fn of_rocksdb(byte: u8) -> &'static str {
    match byte {
        2 => "zlib, of an early format version",
        3 => "BZip2",
        4 | 5 => "LZ4, of an early format version",
        6 => "Xpress",
        7 => "Zstandard, of an early format version",
        8 => "MinLZ",
        0x80..=0xfe => "the writer's own",
        _ => "unknown",
    }
}

/// The reason why bytes were not decompressed.
enum Failed {
    Stream,
    TooLarge(u64),
    /// The feature that is needed.
    #[cfg(not(all(feature = "snappy", feature = "lz4", feature = "zstd", feature = "deflate")))]
    Feature(&'static str),
}

fn contents(codec: Codec, length: Length, bytes: &[u8], limit: u64) -> Result<Vec<u8>, Failed> {
    let mut rest = bytes;
    let stated = match length {
        Length::Unstated => None,
        Length::Fixed => {
            let (length, behind) = bytes.split_first_chunk().ok_or(Failed::Stream)?;
            rest = behind;
            Some(u32::from_le_bytes(*length).into())
        }
        Length::Varint => Some(varint::take_u32(&mut rest).ok_or(Failed::Stream)?.into()),
    };
    if let Some(stated) = stated.filter(|&stated: &u64| stated > limit) {
        return Err(Failed::TooLarge(stated));
    }
    let most = usize::try_from(stated.unwrap_or(limit)).unwrap_or(usize::MAX);
    let contents = match codec {
        Codec::Snappy => snappy(rest, limit)?,
        Codec::Lz4 => lz4(rest, most)?,
        Codec::Zstd => zstd(rest, most)?,
        Codec::Zlib => deflate(rest, most, true)?,
        Codec::Deflate => deflate(rest, most, false)?,
    };
    let is_whole = stated.is_none_or(|stated| contents.len() as u64 == stated);
    is_whole.then_some(contents).ok_or(Failed::Stream)
}

/// Allocates zeros for contents whose length the compressed bytes make plausible.
#[cfg(any(feature = "snappy", feature = "lz4"))]
fn zeros(len: usize, bytes: &[u8], most_from_a_byte: usize, limit: u64) -> Result<Vec<u8>, Failed> {
    if len > bytes.len().saturating_mul(most_from_a_byte) {
        return Err(Failed::Stream);
    }
    if len as u64 > limit {
        return Err(Failed::TooLarge(len as u64));
    }
    let mut zeros = Vec::new();
    zeros
        .try_reserve_exact(len)
        .map_err(|_| Failed::TooLarge(len as u64))?;
    zeros.resize(len, 0);
    Ok(zeros)
}

#[cfg(feature = "snappy")]
fn snappy(bytes: &[u8], limit: u64) -> Result<Vec<u8>, Failed> {
    let len = snap::raw::decompress_len(bytes).map_err(|_| Failed::Stream)?;
    // A copy of 64 bytes takes three.
    let mut contents = zeros(len, bytes, 22, limit)?;
    match snap::raw::Decoder::new().decompress(bytes, &mut contents) {
        Ok(written) if written == len => Ok(contents),
        _ => Err(Failed::Stream),
    }
}

#[cfg(feature = "lz4")]
fn lz4(bytes: &[u8], len: usize) -> Result<Vec<u8>, Failed> {
    let mut contents = zeros(len, bytes, 255, len as u64)?;
    let written = lz4_flex::block::decompress_into(bytes, &mut contents).map_err(|_| Failed::Stream)?;
    contents.truncate(written);
    Ok(contents)
}

#[cfg(feature = "zstd")]
fn zstd(bytes: &[u8], most: usize) -> Result<Vec<u8>, Failed> {
    use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
    use ruzstd::io::Read as _;

    /// The largest window, which takes memory before there are contents: 8 MiB is the most that every decoder must
    /// have.
    const MAX_WINDOW: u64 = 8 << 20;

    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size(MAX_WINDOW);
    let mut stream = StreamingDecoder::new_with_decoder(bytes, decoder).map_err(|_| Failed::Stream)?;
    let (mut contents, mut part) = (Vec::new(), [0; 4096]);
    loop {
        let len = stream.read(&mut part).map_err(|_| Failed::Stream)?;
        let part = part.get(..len).unwrap_or_default();
        if part.is_empty() {
            return Ok(contents);
        }
        let size = contents.len() + part.len();
        if size > most || contents.try_reserve(part.len()).is_err() {
            return Err(Failed::TooLarge(size as u64));
        }
        contents.extend_from_slice(part);
    }
}

#[cfg(feature = "deflate")]
fn deflate(bytes: &[u8], most: usize, has_header: bool) -> Result<Vec<u8>, Failed> {
    use miniz_oxide::inflate::{
        TINFLStatus, decompress_to_vec_with_limit, decompress_to_vec_zlib_with_limit,
    };

    let inflated = match has_header {
        true => decompress_to_vec_zlib_with_limit(bytes, most),
        false => decompress_to_vec_with_limit(bytes, most),
    };
    inflated.map_err(|error| match error.status {
        TINFLStatus::HasMoreOutput => Failed::TooLarge((most as u64).saturating_add(1)),
        _ => Failed::Stream,
    })
}

/// Stands for a codec that is not compiled.
macro_rules! without {
    ($($feature:literal $codec:ident($($of:ty),*);)*) => {$(
        #[cfg(not(feature = $feature))]
        fn $codec($(_: $of),*) -> Result<Vec<u8>, Failed> {
            Err(Failed::Feature($feature))
        }
    )*};
}

without! {
    "snappy" snappy(&[u8], u64);
    "lz4" lz4(&[u8], usize);
    "zstd" zstd(&[u8], usize);
    "deflate" deflate(&[u8], usize, bool);
}
