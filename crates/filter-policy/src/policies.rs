//! The policies of this crate by the names under which engines store their filters.
//!
//! A new policy is a line in [`ALL`]: the tests of names, of stored bytes, of damage and of [`format`](crate::format)
//! read the list, and so do programs that look into tables.

use alloc::boxed::Box;

use FilterLayout::{BloomFilter64, LevelDb, RocksDb};

use crate::bloom::BloomFilterPolicy;
use crate::bloom64::BloomFilter64Policy;
use crate::params::BitsPerKey;
use crate::policy::FilterPolicy;
use crate::rocksdb::{FastLocalBloomPolicy, LegacyFullFilterPolicy, RibbonPolicy, RocksDbBitsPerKey};

/// What the bytes of a filter mean, whatever the hash function: which view reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FilterLayout {
    /// The last byte is k: [`FilterView`](crate::FilterView).
    LevelDb,
    /// The last byte is 128 and k: [`BloomFilter64View`](crate::BloomFilter64View).
    BloomFilter64,
    /// The last five bytes tell: [`RocksDbFilterView`](crate::RocksDbFilterView).
    RocksDb,
}

/// A policy whose type is not known.
pub type AnyPolicy = Box<dyn FilterPolicy + Send + Sync>;

/// A policy of this crate.
#[derive(Debug, Clone, Copy)]
pub struct NamedPolicy {
    /// The policy's [`name`](FilterPolicy::name).
    pub name: &'static str,
    /// What its filters look like.
    pub layout: FilterLayout,
    new: fn(BitsPerKey) -> Option<AnyPolicy>,
}

impl NamedPolicy {
    /// The policy with so many bits per key; `None` where it has no filters of so few, which only RocksDB's have not
    /// (see [`RocksDbBitsPerKey::new`]).
    pub fn build(&self, bits_per_key: BitsPerKey) -> Option<AnyPolicy> {
        (self.new)(bits_per_key)
    }
}

/// Every policy with a name of its own. MurmurHash2 with another seed than `BloomFilter2`'s and filters over prefixes have
/// names that are made of these; [`layout_of`] knows those as well.
///
/// ```
/// use filter_policy::{BitsPerKey, FilterPolicy as _, policies};
///
/// for known in policies::ALL {
///     let policy = known.build(BitsPerKey::whole(10)).expect("ten bits are enough for all of them");
///     assert_eq!(policy.name(), known.name);
/// }
/// ```
pub const ALL: &[NamedPolicy] = &[
    named("leveldb.BuiltinBloomFilter2", LevelDb, |bits| {
        boxed(BloomFilterPolicy::leveldb_builtin(bits))
    }),
    named("BloomFilter2", LevelDb, |bits| {
        boxed(BloomFilterPolicy::bloom_filter2(bits))
    }),
    named("BloomFilter2.SignedTail", LevelDb, |bits| {
        boxed(BloomFilterPolicy::bloom_filter2_signed_tail(bits))
    }),
    named("BloomFilter64.Xxph3", BloomFilter64, |bits| {
        boxed(BloomFilter64Policy::new(bits))
    }),
    named("rocksdb.internal.FastLocalBloomFilter", RocksDb, |bits| {
        boxed(FastLocalBloomPolicy::new(of_rocksdb(bits)?))
    }),
    named("rocksdb.internal.LegacyBloomFilter", RocksDb, |bits| {
        boxed(LegacyFullFilterPolicy::new(of_rocksdb(bits)?))
    }),
    named("rocksdb.internal.Standard128RibbonFilter", RocksDb, |bits| {
        boxed(RibbonPolicy::new(of_rocksdb(bits)?))
    }),
];

/// The layout of the filters that are stored under a name, over keys or over prefixes of them; `None` of a name that is
/// not this crate's.
///
/// ```
/// use filter_policy::policies::{FilterLayout, layout_of};
///
/// assert_eq!(layout_of(b"leveldb.BuiltinBloomFilter2"), Some(FilterLayout::LevelDb));
/// assert_eq!(layout_of(b"BloomFilter2.Seed9747b28c.Prefix.Fixed4"), Some(FilterLayout::LevelDb));
/// assert_eq!(layout_of(b"BloomFilter3"), None);
/// ```
pub fn layout_of(name: &[u8]) -> Option<FilterLayout> {
    let name = without_prefixes(name);
    let known = ALL.iter().find(|policy| policy.name.as_bytes() == name);
    known
        .map(|policy| policy.layout)
        .or_else(|| is_seeded(name).then_some(LevelDb))
}

/// Whether it is the name of MurmurHash2 with a seed of the caller's.
fn is_seeded(name: &[u8]) -> bool {
    let seed = || {
        let digits = name.last_chunk::<8>()?;
        u32::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
    };
    seed().is_some_and(|seed| {
        // Digits in capitals, a sign, or the seed of `BloomFilter2` make another name.
        BloomFilterPolicy::bloom_filter2_with_seed(seed, BitsPerKey::whole(10))
            .name()
            .as_bytes()
            == name
    })
}

/// The name of the policy that stores the prefixes, without what [`PrefixPolicy`](crate::PrefixPolicy) put behind it: an
/// extractor's name there has no dot.
fn without_prefixes(mut name: &[u8]) -> &[u8] {
    while let Some(policy) = name
        .iter()
        .rposition(|&byte| byte == b'.')
        .and_then(|dot| name.get(..=dot)?.strip_suffix(b".Prefix."))
    {
        name = policy;
    }
    name
}

const fn named(
    name: &'static str,
    layout: FilterLayout,
    new: fn(BitsPerKey) -> Option<AnyPolicy>,
) -> NamedPolicy {
    NamedPolicy { name, layout, new }
}

fn boxed(policy: impl FilterPolicy + Send + Sync + 'static) -> Option<AnyPolicy> {
    Some(Box::new(policy))
}

fn of_rocksdb(bits_per_key: BitsPerKey) -> Option<RocksDbBitsPerKey> {
    RocksDbBitsPerKey::new(bits_per_key.get())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_known() {
        for (name, known) in [
            ("BloomFilter2.Seed9747b28c", true),
            ("BloomFilter2.Seed9747B28C", false),
            ("BloomFilter2.Seed00001505", false),
            ("BloomFilter2.Seed+0000007", false),
            ("BloomFilter2.Prefix.Fixed4", true),
            ("leveldb.BuiltinBloomFilter2.Prefix.Separated2x2f", true),
            ("BloomFilter2.Seed9747b28c.Prefix.A.Prefix.", true),
            ("BloomFilter2.Prefix.Fixed.4", false),
            ("BloomFilter2.prefix.Fixed4", false),
            (".Prefix.Fixed4", false),
            ("another.Prefix.Fixed4", false),
            ("", false),
            ("rocksdb.BuiltinBloomFilter", false),
            ("rocksdb.internal.Standard128RibbonFilter.Prefix.Fixed4", true),
        ] {
            assert_eq!(layout_of(name.as_bytes()).is_some(), known, "{name:?}");
        }
        assert!(layout_of(&[0xff; 9]).is_none());
        for policy in ALL {
            assert_eq!(layout_of(policy.name.as_bytes()), Some(policy.layout));
        }
    }
}
