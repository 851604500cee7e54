//! Tests values computed by storage engines and other programs.

use hashzoo::{
    Murmur3X64_128, find, leveldb_hash, murmur2, murmur2_signed_tail, murmur3_x64_128, murmur64a,
    rocksdb_hash, xxh64, xxph3_64,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::data::bytes;

fn rows<T: DeserializeOwned>(lines: &str) -> Vec<T> {
    lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns the key of this length that most rows name.
fn key(len: usize) -> Vec<u8> {
    (0..len).map(|i| (37 * i + 11) as u8).collect()
}

#[test]
fn functions_equal_those_of_engines_of_smhasher_and_of_programs() {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Row {
        r#fn: Option<String>,
        #[serde(default)]
        seed: u64,
        len: Option<usize>,
        #[serde(default, rename = "pattern")]
        _pattern: String,
        hex: Option<String>,
        #[serde(alias = "xxh64_seed0")]
        hash: u64,
    }
    for (file, lines, count) in [
        ("leveldb::Hash", include_str!("../data/leveldb_hash.jsonl"), 206),
        ("librocksdb", include_str!("../data/rocksdb_hash.jsonl"), 416),
        ("xxhash", include_str!("../data/xxh64.jsonl"), 74),
        ("SMHasher", include_str!("../data/smhasher.jsonl"), 168),
        ("programs", include_str!("../data/programs.jsonl"), 112),
    ] {
        let rows: Vec<Row> = rows(lines);
        assert_eq!(rows.len(), count, "{file}");
        for row in rows {
            let key = match (row.len, &row.hex) {
                (Some(len), None) => key(len),
                (None, Some(hex)) => bytes(hex),
                other => panic!("{other:?} is no key"),
            };
            let function = row.r#fn.as_deref().unwrap_or(file);
            let small_seed = || u32::try_from(row.seed).unwrap();
            let hash = match function {
                "leveldb::Hash" => leveldb_hash(&key, small_seed()).into(),
                "Hash64" => xxph3_64(&key, row.seed),
                "Hash" => rocksdb_hash(&key, small_seed()).into(),
                "xxhash" => xxh64(&key, row.seed),
                "Fingerprint64" => (find("farm_fingerprint64").unwrap().hash)(&key),
                "JenkinsOOAT_perl" => (find("one_at_a_time").unwrap().hash)(&key),
                other => (find(other).unwrap().hash)(&key),
            };
            assert_eq!(hash, row.hash, "{function} of {key:x?}, seed {}", row.seed);
        }
    }
}

#[test]
fn murmur2_equals_both_kinds_of_tail() {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Row {
        r#fn: String,
        seed: u32,
        hex: String,
        unsigned_tail: u32,
        signed_tail_x86: u32,
    }
    let rows: Vec<Row> = rows(include_str!("../data/murmur2_tails.jsonl"));
    assert_eq!(rows.len(), 41);
    for row in &rows {
        let key = bytes(&row.hex);
        assert_eq!(row.r#fn, "MurmurHash2");
        assert_eq!(murmur2(&key, row.seed), row.unsigned_tail, "{}", row.hex);
        assert_eq!(
            murmur2_signed_tail(&key, row.seed),
            row.signed_tail_x86,
            "{}",
            row.hex
        );
    }
    assert_eq!(
        rows.iter()
            .filter(|row| row.unsigned_tail != row.signed_tail_x86)
            .count(),
        18
    );
}

#[test]
fn murmur3_x64_128_equals_guavas() {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Row {
        len: usize,
        hash_hex: String,
        as_long: i64,
    }
    let rows: Vec<Row> = rows(include_str!("../data/murmur3_x64_128.jsonl"));
    assert_eq!(rows.len(), 65);
    for Row {
        len,
        hash_hex,
        as_long,
    } in rows
    {
        let key = key(len);
        let (h1, h2) = murmur3_x64_128(&key, 0);
        assert_eq!(
            [h1.to_le_bytes(), h2.to_le_bytes()].concat(),
            bytes(&hash_hex),
            "{len} bytes"
        );
        assert_eq!(h1.cast_signed(), as_long, "{len} bytes");
        for cut in 0..=len {
            let mut pieces = Murmur3X64_128::new(0);
            pieces.update(&key[..cut]);
            pieces.update(&key[cut..]);
            assert_eq!(pieces.finish(), (h1, h2), "{len} bytes cut at {cut}");
        }
    }
}

#[test]
fn murmur64a_equals_libstdcxx_under_both_seeds_of_redisbloom() {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Row {
        seed: String,
        hex: String,
        a: String,
        b: String,
    }
    let rows: Vec<Row> = rows(include_str!("../data/murmur64a.jsonl"));
    assert_eq!(rows.len(), 41);
    let number = |hex: &str| u64::from_str_radix(hex, 16).unwrap();
    for row in rows {
        let (key, a) = (bytes(&row.hex), number(&row.a));
        assert_eq!(murmur64a(&key, number(&row.seed)), a, "{}", row.hex);
        assert_eq!(murmur64a(&key, a), number(&row.b), "{}", row.hex);
    }
}
