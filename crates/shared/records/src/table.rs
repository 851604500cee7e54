//! CSV files of rows: one reader and one writer for all of them.

use std::path::Path;

use csv::StringRecord;
use serde::Serialize;
use serde::de::DeserializeOwned;
use terminal::failure::Failure;

use crate::file::malformed;

/// A row: a struct of plain fields, whose names in their order are the first line of the file.
pub trait Row: Serialize + DeserializeOwned {
    /// The names.
    const COLUMNS: &'static [&'static str];
}

/// Reads rows from the bytes of a file; `path` is for the message.
///
/// # Errors
///
/// Returns an error if the bytes are not in the form of [`to_bytes`].
pub fn parse<T: Row>(path: &Path, bytes: &[u8]) -> Result<Vec<T>, Failure> {
    let fields = StringRecord::from(T::COLUMNS);
    parse_lines(path, T::COLUMNS, bytes, |line| line.deserialize(Some(&fields)))
}

/// Reads the lines of a file with these columns; `read` makes a row of each.
///
/// # Errors
///
/// Returns an error with the line if the bytes are not in the form of [`lines`], or if `read` returns one.
pub fn parse_lines<T>(
    path: &Path,
    columns: &[&str],
    bytes: &[u8],
    mut read: impl FnMut(&StringRecord) -> csv::Result<T>,
) -> Result<Vec<T>, Failure> {
    let damaged = |error: csv::Error| malformed(path, reason(error.kind(), columns));
    let mut reader = csv::Reader::from_reader(bytes);
    if reader.headers().map_err(damaged)? != columns {
        let reason = format!("line 1: the header is not {}", columns.join(","));
        return Err(malformed(path, reason));
    }
    let mut rows = Vec::new();
    let mut line = StringRecord::new();
    while reader.read_record(&mut line).map_err(damaged)? {
        rows.push(read(&line).map_err(damaged)?);
    }
    Ok(rows)
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

/// Returns the bytes of a file of these rows.
///
/// # Panics
///
/// Panics if a field of the row type is not a plain value.
pub fn to_bytes<T: Row>(rows: &[T]) -> Vec<u8> {
    lines(T::COLUMNS, rows)
}

/// Returns the bytes of a file with these columns, whose rows are structs or lists of plain values.
///
/// # Panics
///
/// Panics if a value is not plain, or if a row has another number of them.
pub fn lines<T: Serialize>(columns: &[&str], rows: impl IntoIterator<Item = T>) -> Vec<u8> {
    // The header is written by hand: the writer would leave it out of a file without rows.
    let mut writer = csv::WriterBuilder::new()
        .has_headers(false)
        .from_writer(Vec::new());
    let written = writer
        .write_record(columns)
        .and_then(|()| rows.into_iter().try_for_each(|row| writer.serialize(row)));
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
