//! A file given to `samebits inspect`: a table of LevelDB or RocksDB, or a Parquet file.
#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::{Args as _, Command, FromArgMatches as _};
use libfuzzer_sys::fuzz_target;
use samebits::commands::inspect::{self, Arguments};

static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("fuzz-inspect-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
});

fuzz_target!(|data: &[u8]| {
    let is_parquet = data.ends_with(b"PAR1");
    let path = FOLDER.join(if is_parquet { "file.parquet" } else { "000005.sst" });
    std::fs::write(&path, data).unwrap();
    let path = path.to_str().unwrap();
    let mut words = vec!["inspect", "--json", path];
    if is_parquet {
        words.extend(["--column", "id", "--key", "7"]);
    }
    let matches = Arguments::augment_args(Command::new("inspect")).get_matches_from(words);
    // Damage in the file is a valid result.
    let _answer = inspect::run(&Arguments::from_arg_matches(&matches).unwrap());
});
