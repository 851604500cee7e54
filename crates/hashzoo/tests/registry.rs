//! The registry: complete, unambiguous, and true to the code.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use hashzoo::{LEVELDB_BLOOM_SEED, MURMUR2_SEED, OTHERS, PUBLISHED, VARIANTS, all, find};

/// Keys of 0 to 40 bytes, all byte values among them.
fn keys() -> impl Iterator<Item = Vec<u8>> {
    (0..2000_u32).map(|n| {
        let len = n % 41;
        (0..len)
            .map(|i| {
                (n.wrapping_mul(0x9e37_79b9)
                    .wrapping_add(i.wrapping_mul(0x85eb_ca6b))
                    >> 24) as u8
            })
            .collect()
    })
}

#[test]
fn the_published_functions_stand_in_the_published_order() {
    assert_eq!(
        PUBLISHED.map(|info| info.name),
        [
            "SDBMHash",
            "SimMurMurHash",
            "JSHash",
            "PJW",
            "MurMurHash2",
            "ELFHash",
            "BKDRHash",
            "CalcNrHash",
            "APHash",
            "BPHash",
            "FNVHash",
            "RSHash",
            "DJB",
            "DJB2Hash",
            "DEKHash",
            "SipHashNoCase",
            "SipHash",
        ]
    );
    let listed: Vec<&str> = all().map(|info| info.name).collect();
    assert_eq!(listed.len(), PUBLISHED.len() + VARIANTS.len() + OTHERS.len());
    assert!(listed.starts_with(&PUBLISHED.map(|info| info.name)));
}

#[test]
fn every_file_of_a_function_is_registered() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/functions");
    let files: BTreeSet<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            entry
                .unwrap()
                .path()
                .file_stem()
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        })
        .filter(|stem| stem != "mod")
        .collect();
    // A file is named after its published function, or after its only one.
    let idents: BTreeSet<String> = PUBLISHED
        .iter()
        .map(|info| info.ident)
        .chain([
            "farm_fingerprint64",
            "lookup3",
            "murmur3_x64_128",
            "one_at_a_time",
            "rocksdb_hash",
            "xxph3",
        ])
        .map(str::to_owned)
        .collect();
    assert_eq!(files, idents);
    assert!(files.iter().all(|file| find(file).is_some()));
}

#[test]
fn no_name_means_two_functions() {
    let mut owners = BTreeMap::new();
    for info in all() {
        for name in info.names() {
            let owner = *owners.entry(name.to_ascii_lowercase()).or_insert(info.name);
            assert_eq!(owner, info.name, "{name}");
        }
    }
}

#[test]
fn every_name_is_found_in_any_case() {
    for info in all() {
        for name in info.names() {
            for spelling in [
                name.to_owned(),
                name.to_ascii_lowercase(),
                name.to_ascii_uppercase(),
            ] {
                assert_eq!(find(&spelling).unwrap().name, info.name, "{spelling}");
            }
        }
    }
    for unknown in ["", " SDBMHash", "SDBMHas", "ſdbm"] {
        assert!(find(unknown).is_none(), "{unknown}");
    }
}

#[test]
fn every_function_has_its_verification_value() {
    for info in all() {
        assert_eq!(
            info.computed_verification(),
            info.verification,
            "{}: computed {:#010x}",
            info.name,
            info.computed_verification()
        );
        assert!(info.verify(), "{}", info.name);
    }
}

#[test]
fn a_wrong_verification_value_is_noticed() {
    let mut info = *find("SDBMHash").unwrap();
    info.verification ^= 1;
    assert!(!info.verify());
}

#[test]
fn the_codes_that_smhasher_prints() {
    for (name, code) in [
        ("MurMurHash2", 0x2786_4c1e),
        ("SipHash-1-3", 0x29c0_10bf),
        ("SipHash-2-4", 0xc58d_7f9c),
        ("lookup3", 0x3d83_917a),
        // There "JenkinsOOAT_perl".
        ("OneAtATime", 0xee05_869b),
    ] {
        assert_eq!(find(name).unwrap().verification, code, "{name}");
    }
}

#[test]
fn the_seeded_form_under_the_published_seed_is_the_function() {
    for (name, seed) in [
        ("SimMurMurHash", LEVELDB_BLOOM_SEED),
        ("MurMurHash2", MURMUR2_SEED),
        ("MurmurHash2-signed-tail", MURMUR2_SEED),
        ("MurmurHash3_x64_128", 0),
        ("RocksDB-Hash", LEVELDB_BLOOM_SEED),
        ("XXPH3", 0),
        ("OneAtATime", 0),
        ("lookup3", 0),
    ] {
        let info = find(name).unwrap();
        for key in keys() {
            assert_eq!(
                info.seeded.unwrap()(&key, seed),
                (info.hash)(&key),
                "{name} of {key:?}"
            );
        }
    }
    // A seed that a function has is told in words, and the other way round.
    for info in all() {
        assert_eq!(info.seeded.is_some(), info.seed.is_some(), "{}", info.name);
    }
}

#[test]
fn every_output_bit_is_used() {
    for info in all() {
        let used = keys().fold(0, |used, key| used | (info.hash)(&key));
        assert_eq!(used, u64::MAX >> (64 - info.output_bits), "{}", info.name);
    }
}

#[test]
fn only_pjw_and_elf_are_one_function() {
    let mut groups: BTreeMap<Vec<u64>, Vec<&str>> = BTreeMap::new();
    for info in all() {
        groups
            .entry(keys().map(|key| (info.hash)(&key)).collect())
            .or_default()
            .push(info.name);
    }
    let same: Vec<_> = groups.into_values().filter(|names| names.len() > 1).collect();
    assert_eq!(same, [["PJW", "ELFHash"]]);
}

#[test]
fn records_are_complete() {
    for info in all() {
        let name = info.name;
        assert!((1978..=2026).contains(&info.year), "{name}: {}", info.year);
        assert!(!info.author.is_empty() && !info.source.is_empty(), "{name}");
        assert!(
            [28, 31, 32, 64].contains(&info.output_bits),
            "{name}: {}",
            info.output_bits
        );
        assert!(!info.weaknesses.is_empty(), "{name}");
        for sentence in info.weaknesses {
            assert!(
                sentence.ends_with('.') && !sentence.contains("  "),
                "{name}: {sentence}"
            );
        }
        assert!(!info.source.contains("  "), "{name}: {}", info.source);
    }
}
