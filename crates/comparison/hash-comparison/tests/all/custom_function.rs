//! Runs the example program with custom functions as a user would.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use hash_comparison::questions::Records;
use hash_comparison::record::{FunctionGroup, Resistance, Verdict};

/// Runs the example program, which is in a folder next to that of the tests.
fn run(arguments: &[&Path]) -> Output {
    let tests = std::env::current_exe().unwrap();
    let name = format!("custom_function{}", std::env::consts::EXE_SUFFIX);
    let path = tests.ancestors().nth(2).unwrap().join("examples").join(name);
    if !path.is_file() {
        // `cargo test` builds examples, except when it runs selected test targets.
        let profile = if cfg!(debug_assertions) { "dev" } else { "release" };
        let mut build = Command::new(env!("CARGO"));
        build.args([
            "build",
            "--package",
            "hash-comparison",
            "--example",
            "custom_function",
        ]);
        assert!(build.args(["--profile", profile]).status().unwrap().success());
    }
    Command::new(path).args(arguments).output().unwrap()
}

#[test]
fn two_custom_functions_are_judged_beside_built_in_ones() {
    let bench = tempfile::tempdir().unwrap();
    let keys = bench.path().join("words.txt");
    // All words of five letters from an alphabet of five: the words are distinct, but their sums collide.
    let letter = |number: usize, place: u32| b"abcde"[number / 5_usize.pow(place) % 5];
    let word = |number| [0, 1, 2, 3, 4].map(|place| letter(number, place));
    let words: Vec<[u8; 5]> = (0..3125).map(word).collect();
    fs::write(&keys, words.join(&b'\n')).unwrap();

    let out = bench.path().join("out");
    let output = run(&[&out, &keys]);
    let [said, wrong] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{said}{wrong}");
    let avoided = said.lines().find(|line| line.contains("avoid"));
    assert!(said.starts_with("words (3,125 keys): take "), "{said}");
    // The first stands beside the pick.
    assert!(
        said.contains("Wordwise") && said.contains("good enough?"),
        "{said}"
    );
    assert!(avoided.is_some_and(|line| line.contains("ByteSum (")), "{said}");

    let records = Records::read(&out).unwrap();
    let functions = &records.run.functions;
    let names: Vec<&str> = functions.iter().map(|function| &*function.name).collect();
    assert_eq!(names, ["MurMurHash2", "FNV-1a 64", "XXH3", "Wordwise", "ByteSum"]);
    let own = &functions[3..];
    assert!(own.iter().all(|function| {
        function.group == FunctionGroup::Own
            && function.resistance == Resistance::None
            && function.origin == "own code"
    }));
    assert_eq!((own[0].output_bits, own[0].bits), (64, 32));
    let verdict = |name: &str| {
        let mut findings = records.run.findings.iter();
        findings.find(|finding| finding.function == name).unwrap().verdict
    };
    assert_eq!(verdict("ByteSum"), Verdict::FarWorseThanChance);
    assert_eq!(verdict("Wordwise"), Verdict::WithinChance);
    let page = fs::read_to_string(out.join("index.html")).unwrap();
    // The command that repeats the run is there.
    for expected in ["Wordwise", "ByteSum", "custom_function", "words.txt"] {
        assert!(page.contains(expected), "{expected}");
    }
    // The program has no options.
    assert!(!page.contains("--out DIR") && !page.contains("--keys FILE"));
    // Five letters have only 21 different sums; any other count is a bug in the measurement.
    let collisions = records.collisions.iter().find(|row| row.function == "ByteSum");
    assert_eq!(collisions.map(|row| row.collisions), Some(3125 - 21));
}
