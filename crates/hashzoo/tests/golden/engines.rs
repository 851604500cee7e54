//! Tests values computed by storage engines and other programs.

use hashzoo::{
    Murmur3X64_128, find, leveldb_hash, murmur2, murmur2_signed_tail, murmur3_x64_128, rocksdb_hash, xxh64,
    xxph3_64,
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

#[test]
fn leveldb_hash_equals_libleveldbs() {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Row {
        seed: u32,
        hex: String,
        hash: u32,
    }
    let rows: Vec<Row> = rows(include_str!("../data/leveldb_hash.jsonl"));
    assert_eq!(rows.len(), 206);
    for Row { seed, hex, hash } in rows {
        assert_eq!(leveldb_hash(&bytes(&hex), seed), hash, "{hex} seed {seed}");
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
        let key: Vec<u8> = (0..len).map(|i| (37 * i + 11) as u8).collect();
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
fn both_hashes_of_rocksdb_equal_librocksdbs() {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Row {
        r#fn: String,
        seed: u64,
        len: Option<u32>,
        hex: Option<String>,
        hash: u64,
    }
    let rows: Vec<Row> = rows(include_str!("../data/rocksdb_hash.jsonl"));
    assert_eq!(rows.len(), 416);
    for row in rows {
        let key: Vec<u8> = match (row.len, &row.hex) {
            (Some(len), None) => (0..len).map(|i| (37 * i + 11) as u8).collect(),
            (None, Some(hex)) => bytes(hex),
            other => panic!("{other:?} is no key"),
        };
        let hash = match row.r#fn.as_str() {
            "Hash64" => xxph3_64(&key, row.seed),
            "Hash" => rocksdb_hash(&key, u32::try_from(row.seed).unwrap()).into(),
            other => panic!("no function is called {other:?}"),
        };
        assert_eq!(
            hash,
            row.hash,
            "{} of {} bytes, seed {}",
            row.r#fn,
            key.len(),
            row.seed
        );
    }
}

#[test]
fn xxh64_equals_xxhashs() {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Row {
        len: usize,
        #[serde(rename = "pattern")]
        _pattern: String,
        xxh64_seed0: u64,
    }
    let rows: Vec<Row> = rows(include_str!("../data/xxh64.jsonl"));
    assert_eq!(rows.len(), 74);
    let key: Vec<u8> = (0..1000_usize).map(|i| (37 * i + 11) as u8).collect();
    for Row { len, xxh64_seed0, .. } in rows {
        assert_eq!(xxh64(&key[..len], 0), xxh64_seed0, "{len} bytes");
    }
}

#[test]
fn farmhash_and_jenkinss_functions_equal_smhashers_copies() {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Row {
        r#fn: String,
        len: usize,
        hash: u64,
    }
    let rows: Vec<Row> = rows(include_str!("../data/smhasher.jsonl"));
    assert_eq!(rows.len(), 168);
    let key: Vec<u8> = (0..300_usize).map(|i| (37 * i + 11) as u8).collect();
    for Row { r#fn, len, hash } in rows {
        let ident = match r#fn.as_str() {
            "Fingerprint64" => "farm_fingerprint64",
            "JenkinsOOAT_perl" => "one_at_a_time",
            other => other,
        };
        let info = find(ident).unwrap();
        assert_eq!((info.hash)(&key[..len]), hash, "{fn} of {len} bytes", fn = r#fn);
    }
}
