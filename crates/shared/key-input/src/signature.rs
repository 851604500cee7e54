//! What a source is by its first bytes: compressed, text in lines, or a form of which a command makes lines.

/// A compression that is read as its contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compression {
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstandard,
}

use Compression::{Gzip, Zstandard};

/// The first bytes of compressed files. Zstandard's can begin with a frame to skip, as `pzstd` writes.
const COMPRESSED: [(&[u8], Compression); 3] = [
    (b"\x1f\x8b\x08", Gzip),
    (b"\x28\xb5\x2f\xfd", Zstandard),
    (b"\x50\x2a\x4d\x18", Zstandard),
];

/// The first bytes of other forms, their names, and the commands that make lines of them.
const OTHERS: [(&[u8], &str, &str); 5] = [
    (
        b"PAR1\x15",
        "a Parquet file",
        "`duckdb -csv -c \"select * from 'FILE'\"`, to be read with --column",
    ),
    (b"BZh91AY&SY", "compressed by bzip2", "`bzip2 -dc FILE`"),
    (b"\xfd7zXZ\0", "compressed by xz", "`xz -dc FILE`"),
    (b"\x04\x22\x4d\x18", "compressed by LZ4", "`lz4 -dc FILE`"),
    (b"PK\x03\x04", "a ZIP archive", "`unzip -p FILE`"),
];

/// Returns true if more bytes decide what the source is.
pub(crate) fn is_undecided(start: &[u8]) -> bool {
    let compressed = COMPRESSED.iter().map(|(magic, _)| *magic);
    let mut all = compressed.chain(OTHERS.iter().map(|(magic, ..)| *magic));
    all.any(|magic| magic.len() > start.len() && magic.starts_with(start))
}

/// Returns the compression of a file with these first bytes.
pub(crate) fn compression(start: &[u8]) -> Option<Compression> {
    let found = COMPRESSED.iter().find(|(magic, _)| start.starts_with(magic));
    found.map(|(_, compression)| *compression)
}

/// Describes contents that are not keys in text, with the command that makes lines of them; `end` is the byte that ends
/// keys.
pub(crate) fn other_form(start: &[u8], end: u8) -> Option<String> {
    let other = OTHERS.iter().find(|(magic, ..)| start.starts_with(magic));
    let (what, command) = match other {
        Some(&(_, what, command)) => (what, command),
        None if is_utf_16(start, end) => ("UTF-16", "`iconv -f UTF-16 -t UTF-8 FILE`"),
        None if are_records(start, end) => (
            "binary data without lines",
            "`xxd -p -c LENGTH FILE` of records of this length, to be read with --type binary",
        ),
        None => return None,
    };
    Some(format!(
        "must have one key per line, but it is {what}: make lines by {command}"
    ))
}

/// The byte order mark of UTF-8.
pub(crate) const MARK: &[u8] = b"\xef\xbb\xbf";

/// The bytes in which a form is looked for.
const SAMPLE: usize = 4096;

/// Looks for a mark, or for a zero in one place of each two, which most letters of most languages have.
fn is_utf_16(data: &[u8], end: u8) -> bool {
    let start = &data[..data.len().min(SAMPLE)];
    let zeros = |first: usize| {
        let bytes = start.iter().skip(first).step_by(2);
        bytes.filter(|byte| **byte == 0).count()
    };
    let (even, odd) = (zeros(0), zeros(1));
    let is_marked = [b"\xff\xfe", b"\xfe\xff"]
        .iter()
        .any(|mark| start.starts_with(*mark));
    is_marked && even + odd > 0
        || end != 0 && even.min(odd) < start.len() / 16 && even.max(odd) > start.len() / 3
}

/// Looks for many control characters and few ends, as numbers and random bytes have.
fn are_records(data: &[u8], end: u8) -> bool {
    let start = data.get(..SAMPLE).unwrap_or_default();
    let ends = start.iter().filter(|byte| **byte == end).count();
    let controls = start
        .iter()
        .filter(|byte| matches!(**byte, 0..=8 | 14..=26))
        .count();
    ends < SAMPLE / 128 && controls > SAMPLE / 16
}
