//! Unsafe code stands only in `simd` and in the kernels of formats.

use std::fs;
use std::path::Path;

/// The files outside of `simd` that lift the crate's `deny(unsafe_code)`.
const EXCEPTIONS: [&str; 6] = [
    "formats/bloom64/kernel.rs",
    "formats/fuse/kernel.rs",
    "formats/leveldb/kernel.rs",
    "formats/rocksdb/fast_local/kernel.rs",
    "formats/rocksdb/ribbon/kernel.rs",
    "formats/split_block/kernel.rs",
];

/// Passes the path within the folder, and the text, of every source file.
fn each_file(root: &Path, folder: &Path, visit: &mut impl FnMut(&str, &str)) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            each_file(root, &path, visit);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            visit(&name, &fs::read_to_string(&path).unwrap());
        }
    }
}

/// Returns true if the line has the word as code, or as the name of the lint.
fn mentions(line: &str, word: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    let mut words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.any(|found| found == word)
}

#[test]
fn unsafe_code_is_in_kernels_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut lifting, mut files) = (Vec::new(), 0);
    each_file(&root, &root, &mut |name, text| {
        files += 1;
        let has = |word| text.lines().any(|line| mentions(line, word));
        if name == "lib.rs" {
            assert!(text.contains("#![deny(unsafe_code)]"));
            // The module `simd`, and no other.
            let lifted = text.lines().filter(|line| line.trim() == "unsafe_code,").count();
            assert_eq!((lifted, has("unsafe")), (1, false));
            let (_, allowed) = text.split_once("    unsafe_code,\n").unwrap();
            assert_eq!(
                allowed.split_once(")]\n").unwrap().1.lines().next(),
                Some("mod simd;")
            );
        } else if !name.starts_with("simd/") && (has("unsafe") || has("unsafe_code")) {
            lifting.push(name.to_owned());
        }
    });
    assert!(files > 60, "{files}");
    lifting.sort();
    assert_eq!(lifting, EXCEPTIONS);
}
