//! The layouts that have kernels, written a second time from their descriptions: one bit at a time, in wide arithmetic.

use std::fmt::Debug;

use filter_formats::rocksdb::FastLocalBloom;
use filter_formats::{Format, parquet};
use filter_policy::hashers::KeyHasher;
use filter_policy::kernels::Kernel;
use filter_policy::leveldb;
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy, HashFunction, HashValue, KeyHash, Policy};

/// A layout with the hash function of its keys.
pub(crate) trait Layout: Copy {
    type Stored: filter_policy::Layout + Debug;

    const FORMAT: Format;

    /// A filter's bits are a whole number of units of this many bytes.
    const UNIT: usize = 1;

    /// Set if a value equal to the one before it is not counted.
    const DROPS_REPEATS: bool = false;

    /// Numbers of units around the largest that lanes address, and around the largest that hash values reach.
    const HUGE: &'static [usize];

    fn policy(self, bits_per_key: BitsPerKey, kernel: Kernel) -> Policy<Self::Stored>;

    /// Returns the probe count of a filter that the policy builds.
    fn probes(self, bits_per_key: BitsPerKey, keys: usize) -> u8 {
        let count = Self::FORMAT.probe_count(keys as u64, bits_per_key);
        count.unwrap().unwrap() as u8
    }

    /// Returns the bytes after the bits.
    fn tail(self, probes: u8) -> Vec<u8>;

    /// Returns the positions of a hash value in this many bytes of bits.
    fn positions(self, bytes: usize, probes: u8, hash: u64) -> impl Iterator<Item = usize>;
}

/// The hash values of a layout.
pub(crate) type Hash<L> = <<L as Layout>::Stored as filter_policy::Layout>::Hash;

/// LevelDB's layout with any hash function of 32 bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LevelDb<H>(pub(crate) H);

impl<H: KeyHasher + Copy + Debug> Layout for LevelDb<H> {
    type Stored = leveldb::LevelDb<H>;

    const FORMAT: Format = Format::LEVEL_DB;

    const HUGE: &'static [usize] = &[(1 << 28) - 1, 1 << 28, (1 << 29) - 1, 1 << 29, (1 << 29) + 5];

    fn policy(self, bits_per_key: BitsPerKey, kernel: Kernel) -> Policy<Self::Stored> {
        BloomFilterPolicy::with_hasher(self.0, bits_per_key).on_kernel(kernel)
    }

    fn tail(self, probes: u8) -> Vec<u8> {
        vec![probes]
    }

