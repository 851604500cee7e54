//! The bytes of a file with a filter: read or mapped, after a header or without one.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::error::{Error, ensure};
use crate::ffi::Mapped;
use crate::header::Header;

/// The access to a file: read into memory, or mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// Reads the bytes into memory. Later changes of the file do no harm.
    #[default]
    Read,
    /// Maps the file: the system reads what queries need, and processes share it. The caller promises that no process
    /// writes into the file or truncates it while it is open: truncating a mapped file crashes its readers with SIGBUS.
    /// Builders of this crate replace files and never do so. Formats that are not policies are read into memory
    /// nevertheless, because their words are big-endian or checked.
    Map,
}

/// The options for opening a file or a set.
#[derive(Debug, Clone, Copy)]
pub struct Opening {
    /// The access to the bytes.
    pub access: Access,
    /// Set to compare the checksums of filters, which reads every byte. Otherwise only headers and lengths are checked,
    /// and a changed byte of a filter may deny stored keys.
    pub verify: bool,
}

impl Default for Opening {
    /// Reads the bytes and compares the checksums.
    fn default() -> Self {
        Self {
            access: Access::Read,
            verify: true,
        }
    }
}

/// The bytes of a stored filter: all of a file, or what follows its header.
#[derive(Clone)]
pub(crate) struct FilterData {
    all: Backing,
    start: usize,
}

#[derive(Clone)]
enum Backing {
    Read(Vec<u8>),
    Mapped(Mapped),
}

impl AsRef<[u8]> for FilterData {
    fn as_ref(&self) -> &[u8] {
        let all = match &self.all {
            Backing::Read(bytes) => bytes,
            Backing::Mapped(bytes) => bytes.as_ref(),
        };
        all.get(self.start..).unwrap_or_default()
    }
}

/// A file with a filter, positioned at the filter's first byte.
pub(crate) struct OpenedFile {
    pub(crate) header: Option<Header>,
    pub(crate) file: File,
    /// The length of the stored filter.
    pub(crate) len: u64,
}

impl OpenedFile {
    /// Opens a plain file. A file of a set must have the header that follows from its manifest.
    pub(crate) fn open(path: &Path, expected: Option<&Header>) -> Result<Self, Error> {
        let reading = |error| Error::reading(path)(error);
        let damaged = |error| Error::damaged(Some(path), error);
        // Opening a pipe would wait for its writer; a link of a set may lead elsewhere.
        let metadata = match expected {
            Some(_) => path.symlink_metadata(),
            None => path.metadata(),
        };
        let metadata = metadata.map_err(|error| match error.kind() {
            // A shard that its manifest names.
            io::ErrorKind::NotFound if expected.is_some() => Error::damaged(Some(path), error),
            _ => reading(error),
        })?;
        if !metadata.is_file() {
            let reason = "must be a plain file";
            return Err(match expected {
                Some(_) => Error::damaged(Some(path), reason),
                None => Error::wrong_format(Some(path), reason),
            });
        }
        let mut file = File::open(path).map_err(reading)?;
        let actual = file.metadata().map_err(reading)?.len();
        let mut head = Vec::with_capacity(Header::LEN);
        let head_len = Header::LEN as u64;
        (&mut file)
            .take(head_len)
            .read_to_end(&mut head)
            .map_err(reading)?;
        let header = header_of(&head, actual).map_err(damaged)?;
        if let Some(expected) = expected {
            let foreign = || Error::argument("must begin with the header of a filter, got other bytes");
            let header = header.as_ref().ok_or_else(foreign);
            header
                .and_then(|header| header.check_is(expected))
                .map_err(damaged)?;
        }
        let start = header.as_ref().map_or(0, |_| head_len);
        file.seek(SeekFrom::Start(start)).map_err(reading)?;
        let len = actual - start;
        Ok(Self { header, file, len })
    }

    /// Returns the filter's bytes. Compares their checksum if `opening` requires it and the file has one.
    pub(crate) fn bytes(
        mut self,
        path: &Path,
        opening: Opening,
    ) -> Result<(Option<Header>, FilterData), Error> {
        let reading = |error| Error::reading(path)(error);
        let bytes = if opening.access == Access::Map && self.len > 0 {
            let start = self.header.as_ref().map_or(0, |_| Header::LEN);
            let all = Backing::Mapped(Mapped::new(&self.file).map_err(reading)?);
            FilterData { all, start }
        } else {
            let mut bytes = Vec::new();
            let reason = format!("no memory for {} bytes", self.len);
            let refused = |_| reading(io::Error::new(io::ErrorKind::OutOfMemory, reason));
            let capacity = usize::try_from(self.len).unwrap_or(usize::MAX);
            bytes.try_reserve_exact(capacity).map_err(refused)?;
            self.file.read_to_end(&mut bytes).map_err(reading)?;
            FilterData::new(bytes)
        };
        if let Some(header) = &self.header {
            check(header, bytes.as_ref(), opening.verify)
                .map_err(|error| Error::damaged(Some(path), error))?;
        }
        Ok((self.header, bytes))
    }
}

impl FilterData {
    /// Takes the bytes of a filter.
    pub(crate) const fn new(bytes: Vec<u8>) -> Self {
        let all = Backing::Read(bytes);
        Self { all, start: 0 }
    }

    /// Takes the bytes of a file that are in memory.
    pub(crate) fn of(bytes: Vec<u8>) -> Result<(Option<Header>, Self), Error> {
        let header = header_of(&bytes, bytes.len() as u64)?;
        let start = header.as_ref().map_or(0, |_| Header::LEN);
        let bytes = Self {
            start,
            ..Self::new(bytes)
        };
        if let Some(header) = &header {
            check(header, bytes.as_ref(), true)?;
        }
        Ok((header, bytes))
    }
}

/// Reads the header of a file of this length, if there is one.
fn header_of(head: &[u8], len: u64) -> Result<Option<Header>, Error> {
    if !Header::begins(head) {
        let is_displaced = Header::is_displaced(&head[..head.len().min(Header::LEN)]);
        let text = || "its header must be at the beginning, unchanged, got other bytes there".to_owned();
        return ensure(!is_displaced, text).map(|()| None);
    }
    let header = Header::from_bytes(head)?;
    // It has a header of this length.
    let (expected, got) = (header.bytes, len.saturating_sub(Header::LEN as u64));
    ensure(expected == got, || {
        format!("the length in bytes after the header must be {expected} as the header states, got {got}")
    })?;
    Ok(Some(header))
}

fn check(header: &Header, bytes: &[u8], verify: bool) -> Result<(), Error> {
    // It may have changed since it was opened.
    let (expected, got) = (header.bytes, bytes.len() as u64);
    ensure(expected == got, || {
        format!("the filter's length in bytes must be {expected}, got {got}")
    })?;
    let (expected, got) = (&header.sha256, verify.then(|| hex::encode(Sha256::digest(bytes))));
    ensure(got.as_ref().is_none_or(|got| got == expected), || {
        let got = got.as_deref().unwrap_or_default();
        format!("the filter's checksum must be {expected} as in the header, got {got}")
    })
}

/// A writer that counts and hashes the bytes.
#[derive(Default)]
pub(crate) struct Sum {
    pub(crate) bytes: u64,
    hash: Sha256,
}

impl Sum {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.hash.update(bytes);
    }

    /// Returns the SHA-256 in hexadecimal digits.
    pub(crate) fn sha256(self) -> String {
        hex::encode(self.hash.finalize())
    }
}

impl Write for Sum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
