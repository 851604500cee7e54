//! A stored filter, opened for queries.

use std::io::{self, Write};
use std::path::Path;
use std::sync::OnceLock;

use membership_filters::{Encoding, Load};

use crate::bytes::{FilterData, Sum};
use crate::contents::FilterContents;
use crate::error::{Error, ensure};
use crate::filled::{Loaded, Unfinished};
use crate::folder::write_filter;
use crate::format::{Fill, StoredFormat};
use crate::formats::kinds::Kept;
use crate::formats::{formats, names};
use crate::header::Header;
use crate::key::{KeyBytes, SetKey, encoding_of};
use crate::manifest::shard_of;

/// A stored filter, opened for queries, or [built in memory](crate::Builder::in_memory).
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
#[derive(Clone)]
pub struct StoredFilter {
    pub(crate) format: StoredFormat,
    pub(crate) header: Option<Stated>,
    pub(crate) stored: Loaded,
}

/// A header whose length, checksum and rate are computed when they are read, because every insertion changes them.
#[derive(Clone)]
pub(crate) struct Stated {
    /// The header, in which length and checksum may be those of earlier bytes, and the rate may be unknown.
    pub(crate) of: Header,
    /// The header with the sums of the bytes.
    pub(crate) sealed: OnceLock<Header>,
}

impl From<Header> for Stated {
    fn from(of: Header) -> Self {
        let sealed = OnceLock::from(of.clone());
        Self { of, sealed }
    }
}

/// The last bytes of tables of LevelDB, of RocksDB (block-based, plain and cuckoo) and of Pebble.
///
/// Source: LevelDB, `table/format.h`; RocksDB, `table/block_based/block_based_table_builder.cc`, `table/plain/`,
/// `table/cuckoo/`; Pebble, `sstable/table.go`.
const ENDS_OF_TABLES: [u64; 6] = [
    0xdb47_7524_8b80_fb57,
    0x88e2_41b7_85f4_cff7,
    0x8242_2296_63bf_9564,
    0x4f34_18eb_7a8f_13b8,
    0x9267_89d0_c5f1_7873,
    0xb3aa_9ff0_b3aa_9ff0,
];

/// Checks that bytes are not those of something else, which may be intact.
fn ensure_own(is_own: bool, text: impl FnOnce() -> String) -> Result<(), Error> {
    ensure(is_own, text).map_err(|reason| Error::wrong_format(None, reason))
}

/// Returns true for the bytes of a Parquet file, also of one that was cut. Its first four bytes may be those of a filter,
/// so that more must fit: the last four, or what follows the first, which is a structure with the field 1, or the length of
/// an encrypted one.
fn is_parquet(bytes: &[u8]) -> bool {
    const MAGIC: [&[u8]; 2] = [b"PAR1", b"PARE"];
    let is_followed = || matches!(bytes[4..], [0x15, ..] | [_, _, 0, 0, ..]);
    MAGIC.iter().any(|magic| bytes.starts_with(magic))
        && (MAGIC.iter().any(|magic| bytes.ends_with(magic)) || is_followed())
}

impl StoredFilter {
    /// Reads a filter from the bytes of a file, or from a stored filter without a header. A format is needed only if
    /// neither header nor bytes identify it; without both, the keys must be bytes or UTF-8. Filters of policies do not
    /// identify their format, and deny keys under the name of another policy.
    ///
    /// # Errors
    ///
    /// [`WrongFormat`](Error::WrongFormat) if neither header nor bytes identify the format, or if they identify
    /// another one than the given, a table or a Parquet file; [`NoFilter`](Error::NoFilter) if the bytes are no filter:
    /// empty, or of a length or an end that no policy writes; [`Damaged`](Error::Damaged) if they changed after the header
    /// was written. A truncated filter of a policy without a header can look whole, and then denies keys.
    pub fn from_bytes(format: Option<&StoredFormat>, bytes: Vec<u8>) -> Result<Self, Error> {
        let contents = FilterContents::of(bytes).map_err(|error| Error::damaged(None, error))?;
        Self::single(format, contents).map_err(|error| Error::of_contents(None, error))
    }

