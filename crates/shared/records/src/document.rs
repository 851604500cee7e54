//! The main file of a run: JSON with its format, its schema, and the SHA-256 of the run's files, its own included.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;
use terminal::failure::Failure;

use crate::file::{self, checksum, malformed};

/// Name of the file.
pub const RUN: &str = "run.json";

/// The content of the file, with fields `format` and `schema`.
pub trait Document: Serialize + DeserializeOwned + Clone {
    /// The `format` of every file of this kind.
    const FORMAT: &'static str;
    /// The `schema` that this version writes and reads.
    const SCHEMA: u32;

    /// Returns the SHA-256 sums of the run's files by name, lower-case hex.
    fn checksums(&mut self) -> &mut BTreeMap<String, String>;

    /// Checks what the types do not say.
    ///
    /// # Errors
    ///
    /// Returns the reason why the content is not in order.
    fn check(&self) -> Result<(), String>;
}

/// Placeholder for the checksum of the file itself while that checksum is computed.
const UNKNOWN: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Returns the entry for the checksum of the file itself. Quotes in any other text are escaped, so it is unique.
fn of_itself(sum: &str) -> String {
    format!("\"{RUN}\": \"{sum}\"")
}

/// Returns the error for a file that was changed after the run.
pub fn changed(path: &Path) -> Failure {
    let reason = format!(
        "is not what the run wrote: its SHA-256 is not the one in {RUN}; restore the file, or run `compare` again"
    );
    Failure::Changed(reason).about(path)
}

/// Reads the file, and checks that this program wrote it and that nobody changed it.
///
/// # Errors
///
/// Returns an error if the file is missing, unreadable, damaged or changed, if it is of another program or schema, or
/// if its content fails [`Document::check`].
pub fn read<D: Document>(path: &Path) -> Result<D, Failure> {
    parse(path, &file::read(path)?)
}

/// Reads the file from its bytes; `path` is for the message. Fails as [`read`].
pub fn parse<D: Document>(path: &Path, bytes: &[u8]) -> Result<D, Failure> {
    let value: serde_json::Value =
        serde_json::from_slice(bytes).map_err(|e| malformed(path, format!("damaged: not JSON: {e}")))?;
    let foreign = |reason| Err(Failure::Foreign(reason).about(path));
    let format = D::FORMAT;
    let found = value.get("format").and_then(serde_json::Value::as_str);
    if found != Some(format) {
        let found = found.map_or_else(String::new, |other| format!(", got {other:?}"));
        return foreign(format!(
            "not a run of this program: \"format\" must be {format:?}{found}"
        ));
    }
    let (found, read) = (value.get("schema"), D::SCHEMA);
    if found.and_then(serde_json::Value::as_u64) != Some(u64::from(read)) {
        let found = found.map_or_else(|| "none".to_owned(), ToString::to_string);
        return foreign(format!(
            "of another version of this program: this run has schema {found}, and this program reads {read}"
        ));
    }
    // Parsed from the text once more: this error names line and column.
    let mut run: D = serde_json::from_slice(bytes).map_err(|e| malformed(path, format!("damaged: {e}")))?;
    let stored = run.checksums().get(RUN).cloned().unwrap_or_default();
    let text = String::from_utf8_lossy(bytes).replacen(&of_itself(&stored), &of_itself(UNKNOWN), 1);
    if checksum(text.as_bytes()) != stored {
        return Err(changed(path));
    }
    run.check().map_err(|reason| malformed(path, reason))?;
    Ok(run)
}

/// Returns the bytes of the file, with its own checksum: the SHA-256 of the file with zeros in place of that checksum.
///
/// # Panics
///
/// Panics if the content has no JSON form.
pub fn to_bytes<D: Document>(run: &D) -> Vec<u8> {
    let mut run = run.clone();
    run.checksums().insert(RUN.to_owned(), UNKNOWN.to_owned());
    let mut text = serde_json::to_string_pretty(&run).expect("plain fields have a JSON form");
    text.push('\n');
    let sum = checksum(text.as_bytes());
    text.replacen(&of_itself(UNKNOWN), &of_itself(&sum), 1)
        .into_bytes()
}
