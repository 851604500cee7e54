//! The policies for C programs, with their numbers and names.
//!
//! Knows nothing of pointers.

use core::ffi::{CStr, c_int};

use filter_formats::parquet::SplitBlockBloomPolicy;
use filter_formats::rocksdb::{FastLocalBloomPolicy, RibbonPolicy};
use filter_formats::{BinaryFusePolicy, BloomFilter64Policy};
use filter_policy::hashers::{LevelDbHash, Murmur2};
use filter_policy::{BitsPerKey, BloomFilterPolicy, Error, FilterBytes, FilterPolicy};

/// `FILTER_POLICY_BLOOM_FILTER2` of the header: the policy `BloomFilter2`.
pub const POLICY_BLOOM_FILTER2: c_int = 0;
/// `FILTER_POLICY_LEVELDB` of the header: LevelDB's own policy, `leveldb.BuiltinBloomFilter2`.
pub const POLICY_LEVELDB: c_int = 1;
/// `FILTER_POLICY_BLOOM64` of the header: the policy `BloomFilter64.Xxph3`.
pub const POLICY_BLOOM64: c_int = 2;
/// `FILTER_POLICY_FAST_LOCAL_BLOOM` of the header: RocksDB's `rocksdb.internal.FastLocalBloomFilter`.
pub const POLICY_FAST_LOCAL_BLOOM: c_int = 3;
/// `FILTER_POLICY_RIBBON` of the header: RocksDB's `rocksdb.internal.Standard128RibbonFilter`.
pub const POLICY_RIBBON: c_int = 4;
/// `FILTER_POLICY_BLOOM_FILTER2_COPRIME` of the header: [`POLICY_BLOOM_FILTER2`] with coprime sizes.
pub const POLICY_BLOOM_FILTER2_COPRIME: c_int = 5;
/// `FILTER_POLICY_LEVELDB_COPRIME` of the header: [`POLICY_LEVELDB`] with coprime sizes.
pub const POLICY_LEVELDB_COPRIME: c_int = 6;
/// `FILTER_POLICY_SPLIT_BLOCK_XXPH3` of the header: the policy `SplitBlockBloomFilter.Xxph3`.
pub const POLICY_SPLIT_BLOCK_XXPH3: c_int = 7;
/// `FILTER_POLICY_BINARY_FUSE` of the header: Pebble's `binaryfuse`.
pub const POLICY_BINARY_FUSE: c_int = 8;

/// `FILTER_POLICY_MAX_BITS_PER_KEY` of the header: with more, `filter_policy_new` returns null.
///
/// LevelDB stores the offsets of a table's filters in 32 bits: filters of 4 GiB together deny every key. With this many
/// bits, those of a table do not reach that. [`longest_filter`](filter_policy::filter_block::longest_filter) says why.
pub const MAX_BITS_PER_KEY: c_int = 60;

/// A function that looks up a key in a filter, as [`FilterPolicy::key_may_match`] does.
pub(crate) type Question<P> = fn(policy: &P, key: &[u8], filter: &[u8]) -> bool;

/// Declares the policies of C programs, each with its stored name.
macro_rules! policies {
    ($($variant:ident($policy:ty), $name:expr;)+) => {
        /// A policy that a C program chose.
        #[derive(Debug, Clone, Copy)]
        pub(crate) enum ChosenPolicy {
            $($variant($policy),)+
        }

        impl ChosenPolicy {
            /// Returns the policy's name as a C string.
            pub(crate) const fn c_name(&self) -> &'static CStr {
                match self {
                    $(Self::$variant(_) => {
                        const NAME: &[u8] = &ended::<{ $name.len() + 1 }>($name);
                        const C_NAME: &CStr = match CStr::from_bytes_with_nul(NAME) {
                            Ok(name) => name,
                            Err(_) => panic!("a name has a NUL"),
                        };
                        C_NAME
                    })+
                }
            }

            /// Returns [`FilterPolicy::key_may_match`] compiled for the chosen policy alone, because every Get calls it.
            pub(crate) const fn question(&self) -> Question<Self> {
                match self {
                    $(Self::$variant(_) => |chosen, key, filter| match chosen {
                        Self::$variant(policy) => policy.key_may_match(key, filter),
                        other => other.policy().key_may_match(key, filter),
                    },)+
                }
            }

            fn policy(&self) -> &dyn FilterPolicy {
                match self {
                    $(Self::$variant(policy) => policy,)+
                }
            }
        }
    };
}

policies! {
    BloomFilter2(BloomFilterPolicy<Murmur2>), Murmur2::POLICY_NAME;
    LevelDbBuiltin(BloomFilterPolicy<LevelDbHash>), LevelDbHash::POLICY_NAME;
    Bloom64(BloomFilter64Policy), BloomFilter64Policy::NAME;
    FastLocalBloom(FastLocalBloomPolicy), FastLocalBloomPolicy::NAME;
    Ribbon(RibbonPolicy), RibbonPolicy::NAME;
    SplitBlock(SplitBlockBloomPolicy), SplitBlockBloomPolicy::NAME_XXPH3;
    BinaryFuse(BinaryFusePolicy), BinaryFusePolicy::NAME;
}

/// Returns the bytes of a name with a NUL behind them.
const fn ended<const N: usize>(name: &str) -> [u8; N] {
    let mut ended = [0; N];
    ended.split_at_mut(name.len()).0.copy_from_slice(name.as_bytes());
    ended
}

