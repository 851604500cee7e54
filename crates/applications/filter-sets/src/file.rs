//! A file that may have a filter: opened once, whatever it is.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use membership_filters::envelope;

use crate::bytes::{Access, FilterData, Opening};
use crate::contents::{FilterContents, check, header_of, recognised};
use crate::error::{Error, ensure};
use crate::ffi::Mapped;
use crate::filter::StoredFilter;
use crate::format::StoredFormat;
use crate::header::Header;

/// A plain file that is open, and whose first bytes show whether it has a filter. The file is not opened again, neither
/// to read the filter nor, by [`into_file`](Self::into_file), to read it as something else.
///
/// ```
/// use filter_sets::{Builder, Opening, Size, StoredFile, StoredFormat};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("fruit.filter");
/// let mut building = Builder::new(StoredFormat::named("guava")?, Size::Rate(0.01)).raw_file(&path)?;
/// building.insert("apple")?;
/// building.finish(&|_| true)?;
///
/// let file = StoredFile::open(&path)?;
/// assert!(file.is_filter() && file.header().is_none());
/// assert_eq!(file.format().map(StoredFormat::name), Some("guava"));
/// assert!(file.filter(None, Opening::default())?.contains("apple"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct StoredFile {
    path: PathBuf,
    file: File,
    /// The length of the file.
    len: u64,
    head: Vec<u8>,
    /// The header, if the file begins with one, or the reason why it is damaged.
    header: Result<Option<Header>, Error>,
    format: Option<StoredFormat>,
}

impl StoredFile {
    /// The length in bytes of the longest [`head`](Self::head).
    const HEAD: u64 = Header::LEN as u64 + 2 * envelope::HEADER_LEN;

    /// Opens a file and reads its first bytes. A pipe is not opened, because that would wait for its writer.
    ///
    /// # Errors
    ///
    /// [`NotFound`](Error::NotFound), [`WrongFormat`](Error::WrongFormat) if it is no plain file,
    /// [`Read`](Error::Read).
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let metadata = path.metadata().map_err(Error::reading(path))?;
        ensure(metadata.is_file(), || "must be a plain file".to_owned())
            .map_err(|reason| Error::wrong_format(Some(path), reason))?;
        Self::read(path)
    }

    /// Opens a file of a set, which must have the header that follows from the manifest.
    pub(crate) fn open_shard(path: &Path, expected: &Header) -> Result<Self, Error> {
        let damaged = |reason| Error::damaged(Some(path), reason);
        // A link may lead elsewhere.
        let metadata = path.symlink_metadata().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Error::damaged(Some(path), error),
            _ => Error::reading(path)(error),
        })?;
        ensure(metadata.is_file(), || "must be a plain file".to_owned()).map_err(damaged)?;
        let file = Self::read(path)?;
        if let Ok(header) = &file.header {
            let foreign = || Error::argument("must begin with the header of a filter, got other bytes");
            let header = header.as_ref().ok_or_else(foreign);
            header
                .and_then(|header| header.check_is(expected))
                .map_err(damaged)?;
        }
        Ok(file)
    }

    fn read(path: &Path) -> Result<Self, Error> {
        let reading = |error| Error::reading(path)(error);
        let mut file = File::open(path).map_err(reading)?;
        let len = file.metadata().map_err(reading)?.len();
        let mut head = Vec::new();
        let first = (&mut file).take(Self::HEAD).read_to_end(&mut head);
        first.map_err(reading)?;
        let header = header_of(&head, len);
        let format = header.as_ref().ok().and_then(|header| {
            let start = header.as_ref().map_or(0, |_| Header::LEN);
            recognised(header.as_ref(), &head[start..], len - start as u64)
        });
        Ok(Self {
            path: path.to_path_buf(),
            file,
            len,
            head,
            header,
            format,
        })
    }

    /// Returns true if the file begins with a header, even a damaged one, or the first bytes identify the format.
    pub fn is_filter(&self) -> bool {
        Header::begins(&self.head) || self.format.is_some()
    }

    /// Returns the header; none if the file has none or a damaged one.
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref().ok().and_then(Option::as_ref)
    }

    /// Returns the format that the header or the first bytes state, with the encoding of keys that the bytes state. Pass
    /// it to [`filter`](Self::filter) only if the keys are of that kind.
    pub const fn format(&self) -> Option<&StoredFormat> {
        self.format.as_ref()
    }

    /// Returns the first bytes of the file: 288, or all of a shorter one.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Returns the open file, at any position.
    pub fn into_file(self) -> File {
        self.file
    }

    /// Reads the filter. A format is given as to [`StoredFilter::from_bytes`].
    ///
    /// # Errors
    ///
    /// The errors of [`StoredFilter::from_bytes`] and of the system.
    pub fn filter(self, format: Option<&StoredFormat>, opening: Opening) -> Result<StoredFilter, Error> {
        let path = self.path.clone();
        let contents = self.contents(opening)?;
        StoredFilter::single(format, contents).map_err(|error| Error::of_contents(Some(&path), error))
    }

    /// Reads or maps the filter's bytes. Compares their checksum if `opening` requires it and the file has one.
    pub(crate) fn contents(mut self, opening: Opening) -> Result<FilterContents, Error> {
        let path = &self.path;
        let reading = |error| Error::reading(path)(error);
        let damaged = |error| Error::damaged(Some(path), error);
        let header = self.header.map_err(damaged)?;
        let start = header.as_ref().map_or(0, |_| Header::LEN);
        let len = self.len - start as u64;
        let bytes = if opening.access == Access::Map && len > 0 {
            FilterData::mapped(Mapped::new(&self.file).map_err(reading)?, start)
        } else {
            let mut bytes = Vec::new();
            let reason = format!("no memory for {len} bytes");
            let refused = |_| reading(io::Error::new(io::ErrorKind::OutOfMemory, reason));
            let capacity = usize::try_from(len).unwrap_or(usize::MAX);
            bytes.try_reserve_exact(capacity).map_err(refused)?;
            bytes.extend_from_slice(&self.head[start..]);
            self.file.read_to_end(&mut bytes).map_err(reading)?;
            FilterData::new(bytes)
        };
        if let Some(header) = &header {
            check(header, bytes.as_ref(), opening.verify).map_err(damaged)?;
        }
        Ok(FilterContents {
            header,
            format: self.format,
            bytes,
        })
    }
}

impl StoredFilter {
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
        StoredFile::open(path)?.filter(format, opening)
    }
}