    /// Reads a filter that is no shard.
    pub(crate) fn single(given: Option<&StoredFormat>, mut contents: FilterContents) -> Result<Self, Error> {
        let Some(header) = contents.header.take() else {
            return Self::bare(given, contents);
        };
        let Header { shard, shards, .. } = header;
        ensure_own(shards <= 1, || {
            format!("is shard {shard} of a set of {shards}: give the set's folder")
        })?;
        let (stated, given) = (&header.format, given.map_or(&*header.format, StoredFormat::name));
        ensure_own(stated == given, || {
            format!("the format must be {stated:?} as in the header, got {given:?}: leave the format out")
        })?;
        Self::with_header(header, contents)
    }

    /// Reads a filter with this header.
    pub(crate) fn with_header(header: Header, contents: FilterContents) -> Result<Self, Error> {
        // The error lists the names if the stated one is unknown.
        let named = || StoredFormat::named(&header.format).map_err(|error| Error::wrong_format(None, error));
        let format = contents.format.map_or_else(named, Ok)?;
        let (stated, of_kind) = (format.encoding, encoding_of(&header.key_kind));
        let encoding = of_kind.unwrap_or(stated);
        let states = format.states_encoding();
        ensure(!states || [encoding, Encoding::BYTES].contains(&stated), || {
            format!("the keys must be {encoding} as in the header, got {stated} in the filter")
        })?;
        let mut filter = Self::read(
            if states { format } else { format.encoding(encoding) },
            contents.bytes,
        )?;
        filter.format.encoding = encoding;
        filter.header = Some(header.into());
        Ok(filter)
    }

    /// Takes a filter that was built.
    pub(crate) fn built(format: StoredFormat, header: Header, filter: Unfinished) -> Result<Self, Error> {
        Ok(Self {
            stored: filter.load(&format)?,
            format,
            header: Some(Stated {
                of: header,
                sealed: OnceLock::new(),
            }),
        })
    }

    /// Reads a filter without a header.
    fn bare(given: Option<&StoredFormat>, contents: FilterContents) -> Result<Self, Error> {
        let FilterContents {
            format: recognised,
            bytes,
            ..
        } = contents;
        let slice = bytes.as_ref();
        let is_table = ENDS_OF_TABLES
            .iter()
            .any(|end| slice.ends_with(&end.to_le_bytes()));
        let text =
            || "is a table of LevelDB, RocksDB or Pebble, which contains more than a filter".to_owned();
        ensure_own(!is_table, text)?;
        let text = "is a Parquet file, whose columns have filters: look values up with `samebits inspect --column NAME --key \
                    VALUE`, parquet_row_groups in Python or the crate filter-parquet";
        ensure_own(!is_parquet(slice), || text.to_owned())?;
        let format = match (given, recognised) {
            (Some(given), _) => match given.contradicted(slice) {
                Some(other) => {
                    let (other, given) = (other.name(), given.name());
                    let text = format_args!("its bytes are of the format {other:?}, got {given:?}");
                    return Err(Error::wrong_format(None, text));
                }
                None => given.clone(),
            },
            // The bytes do not state another encoding of the keys.
            (None, Some(recognised)) => recognised.encoding(Encoding::BYTES),
            (None, None) => {
                let unknown = names(formats().filter(|format| format.kind().is_none()));
                let reason = "the bytes do not identify the format, which must be given: one of";
                return Err(Error::wrong_format(None, format_args!("{reason} {unknown}")));
            }
        };
        format.check_bare(slice)?;
        Self::read(format, bytes)
    }

    fn read(format: StoredFormat, bytes: FilterData) -> Result<Self, Error> {
        Ok(Self {
            stored: format.open(bytes)?,
            format,
            header: None,
        })
    }

