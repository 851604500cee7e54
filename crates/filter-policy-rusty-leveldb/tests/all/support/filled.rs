//! A database of some thousand keys, and what a reader finds in it.

use rusty_leveldb::{DB, LdbIterator, Options};

/// Keys in the database; those with odd numbers are absent.
pub(crate) const COUNT: u32 = 3_000;

pub(crate) fn key(number: u32) -> Vec<u8> {
    // Some have bytes above 0x7f at the end, where hash functions differ.
    match number % 8 {
        4 => format!("key{number:05}ü").into_bytes(),
        _ => format!("key{number:05}").into_bytes(),
    }
}

pub(crate) fn value(number: u32) -> Vec<u8> {
    format!("{number:0100}").into_bytes()
}

/// The numbers below the count, scattered: a block in the cache is not the next one's.
pub(crate) fn scattered() -> impl Iterator<Item = u32> {
    (0..COUNT).map(|i| i * 1_013 % COUNT)
}

/// Writes all keys in a scattered order, some of them twice, and compacts.
pub(crate) fn write(db: &mut DB) {
    for number in scattered() {
        db.put(&key(2 * number), b"first").unwrap();
    }
    for number in (0..2 * COUNT).step_by(2) {
        db.put(&key(number), &value(number)).unwrap();
    }
    db.compact_range(b"a", b"z").unwrap();
}

/// A database in a folder of its own, written through these options and closed.
pub(crate) fn written(options: Options) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut db = DB::open(folder.path(), options).unwrap();
    write(&mut db);
    db.close().unwrap();
    folder
}

/// How many of the keys a Get finds.
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

/// How many keys an iterator passes: what is really there.
pub(crate) fn iterated(db: &mut DB) -> u32 {
    let mut iterator = db.new_iter().unwrap();
    let mut count = 0;
    while iterator.advance() {
        count += 1;
    }
    count
}
