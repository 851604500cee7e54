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
//! let options = Options::default().rate(0.001);
//! for (chunk, built) in add_bloom_filters(events, with_filters, &["user.id"], options)? {
//!     println!("row group {}: {} different values", chunk.row_group, built.different);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
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
use core::fmt;
use std::io::Write;

use filter_policy::parquet::{Header, expected_rate};
use filter_tables::ReadAt;

pub use check::{Checked, check};
pub use error::AddError;

use crate::column::{ColumnChunk, LogicalType, PhysicalType};
use crate::error::{Error, FooterError};
use crate::file::{MAGIC, ParquetFile, bytes_at};
use crate::footer::Footer;
use edit::Place;
use filter::{Hashes, MAX_BITSET, MIN_BITSET, Size};
use pages::{BROTLI, Pages, codec_name, is_readable};
use values::{decoder, decoding_memory, is_in_dictionary};

/// The number of columns that a message lists.
const LISTED: usize = 100;

/// The filters that are added.
///
/// ```
/// use filter_parquet::add::Options;
///
/// let options = Options::default().rate(0.001).max_bytes(1 << 20);
/// assert_eq!((options.rate, options.max_bytes), (0.001, 1 << 20));
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Options {
    /// The highest false-positive rate, above 0 and below 1; 0.01 by default.
    pub rate: f64,
    /// The most bytes of a filter without its header, at least 32, of which a power of two is used; 128 MiB by default,
    /// the most that all readers take. A filter that the rate needs longer has a higher rate.
    pub max_bytes: u32,
    /// The most bytes of memory for a column chunk, its pages and its filter; 512 MiB by default.
    pub memory: u64,
    /// True to make a filter also where a dictionary in the file has all values and is shorter.
    pub always: bool,
    /// True to replace existing filters, whose bytes stay in the file.
    pub renew: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            rate: 0.01,
            max_bytes: MAX_BITSET,
            memory: 512 << 20,
            always: false,
            renew: false,
        }
    }
}

impl Options {
    /// Sets the highest false-positive rate.
    #[must_use]
    pub const fn rate(self, rate: f64) -> Self {
        Self { rate, ..self }
    }

    /// Sets the most bytes of a filter.
    #[must_use]
    pub const fn max_bytes(self, max_bytes: u32) -> Self {
        Self { max_bytes, ..self }
    }

    /// Sets the most bytes of memory.
    #[must_use]
    pub const fn memory(self, memory: u64) -> Self {
        Self { memory, ..self }
    }

    /// Makes a filter also where a dictionary is shorter, or does not.
    #[must_use]
    pub const fn always(self, always: bool) -> Self {
        Self { always, ..self }
    }

    /// Replaces existing filters, or refuses files that have some.
    #[must_use]
    pub const fn renew(self, renew: bool) -> Self {
        Self { renew, ..self }
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
    /// The numbers of the chunks in the footer, and of each in its row group.
    chunks: Vec<(usize, u64)>,
}

/// What the headers of a chunk's pages say.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Scan {
    /// The number of the chunk in the plan.
    chunk: usize,
    /// The number of pages.
    pub pages: u64,
    /// The number of values, nulls included.
    pub values: u64,
    /// The most bytes of memory that are needed to read the chunk and to build its filter.
    pub memory: u64,
    /// The bytes of the dictionary in the file, if all values are in it.
    dictionary: Option<u64>,
}

/// The filter of a column chunk.
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
    /// The header and the bit set, or the reason why there is no filter.
    pub filter: Result<Vec<u8>, Omitted>,
}

/// The reason why a column chunk got no filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Omitted {
    /// The chunk has no values, or only nulls.
    NoValues,
    /// All values are in a dictionary in the file, which is shorter than the filter.
    Dictionary {
        /// The bytes of the dictionary in the file.
        dictionary: u64,
        /// The bytes that a filter would have.
        filter: u64,
    },
}

impl fmt::Display for Omitted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoValues => f.write_str("it has no values"),
            Self::Dictionary { dictionary, filter } => write!(
                f,
                "its dictionary of {dictionary} bytes has all values and is shorter than a filter of {filter} bytes"
            ),
        }
    }
}