    /// Returns the header of the file, which a filter that was built in memory has, too; none if the file has stored
    /// bytes alone.
    pub fn header(&self) -> Option<&Header> {
        let Stated { of, sealed } = self.header.as_ref()?;
        Some(sealed.get_or_init(|| {
            let mut sum = Sum::default();
            // Nothing is written.
            let _ = self.stored.write(&mut sum);
            Header {
                bytes: sum.bytes,
                sha256: sum.sha256(),
                rate: Some(of.rate.unwrap_or_else(|| self.expected_rate())),
                ..of.clone()
            }
        }))
    }

    /// Returns what the header states, without the sums.
    pub(crate) fn stated(&self) -> Option<&Header> {
        self.header.as_ref().map(|header| &header.of)
    }

    /// Returns the format, with the encoding of the keys that were inserted, as far as header and bytes state it.
    pub const fn format(&self) -> &StoredFormat {
        &self.format
    }

    /// Returns the number of different keys that the header states: an upper bound if the filter was merged, or took keys.
    pub fn key_count(&self) -> Option<u64> {
        self.stated().map(|header| header.keys)
    }

    /// Returns the expected false-positive rate that the header states: of a policy's filter the one for its number of keys
    /// and its size, which is more exact than [`expected_rate`](Self::expected_rate). `None` without a header, and if the
    /// filter has changed since.
    pub fn stated_rate(&self) -> Option<f64> {
        self.stated()?.rate
    }

    /// Returns the number of keys that the filter was made for, if the header states it.
    pub fn capacity(&self) -> Option<u64> {
        self.stated()?.capacity
    }

    /// Returns the false-positive rate that the filter was made for, if the header states it.
    pub fn wanted_rate(&self) -> Option<f64> {
        self.stated()?.wanted_rate
    }

    /// Returns the kind of key that the header states.
    pub fn key_kind(&self) -> Option<&str> {
        self.stated().map(|header| header.key_kind.as_str())
    }

