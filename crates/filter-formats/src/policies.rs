//! All policies, by the names under which engines store their filters.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use filter_policy::prefix::{FixedPrefix, PrefixPolicy, SeparatedPrefix};
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy, hashers};

use crate::basho::Basho;
use crate::bloom64::Bloom64;
use crate::error::Error;
use crate::fuse::BinaryFuse;
use crate::parquet::SplitBlock;
use crate::rocksdb::{FastLocalBloom, LegacyBloom, NAME_IN_TABLES, Ribbon};
use crate::view::Format;

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
    row(
        hashers::LevelDbHash::POLICY_NAME,
        &["leveldb"],
        Format::LEVEL_DB,
        0,
        |bits| Box::new(BloomFilterPolicy::with_leveldb_hash(bits)),
    ),
    row(
        hashers::Murmur2::POLICY_NAME,
        &["murmur2"],
        Format::LEVEL_DB,
        0,
        |bits| Box::new(BloomFilterPolicy::new(bits)),
    ),
    row(
        hashers::Murmur2SignedTail::POLICY_NAME,
        &["murmur2-signed"],
        Format::LEVEL_DB,
        0,
        |bits| Box::new(BloomFilterPolicy::with_signed_tail(bits)),
    ),
    row(Bloom64::NAME, &["bloom64"], Format::BLOOM64, 0, |bits| {
        Box::new(Bloom64::new(bits))
    }),
    row(
        FastLocalBloom::NAME,
        &["rocksdb", "fast-local-bloom"],
        Format::FAST_LOCAL_BLOOM,
        0,
        |bits| Box::new(FastLocalBloom::new(bits)),
    ),
    row(
        LegacyBloom::NAME,
        &["rocksdb-legacy"],
        Format::LEGACY_BLOOM,
        0,
        |bits| Box::new(LegacyBloom::new(bits)),
    ),
    row(Ribbon::NAME, &["ribbon"], Format::RIBBON, 36, |bits| {
        Box::new(Ribbon::new(bits))
    }),
    row(
        SplitBlock::NAME,
        &["split-block", "parquet"],
        Format::SPLIT_BLOCK,
        0,
        |bits| Box::new(SplitBlock::new(bits)),
    ),
    row(
        SplitBlock::NAME_XXPH3,
        &["split-block-xxph3"],
        Format::SPLIT_BLOCK,
        0,
        |bits| Box::new(SplitBlock::with_xxph3(bits)),
    ),
    row(
        BinaryFuse::NAME,
        &["binaryfuse", "binary-fuse"],
        Format::BINARY_FUSE,
        28,
        |bits| Box::new(BinaryFuse::new(bits)),
    ),
    row(Basho::NAME, &["basho"], Format::BASHO, 0, |bits| {
        Box::new(Basho::new(bits))
    }),
    row(
        Basho::NAME_MURMUR2,
        &["basho-murmur2"],
        Format::BASHO,
        0,
        |bits| Box::new(Basho::with_murmur2(bits)),
    ),
];

/// Makes a row of the names, the format, the bytes of memory for each key that building takes beside the hash values and the
/// filter, and the constructor.
const fn row(
    name: &'static str,
    short_names: &'static [&'static str],
    format: Format,
    building: u64,
    new: fn(BitsPerKey) -> AnyPolicy,
) -> NamedPolicy {
    NamedPolicy {
        name,
        short_names,
        format,
        building,
        new,
    }
}

/// A boxed policy of any type.
pub type AnyPolicy = Box<dyn FilterPolicy + Send + Sync>;

/// A row of the list of policies: the names, the stored format, and what builds it.
#[derive(Debug, Clone, Copy)]
pub struct NamedPolicy {
    name: &'static str,
    short_names: &'static [&'static str],
    format: Format,
    building: u64,
    new: fn(BitsPerKey) -> AnyPolicy,
}

impl NamedPolicy {
    /// Returns the policy's [`name`](FilterPolicy::name).
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the names by which people choose the policy, at least one. Messages show the first.
    pub const fn short_names(&self) -> &'static [&'static str] {
        self.short_names
    }

    /// Returns the format of the policy's filters.
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Returns the bytes of memory for each key that building takes beside the hash values and the filter.
    pub const fn building_bytes_per_key(&self) -> u64 {
        self.building
    }

    /// Makes the policy with this many bits per key.
    pub fn policy(&self, bits_per_key: BitsPerKey) -> AnyPolicy {
        (self.new)(bits_per_key)
    }
}

