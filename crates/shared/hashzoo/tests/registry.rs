//! The registry: complete, unambiguous, and true to the code.

use hashzoo::{all, find};

/// Returns keys of 0 to 40 bytes that include all byte values.
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
fn records_are_complete_with_answers_of_all_kinds() {
    for info in all() {
        let name = info.name;
        let has = |kind: &str, wanted: fn(&[u8]) -> bool| {
            let mut keys = info.answers.iter().map(|(key, _)| key);
            assert!(
                keys.any(|key| wanted(key)),
                "{name} has no known answer of {kind}: add it"
            );
        };
        has("the empty key", <[u8]>::is_empty);
        has("a key of more than eight bytes", |key| key.len() > 8);
        // A key that reveals a port that reads signed bytes.
        has("a key with bytes above 0x7f", |key| !key.is_ascii());
        for (fact, text) in [
            ("source of its answers", info.answers_source),
            ("author", info.author),
            ("source", info.source),
        ] {
            assert!(
                !text.is_empty() && !text.contains("  "),
                "no {fact} in {name}: {text}"
            );
        }
        assert!((1978..=2026).contains(&info.year), "year {} in {name}", info.year);
        assert!(!info.weaknesses.is_empty(), "no weaknesses in {name}");
        for sentence in info.weaknesses {
            let is_plain = sentence.ends_with('.') && !sentence.contains("  ");
            assert!(is_plain, "{name}: {sentence}");
        }
    }
}

/// And no name means two functions: it would not find one of them.
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
fn every_function_has_its_verification_value_and_answers() {
    for info in all() {
        assert_eq!(
            info.computed_verification(),
            info.verification,
            "write `verification: {:#010x}` into the record of {} once other means give it too",
            info.computed_verification(),
            info.name
        );
        for (key, value) in info.answers {
            assert_eq!((info.hash)(key), *value, "{} of {key:?}", info.name);
        }
    }
}

#[test]
fn the_seeded_form_under_the_seed_of_the_record_is_the_function() {
    for info in all() {
        assert_eq!(info.seeded.is_some(), info.seed.is_some(), "{}", info.name);
        let (Some(seeded), Some(words)) = (info.seeded, info.seed) else {
            continue;
        };
        // SipHash has a key, and SMHasher's seed is only a part of it.
        if words.starts_with("key ") {
            continue;
        }
        let number = words
            .trim_start_matches("seed ")
            .split([' ', ','])
            .next()
            .unwrap();
        let seed = match number.strip_prefix("0x") {
            Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16),
            None => number.parse(),
        };
        let seed = seed.unwrap_or_else(|_| panic!("the seed of {} is no number: {words}", info.name));
        for key in keys() {
            assert_eq!(seeded(&key, seed), (info.hash)(&key), "{} of {key:?}", info.name);
        }
    }
}

#[test]
fn every_output_bit_is_used() {
    // The sums of Adler-32 are small on short keys.
    let long = (0..=255).map(|byte| vec![byte; 1000]);
    for info in all() {
        let used = keys()
            .chain(long.clone())
            .fold(0, |used, key| used | (info.hash)(&key));
        assert_eq!(used, u64::MAX >> (64 - info.output_bits), "{}", info.name);
    }
}

#[test]
fn low_bits_depend_on_low_bits_where_that_is_stated() {
    let mut claiming = 0;
    for info in all() {
        let claims = |text: &str| info.weaknesses.iter().any(|weakness| weakness.starts_with(text));
        let shared = match () {
            () if claims("Output bit j depends only on bits 0 to j") => 0..8,
            () if claims("The low five output bits depend only on the low five") => 5..6,
            () => continue,
        };
        claiming += 1;
        for bits in shared {
            let low = (1_u64 << bits) - 1;
            for key in keys().step_by(7) {
                let other: Vec<u8> = key.iter().map(|byte| byte ^ (0xff_u8 << bits)).collect();
                assert_eq!(
                    (info.hash)(&key) & low,
                    (info.hash)(&other) & low,
                    "{}: {key:?}, {bits} bits",
                    info.name
                );
            }
        }
    }
    assert!(claiming > 5, "{claiming}");
}