    /// Writes the file of the filter: its header, if it has one, and the stored bytes.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn write_to(&self, mut writer: impl Write) -> io::Result<()> {
        if let Some(header) = self.header() {
            writer.write_all(&header.to_bytes())?;
        }
        self.stored.write(&mut writer)
    }

    /// Returns the bytes of the file of the filter: its header, if it has one, and the stored bytes. They are those of
    /// [`Builder::file`](crate::Builder::file).
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Writing to a vector does not fail.
        let _ = self.write_to(&mut bytes);
        bytes
    }

    /// Returns the stored bytes without a header, for engines and other programs. They are those of
    /// [`Builder::raw_file`](crate::Builder::raw_file).
    pub fn stored_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Writing to a vector does not fail.
        let _ = self.write_stored(&mut bytes);
        self.format.bare(bytes)
    }

    pub(crate) fn write_stored(&self, writer: &mut dyn Write) -> io::Result<()> {
        self.stored.write(writer)
    }

    /// Writes the filter to a file, which appears when it is complete, as [`write_to`](Self::write_to) does. An existing
    /// file is replaced if `replace` is true.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) if there is a file that is not replaced, [`Write`](Error::Write).
    pub fn save(&self, path: impl AsRef<Path>, replace: bool) -> Result<(), Error> {
        write_filter(path.as_ref(), replace, self.header(), |file| {
            self.write_stored(file)
        })
    }

    /// Writes the [stored bytes](Self::stored_bytes) alone to a file, as [`save`](Self::save) does.
    ///
    /// # Errors
    ///
    /// Those of [`save`](Self::save).
    pub fn save_stored(&self, path: impl AsRef<Path>, replace: bool) -> Result<(), Error> {
        // Only short ones are refused by readers.
        let short = (self.bits() < 512).then(|| self.stored_bytes());
        write_filter(path.as_ref(), replace, None, |file| match &short {
            Some(stored) => file.write_all(stored),
            None => self.write_stored(file),
        })
    }

    /// Returns true if the filter may contain the key. False is certain for a key in the [form](SetKey) in which keys
    /// were inserted; one in another form may be contained. A shard may contain every key of the other shards.
    #[must_use]
    pub fn contains<'k>(&self, key: impl Into<SetKey<'k>>) -> bool {
        let key = self.queried(key.into());
        key.is_none_or(|key| !self.has_shard_of(key.as_ref()) || self.own_contains(key.as_ref()))
    }

    /// Returns the bytes of a key; none for a key in another form.
    pub(crate) fn queried<'k>(&self, key: SetKey<'k>) -> Option<KeyBytes<'k>> {
        key.queried(self.format.encoding)
    }

    /// Returns true if the filter may contain a key of its shard.
    pub(crate) fn own_contains(&self, key: &[u8]) -> bool {
        self.stored.contains(key)
    }

    /// Answers as [`own_contains`](Self::own_contains) does, for many keys.
    pub(crate) fn own_contains_many(&self, keys: &[&[u8]]) -> Vec<bool> {
        self.stored.contains_many(keys)
    }

    fn has_shard_of(&self, key: &[u8]) -> bool {
        let Some(Header {
            seed, shard, shards, ..
        }) = self.stated()
        else {
            return true;
        };
        *shards == 1 || shard_of(*seed, key, *shards) == *shard
    }

    /// Returns true for each key that the filter may contain, in the order of the keys. Faster than one by one in
    /// filters that are larger than the processor's caches, whose lines are fetched ahead.
    #[must_use]
    pub fn contains_many<'k, K: Into<SetKey<'k>>>(&self, keys: impl IntoIterator<Item = K>) -> Vec<bool> {
        let keys: Vec<_> = keys.into_iter().map(|key| self.queried(key.into())).collect();
        let mut answers = self.own_contains_many(&slices(&keys));
        for (answer, key) in answers.iter_mut().zip(&keys) {
            *answer |= key.as_ref().is_none_or(|key| !self.has_shard_of(key.as_ref()));
        }
        answers
    }

    /// Answers as [`contains_many`](Self::contains_many) does for keys that are [encoded](SetKey::Encoded) already and lie
    /// in a slice, in less time.
    #[must_use]
    pub fn contains_encoded(&self, keys: &[&[u8]]) -> Vec<bool> {
        match self.stated() {
            Some(Header { shards: 2.., .. }) => {
                self.contains_many(keys.iter().map(|key| SetKey::Encoded(key)))
            }
            _ => self.own_contains_many(keys),
        }
    }

    /// Returns the expected false-positive rate, which follows from the filter's bits or its parameters.
    pub fn expected_rate(&self) -> f64 {
        self.stored.rate()
    }

    /// Returns the number of bits.
    pub fn bits(&self) -> u64 {
        self.stored.bits()
    }

    /// Estimates how full the filter is, in microseconds whatever its size; `None` for formats that grow, that refuse keys
    /// when they are full, or that [take no keys](StoredFormat::takes_keys).
    pub fn load(&self) -> Option<Load> {
        self.stored.kept().and_then(Kept::load)
    }

    /// Returns the highest expected rate with this many different keys, in microseconds; 0 for filters without a
    /// [`load`](Self::load).
    pub fn rate_at(&self, keys: u64) -> f64 {
        self.stored.kept().map_or(0.0, |filter| filter.rate_at(keys))
    }

    /// Returns true if the filter has no key: its header states none, and no bit is set.
    pub fn is_empty(&self) -> bool {
        self.key_count() == Some(0) && self.fill().is_none_or(|fill| fill.ones == 0)
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

/// Returns the bytes of keys, of which those in another form have none.
pub(crate) fn slices<'b>(keys: &'b [Option<KeyBytes<'_>>]) -> Vec<&'b [u8]> {
    let bytes = |key: &'b Option<KeyBytes<'_>>| key.as_ref().map_or(&[][..], KeyBytes::as_ref);
    keys.iter().map(bytes).collect()
}
