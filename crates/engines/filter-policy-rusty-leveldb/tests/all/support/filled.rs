//! A database of some thousand keys, and its reads.

use rusty_leveldb::{DB, LdbIterator, Options};

/// The number of keys in the database. Keys with odd numbers are absent.
pub(crate) const COUNT: u32 = 3_000;

pub(crate) fn key(number: u32) -> Vec<u8> {
    // Some keys end in bytes above 0x7f, on which hash functions differ.
    match number % 8 {
        4 => format!("key{number:05}ü").into_bytes(),
        _ => format!("key{number:05}").into_bytes(),
    }
}

pub(crate) fn value(number: u32) -> Vec<u8> {
    format!("{number:0100}").into_bytes()
}

/// Returns the numbers below the count, scattered so that the cached block is not the next one read.
pub(crate) fn scattered() -> impl Iterator<Item = u32> {
    (0..COUNT).map(|i| i * 1_013 % COUNT)
}

/// Writes all keys twice, first in a scattered order, and compacts.
pub(crate) fn write(db: &mut DB) {
    for number in scattered() {
        db.put(&key(2 * number), b"first").unwrap();
    }
    for number in (0..2 * COUNT).step_by(2) {
        db.put(&key(number), &value(number)).unwrap();
    }
    db.compact_range(b"a", b"z").unwrap();
}

/// Writes a database with these options in a new folder, and closes it.
pub(crate) fn written(options: Options) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut db = DB::open(folder.path(), options).unwrap();
    write(&mut db);
    db.close().unwrap();
    folder
}

/// Returns the number of keys that a Get finds.
pub(crate) fn found(db: &mut DB) -> u32 {
    let mut found = 0;
    for number in scattered().map(|number| 2 * number) {
        if let Some(got) = db.get(&key(number)) {
            assert_eq!(got, value(number));
            found += 1;
        }
    }
    found
}

/// Returns the number of keys that an iterator visits, which is the number really stored.
pub(crate) fn iterated(db: &mut DB) -> u32 {
    let mut iterator = db.new_iter().unwrap();
    let mut count = 0;
    while iterator.advance() {
        count += 1;
    }
    count
}
