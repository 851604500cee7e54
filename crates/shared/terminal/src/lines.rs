//! Keys in lines: one rule for all programs, so that a file of keys means the same to each of them.

/// Returns the key of a line: its bytes without the end, which is LF or CR LF. A CR anywhere else belongs to the key, also
/// at the end of a last line without LF. Adds one to `dropped` for a CR of an end.
///
/// ```
/// use terminal::lines::{key, note};
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

/// Describes a byte order mark, or text in UTF-16, at the start of a file: both are parts of keys, since a line ends in LF
/// alone.
pub fn encoding(data: &[u8]) -> Option<&'static str> {
    const UTF_16: &str =
        "looks like UTF-16, so that its keys have a zero byte beside each letter; convert it to UTF-8";
    let start = &data[..data.len().min(SAMPLE)];
    let zeros = |first: usize| {
        start
            .iter()
            .skip(first)
            .step_by(2)
            .filter(|byte| **byte == 0)
            .count()
    };
    match start {
        [0xef, 0xbb, 0xbf, ..] => {
            Some("its first key begins with a byte order mark of three bytes; remove it")
        }
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] if start.contains(&0) => Some(UTF_16),
        // Without a mark: most letters of most languages have a zero in one place of the two.
        _ if zeros(0).min(zeros(1)) < start.len() / 16 && zeros(0).max(zeros(1)) > start.len() / 3 => {
            Some(UTF_16)
        }
        _ => None,
    }
}

/// The bytes in which an encoding is looked for.
const SAMPLE: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_that_put_further_bytes_into_keys_are_reported() {
        let utf_16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let cases: [(Vec<u8>, &str); 5] = [
            (utf_16("\u{feff}one\ntwo\n"), "UTF-16"),
            (utf_16("one\ntwo\n"), "UTF-16"),
            ("\u{feff}one\n".into(), "byte order mark"),
            ("one\ntwo\n".into(), ""),
            (vec![0; 9], ""),
        ];
        for (data, expected) in cases {
            let described = encoding(&data).unwrap_or_default();
            assert!(
                described.contains(expected) && described.is_empty() == expected.is_empty(),
                "{described}"
            );
        }
    }
}