/// Returns the policy of a name and bits per key such as `bloom64:10`. The name is short or stored: see [`by_name`].
///
/// ```
/// use filter_formats::policies;
/// use filter_policy::FilterPolicy as _;
///
/// assert_eq!(policies::parse("bloom64:10")?.name(), "BloomFilter64.Xxph3");
/// assert_eq!(policies::parse("leveldb.BuiltinBloomFilter2:9.6")?.bits_per_key(), Some(9.6.try_into()?));
/// let error = policies::parse("bloom:10").err().expect("no policy has this name");
/// assert!(error.to_string().contains("got \"bloom\": known are leveldb.BuiltinBloomFilter2 (short leveldb)"));
/// # Ok::<(), filter_formats::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::UnknownPolicy`], which lists all names; [`Error::BitsPerKey`] without a number of bits per key.
pub fn parse(text: &str) -> Result<AnyPolicy, Error> {
    Registry::new().parse(text)
}

/// Returns the policy that stores its filters under a name: a policy of [`ALL`], MurmurHash2 with a seed, or either of
/// these over the prefixes that [`FixedPrefix`] or [`SeparatedPrefix`] extract. A short name of a policy of [`ALL`] will
/// do as well; filters are never stored under it.
///
/// The bits per key apply to filters that the policy builds. To read filters, see [`reader`].
///
/// ```
/// use filter_formats::policies;
/// use filter_policy::{BitsPerKey, FilterPolicy as _};
///
/// let ten = BitsPerKey::whole(10);
/// for name in ["leveldb.BuiltinBloomFilter2", "BloomFilter2.Seed9747b28c", "BloomFilter2.Prefix.Separated1x2f"] {
///     assert_eq!(policies::by_name(name, ten)?.name(), name);
/// }
/// assert!(policies::by_name("BloomFilter3", ten).is_err());
/// # Ok::<(), filter_formats::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::UnknownPolicy`] when no policy of this crate has the name.
pub fn by_name(name: &str, bits_per_key: BitsPerKey) -> Result<AnyPolicy, Error> {
    Registry::new().by_name(name, bits_per_key)
}

/// Returns the policy that reads the filters stored under a name, of any size. Filters that it builds have ten bits per
/// key. A short name is unknown: filters under it are another program's, whose keys this crate's policy would deny.
///
/// # Errors
///
/// [`Error::UnknownPolicy`] when no policy of this crate has the name. An engine then reads without the filter.
pub fn reader(name: &str) -> Result<AnyPolicy, Error> {
    Registry::new().reader(name)
}

/// The policies that an engine knows: those of this crate, and its own.
///
/// ```
/// use filter_formats::policies::Registry;
/// use filter_policy::{BloomFilterPolicy, FilterPolicy as _};
/// # use filter_policy::hashers::{KeyHasher, LaneHash};
/// # struct Crc;
/// # impl KeyHasher for Crc {
/// #     fn hash(&self, key: &[u8]) -> u32 { LaneHash::Murmur2 { seed: 9 }.hash(key) }
/// #     fn policy_name(&self) -> &str { "example.CrcBloom" }
/// # }
///
/// let mut known = Registry::new();
/// known.register("crc", |bits| BloomFilterPolicy::with_hasher(Crc, bits))?;
/// assert_eq!(known.parse("crc:12")?.name(), "example.CrcBloom");
/// assert_eq!(known.reader("example.CrcBloom.Prefix.Fixed4")?.name(), "example.CrcBloom.Prefix.Fixed4");
/// assert_eq!(known.parse("ribbon:10")?.name(), "rocksdb.internal.Standard128RibbonFilter");
/// # Ok::<(), filter_formats::Error>(())
/// ```
#[derive(Default)]
pub struct Registry {
    own: Vec<Own>,
}

/// A policy of an engine's own.
struct Own {
    short_name: String,
    name: String,
    new: Box<dyn Fn(BitsPerKey) -> AnyPolicy + Send + Sync>,
}

impl Registry {
    /// Makes a registry of the policies of this crate.
    pub const fn new() -> Self {
        Self { own: Vec::new() }
    }

