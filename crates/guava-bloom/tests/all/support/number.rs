//! Numbers of JSON, to the last digit.

/// A number of a JSON line as it is written there: JSON parsers need not give the nearest double.
pub(crate) fn number<'a>(line: &'a str, field: &str) -> &'a str {
    let key = format!("\"{field}\":");
    let start = line.find(&key).unwrap_or_else(|| panic!("no {field} in {line}")) + key.len();
    let end = line[start..].find([',', '}']).unwrap();
    &line[start..start + end]
}
