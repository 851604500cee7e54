//! Tests every policy in the list: its name, its place in the format's description, its bytes, and who reads them.

use std::collections::HashSet;

use filter_policy::AnyFormat;
use filter_policy::formats;
use filter_policy::view::{FilterKind, FilterView};
use filter_policy::{BitsPerKey, FilterPolicy};
use sha2::{Digest, Sha256};

use super::any_bytes::filters;
use super::support::golden::{self, hex, key};
use super::support::keys::{filter_of, slices};

const TEN: BitsPerKey = BitsPerKey::whole(10);

#[test]
fn the_format_is_described_under_every_name() {
    let page = include_str!("../../FORMAT.md");
    for known in formats::ALL {
        assert!(
            page.contains(&format!("| `{}` |", known.name())),
            "{} is in no table of names: add it to crates/filters/filter-policy/FORMAT.md",
            known.name()
        );
    }
}

/// Returns the row of `policies.jsonl` of each policy and set of keys.
fn rows() -> Vec<String> {
    let sets = [("key08", 1000), ("highbit", 33)];
    let of_sets = formats::ALL.iter().flat_map(|known| sets.map(|set| (known, set)));
    let row = |(known, (rule, n)): (&&'static dyn AnyFormat, _)| {
        let keys: Vec<Vec<u8>> = (0..n).map(|i| key(rule, i)).collect();
        let filter = filter_of(&known.policy(TEN), &keys);
        let digest = hex(&Sha256::digest(&filter));
        let (name, len) = (known.name(), filter.len());
        format!(
            r#"{{"policy": "{name}", "keys": "{rule}", "n": {n}, "bits_per_key": 10, "len": {len}, "sha256": "{digest}"}}"#
        )
    };
    of_sets.map(row).collect()
}

/// Stored filters are read for as long as they are kept, so these bytes must never change under their names.
#[test]
fn every_policy_writes_the_bytes_that_it_always_wrote() {
    let mut file = String::from_utf8(golden::bytes("policies.jsonl")).unwrap();
    let mut rows = rows();
    if std::env::var_os("RECORD_NEW_POLICIES").is_some() {
        // No recorded row changes.
        let name = |row: &str| row.split_once(", \"keys\"").unwrap().0.to_owned();
        let known: HashSet<String> = file.lines().map(name).collect();
        for row in rows.iter().filter(|row| !known.contains(&name(row))) {
            file += &format!("{row}\n");
        }
        std::fs::write(golden::path("policies.jsonl"), &file).unwrap();
    }
    let mut recorded: Vec<&str> = file.lines().collect();
    rows.sort();
    recorded.sort();
    assert!(
        rows == recorded,
        "filters have changed, a policy is no longer in the list, or one is new: then write its rows with \
         `RECORD_NEW_POLICIES=1 cargo test -p filter-policy --test all every_policy_writes`, after deleting any that an \
         unreleased draft of it recorded"
    );
}

#[test]
fn the_filters_of_every_policy_are_known() {
    for format in formats::ALL {
        for count in [0_u32, 1, 10, 1000] {
            let keys: Vec<[u8; 4]> = (0..count).map(u32::to_le_bytes).collect();
            let filter = filter_of(&format.policy(TEN), &keys);
            filters::check(
                &filter,
                &[&slices(&keys)[..], &[b"", b"absent", &[0xff; 300]]].concat(),
            );
            let kind = FilterView::new(*format, &filter).kind();
            let is_none = matches!(kind, FilterKind::Empty | FilterKind::Reserved);
            assert!(
                count == 0 || !is_none,
                "a filter of {} is read as {kind:?}",
                format.name()
            );
        }
    }
}

/// Readers that take the last byte for k. The name alone protects filters of other formats: split blocks may have any
/// last byte and any length, and binary fuse filters end in a number that may be a k.
#[test]
fn readers_of_another_format_deny_nothing() {
    let protected = [formats::LEVEL_DB, formats::BLOOM64, formats::FAST_LOCAL_BLOOM];
    let is_protected = |format: &&&dyn AnyFormat| protected.iter().any(|one| one.shares_layout(**format));
    let all: Vec<_> = formats::ALL.iter().filter(is_protected).collect();
    for count in [1_u32, 10, 2_000, 100_000] {
        let keys: Vec<[u8; 4]> = (0..count).map(u32::to_le_bytes).collect();
        for written in &all {
            let filter = filter_of(&written.policy(TEN), &keys);
            let others = all.iter().filter(|read| {
                !read.shares_layout(**written) && !read.shares_layout(formats::FAST_LOCAL_BLOOM)
            });
            for reader in others {
                for absent in [&b""[..], b"absent", &[0xff; 300]] {
                    let answer = reader.policy(TEN).key_may_match(absent, &filter);
                    assert!(answer, "{written:?} by {reader:?}");
                }
            }
        }
    }
}
