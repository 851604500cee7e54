//! Looking things up by name, with a hint when there is no such name.

use std::fmt;

/// A name that nothing has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownName {
    /// What was looked for: `dataset` or `function`.
    pub kind: &'static str,
    /// The name.
    pub name: String,
    /// The names most like it, nearest first; empty where none is much like it.
    pub nearest: Vec<String>,
}

/// How many near names a message offers.
const OFFERED: usize = 3;
/// What is less like the name is no help: `md5` is as near to `djb2` as to `DEKHash`.
const LEAST_LIKE: f64 = 0.65;

impl UnknownName {
    /// `name` against all names of its kind; of equally near ones the earlier comes first.
    pub fn new<'a>(kind: &'static str, name: &str, all: impl IntoIterator<Item = &'a str>) -> Self {
        let wanted = name.to_ascii_lowercase();
        let mut near: Vec<(f64, &str)> = all
            .into_iter()
            .map(|candidate| {
                (
                    strsim::jaro_winkler(&wanted, &candidate.to_ascii_lowercase()),
                    candidate,
                )
            })
            .collect();
        near.retain(|(likeness, _)| *likeness >= LEAST_LIKE);
        near.sort_by(|a, b| b.0.total_cmp(&a.0));
        Self {
            kind,
            name: name.to_owned(),
            nearest: near
                .into_iter()
                .take(OFFERED)
                .map(|(_, candidate)| candidate.to_owned())
                .collect(),
        }
    }
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no {} is called {:?}", self.kind, self.name)?;
        if let Some((last, others)) = self.nearest.split_last() {
            if others.is_empty() {
                f.write_str("; the nearest is ")?;
            } else {
                write!(f, "; the nearest are {} and ", others.join(", "))?;
            }
            f.write_str(last)?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownName {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_come_first_in_the_message() {
        let unknown = UnknownName::new(
            "function",
            "murmur3",
            ["SDBMHash", "MurMurHash2", "MurmurHash3", "PJW"],
        );
        assert_eq!(
            unknown.to_string(),
            "no function is called \"murmur3\"; the nearest are MurmurHash3 and MurMurHash2"
        );
        let one = UnknownName::new("dataset", "videos\n", ["video-ids", "x"]);
        assert_eq!(
            one.to_string(),
            "no dataset is called \"videos\\n\"; the nearest is video-ids"
        );
    }

    #[test]
    fn what_is_not_like_any_name_gets_no_hint() {
        for name in ["md5", "", "python"] {
            let unknown = UnknownName::new("function", name, ["djb2", "DEKHash", "BKDRHash", "SDBMHash"]);
            assert_eq!(unknown.nearest, [""; 0]);
            assert_eq!(unknown.to_string(), format!("no function is called {name:?}"));
        }
    }
}
