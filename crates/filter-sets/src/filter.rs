//! A stored filter, opened for queries, and the merging of stored filters.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use filter_formats::policies::{self, AnyPolicy};
use filter_formats::view::FilterView;
use filter_policy::{Answers, BitsPerKey, OwnedFilter};
use guava_bloom::Encoding;

use crate::elements::Elements;
use crate::error::{Error, ErrorKind};
use crate::ffi::Mapped;
use crate::format::Format;

/// The way in which the bytes of a file are had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// Reads them into memory. Later changes of the file do no harm.
    #[default]
    Read,
    /// Maps them: the system reads what queries need, and processes share it. The caller promises that nobody writes into
    /// or cuts the file while it is open: a query for bytes that are gone ends the process (SIGBUS). Builders of this
    /// crate replace files and never do so. The formats whose words are big-endian or checked, all that are no policies,
    /// are read nevertheless.
    Map,
}

pub(crate) enum Bytes {
    Read(Vec<u8>),
    Mapped(Mapped),
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Read(bytes) => bytes,
            Self::Mapped(bytes) => bytes.as_ref(),
        }
    }
}

/// Opens a plain file, which must have this length if one is given: it is then a set's. Returns its length as well.
pub(crate) fn open_file(path: &Path, len: Option<u64>) -> Result<(File, u64), Error> {
    let reading = |error| Error::reading(path)(error);
    // Opening a pipe would wait for its writer; a link of a set may lead elsewhere.
    let (metadata, kind) = match len {
        Some(_) => (path.symlink_metadata(), ErrorKind::Damaged),
        None => (path.metadata(), ErrorKind::Input),
    };
    let metadata = metadata.map_err(|error| match error.kind() {
        // A shard that its manifest names.
        io::ErrorKind::NotFound => Error::about(kind, path, error),
        _ => reading(error),
    })?;
    if !metadata.is_file() {
        return Err(Error::about(kind, path, "must be a plain file"));
    }
    let file = File::open(path).map_err(reading)?;
    let actual = file.metadata().map_err(reading)?.len();
    match len {
        Some(len) if len != actual => {
            let reason = format_args!("the length in bytes must be {len}, got {actual}");
            Err(Error::about(ErrorKind::Damaged, path, reason))
        }
        _ => Ok((file, actual)),
    }
}

impl Bytes {
    /// Gets the bytes of a file, which must be this many if a length is given.
    pub(crate) fn of(path: &Path, access: Access, len: Option<u64>) -> Result<Self, Error> {
        let reading = |error| Error::reading(path)(error);
        let (mut file, actual) = open_file(path, len)?;
        // Nothing cannot be mapped.
        if access == Access::Map && actual > 0 {
            return Mapped::new(&file).map(Self::Mapped).map_err(reading);
        }
        let mut bytes = Vec::new();
        let capacity = usize::try_from(actual).unwrap_or(usize::MAX);
        let no_memory = |_| {
            Error::about(
                ErrorKind::Input,
                path,
                format_args!("no memory for {actual} bytes"),
            )
        };
        bytes.try_reserve_exact(capacity).map_err(no_memory)?;
        file.read_to_end(&mut bytes).map_err(reading)?;
        Ok(Self::Read(bytes))
    }
}

/// A stored filter, opened for queries.
///
/// ```
/// use filter_sets::{Builder, Filter, Format, Size};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("fruit.filter");
/// let format = Format::named("ribbon")?;
/// let mut building = Builder::new(format.clone(), Size::Rate(0.01)).start(folder.path())?;
/// for fruit in ["apple", "banana"] {
///     building.insert(fruit.as_bytes())?;
/// }
/// building.write_file(&path, &|_| true)?;
///
/// let filter = Filter::from_bytes(Some(&format), std::fs::read(&path)?)?;
/// assert!(filter.may_contain(b"apple"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Filter {
    format: Format,
    stored: Stored,
}

enum Stored {
    Policy(OwnedFilter<AnyPolicy, Bytes>),
    Elements(Box<dyn Elements>),
}

impl Filter {
    /// Takes the bytes of a stored filter; without a format, the bytes must tell it, and the keys must be bytes or UTF-8.
    ///
    /// # Errors
    ///
    /// [`Input`](ErrorKind::Input) if the bytes do not tell the format, or are no filter of it. (Policies read any bytes.)
    pub fn from_bytes(format: Option<&Format>, bytes: Vec<u8>) -> Result<Self, Error> {
        Self::new(format, Bytes::Read(bytes)).map_err(Error::input)
    }

    /// Opens a file that is a stored filter.
    ///
    /// # Errors
    ///
    /// The errors of [`from_bytes`](Self::from_bytes) and of the system.
    pub fn open(path: &Path, format: Option<&Format>, access: Access) -> Result<Self, Error> {
        Self::new(format, Bytes::of(path, access, None)?)
            .map_err(|reason| Error::about(ErrorKind::Input, path, reason))
    }

