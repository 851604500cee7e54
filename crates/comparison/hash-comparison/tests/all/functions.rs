//! Functions by their names, their known answers, and a program's own.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use hash_comparison::Comparison;
use hash_comparison::functions::{
    Function, GROUPS, OTHER_NAMES, all, default_set, find, gate, known, meaning, select,
};
use hash_comparison::record::FunctionGroup;

fn names(function: &Function) -> impl Iterator<Item = &String> {
    [&function.facts.name, &function.ident]
        .into_iter()
        .chain(&function.aliases)
}

#[test]
fn names_identifiers_and_aliases_lead_to_one_function_each() {
    let mut taken = BTreeSet::new();
    for function in all() {
        let names = names(function).map(|name| name.to_ascii_lowercase());
        for name in names.collect::<BTreeSet<String>>() {
            // Punctuation that alone distinguishes functions would make their names ambiguous in other spellings.
            for punctuation in ["", "_", "-"] {
                let spelling = name.replace(|character: char| !character.is_alphanumeric(), punctuation);
                let found = find(&spelling).ok().map(|found| &found.facts.name);
                assert_eq!(found, Some(&function.facts.name), "{spelling}");
            }
            assert!(taken.insert(name), "{} shares a name", function.facts.name);
        }
    }
    assert!(GROUPS.iter().all(|(group, _)| !taken.contains(*group)));
}

#[test]
fn a_name_of_several_functions_or_of_a_program_leads_to_functions() {
    for (other, meant) in OTHER_NAMES {
        let other = other.to_lowercase();
        let found = find(&other).map(|one| &*one.facts.name);
        if let [function] = meant {
            assert_eq!(found.unwrap(), *function);
            let start = format!("{other} uses {function}, of ");
            assert!(meaning(&other).unwrap().starts_with(&start), "{other}");
        } else {
            // Neither the name of a function nor one that is not known.
            let error = found.unwrap_err().to_string();
            assert_eq!(select(&other).unwrap_err().to_string(), error);
            assert!(
                meant
                    .iter()
                    .all(|name| error.contains(&find(name).unwrap().facts.name)),
                "{error}"
            );
        }
    }
}

#[test]
fn a_further_function_is_found_by_the_name_of_its_crate_or_the_error_has_the_remedy() {
    let letters = |text: &str| text.replace(['-', '_'], "").to_lowercase();
    let further = |one: &&Function| one.facts.group == FunctionGroup::Further;
    let known = known().filter(further);
    for function in known.clone() {
        let (package, _) = function.facts.origin.split_once(' ').unwrap();
        for name in names(function) {
            assert!(
                package == "hashzoo" || letters(name).starts_with(&letters(package)),
                "{name}"
            );
            match find(name) {
                Ok(found) => assert_eq!(found.facts.name, function.facts.name),
                Err(error) => assert!(error.to_string().contains(function.lacks.as_deref().unwrap())),
            }
        }
    }
    assert_eq!(known.count(), 16);
    assert!(find("komihash").is_ok() && select("further").unwrap().len() >= 13);
    assert!(!default_set().any(|function| further(&function)));
}

#[test]
fn no_build_can_measure_another_version_than_the_origin_says() {
    // A build without this lock file may take any version that the requirements allow.
    let manifest: toml::Table = include_str!("../../../../../Cargo.toml").parse().unwrap();
    let dependencies = &manifest["workspace"]["dependencies"];
    for function in known() {
        let (name, version) = function.facts.origin.split_once(' ').unwrap();
        let dependency = &dependencies[name];
        let requirement = dependency.get("version").unwrap_or(dependency).as_str().unwrap();
        let exact = if dependency.get("path").is_some() { "" } else { "=" };
        assert_eq!(
            requirement,
            format!("{exact}{version}"),
            "{}",
            function.facts.name
        );
    }
}

fn odd(name: &'static str, bits: u32) -> Function {
    Function::custom(name, bits, |key| key.len() as u64, &[(b"key", 3)])
}

