//! Recognizes stored filters in the layouts that determine the hash of keys, and answers queries from them.
//!
//! Stored bytes may be anything: all of them have a documented answer, and none cause a panic.

pub(crate) mod bloom64;
pub(crate) mod legacy;
pub(crate) mod rocksdb;
pub(crate) mod split_block;

use filter_kernels::fast_local::Line;
use filter_kernels::ribbon::Solution;
use filter_kernels::split_block::{BlockHash, SplitBlocks};
use filter_kernels::{KernelToken, WideSource};
use filter_policy::answers::{each, fill};
use filter_policy::prepared::{OfKeys, Plan, Reader};
use filter_policy::{KeyHash, KeyHashes};

use legacy::Lines;

/// The kind of a stored filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilterKind {
    /// Too short to hold a key: never matches. The minimum is two bytes in the layouts of LevelDB and `BloomFilter64`,
    /// six in RocksDB's and one in Parquet's.
    Empty,
    /// A reserved or unknown encoding: always matches.
    Reserved,
    /// A Bloom filter in LevelDB's layout.
    LevelDbBloom,
    /// A Bloom filter of the policy `BloomFilter64.Xxph3`.
    Bloom64,
    /// A Bloom filter of RocksDB's format version 4 or earlier.
    LegacyBloom,
    /// A Bloom filter of RocksDB's format version 5 or later.
    FastLocalBloom,
    /// A Ribbon filter of RocksDB.
    Ribbon,
    /// A split-block Bloom filter, as in Parquet.
    SplitBlockBloom,
}

/// The contents of stored bytes: a filter, or one answer for all keys.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Contents<'a> {
    /// Too short to hold a key: never matches.
    Empty,
    /// An unknown encoding: always matches.
    Reserved,
    Bloom64 {
        bit_array: &'a [u8],
        probes: u8,
    },
    LegacyBloom {
        bits: &'a [u8],
        lines: Lines,
        probes: u8,
    },
    FastLocalBloom {
        lines: &'a [Line],
        probes: u8,
    },
    Ribbon(Solution<'a>),
    SplitBlocks(SplitBlocks<'a>),
}

impl Contents<'_> {
    pub(crate) const fn kind(&self) -> FilterKind {
        match self {
            Self::Empty => FilterKind::Empty,
            Self::Reserved => FilterKind::Reserved,
            Self::Bloom64 { .. } => FilterKind::Bloom64,
            Self::LegacyBloom { .. } => FilterKind::LegacyBloom,
            Self::FastLocalBloom { .. } => FilterKind::FastLocalBloom,
            Self::Ribbon(_) => FilterKind::Ribbon,
            Self::SplitBlocks(_) => FilterKind::SplitBlockBloom,
        }
    }

    /// Prepares queries of the bytes that were read.
    pub(crate) fn plan(&self, kernel: KernelToken) -> Plan {
        let (reader, bits_len, words) = match *self {
            Self::Empty => return Plan::same_for_all(false, kernel),
            Self::Reserved => return Plan::same_for_all(true, kernel),
            Self::Bloom64 { bit_array, probes } => (&BLOOM64, bit_array.len(), [probes.into(), 0, 0]),
            Self::FastLocalBloom { lines, probes } => {
                (&FAST_LOCAL, lines.as_flattened().len(), [probes.into(), 0, 0])
            }
            Self::SplitBlocks(SplitBlocks { blocks, hash }) => {
                let reader = match hash {
                    BlockHash::Xxh64 => &SPLIT_BLOCK,
                    BlockHash::Xxph3 => &SPLIT_BLOCK_XXPH3,
                };
                (reader, blocks.as_flattened().len(), [0; 3])
            }
            Self::LegacyBloom { bits, lines, probes } => (&LEGACY, bits.len(), lines.words(probes)),
            Self::Ribbon(solution) => {
                let [shape, seed] = solution.numbers();
                (&RIBBON, solution.bytes().len(), [shape, seed, 0])
            }
        };
        Plan {
            reader,
            kernel,
            bits_len,
            words,
        }
    }
}

