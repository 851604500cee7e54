//! The committed inputs of fuzz targets, among them all that ever reached new code, which tests give to the same readers.

use std::path::Path;
use std::process::Command;

/// Calls `read` with every input of a target, of which there are `count` or more.
pub(crate) fn replay(target: &str, count: usize, read: fn(&[u8])) {
    let archive = format!("{}/../../fuzz/corpus/{target}.tar.gz", env!("CARGO_MANIFEST_DIR"));
    let inputs = Path::new(env!("CARGO_TARGET_TMPDIR")).join(target);
    // Without the inputs of an earlier archive.
    if inputs.exists() {
        std::fs::remove_dir_all(&inputs).unwrap();
    }
    std::fs::create_dir_all(&inputs).unwrap();
    let mut tar = Command::new("tar");
    tar.args(["--no-overwrite-dir", "-xzf", &archive, "-C"])
        .arg(&inputs);
    assert!(tar.status().unwrap().success(), "{target}");
    let files: Vec<_> = inputs
        .read_dir()
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    assert!(files.len() >= count, "{target}: {} inputs", files.len());
    for file in files {
        // Named in the output of a test that fails.
        println!("{}", file.display());
        read(&std::fs::read(file).unwrap());
    }
}
