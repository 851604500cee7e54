//! Every format with its variants, a row each, and a second definition of those whose bits kernels set and test: one
//! bit at a time, in wide arithmetic.

use std::fmt::Debug;

use filter_policy::SplitBlockPolicy;
use filter_policy::kernels::{Kernel, KernelChoice};
use filter_policy::leveldb::KeyHasher;
use filter_policy::parquet::ParquetPolicy;
use filter_policy::rocksdb::{FastLocalBloomPolicy, LegacyBloomPolicy, RibbonPolicy};
use filter_policy::{AnyFormat, BashoFilterPolicy, BinaryFusePolicy, BloomFilter64Policy, formats};
use filter_policy::{
    BitsPerKey, BloomFilterPolicy, Error, FilterBytes, FilterPolicy, Format, KeyBatch, Policy,
};

/// A policy of any format, with what `dyn FilterPolicy` lacks.
pub(crate) trait AnyPolicy: FilterPolicy + Debug {
    fn on_kernel(&self, kernel: Kernel) -> Box<dyn AnyPolicy>;

    fn build_in<'out>(&self, keys: KeyBatch<'_>, out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error>;

    fn build(&self, keys: &mut dyn Iterator<Item = Vec<u8>>) -> Result<Vec<u8>, Error>;
}

impl<F, K> AnyPolicy for Policy<F, K>
where
    F: Format + Copy + Debug + 'static,
    K: KernelChoice + Debug + 'static,
{
    fn on_kernel(&self, kernel: Kernel) -> Box<dyn AnyPolicy> {
        Box::new(Policy::on_kernel(*self, kernel))
    }

    fn build_in<'out>(&self, keys: KeyBatch<'_>, out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        Policy::build_in(self, keys, out)
    }

    fn build(&self, keys: &mut dyn Iterator<Item = Vec<u8>>) -> Result<Vec<u8>, Error> {
        Policy::build(self, keys)
    }
}

/// A format, or a variant of one.
#[derive(Debug)]
pub(crate) struct Row {
    /// `contract::check` demands this checksum at ten bits per key. It never changes.
    pub(crate) checksum: u64,
    pub(crate) format: &'static dyn AnyFormat,
    pub(crate) rule: Option<Rule>,
    pub(crate) policy: fn(BitsPerKey) -> Box<dyn AnyPolicy>,
}

const fn row(
    checksum: u64,
    format: &'static dyn AnyFormat,
    rule: Option<Rule>,
    policy: fn(BitsPerKey) -> Box<dyn AnyPolicy>,
) -> Row {
    Row {
        checksum,
        format,
        rule,
        policy,
    }
}

#[rustfmt::skip]
pub(crate) const ROWS: &[Row] = &[
    row(0xffea_d693_1c07_fa71, formats::LEVEL_DB, Some(LEVEL_DB), |bits| Box::new(BloomFilterPolicy::with_leveldb_hash(bits))),
    row(0x6171_f3a4_917e_0a87, formats::LEVEL_DB, Some(LEVEL_DB), |bits| Box::new(BloomFilterPolicy::new(bits))),
    row(0x6171_f3a4_917e_0a87, formats::LEVEL_DB, Some(LEVEL_DB), |bits| Box::new(BloomFilterPolicy::with_signed_tail(bits))),
    row(0x1630_cfa5_7755_e40b, formats::LEVEL_DB, Some(LEVEL_DB), |bits| Box::new(BloomFilterPolicy::with_seed(7, bits))),
    row(0x2208_f5d3_8c1a_d018, formats::LEVEL_DB, Some(LEVEL_DB), |bits| Box::new(BloomFilterPolicy::with_hasher(Seeded(7), bits))),
    row(0x9e02_41af_4e73_ec48, formats::BLOOM64, Some(BLOOM64), |bits| Box::new(BloomFilter64Policy::new(bits))),
    row(0xef24_19ec_a422_0bf7, formats::FAST_LOCAL_BLOOM, Some(FAST_LOCAL), |bits| Box::new(FastLocalBloomPolicy::new(bits))),
    row(0x29f2_dad3_98e6_6b39, formats::LEGACY_BLOOM, None, |bits| Box::new(LegacyBloomPolicy::new(bits))),
    row(0x80d1_860b_81bd_60b9, formats::RIBBON, None, |bits| Box::new(RibbonPolicy::new(bits))),
    row(0xce53_0f7e_fb58_68d0, formats::SPLIT_BLOCK, Some(SPLIT_BLOCK), |bits| Box::new(ParquetPolicy::new(bits))),
    row(0x359e_314c_0739_6352, formats::SPLIT_BLOCK, Some(SPLIT_BLOCK), |bits| Box::new(SplitBlockPolicy::new(bits))),
    row(0x8864_1ebe_36dc_2b9b, formats::BINARY_FUSE, None, |bits| Box::new(BinaryFusePolicy::new(bits))),
    row(0x10d9_cdb6_7648_c630, formats::BASHO, None, |bits| Box::new(BashoFilterPolicy::new(bits))),
    row(0x7b91_0417_0c4e_1824, formats::BASHO, None, |bits| Box::new(BashoFilterPolicy::with_murmur2(bits))),
];

impl Row {
    /// Returns the policy on every kernel, on portable code first.
    pub(crate) fn on_kernels(&self, bits: BitsPerKey) -> impl Iterator<Item = Box<dyn AnyPolicy>> {
        let policy = (self.policy)(bits);
        Kernel::available().map(move |kernel| policy.on_kernel(kernel))
    }
}

