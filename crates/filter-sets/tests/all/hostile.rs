//! Manifests and folders that are no sets: an error that names the file, and never a panic.

use std::fs;
use std::sync::LazyLock;

use filter_sets::{Access, ErrorKind, Filter, FilterSet, Header, Manifest, Opening, merge_sets};
use proptest::prelude::*;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{build, build_file, builder, files, keys, of_shards};

/// The manifest of a small set.
static MANIFEST: LazyLock<Value> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("set");
    let manifest = build(&of_shards("guava", 2), &folder, &keys(0..100)).unwrap();
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
            json!("filter-set/3"),
            "the schema must be filter-set/2",
        ),
        ("/schema", json!(null), "the schema must be"),
        ("/format", json!("bloom"), "the format must be one of"),
        ("/shard_function/hash", json!("crc32"), "must be xxh3-64"),
        ("/shard_function/seed", json!(-1), "-1"),
        ("/shards", json!([]), "1 to 4096 shards, got 0"),
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
    let manifest = build(&of_shards("leveldb", 2), &folder, &keys(0..100)).unwrap();
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
    let stored = bytes.len() - Header::LEN;
    fs::write(&shard, &bytes[..bytes.len() - 1]).unwrap();
    damage(&format!("must be {stored} as it says, got {}", stored - 1));
    fs::write(&shard, [&bytes[..], b"\0"].concat()).unwrap();
    damage("the length in bytes");
    fs::write(&shard, &bytes[..200]).unwrap();
    damage("the header must have 256 bytes, got 200");
    for (at, reason) in [
        (0, "its header must be at the beginning, unchanged"),
        (7, "the version of the header must be '1', got '0'"),
        (40, "the header's checksum"),
        (250, "the header's checksum"),
        (Header::LEN, "the filter's checksum"),
    ] {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        fs::write(&shard, changed).unwrap();
        damage(reason);
    }
    fs::write(&shard, &bytes[Header::LEN..]).unwrap();
    damage("must begin with the header");
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
    fs::write(&shard, [&bytes[..Header::LEN], &vec![0; stored]].concat()).unwrap();
    let opening = Opening {
        verify: false,
        ..Opening::default()
    };
    assert!(FilterSet::open(&folder, opening).is_ok());
    let missing = FilterSet::open(&place.path().join("none"), opening).unwrap_err();
    assert_eq!(missing.kind(), ErrorKind::Input);
}

/// Gives a manifest the checksum of what it says, as `FORMAT.md` describes it.
fn reseal(manifest: &mut Value) {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let join = |of: &Value, fields: &[&str], between: &str| -> String {
        fields.iter().map(|field| text(&of[field]) + between).collect()
    };
    let function = join(&manifest["shard_function"], &["hash", "seed"], "\n");
    let shards = manifest["shards"].as_array().unwrap();
    let mut said = join(manifest, &["schema", "format", "key_kind"], "\n") + &function;
    said += &format!("{}\n", shards.len());
    for shard in shards {
        let rate = shard["rate"].as_f64();
        said += &join(shard, &["file", "bytes", "keys", "sha256"], " ");
        said += &rate.map_or("null\n".to_owned(), |rate| format!("{:016x}\n", rate.to_bits()));
    }
    manifest["checksum"] = hex::encode(Sha256::digest(said)).into();
}

/// A change of a manifest, and its name.
type Edit<'a> = (&'a str, &'a dyn Fn(&mut Value));

