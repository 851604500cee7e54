//! CSV files whose columns are the fields of a row type: one reader and one writer for all of them.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::document::checksum;
use crate::error::Error;

/// A row: a struct of plain fields, whose names in their order are the first line of the file.
pub trait Row: Serialize + DeserializeOwned {
    /// The names.
    const COLUMNS: &'static [&'static str];
}

/// The maximum size of a file in bytes: ten times the largest file of the largest run.
const MAX_BYTES: u64 = 1 << 28;

/// Reads a regular file of at most `MAX_BYTES`. A pipe is not opened: that would wait for its writer.
///
/// # Errors
///
/// Returns an error if the file is not regular, cannot be read, or is larger.
pub fn bytes_of(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    if !path.metadata().map_err(Error::system(path))?.is_file() {
        return Err(malformed(path, "is not a regular file"));
    }
    let file = File::open(path).map_err(Error::system(path))?;
    file.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(Error::system(path))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(malformed(
            path,
            format!("larger than the {MAX_BYTES} bytes allowed"),
        ));
    }
    Ok(bytes)
}

/// Reads rows from the bytes of a file; `path` is for the message.
///
/// # Errors
///
/// Returns an error if the bytes are not in the form of [`to_bytes`].
pub fn parse<T: Row>(path: &Path, bytes: &[u8]) -> Result<Vec<T>, Error> {
    let header = T::COLUMNS;
    let damaged = |error: csv::Error| malformed(path, reason(error.kind(), header));
    let mut reader = csv::Reader::from_reader(bytes);
    let found = reader.headers().map_err(damaged)?.clone();
    if found.iter().ne(header.iter().copied()) {
        let reason = format!("line 1: the header is not {}", header.join(","));
        return Err(malformed(path, reason));
    }
    let mut rows = Vec::new();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(damaged)? {
        rows.push(record.deserialize(Some(&found)).map_err(damaged)?);
    }
    Ok(rows)
}

/// Returns the error for a file that is not in the form that this program writes.
pub fn malformed(path: &Path, reason: impl Into<String>) -> Error {
    Error::internal(reason).about(path)
}

/// Describes a mistake by its line, counted from 1, and the name of its field.
fn reason(kind: &csv::ErrorKind, header: &[&str]) -> String {
    let line = |position: &Option<csv::Position>| position.as_ref().map_or(0, csv::Position::line);
    match kind {
        csv::ErrorKind::Deserialize { pos, err } => {
            let name = err.field().and_then(|field| header.get(field as usize));
            let field = name.map_or(String::new(), |name| format!(", field {name}"));
            format!("line {}{field}: {}", line(pos), err.kind())
        }
        csv::ErrorKind::UnequalLengths {
            pos,
            expected_len,
            len,
        } => {
            format!("line {}: must have {expected_len} fields, got {len}", line(pos))
        }
        csv::ErrorKind::Utf8 { pos, err } => format!("line {}: {err}", line(pos)),
        other => format!("{other:?}"),
    }
}

/// Writes a file of these rows, and leaves them as every reader of the file sees them. Returns the SHA-256 of the file.
///
/// # Errors
///
/// Returns an error if the file cannot be written.
///
/// # Panics
///
/// Panics if a field of the row type is not a plain value.
pub fn store<T: Row>(path: &Path, rows: &mut Vec<T>) -> Result<String, Error> {
    let bytes = to_bytes(rows);
    std::fs::write(path, &bytes).map_err(Error::system(path))?;
    *rows = parse(path, &bytes)?;
    Ok(checksum(&bytes))
}

/// Returns the bytes of a file of these rows.
///
/// # Panics
///
/// Panics if a field of the row type is not a plain value.
pub fn to_bytes<T: Row>(rows: &[T]) -> Vec<u8> {
    // The header is written by hand: the writer would leave it out of a file without rows.
    let mut writer = csv::WriterBuilder::new()
        .has_headers(false)
        .from_writer(Vec::new());
    let written = writer
        .write_record(T::COLUMNS)
        .and_then(|()| rows.iter().try_for_each(|row| writer.serialize(row)));
    written.expect("rows of plain fields have a CSV form");
    writer.into_inner().expect("memory takes any bytes")
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Fruit {
        name: String,
        #[serde(rename = "seeds")]
        count: Option<u32>,
        #[serde(with = "statistics::significant")]
        grams: f64,
    }

    impl Row for Fruit {
        const COLUMNS: &'static [&'static str] = &["name", "seeds", "grams"];
    }

    fn fruit(name: &str, count: Option<u32>, grams: f64) -> Fruit {
        Fruit {
            name: name.to_owned(),
            count,
            grams,
        }
    }

    fn refusal(text: &str) -> String {
        let error = parse::<Fruit>(Path::new("f.csv"), text.as_bytes()).unwrap_err();
        error.to_string()
    }

    #[test]
    fn what_is_written_is_read() {
        let rows = [fruit("a, \"b\"\n", None, 0.1), fruit("", Some(7), 1.0 / 3.0)];
        let bytes = to_bytes(&rows);
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert_eq!(
            text,
            "name,seeds,grams\n\"a, \"\"b\"\"\n\",,0.1\n,7,0.333333333\n"
        );
        let read: Vec<Fruit> = parse(Path::new("f.csv"), &bytes).unwrap();
        assert_eq!(to_bytes(&read), bytes);
        // Stored rows are as a reader sees them.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f.csv");
        let mut stored = rows.to_vec();
        assert_eq!(store(&path, &mut stored).unwrap(), checksum(&bytes));
        assert_eq!((std::fs::read(path).unwrap(), stored), (bytes, read));
        assert_eq!(to_bytes::<Fruit>(&[]), b"name,seeds,grams\n");
    }

    #[test]
    fn damage_is_told_with_line_and_field() {
        for header in ["", "name,grams,seeds\n"] {
            assert_eq!(
                refusal(header),
                "f.csv: line 1: the header is not name,seeds,grams"
            );
        }
        for (row, expected) in [
            ("fig,1", ": must have 3 fields, got 2"),
            ("fig,1,NaN", ": a number must be finite, got NaN"),
            ("fig,1,-inf", ": a number must be finite, got -inf"),
            ("fig,-1,1", ", field seeds: invalid digit found in string"),
        ] {
            let text = format!("name,seeds,grams\n{row}\n");
            assert_eq!(refusal(&text), format!("f.csv: line 2{expected}"));
        }
    }
}
