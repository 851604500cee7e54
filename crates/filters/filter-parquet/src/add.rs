//! Adds Bloom filters to a Parquet file that exists already, and compares filters with the values of their columns.
//!
//! [`add_bloom_filters`] writes a file again whose bytes before the footer stay as they are and where they are; filters
//! follow them, and then comes the footer, in which the places of these filters are the only difference. Pages are read
//! once, and only those of the columns. A program that works on many files at once, or copies data in a way of its own,
//! uses a [`Plan`], which is what the function goes through.
//!
//! The values are those of the physical type, without nulls, also of repeated columns. A filter has the least power of two
//! of bytes that keeps the rate for the different values of the row group; up to 1,048,576 of them are counted exactly,
//! more are estimated from the filter itself. If a column of FLOAT or DOUBLE has a zero, the filter has both, and if it has
//! a NaN, also the usual one, since readers look up the bits that they are given. [`is_supported`] says which types are
//! refused: those whose filters no reader queries, and those whose values readers would not find.
//!
//! ```no_run
//! use std::fs::File;
//!
//! use filter_parquet::add::{Options, add_bloom_filters};
//!
//! let (events, with_filters) = (File::open("events.parquet")?, File::create_new("with-filters.parquet")?);
//! let options = Options { rate: 0.001, ..Options::default() };
//! for (chunk, built) in add_bloom_filters(events, with_filters, &["user.id"], options)? {
//!     println!("row group {}: {} different values", chunk.row_group, built.different);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
pub mod checksums;
mod edit;
mod error;
mod filter;
mod pages;
mod values;

use alloc::borrow::ToOwned as _;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use std::io::Write;

use filter_policy::parquet::{Header, expected_rate};
use filter_tables::ReadAt;

pub use check::{Checked, check, memory_to_check};
pub use error::AddError;
pub use values::is_decoding;

use crate::column::{ColumnChunk, LogicalType, PhysicalType};
use crate::error::{Error, FooterError};
use crate::file::{MAGIC, ParquetFile, bytes_at};
use crate::footer::Footer;
use filter::{Hashes, Size};
use pages::{Pages, is_readable};
use values::{decoding_memory, read_values};

/// The most bytes of a filter without its header that all readers take: Arrow C++ and parquet-java refuse longer ones.
pub const MAX_BYTES: u64 = 128 << 20;

/// The filters that are added.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The highest false-positive rate, above 0 and below 1; 0.01 by default.
    pub rate: f64,
    /// The most bytes of a filter without its header, from 32 to [`MAX_BYTES`], of which a power of two is used;
    /// [`MAX_BYTES`] by default. A filter that the rate needs longer has a higher rate.
    pub max_bytes: u64,
    /// The most bytes of memory for a column chunk, its pages and its filter; 512 MiB by default.
    pub memory: u64,
    /// True to make a filter also where a dictionary in the file has all values and is shorter than a new one; false by
    /// default.
    pub always: bool,
    /// True to replace existing filters, whose bytes stay in the file; false by default.
    pub renew: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            rate: 0.01,
            max_bytes: MAX_BYTES,
            memory: 512 << 20,
            always: false,
            renew: false,
        }
    }
}

/// The column chunks of a file that get a filter.
#[derive(Debug)]
pub struct Plan<R> {
    file: ParquetFile<R>,
    /// The footer as it is stored.
    footer: Vec<u8>,
    options: Options,
    size: Size,
    /// The numbers of the chunks in the footer.
    chunks: Vec<usize>,
}

/// The filter that was built for a column chunk, with the numbers that decided its size.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Built {
    /// The number of values without nulls.
    pub values: u64,
    /// The number of different values.
    pub different: u64,
    /// True if the different values were counted, false if they were estimated.
    pub is_exact: bool,
    /// The expected false-positive rate of the filter.
    pub expected_rate: f64,
    /// The filter with its header, or the reason why there is none.
    pub filter: Result<Vec<u8>, String>,
}

