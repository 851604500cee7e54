//! The places of a key in a stored filter that is not at hand as a whole: on a server, or in an object store, which reads a
//! few bytes at a time.
//!
//! ```
//! use filter_formats::places::{Outline, Places};
//! use filter_formats::view::FilterLayout;
//! use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy as _, HashedPolicy as _};
//!
//! let policy = BloomFilterPolicy::new(BitsPerKey::whole(10));
//! let filter = policy.build(["hello", "world"])?;
//!
//! // Known of the filter: its length and its last bytes.
//! let outline = Outline::new(FilterLayout::LevelDb, 9, &filter[2..]).expect("not a Ribbon filter");
//! let hash = policy.key_hash(b"hello").expect("a policy that hashes whole keys");
//! let Places::Bits(bits) = outline.places(hash) else { panic!("a Bloom filter") };
//! assert!(bits.iter().all(|bit| filter[(bit / 8) as usize] >> (bit % 8) & 1 == 1));
//! # Ok::<(), filter_policy::Error>(())
//! ```

use alloc::vec::Vec;
use core::ops::Range;

use filter_kernels::fast_local::{self, LINE_LEN, Line};
use filter_kernels::fuse::{self, Shape};
use filter_kernels::split_block::{self, BLOCK_LEN, Block, BlockHash, SplitBlocks};
use filter_kernels::{KernelToken, bloom64, leveldb};
use filter_policy::leveldb::{Stored, stored};
use filter_policy::{KeyHash, MATCHES_EVERYTHING};

use crate::contents::legacy::Lines;
use crate::contents::rocksdb::{RIBBON_MARKER, TAIL_LEN as ROCKSDB_TAIL_LEN};
use crate::contents::{Contents, bloom64 as stored_bloom64, fuse as stored_fuse, rocksdb};
use crate::view::FilterLayout;

/// The number of a filter's last bytes that suffice to know the rest of its form, for every layout.
pub const TAIL_LEN: usize = 16;

/// The part of a stored filter that answers for a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Places {
    /// Nothing: every key has this answer.
    Same(bool),
    /// These bits of the filter, the least significant of a byte first. The key may match if all are set.
    Bits(Vec<u64>),
    /// These bytes of the filter, which [`Outline::may_match`] takes one range after the other.
    Bytes(Vec<Range<u64>>),
}

/// The form of a stored filter, without its bits.
#[derive(Debug, Clone, Copy)]
pub struct Outline(Form);

#[derive(Debug, Clone, Copy)]
enum Form {
    Same(bool),
    LevelDb { bytes: usize, probes: u8 },
    Bloom64 { bits: u64, probes: u8 },
    Legacy { lines: Lines, probes: u8 },
    FastLocal { lines: usize, probes: u8 },
    SplitBlock { blocks: usize },
    BinaryFuse { shape: Shape, width: u8 },
}

impl Outline {
    /// Reads the form of a filter from its length and its last bytes: [`TAIL_LEN`], or all if it is shorter. Any bytes are
    /// accepted, with the answers that readers of the whole filter give.
    ///
    /// Returns `None` for a Ribbon filter: an answer takes a hundred of its bits, which are far apart.
    pub fn new(layout: FilterLayout, len: u64, tail: &[u8]) -> Option<Self> {
        let reserved = Some(Self(Form::Same(true)));
        let Ok(whole) = usize::try_from(len) else {
            return reserved;
        };
        Some(Self(match layout {
            FilterLayout::LevelDb => match stored(tail) {
                Stored::Empty => Form::Same(false),
                Stored::Reserved => Form::Same(true),
                Stored::Bloom { probes, .. } => Form::LevelDb {
                    bytes: whole.saturating_sub(1),
                    probes,
                },
            },
            FilterLayout::Bloom64 => match stored_bloom64::contents(tail) {
                Contents::Empty => Form::Same(false),
                Contents::Bloom64 { probes, .. } => Form::Bloom64 {
                    bits: len.saturating_sub(1).saturating_mul(8),
                    probes,
                },
                _ => Form::Same(true),
            },
            FilterLayout::RocksDb => return rocksdb_form(len, tail).map(Self),
            FilterLayout::SplitBlock => match (len / BLOCK_LEN as u64, len % BLOCK_LEN as u64) {
                (0, 0) => Form::Same(false),
                (1..=0x1_0000_0000, 0) => Form::SplitBlock {
                    blocks: whole / BLOCK_LEN,
                },
                _ => Form::Same(true),
            },
            FilterLayout::BinaryFuse => {
                let described = tail.last_chunk().and_then(|trailer| {
                    stored_fuse::described(trailer, len.checked_sub(stored_fuse::TRAILER_LEN as u64)?)
                });
                match described {
                    Some((shape, width)) => Form::BinaryFuse { shape, width },
                    None => Form::Same(len > 0),
                }
            }
        }))
    }

