//! The name of the program, since two programs share these commands.

use std::path::PathBuf;
use std::process::Command;

use terminal::layout::with_words;

/// A program with these commands. In help texts, `{program}` stands for its name and `{out}` for its folder.
#[derive(Debug, Clone)]
pub struct Program {
    /// The workspace's folder, if the program acts as the workspace's own command.
    workspace: Option<PathBuf>,
}

/// Set by `cargo xtask` to the workspace's folder.
const WORKSPACE: &str = "HASH_COMPARISON_WORKSPACE";
/// The default folder of a run of the installed program.
const OUT: &str = "hash-comparison-report";

impl Program {
    /// Returns the program as it was started: installed, or by `cargo xtask`.
    pub fn started() -> Self {
        let workspace = std::env::var_os(WORKSPACE).map(PathBuf::from);
        Self { workspace }
    }

    /// Returns the name as typed on the command line.
    pub fn name(&self) -> &'static str {
        match self.workspace {
            Some(_) => "cargo xtask",
            None => "hash-comparison",
        }
    }

    /// Returns the default folder of a run.
    pub fn out(&self) -> PathBuf {
        match self.workspace {
            Some(_) => self.file("reports").join("latest"),
            None => PathBuf::from(OUT),
        }
    }

    /// Returns a file of the workspace, or else of the current folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.workspace.clone().unwrap_or_default().join(name)
    }

    /// Returns the commit of the workspace, with `-dirty` if files were changed, or `None` elsewhere or without git.
    pub fn commit(&self) -> Option<String> {
        let described = Command::new("git")
            .arg("-C")
            .arg(self.workspace.as_ref()?)
            .args(["describe", "--always", "--dirty", "--exclude", "*", "--abbrev=12"])
            .output()
            .ok()?;
        let text = String::from_utf8(described.stdout).ok()?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// Returns the command line as it was typed, with this program's name.
    pub fn typed(&self) -> String {
        let name = [self.name().to_owned()].into_iter();
        name.chain(words(1)).collect::<Vec<_>>().join(" ")
    }

    /// Returns `command` with this program's words in its help texts and in those of its subcommands.
    pub fn named(&self, command: clap::Command) -> clap::Command {
        let out = match self.workspace {
            Some(_) => "reports/latest in the workspace",
            None => OUT,
        };
        let words = |text: String| text.replace("{program}", self.name()).replace("{out}", out);
        with_words(command, &words)
    }
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
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=+,@%:".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
