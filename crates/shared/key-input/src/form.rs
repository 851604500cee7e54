//! The options that state the form of keys, which every program that reads keys has.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use terminal::failure::Failure;

use crate::KeyKind;

/// The form in which all sources of a call contain keys.
///
/// Without options a key is the bytes of a line without its end, which is LF or CR LF. A CR anywhere else belongs to the
/// key, also at the end of a last line without LF. An empty line is the empty key. A line must not have a zero byte, which
/// no text has: such keys are given as hexadecimal digits.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, clap::Args)]
#[serde(default, deny_unknown_fields)]
pub struct KeyForm {
    /// The kind of key that a line stands for [default: line]
    #[arg(long = "type", value_name = "KIND", value_enum)]
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<KeyKind>,
    /// Keys end with a zero byte, as those of `find -print0`, and line ends belong to them
    #[arg(long, conflicts_with = "column")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub null: bool,
    /// Keys are in this column of CSV or TSV: a name in the first row, or a number from 1 if the first row has a key, too
    ///
    /// A number beyond the columns of the first row is a name, if one is so called. An empty line is no row and gives no
    /// key; the empty key of a CSV file is "".
    #[arg(long, value_name = "NAME|N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// The delimiter of columns [default: by the name, .csv or .tsv, else the one that the first row has, else comma]
    ///
    /// Quotes enclose fields, but between tabs they belong to the key, so the delimiter decides which keys are read.
    #[arg(long, value_name = "NAME", value_enum, requires = "column")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<Delimiter>,
}

/// The delimiter of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Delimiter {
    /// CSV, whose fields may be in quotes
    Comma,
    /// TSV, which has no quotes
    Tab,
    /// As CSV, with semicolons
    Semicolon,
    /// As CSV, with the sign |
    Pipe,
}

impl Delimiter {
    /// Returns the delimiter that the name of the file, before the extension of a compression, or else the first row shows.
    /// Returns nothing if the row has both.
    pub(crate) fn of(name: &str, row: &[u8]) -> Option<Self> {
        match (row.contains(&b','), row.contains(&b'\t')) {
            _ if Self::of_name(name).is_some() => Self::of_name(name),
            (true, true) => None,
            (false, true) => Some(Self::Tab),
            (_, false) => Some(Self::Comma),
        }
    }

    pub(crate) const fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Tab => b'\t',
            Self::Semicolon => b';',
            Self::Pipe => b'|',
        }
    }

    /// Returns the name on the command line.
    pub(crate) fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Returns the delimiter that would split a row, if this one does not and no quotes are in it.
    pub(crate) fn other(self, row: &[u8]) -> Option<Self> {
        let splits = |one: &&Self| row.contains(&one.byte());
        let others = Self::value_variants().iter().find(splits);
        others
            .copied()
            .filter(|_| !splits(&&self) && !row.contains(&b'"'))
    }

    /// Returns the delimiter of files with such names, if they are of columns.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let ends = [".gz", ".zst"];
        let name = ends
            .iter()
            .find_map(|end| name.strip_suffix(end))
            .unwrap_or(&name);
        if name.ends_with(".csv") {
            Some(Self::Comma)
        } else {
            name.ends_with(".tsv").then_some(Self::Tab)
        }
    }
}

impl KeyForm {
    /// Returns true if keys are lines as they are.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the first line, row or key, if its end is there.
    pub(crate) fn first<'a>(&self, start: &'a [u8]) -> Option<&'a [u8]> {
        let is_end = |byte: &u8| match (&self.column, self.null) {
            (Some(_), _) => is_row_end(byte),
            (None, is_null) => *byte == if is_null { 0 } else { b'\n' },
        };
        let empty = self.column.as_ref().map_or(0, |_| empty_lines(start));
        let end = start[empty..].iter().position(is_end)?;
        Some(&start[empty..empty + end])
    }
}

/// Returns the length of the empty lines before a row.
pub(crate) fn empty_lines(start: &[u8]) -> usize {
    let first = start.iter().position(|byte| !is_row_end(byte));
    first.unwrap_or(start.len())
}

fn is_row_end(byte: &u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Returns the sources of keys that were given, or standard input if there is none.
///
/// # Errors
///
/// Returns an error if standard input is given twice.
pub fn sources(given: &[PathBuf]) -> Result<impl Iterator<Item = &Path>, Failure> {
    let stdin = Path::new("-");
    if given.iter().filter(|path| *path == stdin).count() > 1 {
        return Err(Failure::input("-: is given twice"));
    }
    let stdin = given.is_empty().then_some(stdin);
    Ok(given.iter().map(PathBuf::as_path).chain(stdin))
}
