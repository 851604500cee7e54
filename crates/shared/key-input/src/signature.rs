//! Recognises a source by its first bytes: as compressed, as text in lines, or as a form of which a command makes lines.

/// A compression that is read as its contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compression {
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstandard,
}

use Compression::{Gzip, Zstandard};

/// The first bytes of compressed files.
const COMPRESSED: [(&[u8], Compression); 2] = [(b"\x1f\x8b\x08", Gzip), (b"\x28\xb5\x2f\xfd", Zstandard)];

/// The end of the magic number of frames to skip, with which files of Zstandard, as those of `pzstd`, and of LZ4 can
/// begin.
const SKIPPED: &[u8] = b"\x2a\x4d\x18";

/// The first bytes of LZ4's frames.
pub(crate) const LZ4: &[u8] = b"\x04\x22\x4d\x18";

/// The place and the bytes of the magic numbers of other forms, their names, and the commands that make lines of them.
const OTHERS: [(usize, &[u8], &str, &str); 7] = [
    (
        0,
        b"PAR1\x15",
        "a Parquet file",
        "`duckdb -csv -c \"select * from 'FILE'\"`, to be read with --column",
    ),
    (0, b"BZh91AY&SY", "compressed by bzip2", "`bzip2 -dc FILE`"),
    (0, b"\xfd7zXZ\0", "compressed by xz", "`xz -dc FILE`"),
    (0, LZ4, "compressed by LZ4", "`lz4 -dc FILE`"),
    (0, b"PK\x03\x04", "a ZIP archive", "`unzip -p FILE`"),
    (257, b"ustar\x0000", "a tar archive", TAR),
    (257, b"ustar  \0", "a tar archive", TAR),
];

const TAR: &str = "`tar -xOf FILE`, `tar -xOzf FILE` if compressed";

/// Returns true if more bytes decide what the source is.
pub(crate) fn is_undecided(start: &[u8]) -> bool {
    let compressed = COMPRESSED.iter().map(|(magic, _)| *magic);
    let others = OTHERS
        .iter()
        .filter(|(at, ..)| *at == 0)
        .map(|(_, magic, ..)| *magic);
    let is_begun = |magic: &[u8]| magic.len() > start.len() && magic.starts_with(start);
    compressed.chain(others).any(is_begun)
        || start.len() <= SKIPPED.len()
            && start
                .split_first()
                .is_some_and(|(first, rest)| first >> 4 == 5 && SKIPPED.starts_with(rest))
}

/// Returns the compression of a file with these first bytes. Frames to skip may be those of LZ4.
pub(crate) fn compression(start: &[u8]) -> Option<Compression> {
    if let [0x50..=0x5f, rest @ ..] = start
        && rest.starts_with(SKIPPED)
    {
        return Some(Zstandard);
    }
    let found = COMPRESSED.iter().find(|(magic, _)| start.starts_with(magic));
    found.map(|(_, compression)| *compression)
}

/// Describes contents that are not keys in text, with the command that makes lines of them.
pub(crate) fn other_form(start: &[u8]) -> Option<String> {
    if let Some(inner) = compression(start) {
        let (name, command) = match inner {
            Gzip => ("gzip", "gzip"),
            Zstandard => ("Zstandard", "zstd"),
        };
        return Some(format!(
            "must have one key per line, but it is compressed twice, inside by {name}: decompress it once, and `{command} -dc` \
             reads what is then there"
        ));
    }
    let is_here = |at: usize, magic| start.get(at..).is_some_and(|rest| rest.starts_with(magic));
    let (_, _, what, command) = OTHERS.iter().find(|(at, magic, ..)| is_here(*at, magic))?;
    Some(format!(
        "must have one key per line, but it is {what}: make lines by {command}"
    ))
}

/// The byte order mark of UTF-8.
pub(crate) const MARK: &[u8] = b"\xef\xbb\xbf";

/// Describes a line with a zero byte, which no text has, by its start.
pub(crate) fn not_text(line: &[u8]) -> String {
    let is_marked = |marks: [&[u8]; 2]| marks.iter().any(|mark| line.starts_with(mark));
    let (what, command) = if is_marked([b"\xff\xfe\0\0", b"\0\0\xfe\xff"]) || has_letters(line, 4) {
        ("UTF-32", "`iconv -f UTF-32 -t UTF-8 FILE`")
    } else if is_marked([b"\xff\xfe", b"\xfe\xff"]) || has_letters(line, 2) {
        ("UTF-16", "`iconv -f UTF-16 -t UTF-8 FILE`")
    } else {
        (
            "binary data",
            "`xxd -p -c LENGTH FILE` of records of this length, to be read with --type binary",
        )
    };
    format!(
        "must be text without zero bytes: --null reads keys that end with one; otherwise it is {what}: make lines by {command}. \
         Any bytes are keys as hexadecimal digits with --type binary"
    )
}

/// Returns true if most units of so many bytes are a character of ASCII with zero bytes before or after it.
fn has_letters(line: &[u8], length: usize) -> bool {
    let is_letter = |unit: &&[u8]| {
        let [first, .., last] = **unit else { return false };
        let zeros = unit.iter().filter(|byte| **byte == 0).count();
        zeros == length - 1 && matches!(first | last, b'\t'..=b'\r' | b' '..=b'~')
    };
    let units = line.chunks_exact(length);
    let letters = units.clone().filter(is_letter).count();
    2 * letters > units.len().max(2)
}
