//! Keys in lines: one rule for all programs, so that a file of keys means the same to each of them.

/// Returns the key of a line: its bytes without the end, which is LF or CR LF. A CR anywhere else belongs to the key, also
/// at the end of a last line without LF. Adds one to `dropped` for a CR of an end.
///
/// ```
/// use records::lines::{key, note};
///
/// let mut dropped = 0;
/// let keys = [&b"a\n"[..], b"b\r\n", b"c\r\r\n", b"\r"].map(|line| key(line, &mut dropped));
/// assert_eq!(keys, [&b"a"[..], b"b", b"c\r", b"\r"]);
/// assert_eq!(note("keys.txt", dropped).unwrap(), "keys.txt: 2 carriage returns before line feeds belong to no key");
/// ```
#[inline]
pub fn key<'a>(line: &'a [u8], dropped: &mut u64) -> &'a [u8] {
    let Some(line) = line.strip_suffix(b"\n") else {
        return line;
    };
    let key = line.strip_suffix(b"\r");
    *dropped += u64::from(key.is_some());
    key.unwrap_or(line)
}

/// Returns what a program reports on standard error after it has read a source of keys, if CRs were dropped.
pub fn note(source: &str, dropped: u64) -> Option<String> {
    let (ends, belong) = match dropped {
        0 => return None,
        1 => ("1 carriage return before a line feed".to_owned(), "belongs"),
        _ => (
            format!(
                "{} carriage returns before line feeds",
                crate::number::grouped(dropped)
            ),
            "belong",
        ),
    };
    Some(format!("{source}: {ends} {belong} to no key"))
}
