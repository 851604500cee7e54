//! Keys as text, for records and messages.

use records::number::grouped;

/// The longest key that is recorded whole, in characters after escaping.
const KEY_CHARACTERS: usize = 1024;

/// Formats a key for print: bytes that are not printable ASCII escaped, the middle of very long keys left out.
pub fn printed(bytes: &[u8]) -> String {
    let escaped = |part: &[u8]| part.escape_ascii().to_string();
    // Every byte takes at least one character, so the middle of a longer key need not be escaped.
    if bytes.len() <= KEY_CHARACTERS {
        let whole = escaped(bytes);
        if whole.len() <= KEY_CHARACTERS {
            return whole;
        }
    }
    // No byte takes more than four characters.
    let (start, end) = (
        &bytes[..KEY_CHARACTERS / 8],
        &bytes[bytes.len() - KEY_CHARACTERS / 8..],
    );
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
        let end = "a".repeat(128);
        assert_eq!(long, format!("{end}…{end} (1,000,000 bytes)"));
        let end = "\\x00".repeat(128);
        assert_eq!(printed(&[0; 257]), format!("{end}…{end} (257 bytes)"));
    }
}