    /// Adds a policy of the engine's own under a short name, and under the name that the policy itself has.
    ///
    /// # Errors
    ///
    /// [`Error::NameTaken`] when a policy has one of these names, or when one ends like the name of a policy over
    /// prefixes (`.Prefix.Fixed4`): that is the name of another encoding, as soon as a policy has the name before it.
    pub fn register<P: FilterPolicy + Send + Sync + 'static>(
        &mut self,
        short_name: &str,
        new: impl Fn(BitsPerKey) -> P + Send + Sync + 'static,
    ) -> Result<(), Error> {
        let own = Own {
            short_name: short_name.to_owned(),
            name: new(ANY).name().to_owned(),
            new: Box::new(move |bits| Box::new(new(bits))),
        };
        for name in [&own.short_name, &own.name] {
            // Whether it is derived does not depend on the name before it.
            let is_derived = name
                .rsplit_once(".Prefix.")
                .is_some_and(|(_, extractor)| reader(&format!("BloomFilter2.Prefix.{extractor}")).is_ok());
            if is_derived || self.by_name(name, ANY).is_ok() {
                return Err(Error::NameTaken { name: name.clone() });
            }
        }
        self.own.push(own);
        Ok(())
    }

    /// Returns the policy of a name and bits per key: see [`parse`].
    ///
    /// # Errors
    ///
    /// Those of [`parse`].
    pub fn parse(&self, text: &str) -> Result<AnyPolicy, Error> {
        let (name, bits_per_key) = text.rsplit_once(':').unwrap_or((text, ""));
        // An unknown name is worse than a missing number.
        self.by_name(name, ANY)?;
        let bits = bits_per_key.parse().map_err(|_| Error::BitsPerKey {
            given: bits_per_key.to_owned(),
        })?;
        self.by_name(name, bits)
    }

    /// Returns the policy that reads the filters stored under a name: see [`reader`].
    ///
    /// # Errors
    ///
    /// Those of [`reader`].
    pub fn reader(&self, name: &str) -> Result<AnyPolicy, Error> {
        self.by_stored_name(name, ANY).ok_or_else(|| self.unknown(name))
    }

    /// Returns the policy of a name: see [`by_name`].
    ///
    /// # Errors
    ///
    /// Those of [`by_name`].
    pub fn by_name(&self, name: &str, bits_per_key: BitsPerKey) -> Result<AnyPolicy, Error> {
        self.listed(bits_per_key, |_, short_names| short_names.contains(&name))
            .or_else(|| self.by_stored_name(name, bits_per_key))
            .ok_or_else(|| self.unknown(name))
    }

    /// Returns the policy with these stored and short names.
    fn listed(&self, bits_per_key: BitsPerKey, has: impl Fn(&str, &[&str]) -> bool) -> Option<AnyPolicy> {
        let known = ALL.iter().find(|known| has(known.name, known.short_names));
        let mut own = self.own.iter();
        known.map(|known| known.policy(bits_per_key)).or_else(|| {
            Some((own.find(|own| has(&own.name, &[&own.short_name]))?.new)(
                bits_per_key,
            ))
        })
    }

    fn by_stored_name(&self, name: &str, bits_per_key: BitsPerKey) -> Option<AnyPolicy> {
        // Leading zeros, a sign, uppercase digits and the seed of `BloomFilter2` make another name.
        (name.matches(PREFIX).count() <= MAX_PREFIXES)
            .then(|| self.find(name, bits_per_key))
            .flatten()
            .filter(|policy| policy.name() == name)
    }

    fn find(&self, name: &str, bits_per_key: BitsPerKey) -> Option<AnyPolicy> {
        let listed = self.listed(bits_per_key, |stored, _| stored == name);
        if listed.is_some() {
            return listed;
        }
        // The extractor's part of a name has no dot.
        if let Some((policy, extractor)) = name.rsplit_once('.')
            && let Some(policy) = policy.strip_suffix(".Prefix")
        {
            let policy = self.find(policy, bits_per_key)?;
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
        let seed = u32::from_str_radix(name.strip_prefix("BloomFilter2.Seed")?, 16).ok()?;
        Some(Box::new(BloomFilterPolicy::with_seed(seed, bits_per_key)))
    }

    fn unknown(&self, name: &str) -> Error {
        let mut known = String::new();
        for policy in ALL {
            known += &format!("{} (short {}), ", policy.name, policy.short_names.join(" or "));
        }
        for policy in &self.own {
            known += &format!("{} (short {}), ", policy.name, policy.short_name);
        }
        known += "BloomFilter2.Seed with 8 hexadecimal digits, or one of these with .Prefix.Fixed4 or \
                  .Prefix.Separated1x2f, for example";
        if name == NAME_IN_TABLES {
            known += &format!(
                " (tables store filters of several kinds under the name given: read those with {:?})",
                FastLocalBloom::NAME
            );
        }
        let name = name.to_owned();
        Error::UnknownPolicy { name, known }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.own.iter().map(|own| &own.name))
            .finish()
    }
}