impl ChosenPolicy {
    /// Returns the policy, or `None` if there is no such policy or the bits per key are below 1 or above
    /// [`MAX_BITS_PER_KEY`].
    pub(crate) fn new(bits_per_key: f64, policy: c_int) -> Option<Self> {
        let bits_per_key = BitsPerKey::fractional(bits_per_key).ok();
        let bits_per_key =
            bits_per_key.filter(|bits| (1.0..=f64::from(MAX_BITS_PER_KEY)).contains(&bits.get()))?;
        let (bloom_filter2, leveldb) = (
            BloomFilterPolicy::new(bits_per_key),
            BloomFilterPolicy::leveldb_builtin(bits_per_key),
        );
        match policy {
            POLICY_BLOOM_FILTER2 => Some(Self::BloomFilter2(bloom_filter2)),
            POLICY_LEVELDB => Some(Self::LevelDbBuiltin(leveldb)),
            POLICY_BLOOM_FILTER2_COPRIME => Some(Self::BloomFilter2(bloom_filter2.with_coprime_sizes())),
            POLICY_LEVELDB_COPRIME => Some(Self::LevelDbBuiltin(leveldb.with_coprime_sizes())),
            POLICY_BLOOM64 => Some(Self::Bloom64(BloomFilter64Policy::new(bits_per_key))),
            POLICY_FAST_LOCAL_BLOOM => Some(Self::FastLocalBloom(FastLocalBloomPolicy::new(bits_per_key))),
            POLICY_RIBBON => Some(Self::Ribbon(RibbonPolicy::new(bits_per_key))),
            POLICY_SPLIT_BLOCK_XXPH3 => Some(Self::SplitBlock(SplitBlockBloomPolicy::xxph3(bits_per_key))),
            POLICY_BINARY_FUSE => Some(Self::BinaryFuse(BinaryFusePolicy::new(bits_per_key))),
            _ => None,
        }
    }
}

impl FilterPolicy for ChosenPolicy {
    fn name(&self) -> &str {
        self.policy().name()
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        self.policy().max_filter_len(keys)
    }

    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        self.policy().create_filter(keys, out)
    }

    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        self.policy().key_may_match(key, filter)
    }
}

#[cfg(test)]
mod tests {
    use filter_policy::filter_block::longest_filter;

    use super::*;

    const ALL: core::ops::RangeInclusive<c_int> = POLICY_BLOOM_FILTER2..=POLICY_BINARY_FUSE;

    #[test]
    fn names_for_c_are_the_policies_own() {
        let mut names = Vec::new();
        for number in ALL {
            let policy = ChosenPolicy::new(10.0, number).unwrap();
            assert_eq!(policy.c_name().to_str(), Ok(policy.name()));
            names.push(policy.name().to_owned());
        }
        // Databases store filters under these names.
        assert_eq!(
            names,
            [
                "BloomFilter2",
                "leveldb.BuiltinBloomFilter2",
                "BloomFilter64.Xxph3",
                "rocksdb.internal.FastLocalBloomFilter",
                "rocksdb.internal.Standard128RibbonFilter",
                "BloomFilter2",
                "leveldb.BuiltinBloomFilter2",
                "SplitBlockBloomFilter.Xxph3",
                "binaryfuse",
            ]
        );
    }

    #[test]
    fn coprime_sizes_differ_from_leveldbs() {
        let lengths = [
            POLICY_LEVELDB,
            POLICY_LEVELDB_COPRIME,
            POLICY_BLOOM_FILTER2,
            POLICY_BLOOM_FILTER2_COPRIME,
        ]
        .map(|number| ChosenPolicy::new(10.0, number).unwrap().max_filter_len(32));
        assert_eq!(lengths, [Ok(41), Ok(42), Ok(41), Ok(42)]);
    }

    #[test]
    fn only_bits_in_range_and_known_numbers_make_a_policy() {
        let numbers: Vec<[u8; 4]> = (0..700_u32).map(u32::to_le_bytes).collect();
        let keys_of_four_bytes: Vec<&[u8]> = numbers.iter().map(<[u8; 4]>::as_slice).collect();
        for number in ALL {
            for bits in [
                c_int::MIN.into(),
                -1.0,
                0.0,
                0.99,
                f64::NAN,
                f64::INFINITY,
                60.01,
                c_int::MAX.into(),
            ] {
                assert!(ChosenPolicy::new(bits, number).is_none(), "{bits}");
            }
            for bits in [1.0, 9.6, 10.0] {
                assert!(ChosenPolicy::new(bits, number).is_some(), "{bits}");
            }
            let widest = ChosenPolicy::new(MAX_BITS_PER_KEY.into(), number).unwrap();
            // Ribbon reserves more than it writes.
            for keys in 1..700 {
                let (mut filter, keys) = (Vec::new(), keys_of_four_bytes.get(..keys).unwrap());
                widest.append_filter(keys, &mut filter).unwrap();
                assert!(
                    filter.len() <= longest_filter(keys.len()),
                    "{number}, {} keys",
                    keys.len()
                );
            }
            for keys in [1 << 20, 1 << 26] {
                assert!(
                    widest.max_filter_len(keys).unwrap() <= longest_filter(keys),
                    "{number}, {keys}"
                );
            }
        }
        for number in [c_int::MIN, -1, POLICY_BINARY_FUSE + 1, c_int::MAX] {
            assert!(ChosenPolicy::new(10.0, number).is_none(), "{number}");
        }
    }
}
