//! The policies for C programs, with their numbers and names.

use core::ffi::{CStr, c_int};

use filter_policy::SplitBlockPolicy;
use filter_policy::range::RangePolicy;
use filter_policy::rocksdb::{FastLocalBloomPolicy, RibbonPolicy};
use filter_policy::{BinaryFusePolicy, BloomFilter64Policy, policies};
use filter_policy::{BitsPerKey, BloomFilterPolicy, Error, FilterPolicy};

use super::state::try_box;

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

/// A policy that a C program chose.
pub(super) type ChosenPolicy = Box<dyn FilterPolicy + Send + Sync>;

/// Returns the policy with this number and its name, or `None` if there is no such policy or no memory, or the bits per
/// key are below 1 or above [`MAX_BITS_PER_KEY`].
pub(super) fn chosen(bits_per_key: f64, policy: c_int) -> Option<(ChosenPolicy, &'static CStr)> {
    let bits = BitsPerKey::fractional(bits_per_key).ok().filter(is_allowed)?;
    let (bloom_filter2, leveldb) = (
        BloomFilterPolicy::new(bits),
        BloomFilterPolicy::with_leveldb_hash(bits),
    );
    match policy {
        POLICY_BLOOM_FILTER2 => named(bloom_filter2, c"BloomFilter2"),
        POLICY_LEVELDB => named(leveldb, c"leveldb.BuiltinBloomFilter2"),
        POLICY_BLOOM_FILTER2_COPRIME => named(bloom_filter2.coprime_sizes(), c"BloomFilter2"),
        POLICY_LEVELDB_COPRIME => named(leveldb.coprime_sizes(), c"leveldb.BuiltinBloomFilter2"),
        POLICY_BLOOM64 => named(BloomFilter64Policy::new(bits), c"BloomFilter64.Xxph3"),
        POLICY_FAST_LOCAL_BLOOM => named(
            FastLocalBloomPolicy::new(bits),
            c"rocksdb.internal.FastLocalBloomFilter",
        ),
        POLICY_RIBBON => named(
            RibbonPolicy::new(bits),
            c"rocksdb.internal.Standard128RibbonFilter",
        ),
        POLICY_SPLIT_BLOCK_XXPH3 => named(SplitBlockPolicy::new(bits), c"SplitBlockBloomFilter.Xxph3"),
        POLICY_BINARY_FUSE => named(BinaryFusePolicy::new(bits), c"binaryfuse"),
        _ => None,
    }
}

/// Returns the policy of a name and bits per key such as `bloom64:10`, or the reason why there is none.
pub(super) fn parsed(text: &str) -> Result<ChosenPolicy, String> {
    let policy = policies::parse(text).map_err(|error| match error {
        // Other engines allow more.
        Error::BitsPerKeyAfterName { given, .. } => format!(
            "bits per key must be a number between 1 and {MAX_BITS_PER_KEY} after a colon, as in bloom64:10, got {given:?}"
        ),
        other => unknown(other),
    })?;
    let policy = for_points(policy)?;
    match policy.bits_per_key() {
        Some(bits) if !is_allowed(&bits) => Err(format!(
            "bits per key must be between 1 and {MAX_BITS_PER_KEY}, got {bits}"
        )),
        _ => Ok(policy),
    }
}

/// Returns the policy that reads the filters stored under a name, or the reason why there is none.
pub(super) fn reader(name: &str) -> Result<ChosenPolicy, String> {
    for_points(policies::reader(name).map_err(unknown)?)
}

/// Refuses the policy for ranges, also over prefixes.
fn for_points(policy: ChosenPolicy) -> Result<ChosenPolicy, String> {
    if !policy.name().starts_with(RangePolicy::NAME) {
        return Ok(policy);
    }
    Err(format!(
        "policy must answer for keys, got {:?}: LevelDB queries no ranges, and has a filter for each 2 KiB",
        policy.name()
    ))
}

/// Returns the reason why there is no policy, with the names that are not refused.
fn unknown(error: Error) -> String {
    let range = format!("{} (short range), ", RangePolicy::NAME);
    error.to_string().replace(&range, "")
}

