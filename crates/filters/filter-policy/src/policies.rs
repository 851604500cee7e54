//! All policies, by the names under which engines store their filters.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use crate::leveldb::Murmur2;
use crate::prefix::{FixedPrefix, PrefixPolicy, SeparatedPrefix};
use crate::range::RangePolicy;
use crate::{BitsPerKey, BloomFilterPolicy, FilterPolicy as _};

use crate::error::Error;
use crate::formats::ALL;
use crate::formats::basho::{BashoFilterPolicy, BashoTablePolicy};
use crate::formats::rocksdb::{FastLocalBloomPolicy, NAME_IN_TABLES};
use crate::policy::AnyFormat;
pub use crate::policy::any::AnyPolicy;

/// Returns the format of the filters that engines store under a name: that of a format of the list, of MurmurHash2 with
/// another seed, or of either over the prefixes of any extractor. `None` if no policy of this crate has the name; short
/// names are unknown, because filters are never stored under them. `None` also for [`RangePolicy`], which [`reader`]
/// knows: its filters hold no hash values, and have none of the sizes, rates and contents of a format.
///
/// The format tells sizes, rates and contents. To query the filters, take [`reader`], the policy of exactly this name:
/// the format's own policy hashes other bytes, or with another seed, and would deny stored keys.
///
/// ```
/// use filter_policy::policies::listed;
///
/// for (stored, short) in [
///     ("leveldb.BuiltinBloomFilter2", "leveldb"),
///     ("BloomFilter2.SignedTail.Prefix.Fixed4", "murmur2-signed"),
///     ("BloomFilter2.Seed9747b28c.Prefix.MyExtractor", "murmur2"),
/// ] {
///     assert_eq!(listed(stored).map(|policy| policy.short_names()[0]), Some(short));
/// }
/// assert!(listed("BloomFilter3").is_none() && listed("bloom64").is_none());
/// ```
pub fn listed(name: impl AsRef<[u8]>) -> Option<&'static dyn AnyFormat> {
    let mut name = str::from_utf8(name.as_ref()).ok()?;
    while let Some((policy, _)) = over_prefixes(name) {
        name = policy;
    }
    let listed = match name {
        BashoTablePolicy::NAME => BashoFilterPolicy::NAME,
        _ => seeded(name, ANY).map_or(name, |_| Murmur2::POLICY_NAME),
    };
    ALL.iter().copied().find(|format| format.name() == listed)
}

/// Returns the policy of a name and bits per key such as `bloom64:10`. The name is short or stored: see [`by_name`].
///
/// ```
/// use filter_policy::{FilterPolicy as _, policies};
///
/// assert_eq!(policies::parse("bloom64:10")?.name(), "BloomFilter64.Xxph3");
/// assert_eq!(policies::parse("leveldb.BuiltinBloomFilter2:9.6")?.bits_per_key(), Some(9.6.try_into()?));
/// let error = policies::parse("bloom:10").err().expect("no policy has this name");
/// assert!(error.to_string().contains("got \"bloom\": known are leveldb.BuiltinBloomFilter2 (short leveldb)"));
/// # Ok::<(), filter_policy::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::UnknownPolicy`], which lists all names; [`Error::BitsPerKeyAfterName`] without a number of bits per key.
pub fn parse(text: &str) -> Result<AnyPolicy, Error> {
    let (name, bits_per_key) = text.rsplit_once(':').unwrap_or((text, ""));
    // An unknown name is worse than a missing number.
    by_name(name, ANY)?;
    let bits = bits_per_key.parse().map_err(|_| Error::BitsPerKeyAfterName {
        given: bits_per_key.into(),
    })?;
    by_name(name, bits)
}

/// Returns the policy that stores its filters under a name: a policy of [`formats::ALL`](crate::formats::ALL),
/// MurmurHash2 with a seed, [`RangePolicy`], or any of these over the prefixes that [`FixedPrefix`] or
/// [`SeparatedPrefix`] extract. A short name of a policy of [`formats::ALL`](crate::formats::ALL), or `range`, will do as
/// well; filters are never stored under it.
///
/// The bits per key apply to filters that the policy builds. To read filters, see [`reader`].
///
/// ```
/// use filter_policy::{BitsPerKey, FilterPolicy as _, policies};
///
/// let ten = BitsPerKey::whole(10);
/// for name in ["leveldb.BuiltinBloomFilter2", "BloomFilter2.Seed9747b28c", "BloomFilter2.Prefix.Separated1x2f"] {
///     assert_eq!(policies::by_name(name, ten)?.name(), name);
/// }
/// assert!(policies::by_name("BloomFilter3", ten).is_err());
/// # Ok::<(), filter_policy::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::UnknownPolicy`] when no policy of this crate has the name.
pub fn by_name(name: &str, bits_per_key: BitsPerKey) -> Result<AnyPolicy, Error> {
    let listed = ALL.iter().find(|format| format.short_names().contains(&name));
    let range = if name == RangePolicy::SHORT_NAME {
        RangePolicy::NAME
    } else {
        name
    };
    let stored = listed.map_or(range, |format| format.name());
    stored_as(stored, bits_per_key).ok_or_else(|| unknown(name))
}

