//! A Parquet file and its filters.

use alloc::collections::BTreeMap;
use alloc::collections::btree_map::Entry;
use alloc::vec::Vec;
use core::ops::Range;

use filter_policy::formats;
use filter_policy::parquet::{Header, SplitBlockFilter};
use filter_policy::view::FilterView;
use filter_tables::ReadAt;

use crate::column::ColumnChunk;
use crate::error::Error;
use crate::footer::Footer;
use crate::value::Value;

/// The first and last bytes of a Parquet file.
pub const MAGIC: [u8; 4] = *b"PAR1";
/// The first and last bytes of a Parquet file with an encrypted footer.
pub const ENCRYPTED_MAGIC: [u8; 4] = *b"PARE";
/// The length of the tail: the footer's length and the magic bytes.
const TAIL_LEN: usize = 8;

/// An open Parquet file.
///
/// ```
/// use filter_parquet::{ParquetFile, Value, ValueForm};
///
/// # use filter_policy::parquet::{Header, PhysicalValue, SplitBlockFilterMut};
/// # let mut bitset = [0; 32];
/// # let mut filter = SplitBlockFilterMut::new(&mut bitset)?;
/// # filter.insert_raw_hashes((0..10).map(|id| PhysicalValue::Int64(id).hash()));
/// # let header = Header::new(32)?.encode();
/// # // The column `id` of INT64, and one row group with 10 values and a filter at offset 4.
/// # let footer = b"\x29\x2c\x48\x04root\x15\x02\0\x15\x04\x38\x02id\0\x29\x1c\x19\x1c\x3c\x15\x04\x46\x14\x96\x08\0\0\0\0";
/// # let len = (footer.len() as u32).to_le_bytes();
/// # let bytes = [b"PAR1", header.as_ref(), &bitset, &footer[..], &len, b"PAR1"].concat();
/// // The bytes of a file with the numbers 0 to 9.
/// let file = ParquetFile::open(bytes)?;
/// let chunk = &file.footer().columns[0];
/// assert_eq!((chunk.path.as_str(), chunk.row_group, chunk.num_values), ("id", 0, Some(10)));
///
/// let parse = |text| Value::parse(text, chunk.column_type, ValueForm::Written);
/// for (_, filter) in file.filters([chunk]) {
///     let filter = filter?;
///     assert!(filter.may_match(&parse("7")?) && !filter.may_match(&parse("300")?));
/// }
/// assert_eq!(
///     parse("seven").unwrap_err().to_string(),
///     "value must be a whole number between -9223372036854775808 and 18446744073709551615, got \"seven\""
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ParquetFile<R> {
    source: R,
    size: u64,
    footer: Footer,
    footer_place: Range<u64>,
}

impl<R: ReadAt> ParquetFile<R> {
    /// Reads the footer. Allocates no memory before the footer's length is known to fit into the file.
    ///
    /// # Errors
    ///
    /// The errors of the reader, and those whose names begin with `Footer`; [`Error::NotParquet`], [`Error::Cut`],
    /// [`Error::EncryptedFooter`], [`Error::AllocationFailed`].
    pub fn open(source: R) -> Result<Self, Error<R::Error>> {
        let size = source.size().map_err(Error::Size)?;
        let (magic_len, mut tail) = (MAGIC.len() as u64, [0; TAIL_LEN]);
        let end = size.checked_sub(TAIL_LEN as u64).filter(|end| *end >= magic_len);
        let end = end.ok_or_else(|| without_end(&source))?;
        read(&source, end, &mut tail)?;
        let [a, b, c, d, magic @ ..] = tail;
        match magic {
            MAGIC => {}
            ENCRYPTED_MAGIC => return Err(Error::EncryptedFooter),
            _ => return Err(without_end(&source)),
        }
        let len = u32::from_le_bytes([a, b, c, d]);
        let start = end.checked_sub(len.into()).filter(|start| *start >= magic_len);
        let footer_place = start.ok_or(Error::FooterLength { len, size })?..end;
        let footer = Footer::read(&bytes_at(&source, footer_place.start, len.into())?)?;
        Ok(Self {
            source,
            size,
            footer,
            footer_place,
        })
    }

    /// Returns the reader of the file.
    pub const fn source(&self) -> &R {
        &self.source
    }

    /// Reads the footer as it is stored.
    #[cfg(feature = "add")]
    pub(crate) fn footer_bytes(&self) -> Result<Vec<u8>, Error<R::Error>> {
        bytes_at(
            &self.source,
            self.footer_place.start,
            self.footer_place.end - self.footer_place.start,
        )
    }

    /// Returns the footer.
    pub const fn footer(&self) -> &Footer {
        &self.footer
    }

    /// Returns the place of the footer in the file, without its length and the magic bytes after it.
    pub const fn footer_place(&self) -> &Range<u64> {
        &self.footer_place
    }

