//! Structured keys, hash tables and mechanisms: tests find the classic failures, and good functions pass.

use hash_comparison::functions::{self, Function};
use hash_comparison::keys::load_embedded;
use hash_comparison::questions::mechanisms::sentences;
use hash_comparison::questions::{Records, tables};
use hash_comparison::record::{Run, Verdict};
use hash_comparison::run::quality;
use hash_comparison::values::Hashed;
use records::progress::Silent;

fn measured(names: &[&str]) -> Records {
    let functions: Vec<&Function> = names.iter().map(|name| functions::find(name).unwrap()).collect();
    let ids = load_embedded("video-ids", 1).unwrap();
    let mut records = Records::of(Run {
        seed: 1,
        ..Run::default()
    });
    quality::apart(&mut records, &functions, &Silent).unwrap();
    for function in &functions {
        let hashed = Hashed::new(&ids.keys, function);
        records.occupancy.extend(tables::measure(&ids.name, &hashed));
    }
    let summaries: Vec<_> = functions.iter().map(|function| function.summary()).collect();
    tables::judge(&mut records.occupancy, &summaries);
    records
}

/// Returns the distinct sets on which a function is worse than chance.
fn failed<'a>(structure: &'a Records, function: &str) -> Vec<&'a str> {
    let mut sets: Vec<&str> = structure
        .structured
        .iter()
        .filter(|row| row.function == function && row.verdict > Verdict::WithinChance)
        .map(|row| row.set.as_str())
        .collect();
    sets.dedup();
    sets
}

#[test]
fn the_classic_failures_are_found_and_good_functions_are_not_accused() {
    let cases = [
        ("BPHash", "uuid-4", "only the last 5 bytes"),
        (
            "PJW",
            "text-end",
            "lowering the last by 16 leaves the value unchanged",
        ),
        ("DEKHash", "short", "bit 5 of the last"),
        ("CRC-32", "urls", "linear: the difference of two values"),
        ("SDBMHash", "zeroes", "zero bytes before a key"),
        ("DJB2Hash", "numbers-text", "the low 7 bits of the value"),
        ("SipHashNoCase", "short", "upper and lower case"),
    ];
    let good = ["SipHash", "MurmurHash3", "XXH3", "rapidhash", "foldhash"];
    let names: Vec<&str> = cases.iter().map(|(name, ..)| *name).chain(good).collect();
    let structure = measured(&names);
    for (function, set, reason) in cases {
        assert!(failed(&structure, function).contains(&set), "{function}");
        let reasons = sentences(function, &structure.mechanisms);
        assert!(
            reasons.iter().any(|sentence| sentence.contains(reason)),
            "{reasons:?}"
        );
    }
    // A failed row shows two keys with the same hash.
    let rows = structure.structured.iter();
    for row in rows.filter(|row| row.verdict > Verdict::WithinChance) {
        assert!(row.first != row.second, "{row:?}");
    }
    let tables = |function: &str| {
        let rows = structure.occupancy.iter().filter(|row| row.function == function);
        rows.filter(|row| row.verdict != Verdict::WithinChance).count()
    };
    assert_eq!([tables("BPHash"), tables("PJW")], [4, 2]);
    for function in good {
        assert_eq!(failed(&structure, function), [""; 0], "{function}");
        assert!(
            sentences(function, &structure.mechanisms).is_empty(),
            "{function}"
        );
        assert_eq!(tables(function), 0, "{function}");
    }
}
