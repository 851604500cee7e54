//! Inspects the filters of a RocksDB table.

use std::fs::File;

use filter_policy::formats;
use filter_policy::view::{FilterKind, FilterView};
use filter_tables::{BlockHandle, BlockRole, Damage, FilterHandles, RocksDbFilters, RocksDbTable};
use serde::Serialize;

use super::TableReport;
use super::bits::BitTotals;
use super::file::DisjointRanges;
use super::filters::FilterBlockReport;
use super::findings::Findings;

/// The properties that only RocksDB's tables have.
#[derive(Debug, Serialize)]
pub(crate) struct RocksDbReport {
    format_version: u32,
    /// The kind of checksum after every block.
    checksum: String,
    /// The name of the column family that the table states.
    pub(super) family: Option<String>,
    /// The number of entries that the table states.
    entries: Option<u64>,
    /// The number of keys and prefixes in the filters that the table states.
    filter_entries: Option<u64>,
    /// Set if the filters hold whole keys.
    whole_keys: bool,
    /// The name of the extractor whose prefixes the filters hold.
    prefix_extractor: Option<String>,
    /// The number of partitions; `None` if the filter is not partitioned.
    partitions: Option<u64>,
}

impl TableReport {
    pub(super) fn add_rocksdb(&mut self, table: &RocksDbTable<&File>, with_data: bool) {
        let properties = table.properties();
        let mut report = RocksDbReport {
            format_version: table.footer().format_version,
            checksum: table.footer().checksum.to_string(),
            family: properties.column_family().map(super::readable),
            entries: properties.number("rocksdb.num.entries"),
            filter_entries: properties.number("rocksdb.num.filter_entries"),
            whole_keys: table.has_whole_keys(),
            prefix_extractor: properties
                .prefix_extractor()
                .map(|name| name.escape_ascii().to_string()),
            partitions: None,
        };
        let mut data_blocks = self.add_data_blocks(table.data_blocks());
        if with_data {
            self.add_data(table, &data_blocks);
        }
        let name = table.filters_name().unwrap_or_default().to_owned();
        match table.filters().as_ref().map(RocksDbFilters::handles) {
            Ok(FilterHandles::Full(handle)) => {
                self.add_filters(
                    table,
                    &name,
                    report.whole_keys && !data_blocks.is_empty(),
                    [*handle].into_iter(),
                );
            }
            Ok(FilterHandles::Partitioned(partitions)) => {
                report.partitions = Some(partitions.len() as u64);
                let handles = partitions.iter().map(|partition| partition.handle);
                self.add_filters(table, &name, report.whole_keys, handles);
            }
            Ok(FilterHandles::BlockBased(handle)) => {
                data_blocks.sort_unstable_by_key(|handle| handle.offset);
                // The name means another format elsewhere.
                let layout = Some(formats::LEVEL_DB);
                self.add_filter_block(table, *handle, name.as_bytes(), layout, &data_blocks);
            }
            Ok(_) => {}
            Err(error) => self.add_error(error),
        }
        for (name, handle) in table.unknown_filters() {
            let Some(handle) = handle else {
                let block = BlockRole::Filter;
                self.damage.push(Damage::Handle { block }.to_string());
                continue;
            };
            if self.filter_contents(table, handle).is_some() {
                self.filter_blocks
                    .push(FilterBlockReport::new(name, handle.size, 1));
            }
        }
        self.rocksdb = Some(report);
    }

    /// Inspects the filters of a table that do not overlap. An empty filter is damage if it should hold keys.
    fn add_filters(
        &mut self,
        table: &RocksDbTable<&File>,
        name: &str,
        holds_keys: bool,
        handles: impl ExactSizeIterator<Item = BlockHandle>,
    ) {
        let layout = super::format_of(name.as_bytes()).unwrap_or(formats::FAST_LOCAL_BLOOM);
        let mut report = FilterBlockReport::new(name.as_bytes(), 0, handles.len() as u64);
        report.bits = Some(BitTotals::default());
        let (mut found, mut read) = (Findings::default(), DisjointRanges::default());
        for handle in handles {
            if let Err(overlap) = read.add_filter_block(handle, self.bytes) {
                found.damage.add(&overlap);
                continue;
            }
            let Some(contents) = self.filter_contents(table, handle) else {
                continue;
            };
            let filter = format!("filter at offset {}", handle.offset);
            report.bytes += contents.len() as u64;
            if FilterView::new(layout, &contents).kind() == FilterKind::Empty {
                report.empty += 1;
                if holds_keys {
                    found
                        .damage
                        .add(&format_args!("the {filter} is empty, which denies its keys"));
                }
            } else if let Err(unread) = report.add_filter(layout, &contents) {
                found.add_filter(&filter, &unread);
            }
        }
        self.filter_blocks.push(report);
        self.add(found);
    }
}
