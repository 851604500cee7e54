//! Filters over prefixes of keys, for scans over all keys with a common start. Any policy can become a policy over
//! prefixes.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use crate::bits_per_key::BitsPerKey;
use crate::building::reserve;
use crate::error::Error;
use crate::filter_bytes::FilterBytes;
use crate::policy::FilterPolicy;

/// Extracts the part of a key that goes into a filter over prefixes.
///
/// An extractor has a domain: keys outside it have no prefix, are not stored, and are never denied.
///
/// * **Stability.** Under one [`name`](Self::name), a key has the same prefix on every platform and in every version.
/// * **Scans and keys agree.** If [`shared_prefix`](Self::shared_prefix) returns a prefix for some bytes, then
///   [`prefix`](Self::prefix) returns the same prefix for every key that starts with those bytes. If an extractor
///   cannot guarantee this, it returns `None`. Otherwise a scan misses stored keys.
///
/// A prefix should be the start of its keys, so that an engine stores the keys of a prefix side by side; correct
/// answers do not depend on it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not extract prefixes",
    note = "use `FixedPrefix` or `SeparatedPrefix`, or implement `PrefixExtractor` under a name of its own"
)]
pub trait PrefixExtractor {
    /// Returns a name that distinguishes this extractor and its parameters from every other one; it becomes part of the
    /// policy's name. An extractor of four bytes and one of eight need two names, such as `Fixed4` and `Fixed8`: under
    /// one, each denies what the other stored.
    fn name(&self) -> &str;

    /// Returns the stored part of the key; `None` for a key outside the domain.
    fn prefix<'k>(&self, key: &'k [u8]) -> Option<&'k [u8]>;

    /// Returns the prefix shared by all keys that start with `start`; `None` if their prefixes differ or some key has
    /// none.
    ///
    /// The default returns `None`, which is correct for every extractor but narrows no scan.
    fn shared_prefix<'k>(&self, start: &'k [u8]) -> Option<&'k [u8]> {
        let _ = start;
        None
    }
}

/// A prefix of fixed length. Shorter keys are outside the domain.
///
/// ```
/// use filter_policy::prefix::{FixedPrefix, PrefixExtractor};
///
/// let extractor = FixedPrefix::new(4);
/// assert_eq!(extractor.name(), "Fixed4");
/// assert_eq!(extractor.prefix(b"user17"), Some(&b"user"[..]));
/// assert_eq!(extractor.prefix(b"use"), None);
/// assert_eq!(extractor.shared_prefix(b"user1"), Some(&b"user"[..]));
/// assert_eq!(extractor.shared_prefix(b"us"), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixedPrefix {
    len: usize,
    name: String,
}

impl FixedPrefix {
    /// Takes the first `len` bytes. With 0 every key has the empty prefix, and the filter shows only whether there are
    /// any keys.
    pub fn new(len: usize) -> Self {
        Self {
            len,
            name: format!("Fixed{len}"),
        }
    }
}

impl PrefixExtractor for FixedPrefix {
    fn name(&self) -> &str {
        &self.name
    }

    fn prefix<'k>(&self, key: &'k [u8]) -> Option<&'k [u8]> {
        key.get(..self.len)
    }

    fn shared_prefix<'k>(&self, start: &'k [u8]) -> Option<&'k [u8]> {
        start.get(..self.len)
    }
}

/// A key up to and including its n-th separator. Keys with fewer separators are outside the domain.
///
/// ```
/// use filter_policy::prefix::{PrefixExtractor, SeparatedPrefix};
///
/// let extractor = SeparatedPrefix::new(b'/', 2);
/// assert_eq!(extractor.name(), "Separated2x2f");
/// assert_eq!(extractor.prefix(b"shop/orders/17"), Some(&b"shop/orders/"[..]));
/// assert_eq!(extractor.prefix(b"shop/orders"), None);
/// assert_eq!(extractor.shared_prefix(b"shop/orders/1"), Some(&b"shop/orders/"[..]));
/// assert_eq!(extractor.shared_prefix(b"shop/"), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeparatedPrefix {
    separator: u8,
    count: usize,
    name: String,
}

impl SeparatedPrefix {
    /// Takes a key up to its separator number `count`, counted from 1. With 0 every key has the empty prefix.
    pub fn new(separator: u8, count: usize) -> Self {
        Self {
            separator,
            count,
            name: format!("Separated{count}x{separator:02x}"),
        }
    }
}

