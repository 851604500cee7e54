//! The bytes of a filter, read or mapped, and their sums.

use std::io::{self, Write};

use sha2::{Digest as _, Sha256};

use crate::ffi::Mapped;

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

impl FilterData {
    /// Takes the bytes of a filter.
    pub(crate) const fn new(bytes: Vec<u8>) -> Self {
        let all = Backing::Read(bytes);
        Self { all, start: 0 }
    }

    /// Leaves out the first bytes.
    pub(crate) fn after(self, start: usize) -> Self {
        Self { start, ..self }
    }

    /// Takes the bytes of a mapped file from this place on.
    pub(crate) const fn mapped(bytes: Mapped, start: usize) -> Self {
        let all = Backing::Mapped(bytes);
        Self { all, start }
    }
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