/// Returns the policy that reads the filters stored under a name, of any size. Filters that it builds have ten bits per
/// key. A short name is unknown: filters under it are another program's, whose keys this crate's policy would deny.
///
/// # Errors
///
/// [`Error::UnknownPolicy`] when no policy of this crate has the name. An engine then reads without the filter.
pub fn reader(name: &str) -> Result<AnyPolicy, Error> {
    stored_as(name, ANY).ok_or_else(|| unknown(name))
}

/// Returns the policy whose filters are stored under a name.
fn stored_as(name: &str, bits_per_key: BitsPerKey) -> Option<AnyPolicy> {
    if name == BashoTablePolicy::NAME {
        return Some(Box::new(BashoTablePolicy::new(bits_per_key)));
    }
    if name == RangePolicy::NAME {
        return Some(Box::new(RangePolicy::new(bits_per_key)));
    }
    match over_prefixes(name) {
        Some((policy, extractor)) => prefixed(stored_as(policy, bits_per_key)?, extractor),
        None => seeded(name, bits_per_key).or_else(|| Some(listed(name)?.policy(bits_per_key))),
    }
}

/// Returns the error for a name that no policy has.
fn unknown(name: &str) -> Error {
    let mut known = String::new();
    for policy in ALL {
        known += &format!(
            "{} (short {}), ",
            policy.name(),
            policy.short_names().join(" or ")
        );
    }
    known += &format!("{} (short {}), ", RangePolicy::NAME, RangePolicy::SHORT_NAME);
    known += "BloomFilter2.Seed with 8 hexadecimal digits, or one of these with .Prefix.Fixed4 or \
              .Prefix.Separated1x2f, for example";
    if name == NAME_IN_TABLES {
        known += &format!(
            " (tables store filters of several kinds under the name given: read those with {:?})",
            FastLocalBloomPolicy::NAME
        );
    }
    Error::UnknownPolicy {
        name: name.into(),
        known: known.into(),
    }
}

/// Bits per key for reading: every policy reads filters of any size.
const ANY: BitsPerKey = BitsPerKey::whole(10);

/// Separates the name of a policy from that of its extractor of prefixes, which has no dot.
const PREFIX: &str = ".Prefix.";

/// The largest number of extractors in a name. Each takes memory of the length of the name, which may come from a
/// table, and two already have no use.
const MAX_PREFIXES: usize = 4;

/// Divides the name of a policy over prefixes into that of the policy and that of its extractor.
fn over_prefixes(name: &str) -> Option<(&str, &str)> {
    let (policy, extractor) = name.rsplit_once(PREFIX)?;
    let is_known = !extractor.contains('.') && name.matches(PREFIX).count() <= MAX_PREFIXES;
    is_known.then_some((policy, extractor))
}

/// Returns a policy over the prefixes that an extractor of this name finds.
fn prefixed(policy: AnyPolicy, extractor: &str) -> Option<AnyPolicy> {
    let policy: AnyPolicy = match extractor.strip_prefix("Fixed") {
        Some(len) => Box::new(PrefixPolicy::new(policy, FixedPrefix::new(len.parse().ok()?))),
        None => {
            let (count, separator) = extractor.strip_prefix("Separated")?.split_once('x')?;
            let separator = u8::from_str_radix(separator, 16).ok()?;
            let separated = SeparatedPrefix::new(separator, count.parse().ok()?);
            Box::new(PrefixPolicy::new(policy, separated))
        }
    };
    // Leading zeros, a sign and uppercase digits make another name.
    let is_same = policy
        .name()
        .rsplit_once('.')
        .is_some_and(|(_, own)| own == extractor);
    is_same.then_some(policy)
}

/// Returns the policy of MurmurHash2 with the seed in a name. That of `BloomFilter2` is in no name.
fn seeded(name: &str, bits_per_key: BitsPerKey) -> Option<AnyPolicy> {
    let seed = u32::from_str_radix(name.strip_prefix("BloomFilter2.Seed")?, 16).ok()?;
    let policy = BloomFilterPolicy::with_seed(seed, bits_per_key);
    (policy.name() == name).then(|| Box::new(policy) as AnyPolicy)
}

#[cfg(not(emulated))]
#[cfg(test)]
mod tests {
    use alloc::borrow::ToOwned as _;
    use alloc::string::ToString as _;

    use super::*;

    #[test]
    fn prefixes_of_prefixes_end_somewhere() {
        for (levels, is_known) in [(4, true), (5, false), (40_000, false)] {
            let name = "BloomFilter2".to_owned() + &".Prefix.Fixed4".repeat(levels);
            let short = "bloom64".to_owned() + &".Prefix.Fixed4".repeat(levels);
            let made = reader(&name);
            assert_eq!(made.is_ok(), is_known, "{levels}");
            assert_eq!(listed(&name).is_some(), is_known);
            assert_eq!(by_name(&name, ANY).is_ok(), is_known);
            assert_eq!(parse(&(name + ":10")).is_ok(), is_known);
            for error in [made.err(), reader(&short).err()].into_iter().flatten() {
                assert!(error.to_string().len() < 2_000, "{}", error.to_string().len());
            }
        }
    }

