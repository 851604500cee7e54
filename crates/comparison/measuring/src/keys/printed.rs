//! Keys as text, for records and messages.

use terminal::number::grouped;

/// The longest key that is recorded whole, in characters after escaping.
const KEY_CHARACTERS: usize = 1024;
/// The bytes that are recorded of either end of a longer key.
const END_BYTES: usize = KEY_CHARACTERS / 8;

/// Formats a key for print: UTF-8 without control characters as text, in other keys all bytes escaped that are not printable
/// ASCII, the middle of very long keys left out.
pub fn printed(bytes: &[u8]) -> String {
    // Every character takes at most four bytes, so the middle of a longer key need not be escaped.
    if bytes.len() <= 4 * KEY_CHARACTERS {
        let whole = escaped(bytes);
        if whole.chars().count() <= KEY_CHARACTERS {
            return whole;
        }
    }
    let is_start = |&at: &usize| bytes[at] & 0xc0 != 0x80;
    let end = bytes.len() - END_BYTES;
    // Whole characters, where the bytes are text.
    let start = (END_BYTES - 3..=END_BYTES).rfind(is_start).unwrap_or(END_BYTES);
    let end = (end..end + 4).find(is_start).unwrap_or(end);
    format!(
        "{}…{} ({} bytes)",
        escaped(&bytes[..start]),
        escaped(&bytes[end..]),
        grouped(bytes.len() as u64)
    )
}

fn escaped(bytes: &[u8]) -> String {
    let text = std::str::from_utf8(bytes).ok();
    match text.filter(|text| !text.contains(char::is_control)) {
        Some(text) => text.escape_debug().to_string(),
        None => bytes.escape_ascii().to_string(),
    }
}
