//! Reports on the filters of one block.

use std::collections::BTreeSet;

use filter_policy::AnyFormat;
use filter_policy::filter_block::{BlockFilter, FilterBlockReader};
use filter_tables::BlockHandle;
use serde::Serialize;

use super::bits::BitTotals;
use super::findings::{Findings, Messages, Unread};

/// A report on one filter block.
#[derive(Debug, Serialize)]
pub(crate) struct FilterBlockReport {
    /// The policy's name. Bytes that are not printable ASCII are escaped.
    pub(crate) policy: String,
    /// The kinds of filters, if their bytes identify them, as in RocksDB.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) kinds: BTreeSet<&'static str>,
    /// The size of the block.
    pub(crate) bytes: u64,
    /// The number of filters, including empty ones.
    pub(crate) filters: u64,
    /// The number of empty filters, for ranges in which no data block starts.
    pub(crate) empty: u64,
    /// The contents of the filters; absent for a policy of unknown format.
    pub(crate) bits: Option<BitTotals>,
}

impl FilterBlockReport {
    pub(super) fn new(policy: &[u8], bytes: u64, filters: u64) -> Self {
        Self {
            policy: policy.escape_ascii().to_string(),
            kinds: BTreeSet::new(),
            bytes,
            filters,
            empty: 0,
            bits: None,
        }
    }

    /// Counts the bits of a filter that is not empty, or returns the reason why they are not counted.
    pub(super) fn add_filter(&mut self, format: &'static dyn AnyFormat, filter: &[u8]) -> Result<(), Unread> {
        let bits = self.bits.get_or_insert_default();
        self.kinds.extend(bits.add_filter(format, filter)?);
        Ok(())
    }
}

/// Inspects a filter block with filters of this format, or of an unknown one. The data blocks are sorted by offset.
///
/// The work is bounded by the size of the block, whatever its contents: no byte is counted twice, and data blocks are
/// looked up by binary search.
pub(super) fn look_at(
    block: &[u8],
    policy: &[u8],
    layout: Option<&'static dyn AnyFormat>,
    data_blocks: &[BlockHandle],
) -> (FilterBlockReport, [Findings; 2]) {
    let reader = FilterBlockReader::new((), block);
    let mut report = FilterBlockReport::new(policy, block.len() as u64, reader.len() as u64);
    report.bits = layout.map(|_| BitTotals::default());
    let [mut found, mut denied] = [(); 2].map(|()| Findings::default());
    for damage in reader.damage() {
        found.damage.add(&damage);
    }
    let mut counted_to = 0;
    for filter in reader.filters() {
        // A filter with a damaged range was reported already.
        let (Some(bytes), Some(range)) = (filter.bytes, reader.filter_range(filter.index)) else {
            continue;
        };
        if bytes.is_empty() {
            report.empty += 1;
            // Only known policies define the meaning of an empty filter.
            if layout.is_some() {
                add_denied(&mut denied.damage, &filter, data_blocks);
            }
        } else if let Some(layout) = layout {
            let index = filter.index;
            if range.start < counted_to {
                found.damage.add(&format_args!(
                    "filter {index} starts at byte {}, where one before it ends at byte {counted_to}: its bits are not \
                     counted",
                    range.start
                ));
                continue;
            }
            counted_to = range.end;
            if let Err(unread) = report.add_filter(layout, bytes) {
                found.add_filter(&format_args!("filter {index}"), &unread);
            }
        }
    }
    (report, [found, denied])
}

/// Reports the data blocks whose keys an empty filter denies.
fn add_denied(denied: &mut Messages, filter: &BlockFilter<'_>, data_blocks: &[BlockHandle]) {
    let starting_before = |offset| data_blocks.partition_point(|handle| handle.offset < offset);
    let covered = starting_before(filter.block_offsets.start)..starting_before(filter.block_offsets.end);
    for handle in data_blocks.get(covered).unwrap_or_default() {
        denied.add(&format_args!(
            "the data block at offset {} has an empty filter, which denies its keys",
            handle.offset
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::super::findings::MAX_MESSAGES;
    use super::*;

    fn look_at(block: &[u8], policy: &[u8], data_blocks: &[BlockHandle]) -> (FilterBlockReport, Vec<String>) {
        let layout = crate::inspection::format_of(policy);
        let (report, found) = super::look_at(block, policy, layout, data_blocks);
        (report, found.map(|found| found.damage.finish()).concat())
    }

    /// Builds a block of filters and offsets that give their starts.
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
            "filter 1 must lie between bytes 0 and 1000, got start 1000 and end 0"
        );
        // 499 filters end before they start, and 499 start over.
        assert_eq!(damage.len(), MAX_MESSAGES + 1);
        assert_eq!(damage[MAX_MESSAGES], "988 more like these");

        // Filters after a damaged one are counted, as long as they do not start over.
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
        // The filter of 0 to 2047 is empty, that of 2048 to 4095 has bits, and the next is empty.
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
        assert_eq!((damage.len(), damage[10].as_str()), (11, "90 more like these"));
    }
}