    fn positions(self, bytes: usize, probes: u8, hash: u64) -> impl Iterator<Item = usize> {
        let stride = hash >> 17 | hash << 15 & 0xffff_ffff;
        (0..u64::from(probes)).map(move |i| ((hash + i * stride) & 0xffff_ffff) as usize % (bytes * 8))
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Bloom64;

impl Layout for Bloom64 {
    type Stored = filter_formats::Bloom64;

    const FORMAT: Format = Format::BLOOM64;

    const HUGE: &'static [usize] = &[(1 << 28) - 1, 1 << 28, (1 << 29) + 5];

    fn policy(self, bits_per_key: BitsPerKey, kernel: Kernel) -> Policy<Self::Stored> {
        filter_formats::Bloom64::new(bits_per_key).on_kernel(kernel)
    }

    fn tail(self, probes: u8) -> Vec<u8> {
        vec![0x80 + probes]
    }

    fn positions(self, bytes: usize, probes: u8, hash: u64) -> impl Iterator<Item = usize> {
        (0..probes).scan(u128::from(hash), move |walk, _| {
            let bit = (*walk * (bytes as u128 * 8)) >> 64;
            *walk = (*walk * 0xf135_7aea_2e62_a9c5) % (1 << 64);
            Some(bit as usize)
        })
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct FastLocal;

impl Layout for FastLocal {
    type Stored = FastLocalBloom;

    const FORMAT: Format = Format::FAST_LOCAL_BLOOM;
    const UNIT: usize = 64;
    const DROPS_REPEATS: bool = true;
    const HUGE: &'static [usize] = &[(1 << 26) - 1];

    fn policy(self, bits_per_key: BitsPerKey, kernel: Kernel) -> Policy<Self::Stored> {
        FastLocalBloom::new(bits_per_key).on_kernel(kernel)
    }

    fn tail(self, probes: u8) -> Vec<u8> {
        vec![0xff, 0, probes, 0, 0]
    }

    fn positions(self, bytes: usize, probes: u8, hash: u64) -> impl Iterator<Item = usize> {
        let line = (u128::from(hash % (1 << 32)) * (bytes as u128 / 64)) >> 32;
        (0..probes).scan(hash >> 32, move |walk, _| {
            let bit = *walk >> 23;
            *walk = (*walk * 0x9e37_79b9) % (1 << 32);
            Some(line as usize * 512 + bit as usize)
        })
    }
}

/// Split blocks, with XXPH3 in place of Parquet's hash if so wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SplitBlock {
    pub(crate) xxph3: bool,
}

impl Layout for SplitBlock {
    type Stored = parquet::SplitBlock;

    const FORMAT: Format = Format::SPLIT_BLOCK;
    const UNIT: usize = 32;
    const HUGE: &'static [usize] = &[(1 << 26) - 1];

    fn policy(self, bits_per_key: BitsPerKey, kernel: Kernel) -> Policy<Self::Stored> {
        let new = if self.xxph3 {
            parquet::SplitBlock::with_xxph3
        } else {
            parquet::SplitBlock::new
        };
        new(bits_per_key).on_kernel(kernel)
    }

    fn tail(self, _: u8) -> Vec<u8> {
        vec![]
    }

    fn positions(self, bytes: usize, _: u8, hash: u64) -> impl Iterator<Item = usize> {
        const SALTS: [u64; 8] = [
            0x47b6_137b,
            0x4497_4d91,
            0x8824_ad5b,
            0xa2b7_289d,
            0x7054_95c7,
            0x2df1_424b,
            0x9efc_4947,
            0x5c6b_fb31,
        ];
        let block = (u128::from(hash >> 32) * (bytes as u128 / 32)) >> 32;
        SALTS.into_iter().enumerate().map(move |(word, salt)| {
            let bit = ((hash % (1 << 32) * salt) % (1 << 32)) >> 27;
            block as usize * 256 + word * 32 + bit as usize
        })
    }
}

/// Runs the same for each layout with the hash function of most of its filters.
macro_rules! each_layout {
    (|$layout:ident| $run:expr) => {{
        each_layout!(|$layout| $run, LevelDb(LevelDbHash), Bloom64, FastLocal);
        each_layout!(|$layout| $run, SplitBlock { xxph3: false }, SplitBlock { xxph3: true });
    }};
    (|$layout:ident| $run:expr, $($value:expr),+) => {
        $({
            let $layout = $value;
            $run;
        })+
    };
}

pub(crate) use each_layout;

/// Returns a hash value as a number.
pub(crate) fn number(hash: impl HashValue) -> u64 {
    hash.into()
}

/// Returns the hash value that is a number; the lower half of the number if the layout's values have 32 bits.
pub(crate) fn value<H: HashValue>(number: u64) -> H {
    let function = HashFunction::XXPH3;
    KeyHash::new(function, number).of(function).unwrap()
}

/// Sets the bits of hash values.
pub(crate) fn set(layout: impl Layout, bits: &mut [u8], probes: u8, hashes: impl IntoIterator<Item = u64>) {
    for hash in hashes {
        for position in layout.positions(bits.len(), probes, hash) {
            bits[position / 8] |= 1 << (position % 8);
        }
    }
}

/// Returns the filter of these hash values, and its probe count.
pub(crate) fn filter<L: Layout>(layout: L, bits_per_key: BitsPerKey, hashes: &[u64]) -> (Vec<u8>, u8) {
    let mut kept = hashes.to_vec();
    if L::DROPS_REPEATS {
        kept.dedup();
    }
    let probes = layout.probes(bits_per_key, kept.len());
    let tail = layout.tail(probes);
    let policy = layout.policy(bits_per_key, Kernel::Scalar);
    let mut filter = vec![0; policy.max_filter_len(kept.len()).unwrap() - tail.len()];
    set(layout, &mut filter, probes, kept);
    filter.extend(tail);
    (filter, probes)
}

/// Returns true if a filter with this tail may hold a key of this hash value.
pub(crate) fn answer(layout: impl Layout, filter: &[u8], probes: u8, hash: u64) -> bool {
    let bits = &filter[..filter.len() - layout.tail(probes).len()];
    let mut positions = layout.positions(bits.len(), probes, hash);
    !bits.is_empty() && positions.all(|position| bits[position / 8] >> (position % 8) & 1 == 1)
}
