//! The name of the program, since two programs share these commands.

use std::path::{Path, PathBuf};
use std::process::Command;

use records::terminal::with_words;

/// A program with these commands. In help texts, `{program}` stands for its name and `{out}` for its folder.
#[derive(Debug, Clone)]
pub struct Program {
    /// The name as typed on the command line.
    pub name: &'static str,
    /// The default folder of a run.
    pub out: PathBuf,
    /// The default folder in words.
    pub out_words: &'static str,
}

/// Set by `cargo xtask` to the workspace's folder: the program then acts as the workspace's own command.
const WORKSPACE: &str = "HASH_COMPARISON_WORKSPACE";

impl Program {
    /// Returns the program as it was started: installed, or by `cargo xtask`.
    pub fn started() -> Self {
        match std::env::var_os(WORKSPACE) {
            Some(root) => Self {
                name: "cargo xtask",
                out: PathBuf::from(root).join("reports").join("latest"),
                out_words: "reports/latest in the workspace",
            },
            None => Self::installed(Path::new("")),
        }
    }

    /// Returns the installed program `hash-comparison`, run in the folder `here`.
    pub fn installed(here: &Path) -> Self {
        const OUT: &str = "hash-comparison-report";
        Self {
            name: "hash-comparison",
            out: here.join(OUT),
            out_words: OUT,
        }
    }

    /// Returns the folder of the committed run.
    pub fn reference(&self) -> PathBuf {
        root().join("reports").join("reference")
    }

    /// Returns the file that shows the committed run to who opens the repository.
    pub fn readme(&self) -> PathBuf {
        root().join("README.md")
    }

    /// Returns the commit of the workspace, with `-dirty` if files were changed, or `None` elsewhere or without git.
    pub fn commit(&self) -> Option<String> {
        let mut git = Command::new("git");
        git.arg("-C").arg(std::env::var_os(WORKSPACE)?);
        let described = git
            .args(["describe", "--always", "--dirty", "--exclude", "*", "--abbrev=12"])
            .output()
            .ok()?;
        let text = String::from_utf8(described.stdout).ok()?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// Returns the command line as it was typed, with this program's name.
    pub fn typed(&self) -> String {
        [self.name.to_owned()]
            .into_iter()
            .chain(words(1))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Returns `command` with this program's words in its help texts and in those of its subcommands.
    pub fn named(&self, command: clap::Command) -> clap::Command {
        let words = |text: String| {
            text.replace("{program}", self.name)
                .replace("{out}", self.out_words)
        };
        with_words(command, &words)
    }
}

/// Returns the workspace's folder, or the current one.
fn root() -> PathBuf {
    std::env::var_os(WORKSPACE).map(PathBuf::from).unwrap_or_default()
}

/// Returns the command line of this process.
pub fn typed() -> String {
    words(0).collect::<Vec<_>>().join(" ")
}

/// Returns the words of the command line from this one on, for a shell.
fn words(first: usize) -> impl Iterator<Item = String> {
    std::env::args_os()
        .skip(first)
        .map(|word| quoted(&word.to_string_lossy()))
}

/// Quotes `text` as one word of a shell.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=+,@%:".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn words_of_a_shell_are_quoted() {
        let words = ["", "a-b.txt", "my keys", "it's"].map(super::quoted);
        assert_eq!(words, ["''", "a-b.txt", "'my keys'", r"'it'\''s'"]);
    }
}