/// Writes a file with Bloom filters for columns, which are given by their paths, such as `user.id`. Returns the column
/// chunks of these columns, and what was built for each.
///
/// The writer gets the bytes of a whole file, unless there is an error. It is not flushed.
pub fn add_bloom_filters<R: ReadAt, W: Write, C: AsRef<str>>(
    reader: R,
    mut writer: W,
    columns: &[C],
    options: Options,
) -> Result<Vec<(ColumnChunk, Built)>, AddError<R::Error>> {
    const PIECE: u64 = 1 << 20;
    let plan = Plan::new(ParquetFile::open(reader)?, columns, options)?;
    let mut write = |bytes: &[u8]| writer.write_all(bytes).map_err(AddError::Write);
    let mut offset = 0;
    while offset < plan.data_len() {
        let piece = bytes_at(plan.file.source(), offset, PIECE.min(plan.data_len() - offset))?;
        write(&piece)?;
        offset += piece.len() as u64;
    }
    let (mut all, mut places) = (Vec::new(), Vec::new());
    for (number, chunk) in plan.chunks().enumerate() {
        plan.memory(number)?;
        let built = plan.build(number, &|_| true)?;
        let filter = built.filter.as_deref().unwrap_or_default();
        write(filter)?;
        places.push((offset, filter.len()));
        offset += filter.len() as u64;
        all.push((chunk.clone(), built));
    }
    let footer = plan.footer(&places)?;
    if !plan.is_unchanged()? {
        return Err(AddError::Changed);
    }
    write(&footer)?;
    Ok(all)
}

/// Says whether a column can have filters that readers query.
///
/// # Errors
///
/// The reason why not: the type is BOOLEAN or INT96, or a logical type whose values are not looked up, such as INTERVAL, or
/// are looked up in another form than the stored one: DuckDB 2.0 takes FLOAT16 for FLOAT, and decimals of more than 38
/// digits for DOUBLE; DataFusion 50 takes decimals in arrays of any length for 16 bytes.
pub fn is_supported(chunk: &ColumnChunk) -> Result<(), &'static str> {
    match (chunk.column_type.physical, chunk.column_type.logical) {
        (PhysicalType::Boolean, _) => Err("its type is BOOLEAN, of which there are no filters"),
        (PhysicalType::Int96, _) => Err("its type is INT96, whose filters readers do not query"),
        (PhysicalType::FixedLenByteArray(..=0), _) => Err("its values must have at least one byte"),
        (_, Some(LogicalType::Float16)) => Err("its type is FLOAT16, of which DuckDB would find no value"),
        (PhysicalType::ByteArray | PhysicalType::FixedLenByteArray(_), Some(LogicalType::Decimal(_))) => {
            Err("it has decimals in bytes, of which DataFusion or DuckDB would find no value")
        }
        (_, Some(LogicalType::Other)) => Err("its logical type is one whose filters readers do not query"),
        _ => Ok(()),
    }
}

impl<R: ReadAt> Plan<R> {
    /// Checks options and columns, which are given by their paths. Only the footer is read.
    ///
    /// # Errors
    ///
    /// [`AddError`]: the file is signed, or a column is unknown, encrypted, in another file, of a type without filters or of
    /// a compression that is not supported, or has filters that the options do not say to replace.
    pub fn new<C: AsRef<str>>(
        file: ParquetFile<R>,
        columns: &[C],
        options: Options,
    ) -> Result<Self, AddError<R::Error>> {
        let refused = |reason: String| Err(AddError::Refused(reason));
        let Options { rate, max_bytes, .. } = options;
        if !(rate > 0.0 && rate < 1.0) {
            return refused(format!("the rate must be above 0 and below 1, got {rate}"));
        }
        if !(32..=MAX_BYTES).contains(&max_bytes) {
            return refused(format!(
                "the most bytes of a filter must be between 32 and {MAX_BYTES}, got {max_bytes}"
            ));
        }
        if file.footer().is_signed {
            return refused("the footer is signed, and another one needs another signature".to_owned());
        }
        let chosen: BTreeSet<&str> = columns.iter().map(AsRef::as_ref).collect();
        let all = &file.footer().columns;
        let paths: BTreeSet<&str> = all.iter().map(|chunk| chunk.path.as_str()).collect();
        // Without a row group the footer names no columns.
        if let (Some(unknown), false) = (chosen.difference(&paths).next(), all.is_empty()) {
            let known = paths.iter().take(LISTED).copied().collect::<Vec<_>>().join(", ");
            return refused(format!("it has no column {unknown:?}; it has {known}"));
        }
        let mut chunks = Vec::new();
        for (number, chunk) in all.iter().enumerate() {
            if chosen.contains(chunk.path.as_str()) {
                is_supported(chunk).map_err(|reason| AddError::refused(chunk, reason))?;
                is_decodable(chunk).map_err(|reason| AddError::refused(chunk, &reason))?;
                if chunk.filter_offset.is_some() && !options.renew {
                    return Err(AddError::refused(
                        chunk,
                        "it has a filter already, which is replaced only on request (renew)",
                    ));
                }
                chunks.push(number);
            }
        }
        let values = chunks.iter().filter_map(|&number| all.get(number)?.num_values);
        check_values(&file, values).map_err(AddError::Refused)?;
        let size = Size {
            rate,
            max: 1 << max_bytes.ilog2(),
        };
        let footer = file.footer_bytes()?;
        if Footer::read(&footer).as_ref() != Ok(file.footer()) {
            return Err(AddError::Changed);
        }
        Ok(Self {
            file,
            footer,
            options,
            size,
            chunks,
        })
    }

