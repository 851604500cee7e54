//! A stored filter, opened for queries, and the merging of stored filters.

use std::path::{Path, PathBuf};

use membership_filters::Encoding;
use sha2::{Digest as _, Sha256};

use crate::bytes::{FilterData, OpenedFile, Opening};
use crate::error::{Error, ensure};
use crate::folder::write_filter;
use crate::format::{AnyOpened, Fill, StoredFormat};
use crate::formats::{formats, names};
use crate::header::Header;
use crate::manifest::shard_of;

/// A stored filter, opened for queries.
///
/// ```
/// use filter_sets::{Builder, StoredFilter, StoredFormat, Opening, Size};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("fruit.filter");
/// let mut building = Builder::new(StoredFormat::named("ribbon")?, Size::Rate(0.01)).file(&path)?;
/// for fruit in ["apple", "banana"] {
///     building.insert(fruit)?;
/// }
/// building.finish(&|_| true)?;
///
/// // The file states its format.
/// let filter = StoredFilter::open(&path, None, Opening::default())?;
/// assert!(filter.contains("apple"));
/// assert_eq!(filter.header().map(|header| header.keys), Some(2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias = "Filter")]
pub struct StoredFilter {
    format: StoredFormat,
    header: Option<Header>,
    stored: AnyOpened,
}

/// The last bytes of tables of LevelDB and of RocksDB.
///
/// Source: LevelDB, `table/format.h`; RocksDB, `table/block_based/block_based_table_builder.cc`.
const ENDS_OF_TABLES: [[u8; 8]; 2] = [
    0xdb47_7524_8b80_fb57_u64.to_le_bytes(),
    0x88e2_41b7_85f4_cff7_u64.to_le_bytes(),
];

impl StoredFilter {
    /// Reads a filter from the bytes of a file, or from a stored filter without a header. A format is needed only if
    /// neither header nor bytes identify it; without both, the keys must be bytes or UTF-8. Filters of policies do not
    /// identify their format, and deny keys under the name of another policy.
    ///
    /// # Errors
    ///
    /// [`WrongFormat`](Error::WrongFormat) if neither header nor bytes identify the format, if they identify
    /// another one than the given, or if the bytes are no filter: empty, or of a length or an end that no policy
    /// writes; [`Damaged`](Error::Damaged) if they changed after the header was written. A truncated filter of a
    /// policy without a header can look whole, and then denies keys.
    pub fn from_bytes(format: Option<&StoredFormat>, bytes: Vec<u8>) -> Result<Self, Error> {
        let (header, bytes) = FilterData::of(bytes).map_err(|error| Error::damaged(None, error))?;
        Self::single(format, header, bytes).map_err(|error| Error::wrong_format(None, error))
    }

    /// Opens a file that [`FileBuilding`](crate::FileBuilding) wrote, or a file with the bytes of a stored filter
    /// alone.
    ///
    /// # Errors
    ///
    /// [`NotFound`](Error::NotFound), the errors of [`from_bytes`](Self::from_bytes) and of the system.
    pub fn open(
        path: impl AsRef<Path>,
        format: Option<&StoredFormat>,
        opening: Opening,
    ) -> Result<Self, Error> {
        let path = path.as_ref();
        let (header, bytes) = OpenedFile::open(path, None)?.bytes(path, opening)?;
        Self::single(format, header, bytes).map_err(|error| Error::wrong_format(Some(path), error))
    }

    /// Reads a filter that is no shard.
    fn single(
        given: Option<&StoredFormat>,
        header: Option<Header>,
        bytes: FilterData,
    ) -> Result<Self, Error> {
        let Some(header) = header else {
            return Self::bare(given, bytes);
        };
        let Header { shard, shards, .. } = header;
        ensure(shards <= 1, || {
            format!("is shard {shard} of a set of {shards}: give the set's folder")
        })?;
        let (stated, given) = (&header.format, given.map_or(&*header.format, StoredFormat::name));
        ensure(stated == given, || {
            format!("the format must be {stated:?} as in the header, got {given:?}: leave the format out")
        })?;
        Self::stored(header, bytes)
    }