#[test]
fn names_and_bits_that_cannot_be_are_refused() {
    let check = |own| Comparison::new().function(own).plan();
    check(odd("Odd", 64)).unwrap();
    for (name, bits, expected) in [
        ("", 32, "got \"\""),
        ("tab\there", 32, "control character"),
        (
            "a name that is longer than charts allow",
            32,
            "1 to 32 characters",
        ),
        ("xxh3-64", 32, "taken by XXH3, of xxhash-rust"),
        ("Variants", 32, "taken by a group"),
        ("Ideal", 32, "taken by a row of the records"),
        ("EMPTY", 32, "taken by a row of the records"),
        (
            "Odd",
            0,
            "the output of the function \"Odd\" must have 1 to 64 bits, got 0",
        ),
        ("Odd", 65, "must have 1 to 64 bits, got 65"),
    ] {
        let message = check(odd(name, bits)).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn the_gate_lets_every_function_pass_and_no_wrong_one() {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    gate(all().iter().chain([&odd("Odd", 64)])).unwrap();
    let xxh3 = find("XXH3").unwrap();
    let changing = |key: &[u8]| match key.len() {
        1 => CALLS.fetch_add(1, Ordering::Relaxed),
        _ => 0,
    };
    let counting = |_: &[u8]| CALLS.fetch_add(1, Ordering::Relaxed);
    let wrong = Function {
        answers: vec![(b"key".to_vec(), 4)],
        ..odd("Odd", 64)
    };
    let wrong_on_long_keys = Function {
        hash: |key| (find("XXH3").unwrap().hash)(key) ^ u64::from(key.len() == 1025),
        ..xxh3.clone()
    };
    // Function pointers carry no state, so a broken function cannot wrap the original one.
    let broken = all().iter().map(|function| Function {
        hash: |key| u64::from(key.len() == 3),
        ..function.clone()
    });
    let broken = broken.map(|function| (function, " must be 0x"));
    let cases = [
        (wrong, "the value of \"key\" must be 0x4, got 0x3"),
        (
            odd("Odd", 8),
            "the bits above the 8 of its output, of 256 bytes must be 0x0, got 0x1",
        ),
        (
            Function::custom("Odd", 64, counting, &[]),
            "the value of the same 0 bytes once more must be 0x0, got 0x1",
        ),
        (
            Function::custom("Odd", 64, changing, &[]),
            "the value of the same 1 byte once more must be ",
        ),
        (wrong_on_long_keys, "the value of a key of 1,025 bytes must be 0x"),
    ];
    for (function, expected) in cases.into_iter().chain(broken) {
        let error = gate([xxh3, &function]).unwrap_err().to_string();
        let start = format!("{} is not measured: ", function.facts.name);
        assert!(error.starts_with(&start) && error.contains(expected), "{error}");
    }
}

/// The rows return what `Hash for u64` and `for i32` return in the crates themselves.
#[cfg(all(target_pointer_width = "64", target_endian = "little"))]
#[test]
fn functions_hash_integers_as_rust_does() {
    use std::hash::BuildHasher;

    use hash_comparison::KeyKind::{Binary, Int, Line, Long};

    fn check(name: &str, state: impl BuildHasher) {
        let [long, int] = [Long, Int].map(|kind| find(name).unwrap().of_integers(kind).unwrap());
        gate([&long, &int]).unwrap();
        let names = [&*long.facts.name, &*int.facts.name];
        assert_eq!(names, [format!("{name} (u64)"), format!("{name} (u32)")]);
        for number in [0, 1, -2, 1 << 48, i64::MAX] {
            assert_eq!(
                (long.hash)(&number.to_le_bytes()),
                state.hash_one(number),
                "{name}, {number}"
            );
            assert_eq!((long.hash)(&number.to_le_bytes()), state.hash_one(number as u64));
            let half = number as i32;
            assert_eq!(
                (int.hash)(&half.to_le_bytes()),
                state.hash_one(half),
                "{name}, {half}"
            );
        }
        assert_eq!((long.hash)(b"four"), (find(name).unwrap().hash)(b"four"));
        assert!(long.facts.weaknesses[0].contains("by write_u64") && int.facts.integer_bits == 32);
        assert_ne!((long.hash)(b"8 bytes."), (find(name).unwrap().hash)(b"8 bytes."));
    }
    check("FxHash-2", rustc_hash::FxBuildHasher);
    check("foldhash", foldhash::quality::FixedState::with_seed(0));
    check("foldhash-fast", foldhash::fast::FixedState::with_seed(0));
    let ahash = if cfg!(all(target_arch = "x86_64", target_feature = "aes")) {
        "aHash-AES"
    } else {
        "aHash"
    };
    check(ahash, ahash::RandomState::with_seeds(0, 0, 0, 0));
    assert!(find("XXH3").unwrap().of_integers(Long).is_none());
    assert!(
        [Line, Binary]
            .iter()
            .all(|&kind| find("FxHash-2").unwrap().of_integers(kind).is_none())
    );
}
