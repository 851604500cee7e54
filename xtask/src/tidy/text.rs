//! Tells hand-written files from data.

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

#[cfg(test)]
mod tests {
    use super::*;

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
            "xtask/tests/cli/snapshots/help.snap",
            "reports/reference/index.html",
            "LICENSE-APACHE",
        ] {
            assert!(!is_ours(path), "{path}");
        }
    }
}
