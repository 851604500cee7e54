//! Files mapped into memory: the one place that relies on the system keeping a file's bytes as they are.
#![expect(unsafe_code, reason = "a mapping is bytes that other processes can change")]

use std::fs::File;
use std::io;
use std::sync::Arc;

use memmap2::Mmap;

/// The bytes of a mapped file. The system reads a page when it is used.
#[derive(Clone)]
pub(crate) struct Mapped(Arc<Mmap>);

impl Mapped {
    /// Maps a file that must be neither changed nor truncated as long as the value exists. The caller promises it by
    /// [`Access::Map`](crate::Access::Map).
    pub(crate) fn new(file: &File) -> io::Result<Self> {
        // SAFETY: The builders of this crate never write into a shard that has its name: they write another file and
        // rename it, which leaves the mapped one as it is. The caller who
        // chose `Access::Map` promises that no other program does so; `Access::Read` needs no promise.
        unsafe { Mmap::map(file) }.map(|mapped| Self(Arc::new(mapped)))
    }
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}