    /// Columns: the name, the short name of its row, whether a policy reads filters under it.
    #[test]
    fn names_that_are_known() {
        for (name, short, is_read) in [
            ("BloomFilter2.Seed9747b28c", "murmur2", true),
            ("BloomFilter2.Seed9747B28C", "", false),
            ("BloomFilter2.Seed00001505", "", false),
            ("BloomFilter2.Seed+0000007", "", false),
            ("BloomFilter2.Seed7", "", false),
            ("BloomFilter2.SignedTail.Seed9747b28c", "", false),
            ("leveldb.BuiltinBloomFilter2.Seed9747b28c", "", false),
            ("BloomFilter2.Prefix.Fixed4", "murmur2", true),
            ("BloomFilter2.Prefix.Fixed+4", "murmur2", false),
            ("BloomFilter2.Prefix.Fixed04", "murmur2", false),
            ("BloomFilter2.Prefix.Fixed99999999999999999999", "murmur2", false),
            ("BloomFilter2.Prefix.Separated1x2F", "murmur2", false),
            ("BloomFilter2.Prefix.Separated1x2f3", "murmur2", false),
            ("BloomFilter2.SignedTail.Prefix.Fixed4", "murmur2-signed", true),
            (
                "leveldb.BuiltinBloomFilter2.Prefix.Separated2x2f",
                "leveldb",
                true,
            ),
            ("BloomFilter2.Seed9747b28c.Prefix.A.Prefix.", "murmur2", false),
            (
                "BloomFilter2.Seed9747b28c.Prefix.Fixed9.Prefix.Fixed4",
                "murmur2",
                true,
            ),
            (
                "SplitBlockBloomFilter.Xxph3.Prefix.Fixed9.Prefix.Separated1x2f",
                "split-block-xxph3",
                true,
            ),
            ("SplitBlockBloomFilter.Xxh64.Prefix.Fixed9", "split-block", true),
            (
                "rocksdb.internal.Standard128RibbonFilter.Prefix.Fixed4",
                "ribbon",
                true,
            ),
            ("BloomFilter2.Prefix.Fixed.4", "", false),
            ("BloomFilter2.prefix.Fixed4", "", false),
            ("BloomFilter2.SignedTai", "", false),
            ("BloomFilter2.SignedTail2", "", false),
            ("BloomFilter2 ", "", false),
            ("bloom64.Prefix.Fixed4", "", false),
            (".Prefix.Fixed4", "", false),
            ("another.Prefix.Fixed4", "", false),
            ("", "", false),
            ("rocksdb.BuiltinBloomFilter", "", false),
            ("leveldb.BuiltinBloomFilter", "", false),
        ] {
            let named = listed(name).and_then(|policy| policy.short_names().first());
            assert_eq!(named.copied().unwrap_or(""), short, "{name:?}");
            match reader(name) {
                Ok(made) => assert!(is_read && made.name() == name, "{name:?}"),
                Err(error) => {
                    assert!(!is_read, "{name:?}");
                    let error = error.to_string();
                    let (got, known) = error.split_once(": known are ").unwrap();
                    assert_eq!(got, format!("policy name must be known, got {name:?}"));
                    let hint = "tables store filters of several kinds under the name given: read those with ";
                    assert_eq!(known.contains(hint), name == NAME_IN_TABLES, "{known}");
                }
            }
        }
        // It reads, and is in no list.
        let range = "RangeFilter.SplitTrie1";
        let made = [
            reader(range),
            by_name(range, ANY),
            parse("range:12"),
            by_name("range", ANY),
        ];
        assert!(made.into_iter().all(|made| made.unwrap().name() == range));
        assert_eq!(
            parse("range:12").unwrap().bits_per_key(),
            Some(BitsPerKey::whole(12))
        );
        assert!(listed(range).is_none() && reader("range").is_err() && listed("range").is_none());
        let over_prefixes = format!("{range}.Prefix.Fixed4");
        assert_eq!(reader(&over_prefixes).unwrap().name(), over_prefixes);
        assert!(listed(&over_prefixes).is_none());
        let error = reader("bloom").err().unwrap().to_string();
        assert!(error.contains("RangeFilter.SplitTrie1 (short range)"), "{error}");
        assert!(listed([0xff; 9]).is_none());
        for policy in ALL {
            let error = reader("bloom").err().unwrap().to_string();
            for name in policy.short_names().iter().copied().chain([policy.name()]) {
                let made = by_name(name, ANY).map(|made| made.name() == policy.name());
                assert_eq!(made, Ok(true), "{name}");
                // What an engine finds in a table is a stored name.
                let is_stored = name == policy.name();
                assert_eq!(
                    listed(name).map(|format| format.name()),
                    is_stored.then_some(name)
                );
                assert_eq!(reader(name).is_ok(), is_stored, "{name}");
                assert!(error.contains(name), "{error}");
            }
        }
    }
}
