//! The bits of filters, whatever their format.

use std::collections::BTreeSet;

use filter_policy::{
    BitsPerKey, BloomFilter64Policy, BloomFilter64View, BloomFilterPolicy, FastLocalBloomPolicy, FilterKind,
    FilterPolicy, FilterView, LegacyFullFilterPolicy, MATCHES_EVERYTHING, RibbonPolicy, RocksDbBitsPerKey,
    RocksDbFilterKind, RocksDbFilterView,
};
use serde::Serialize;
use statistics::significant;

/// What RocksDB writes where it cannot make a filter (`FinishAlwaysTrue` in `table/block_based/filter_policy.cc`).
const ROCKSDB_MATCHES_EVERYTHING: [u8; 6] = [0; 6];

/// The bits of some filters together.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Bits {
    /// The number of bits of Bloom filters.
    pub(crate) bits: u64,
    /// How many of them are ones.
    pub(crate) ones: u64,
    /// The number of bits of Ribbon filters, of which half are ones whatever they hold.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) ribbon_bits: u64,
    /// The probe counts that occur.
    pub(crate) probes: BTreeSet<u8>,
    /// The filters that let every key pass, [`MATCHES_EVERYTHING`]: none of the bits are theirs.
    pub(crate) matching_everything: u64,
    /// Sum of the expected false-positive rates, each times its filter's bits.
    #[serde(skip)]
    weighted_rates: f64,
    /// The share of ones.
    fill: Option<f64>,
    /// The probability that an absent key matches, on average over the bits.
    false_positive_rate: Option<f64>,
}

impl Bits {
    /// Adds a filter that is not empty; what is wrong with it, in words.
    pub(super) fn add_filter(&mut self, format: Format, bytes: &[u8]) -> Result<(), String> {
        if bytes == MATCHES_EVERYTHING {
            self.matching_everything += 1;
            return Ok(());
        }
        let last = bytes.last().copied().unwrap_or_default();
        match format {
            Format::LevelDb => {
                let view = FilterView::new(bytes);
                match (view.kind(), view.probe_count()) {
                    (FilterKind::Bloom, Some(probes @ 1..)) => {
                        self.add_bloom(view.bits(), view.ones(), probes, view.false_positive_rate());
                    }
                    (FilterKind::TooShort, _) => return Err(TOO_SHORT.to_owned()),
                    _ => return Err(format!("the probe count {last}, allowed are 1 to 30")),
                }
            }
            Format::Bloom64 => {
                let view = BloomFilter64View::new(bytes);
                match (view.kind(), view.probe_count()) {
                    (_, Some(probes)) => {
                        self.add_bloom(view.bits(), view.ones(), probes, view.false_positive_rate());
                    }
                    (FilterKind::TooShort, _) => return Err(TOO_SHORT.to_owned()),
                    _ => return Err(format!("the last byte {last:#04x}, allowed are 0x81 to 0x9e")),
                }
            }
            Format::RocksDb => self.add_rocksdb(bytes)?,
        }
        Ok(())
    }

    /// Adds a filter of RocksDB's; what is wrong with it, in words.
    pub(super) fn add_rocksdb(&mut self, bytes: &[u8]) -> Result<(), String> {
        if bytes == ROCKSDB_MATCHES_EVERYTHING || bytes == MATCHES_EVERYTHING {
            self.matching_everything += 1;
            return Ok(());
        }
        let view = RocksDbFilterView::new(bytes);
        match (view.kind(), view.probe_count(), view.ones()) {
            (RocksDbFilterKind::Empty, ..) => {}
            (RocksDbFilterKind::Ribbon, ..) => {
                self.ribbon_bits += view.bits();
                self.weighted_rates += view.false_positive_rate() * view.bits() as f64;
            }
            (_, Some(probes), Some(ones)) => {
                self.add_bloom(view.bits(), ones, probes, view.false_positive_rate());
            }
            _ => return Err("a tail of no kind that is known".to_owned()),
        }
        Ok(())
    }

    fn add_bloom(&mut self, bits: u64, ones: u64, probes: u8, rate: f64) {
        self.bits += bits;
        self.ones += ones;
        self.probes.insert(probes);
        self.weighted_rates += rate * bits as f64;
    }