    /// Reads a filter with a header.
    pub(crate) fn stored(header: Header, bytes: FilterData) -> Result<Self, Error> {
        let format = StoredFormat::stated(&header.format, bytes.as_ref(), header.bytes)?;
        let filter = Self::read(format, bytes)?;
        Ok(Self {
            header: Some(header),
            ..filter
        })
    }

    /// Reads a filter without a header.
    fn bare(given: Option<&StoredFormat>, bytes: FilterData) -> Result<Self, Error> {
        let slice = bytes.as_ref();
        let is_table = ENDS_OF_TABLES.iter().any(|end| slice.ends_with(end));
        let text = || "is a table of LevelDB or RocksDB, which holds more than a filter".to_owned();
        ensure(!is_table, text)?;
        let recognised = StoredFormat::of_prefix(slice, slice.len() as u64);
        let format = match (given, recognised) {
            (Some(given), _) => match given.contradicted(slice) {
                Some(other) => {
                    let (other, given) = (other.name(), given.name());
                    let text = format_args!("its bytes are of the format {other:?}, got {given:?}");
                    return Err(Error::argument(text));
                }
                None => given.clone(),
            },
            // The bytes do not state another encoding of the keys.
            (None, Some(recognised)) => recognised.encoding(Encoding::BYTES),
            (None, None) => {
                let reason = "its bytes do not identify the format, which must be given: one of";
                return Err(Error::argument(format_args!("{reason} {}", names(formats()))));
            }
        };
        format.operations.check_bare(slice)?;
        Self::read(format, bytes)
    }

    fn read(format: StoredFormat, bytes: FilterData) -> Result<Self, Error> {
        Ok(Self {
            stored: format.operations.open(&format, bytes)?,
            format,
            header: None,
        })
    }

    /// Returns the header of the file; none if the file has stored bytes alone.
    pub const fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// Returns the format.
    pub const fn format(&self) -> &StoredFormat {
        &self.format
    }

    /// Returns true if the filter may contain the key. False is certain for bytes of the kind of key that
    /// [`header`](Self::header) states, as in [`FilterSet::contains`](crate::FilterSet::contains). A shard may contain
    /// every key of the other shards.
    #[must_use]
    pub fn contains(&self, key: &(impl AsRef<[u8]> + ?Sized)) -> bool {
        let key = key.as_ref();
        !self.has_shard_of(key) || self.own_contains(key)
    }

    /// Returns true if the filter may contain a key of its shard.
    pub(crate) fn own_contains(&self, key: &[u8]) -> bool {
        !self.has_form_of(key) || self.stored.contains(key)
    }

    /// Answers as [`own_contains`](Self::own_contains) does, for many keys.
    pub(crate) fn own_contains_many(&self, keys: &[&[u8]]) -> Vec<bool> {
        let mut answers = self.stored.contains_many(keys);
        for (answer, key) in answers.iter_mut().zip(keys) {
            *answer |= !self.has_form_of(key);
        }
        answers
    }

    /// Returns true unless a key of these bytes was never inserted in this form, as digits where keys are numbers.
    fn has_form_of(&self, key: &[u8]) -> bool {
        let is_of_header = |header: &Header| is_of_kind(&header.key_kind, key);
        let is_of_encoding = key.len() == 8 || self.format.encoding != Encoding::INT64;
        is_of_encoding && self.header.as_ref().is_none_or(is_of_header)
    }

    fn has_shard_of(&self, key: &[u8]) -> bool {
        let Some(Header {
            seed, shard, shards, ..
        }) = self.header
        else {
            return true;
        };
        shards == 1 || shard_of(seed, key, shards) == shard
    }

    /// Returns true for each key that the filter may contain, in the order of the keys. Faster than one by one in
    /// filters that are larger than the processor's caches, whose lines are fetched ahead.
    #[must_use]
    pub fn contains_many<'k, K: AsRef<[u8]> + ?Sized + 'k>(
        &self,
        keys: impl IntoIterator<Item = &'k K>,
    ) -> Vec<bool> {
        let keys: Vec<_> = keys.into_iter().map(AsRef::as_ref).collect();
        let mut answers = self.own_contains_many(&keys);
        for (answer, key) in answers.iter_mut().zip(keys) {
            *answer |= !self.has_shard_of(key);
        }
        answers
    }

