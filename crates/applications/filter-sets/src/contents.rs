//! Reads the bytes of a file, which contain a filter of a format, with or without a header.

use sha2::{Digest as _, Sha256};

use crate::bytes::FilterData;
use crate::error::{Error, ensure};
use crate::format::StoredFormat;
use crate::header::Header;

/// A filter's bytes, and what states its format.
pub(crate) struct FilterContents {
    pub(crate) header: Option<Header>,
    /// The format that the header or the first bytes state, if it is known.
    pub(crate) format: Option<StoredFormat>,
    pub(crate) bytes: FilterData,
}

impl FilterContents {
    /// Takes the bytes of a file that are in memory.
    pub(crate) fn of(bytes: Vec<u8>) -> Result<Self, Error> {
        let header = header_of(&bytes, bytes.len() as u64)?;
        let start = header.as_ref().map_or(0, |_| Header::LEN);
        let bytes = FilterData::new(bytes).after(start);
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
