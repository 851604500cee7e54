//! Compares a filter with the values of its column.

use alloc::string::String;

use filter_policy::parquet::SplitBlockFilter;
use filter_tables::ReadAt;

use super::error::AddError;
use super::is_decodable;
use super::values::read_values;
use crate::column::ColumnChunk;
use crate::file::{ColumnFilter, ParquetFile};

/// What a filter says of the values of its column chunk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Checked {
    /// The number of values without nulls.
    pub values: u64,
    /// The number of values that the filter denies, which is a fault of its writer.
    pub denied: u64,
    /// The first of them, as people read it.
    pub first_denied: Option<String>,
}

/// Reads all values of a chunk of the file, and queries its filter for each. `go_on` gets the number of values that were
/// read since the last call; after each page it says whether to go on. `memory` is the most bytes that are used, besides
/// those of the filter.
///
/// # Errors
///
/// [`AddError`]; the filter may deny values or not.
pub fn check<R: ReadAt>(
    file: &ParquetFile<R>,
    chunk: &ColumnChunk,
    filter: &ColumnFilter,
    memory: u64,
    go_on: &dyn Fn(u64) -> bool,
) -> Result<Checked, AddError<R::Error>> {
    is_decodable(chunk).map_err(|reason| AddError::refused(chunk, &reason))?;
    super::memory(file, chunk, memory, 0)?;
    let mut checked = Checked::default();
    let bits = SplitBlockFilter::new(&filter.bitset).ok();
    let found = read_values(file, chunk, go_on, &mut |hashes, text| {
        for (index, &hash) in hashes.iter().enumerate() {
            if bits.is_some_and(|bits| !bits.may_match_raw_hash(hash)) {
                checked.denied += 1;
                checked.first_denied.get_or_insert_with(|| text(index));
            }
        }
    })?;
    checked.values = found.values;
    Ok(checked)
}