    /// Returns the expected false-positive rate, which follows from the filter's bits or its parameters.
    pub fn expected_rate(&self) -> f64 {
        self.stored.rate()
    }

    /// Returns the fill; none for Ribbon and binary fuse filters, of whose bits half are ones whatever the keys.
    pub fn fill(&self) -> Option<Fill> {
        self.stored.fill()
    }
}

impl std::fmt::Debug for StoredFilter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StoredFilter({})", self.format.name())
    }
}

/// Returns true if a key of this kind can have these bytes: a `long` has eight, an `int` four. As many digits are rather
/// its text than a large number.
pub(crate) fn is_of_kind(kind: &str, key: &[u8]) -> bool {
    let is_number = |len| key.len() == len && !key.iter().all(u8::is_ascii_digit);
    match kind {
        "long" => is_number(8),
        "int" => is_number(4),
        _ => true,
    }
}

/// Merges the filters of files into one that contains the keys of all, and writes it to a file, which appears when it
/// is complete. An existing file is replaced if `replace` is true. The filters must have equal formats, kinds of keys,
/// sizes, probe counts, and so on; `FORMAT.md` lists the formats that can be merged. A format is given as to
/// [`StoredFilter::open`]; stored filters without headers make one without a header.
///
/// The result counts a key once for each filter that has it.
///
/// # Errors
///
/// [`Incompatible`](Error::Incompatible) names the first file that does not fit,
/// [`InvalidArgument`](Error::InvalidArgument) the one that is there; the errors of [`StoredFilter::open`] and of
/// writing.
pub fn merge(
    format: Option<&StoredFormat>,
    paths: &[impl AsRef<Path>],
    out: impl AsRef<Path>,
    replace: bool,
) -> Result<(), Error> {
    let open = |path: &Path| {
        // No key is queried, so the bytes may state any encoding of keys.
        let format = format.cloned().or_else(|| StoredFormat::of_file(path));
        let filter = StoredFilter::open(path, format.as_ref(), Opening::default())?;
        Ok((path.to_path_buf(), filter))
    };
    let (header, bytes) = join(paths.iter().map(|path| open(path.as_ref())))?;
    write_filter(out.as_ref(), replace, header.as_ref(), |file| {
        file.write_all(&bytes)
    })
}

/// Merges filters, and returns the header of the result, if they have headers, and its bytes.
pub(crate) fn join(
    mut filters: impl Iterator<Item = Result<(PathBuf, StoredFilter), Error>>,
) -> Result<(Option<Header>, Vec<u8>), Error> {
    let nothing = || Error::argument("there is nothing to merge");
    let (_, mut first) = filters.next().ok_or_else(nothing)??;
    for filter in filters {
        let (path, filter) = filter?;
        first
            .merge(&filter)
            .map_err(|error| Error::incompatible(&path, error))?;
    }
    let mut bytes = Vec::new();
    first.stored.write(&mut bytes).map_err(Error::argument)?;
    let header = first.header.take().map(|header| Header {
        bytes: bytes.len() as u64,
        sha256: hex::encode(Sha256::digest(&bytes)),
        rate: Some(first.expected_rate()),
        ..header
    });
    Ok((header, bytes))
}

impl StoredFilter {
    /// Adds the keys of another filter to this one.
    fn merge(&mut self, other: &Self) -> Result<(), Error> {
        let alike = |filter: &Self| match &filter.header {
            Some(header) => format!("{} with keys as {}", header.format, header.key_kind),
            None => format!("{} without a header", filter.format.name()),
        };
        let (expected, got) = (alike(self), alike(other));
        ensure(expected == got, || {
            format!("filters that are merged must be alike, {expected}, got {got}")
        })?;
        self.stored.merge(&*other.stored)?;
        if let Some((header, other)) = self.header.as_mut().zip(other.header.as_ref()) {
            let text = "filters that are merged must have fewer than 2^64 keys in all";
            let keys = header.keys.checked_add(other.keys);
            header.keys = keys.ok_or_else(|| Error::argument(text))?;
        }
        Ok(())
    }
}
