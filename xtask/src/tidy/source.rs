//! Rules for Rust files.

use super::{Offence, Source};

/// Longest file that needs no reason, lines.
const LONG: usize = 500;
/// The comment with the reason of a longer file.
const REASON: &str = "// tidy: long file: ";
/// Words with which the first sentence of documentation may not begin: it says what a thing is or does, with a verb.
const CLAUSES: [&str; 4] = ["What ", "Whether ", "How ", "Who "];
/// The keyword, in halves, so that this file does not contain it.
const UNSAFE: &str = concat!("un", "safe");
/// The folders that may hold such code: the kernels, and a program with its own entry point.
const KERNELS: &str = "crates/filter-kernels/src/";
const FREESTANDING: &str = "crates/filter-formats/freestanding/";

pub(super) fn check(source: &Source) -> Vec<Offence> {
    let mut offences = Vec::new();
    let mut offence = |line, rule: String| offences.push(Offence::new(&source.path, line, rule));
    let lines = source.text.lines().count();
    if lines > LONG && !source.text.contains(REASON) {
        let advice = format!("split the file, or say why not: `{REASON}...`");
        offence(lines, format!("{lines} lines: {advice}"));
    }
    if !documented(&source.text) {
        offence(1, "no `//!` that says what the file holds".to_owned());
    }
    let mut before = "";
    for (index, line) in source.text.lines().map(str::trim_start).enumerate() {
        if let (Some(sentence), None) = (documentation(line), documentation(before))
            && CLAUSES.iter().any(|clause| sentence.starts_with(clause))
        {
            offence(
                index + 1,
                "the first sentence of documentation is a subordinate clause".to_owned(),
            );
        }
        before = line;
    }
    if !may_be_unsafe(&source.path) {
        let lines = source.text.lines().enumerate();
        for (index, _) in lines.filter(|(_, line)| lifts(line)) {
            let rule = "only `filter-kernels` and the modules `arch` and `ffi` may hold such code";
            offence(index + 1, format!("{UNSAFE}: {rule}"));
        }
    }
    offences
}

/// Returns the text of a line of documentation.
fn documentation(line: &str) -> Option<&str> {
    let text = ["///", "//!"].iter().find_map(|start| line.strip_prefix(start));
    text.map(str::trim_start)
}

/// Returns true if the first line other than attributes and plain comments documents the file.
fn documented(text: &str) -> bool {
    text.lines()
        .find(|line| !(line.is_empty() || line.starts_with("#!") || (line.starts_with("//") && !line.starts_with("//!"))))
        .is_some_and(|line| line.starts_with("//!"))
        // A crate's documentation may be its README.
        || text.contains("doc = include_str!(")
}

/// Returns true if the file is in a module that may contain such code.
fn may_be_unsafe(path: &str) -> bool {
    path.starts_with(FREESTANDING)
        || path.starts_with(KERNELS)
        || path
            .split('/')
            .any(|part| matches!(part, "arch" | "ffi" | "arch.rs" | "ffi.rs"))
}

/// Returns true if a line lifts the workspace's lint against such code.
fn lifts(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or(line);
    let stays = ["forbid(", "deny("].iter().any(|how| code.contains(how));
    code.contains(&format!("{UNSAFE}_code")) && !stays
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offences(path: &str, text: impl Into<String>) -> Vec<String> {
        check(&Source::new(path, text))
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn a_long_file_needs_a_reason() {
        let long = format!("//! Doc.\n{}", "fn f() {}\n".repeat(LONG));
        let found = offences("x/src/a.rs", long.clone());
        assert_eq!(found.len(), 1);
        assert!(
            found[0].starts_with("x/src/a.rs:501: 501 lines: "),
            "{}",
            found[0]
        );
        assert!(offences("x/src/a.rs", format!("{long}{REASON}one table\n")).is_empty());
    }

    #[test]
    fn a_file_says_what_it_holds() {
        assert!(offences("x/src/a.rs", "#![no_std]\n// Why.\n//! Doc.\nfn f() {}\n").is_empty());
        assert!(
            offences(
                "x/src/lib.rs",
                "#![doc = include_str!(\"../README.md\")]\nfn f() {}\n"
            )
            .is_empty()
        );
        assert_eq!(
            offences("x/src/a.rs", "/// Doc of f.\nfn f() {}\n"),
            ["x/src/a.rs:1: no `//!` that says what the file holds"]
        );
    }

    #[test]
    fn documentation_begins_with_a_sentence() {
        for clause in ["What it is.", "Whether it is.", "How it is.", "Who it is."] {
            let text = format!("//! Doc.\n\n    /// {clause}\n    /// Doc.\n");
            let found = ["x/src/a.rs:3: the first sentence of documentation is a subordinate clause"];
            assert_eq!(offences("x/src/a.rs", text), found, "{clause}");
        }
        assert!(offences("x/src/a.rs", "//! Tells\n//! What it is.\n/// Whatever.\n").is_empty());
    }

    #[test]
    fn lifting_the_lint_is_found() {
        for how in ["allow(", "expect(", "allow(dead_code, "] {
            let text = format!("//! Doc.\n#[{how}{UNSAFE}_code)]\n");
            assert_eq!(offences("x/src/a.rs", text.clone()).len(), 1, "{how}");
            assert!(offences("x/src/arch/sse2.rs", text.clone()).is_empty());
            assert!(offences(&format!("{KERNELS}avx2.rs"), text.clone()).is_empty());
            assert!(offences("x/src/ffi.rs", text).is_empty());
        }
        let harmless = format!("//! Doc.\n#![forbid({UNSAFE}_code)]\n// allow({UNSAFE}_code) would do\n");
        assert!(offences("x/src/a.rs", harmless).is_empty());
    }
}
