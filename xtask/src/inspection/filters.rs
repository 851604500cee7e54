//! What the filters of one block say.

use std::collections::BTreeSet;

use filter_policy::table::BlockHandle;
use filter_policy::{
    BitsPerKey, BloomFilterPolicy, FilterBlockReader, FilterKind, FilterPolicy as _, FilterView,
    MATCHES_EVERYTHING, StoredFilter,
};
use harness::record::significant;
use serde::Serialize;

use super::words::{IN_WORDS, Words};

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
    fn add_filter(&mut self, view: &FilterView<'_>) {
        self.bits += view.bits();
        self.ones += view.ones();
        self.probes.extend(view.probe_count());
        self.weighted_rates += view.false_positive_rate() * view.bits() as f64;
    }

    /// Adds the bits of other filters.
    pub(crate) fn add(&mut self, other: &Self) {
        self.bits += other.bits;
        self.ones += other.ones;
        self.probes.extend(&other.probes);
        self.matching_everything += other.matching_everything;
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

/// What a filter block says, and what is wrong with it, in words. The data blocks are sorted by where they start.
///
/// The work grows with the block, whatever is in it: no byte of it is counted twice, and data blocks are looked
/// up, not walked.
pub(super) fn look_at(
    block: &[u8],
    policy: &[u8],
    data_blocks: &[BlockHandle],
) -> (FilterBlockReport, Vec<String>) {
    let reader = FilterBlockReader::new(block);
    let mut damage = Words::default();
    for found in reader.damage() {
        damage.add(&found);
    }
    let mut denied = Words::default();
    let mut bits = is_policy_known(policy).then(Bits::default);
    let mut empty = 0;
    let mut counted_to = 0;
    for filter in reader.filters() {
        // A filter whose place is damaged has been told of.
        let (Some(bytes), Some(range)) = (filter.bytes, reader.filter_range(filter.index)) else {
            continue;
        };
        if bytes.is_empty() {
            empty += 1;
            // What no bytes mean under another policy is that policy's matter.
            if bits.is_some() {
                add_denied(&mut denied, &filter, data_blocks);
            }
        } else if let Some(bits) = &mut bits {
            if range.start < counted_to {
                damage.add(&format_args!(
                    "filter {} starts at byte {}, where one before it ends at byte {counted_to}: its bits are not \
                     counted",
                    filter.index, range.start
                ));
                continue;
            }
            counted_to = range.end;
            let view = FilterView::new(bytes);
            match (view.kind(), view.probe_count()) {
                _ if bytes == MATCHES_EVERYTHING => bits.matching_everything += 1,
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
    if let Some(bits) = &mut bits {
        bits.derive();
    }
    let report = FilterBlockReport {
        policy: policy.escape_ascii().to_string(),
        bytes: block.len() as u64,
        filters: reader.len() as u64,
        empty,
        bits,
    };
    let mut damage = damage.finish();
    damage.extend(denied.finish());
    (report, damage)
}

/// Tells of the data blocks whose keys an empty filter denies.
fn add_denied(denied: &mut Words, filter: &StoredFilter<'_>, data_blocks: &[BlockHandle]) {
    let starting_before = |offset| data_blocks.partition_point(|handle| handle.offset < offset);
    let Some(covered) = data_blocks
        .get(starting_before(filter.block_offsets.start)..starting_before(filter.block_offsets.end))
    else {
        return;
    };
    let (in_words, rest) = covered.split_at(covered.len().min(IN_WORDS));
    for handle in in_words {
        denied.add(&format_args!(
            "the data block at offset {} has an empty filter, which denies its keys",
            handle.offset
        ));
    }
    denied.add_uncounted(rest.len() as u64);
}

/// Whether filters of this policy are those of `filter-policy`, over keys or prefixes of them: only then do their
/// last bytes hold k.
fn is_policy_known(name: &[u8]) -> bool {
    let any = BitsPerKey::whole(10);
    let name = without_prefixes(name);
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
    use filter_policy::FilterBlockBuilder;

    use super::super::words::IN_WORDS;
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
        let (report, damage) = look_at(&block(300), b"BloomFilter2.Seed00000007", &[]);
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
        let (report, damage) = look_at(&bytes, b"leveldb.BuiltinBloomFilter2", &[]);
        assert_eq!(damage, ["filter 0 has the probe count 31, allowed are 1 to 30"]);
        assert_eq!(report.bits.and_then(|bits| bits.fill()), None);
        let (report, damage) = look_at(&bytes, b"another\xff\x1b", &[]);
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
            ("BloomFilter2.Prefix.Fixed4", true),
            ("leveldb.BuiltinBloomFilter2.Prefix.Separated2x2f", true),
            ("BloomFilter2.Seed9747b28c.Prefix.A.Prefix.", true),
            ("BloomFilter2.Prefix.Fixed.4", false),
            ("BloomFilter2.prefix.Fixed4", false),
            (".Prefix.Fixed4", false),
            ("another.Prefix.Fixed4", false),
            ("", false),
            ("rocksdb.BuiltinBloomFilter", false),
        ] {
            assert_eq!(is_policy_known(name.as_bytes()), known, "{name:?}");
        }
        assert!(!is_policy_known(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff"));
    }

    /// Filters one after the other, then offsets that say where they start.
    fn block_of(filters: &[u8], starts: &[u32]) -> Vec<u8> {
        let end = u32::try_from(filters.len()).unwrap();
        let mut bytes = filters.to_vec();
        bytes.extend(starts.iter().chain([&end]).flat_map(|start| start.to_le_bytes()));
        bytes.push(11);
        bytes
    }

    #[test]
    fn no_bit_is_counted_twice() {
        // Every other filter is the whole block.
        let filters = [&[0xff; 999][..], &[6]].concat();
        let (report, damage) = look_at(&block_of(&filters, &[0, 1000].repeat(500)), b"BloomFilter2", &[]);
        assert_eq!(report.filters, 1000);
        assert_eq!(report.bits.map(|bits| (bits.bits, bits.ones)), Some((7992, 7992)));
        assert_eq!(
            damage[0],
            "filter 1 starts at byte 1000 and ends at byte 0, allowed are 0 to 1000 in this order"
        );
        // 499 that end before they start, and 499 that start over.
        assert_eq!(damage.len(), IN_WORDS + 1);
        assert_eq!(damage[IN_WORDS], "988 more of the kind");

        // The filters behind one that is damaged are counted, as long as they do not start over.
        let filters = [0xff, 0xff, 0xff, 6, 0xff, 0xff, 0xff, 6];
        let (report, damage) = look_at(&block_of(&filters, &[0, 4, 2, 4]), b"BloomFilter2", &[]);
        assert_eq!(report.bits.map(|bits| bits.bits), Some(48));
        assert_eq!(damage.len(), 2, "{damage:?}");
        assert!(
            damage[1].starts_with("filter 2 starts at byte 2, where one before it ends at byte 4"),
            "{damage:?}"
        );
    }

    fn data_blocks(offsets: impl IntoIterator<Item = u64>) -> Vec<BlockHandle> {
        offsets
            .into_iter()
            .map(|offset| BlockHandle { offset, size: 10 })
            .collect()
    }

    #[test]
    fn keys_under_empty_filters() {
        // Of 0 to 2047, empty; of 2048 to 4095, one with bits; then another empty one.
        let block = block_of(&[0xff, 6], &[0, 0, 2]);
        let blocks = data_blocks([0, 2047, 2048, 4095, 4096, 6144]);
        let (report, damage) = look_at(&block, b"BloomFilter2", &blocks);
        assert_eq!((report.filters, report.empty), (3, 2));
        assert_eq!(
            damage,
            [0, 2047, 4096].map(|offset| format!(
                "the data block at offset {offset} has an empty filter, which denies its keys"
            ))
        );
        assert_eq!(look_at(&block, b"my.NoFilter", &blocks).1, [""; 0]);
        let (_, damage) = look_at(&block, b"BloomFilter2", &data_blocks(0..100));
        assert_eq!((damage.len(), damage[10].as_str()), (11, "90 more of the kind"));
    }

    #[test]
    fn two_bytes_that_let_every_key_pass_are_no_damage() {
        let (report, damage) = look_at(&block_of(&[0, 0xff], &[0]), b"BloomFilter2", &[]);
        assert_eq!(damage, [""; 0]);
        let bits = report.bits.unwrap();
        assert_eq!((bits.matching_everything, bits.bits), (1, 0));
        for other in [&[1, 0xff][..], &[0, 0xfe], &[0, 0, 0xff]] {
            let (_, damage) = look_at(&block_of(other, &[0]), b"BloomFilter2", &[]);
            assert_eq!(damage.len(), 1, "{other:?}");
        }
    }

    #[test]
    fn much_damage_is_counted() {
        // Twenty filters that all end before they start.
        let mut bytes: Vec<u8> = (0..20_u32).flat_map(|i| (1000 - i).to_le_bytes()).collect();
        bytes.extend([0, 0, 0, 0, 11]);
        let (report, damage) = look_at(&bytes, b"BloomFilter2", &[]);
        assert_eq!((report.filters, damage.len()), (20, IN_WORDS + 1));
        assert_eq!(damage.last().unwrap(), "10 more of the kind");
    }
}
