//! What the program is called, since the commands belong to two of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use filter_tools::commands::with_words;

/// A program with these commands. Help texts name it by `{program}`, and the folder by `{out}`.
#[derive(Debug, Clone)]
pub struct Program {
    /// As people type it.
    pub name: &'static str,
    /// Where a run goes when nobody says where.
    pub out: PathBuf,
    /// The same in words.
    pub out_words: &'static str,
}

/// Set by `cargo xtask` to the workspace's folder: the program then speaks and writes as the workspace's own command.
const WORKSPACE: &str = "HASH_COMPARISON_WORKSPACE";

impl Program {
    /// The program as it was started: installed, or by `cargo xtask`.
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

    /// `hash-comparison`, run in the folder `here`.
    pub fn installed(here: &Path) -> Self {
        const OUT: &str = "hash-comparison-report";
        Self {
            name: "hash-comparison",
            out: here.join(OUT),
            out_words: OUT,
        }
    }

    /// Folder of the committed run.
    pub fn reference(&self) -> PathBuf {
        let root = std::env::var_os(WORKSPACE).map(PathBuf::from).unwrap_or_default();
        root.join("reports").join("reference")
    }

    /// The commit of the workspace, with `-dirty` behind it where files were changed; `None` elsewhere, or without git.
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

    /// `command` with this program's words in its help texts, and in those of its commands.
    pub fn named(&self, command: clap::Command) -> clap::Command {
        let words = |text: String| {
            text.replace("{program}", self.name)
                .replace("{out}", self.out_words)
        };
        with_words(command, &words)
    }
}