    /// Returns the places of a hash value. One of the other width may match, as in a reserved filter.
    pub fn places(&self, hash: KeyHash) -> Places {
        match (self.0, hash) {
            (Form::Same(answer), _) => Places::Same(answer),
            (Form::LevelDb { bytes, probes }, KeyHash::Bits32(hash)) => {
                let mut bits = Vec::with_capacity(probes.into());
                leveldb::positions(bytes, probes, hash, |bit| bits.push(bit.into()));
                Places::Bits(bits)
            }
            (Form::Legacy { lines, probes }, KeyHash::Bits32(hash)) => {
                Places::Bits(lines.positions(hash, probes).collect())
            }
            (Form::Bloom64 { bits, probes }, KeyHash::Bits64(hash)) => {
                Places::Bits(bloom64::positions(bits, probes, hash).collect())
            }
            (Form::FastLocal { lines, .. }, KeyHash::Bits64(hash)) => {
                bytes_of(fast_local::line_of(hash, lines), LINE_LEN)
            }
            (Form::SplitBlock { blocks }, KeyHash::Bits64(hash)) => {
                bytes_of(split_block::block_of(hash, blocks), BLOCK_LEN)
            }
            (Form::BinaryFuse { shape, width }, KeyHash::Bits64(hash)) => {
                let (starts, _) = fuse::positions(shape, width, hash);
                let of = |start: u64| start / 8..(start + u64::from(width)).div_ceil(8);
                Places::Bytes(starts.map(of).to_vec())
            }
            _ => Places::Same(true),
        }
    }

    /// Answers for a hash value from the bytes of its [`places`](Self::places), one range after the other. Other bytes than
    /// those may match.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a length of at most 3 bytes, and the lowest 16 bits, which are meant"
    )]
    pub fn may_match(&self, hash: KeyHash, bytes: &[u8]) -> bool {
        let kernel = KernelToken::given(None);
        match (self.0, hash) {
            (Form::FastLocal { probes, .. }, KeyHash::Bits64(hash)) => {
                // The only line is that of every hash value.
                let line: &[Line] = bytes.as_chunks().0.get(..1).unwrap_or_default();
                fast_local::may_match(kernel, line, probes, hash)
            }
            (Form::SplitBlock { .. }, KeyHash::Bits64(hash)) => {
                let blocks: &[Block] = bytes.as_chunks().0.get(..1).unwrap_or_default();
                // The hash value is given, so the function does not matter.
                let function = BlockHash::Xxh64;
                split_block::may_match(
                    kernel,
                    SplitBlocks {
                        blocks,
                        hash: function,
                    },
                    hash,
                )
            }
            (Form::BinaryFuse { shape, width }, KeyHash::Bits64(hash)) => {
                let (starts, sum) = fuse::positions(shape, width, hash);
                let mut rest = bytes;
                let mut all = sum;
                for start in starts {
                    let len = (start % 8 + u64::from(width)).div_ceil(8) as usize;
                    let Some((packed, others)) = rest.split_at_checked(len) else {
                        return true;
                    };
                    let number = packed
                        .iter()
                        .rev()
                        .fold(0_u32, |number, &byte| number << 8 | u32::from(byte));
                    all ^= (number >> (start % 8)) as u16;
                    rest = others;
                }
                all & (u16::MAX >> (16 - u16::from(width))) == 0
            }
            (Form::Same(answer), _) => answer,
            _ => true,
        }
    }
}

fn bytes_of(index: usize, len: usize) -> Places {
    let (start, len) = (index as u64 * len as u64, len as u64);
    Places::Bytes(core::iter::once(start..start + len).collect())
}

/// Returns the form of a filter of RocksDB; `None` for a Ribbon filter.
fn rocksdb_form(len: u64, tail: &[u8]) -> Option<Form> {
    let Some(last) = tail.last_chunk::<ROCKSDB_TAIL_LEN>() else {
        return Some(Form::Same(tail == MATCHES_EVERYTHING));
    };
    let bits = len.saturating_sub(ROCKSDB_TAIL_LEN as u64);
    if bits == 0 {
        return Some(Form::Same(false));
    }
    // RocksDB counts the bytes in 32 bits.
    if len > u32::MAX.into() {
        return Some(Form::Same(true));
    }
    // A filter of one line has the same tail.
    let mut one = [0; LINE_LEN + ROCKSDB_TAIL_LEN];
    one.last_chunk_mut()
        .map(|of_one: &mut [u8; ROCKSDB_TAIL_LEN]| *of_one = *last)?;
    let lines = usize::try_from(bits).ok()? / LINE_LEN;
    match (rocksdb::fast_local(&one), *last) {
        (Some((_, probes)), _) if lines > 0 => Some(Form::FastLocal { lines, probes }),
        (_, [RIBBON_MARKER, ..]) => None,
        (_, [probes @ 1..=0x7f, a, b, c, d]) => {
            let lines = Lines::filling(bits, u32::from_le_bytes([a, b, c, d]));
            Some(lines.map_or(Form::Same(true), |lines| Form::Legacy { lines, probes }))
        }
        _ => Some(Form::Same(true)),
    }
}
