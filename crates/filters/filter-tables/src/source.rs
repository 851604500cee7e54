//! The source of a file's bytes.

use alloc::vec::Vec;

/// The bytes of a table or another file, in memory or elsewhere.
///
/// Implemented for slices and vectors of bytes, and with the feature `std` for files; for an object store it takes a few
/// lines.
#[diagnostic::on_unimplemented(
    message = "a file cannot be read from `{Self}`",
    note = "pass `&[u8]` or `Vec<u8>`, or a `File` with the feature `std`, or implement `ReadAt`"
)]
pub trait ReadAt {
    /// The reason why bytes could not be read.
    type Error;

    /// Returns the number of bytes.
    ///
    /// # Errors
    ///
    /// An error when the size cannot be determined.
    fn size(&self) -> Result<u64, Self::Error>;

    /// Fills the buffer with the bytes that start at `offset`. Never called for bytes beyond [`size`](Self::size).
    ///
    /// # Errors
    ///
    /// An error when fewer bytes than requested are available, for instance because a file has become shorter.
    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), Self::Error>;
}

impl<R: ReadAt + ?Sized> ReadAt for &R {
    type Error = R::Error;

    fn size(&self) -> Result<u64, Self::Error> {
        (**self).size()
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), Self::Error> {
        (**self).read_exact_at(offset, buffer)
    }
}

impl ReadAt for [u8] {
    type Error = PastEnd;

    fn size(&self) -> Result<u64, PastEnd> {
        Ok(self.len() as u64)
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), PastEnd> {
        let bytes = usize::try_from(offset)
            .ok()
            .and_then(|start| self.get(start..start.checked_add(buffer.len())?))
            .ok_or(PastEnd {
                offset,
                len: buffer.len(),
                size: self.len(),
            })?;
        buffer.copy_from_slice(bytes);
        Ok(())
    }
}

impl ReadAt for Vec<u8> {
    type Error = PastEnd;

    fn size(&self) -> Result<u64, PastEnd> {
        self.as_slice().size()
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), PastEnd> {
        self.as_slice().read_exact_at(offset, buffer)
    }
}

/// Reads at places of the file, also from several threads at a time.
#[cfg(all(feature = "std", any(unix, windows)))]
impl ReadAt for std::fs::File {
    type Error = std::io::Error;

    fn size(&self) -> std::io::Result<u64> {
        self.metadata().map(|metadata| metadata.len())
    }

    #[cfg(unix)]
    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self, buffer, offset)
    }

    #[cfg(windows)]
    fn read_exact_at(&self, mut offset: u64, mut buffer: &mut [u8]) -> std::io::Result<()> {
        while !buffer.is_empty() {
            let read = std::os::windows::fs::FileExt::seek_read(self, buffer, offset)?;
            if read == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            offset += read as u64;
            buffer = buffer.get_mut(read..).unwrap_or_default();
        }
        Ok(())
    }
}

/// The error for a read that ends beyond the slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("read must end at byte {size} or before, got {len} bytes at offset {offset}")]
pub struct PastEnd {
    offset: u64,
    len: usize,
    size: usize,
}
