//! What the filters of one block say.

use std::collections::BTreeSet;

use filter_policy::{
    BitsPerKey, BloomFilterPolicy, FilterBlockReader, FilterKind, FilterPolicy as _, FilterView,
};
use harness::record::significant;
use serde::Serialize;

/// How much damage of one filter block is put into words; the rest is counted.
const DAMAGE_IN_WORDS: usize = 10;

/// What one filter block says.
#[derive(Debug, Serialize)]
pub(crate) struct FilterBlockReport {
    /// The policy's name; bytes that are no printable ASCII are escaped.
    pub(crate) policy: String,
    /// The size of the block.
    pub(crate) bytes: u64,
    /// The number of filters, empty ones included.
    pub(crate) filters: u64,
    /// The filters of ranges in which no data block starts.
    pub(crate) empty: u64,
    /// What is in the filters; absent under a policy whose bits are not known here.
    pub(crate) bits: Option<Bits>,
}

/// The bits of some filters together.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Bits {
    /// The number of bits.
    pub(crate) bits: u64,
    /// How many of them are ones.
    pub(crate) ones: u64,
    /// The probe counts that occur.
    pub(crate) probes: BTreeSet<u8>,
    /// Sum of the expected false-positive rates, each times its filter's bits.
    #[serde(skip)]
    weighted_rates: f64,
    /// The share of ones.
    fill: Option<f64>,
    /// The probability that an absent key matches, on average over the bits.
    false_positive_rate: Option<f64>,
}

impl Bits {
    fn add_filter(&mut self, view: &FilterView<'_>) {
        self.bits += view.bits();
        self.ones += view.ones();
        self.probes.extend(view.probe_count());
        self.weighted_rates += view.false_positive_rate() * view.bits() as f64;
        self.derive();
    }

    /// Adds the bits of other filters.
    pub(crate) fn add(&mut self, other: &Self) {
        self.bits += other.bits;
        self.ones += other.ones;
        self.probes.extend(&other.probes);
        self.weighted_rates += other.weighted_rates;
        self.derive();
    }

    fn derive(&mut self) {
        if self.bits > 0 {
            let bits = self.bits as f64;
            self.fill = Some(significant::round(self.ones as f64 / bits));
            self.false_positive_rate = Some(significant::round(self.weighted_rates / bits));
        }
    }

    /// The share of ones; `None` without a bit.
    pub(crate) fn fill(&self) -> Option<f64> {
        self.fill
    }

    /// The probability that an absent key matches, on average over the bits; `None` without a bit.
    pub(crate) fn false_positive_rate(&self) -> Option<f64> {
        self.false_positive_rate
    }
}

/// What a filter block says, and what is wrong with it, in words.
pub(super) fn look_at(block: &[u8], policy: &[u8]) -> (FilterBlockReport, Vec<String>) {
    let reader = FilterBlockReader::new(block);
    let mut damage = Words::default();
    for found in reader.damage() {
        damage.add(&found);
    }
    let mut bits = is_policy_known(policy).then(Bits::default);
    let mut empty = 0;
    for filter in reader.filters() {
        // A filter whose place is damaged has been told of.
        let Some(bytes) = filter.bytes else { continue };
        if bytes.is_empty() {
            empty += 1;
        } else if let Some(bits) = &mut bits {
            let view = FilterView::new(bytes);
            match (view.kind(), view.probe_count()) {
                (FilterKind::Bloom, Some(1..)) => bits.add_filter(&view),
                (FilterKind::TooShort, _) => {
                    damage.add(&format_args!(
                        "filter {} has 1 byte, allowed are 0 and at least 2",
                        filter.index
                    ));
                }
                _ => damage.add(&format_args!(
                    "filter {} has the probe count {}, allowed are 1 to 30",
                    filter.index,
                    bytes.last().copied().unwrap_or_default()
                )),
            }
        }
    }
    let report = FilterBlockReport {
        policy: policy.escape_ascii().to_string(),
        bytes: block.len() as u64,
        filters: reader.len() as u64,
        empty,
        bits,
    };
    (report, damage.finish())
}

