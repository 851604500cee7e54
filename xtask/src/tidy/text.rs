//! Rules for every hand-written text file.

use super::{Offence, Source};

/// Forbidden texts and reasons. Written in halves, so that this file does not contain them.
#[rustfmt::skip]
const FORBIDDEN: [(&str, &str); 4] = [
    (concat!("/wo", "rk/"), "a path of one machine"),
    (concat!("/ro", "ot/"), "a path of one machine"),
    (concat!("/ho", "me/"), "a path of one machine"),
    (concat!("/tm", "p/"), "a path of one machine; use tempfile"),
];

/// Returns true for hand-written files, which are neither data nor generated.
pub(super) fn is_ours(path: &str) -> bool {
    let data = path.starts_with("bench-data/") && !path.ends_with(".toml");
    let generated = ["/tests/data/", "/snapshots/", "/golden/"]
        .iter()
        .any(|folder| path.contains(folder))
        || path.starts_with("reports/")
        || path.ends_with("Cargo.lock");
    let name = path.rsplit('/').next().unwrap_or(path);
    let text = match name.rsplit_once('.') {
        Some(("", _)) | None => true,
        Some((_, extension)) => [
            "rs", "toml", "md", "yml", "yaml", "sh", "c", "cc", "h", "html", "css", "java", "js",
        ]
        .contains(&extension),
    };
    text && !data && !generated && !name.starts_with("LICENSE")
}

pub(super) fn check(source: &Source) -> Vec<Offence> {
    let mut offences = Vec::new();
    for (index, line) in source.text.split('\n').enumerate() {
        let mut offence = |rule: String| offences.push(Offence::new(&source.path, index + 1, rule));
        if line.ends_with([' ', '\t', '\r']) {
            offence("trailing white space".to_owned());
        }
        for (word, why) in FORBIDDEN {
            if line.contains(word) {
                offence(format!("forbidden: {word:?}: {why}"));
            }
        }
    }
    offences
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offences(text: &str) -> Vec<String> {
        check(&Source::new("a.md", text))
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn clean_text_passes() {
        assert!(offences("one\n\ntwo\n").is_empty());
        assert!(offences("").is_empty());
    }

    #[test]
    fn white_space_is_found() {
        assert_eq!(offences("one\ntwo \n"), ["a.md:2: trailing white space"]);
        assert_eq!(offences("one\r\n"), ["a.md:1: trailing white space"]);
    }

    #[test]
    fn every_forbidden_word_is_found() {
        for (word, why) in FORBIDDEN {
            let found = offences(&format!("fine\nnot {word} fine\n"));
            assert_eq!(found, [format!("a.md:2: forbidden: {word:?}: {why}")]);
        }
    }

    #[test]
    fn data_is_left_alone() {
        for path in [
            "xtask/src/main.rs",
            ".ci/run",
            ".gitignore",
            "bench-data/datasets.toml",
            "README.md",
        ] {
            assert!(is_ours(path), "{path}");
        }
        for path in [
            "bench-data/app-accounts/words.txt",
            "bench-data/app-accounts/README.linux.words",
            "crates/hashzoo/tests/data/README.md",
            "crates/plots/fonts/Roboto-Bold.subset.ttf",
            "xtask/tests/snapshots/help.snap",
            "reports/reference/index.html",
            "LICENSE-APACHE",
        ] {
            assert!(!is_ours(path), "{path}");
        }
    }
}