    /// Returns the file.
    pub const fn file(&self) -> &ParquetFile<R> {
        &self.file
    }

    /// Returns the column chunks that get a filter, in the order in which the file has the filters.
    pub fn chunks(&self) -> impl ExactSizeIterator<Item = &ColumnChunk> {
        (0..self.chunks.len()).map(|number| self.chunk(number))
    }

    #[expect(
        clippy::indexing_slicing,
        reason = "documented where a caller gives the number"
    )]
    fn chunk(&self, number: usize) -> &ColumnChunk {
        &self.file.footer().columns[self.chunks[number]]
    }

    /// Returns the number of bytes before the footer, which stay as they are; the first filter follows.
    pub fn data_len(&self) -> u64 {
        self.file.footer_place().start
    }

    /// Returns true if the size and the footer of the file are those that the plan was made for.
    pub fn is_unchanged(&self) -> Result<bool, AddError<R::Error>> {
        let size = self.file.source().size().map_err(Error::Size)?;
        let tail = (self.footer.len() + MAGIC.len() + 4) as u64;
        Ok(size == self.data_len() + tail && self.file.footer_bytes()? == self.footer)
    }

    /// Reads the headers of the pages of the chunk with this number in [`chunks`](Self::chunks). Returns the most bytes of
    /// memory that are needed to read the chunk and to build its filter.
    ///
    /// # Errors
    ///
    /// [`AddError::Page`], [`AddError::Memory`] if the memory of the options does not suffice, and the errors of the reader.
    ///
    /// # Panics
    ///
    /// If there is no such chunk.
    pub fn memory(&self, number: usize) -> Result<u64, AddError<R::Error>> {
        let chunk = self.chunk(number);
        memory(
            &self.file,
            chunk,
            self.options.memory,
            self.size.memory(chunk.num_values.unwrap_or(0)),
        )
    }

    /// Reads the values of the chunk with this number, and builds its filter, in as much memory as [`memory`](Self::memory)
    /// says. `go_on` gets the number of values that were read since the last call, and says whether to go on.
    ///
    /// # Errors
    ///
    /// [`AddError::Page`], [`AddError::Stopped`], and the errors of the reader.
    ///
    /// # Panics
    ///
    /// If there is no such chunk.
    pub fn build(&self, number: usize, go_on: &dyn Fn(u64) -> bool) -> Result<Built, AddError<R::Error>> {
        let chunk = self.chunk(number);
        let failed = |error| match error {
            filter_policy::Error::AllocationFailed { bytes } => Error::AllocationFailed { bytes }.into(),
            error => AddError::refused(chunk, &error.to_string()),
        };
        let mut hashes = Hashes::new(self.size, chunk.num_values.unwrap_or(0)).map_err(failed)?;
        let found = read_values(&self.file, chunk, go_on, &mut |batch, _| hashes.add(batch))?;
        let also = found.equals(chunk.column_type.physical);
        let (mut filter, different, is_exact) = hashes.finish(&also).map_err(failed)?;
        let header = Header::new(filter.len()).map_err(failed)?;
        filter.splice(..0, header.encode().as_ref().iter().copied());
        let len = filter.len() as u64;
        let dictionary = found
            .dictionary
            .filter(|&dictionary| dictionary < len && !found.has_others);
        // A filter that is there already is replaced by another one.
        let is_wanted = self.options.always || chunk.filter_offset.is_some();
        let filter = match dictionary.filter(|_| !is_wanted) {
            _ if found.values == 0 => Err("it has no values".to_owned()),
            Some(dictionary) => Err(format!(
                "its dictionary of {dictionary} bytes has all values, and is shorter than a filter of {len} bytes"
            )),
            None => Ok(filter),
        };
        Ok(Built {
            values: found.values,
            different,
            is_exact,
            expected_rate: expected_rate(different, header.bitset_len()),
            filter,
        })
    }

    /// Returns all that follows the filters: the footer with these offsets and lengths of filters in the order of
    /// [`chunks`](Self::chunks), its length, and the magic bytes. The length is 0 where there is no filter.
    ///
    /// # Errors
    ///
    /// [`AddError::Refused`] if the footer would be too long.
    pub fn footer(&self, places: &[(u64, usize)]) -> Result<Vec<u8>, AddError<R::Error>> {
        let mut expected = self.file.footer().clone();
        let mut edits = BTreeMap::new();
        for (&number, &(offset, len)) in self.chunks.iter().zip(places) {
            let place = u32::try_from(len)
                .ok()
                .filter(|&len| len > 0)
                .map(|len| (offset, len));
            if let Some(chunk) = expected.columns.get_mut(number)
                && (place.is_some() || chunk.filter_offset.is_some())
            {
                edits.insert((chunk.row_group, chunk.column), place);
                (chunk.filter_offset, chunk.filter_length) =
                    (place.map(|at| at.0), place.map(|at| at.1.into()));
            }
        }
        let damaged = |reason| {
            Error::Footer(FooterError::Damaged {
                at: 0,
                len: self.footer.len(),
                reason,
            })
        };
        let mut footer = edit::edit(&self.footer, &edits).map_err(damaged)?;
        // What is written is read before anybody else reads it.
        if Footer::read(&footer).as_ref() != Ok(&expected) {
            return Err(damaged("it must be the same but for its filters").into());
        }
        let too_long = |_| AddError::Refused("the footer would have more than 2 GiB".to_owned());
        let len = i32::try_from(footer.len()).map_err(too_long)?;
        footer.extend_from_slice(&len.to_le_bytes());
        footer.extend_from_slice(&MAGIC);
        Ok(footer)
    }
}

