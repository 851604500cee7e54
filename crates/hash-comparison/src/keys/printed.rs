//! Keys as text, for records and messages.

use records::number::grouped;

/// The longest key that is recorded whole, in characters after escaping.
const KEY_CHARACTERS: usize = 1024;

/// Formats a key for print: bytes that are not printable ASCII escaped, the middle of very long keys left out.
pub fn printed(bytes: &[u8]) -> String {
    let escaped = |part: &[u8]| part.escape_ascii().to_string();
    let ends = KEY_CHARACTERS / 2;
    // Every byte takes at least one character, so the middle of a longer key need not be escaped.
    if bytes.len() <= KEY_CHARACTERS {
        let whole = escaped(bytes);
        if whole.len() <= KEY_CHARACTERS {
            return whole;
        }
    }
    // Counts the bytes that fit, so that no escape is cut.
    let fitting = |bytes: &mut dyn Iterator<Item = &u8>| {
        let mut room = ends;
        bytes
            .take_while(|byte| {
                let taken = room.checked_sub(byte.escape_ascii().len());
                room = taken.unwrap_or(0);
                taken.is_some()
            })
            .count()
    };
    let start = &bytes[..fitting(&mut bytes.iter())];
    let end = &bytes[bytes.len() - fitting(&mut bytes.iter().rev())..];
    format!(
        "{}…{} ({} bytes)",
        escaped(start),
        escaped(end),
        grouped(bytes.len() as u64)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_safe_to_print_and_whole_up_to_a_limit() {
        assert_eq!(printed(b""), "");
        assert_eq!(printed(b"na\xc3\xafve \x1b[31m"), "na\\xc3\\xafve \\x1b[31m");
        assert_eq!(printed(&[b'a'; 1024]), "a".repeat(1024));
        assert_eq!(printed(&[0; 256]), "\\x00".repeat(256));
        let long = printed(&[b'a'; 1_000_000]);
        let half = "a".repeat(512);
        assert_eq!(long, format!("{half}…{half} (1,000,000 bytes)"));
        // 511 characters of room left for an escape of four: the escape stays out, never in part.
        let mut bytes = vec![b'a'];
        bytes.extend([0; 299]);
        let start = format!("a{}", "\\x00".repeat(127));
        assert_eq!(
            printed(&bytes),
            format!("{start}…{} (300 bytes)", "\\x00".repeat(128))
        );
    }
}
