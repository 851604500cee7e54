//! Tests of the safe types of the hook.

use filter_policy::{BitsPerKey, BloomFilterPolicy};
use filter_policy_leveldb::{Database, DatabaseOptions, Error, LevelDbPolicy};

const TEN: BitsPerKey = BitsPerKey::whole(10);

fn policy() -> LevelDbPolicy {
    LevelDbPolicy::new(BloomFilterPolicy::new(TEN)).unwrap()
}

#[test]
fn what_is_written_is_read_after_opening_again() {
    let folder = tempfile::tempdir().unwrap();
    let options = DatabaseOptions::default()
        .write_buffer_bytes(1 << 16)
        .block_bytes(1024)
        .compression(false)
        .cache_bytes(0);
    {
        let db = Database::open(folder.path(), Some(policy()), &options).unwrap();
        for i in 0..5_000_u32 {
            db.put(&i.to_be_bytes(), format!("value {i}").as_bytes()).unwrap();
        }
        db.put(b"", b"under the empty key").unwrap();
        db.put(b"empty", b"").unwrap();
        db.delete(&7_u32.to_be_bytes()).unwrap();
        db.delete(b"never there").unwrap();
        db.compact();
    }
    let options = options.create_if_missing(false);
    let db = Database::open(folder.path(), Some(policy()), &options).unwrap();
    for i in 0..5_000_u32 {
        let expected = (i != 7).then(|| format!("value {i}").into_bytes());
        assert_eq!(db.get(&i.to_be_bytes()).unwrap(), expected, "{i}");
    }
    assert_eq!(db.get(b"").unwrap().as_deref(), Some(&b"under the empty key"[..]));
    assert_eq!(db.get(b"empty").unwrap().as_deref(), Some(&b""[..]));
    assert_eq!(db.get(b"never there").unwrap(), None);
    assert!(db.property("leveldb.stats").unwrap().contains("Compactions"));
    assert_eq!(db.property("no such property"), None);
    assert_eq!(db.property("with\0NUL"), None);
}

#[test]
fn threads_read_and_write_while_others_compact() {
    let folder = tempfile::tempdir().unwrap();
    // Small tables and no cache, so that reads ask filters.
    let options = DatabaseOptions::default()
        .write_buffer_bytes(1 << 16)
        .cache_bytes(0);
    let db = Database::open(folder.path(), Some(policy()), &options).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4_u8 {
            let db = &db;
            scope.spawn(move || {
                let keys = (0..5_000_u16).map(|i| [&[thread][..], &i.to_be_bytes()].concat());
                for key in keys.clone() {
                    db.put(&key, &key).unwrap();
                }
                db.compact();
                for key in keys {
                    assert_eq!(db.get(&[&key[..], b"absent"].concat()).unwrap(), None);
                    assert_eq!(db.get(&key).unwrap(), Some(key));
                }
            });
        }
    });
    // The database moves to another thread.
    std::thread::spawn(move || {
        db.compact();
        assert!(db.get(&[3, 0, 0]).unwrap().is_some());
    })
    .join()
    .unwrap();
}

#[test]
fn errors_are_leveldbs_own_words() {
    let folder = tempfile::tempdir().unwrap();
    let options = DatabaseOptions::default().create_if_missing(false);
    let absent = folder.path().join("absent");
    let error = Database::open(&absent, None, &options).unwrap_err();
    assert!(
        matches!(&error, Error::LevelDb { action: "open", message } if message.contains("does not exist")),
        "{error}"
    );
    assert!(error.to_string().starts_with("LevelDB, open: "), "{error}");

    let path = folder.path().join("db");
    let _open = Database::open(&path, Some(policy()), &DatabaseOptions::default()).unwrap();
    let error = Database::open(&path, Some(policy()), &DatabaseOptions::default()).unwrap_err();
    assert!(error.to_string().contains("lock"), "{error}");

    let error = Database::open("a\0b".as_ref(), Some(policy()), &DatabaseOptions::default()).unwrap_err();
    assert_eq!(error.to_string(), r#"path must have no NUL, got "a\0b""#);
}