/// The number of columns that a message lists.
const LISTED: usize = 100;
/// The bytes of a value of fixed length from which on it is refused: a decoder may copy one that a page does not have.
const LONGEST: i32 = 1 << 24;

/// Says whether the pages of a chunk can be decoded.
fn is_decodable(chunk: &ColumnChunk) -> Result<(), String> {
    let codec = chunk.codec.unwrap_or(0);
    match chunk {
        // So says the documentation of `parquet`.
        _ if cfg!(target_endian = "big") => Err("its decoder needs a little-endian processor".to_owned()),
        _ if chunk.is_encrypted => Err("it is encrypted".to_owned()),
        _ if chunk.is_elsewhere => Err("its pages are in another file".to_owned()),
        _ if matches!(
            chunk.column_type.physical,
            PhysicalType::FixedLenByteArray(LONGEST..)
        ) =>
        {
            Err(format!("its values must have less than {LONGEST} bytes"))
        }
        _ if !is_readable(codec) => Err(format!("its compression, {codec}, is not supported")),
        _ if chunk.max_levels.is_none() => Err("it must have a place in the schema".to_owned()),
        _ => Ok(()),
    }
}

/// Checks that a file does not state more values than it can have in a run of equal ones: a page of some bytes could take
/// minutes.
fn check_values<R: ReadAt>(file: &ParquetFile<R>, values: impl Iterator<Item = u64>) -> Result<(), String> {
    const OF_BYTE: u64 = 1 << 16;
    const OF_ANY_FILE: u64 = 1 << 27;
    let (values, len) = (values.fold(0, u64::saturating_add), file.footer_place().start);
    match values <= len.saturating_mul(OF_BYTE).saturating_add(OF_ANY_FILE) {
        true => Ok(()),
        false => Err(format!(
            "the footer states {values} values of the columns, too many for {len} bytes"
        )),
    }
}

/// Reads the headers of all pages of a chunk. Returns the memory for a page and for what is needed besides, unless it is
/// more than allowed.
fn memory<R: ReadAt>(
    file: &ParquetFile<R>,
    chunk: &ColumnChunk,
    allowed: u64,
    besides: u64,
) -> Result<u64, AddError<R::Error>> {
    /// The memory for a batch of values, and for a decoder's window.
    const FIXED: u64 = 18 << 20;
    let (mut of_dictionary, mut of_page, mut pages) = (0, 0, Pages::new(file, chunk)?);
    while let Some((header, _)) = pages.next()? {
        // The stored bytes, those of the page, and at most as many in the decoder.
        let needed = u64::from(header.stored_len) + 2 * u64::from(header.len) + decoding_memory(&header);
        let of_kind = if header.is_dictionary() {
            &mut of_dictionary
        } else {
            &mut of_page
        };
        *of_kind = needed.max(*of_kind);
    }
    let needed = FIXED + of_dictionary + of_page + besides;
    match needed <= allowed {
        true => Ok(needed),
        false => Err(AddError::Memory {
            column: chunk.path.clone(),
            row_group: chunk.row_group,
            needed,
            allowed,
        }),
    }
}
