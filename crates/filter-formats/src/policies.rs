//! All policies, by the names under which engines store their filters.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

use filter_policy::prefix::{FixedPrefix, PrefixPolicy, SeparatedPrefix};
use filter_policy::{BitsPerKey, BloomFilterPolicy};

pub use crate::named::{AnyPolicy, NamedPolicy};
use crate::rocksdb::{FastLocalBloomPolicy, NAME_IN_TABLES};
use crate::view::Format;
use crate::{bloom64, fuse, leveldb, parquet, rocksdb};

/// The list of stored formats: every policy with a fixed name. The names of MurmurHash2 with other seeds and of filters over prefixes are derived
/// from these names; [`by_name`] and [`format_of`] know the derived names as well.
///
/// ```
/// use filter_formats::policies;
/// use filter_policy::{BitsPerKey, FilterPolicy as _};
///
/// for known in policies::ALL {
///     assert_eq!(known.policy(BitsPerKey::whole(10)).name(), known.name());
/// }
/// ```
pub const ALL: &[NamedPolicy] = &[
    leveldb::BUILTIN,
    leveldb::MURMUR2,
    leveldb::SIGNED_TAIL,
    bloom64::NAMED,
    rocksdb::FAST_LOCAL,
    rocksdb::LEGACY,
    rocksdb::RIBBON,
    parquet::WITH_XXH64,
    parquet::WITH_XXPH3,
    fuse::NAMED,
];

/// Returns the policy that stores its filters under a name: a policy of [`ALL`], MurmurHash2 with a seed, or either of
/// these over the prefixes that [`FixedPrefix`] or [`SeparatedPrefix`] extract. A short name of a policy of [`ALL`] will
/// do as well; filters are never stored under it.
///
/// The bits per key apply to filters that the policy builds. Every policy reads filters of any size, so any value will
/// do for reading.
///
/// ```
/// use filter_formats::policies;
/// use filter_policy::{BitsPerKey, FilterPolicy as _};
///
/// let ten = BitsPerKey::whole(10);
/// for name in ["leveldb.BuiltinBloomFilter2", "BloomFilter2.Seed9747b28c", "BloomFilter2.Prefix.Separated1x2f"] {
///     assert_eq!(policies::by_name(name, ten)?.name(), name);
/// }
/// assert_eq!(policies::by_name("bloom64", ten)?.name(), "BloomFilter64.Xxph3");
/// assert!(policies::by_name("BloomFilter3", ten).is_err());
/// # Ok::<(), policies::UnknownPolicy>(())
/// ```
///
/// # Errors
///
/// [`UnknownPolicy`] when no policy of this crate has the name. An engine then reads without the filter.
pub fn by_name(name: &str, bits_per_key: BitsPerKey) -> Result<AnyPolicy, UnknownPolicy> {
    ALL.iter()
        .find(|known| known.short_names.contains(&name))
        .map(|known| known.policy(bits_per_key))
        .or_else(|| by_stored_name(name, bits_per_key))
        .ok_or_else(|| UnknownPolicy {
            name: name.to_owned(),
        })
}

fn by_stored_name(name: &str, bits_per_key: BitsPerKey) -> Option<AnyPolicy> {
    // Leading zeros, a sign, uppercase digits and the seed of `BloomFilter2` make another name.
    find(name, bits_per_key).filter(|policy| policy.name() == name)
}

fn find(name: &str, bits_per_key: BitsPerKey) -> Option<AnyPolicy> {
    // The extractor's part of a name has no dot.
    if let Some((policy, extractor)) = name.rsplit_once('.')
        && let Some(policy) = policy.strip_suffix(".Prefix")
    {
        let policy = find(policy, bits_per_key)?;
        if let Some(len) = extractor.strip_prefix("Fixed") {
            return Some(Box::new(PrefixPolicy::new(
                policy,
                FixedPrefix::new(len.parse().ok()?),
            )));
        }
        let (count, separator) = extractor.strip_prefix("Separated")?.split_once('x')?;
        let separator = u8::from_str_radix(separator, 16).ok()?;
        let extractor = SeparatedPrefix::new(separator, count.parse().ok()?);
        return Some(Box::new(PrefixPolicy::new(policy, extractor)));
    }
    if let Some(seed) = name.strip_prefix("BloomFilter2.Seed") {
        let seed = u32::from_str_radix(seed, 16).ok()?;
        return Some(Box::new(BloomFilterPolicy::with_seed(seed, bits_per_key)));
    }
    let known = ALL.iter().find(|known| known.name == name)?;
    Some(known.policy(bits_per_key))
}

