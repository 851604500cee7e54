//! Rules for Rust files.

use super::{Offence, Source};

/// Longest file that needs no reason, lines.
const LONG: usize = 500;
/// How a longer file gives its reason.
const REASON: &str = "// tidy: long file: ";
/// Names that say nothing of what a file holds.
const NAMELESS: [&str; 3] = ["utils.rs", "util.rs", "helpers.rs"];
/// The keyword, in halves, so that this file does not hold it.
const UNSAFE: &str = concat!("un", "safe");
/// Has its own entry point, which cannot be had in safe code.
const FREESTANDING: &str = "crates/filter-policy/freestanding/";

/// Checks one Rust file.
pub(super) fn check(source: &Source) -> Vec<Offence> {
    let mut offences = Vec::new();
    let lines = source.text.lines().count();
    if lines > LONG && !source.text.contains(REASON) {
        offences.push(Offence::new(
            &source.path,
            lines,
            format!("{lines} lines: split the file, or say why not: `{REASON}...`"),
        ));
    }
    if !documented(&source.text) {
        offences.push(Offence::new(
            &source.path,
            1,
            "no `//!` that says what the file holds",
        ));
    }
    if NAMELESS
        .iter()
        .any(|name| source.path.rsplit('/').next() == Some(name))
    {
        offences.push(Offence::new(
            &source.path,
            0,
            "the name does not say what the file holds",
        ));
    }
    if !may_be_unsafe(&source.path) {
        for (index, line) in source.text.lines().enumerate() {
            if is_unsafe(line) {
                offences.push(Offence::new(
                    &source.path,
                    index + 1,
                    format!("{UNSAFE}: only the modules `arch` and `ffi` may hold such code"),
                ));
            }
        }
    }
    offences
}

/// Whether the first line that is no attribute and no plain comment is documentation of the file.
fn documented(text: &str) -> bool {
    text.lines()
        .find(|line| !(line.is_empty() || line.starts_with("#!") || (line.starts_with("//") && !line.starts_with("//!"))))
        .is_some_and(|line| line.starts_with("//!"))
        // A crate's documentation may be its README.
        || text.contains("doc = include_str!(")
}

/// Whether the file lies in a module that may hold such code.
fn may_be_unsafe(path: &str) -> bool {
    path.starts_with(FREESTANDING)
        || path
            .split('/')
            .any(|part| matches!(part, "arch" | "ffi" | "arch.rs" | "ffi.rs"))
}

fn is_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or(line);
    let lifted = ["allow", "expect"]
        .iter()
        .any(|how| code.contains(&format!("{how}({UNSAFE}_code")));
    let used = code.match_indices(UNSAFE).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + UNSAFE.len()..]);
        !before.ends_with(|c: char| c.is_alphanumeric() || c == '_')
            && [" {", " fn", " impl", " trait", " extern", "("]
                .iter()
                .any(|follow| after.starts_with(follow))
    });
    lifted || used
}

/// Checks that every crate without such modules forbids such code in its root.
pub(super) fn forbids_unsafe(sources: &[Source]) -> Vec<Offence> {
    let mut offences = Vec::new();
    for root in sources {
        let Some(package) = root
            .path
            .strip_suffix("src/lib.rs")
            .or_else(|| root.path.strip_suffix("src/main.rs"))
        else {
            continue;
        };
        // A workspace inside the package's folder is no part of it.
        let own = format!("{package}src/");
        let lifts = sources
            .iter()
            .any(|source| source.path.starts_with(&own) && may_be_unsafe(&source.path));
        if !lifts && !root.text.contains(&format!("#![forbid({UNSAFE}_code)]")) {
            offences.push(Offence::new(
                &root.path,
                1,
                format!("no `#![forbid({UNSAFE}_code)]`"),
            ));
        }
    }
    offences
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: impl Into<String>) -> Source {
        Source {
            path: path.to_owned(),
            text: text.into(),
        }
    }

    fn offences(path: &str, text: impl Into<String>) -> Vec<String> {
        check(&source(path, text))
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
        assert_eq!(
            offences("x/src/utils.rs", "//! Doc.\n"),
            ["x/src/utils.rs: the name does not say what the file holds"]
        );
    }

    #[test]
    fn code_that_the_compiler_cannot_check_is_found() {
        for code in [
            "UNSAFE { f() }",
            "UNSAFE fn f()",
            "#[UNSAFE(no_mangle)]",
            "#[expect(UNSAFE_code, reason = \"\")]",
        ] {
            let text = format!("//! Doc.\n{}\n", code.replace("UNSAFE", UNSAFE));
            assert_eq!(offences("x/src/a.rs", text.clone()).len(), 1, "{code}");
            assert!(offences("x/src/arch/sse2.rs", text.clone()).is_empty());
            assert!(offences("x/src/ffi.rs", text).is_empty());
        }
        let harmless =
            format!("//! Doc.\n#![forbid({UNSAFE}_code)]\n// an {UNSAFE} fn would do\nfn f() {{}}\n");
        assert!(offences("x/src/a.rs", harmless).is_empty());
    }

    #[test]
    fn a_crate_forbids_what_it_does_not_need() {
        let bare = source("x/src/lib.rs", "//! Doc.\n");
        let found = forbids_unsafe(&[bare]);
        assert_eq!(found.len(), 1);
        let nested = source("x/inner/src/ffi.rs", "//! Doc.\n");
        let bare = source("x/src/lib.rs", "//! Doc.\n");
        assert_eq!(
            forbids_unsafe(&[bare, nested]).len(),
            1,
            "a workspace inside is not the crate"
        );
        let forbidding = source("x/src/main.rs", format!("//! Doc.\n#![forbid({UNSAFE}_code)]\n"));
        assert!(forbids_unsafe(&[forbidding]).is_empty());
        let lifting = [
            source("x/src/lib.rs", "//! Doc.\n"),
            source("x/src/arch/sse2.rs", "//! Doc.\n"),
        ];
        assert!(forbids_unsafe(&lifting).is_empty());
    }
}