impl PrefixExtractor for SeparatedPrefix {
    fn name(&self) -> &str {
        &self.name
    }

    fn prefix<'k>(&self, key: &'k [u8]) -> Option<&'k [u8]> {
        let Some(before_last) = self.count.checked_sub(1) else {
            return key.get(..0);
        };
        let mut separators = (0..).zip(key).filter(|&(_, &byte)| byte == self.separator);
        let (last, _): (usize, _) = separators.nth(before_last)?;
        key.get(..=last)
    }

    fn shared_prefix<'k>(&self, start: &'k [u8]) -> Option<&'k [u8]> {
        // Later bytes cannot move a separator that is already there.
        self.prefix(start)
    }
}

/// A policy over the prefixes of keys: two scans over the same prefix make the same query, and a filter spends bits per
/// prefix, not per key.
///
/// Consecutive keys with equal prefixes are stored once, so filters of sorted keys are small; keys in another order are
/// answered correctly too but take more space.
///
/// A key outside the extractor's domain is not stored and always may match; a scan whose prefix the extractor cannot
/// determine always may match.
///
/// ```
/// use filter_policy::prefix::{FixedPrefix, PrefixPolicy};
/// use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy};
///
/// let bloom = BloomFilterPolicy::new(BitsPerKey::whole(10));
/// let policy = PrefixPolicy::new(bloom, FixedPrefix::new(4));
/// assert_eq!(policy.name(), "BloomFilter2.Prefix.Fixed4");
///
/// let mut filter = Vec::new();
/// policy.append_filter(&[b"item1", b"item2", b"user1"], &mut filter)?;
/// assert!(policy.prefix_may_match(b"user", &filter));
/// assert!(policy.prefix_may_match(b"item2", &filter)); // Asks for "item", which is there.
/// assert!(!policy.prefix_may_match(b"cart", &filter));
/// assert!(policy.prefix_may_match(b"ca", &filter)); // Too short for an answer.
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PrefixPolicy<P, E> {
    policy: P,
    extractor: E,
    name: String,
}

impl<P: FilterPolicy, E: PrefixExtractor> PrefixPolicy<P, E> {
    /// Makes a policy whose filters are those of `policy` over the prefixes that `extractor` returns.
    ///
    /// The name is the policy's name, `.Prefix.` and the extractor's name, in which bytes other than ASCII letters,
    /// digits, `-` and `_` become `%` and two hexadecimal digits, so that no two pairs of names give the same name.
    pub fn new(policy: P, extractor: E) -> Self {
        let mut name = format!("{}.Prefix.", policy.name());
        for byte in extractor.name().bytes() {
            if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') {
                name.push(char::from(byte));
            } else {
                write!(name, "%{byte:02x}").expect("a string takes whatever is written");
            }
        }
        Self {
            policy,
            extractor,
            name,
        }
    }
}

impl<P: FilterPolicy, E: PrefixExtractor> FilterPolicy for PrefixPolicy<P, E> {
    fn name(&self) -> &str {
        &self.name
    }

    fn max_filter_len(&self, keys: usize) -> Result<usize, Error> {
        self.policy.max_filter_len(keys)
    }

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        self.policy.bits_per_key()
    }

    fn create_filter<'out>(&self, keys: &[&[u8]], out: &'out mut [u8]) -> Result<FilterBytes<'out>, Error> {
        let mut prefixes: Vec<&[u8]> = Vec::new();
        reserve(&mut prefixes, keys.len())?;
        prefixes.extend(keys.iter().filter_map(|key| self.extractor.prefix(key)));
        prefixes.dedup();
        self.policy.create_filter(&prefixes, out)
    }

    fn key_may_match(&self, key: &[u8], filter: &[u8]) -> bool {
        self.extractor
            .prefix(key)
            .is_none_or(|prefix| self.policy.key_may_match(prefix, filter))
    }

    fn answers_prefixes(&self) -> bool {
        true
    }

    fn prefix_may_match(&self, start: &[u8], filter: &[u8]) -> bool {
        self.extractor
            .shared_prefix(start)
            .is_none_or(|prefix| self.policy.key_may_match(prefix, filter))
    }
}
