//! The committed inputs of the fuzz targets of this folder's crates, among them all that ever reached new code, given to
//! the same readers.

use std::path::Path;
use std::process::Command;

use super::reader;

#[path = "../../../filter-policy/tests/all/any_bytes/mod.rs"]
mod any_bytes;
#[path = "../../../filter-tables/tests/all/reader.rs"]
mod tables;

#[test]
fn every_committed_input_is_read() {
    for (target, count, read) in [
        ("filter_blocks", 149, any_bytes::filter_blocks::read as fn(&[u8])),
        ("filters", 512, any_bytes::filters::read),
        ("parquet_footers", 845, reader::read),
        ("parquet_headers", 620, any_bytes::parquet_headers::read),
        ("tables", 326, tables::read),
    ] {
        let archive = format!("{}/../../fuzz/corpus/{target}.tar.gz", env!("CARGO_MANIFEST_DIR"));
        let inputs = Path::new(env!("CARGO_TARGET_TMPDIR")).join(target);
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
}