    /// Adds the bits of other filters.
    pub(crate) fn add(&mut self, other: &Self) {
        self.bits += other.bits;
        self.ones += other.ones;
        self.ribbon_bits += other.ribbon_bits;
        self.probes.extend(&other.probes);
        self.matching_everything += other.matching_everything;
        self.weighted_rates += other.weighted_rates;
        self.derive();
    }

    pub(super) fn derive(&mut self) {
        if self.bits > 0 {
            self.fill = Some(significant::round(self.ones as f64 / self.bits as f64));
        }
        if self.all_bits() > 0 {
            let rate = self.weighted_rates / self.all_bits() as f64;
            self.false_positive_rate = Some(significant::round(rate));
        }
    }

    /// The bits of Bloom and Ribbon filters.
    pub(crate) fn all_bits(&self) -> u64 {
        self.bits + self.ribbon_bits
    }

    /// The share of ones; `None` without a bit of a Bloom filter.
    pub(crate) fn fill(&self) -> Option<f64> {
        self.fill
    }

    /// The probability that an absent key matches, on average over the bits; `None` without a bit.
    pub(crate) fn false_positive_rate(&self) -> Option<f64> {
        self.false_positive_rate
    }
}

/// What is wrong with a filter of one byte.
const TOO_SHORT: &str = "1 byte, allowed are 0 and at least 2";

/// The formats of `filter-policy`'s filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// The last byte is k.
    LevelDb,
    /// The last byte is 128 and k.
    Bloom64,
    /// The last five bytes tell.
    RocksDb,
}

impl Format {
    /// The format of a policy's filters, over keys or prefixes of them; `None` under names that are not known.
    pub(super) fn of(policy: &[u8]) -> Option<Self> {
        let any = BitsPerKey::whole(10);
        let of_rocksdb = RocksDbBitsPerKey::whole(10);
        let name = without_prefixes(policy);
        let known: [(&dyn FilterPolicy, Self); 7] = [
            (&BloomFilterPolicy::leveldb_builtin(any), Self::LevelDb),
            (&BloomFilterPolicy::bloom_filter2(any), Self::LevelDb),
            (&BloomFilterPolicy::bloom_filter2_signed_tail(any), Self::LevelDb),
            (&BloomFilter64Policy::new(any), Self::Bloom64),
            (&FastLocalBloomPolicy::new(of_rocksdb), Self::RocksDb),
            (&LegacyFullFilterPolicy::new(of_rocksdb), Self::RocksDb),
            (&RibbonPolicy::new(of_rocksdb), Self::RocksDb),
        ];
        let seeded = || {
            let digits = name.get(name.len().checked_sub(8)?..)?;
            let seed = u32::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
            let policy = BloomFilterPolicy::bloom_filter2_with_seed(seed, any);
            (policy.name().as_bytes() == name).then_some(Self::LevelDb)
        };
        known
            .into_iter()
            .find_map(|(known, format)| (known.name().as_bytes() == name).then_some(format))
            .or_else(seeded)
    }
}

/// What a filter of RocksDB's is, in a word; `None` of an empty one.
pub(super) fn kind_of(view: &RocksDbFilterView<'_>) -> Option<&'static str> {
    match view.kind() {
        RocksDbFilterKind::LegacyBloom => Some("legacy Bloom"),
        RocksDbFilterKind::FastLocalBloom => Some("FastLocalBloom"),
        RocksDbFilterKind::Ribbon => Some("Ribbon"),
        _ => None,
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference on")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The name of the policy that stores the prefixes, without what
/// [`PrefixPolicy`](filter_policy::PrefixPolicy) put behind it: an extractor's name there has no dot.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_names() {
        for (name, known) in [
            ("leveldb.BuiltinBloomFilter2", true),
            ("BloomFilter2", true),
            ("BloomFilter2.SignedTail", true),
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
            ("rocksdb.internal.FastLocalBloomFilter", true),
            ("rocksdb.internal.Standard128RibbonFilter.Prefix.Fixed4", true),
            ("BloomFilter64.Xxph3", true),
        ] {
            assert_eq!(Format::of(name.as_bytes()).is_some(), known, "{name:?}");
        }
        assert!(Format::of(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff").is_none());
    }
}