/// Writes a file with Bloom filters for columns, which are given by their paths, such as `user.id`. Returns the column
/// chunks of these columns, and what was built for each.
///
/// The writer gets the bytes of a whole file, unless there is an error. It is not flushed.
///
/// # Errors
///
/// [`AddError`].
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
        let len = PIECE.min(plan.data_len() - offset);
        write(&bytes_at(plan.file.source(), offset, len)?)?;
        offset += len;
    }
    let (mut all, mut places) = (Vec::new(), Vec::new());
    for (number, chunk) in plan.chunks().enumerate() {
        let mut built = plan.build(&plan.scan(number)?, &|_| true)?;
        places.push(match &mut built.filter {
            Ok(filter) => {
                write(filter)?;
                let place = (offset, u32::try_from(filter.len()).unwrap_or(u32::MAX));
                offset += filter.len() as u64;
                Some(place)
            }
            Err(_) => None,
        });
        all.push((chunk.clone(), built));
    }
    let footer = plan.footer(&places)?;
    match plan.is_unchanged()? {
        true => write(&footer)?,
        false => return Err(AddError::Changed),
    }
    Ok(all)
}

/// Says whether the column of this chunk can have filters that readers query.
///
/// # Errors
///
/// The reason why not: the type is BOOLEAN or INT96, or a logical type whose values are not looked up, such as INTERVAL, or
/// are looked up in another form than the stored one: DuckDB 2.0 takes FLOAT16 for FLOAT, and decimals of more than 38
/// digits for DOUBLE.
pub fn is_supported(chunk: &ColumnChunk) -> Result<(), &'static str> {
    let column = chunk.column_type;
    match (column.physical, column.logical) {
        (PhysicalType::Boolean, _) => Err("its type is BOOLEAN, of which there are no filters"),
        (PhysicalType::Int96, _) => Err("its type is INT96, whose filters readers do not query"),
        (PhysicalType::FixedLenByteArray(..=0), _) => Err("its values must have at least one byte"),
        (_, Some(LogicalType::Float16)) => Err("its type is FLOAT16, of which DuckDB would find no value"),
        (PhysicalType::FixedLenByteArray(17..), Some(LogicalType::Decimal(_))) => {
            Err("it has decimals of more than 16 bytes, of which DuckDB would find no value")
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
    /// [`AddError`]: the file is signed or in parts, or a column is unknown, encrypted, of a type without filters or of a
    /// compression that is not supported, or has filters and the options do not say to replace them.
    pub fn new<C: AsRef<str>>(
        file: ParquetFile<R>,
        columns: &[C],
        options: Options,
    ) -> Result<Self, AddError<R::Error>> {
        let (rate, max_bytes) = (options.rate, options.max_bytes);
        let option = |what, allowed, given| Err(AddError::Option { what, allowed, given });
        if !(rate > 0.0 && rate < 1.0) {
            return option("rate", "above 0 and below 1", rate);
        }
        if max_bytes < MIN_BITSET {
            return option("most bytes of a filter", "at least 32", max_bytes.into());
        }
        // The greatest power of two.
        let max = 1 << max_bytes.min(MAX_BITSET).ilog2();
        let place = file.footer_place();
        let footer = bytes_at(file.source(), place.start, place.end - place.start)?;
        if Footer::read(&footer).as_ref() != Ok(file.footer()) {
            return Err(AddError::Changed);
        }
        if file.footer().is_signed {
            let (column, reason) = (
                String::new(),
                "the footer is signed, and another one would need another signature",
            );
            return Err(AddError::Refused {
                column,
                reason: reason.to_owned(),
            });
        }
        let mut plan = Self {
            file,
            footer,
            options,
            size: Size { rate, max },
            chunks: Vec::new(),
        };
        plan.choose(columns)?;
        Ok(plan)
    }

    /// Finds the chunks of the columns.
    fn choose<C: AsRef<str>>(&mut self, columns: &[C]) -> Result<(), AddError<R::Error>> {
        let all = &self.file.footer().columns;
        let chosen: BTreeSet<&str> = columns.iter().map(AsRef::as_ref).collect();
        let paths: BTreeSet<&str> = all.iter().map(|chunk| chunk.path.as_str()).collect();
        let unknown = chosen.difference(&paths).next();
        // Without a row group the footer names no columns.
        if let (Some(column), false) = (unknown, all.is_empty()) {
            let first = all.iter().take_while(|chunk| chunk.row_group == 0);
            let mut known: Vec<&str> = first.map(|chunk| chunk.path.as_str()).collect();
            let more = known.len().saturating_sub(LISTED);
            known.truncate(LISTED);
            let mut known = known.join(", ");
            if more > 0 {
                known.push_str(&format!(" and {more} others"));
            }
            let column = (*column).to_owned();
            return Err(AddError::UnknownColumn { column, known });
        }
        let (mut group, mut column) = (0, 0);
        for (number, chunk) in all.iter().enumerate() {
            if chunk.row_group != group {
                (group, column) = (chunk.row_group, 0);
            }
            if chosen.contains(chunk.path.as_str()) {
                self.allow(chunk)
                    .map_err(|reason| AddError::refused(chunk, reason))?;
                self.chunks.push((number, column));
            }
            column += 1;
        }
        Ok(())
    }

    /// Says whether a filter can be added to a chunk.
    fn allow(&self, chunk: &ColumnChunk) -> Result<(), String> {
        is_supported(chunk)?;
        is_decodable(chunk)?;
        match chunk.filter_offset {
            Some(_) if !self.options.renew => {
                Err("it has filters already, which are only replaced on request".to_owned())
            }
            _ => Ok(()),
        }
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
        reason = "the footer has the chunks of the plan; other numbers are documented"
    )]
    fn chunk(&self, number: usize) -> &ColumnChunk {
        &self.file.footer().columns[self.chunks[number].0]
    }

    /// Returns the number of bytes before the footer, which stay as they are; the first filter follows.
    pub fn data_len(&self) -> u64 {
        self.file.footer_place().start
    }

    /// Returns the number of bytes of filters that are replaced, as far as the footer states it. They stay in the file.
    pub fn replaced_bytes(&self) -> u64 {
        let lengths = self
            .chunks()
            .filter_map(|chunk| u64::try_from(chunk.filter_length?).ok());
        lengths.sum()
    }

    /// Returns true if size and footer of the file are those that the plan was made for.
    ///
    /// # Errors
    ///
    /// Those of the reader.
    pub fn is_unchanged(&self) -> Result<bool, AddError<R::Error>> {
        let place = self.file.footer_place();
        Ok(self.file.has_size()?
            && bytes_at(self.file.source(), place.start, place.end - place.start)? == self.footer)
    }

    /// Reads the headers of the pages of the chunk with this number in [`chunks`](Self::chunks).
    ///
    /// # Errors
    ///
    /// [`AddError::Page`], [`AddError::Memory`], and the errors of the reader.
    ///
    /// # Panics
    ///
    /// If there is no such chunk.
    pub fn scan(&self, number: usize) -> Result<Scan, AddError<R::Error>> {
        let memory = |values| self.size.memory(values);
        scan(
            &self.file,
            self.chunk(number),
            number,
            self.options.memory,
            memory,
        )
    }

    /// Reads the values of a chunk and builds its filter. `go_on` gets the number of values that were read since the last
    /// call; after each page it says whether to go on.
    ///
    /// # Errors
    ///
    /// [`AddError::Page`], [`AddError::Stopped`], and the errors of the reader.
    pub fn build(&self, scan: &Scan, go_on: &dyn Fn(u64) -> bool) -> Result<Built, AddError<R::Error>> {
        let chunk = self.chunk(scan.chunk);
        let mut hashes = Hashes::new(self.size, scan.values);
        let mut added = Ok(());
        let (values, also) = read_values(&self.file, chunk, go_on, &mut |batch, _| {
            if added.is_ok() {
                added = hashes.add(batch);
            }
        })?;
        let failed = |error| match error {
            filter_policy::Error::AllocationFailed { bytes } => Error::AllocationFailed { bytes }.into(),
            error => AddError::refused(chunk, error.to_string()),
        };
        let finished = added.and_then(|()| hashes.finish(&also)).map_err(failed)?;
        let bitset_len = finished.bitset.len();
        let header = Header::new(bitset_len).map_err(failed)?;
        let len = header.encode().as_ref().len() + bitset_len;
        let filter = match scan.dictionary {
            _ if values == 0 => Err(Omitted::NoValues),
            Some(dictionary) if dictionary < len as u64 && !self.options.always => {
                let filter = len as u64;
                Err(Omitted::Dictionary { dictionary, filter })
            }
            _ => {
                let mut filter = finished.bitset;
                filter.splice(..0, header.encode().as_ref().iter().copied());
                Ok(filter)
            }
        };
        Ok(Built {
            values,
            different: finished.different,
            is_exact: finished.is_exact,
            expected_rate: expected_rate(finished.different, header.bitset_len()),
            filter,
        })
    }

    /// Returns all that follows the filters: the footer with these offsets and lengths of filters in the order of
    /// [`chunks`](Self::chunks), `None` where there is no filter, its length, and the magic bytes.
    ///
    /// # Errors
    ///
    /// [`AddError::Refused`] if the footer would be too long.
    pub fn footer(&self, places: &[Option<Place>]) -> Result<Vec<u8>, AddError<R::Error>> {
        let all = &self.file.footer().columns;
        let mut expected = self.file.footer().clone();
        let mut edits = BTreeMap::new();
        for (&(number, column), &place) in self.chunks.iter().zip(places) {
            let (Some(chunk), Some(edited)) = (all.get(number), expected.columns.get_mut(number)) else {
                continue;
            };
            // A chunk that had no filter and gets none stays as it is.
            if place.is_some() || chunk.filter_offset.is_some() {
                edits.insert((chunk.row_group, column), place);
                edited.filter_offset = place.map(|(offset, _)| offset);
                edited.filter_length = place.map(|(_, len)| len.into());
            }
        }
        let damaged = |reason| {
            let (at, len) = (0, self.footer.len());
            AddError::File(Error::Footer(FooterError::Damaged { at, len, reason }))
        };
        let mut footer = edit::edit(&self.footer, &edits).map_err(damaged)?;
        // What was written is read again before anybody else reads it.
        if Footer::read(&footer).as_ref() != Ok(&expected) {
            return Err(damaged("it must be the same after its filters were added"));
        }
        let Ok(len) = i32::try_from(footer.len()) else {
            let (column, reason) = (String::new(), "the footer would have more than 2 GiB");
            return Err(AddError::Refused {
                column,
                reason: reason.to_owned(),
            });
        };
        footer.extend_from_slice(&len.to_le_bytes());
        footer.extend_from_slice(&MAGIC);
        Ok(footer)
    }
}

