//! How keys are written: the options of every program that reads keys.

use std::path::{Path, PathBuf};

use crate::KeyKind;

/// How keys are written, in every source of a call.
///
/// Without options a key is the bytes of a line without its end, which is LF or CR LF. A CR anywhere else belongs to the
/// key, also at the end of a last line without LF. An empty line is the empty key.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, clap::Args)]
#[serde(default, deny_unknown_fields)]
pub struct KeyForm {
    /// The kind of key that a line stands for [default: line, or what a filter states]
    #[arg(long = "type", value_name = "KIND", value_enum)]
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<KeyKind>,
    /// Keys end with a zero byte, as those of `find -print0`, and line ends belong to them
    #[arg(long, conflicts_with = "column")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub null: bool,
    /// Keys are in this column of CSV or TSV: a name in the first row, or a number from 1 if the first row has a key, too.
    /// A tab in the first line makes it TSV, which has no quotes
    #[arg(long, value_name = "NAME|N")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
}

impl KeyForm {
    /// Returns true if keys are lines as they are.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Returns the sources of keys that were given, or standard input if there is none.
pub fn sources(given: &[PathBuf]) -> impl Iterator<Item = &Path> {
    let stdin = given.is_empty().then(|| Path::new("-"));
    given.iter().map(PathBuf::as_path).chain(stdin)
}