    /// Reads the filters of these column chunks of this file one by one, each with its chunk. Chunks without a filter are
    /// left out, unless they are encrypted, when the footer may not say whether they have one.
    ///
    /// A filter must not overlap one before it, so that the file is read once at most, whatever its footer says.
    pub fn filters<'f>(
        &'f self,
        chunks: impl IntoIterator<Item = &'f ColumnChunk>,
    ) -> impl Iterator<Item = (&'f ColumnChunk, Result<ColumnFilter, Error<R::Error>>)> {
        // The end of each filter by its start.
        let mut read = BTreeMap::new();
        chunks.into_iter().filter_map(move |chunk| {
            let filter = match chunk.is_encrypted {
                true => Err(Error::Encrypted),
                false => self.filter(chunk.filter_offset?, chunk.filter_length, &mut read),
            };
            Some((chunk, filter))
        })
    }

    /// Returns the numbers of the row groups that may contain one of these values in a column of this path; `values` returns
    /// them in the forms in which a column stores them. Several columns may have the path: a row group is left out if the
    /// filters of all of them deny every value. A filter that cannot be read denies none, nor does one without a set bit
    /// over a column with values. A column for which `values` returns none is left out.
    pub fn row_groups_with<E>(
        &self,
        path: &str,
        mut values: impl FnMut(&ColumnChunk) -> Result<Vec<Value>, E>,
    ) -> Result<Vec<u64>, E> {
        let chunks = self.footer.columns.iter().filter(|chunk| chunk.path == path);
        // The number of columns that may have a value, by row group.
        let (mut of_column, mut left) = (BTreeMap::new(), BTreeMap::new());
        for chunk in chunks.clone() {
            let values = match of_column.entry(chunk.column) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => entry.insert(values(chunk)?),
            };
            *left.entry(chunk.row_group).or_insert(0) += usize::from(!values.is_empty());
        }
        for (chunk, filter) in self.filters(chunks) {
            let values = of_column.get(&chunk.column).map_or(&[][..], Vec::as_slice);
            let denies = |filter: ColumnFilter| {
                !filter.is_unfilled(chunk) && !values.iter().any(|value| filter.may_match(value))
            };
            if !values.is_empty() && filter.is_ok_and(denies) {
                left.entry(chunk.row_group).and_modify(|count| *count -= 1);
            }
        }
        let row_groups = 0..self.footer.row_groups;
        Ok(row_groups
            .filter(|row_group| left.get(row_group) != Some(&0))
            .collect())
    }

    fn filter(
        &self,
        offset: u64,
        stated: Option<i64>,
        read: &mut BTreeMap<u64, u64>,
    ) -> Result<ColumnFilter, Error<R::Error>> {
        let size = self.size;
        let rest = size
            .checked_sub(offset)
            .ok_or(Error::FilterOffset { offset, size })?;
        let head = bytes_at(&self.source, offset, rest.min(Header::MAX_BYTES as u64))?;
        let (header, header_len) =
            Header::read(&head).map_err(|source| Error::FilterHeader { offset, source })?;
        let bitset_len = header.bitset_len().into();
        let needed = header_len as u64 + bitset_len;
        if needed > rest {
            return Err(Error::FilterEnd { offset, needed, rest });
        }
        if let Some(stated) = stated.filter(|&stated| u64::try_from(stated) != Ok(needed)) {
            return Err(Error::FilterLength {
                offset,
                stated,
                needed,
            });
        }
        let place = offset..offset + needed;
        match read.range(..place.end).next_back() {
            Some((&other, &end)) if end > offset => return Err(Error::Overlap { offset, other }),
            _ => read.insert(place.start, place.end),
        };
        let bitset = bytes_at(&self.source, offset + header_len as u64, bitset_len)?;
        Ok(ColumnFilter { place, bitset })
    }
}

/// The filter of a column chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnFilter {
    /// The place of header and bit set in the file.
    pub place: Range<u64>,
    /// The bit set, of a length that [`SplitBlockFilter::new`] accepts.
    pub bitset: Vec<u8>,
}

impl ColumnFilter {
    /// Returns true if the filter may contain the value, which must be one of the column's type. False is certain.
    pub fn may_match(&self, value: &Value) -> bool {
        SplitBlockFilter::new(&self.bitset).map_or(true, |filter| value.may_match(&filter))
    }

    /// Returns the probability that an absent value matches, as the bits suggest it.
    pub fn expected_rate(&self) -> f64 {
        FilterView::new(formats::SPLIT_BLOCK, &self.bitset).expected_rate()
    }

    /// Returns true if all bits are zero, as in a filter without values.
    pub fn is_empty(&self) -> bool {
        self.bitset.iter().all(|&byte| byte == 0)
    }

    /// Returns true if all bits are zero although the column has values, or may have some: the writer did not fill the
    /// filter, and every value may match.
    pub fn is_unfilled(&self, chunk: &ColumnChunk) -> bool {
        chunk.stored_values() != Some(0) && self.is_empty()
    }
}

/// Returns the error for a file that does not end like a Parquet file.
fn without_end<R: ReadAt>(source: &R) -> Error<R::Error> {
    let mut head = [0; MAGIC.len()];
    match read(source, 0, &mut head) {
        Ok(()) if [MAGIC, ENCRYPTED_MAGIC].contains(&head) => Error::Cut,
        _ => Error::NotParquet,
    }
}

/// Reads `len` bytes, which lie in the file.
pub(crate) fn bytes_at<R: ReadAt>(source: &R, offset: u64, len: u64) -> Result<Vec<u8>, Error<R::Error>> {
    let (mut bytes, len) = (Vec::new(), usize::try_from(len).unwrap_or(usize::MAX));
    bytes
        .try_reserve_exact(len)
        .map_err(|_| Error::AllocationFailed { bytes: len })?;
    bytes.resize(len, 0);
    read(source, offset, &mut bytes)?;
    Ok(bytes)
}

fn read<R: ReadAt>(source: &R, offset: u64, buffer: &mut [u8]) -> Result<(), Error<R::Error>> {
    let len = buffer.len();
    source
        .read_exact_at(offset, buffer)
        .map_err(|source| Error::Read { offset, len, source })
}