/// Says whether the pages of a chunk can be decoded.
fn is_decodable(chunk: &ColumnChunk) -> Result<(), String> {
    let codec = chunk.codec.unwrap_or(0);
    match chunk {
        _ if chunk.is_encrypted => Err("it is encrypted".to_owned()),
        _ if chunk.is_elsewhere => Err("its pages are in another file".to_owned()),
        _ if !is_readable(codec) => Err(format!(
            "its compression is {}, which is not supported",
            codec_name(codec)
        )),
        _ if chunk.max_levels.is_none() => Err("it must have a place in the schema".to_owned()),
        _ => Ok(()),
    }
}

/// Reads the headers of all pages of a chunk. `more` returns the memory that is needed besides that for pages.
fn scan<R: ReadAt>(
    file: &ParquetFile<R>,
    chunk: &ColumnChunk,
    number: usize,
    allowed: u64,
    more: impl Fn(u64) -> u64,
) -> Result<Scan, AddError<R::Error>> {
    /// What is needed for any page.
    const FIXED: u64 = 2 << 20;
    /// What is needed for an entry of a dictionary.
    const OF_ENTRY: u64 = 32;
    /// What Brotli keeps.
    const WINDOW: u64 = 16 << 20;
    let mut walk = Pages::new(file.source(), chunk, file.footer_place().start)?;
    let (mut pages, mut values, mut largest) = (0, 0, 0);
    let (mut dictionary, mut of_dictionary, mut is_all_in_it) = (None, 0, true);
    while let Some((header, _)) = walk.next()? {
        pages += 1;
        // The stored bytes, those of the page, and at most as many in a decoder.
        let lens = u64::from(header.stored_len) + 2 * u64::from(header.len);
        let of_values = u64::from(header.values);
        if header.is_data() {
            values += of_values;
            is_all_in_it &= is_in_dictionary(&header);
            largest = largest.max(lens + decoding_memory(&header));
        } else {
            dictionary = Some(header.stored_len.into());
            of_dictionary = lens + OF_ENTRY * of_values.min(lens);
        }
    }
    let window = if chunk.codec == Some(BROTLI) { WINDOW } else { 0 };
    let memory = FIXED + window + largest + of_dictionary + more(values);
    if memory > allowed {
        let (column, row_group, needed) = (chunk.path.clone(), chunk.row_group, memory);
        return Err(AddError::Memory {
            column,
            row_group,
            needed,
            allowed,
        });
    }
    let dictionary = dictionary.filter(|_| is_all_in_it);
    Ok(Scan {
        chunk: number,
        pages,
        values,
        memory,
        dictionary,
    })
}

/// Reads all values of a chunk; returns their number without nulls, and the hash values of what is equal to one of them.
fn read_values<R: ReadAt>(
    file: &ParquetFile<R>,
    chunk: &ColumnChunk,
    go_on: &dyn Fn(u64) -> bool,
    sink: &mut values::Sink<'_>,
) -> Result<(u64, Vec<u64>), AddError<R::Error>> {
    let mut pages = Pages::new(file.source(), chunk, file.footer_place().start)?;
    let decoder = decoder(chunk.column_type, chunk.max_levels.unwrap_or_default());
    let mut decoder = decoder.map_err(|reason| AddError::refused(chunk, reason))?;
    let mut values = 0;
    while let Some((header, start)) = pages.next()? {
        let contents = pages.contents(&header, start)?;
        let decoded = decoder.decode(&header, contents, &mut |hashes, text| {
            values += hashes.len() as u64;
            sink(hashes, text);
        });
        decoded.map_err(|reason| pages.error(reason))?;
        if !go_on(if header.is_data() { header.values.into() } else { 0 }) {
            return Err(AddError::Stopped);
        }
    }
    Ok((values, decoder.equals()))
}
