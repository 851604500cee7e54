//! Opens a LevelDB database with a policy from Rust, writes, compacts, closes, opens again, and reads.
//!
//! ```text
//! cargo run --features leveldb --example open_database FOLDER
//! ```

use std::path::Path;
use std::process::ExitCode;

use filter_policy::{BitsPerKey, BloomFilterPolicy};
use filter_policy_leveldb::{Database, DatabaseOptions, Error, LevelDbPolicy};

const KEYS: u32 = 10_000;

fn open(folder: &Path) -> Result<Database, Error> {
    let policy = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(10));
    Database::open(
        folder,
        Some(LevelDbPolicy::new(policy)?),
        &DatabaseOptions::default(),
    )
}

fn count_present(db: &Database, suffix: &str) -> Result<u32, Error> {
    let mut present = 0;
    for i in 0..KEYS {
        present += u32::from(db.get(format!("key{i:06}{suffix}").as_bytes())?.is_some());
    }
    Ok(present)
}

fn run(folder: &Path) -> Result<(), Error> {
    let db = open(folder)?;
    for i in 0..KEYS {
        db.put(format!("key{i:06}").as_bytes(), b"value")?;
    }
    // Filters are built together with tables.
    db.compact();
    drop(db);

    let db = open(folder)?;
    println!("{} of {KEYS} stored keys found", count_present(&db, "")?);
    println!("{} of {KEYS} absent keys found", count_present(&db, "-absent")?);
    Ok(())
}

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: open_database FOLDER");
        return ExitCode::from(2);
    };
    match run(folder.as_ref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