/// Defines the reader of a layout with kernels: `$bits` and `$plan` give the arguments between the kernel and what is
/// asked.
macro_rules! kernel_reader {
    ($reader:ident, $name:literal, $kernels:ident, |$bits:ident, $plan:ident| $($argument:expr),*) => {
        static $reader: Reader = Reader {
            name: $name,
            of_keys: Some(OfKeys {
                one: |$plan, $bits, key| filter_kernels::$kernels::key_may_match($plan.kernel, $($argument,)* key),
                many: |$plan, $bits, keys, answers| {
                    filter_kernels::$kernels::may_match_many($plan.kernel, $($argument,)* WideSource::Keys(keys), answers);
                },
            }),
            hash: |$plan, $bits, hash| match hash {
                KeyHash::Bits64(hash) => Some(filter_kernels::$kernels::may_match($plan.kernel, $($argument,)* hash)),
                KeyHash::Bits32(_) => None,
            },
            hashes: |$plan, $bits, hashes, answers| match hashes {
                KeyHashes::Bits64(hashes) => {
                    filter_kernels::$kernels::may_match_many($plan.kernel, $($argument,)* WideSource::Hashes(hashes), answers);
                }
                KeyHashes::Bits32(hashes) => fill(true, hashes.len(), answers),
            },
        };
    };
}

kernel_reader!(BLOOM64, "Bloom64", bloom64, |bits, plan| bits, probes(plan));
kernel_reader!(
    FAST_LOCAL,
    "FastLocalBloom",
    fast_local,
    |bits, plan| bits.as_chunks().0,
    probes(plan)
);
kernel_reader!(SPLIT_BLOCK, "SplitBlockBloom", split_block, |bits, plan| {
    split_blocks(bits, BlockHash::Xxh64)
});
kernel_reader!(SPLIT_BLOCK_XXPH3, "SplitBlockBloom", split_block, |bits, plan| {
    split_blocks(bits, BlockHash::Xxph3)
});
kernel_reader!(RIBBON, "Ribbon", ribbon, |bits, plan| Solution::of_numbers(
    bits,
    [plan.words[0], plan.words[1]]
));

/// Defines the reader of a layout that is queried key by key, with hash values of one width.
macro_rules! portable_reader {
    ($reader:ident, $name:literal, $width:ident, $hash_key:expr, |$bits:ident, $plan:ident, $hash:ident| $ask:expr) => {
        static $reader: Reader = Reader {
            name: $name,
            of_keys: Some(OfKeys {
                one: |$plan, $bits, key| {
                    let $hash = $hash_key(key);
                    $ask
                },
                many: |$plan, $bits, keys, answers| {
                    each(keys.iter(), answers, |key| {
                        let $hash = $hash_key(key);
                        $ask
                    });
                },
            }),
            hash: |$plan, $bits, hash| match hash {
                KeyHash::$width($hash) => Some($ask),
                _ => None,
            },
            hashes: |$plan, $bits, hashes, answers| match hashes {
                KeyHashes::$width(hashes) => each(hashes.iter(), answers, |&$hash| $ask),
                others => fill(true, others.len(), answers),
            },
        };
    };
}

portable_reader!(LEGACY, "LegacyBloom", Bits32, legacy::hash, |bits, plan, hash| {
    // Always a number of lines, since the words are those of lines.
    Lines::of_words(plan.words).is_none_or(|(lines, probes)| legacy::may_match(bits, lines, probes, hash))
});

#[inline(always)]
const fn split_blocks(bits: &[u8], hash: BlockHash) -> SplitBlocks<'_> {
    let blocks = bits.as_chunks().0;
    SplitBlocks { blocks, hash }
}

/// The probe count that [`Contents::plan`] stored.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "was a byte")]
const fn probes(plan: &Plan) -> u8 {
    plan.words[0] as u8
}