/// Whether filters of this policy are those of `filter-policy`: only then do their last bytes hold k.
fn is_policy_known(name: &[u8]) -> bool {
    let any = BitsPerKey::whole(10);
    let seeded = || {
        let digits = name.get(name.len().checked_sub(8)?..)?;
        let seed = u32::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
        let policy = BloomFilterPolicy::bloom_filter2_with_seed(seed, any);
        (policy.name().as_bytes() == name).then_some(())
    };
    [
        BloomFilterPolicy::leveldb_builtin(any).name(),
        BloomFilterPolicy::bloom_filter2(any).name(),
        BloomFilterPolicy::bloom_filter2_signed_tail(any).name(),
    ]
    .iter()
    .any(|known| known.as_bytes() == name)
        || seeded().is_some()
}

/// Damage of a block in words, so many of them.
#[derive(Default)]
struct Words {
    said: Vec<String>,
    more: u64,
}

impl Words {
    fn add(&mut self, damage: &dyn std::fmt::Display) {
        if self.said.len() < DAMAGE_IN_WORDS {
            self.said.push(damage.to_string());
        } else {
            self.more += 1;
        }
    }

    fn finish(mut self) -> Vec<String> {
        if self.more > 0 {
            self.said.push(format!("{} more of the kind", self.more));
        }
        self.said
    }
}

#[cfg(test)]
mod tests {
    use filter_policy::FilterBlockBuilder;

    use super::*;

    fn block(keys: u32) -> Vec<u8> {
        let policy = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(10));
        let mut builder = FilterBlockBuilder::new(&policy);
        for key in 0..keys {
            builder.start_block(u64::from(key / 100) * 5000).unwrap();
            builder.add_key(&key.to_le_bytes()).unwrap();
        }
        builder.finish().unwrap()
    }

    #[test]
    fn figures_of_whole_filters() {
        let (report, damage) = look_at(&block(300), b"BloomFilter2.Seed00000007");
        assert_eq!(damage, [""; 0]);
        // Data blocks start at 0, 5000 and 10000: filters 0, 2 and 4.
        assert_eq!((report.filters, report.empty), (5, 2));
        let bits = report.bits.unwrap();
        assert_eq!((bits.bits, bits.probes.len()), (3000, 1));
        assert!(bits.fill().is_some_and(|fill| (0.4..0.5).contains(&fill)));
        assert!(
            bits.false_positive_rate()
                .is_some_and(|rate| (0.004..0.016).contains(&rate))
        );
    }

    #[test]
    fn probe_counts_are_judged_under_known_names_only() {
        let mut bytes = block(100);
        bytes[125] = 31;
        let (report, damage) = look_at(&bytes, b"leveldb.BuiltinBloomFilter2");
        assert_eq!(damage, ["filter 0 has the probe count 31, allowed are 1 to 30"]);
        assert_eq!(report.bits.and_then(|bits| bits.fill()), None);
        let (report, damage) = look_at(&bytes, b"another\xff\x1b");
        assert_eq!(
            (report.bits, damage, report.policy.as_str()),
            (None, vec![], "another\\xff\\x1b")
        );
    }

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
            ("", false),
            ("rocksdb.BuiltinBloomFilter", false),
        ] {
            assert_eq!(is_policy_known(name.as_bytes()), known, "{name:?}");
        }
        assert!(!is_policy_known(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff"));
    }

    #[test]
    fn much_damage_is_counted() {
        // Twenty filters that all end before they start.
        let mut bytes: Vec<u8> = (0..20_u32).flat_map(|i| (1000 - i).to_le_bytes()).collect();
        bytes.extend([0, 0, 0, 0, 11]);
        let (report, damage) = look_at(&bytes, b"BloomFilter2");
        assert_eq!((report.filters, damage.len()), (20, DAMAGE_IN_WORDS + 1));
        assert_eq!(damage.last().unwrap(), "10 more of the kind");
    }
}