fn is_allowed(bits_per_key: &BitsPerKey) -> bool {
    (1.0..=f64::from(MAX_BITS_PER_KEY)).contains(&bits_per_key.get())
}

/// Boxes a policy; `None` if there is no memory.
fn named<P>(policy: P, name: &'static CStr) -> Option<(ChosenPolicy, &'static CStr)>
where
    P: FilterPolicy + Send + Sync + 'static,
{
    Some((try_box(policy)?, name))
}

#[cfg(test)]
mod tests {
    use filter_policy::filter_block::longest_filter;

    use super::*;

    const ALL: core::ops::RangeInclusive<c_int> = POLICY_BLOOM_FILTER2..=POLICY_BINARY_FUSE;

    #[test]
    fn names_for_c_are_the_policies_own() {
        for number in ALL {
            let (policy, name) = chosen(10.0, number).unwrap();
            assert_eq!(name.to_str(), Ok(policy.name()));
        }
    }

    #[test]
    fn names_as_text_are_those_of_policies_in_range() {
        for name in ["leveldb", "BloomFilter64.Xxph3", "BloomFilter2.Prefix.Fixed4"] {
            let bits = parsed(&format!("{name}:9.6")).unwrap().bits_per_key();
            assert_eq!(bits, Some(BitsPerKey::fractional(9.6).unwrap()));
        }
        for (text, error) in [
            (
                "bloom:10",
                "got \"bloom\": known are leveldb.BuiltinBloomFilter2 (short leveldb)",
            ),
            (
                "bloom64: 10",
                "bits per key must be a number between 1 and 60 after a colon, as in bloom64:10, got \" 10\"",
            ),
            (
                "bloom64",
                "between 1 and 60 after a colon, as in bloom64:10, got \"\"",
            ),
            (
                "bloom64:-1",
                "between 1 and 60 after a colon, as in bloom64:10, got \"-1\"",
            ),
            (
                "range:10",
                "policy must answer for keys, got \"RangeFilter.SplitTrie1\": LevelDB",
            ),
            (
                "RangeFilter.SplitTrie1.Prefix.Fixed4:10",
                "policy must answer for keys",
            ),
        ] {
            let message = parsed(text).err().unwrap();
            assert!(message.contains(error), "{message}");
            assert!(!message.contains("(short range)"), "{message}");
        }
        for name in ["RangeFilter.SplitTrie1", "range"] {
            let message = reader(name).err().unwrap();
            assert!(!message.contains("(short range)"), "{message}");
        }
        for name in [
            "bloom64",
            "leveldb",
            "rocksdb",
            "ribbon",
            "binaryfuse",
            "BloomFilter2.Prefix.Fixed4",
        ] {
            for bits in ["0", "0.5", "0.99", "60.01", "61"] {
                let message = parsed(&format!("{name}:{bits}")).err().unwrap();
                assert_eq!(
                    message,
                    format!("bits per key must be between 1 and 60, got {bits}")
                );
            }
            for bits in ["1", "60"] {
                assert!(parsed(&format!("{name}:{bits}")).is_ok(), "{name}:{bits}");
            }
        }
    }

    #[test]
    fn coprime_sizes_differ_from_leveldbs() {
        let lengths = [
            POLICY_LEVELDB,
            POLICY_LEVELDB_COPRIME,
            POLICY_BLOOM_FILTER2,
            POLICY_BLOOM_FILTER2_COPRIME,
        ]
        .map(|number| chosen(10.0, number).unwrap().0.max_filter_len(32));
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
                assert!(chosen(bits, number).is_none(), "{bits}");
            }
            for bits in [1.0, 9.6, 10.0] {
                assert!(chosen(bits, number).is_some(), "{bits}");
            }
            let (widest, _) = chosen(MAX_BITS_PER_KEY.into(), number).unwrap();
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
            assert!(chosen(10.0, number).is_none(), "{number}");
        }
    }
}
