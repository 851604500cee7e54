//! The bytes of a filter: read or mapped, after a header or without one.

use std::io::{self, Write};

use sha2::{Digest as _, Sha256};

use crate::error::{Error, ensure};
use crate::ffi::Mapped;
use crate::format::StoredFormat;
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

/// A filter's bytes, and what states its format.
pub(crate) struct FilterContents {
    pub(crate) header: Option<Header>,
    /// The format that the header or the first bytes state, if it is known.
    pub(crate) format: Option<StoredFormat>,
    pub(crate) bytes: FilterData,
}

impl FilterData {
    /// Takes the bytes of a filter.
    pub(crate) const fn new(bytes: Vec<u8>) -> Self {
        let all = Backing::Read(bytes);
        Self { all, start: 0 }
    }

    /// Takes the bytes of a mapped file from this place on.
    pub(crate) const fn mapped(bytes: Mapped, start: usize) -> Self {
        let all = Backing::Mapped(bytes);
        Self { all, start }
    }
}

impl FilterContents {
    /// Takes the bytes of a file that are in memory.
    pub(crate) fn of(bytes: Vec<u8>) -> Result<Self, Error> {
        let header = header_of(&bytes, bytes.len() as u64)?;
        let start = header.as_ref().map_or(0, |_| Header::LEN);
        let bytes = FilterData {
            start,
            ..FilterData::new(bytes)
        };
        let stored = bytes.as_ref();
        if let Some(header) = &header {
            check(header, stored, true)?;
        }
        Ok(Self {
            format: recognised(header.as_ref(), stored, stored.len() as u64),
            header,
            bytes,
        })
    }
}

/// Returns the format that a header or the first bytes of a filter of this length state, if it is known.
pub(crate) fn recognised(header: Option<&Header>, head: &[u8], len: u64) -> Option<StoredFormat> {
    match header {
        Some(header) => StoredFormat::stated(&header.format, head, len).ok(),
        None => StoredFormat::of_prefix(head, len),
    }
}

/// Reads the header of a file of this length, if there is one.
pub(crate) fn header_of(head: &[u8], len: u64) -> Result<Option<Header>, Error> {
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

pub(crate) fn check(header: &Header, bytes: &[u8], verify: bool) -> Result<(), Error> {
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
