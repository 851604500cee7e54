//! Keys: embedded, drawn from a seed, and the lines of a file.

use std::collections::{BTreeMap, HashSet};

use hash_comparison::Comparison;
use hash_comparison::functions;
use hash_comparison::keys::{
    KeySet, Manifest, ManifestEntry, Recipe, load_embedded, load_file, printed, sha256, shuffled,
};
use hash_comparison::questions::collisions;
use hash_comparison::record::End;
use hash_comparison::run::hash;
use hash_comparison::{KeyForm, KeyKind};
use proptest::prelude::*;
use terminal::progress::Silent;

#[test]
fn what_differs_from_the_manifest_is_refused() {
    let dataset = load_embedded("app-accounts", 1).unwrap();
    let right = Manifest::embedded()[2].clone();
    let (count, bytes, sha256) = (right.count, right.bytes, right.sha256.clone());
    for (field, count, bytes, sha256) in [
        ("count", 3, bytes, &*sha256),
        ("bytes", count, 3, &*sha256),
        ("sha256", count, bytes, "00"),
    ] {
        let entry = ManifestEntry {
            count,
            bytes,
            sha256: sha256.to_owned(),
            ..right.clone()
        };
        let error = entry.verify(&dataset).unwrap_err().to_string();
        let text = format!("dataset app-accounts: {field} must be ");
        assert!(error.starts_with(&text), "{error}");
    }
}

/// Checksums of an independent C implementation of both recipes, which draws from `splitmix64.c`.
#[test]
fn other_seeds_give_the_recorded_keys() {
    for (recipe, seed, count, expected) in [
        (
            Recipe::DecimalU64,
            42,
            1_000_000,
            "8bd56e8196127e97be7b9678bb0f644a53e0ba4896df39e8200dec6f8f6f0559",
        ),
        (
            Recipe::DistinctBelow1e9,
            2021,
            40_000,
            "a0e47e66e856e0cf084b1960595328f471bbe256031580505a97d435864f15ba",
        ),
    ] {
        let found = sha256(&recipe.keys(seed, count), &Silent);
        assert_eq!(found.as_deref(), Ok(expected), "{recipe:?}");
    }
}

#[test]
fn the_drawing_goes_on_without_repeating_a_key() {
    for recipe in [Recipe::DecimalU64, Recipe::DistinctBelow1e9] {
        let present = recipe.keys(1, 40_000);
        let absent = recipe.keys_after(1, 40_000, 100_000);
        let both = recipe.keys(1, 140_000);
        assert!(present.iter().chain(absent.iter()).eq(both.iter()));
        let distinct: HashSet<&[u8]> = both.iter().collect();
        assert_eq!(distinct.len(), 140_000);
    }
}

#[test]
fn every_order_of_four_is_equally_likely() {
    let mut counts = BTreeMap::<Vec<u32>, u32>::new();
    for seed in 0..24_000 {
        *counts.entry(shuffled(4, seed)).or_default() += 1;
    }
    // Five standard deviations of a binomial count around 1000.
    let likely = counts.values().filter(|&count| (845..=1155).contains(count));
    assert_eq!((counts.len(), likely.count()), (24, 24), "{counts:?}");
}

/// The low 16 bits of CRC-32, which is linear, have rank 15 over the 16 bits in which these keys differ.
#[test]
fn keys_as_hexadecimal_digits_have_the_known_collisions_of_a_linear_function() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("three-bytes");
    let lines: String = (0xe0_0000..=0xe0_ffff)
        .map(|key: u32| format!("{key:06x}\n"))
        .collect();
    std::fs::write(&path, lines).unwrap();
    let form = KeyForm {
        kind: Some(KeyKind::Binary),
        ..KeyForm::default()
    };
    let plan = Comparison::new().keys(&path).plan().unwrap();
    let dataset = load_file(&plan.key_files[0], &form, 1, &Silent).unwrap();
    assert_eq!(
        (dataset.keys.len(), dataset.keys.get(1)),
        (1 << 16, &b"\xe0\0\x01"[..])
    );
    let hashed = hash(&dataset.keys, functions::find("CRC-32").unwrap(), &Silent).unwrap();
    let rows = collisions::measure(&dataset, &hashed, [(End::Low, 16)].into_iter());
    assert_eq!(rows[0].collisions, 1 << 15);
}

/// Implements the definition directly, without regard to memory.
fn oracle(data: &[u8]) -> (KeySet, u64) {
    let mut lines: Vec<&[u8]> = data.split(|&byte| byte == b'\n').collect();
    let last = lines.pop().filter(|last| !last.is_empty());
    let ended = lines.iter().map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    let all: Vec<&[u8]> = ended.chain(last).collect();
    let mut seen = HashSet::new();
    let kept: KeySet = all.iter().filter(|key| seen.insert(**key)).collect();
    let duplicates = (all.len() - kept.len()) as u64;
    (kept, duplicates)
}

proptest! {
    #[test]
    fn any_bytes_match_the_oracle(
        data in prop_oneof![
            prop::collection::vec(1..=u8::MAX, 0..2000),
            prop::collection::vec(prop::sample::select(b"\n\r\nab".to_vec()), 0..400),
        ],
    ) {
        let found = KeySet::from_lines(&data, &Silent).unwrap();
        prop_assert_eq!((found.keys, found.duplicates), oracle(&data));
    }
}

#[test]
fn keys_are_safe_to_print_and_whole_up_to_a_limit() {
    for (key, text) in [
        ("naïve \"キー\"".as_bytes(), "naïve \\\"キー\\\""),
        ("a\u{202e}b".as_bytes(), "a\\u{202e}b"),
        ("naïve \u{1b}[31m".as_bytes(), "na\\xc3\\xafve \\x1b[31m"),
        (b"na\xefve", "na\\xefve"),
    ] {
        assert_eq!(printed(key), text);
    }
    for (character, escaped, whole) in [("a", "a", 1024), ("キ", "キ", 1024), ("\0", "\\x00", 256)] {
        let shown = |count: usize| escaped.repeat(count);
        let printed = |count: usize| printed(character.repeat(count).as_bytes());
        assert_eq!(printed(whole), shown(whole));
        let end = shown(128 / character.len());
        assert!(printed(whole + 1).starts_with(&format!("{end}…{end} (")));
    }
    assert!(printed(&[b'a'; 1_000_000]).ends_with(" (1,000,000 bytes)"));
}