/// Returns the format of the filters stored under a name, over keys or over the prefixes of any extractor; `None` if no
/// policy of this crate has the name.
///
/// ```
/// use filter_formats::Format;
/// use filter_formats::policies::format_of;
///
/// assert_eq!(format_of(b"leveldb.BuiltinBloomFilter2"), Some(Format::LEVEL_DB));
/// assert_eq!(format_of(b"BloomFilter2.Seed9747b28c.Prefix.Fixed4"), Some(Format::LEVEL_DB));
/// assert_eq!(format_of(b"BloomFilter3"), None);
/// ```
pub fn format_of(name: &[u8]) -> Option<Format> {
    let name = str::from_utf8(without_prefixes(name)).ok()?;
    by_stored_name(name, BitsPerKey::whole(10))?;
    let known = ALL.iter().find(|policy| policy.name == name);
    Some(known.map_or(Format::LEVEL_DB, NamedPolicy::format))
}

/// Returns the name of the policy that stores the prefixes, without the suffixes that [`PrefixPolicy`] appended. The
/// extractor's part of a suffix has no dot.
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

/// The error for a name that belongs to no policy of this crate.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownPolicy {
    /// The unknown name.
    pub name: String,
}

impl fmt::Display for UnknownPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("policy name must be ")?;
        for policy in ALL {
            write!(f, "{} (short {}), ", policy.name, policy.short_names.join(" or "))?;
        }
        write!(
            f,
            "BloomFilter2.Seed with 8 hexadecimal digits, or one of these with .Prefix.Fixed4 or .Prefix.Separated1x2f, \
             for example, got {:?}",
            self.name
        )?;
        if self.name == NAME_IN_TABLES {
            let policy = FastLocalBloomPolicy::NAME;
            write!(
                f,
                ", which tables store for filters of several kinds: read those with {policy:?}"
            )?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownPolicy {}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use filter_policy::FilterPolicy as _;

    use super::*;

    const TEN: BitsPerKey = BitsPerKey::whole(10);

    /// Columns: the name, whether its layout is known, whether its policy is known.
    #[test]
    fn names_that_are_known() {
        for (name, layout, policy) in [
            ("BloomFilter2.Seed9747b28c", true, true),
            ("BloomFilter2.Seed9747B28C", false, false),
            ("BloomFilter2.Seed00001505", false, false),
            ("BloomFilter2.Seed+0000007", false, false),
            ("BloomFilter2.Seed7", false, false),
            ("BloomFilter2.Prefix.Fixed4", true, true),
            ("BloomFilter2.Prefix.Fixed+4", true, false),
            ("BloomFilter2.Prefix.Fixed04", true, false),
            ("BloomFilter2.Prefix.Fixed99999999999999999999", true, false),
            ("BloomFilter2.Prefix.Separated1x2F", true, false),
            ("BloomFilter2.Prefix.Separated1x2f3", true, false),
            ("leveldb.BuiltinBloomFilter2.Prefix.Separated2x2f", true, true),
            ("BloomFilter2.Seed9747b28c.Prefix.A.Prefix.", true, false),
            (
                "BloomFilter2.Seed9747b28c.Prefix.Fixed9.Prefix.Fixed4",
                true,
                true,
            ),
            ("BloomFilter2.Prefix.Fixed.4", false, false),
            ("BloomFilter2.prefix.Fixed4", false, false),
            (".Prefix.Fixed4", false, false),
            ("another.Prefix.Fixed4", false, false),
            ("", false, false),
            ("rocksdb.BuiltinBloomFilter", false, false),
            (
                "rocksdb.internal.Standard128RibbonFilter.Prefix.Fixed4",
                true,
                true,
            ),
        ] {
            assert_eq!(format_of(name.as_bytes()).is_some(), layout, "{name:?}");
            match by_name(name, TEN) {
                Ok(made) => assert!(policy && made.name() == name, "{name:?}"),
                Err(error) => {
                    assert!(!policy, "{name:?}");
                    let error = error.to_string();
                    let (_, got) = error.rsplit_once(", got ").unwrap();
                    let hint = ", which tables store for filters of several kinds: read those with ";
                    assert!(got.starts_with(&alloc::format!("{name:?}")));
                    assert_eq!(got.contains(hint), name == NAME_IN_TABLES, "{got}");
                }
            }
        }
        assert!(format_of(&[0xff; 9]).is_none());
        for policy in ALL {
            assert_eq!(format_of(policy.name.as_bytes()), Some(policy.format));
            let error = by_name("bloom", TEN).err().unwrap().to_string();
            for name in policy.short_names.iter().copied().chain([policy.name]) {
                let made = by_name(name, TEN).map(|made| made.name() == policy.name);
                assert_eq!(made, Ok(true), "{name}");
                // What an engine finds in a table is a stored name.
                let layout = (name == policy.name).then_some(policy.format);
                assert_eq!(format_of(name.as_bytes()), layout);
                assert!(error.contains(name), "{error}");
            }
        }
    }
}