#[test]
fn a_manifest_that_was_edited_is_refused_whether_or_not_its_checksum_fits() {
    let place = tempfile::tempdir().unwrap();
    let [folder, other, out] = ["set", "other", "out"].map(|name| place.path().join(name));
    let stored = keys(0..4_000);
    build(&(builder("guava").capacity(1_000), 4), &folder, &stored).unwrap();
    // Of the same shape, with other keys.
    build(
        &(builder("guava").capacity(1_000), 4),
        &other,
        &keys(4_000..8_000),
    )
    .unwrap();
    for (name, bytes) in files(&other).iter().filter(|(name, _)| *name != "manifest.json") {
        fs::write(folder.join(name), bytes).unwrap();
    }
    let path = folder.join("manifest.json");
    let good: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    let others: Value = serde_json::from_slice(&fs::read(other.join("manifest.json")).unwrap()).unwrap();
    let open = || {
        FilterSet::open(
            &folder,
            Opening {
                access: Access::Map,
                verify: false,
            },
        )
    };
    let set = open().unwrap();
    let shards =
        |json: &mut Value, edit: &dyn Fn(&mut Vec<Value>)| edit(json["shards"].as_array_mut().unwrap());
    let edits: [Edit<'_>; 24] = [
        ("two shards swapped", &|json| shards(json, &|all| all.swap(1, 2))),
        ("the order turned", &|json| shards(json, &|all| all.reverse())),
        ("the first shard gone", &|json| {
            shards(json, &|all| drop(all.remove(0)))
        }),
        ("the last shard gone", &|json| {
            shards(json, &|all| drop(all.pop()))
        }),
        ("half of the shards", &|json| shards(json, &|all| all.truncate(2))),
        ("one shard alone", &|json| shards(json, &|all| all.truncate(1))),
        ("a shard of another set more", &|json| {
            shards(json, &|all| all.push(others["shards"][0].clone()))
        }),
        ("all shards of another set more", &|json| {
            shards(json, &|all| {
                all.extend(others["shards"].as_array().unwrap().clone())
            })
        }),
        ("a shard of another set in its place", &|json| {
            json["shards"][1] = others["shards"][1].clone()
        }),
        ("all shards of another set but one in its place", &|json| {
            let first = json["shards"][0].clone();
            json["shards"] = others["shards"].clone();
            json["shards"][0] = first;
        }),
        ("a shard of another set in another place", &|json| {
            json["shards"][1] = others["shards"][2].clone()
        }),
        ("the file of another shard", &|json| {
            json["shards"][1]["file"] = others["shards"][1]["file"].clone()
        }),
        ("files swapped", &|json| {
            let file = json["shards"][0]["file"].take();
            json["shards"][0]["file"] = json["shards"][1]["file"].take();
            json["shards"][1]["file"] = file;
        }),
        ("the seed", &|json| {
            json["shard_function"]["seed"] = json!(126_892_148_679_796_u64)
        }),
        ("the seed nothing", &|json| {
            json["shard_function"]["seed"] = json!(0)
        }),
        ("the format blocked", &|json| json["format"] = json!("blocked")),
        ("the format leveldb", &|json| {
            json["format"] = json!("leveldb.BuiltinBloomFilter2")
        }),
        ("the kind of key", &|json| json["key_kind"] = json!("long")),
        ("fewer keys", &|json| json["shards"][3]["keys"] = json!(1)),
        ("other bytes", &|json| json["shards"][3]["bytes"] = json!(7)),
        ("another SHA-256", &|json| {
            json["shards"][2]["sha256"] = json!("00".repeat(32))
        }),
        ("the SHA-256 of another shard", &|json| {
            json["shards"][2]["sha256"] = json["shards"][1]["sha256"].clone()
        }),
        ("another rate", &|json| json["shards"][0]["rate"] = json!(0.25)),
        ("no rate", &|json| json["shards"][0]["rate"] = json!(null)),
    ];
    let refused = |what: &str, text: &str, named: &str| {
        fs::write(&path, text).unwrap();
        let merged = merge_sets(&[&folder, &folder], &out).map(drop);
        // What shows a set.
        let shown = Manifest::read(&folder).and_then(|manifest| {
            let mut all = 0..manifest.shards.len();
            all.try_for_each(|shard| manifest.open_shard(shard, &folder, Opening::default()).map(drop))
        });
        for result in [open().map(drop), set.reload().map(drop), merged, shown] {
            let error = result.expect_err(what);
            assert_eq!(error.kind(), ErrorKind::Damaged, "{what}: {error}");
            assert!(error.to_string().contains(named), "{what}: {error}");
        }
        assert!(!out.join("manifest.json").exists(), "{what}");
        assert!(
            set.may_contain_many(&super::slices(&stored))
                .iter()
                .all(|&found| found)
        );
    };
    for (what, edit) in edits {
        let mut json = good.clone();
        edit(&mut json);
        refused(what, &json.to_string(), "manifest.json: ");
        reseal(&mut json);
        // A manifest with a checksum that fits is a builder's, if its shards are those of their places.
        if !what.ends_with("in its place") {
            refused(what, &json.to_string(), ".filter: ");
        }
    }
    for (what, text) in [
        (
            "an unknown field",
            good.to_string().replacen('{', "{\"more\":1,", 1),
        ),
        (
            "a field twice",
            good.to_string().replacen('{', "{\"format\":\"guava\",", 1),
        ),
        ("no checksum", good.to_string().replacen("checksum", "sum", 1)),
        (
            "the form before",
            good.to_string().replace("filter-set/2", "filter-set/1"),
        ),
    ] {
        refused(what, &text, "manifest.json: ");
    }
    // What it says is what counts, not how.
    fs::write(&path, good.to_string()).unwrap();
    assert!(!set.reload().unwrap());
}