/// A function that kernels do not know, with a seed that is not in its name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seeded(pub(crate) u32);

impl KeyHasher for Seeded {
    fn hash(&self, key: &[u8]) -> u32 {
        let step = |hash: u32, &byte: &u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        key.iter().fold(self.0, step)
    }

    fn policy_name(&self) -> &str {
        "test.Seeded"
    }
}

/// The bits of hash values in a format.
#[derive(Debug)]
pub(crate) struct Rule {
    /// A filter's bits are a whole number of units of this many bytes.
    pub(crate) unit: usize,
    /// Set if a value equal to the one before it is not counted.
    drops_repeats: bool,
    /// Numbers of units around the largest that lanes address, and around the largest that hash values reach.
    pub(crate) huge: &'static [usize],
    /// The bytes after the bits, for a probe count.
    pub(crate) tail: fn(u8) -> Vec<u8>,
    /// The positions in this many bytes of bits, for a probe count and a hash value.
    positions: fn(usize, u8, u64) -> Vec<usize>,
}

const LEVEL_DB: Rule = Rule {
    unit: 1,
    drops_repeats: false,
    huge: &[(1 << 28) - 1, 1 << 28, (1 << 29) - 1, 1 << 29, (1 << 29) + 5],
    tail: |probes| vec![probes],
    positions: |bytes, probes, hash| {
        let stride = hash >> 17 | hash << 15 & 0xffff_ffff;
        let position = |i| ((hash + i * stride) & 0xffff_ffff) as usize % (bytes * 8);
        (0..u64::from(probes)).map(position).collect()
    },
};

const BLOOM64: Rule = Rule {
    huge: &[(1 << 28) - 1, 1 << 28, (1 << 29) + 5],
    tail: |probes| vec![0x80 + probes],
    positions: |bytes, probes, hash| {
        let step = |walk: &mut u128, _| {
            let bit = (*walk * (bytes as u128 * 8)) >> 64;
            *walk = (*walk * 0xf135_7aea_2e62_a9c5) % (1 << 64);
            Some(bit as usize)
        };
        (0..probes).scan(u128::from(hash), step).collect()
    },
    ..LEVEL_DB
};

const FAST_LOCAL: Rule = Rule {
    unit: 64,
    drops_repeats: true,
    huge: &[(1 << 26) - 1],
    tail: |probes| vec![0xff, 0, probes, 0, 0],
    positions: |bytes, probes, hash| {
        let line = (u128::from(hash % (1 << 32)) * (bytes as u128 / 64)) >> 32;
        let step = |walk: &mut u64, _| {
            let bit = *walk >> 23;
            *walk = (*walk * 0x9e37_79b9) % (1 << 32);
            Some(line as usize * 512 + bit as usize)
        };
        (0..probes).scan(hash >> 32, step).collect()
    },
};

const SPLIT_BLOCK: Rule = Rule {
    unit: 32,
    drops_repeats: false,
    huge: &[(1 << 26) - 1],
    tail: |_| Vec::new(),
    positions: |bytes, _, hash| {
        #[rustfmt::skip]
        const SALTS: [u64; 8] = [
            0x47b6_137b, 0x4497_4d91, 0x8824_ad5b, 0xa2b7_289d, 0x7054_95c7, 0x2df1_424b, 0x9efc_4947, 0x5c6b_fb31,
        ];
        let block = (u128::from(hash >> 32) * (bytes as u128 / 32)) >> 32;
        let position = |(word, salt): (usize, u64)| {
            let bit = ((hash % (1 << 32) * salt) % (1 << 32)) >> 27;
            block as usize * 256 + word * 32 + bit as usize
        };
        SALTS.into_iter().enumerate().map(position).collect()
    },
};

impl Rule {
    /// Sets the bits of hash values.
    pub(crate) fn set(&self, bits: &mut [u8], probes: u8, hashes: impl IntoIterator<Item = u64>) {
        for hash in hashes {
            for position in (self.positions)(bits.len(), probes, hash) {
                bits[position / 8] |= 1 << (position % 8);
            }
        }
    }

    /// Returns true if a filter with the tail of this probe count may contain a key of this hash value.
    pub(crate) fn answer(&self, filter: &[u8], probes: u8, hash: u64) -> bool {
        let bits = &filter[..filter.len() - (self.tail)(probes).len()];
        let is_set = |position: usize| bits[position / 8] >> (position % 8) & 1 == 1;
        !bits.is_empty() && (self.positions)(bits.len(), probes, hash).into_iter().all(is_set)
    }

    /// Returns the filter of hash values and its probe count; the sizes are those of the policy.
    pub(crate) fn filter(
        &self,
        format: &'static dyn AnyFormat,
        policy: &dyn AnyPolicy,
        mut hashes: Vec<u64>,
    ) -> (Vec<u8>, u8) {
        if self.drops_repeats {
            hashes.dedup();
        }
        let (keys, bits_per_key) = (hashes.len(), policy.bits_per_key().unwrap());
        let probes = |bits_per_key| format.probe_count(keys as u64, bits_per_key);
        // RocksDB writes no filters of fewer bits than a half, which these policies take for one.
        let probes = probes(bits_per_key)
            .or_else(|_| probes(BitsPerKey::whole(1)))
            .unwrap()
            .unwrap() as u8;
        let tail = (self.tail)(probes);
        let mut filter = vec![0; policy.max_filter_len(keys).unwrap() - tail.len()];
        self.set(&mut filter, probes, hashes);
        filter.extend(tail);
        (filter, probes)
    }
}
