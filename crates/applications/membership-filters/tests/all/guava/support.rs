//! Exact numbers from JSON.

/// Returns the text of a number in a JSON line, because JSON parsers may not return the nearest double.
pub(crate) fn number<'a>(line: &'a str, field: &str) -> &'a str {
    let key = format!("\"{field}\":");
    let start = line.find(&key).unwrap_or_else(|| panic!("no {field} in {line}")) + key.len();
    let end = line[start..].find([',', '}']).unwrap();
    &line[start..start + end]
}
