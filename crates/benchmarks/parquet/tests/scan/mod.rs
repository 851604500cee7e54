//! Scans a Parquet file with arrow-rs, skipping the row groups that split-block filters deny.

use std::error::Error;
use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use filter_formats::parquet::{Header, PhysicalValue, SplitBlockFilter};
use parquet::bloom_filter::Sbbf;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::properties::ReaderProperties;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::file::serialized_reader::ReadOptionsBuilder;
use parquet::record::Row;

/// The result of a scan.
#[derive(Debug)]
pub(crate) struct Scan {
    /// The rows with the value.
    pub(crate) rows: Vec<Row>,
    /// The indexes of the row groups read.
    pub(crate) read: Vec<usize>,
}

/// The code that queries the filters. Row groups whose filter denies the value are skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    /// No code: all row groups are read.
    Nobody,
    /// arrow-rs, with its own filter.
    ArrowRs,
    /// This project.
    We,
}

/// Finds the rows of a file whose column has a value; `holds` tests a row.
///
/// # Errors
///
/// If the file cannot be read or is damaged.
pub(crate) fn scan(
    path: &Path,
    column: &str,
    value: PhysicalValue<'_>,
    holds: impl Fn(&Row) -> bool,
    asks: Asks,
) -> Result<Scan, Box<dyn Error>> {
    let file = File::open(path)?;
    let properties = ReaderProperties::builder()
        .set_read_bloom_filter(asks == Asks::ArrowRs)
        .build();
    let options = ReadOptionsBuilder::new()
        .with_reader_properties(properties)
        .build();
    let reader = SerializedFileReader::new_with_options(file.try_clone()?, options)?;
    let (mut rows, mut read) = (Vec::new(), Vec::new());
    for (number, group) in reader.metadata().row_groups().iter().enumerate() {
        let mut chunks = group.columns().iter();
        let index = chunks
            .position(|chunk| chunk.column_path().string() == column)
            .ok_or("no such column")?;
        if asks == Asks::We && !may_hold(&file, group.column(index), value)? {
            continue;
        }
        let row_group = reader.get_row_group(number)?;
        if let Some(filter) = row_group.get_column_bloom_filter(index)
            && !theirs_may_hold(filter, value)
        {
            continue;
        }
        read.push(number);
        for row in row_group.get_row_iter(None)? {
            let row = row?;
            if holds(&row) {
                rows.push(row);
            }
        }
    }
    Ok(Scan { rows, read })
}

fn theirs_may_hold(filter: &Sbbf, value: PhysicalValue<'_>) -> bool {
    match value {
        PhysicalValue::Int64(value) => filter.check(&value),
        PhysicalValue::ByteArray(value) => filter.check(value),
        // Scans use no other types.
        _ => true,
    }
}

/// Returns true if a column of a row group may hold a value, by its filter. Takes two reads, because the header holds
/// the filter's length.
fn may_hold(
    file: &File,
    chunk: &ColumnChunkMetaData,
    value: PhysicalValue<'_>,
) -> Result<bool, Box<dyn Error>> {
    let Some(offset) = chunk.bloom_filter_offset() else {
        return Ok(true);
    };
    let (offset, size) = (u64::try_from(offset)?, file.metadata()?.len());
    let rest = size
        .checked_sub(offset)
        .ok_or("the filter lies behind the file")?;
    let mut head = vec![0; rest.min(Header::MAX_BYTES as u64) as usize];
    file.read_exact_at(&mut head, offset)?;
    let (header, start) = Header::read(&head)?;
    let start = start as u64;
    if rest < start + u64::from(header.bitset_len()) {
        return Err("the filter ends behind the file".into());
    }
    let mut bitset = vec![0; header.bitset_len() as usize];
    file.read_exact_at(&mut bitset, offset + start)?;
    Ok(SplitBlockFilter::new(&bitset)?.may_match_value(value))
}