    pub(crate) fn new(format: Option<&Format>, bytes: Bytes) -> Result<Self, String> {
        let slice = bytes.as_ref();
        let told = Format::of_prefix(slice, slice.len() as u64);
        let told = told.map(|told| told.with_encoding(Encoding::BYTES));
        let format = format.cloned().or(told).ok_or_else(|| {
            let names: Vec<_> = Format::short_names().collect();
            let names = names.join(", ");
            format!("its bytes do not tell the format, which must be given: one of {names}")
        })?;
        let stored = match format.read(slice)? {
            Some(filter) => Stored::Elements(filter),
            None => match format.policy(BitsPerKey::whole(10)) {
                Some(policy) => Stored::Policy(OwnedFilter::new(policy, bytes)),
                None => return Err(format!("{} is no policy", format.name())),
            },
        };
        Ok(Self { format, stored })
    }

    /// Returns the format.
    pub const fn format(&self) -> &Format {
        &self.format
    }

    /// Returns whether the filter may contain the key; false is certain.
    pub fn may_contain(&self, key: &[u8]) -> bool {
        match &self.stored {
            Stored::Policy(filter) => filter.may_match(key),
            Stored::Elements(filter) => filter.contains(filter.hash(key)),
        }
    }

    /// Returns whether the filter may contain each key, in the order of the keys: faster than one by one in filters that
    /// are larger than the processor's caches, whose lines are fetched ahead.
    pub fn may_contain_many(&self, keys: &[&[u8]]) -> Vec<bool> {
        match &self.stored {
            Stored::Policy(filter) => {
                let mut words = vec![0; Answers::words_for(keys.len())];
                let mut answers = Answers::new(&mut words);
                // There are enough words.
                let _ = filter.may_match_many(keys, &mut answers);
                answers.iter().collect()
            }
            Stored::Elements(filter) => {
                let hashes: Vec<_> = keys.iter().map(|key| filter.hash(key)).collect();
                filter.contains_each(&hashes)
            }
        }
    }

    /// Returns the rate that the filter's bits or its parameters suggest: the probability that an absent key matches.
    pub fn rate(&self) -> f64 {
        match &self.stored {
            Stored::Policy(filter) => self
                .view(filter.bytes())
                .map_or(1.0, |view| view.false_positive_rate()),
            Stored::Elements(filter) => filter.rate().unwrap_or(1.0),
        }
    }

    fn view<'a>(&self, bytes: &'a [u8]) -> Option<FilterView<'a>> {
        let layout = policies::layout_of(self.format.name().as_bytes())?;
        Some(FilterView::new(layout, bytes))
    }
}

impl std::fmt::Debug for Filter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Filter({})", self.format.name())
    }
}

/// Merges stored filters into one that contains the keys of all, and returns its bytes. The filters must have equal sizes,
/// probe counts, and so on; Ribbon, binary fuse, cuckoo and growing filters cannot be merged.
///
/// # Errors
///
/// [`Input`](ErrorKind::Input) names the first file that cannot be read or does not fit.
pub fn merge(format: Option<&Format>, paths: &[&Path]) -> Result<Vec<u8>, Error> {
    let mut paths = paths.iter();
    let first = paths
        .next()
        .ok_or_else(|| Error::input("there is nothing to merge"))?;
    let mut merged = Filter::open(first, format, Access::Read)?;
    let mut bytes = match &merged.stored {
        Stored::Policy(filter) => filter.bytes().to_vec(),
        Stored::Elements(_) => Vec::new(),
    };
    for path in paths {
        let other = Bytes::of(path, Access::Read, None)?;
        let other = other.as_ref();
        let done = match &mut merged.stored {
            Stored::Elements(filter) => filter.merge(other),
            Stored::Policy(_) => merged.merge_bits(&mut bytes, other),
        };
        done.map_err(|reason| Error::about(ErrorKind::Input, path, reason))?;
    }
    if let Stored::Elements(filter) = &merged.stored {
        filter.write(&mut bytes).map_err(Error::input)?;
    }
    Ok(bytes)
}

impl Filter {
    /// Sets the bits of a Bloom filter that are set in another.
    fn merge_bits(&self, bits: &mut [u8], other: &[u8]) -> Result<(), String> {
        let name = self.format.name();
        let bloom = |bytes| self.view(bytes).filter(|view| view.probe_count().is_some());
        let (Some(one), Some(another)) = (bloom(bits), bloom(other)) else {
            return Err(format!(
                "only Bloom filters can be merged, and this is none ({name})"
            ));
        };
        let len = one.bit_array().len();
        // The rest tells the probes.
        if bits.len() != other.len() || bits.get(len..) != other.get(another.bit_array().len()..) {
            return Err(format!(
                "filters that are merged must have equal sizes and probe counts, got {} and {} bytes with {} and {} probes",
                bits.len(),
                other.len(),
                one.probe_count().unwrap_or_default(),
                another.probe_count().unwrap_or_default(),
            ));
        }
        for (bits, other) in bits[..len].iter_mut().zip(other) {
            *bits |= other;
        }
        Ok(())
    }
}
