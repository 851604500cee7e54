//! Hadoop's checksums of a file on a local disk: Spark and parquet-java write them to `.NAME.crc` next to `NAME`, and
//! refuse to read a file that differs.
//!
//! A checksum file has the bytes `crc\0`, the number of bytes per checksum, and the CRC-32 of each piece of so many bytes,
//! of which the last may be shorter; all numbers are big-endian. Source: Hadoop 3.4, `ChecksumFileSystem.java`.

use alloc::format;
use core::mem;
use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, BufWriter, Error, ErrorKind, Read, Result, Write};
use std::path::{Path, PathBuf};

use crc32fast::Hasher;

const MAGIC: [u8; 4] = *b"crc\0";

/// Returns the path at which Hadoop looks for the checksums of a file.
pub fn path_for(file: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(file.file_name().unwrap_or_default());
    name.push(".crc");
    file.with_file_name(name)
}

/// Compares stored checksums with a file. Returns the number of bytes per checksum.
///
/// # Errors
///
/// [`ErrorKind::InvalidData`] if the checksums do not fit, and the errors of the readers.
pub fn check(stored: impl Read, file: impl Read) -> Result<u32> {
    let wrong = |reason: &str| Error::new(ErrorKind::InvalidData, reason);
    let (mut stored, mut header) = (BufReader::new(stored), [[0; 4]; 2]);
    let is_read = stored.read_exact(header.as_flattened_mut());
    let bytes = u32::from_be_bytes(header[1]);
    if header[0] != MAGIC || !(1..=i32::MAX as u32).contains(&bytes) || is_read.is_err() {
        return Err(wrong("is no checksum file of Hadoop: remove it"));
    }
    let differs = |at| {
        wrong(&format!(
            "does not fit its file from byte {at} on: remove it if the file is intact"
        ))
    };
    let len = each(file, bytes, |at, sum| {
        let mut expected = [0; 4];
        match stored.read_exact(&mut expected) {
            Ok(()) if expected == sum => Ok(()),
            Err(error) if error.kind() != ErrorKind::UnexpectedEof => Err(error),
            _ => Err(differs(at)),
        }
    })?;
    match stored.fill_buf()? {
        [] => Ok(bytes),
        _ => Err(differs(len)),
    }
}

/// Writes the checksums of a file, of so many bytes each.
///
/// # Panics
///
/// If the number of bytes per checksum is 0.
pub fn write(writer: impl Write, file: impl Read, bytes_per_checksum: u32) -> Result<()> {
    let mut writer = BufWriter::new(writer);
    writer.write_all(&MAGIC)?;
    writer.write_all(&bytes_per_checksum.to_be_bytes())?;
    each(file, bytes_per_checksum, |_, sum| writer.write_all(&sum))?;
    writer.flush()
}

/// Gives the function the place of each piece and its checksum. Returns the length of the file.
fn each(file: impl Read, bytes: u32, mut found: impl FnMut(u64, [u8; 4]) -> Result<()>) -> Result<u64> {
    let (mut file, mut hasher) = (BufReader::with_capacity(1 << 16, file), Hasher::new());
    let (bytes, mut at) = (u64::from(bytes), 0);
    loop {
        let buffer = file.fill_buf()?;
        let left = usize::try_from(bytes - at % bytes).unwrap_or(usize::MAX);
        let piece = buffer.get(..left).unwrap_or(buffer);
        let len = piece.len();
        hasher.update(piece);
        file.consume(len);
        at += len as u64;
        let is_whole = at % bytes == 0;
        // The last piece ends with the file.
        if is_whole == (len > 0) {
            let sum = mem::take(&mut hasher).finalize();
            found((at - 1) / bytes * bytes, sum.to_be_bytes())?;
        }
        if len == 0 {
            return Ok(at);
        }
    }
}