/// Opens a filter's file under wrong formats, changed, and cut.
#[test]
fn a_file_says_what_it_is() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("filter");
    let stored = keys(0..1_000);
    let open = |format: Option<&str>| {
        let format = format.map(super::format);
        Filter::open(&path, format.as_ref(), Opening::default())
    };
    for name in ["blocked", "binaryfuse", "leveldb", "guava"] {
        build_file(
            builder(name).key_kind("long").unwrap().file(&path).unwrap(),
            &stored,
        );
        let filter = open(None).unwrap();
        assert_eq!(filter.header().unwrap().key_kind, "long");
        assert!(stored.iter().all(|key| filter.may_contain(key)) && open(Some(name)).is_ok());
        let error = open(Some("split-block-xxph3")).unwrap_err().to_string();
        assert!(error.contains("its header says format"), "{error}");
        let bytes = fs::read(&path).unwrap();
        for len in 0..bytes.len() {
            // A header that was cut away is no longer told from any bytes.
            let cut = Filter::from_bytes(None, bytes[..len].to_vec());
            assert!(cut.is_err(), "{name}: {len}");
        }
        // Nor is a changed header taken for bits, or one behind other bytes.
        for at in 0..256 {
            let mut changed = bytes.clone();
            changed[at] ^= 0x20;
            let moved = [&vec![0; at % 249 + 1], &bytes[..]].concat();
            for bytes in [changed, moved] {
                let read = Filter::from_bytes(Some(&super::format(name)), bytes);
                assert!(read.is_err(), "{name}: {at}");
            }
        }
    }
    // Without a header, where the bytes tell it.
    let is_told = |name: &&str| *name == "binaryfuse" || super::format(name).is_told_by_bytes();
    for name in super::names().filter(is_told) {
        build_file(builder(name).raw_file(&path).unwrap(), &stored);
        let error = open(Some("split-block-xxph3")).unwrap_err().to_string();
        assert!(
            error.contains(&format!("its bytes are of the format {name:?}")),
            "{error}"
        );
    }
    // Shards are asked through their set.
    let folder = place.path().join("set");
    let manifest = build(&of_shards("leveldb", 2), &folder, &stored).unwrap();
    let shard = folder.join(&manifest.shards[1].file);
    let error = Filter::open(&shard, None, Opening::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("is shard 1 of a set of 2"), "{error}");
}

#[test]
fn lengths_that_no_policy_writes_are_refused() {
    for name in super::names().filter(|name| !super::format(name).is_told_by_bytes()) {
        let format = super::format(name);
        let read = |bytes: &[u8]| Filter::from_bytes(Some(&format), bytes.to_vec());
        assert!(read(&[]).is_err(), "{name}");
        // Whatever is read denies nothing, or has room for bits.
        for len in 1..9 {
            for last in [6, 30, 0x84, 0xff] {
                let mut bytes = vec![0; len];
                bytes[len - 1] = last;
                if let Ok(filter) = read(&bytes) {
                    assert!(filter.may_contain(b"key"), "{name}: {bytes:?}");
                }
            }
        }
        assert!(read(&[0, 0xff]).unwrap().may_contain(b"key"), "{name}");
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
