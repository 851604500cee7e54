//! Tests every value of `data/vectors.json`. A function or form that is missing in the crate fails.

use hashzoo::{HashInfo, PUBLISHED, SIPHASH_KEY, find, leveldb_hash, murmur2, siphash12};

use crate::data::{Vectors, number};

/// Returns the record of a form that has another name in the file; `None` for a function under another seed or key.
fn registered(name: &str) -> Option<&'static HashInfo> {
    let ident = match name {
        "djb_case_sensitive" => "djb2",
        "siphash12_64_key_00_0f" => "siphash12",
        "siphash13_64_key_00_0f" => "siphash13",
        "siphash24_64_key_00_0f" => "siphash24",
        same => same,
    };
    find(ident)
}

/// Returns the function of any name in the file.
fn function(name: &str) -> fn(&[u8]) -> u64 {
    match name {
        "murmur2_seed0" => |key| murmur2(key, 0).into(),
        "murmur2_seed_9747b28c" => |key| murmur2(key, 0x9747_b28c).into(),
        "leveldb_seed0" => |key| leveldb_hash(key, 0).into(),
        "siphash12_64_article_key" => |key| siphash12(&SIPHASH_KEY, key),
        _ => match registered(name) {
            Some(info) => info.hash,
            None => panic!("`{name}` is in vectors.json, but the crate has no such function"),
        },
    }
}

#[test]
fn the_published_functions_are_those_of_the_file_in_its_order() {
    let vectors = Vectors::load();
    let names: Vec<&str> = vectors
        .functions
        .iter()
        .map(|function| function.name.as_str())
        .collect();
    assert_eq!(names, PUBLISHED.map(|info| info.name));
}

#[test]
fn every_vector_of_every_function_and_form() {
    let vectors = Vectors::load();
    let keys = vectors.keys_by_id();
    for golden in vectors.functions.iter().chain(&vectors.variants) {
        let hash = function(&golden.name);
        assert_eq!(golden.vectors.len(), keys.len(), "{}", golden.name);
        for (id, value) in &golden.vectors {
            let computed = hash(&keys[id.as_str()]);
            assert_eq!(computed, number(value), "{} of {id}", golden.name);
            let signed = vectors
                .signed_char
                .get(&golden.name)
                .and_then(|values| values.get(id));
            assert_ne!(signed, Some(value), "{} of {id}", golden.name);
        }
    }
}

#[test]
fn every_pair_that_collides() {
    let vectors = Vectors::load();
    assert!(!vectors.collisions.is_empty());
    for pair in &vectors.collisions {
        let hash = function(&pair.function);
        assert_ne!(pair.a, pair.b);
        assert_eq!(
            hash(pair.a.as_bytes()),
            hash(pair.b.as_bytes()),
            "{} of {} and {}",
            pair.function,
            pair.a,
            pair.b
        );
    }
}

/// The other codes are of functions that the crate has in other forms.
#[test]
fn smhashers_code() {
    let codes = Vectors::load().smhasher_verification;
    let info = find("MurMurHash2").unwrap();
    assert_eq!(u64::from(info.verification), number(&codes["murmur2"]));
}
