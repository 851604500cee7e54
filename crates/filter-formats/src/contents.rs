//! Recognizes stored filters in the layouts that determine the hash of keys, and answers queries from them.
//!
//! Stored bytes may be anything: all of them have a documented answer, and none cause a panic.

pub(crate) mod bloom64;
pub(crate) mod fuse;
pub(crate) mod legacy;
pub(crate) mod rocksdb;
pub(crate) mod split_block;

use filter_kernels::fast_local::{self, Line};
use filter_kernels::fuse::{self as fuse_kernels, Fingerprints};
use filter_kernels::ribbon::{self, Solution};
use filter_kernels::split_block::{BlockHash, SplitBlocks};
use filter_kernels::{
    Asker, KernelToken, WideSource, bloom64 as bloom64_kernels, split_block as split_block_kernels,
};
use filter_policy::answers::{each, fill};
use filter_policy::prepared::{Plan, Reader};
use filter_policy::{KeyHash, KeyHashes};

use legacy::Lines;

/// The kind of a stored filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilterKind {
    /// Too short to hold a key: never matches. The minimum is two bytes in the layouts of LevelDB and `BloomFilter64`,
    /// six in RocksDB's and one in Parquet's and Pebble's.
    Empty,
    /// A reserved or unknown encoding: always matches.
    Reserved,
    /// A Bloom filter in LevelDB's layout.
    LevelDb,
    /// A Bloom filter of the policy `BloomFilter64.Xxph3`.
    Bloom64,
    /// A Bloom filter of RocksDB's format version 4 or earlier.
    LegacyBloom,
    /// A Bloom filter of RocksDB's format version 5 or later.
    FastLocalBloom,
    /// A Ribbon filter of RocksDB.
    Ribbon,
    /// A split-block Bloom filter, as in Parquet.
    SplitBlock,
    /// A binary fuse filter, as in Pebble.
    BinaryFuse,
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
    SplitBlock(SplitBlocks<'a>),
    BinaryFuse(Fingerprints<'a>),
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
            Self::SplitBlock(_) => FilterKind::SplitBlock,
            Self::BinaryFuse(_) => FilterKind::BinaryFuse,
        }
    }

    /// Answers for a key with a hash value, which may be of the other width.
    #[inline(never)]
    pub(crate) fn hashed_may_match(
        &self,
        kernel: KernelToken,
        key: &[u8],
        hash: KeyHash,
        filter: &[u8],
    ) -> bool {
        let plan = self.plan(kernel);
        plan.may_match_hash(filter, hash)
            .unwrap_or_else(|| plan.may_match(filter, key))
    }

    /// Prepares queries of the bytes that were read.
    pub(crate) fn plan(&self, kernel: KernelToken) -> Plan {
        let (reader, asker, bits_len, words): (_, Asker, _, _) = match *self {
            Self::Empty => return Plan::same_for_all(false, kernel),
            Self::Reserved => return Plan::same_for_all(true, kernel),
            Self::Bloom64 { bit_array, probes } => (
                &BLOOM64,
                bloom64_kernels::asker(kernel),
                bit_array.len(),
                [probes.into(), 0, 0],
            ),
            Self::FastLocalBloom { lines, probes } => (
                &FAST_LOCAL,
                fast_local::asker(kernel),
                lines.as_flattened().len(),
                [probes.into(), 0, 0],
            ),
            Self::SplitBlock(SplitBlocks { blocks, hash }) => (
                match hash {
                    BlockHash::Xxh64 => &SPLIT_BLOCK,
                    BlockHash::Xxph3 => &SPLIT_BLOCK_XXPH3,
                },
                split_block_kernels::asker(kernel, hash),
                blocks.as_flattened().len(),
                [0; 3],
            ),
            Self::LegacyBloom { bits, lines, probes } => (
                &LEGACY,
                |words, bits, key| legacy_may_match(words, bits, legacy::hash(key)),
                bits.len(),
                lines.words(probes),
            ),
            Self::Ribbon(solution) => {
                let [shape, seed] = solution.numbers();
                let words = [shape, seed, 0];
                (&RIBBON, ribbon::asker(kernel), solution.bytes().len(), words)
            }
            Self::BinaryFuse(fingerprints) => {
                let [seed, numbers] = fingerprints.numbers();
                let (bytes, words) = (fingerprints.bytes(), [seed, numbers, 0]);
                (
                    &BINARY_FUSE,
                    fuse_kernels::asker(kernel, fingerprints.width()),
                    bytes.len(),
                    words,
                )
            }
        };
        Plan {
            asker: Some(asker),
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
            keys: Some(|$plan, $bits, keys, answers| {
                filter_kernels::$kernels::may_match_many($plan.kernel, $($argument,)* WideSource::Keys(keys), answers);
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
kernel_reader!(SPLIT_BLOCK, "SplitBlock", split_block, |bits, plan| {
    split_blocks(bits, BlockHash::Xxh64)
});
kernel_reader!(SPLIT_BLOCK_XXPH3, "SplitBlock", split_block, |bits, plan| {
    split_blocks(bits, BlockHash::Xxph3)
});
kernel_reader!(RIBBON, "Ribbon", ribbon, |bits, plan| Solution::of_numbers(
    bits,
    [plan.words[0], plan.words[1]]
));

kernel_reader!(BINARY_FUSE, "BinaryFuse", fuse, |bits, plan| {
    Fingerprints::of_numbers(bits, [plan.words[0], plan.words[1]])
});

static LEGACY: Reader = Reader {
    name: "LegacyBloom",
    keys: Some(|plan, bits, keys, answers| {
        each(keys.iter(), answers, |key| {
            legacy_may_match(&plan.words, bits, legacy::hash(key))
        });
    }),
    hash: |plan, bits, hash| match hash {
        KeyHash::Bits32(hash) => Some(legacy_may_match(&plan.words, bits, hash)),
        KeyHash::Bits64(_) => None,
    },
    hashes: |plan, bits, hashes, answers| match hashes {
        KeyHashes::Bits32(hashes) => each(hashes.iter(), answers, |&hash| {
            legacy_may_match(&plan.words, bits, hash)
        }),
        KeyHashes::Bits64(hashes) => fill(true, hashes.len(), answers),
    },
};

fn legacy_may_match(words: &[u64; 3], bits: &[u8], hash: u32) -> bool {
    // Always a number of lines, since the words are those of lines.
    Lines::of_words(*words)
        .is_none_or(|(lines, probes)| legacy::may_match(KernelToken::Scalar, bits, lines, probes, hash))
}

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
