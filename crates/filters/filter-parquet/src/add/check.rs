//! Compares a filter with the values of its column.

use alloc::string::String;

use filter_policy::parquet::SplitBlockFilter;
use filter_tables::ReadAt;

use super::error::AddError;
use super::values::read_values;
use super::{check_values, is_decodable};
use crate::column::ColumnChunk;
use crate::file::{ColumnFilter, ParquetFile};

/// The number of values that a filter was queried for, and of those that it denies.
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

/// Reads the headers of the pages of a chunk. Returns the most bytes of memory that [`check`] needs besides the filter.
///
/// # Errors
///
/// [`AddError::Page`], [`AddError::Refused`] if the pages cannot be decoded, [`AddError::Memory`] if they need more memory
/// than is allowed, and the errors of the reader.
pub fn memory_to_check<R: ReadAt>(
    file: &ParquetFile<R>,
    chunk: &ColumnChunk,
    allowed: u64,
) -> Result<u64, AddError<R::Error>> {
    is_decodable(chunk).map_err(|reason| AddError::refused(chunk, &reason))?;
    check_values(file, chunk.num_values.into_iter()).map_err(AddError::Refused)?;
    super::memory(file, chunk, allowed, 0)
}

/// Reads all values of a chunk of the file, and queries its filter for each. `go_on` gets the number of values that were
/// read since the last call, and says whether to go on. `memory` is the most bytes that are used besides the filter.
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
    memory_to_check(file, chunk, memory)?;
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
