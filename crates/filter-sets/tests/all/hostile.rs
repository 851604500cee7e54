//! Manifests and folders that are no sets: an error that names the file, and never a panic.

use std::fs;
use std::sync::LazyLock;

use filter_sets::{Access, ErrorKind, FilterSet, Manifest, Opening};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{build, builder, keys};

/// The manifest of a small set.
static MANIFEST: LazyLock<Value> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("set");
    let manifest = build(&builder("guava", 2), &folder, &keys(0..100)).unwrap();
    serde_json::to_value(manifest).unwrap()
});

#[test]
fn manifests_that_lie_are_refused() {
    let good = MANIFEST.clone();
    let read = |manifest: &Value| Manifest::from_bytes(&serde_json::to_vec(manifest).unwrap());
    assert!(read(&good).is_ok());
    for (pointer, value, reason) in [
        (
            "/schema",
            json!("filter-set/2"),
            "the schema must be filter-set/1",
        ),
        ("/schema", json!(null), "the schema must be"),
        ("/format", json!("bloom"), "the format must be one of"),
        ("/shard_function/hash", json!("crc32"), "must be xxh3-64"),
        ("/shard_function/seed", json!(-1), "-1"),
        ("/shards", json!([]), "1 to 65536 shards, got 0"),
        ("/shards/0/file", json!(""), "plain name"),
        ("/shards/0/file", json!(".."), "plain name"),
        ("/shards/0/file", json!("../shard"), "plain name"),
        ("/shards/0/file", json!("/etc/passwd"), "plain name"),
        ("/shards/0/file", json!("a/b"), "plain name"),
        ("/shards/0/file", json!("a\\b"), "plain name"),
        ("/shards/0/file", json!("c:b"), "plain name"),
        ("/shards/0/file", json!("a\0"), "plain name"),
        ("/shards/0/file", json!("manifest.json"), "plain name"),
        (
            "/shards/0/file",
            good["shards"][1]["file"].clone(),
            "another shard",
        ),
        ("/shards/0/bytes", json!(u64::MAX), "fewer than 2^64"),
        ("/shards/0/keys", json!(u64::MAX), "fewer than 2^64"),
        ("/shards/0/bytes", json!(1.5), "1.5"),
        ("/shards/0/sha256", json!("00"), "64 hexadecimal digits"),
        ("/shards/0/rate", json!(1.5), "between 0 and 1"),
        ("/shards/0/rate", json!(-0.1), "between 0 and 1"),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        let error = read(&bad).unwrap_err();
        assert!(error.contains(reason), "{pointer}: {error}");
    }
    let mut more = good.clone();
    more["shards"][0]["path"] = json!("x");
    assert!(read(&more).unwrap_err().contains("unknown field"));
    more = good;
    more["shards"] = Value::Array(vec![more["shards"][0].clone(); 65_537]);
    assert!(read(&more).unwrap_err().contains("got 65537"));
    for bytes in [&b""[..], b"{", b"[]", b"null", b"\xff", &b"[".repeat(10_000)] {
        assert!(Manifest::from_bytes(bytes).is_err());
    }
}

#[test]
fn shards_that_are_not_those_of_the_manifest_are_named() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("set");
    let manifest = build(&builder("leveldb", 2), &folder, &keys(0..100)).unwrap();
    let shard = folder.join(&manifest.shards[1].file);
    let bytes = fs::read(&shard).unwrap();
    let damage = |reason: &str| {
        for access in [Access::Read, Access::Map] {
            let error = FilterSet::open(&folder, Opening { access, verify: true }).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Damaged);
            let text = error.to_string();
            assert!(
                text.contains(&manifest.shards[1].file) && text.contains(reason),
                "{text}"
            );
        }
        let _ = fs::remove_file(&shard);
    };
    fs::remove_file(&shard).unwrap();
    damage("No such file");
    fs::write(&shard, &bytes[1..]).unwrap();
    damage(&format!("must be {}, got {}", bytes.len(), bytes.len() - 1));
    fs::write(&shard, [&bytes[..], b"\0"].concat()).unwrap();
    damage("the length in bytes");
    fs::write(&shard, bytes.iter().map(|byte| byte ^ 1).collect::<Vec<_>>()).unwrap();
    damage("checksum");
    fs::write(place.path().join("elsewhere"), &bytes).unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(place.path().join("elsewhere"), &shard).unwrap();
        damage("plain file");
    }
    fs::create_dir(&shard).unwrap();
    damage("plain file");
    fs::remove_dir(&shard).unwrap();
    fs::write(&shard, &bytes).unwrap();
    assert!(FilterSet::open(&folder, Opening::default()).is_ok());
    // Without the checksum, other bytes of the same length pass for a format that reads any bytes.
    fs::write(&shard, vec![0; bytes.len()]).unwrap();
    let opening = Opening {
        verify: false,
        ..Opening::default()
    };
    assert!(FilterSet::open(&folder, opening).is_ok());
    let missing = FilterSet::open(&place.path().join("none"), opening).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::Input);
}

#[test]
fn a_shard_of_another_format_is_refused_where_bytes_tell_it() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("set");
    build(&builder("spark-v1", 2), &folder, &keys(0..100)).unwrap();
    for other in ["spark-v2", "guava", "cuckoo"] {
        let path = folder.join("manifest.json");
        let text = fs::read_to_string(&path).unwrap().replace("spark-v1", other);
        fs::write(place.path().join("manifest.json"), &text).unwrap();
        for shard in Manifest::from_bytes(text.as_bytes()).unwrap().shards {
            fs::copy(folder.join(&shard.file), place.path().join(&shard.file)).unwrap();
        }
        let error = FilterSet::open(place.path(), Opening::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Damaged, "{other}: {error}");
    }
}

proptest! {
    #[test]
    fn any_change_of_a_manifest_is_read_or_refused(
        cut in 0.0..1.0_f64, insert in proptest::collection::vec(any::<u8>(), 0..6), skip in 0_usize..6,
    ) {
        let mut bytes = serde_json::to_vec(&*MANIFEST).unwrap();
        let at = (bytes.len() as f64 * cut) as usize;
        let end = (at + skip).min(bytes.len());
        bytes.splice(at..end, insert);
        if let Ok(manifest) = Manifest::from_bytes(&bytes) {
            for shard in &manifest.shards {
                prop_assert!(!shard.file.contains(['/', '\\', '\0']) && !shard.file.starts_with('.'));
            }
            prop_assert!(manifest.shard_of(b"key") < manifest.shards.len());
        }
    }
}
