//! The committed run: its deterministic files are written again and compared byte by byte.

use std::fs;
use std::path::Path;

use super::{Section, columns};
use crate::page::render;
use crate::questions::{FILES, Records};
use records::error::Error;
use records::{table, terminal};

/// The first difference between a file of the committed run and the file written now.
#[derive(Debug, PartialEq, Eq)]
struct Difference {
    /// The first line that differs, counted from 1.
    line: usize,
    /// That line as committed and as it is now; empty at the end of a file.
    lines: [String; 2],
}

/// Returns the error for a committed run that cannot be read.
pub(super) fn unreadable(error: Error) -> Error {
    Error::internal(format!("committed run: {error}"))
}

/// Compares the deterministic files of `now` with those in `dir`, charts included. Charts that show times are left out.
pub(super) fn section(dir: &Path, committed: &Records, mut now: Records) -> Result<Section, Error> {
    let scratch = tempfile::tempdir().map_err(Error::system(&std::env::temp_dir()))?;
    // Every chart is drawn, which needs times: those of the committed run. All rows pass through their file's form,
    // since charts are drawn from nine digits, and a sixteenth can change the shade of a pixel.
    for file in FILES {
        let bytes = (file.bytes)(if file.timed { committed } else { &now });
        (file.parse)(&mut now, &dir.join(file.name), &bytes).map_err(unreadable)?;
    }
    render::render(&now, scratch.path())?;
    let mut fresh: Vec<(String, Vec<u8>)> = FILES
        .iter()
        .filter(|file| !file.timed)
        .map(|file| (file.name.to_owned(), (file.bytes)(&now)))
        .collect();
    for name in render::deterministic_charts(&now) {
        let path = scratch.path().join(&name);
        let bytes = fs::read(&path).map_err(Error::system(&path))?;
        fresh.push((name, bytes));
    }
    let mut disagreements = Vec::new();
    let rows = fresh.into_iter().map(|(name, fresh)| {
        let stored = table::bytes_of(&dir.join(&name));
        let (state, disagreement) = match stored.map(|stored| difference(&stored, &fresh)) {
            Ok(None) => return [name, "equal".to_owned()],
            Err(_) => (
                "missing".to_owned(),
                format!("{name}: missing in the committed run"),
            ),
            Ok(Some(Difference { line, lines })) => {
                let [committed, now] = lines;
                let told = match name.ends_with(".png") {
                    true => format!("{name}: other bytes than in the committed run"),
                    false => format!("{name}, line {line}: {now:?}, in the committed run {committed:?}"),
                };
                (format!("differs from line {line}"), told)
            }
        };
        disagreements.push(disagreement);
        [name, state]
    });
    let rows: Vec<[String; 2]> = rows.collect();
    let table = terminal::table(columns("file | state"), &[], rows);
    Ok(Section {
        text: format!("\nThe committed run, byte for byte\n{table}\n"),
        disagreements,
    })
}

fn difference(committed: &[u8], now: &[u8]) -> Option<Difference> {
    let lines = |bytes: &[u8]| -> Vec<String> {
        let line = |line: &[u8]| String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned();
        bytes.split(|&byte| byte == b'\n').map(line).collect()
    };
    let both = [committed, now].map(lines);
    let at = (0..both[0].len().max(both[1].len())).find(|&index| both[0].get(index) != both[1].get(index));
    // Lines are cut for print, so the difference may lie beyond.
    let at = at.unwrap_or(0);
    (committed != now).then(|| Difference {
        line: at + 1,
        lines: both.map(|lines| lines.get(at).cloned().unwrap_or_default()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_different_line_is_told() {
        for (committed, now, line, lines) in [
            (&b"a\nb\nc\n"[..], &b"a\nx\nc\n"[..], 2, ["b", "x"]),
            (b"a\nb\n", b"a\nb\nc\n", 3, ["", "c"]),
            (b"a\xff\n", b"a\n", 1, ["a\u{fffd}", "a"]),
        ] {
            let lines = lines.map(str::to_owned);
            assert_eq!(difference(committed, now), Some(Difference { line, lines }));
        }
        assert_eq!(difference(b"a\nb\n", b"a\nb\n"), None);
    }
}
