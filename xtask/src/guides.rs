//! Follows the guides: runs their commands in an empty folder, and compares the output with the guides.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io, thread};

use crate::cargo::{JAVA, failed, output_of};
use crate::needs;

const GUIDES: &str = "crates/docs/guides";

/// Follows all guides at once, since each waits for programs most of the time.
pub(crate) fn follow(root: &Path) -> Result<(), String> {
    let unread = |error: io::Error| failed(GUIDES, error);
    let guides = fs::read_dir(root.join(GUIDES)).map_err(unread)?;
    let guides = guides.map(|entry| entry.map(|entry| entry.path()));
    let guides: Vec<PathBuf> = guides.collect::<Result<_, _>>().map_err(unread)?;
    if guides.is_empty() {
        return Err(failed(GUIDES, "no guides"));
    }
    thread::scope(|scope| {
        let started = guides
            .iter()
            .map(|guide| scope.spawn(move || follow_one(root, guide)));
        // All start before the first is waited for.
        let started: Vec<_> = started.collect();
        let panicked = |_| Err(failed(GUIDES, "a thread panicked"));
        let mut ended = started
            .into_iter()
            .map(|guide| guide.join().unwrap_or_else(panicked));
        ended.try_for_each(|result| result)
    })
}

/// Follows a guide. The programs that it installs, examples among them, and Python's packages, are those of the tests.
fn follow_one(root: &Path, guide: &Path) -> Result<(), String> {
    let wrong = |reason: &str| failed(guide.strip_prefix(root).unwrap_or(guide).display(), reason);
    let text = fs::read_to_string(guide).map_err(|error| wrong(&error.to_string()))?;
    let guide = Guide::parse(&text).map_err(|reason| wrong(&reason))?;
    for (file, text) in &guide.examples {
        let example = fs::read_to_string(root.join(file)).map_err(|error| failed(file, error))?;
        if !format!("\n{example}").contains(&format!("\n{text}")) {
            return Err(wrong(&format!("{file} must have the lines that are shown")));
        }
    }
    let Guide { script, printed, .. } = guide;
    // Blocks that are not run name files, too.
    for place in text.split("$CHECKOUT/").skip(1) {
        let place = place.split(['"', '`', ' ', '\n']).next().unwrap_or_default();
        if !root.join(place).exists() {
            return Err(wrong(&format!("{place} does not exist")));
        }
    }
    let target = needs::target(root);
    let python = [needs::MODULE, needs::LIBRARIES.0].map(|folder| target.join(folder));
    let python = std::env::join_paths(python).map_err(|error| wrong(&error.to_string()))?;
    let folder = tempfile::tempdir().map_err(|error| wrong(&error.to_string()))?;
    let mut shell = Command::new("bash");
    shell
        .args(["-euo", "pipefail", "-c", &script])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .env("CHECKOUT", root)
        .env("CARGO_TARGET_DIR", &target)
        .env("PYTHONPATH", &python)
        .env("PATH", needs::search_path(root)?)
        .envs([JAVA]);
    let output = output_of(&mut shell).map_err(|_| wrong("a command failed"))?;
    let output = String::from_utf8_lossy(&output);
    let is_missing = |line: &&&str| !output.lines().any(|other| other == **line);
    match printed.iter().find(is_missing) {
        Some(line) => Err(wrong(&format!("{line:?} must be printed, got\n{output}"))),
        None => Ok(()),
    }
}

/// A guide as a program.
#[derive(Debug, Default, PartialEq)]
struct Guide<'t> {
    /// The `sh` blocks, and commands that write the files of `file=NAME` blocks, in order.
    script: String,
    /// The lines of `text` blocks that follow "prints".
    printed: Vec<&'t str>,
    /// The `example=PATH` blocks: the path of an example in the repository, and lines that it must have.
    examples: Vec<(&'t str, String)>,
}

impl<'t> Guide<'t> {
    fn parse(text: &'t str) -> Result<Self, String> {
        let mut guide = Self::default();
        let mut lines = text.lines();
        let mut before = "";
        while let Some(line) = lines.next() {
            let Some(kind) = line.strip_prefix("```") else {
                if !line.is_empty() {
                    before = line;
                }
                continue;
            };
            let mut block = Vec::new();
            loop {
                match lines.next() {
                    Some("```") => break,
                    Some(line) => block.push(line),
                    None => return Err(format!("the block {kind:?} has no end")),
                }
            }
            let text = block.join("\n") + "\n";
            if let Some((_, file)) = kind.split_once(" file=") {
                guide.script += &format!("cat > {file} <<'END OF FILE'\n{text}END OF FILE\n");
            } else if let Some((_, example)) = kind.split_once(" example=") {
                guide.examples.push((example, text));
            } else if kind == "sh" {
                guide.script += &text;
            } else if kind == "text" && before.ends_with("prints") {
                guide.printed.extend(block);
            }
        }
        if guide.script.is_empty() {
            return Err("there is no command in it".to_owned());
        }
        Ok(guide)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guide_is_its_commands_files_and_output() {
        let text = "Do\n\n```sh\ncd a\n```\n```rust file=src/main.rs\nfn main() {}\n```\n```rust\nleft out\n```\n\
                    ```rust example=a/b.rs\n    part\n```\nIt prints\n\n```text\none\ntwo\n```\nSee\n```text\nother\n```\n";
        assert_eq!(
            Guide::parse(text).unwrap(),
            Guide {
                script: "cd a\ncat > src/main.rs <<'END OF FILE'\nfn main() {}\nEND OF FILE\n".to_owned(),
                printed: vec!["one", "two"],
                examples: vec![("a/b.rs", "    part\n".to_owned())],
            }
        );
        assert!(Guide::parse("no command").is_err());
        assert!(Guide::parse("```sh\ntrue").is_err());
    }
}
