//! The committed run. `cargo xtask reproduce` makes it again and compares every byte.

use std::fs;
use std::path::Path;

/// What is written and not committed: for all but the last the checksums in `run.json` stand.
const RAW: [&str; 4] = ["avalanche.csv", "structured.csv", "windows.csv", "batches.csv"];

#[test]
fn a_clone_stays_small() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../reports/reference");
    let ignored = fs::read_to_string(folder.join("../../.gitignore")).unwrap();
    for name in RAW {
        assert!(ignored.lines().any(|line| line.ends_with(name)), "{name}");
    }
    let mut files = super::fixtures::files(&folder);
    files.retain(|(path, _)| !RAW.iter().any(|name| path.ends_with(name)));
    let bytes: usize = files.iter().map(|(_, content)| content.len()).sum();
    assert!(bytes <= 8_000_000, "{bytes} bytes in reports/reference");
    // A reader downloads the page alone.
    let page = fs::metadata(folder.join("index.html")).unwrap().len();
    assert!(page <= 1_600_000, "{page} bytes in the page");
}
