//! The bytes of a file of a run: how they are read, and their checksum.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use terminal::failure::Failure;

/// The maximum size of a file in bytes: ten times the largest file of the largest run.
const MAX_BYTES: u64 = 1 << 28;

/// Reads a regular file of at most `MAX_BYTES`. A pipe is not opened: that would wait for its writer.
///
/// # Errors
///
/// Returns an error if the file is not regular, cannot be read, or is larger.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    if !path.metadata().map_err(Failure::system(path))?.is_file() {
        return Err(malformed(path, "is not a regular file"));
    }
    let file = File::open(path).map_err(Failure::system(path))?;
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(Failure::system(path))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(malformed(
            path,
            format!("larger than the {MAX_BYTES} bytes allowed"),
        ));
    }
    Ok(bytes)
}

/// Returns the SHA-256 in lower-case hex.
pub fn checksum(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Returns the error for a file that is not in the form that this program writes.
pub(crate) fn malformed(path: &Path, reason: impl Into<String>) -> Failure {
    Failure::Internal(reason.into()).about(path)
}
