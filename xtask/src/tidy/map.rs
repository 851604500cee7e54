//! Checks the table of changes in the map, which names every file that its examples touch.

use super::{Offence, Source};

const MAP: &str = "crates/ARCHITECTURE.md";
const HEADING: &str = "## Where a change goes";
/// Endings of source files; other files are generated or prose.
const WRITTEN: [&str; 5] = [".rs", ".toml", ".html", ".js", ".css"];

/// A line of the table.
struct Change<'a> {
    line: usize,
    what: &'a str,
    /// Words of an earlier change of this kind. No other source mentions the first.
    examples: Vec<&'a str>,
    files: Vec<&'a str>,
}

/// Checks the map against the sources.
///
/// `paths` are all files of the workspace, `sources` the texts among them.
pub(super) fn check(paths: &[String], sources: &[Source]) -> Vec<Offence> {
    let Some(map) = sources.iter().find(|source| source.path == MAP) else {
        return vec![Offence::new(MAP, 0, "map: is not there")];
    };
    let changes = changes(&map.text);
    if changes.is_empty() {
        return vec![Offence::new(MAP, 0, format!("map: no table under {HEADING:?}"))];
    }
    changes
        .iter()
        .flat_map(|change| offences(change, paths, sources))
        .collect()
}

fn changes(map: &str) -> Vec<Change<'_>> {
    let lines = map.lines().enumerate();
    let table = lines.skip_while(|(_, line)| *line != HEADING).skip(1);
    table
        .take_while(|(_, line)| !line.starts_with("## "))
        .filter_map(|(index, line)| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let &[_, what, examples, files, _check, _] = &cells[..] else {
                return None;
            };
            let files = quoted(files);
            (!files.is_empty()).then_some(Change {
                line: index + 1,
                what,
                examples: quoted(examples),
                files,
            })
        })
        .collect()
}

/// Returns the texts between backticks.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

fn offences(change: &Change<'_>, paths: &[String], sources: &[Source]) -> Vec<Offence> {
    let mut offences = Vec::new();
    for file in &change.files {
        let source = sources.iter().find(|source| source.path == *file);
        let told = |source: &Source| change.examples.iter().any(|word| mentions(&source.text, word));
        let wrong = if !paths.iter().any(|path| path == file) {
            Some("is not there".to_owned())
        } else if !change.examples.is_empty() && source.is_some_and(|source| !told(source)) {
            Some(format!("mentions none of {}", change.examples.join(", ")))
        } else {
            None
        };
        offences.extend(wrong.map(|wrong| Offence::new(MAP, change.line, format!("map: {file} {wrong}"))));
    }
    let Some(example) = change.examples.first() else {
        return offences;
    };
    let unnamed = sources.iter().filter(|source| {
        WRITTEN.iter().any(|ending| source.path.ends_with(ending))
            && !change.files.contains(&source.path.as_str())
            && mentions(&source.text, example)
    });
    offences.extend(unnamed.map(|source| {
        let rule = format!(
            "map: mentions {example}, the example of {}; let it iterate a table, or add it to {MAP}",
            change.what
        );
        Offence::new(&source.path, 0, rule)
    }));
    offences
}

/// Returns true if `text` contains `word` as a whole word.
fn mentions(text: &str, word: &str) -> bool {
    let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    text.match_indices(word).any(|(start, _)| {
        let before = start.checked_sub(1).and_then(|index| text.as_bytes().get(index));
        !is_part(before) && !is_part(text.as_bytes().get(start + word.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_map(row: &str, others: &[(&str, &str)]) -> Vec<String> {
        let map = format!(
            "{HEADING}\n\n| change | example | files | check |\n|---|---|---|---|\n{row}\n\n## Next\n"
        );
        let mut sources = vec![Source::new(MAP, &map)];
        sources.extend(others.iter().map(|(path, text)| Source::new(*path, *text)));
        let paths: Vec<String> = sources.iter().map(|source| source.path.clone()).collect();
        check(&paths, &sources).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_file_that_the_map_does_not_name_is_caught() {
        let row = "| a hash | `reversal` | `a.rs`, `mod.rs` | `cargo test` |";
        let named = [
            ("a.rs", "fn reversal()"),
            ("mod.rs", "mod reversal;"),
            ("b.rs", "reversal_tail"),
        ];
        assert!(with_map(row, &named).is_empty());
        let more = [
            named[0],
            named[1],
            ("c.rs", "use reversal;"),
            ("notes.md", "reversal"),
        ];
        let offences = with_map(row, &more);
        assert_eq!(offences.len(), 1, "{offences:?}");
        assert!(
            offences[0].starts_with("c.rs: map: ")
                && offences[0].ends_with("add it to crates/ARCHITECTURE.md")
        );
    }

    #[test]
    fn a_file_that_is_gone_or_beside_the_point_is_caught() {
        let row = "| a hash | `reversal` | `a.rs`, `gone.rs` | |";
        let offences = with_map(row, &[("a.rs", "nothing")]);
        assert_eq!(offences.len(), 2, "{offences:?}");
        assert!(
            offences
                .iter()
                .all(|offence| offence.starts_with("crates/ARCHITECTURE.md:5: map: "))
        );
    }

    #[test]
    fn a_map_without_a_table_is_caught() {
        assert_eq!(with_map("", &[]).len(), 1);
    }
}