/// The start of the suffix of a policy over prefixes, and the largest number of suffixes of a name. Each takes memory of the
/// length of the name, which may come from a table, and two already have no use.
const PREFIX: &str = ".Prefix.";
const MAX_PREFIXES: usize = 4;

/// Bits per key for reading: every policy reads filters of any size.
const ANY: BitsPerKey = BitsPerKey::whole(10);

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
    let mut name = str::from_utf8(name).ok()?;
    if name.matches(PREFIX).count() > MAX_PREFIXES {
        return None;
    }
    // Without the suffixes that `PrefixPolicy` appended. The extractor's part of one has no dot.
    while let Some((policy, _)) = name.rsplit_once('.')
        && let Some(policy) = policy.strip_suffix(".Prefix")
    {
        name = policy;
    }
    Registry::new().by_stored_name(name, ANY)?;
    let known = ALL.iter().find(|policy| policy.name == name);
    Some(known.map_or(Format::LEVEL_DB, NamedPolicy::format))
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use filter_policy::prefix::PrefixExtractor;

    use super::*;

    #[test]
    fn prefixes_of_prefixes_end_somewhere() {
        for (levels, is_known) in [(4, true), (5, false), (40_000, false)] {
            let name = "BloomFilter2".to_owned() + &".Prefix.Fixed4".repeat(levels);
            let short = "bloom64".to_owned() + &".Prefix.Fixed4".repeat(levels);
            let made = reader(&name);
            assert_eq!(made.is_ok(), is_known, "{levels}");
            assert_eq!(format_of(name.as_bytes()).is_some(), is_known);
            assert_eq!(by_name(&name, ANY).is_ok(), is_known);
            assert_eq!(parse(&(name + ":10")).is_ok(), is_known);
            let registered = Registry::new().register(&short, BloomFilterPolicy::new);
            for error in [made.err(), registered.err()].into_iter().flatten() {
                assert!(error.to_string().len() < 2_000, "{}", error.to_string().len());
            }
        }
    }

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
            match reader(name) {
                Ok(made) => assert!(policy && made.name() == name, "{name:?}"),
                Err(error) => {
                    assert!(!policy, "{name:?}");
                    let error = error.to_string();
                    let (got, known) = error.split_once(": known are ").unwrap();
                    assert_eq!(got, format!("policy name must be known, got {name:?}"));
                    let hint = "tables store filters of several kinds under the name given: read those with ";
                    assert_eq!(known.contains(hint), name == NAME_IN_TABLES, "{known}");
                }
            }
        }
        let mut known = Registry::new();
        for taken in ["bloom64", "a.U.Prefix.Fixed4", "new"] {
            let error = known.register(taken, BloomFilterPolicy::new).unwrap_err();
            let name = if taken == "new" { "BloomFilter2" } else { taken };
            assert_eq!(
                error,
                Error::NameTaken {
                    name: name.to_owned()
                }
            );
        }
        // An extractor of the engine's own.
        struct Half;
        impl PrefixExtractor for Half {
            fn name(&self) -> &str {
                "Half"
            }
            fn prefix<'a>(&self, key: &'a [u8]) -> Option<&'a [u8]> {
                key.get(..key.len() / 2)
            }
        }
        let registered = known.register("half", |bits| {
            PrefixPolicy::new(BloomFilterPolicy::new(bits), Half)
        });
        assert_eq!(registered, Ok(()));
        let name = "BloomFilter2.Prefix.Half";
        assert_eq!(known.reader(name).unwrap().name(), name);
        assert!(format_of(&[0xff; 9]).is_none());
        for policy in ALL {
            assert_eq!(format_of(policy.name.as_bytes()), Some(policy.format));
            let error = reader("bloom").err().unwrap().to_string();
            for name in policy.short_names.iter().copied().chain([policy.name]) {
                let made = by_name(name, ANY).map(|made| made.name() == policy.name);
                assert_eq!(made, Ok(true), "{name}");
                // What an engine finds in a table is a stored name.
                let layout = (name == policy.name).then_some(policy.format);
                assert_eq!(format_of(name.as_bytes()), layout);
                assert_eq!(reader(name).is_ok(), name == policy.name, "{name}");
                assert!(error.contains(name), "{error}");
            }
        }
    }
}
