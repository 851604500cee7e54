//! Runs the example program with custom functions as a user would.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use hash_comparison::questions::Records;
use hash_comparison::record::{FunctionGroup, Resistance, Verdict};

/// Returns the path of the example program, which is in a folder next to that of the tests.
fn example() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let name = format!("custom_function{}", std::env::consts::EXE_SUFFIX);
    let path = tests
        .parent()
        .and_then(Path::parent)
        .unwrap()
        .join("examples")
        .join(name);
    if !path.is_file() {
        // `cargo test` builds examples, except when it runs selected test targets.
        let profile = match path.iter().rev().nth(2).and_then(|folder| folder.to_str()) {
            Some("debug") => "dev",
            Some(folder) => folder,
            None => panic!("{}: no folder of a profile", path.display()),
        };
        let built = Command::new(env!("CARGO"))
            .args(["build", "--quiet", "--package", "hash-comparison"])
            .args(["--example", "custom_function", "--profile", profile])
            .status()
            .unwrap();
        assert!(built.success() && path.is_file(), "{}", path.display());
    }
    path
}

fn run(arguments: &[&Path]) -> Output {
    Command::new(example()).args(arguments).output().unwrap()
}

#[test]
fn two_custom_functions_are_judged_beside_built_in_ones() {
    let bench = tempfile::tempdir().unwrap();
    let keys = bench.path().join("words.txt");
    // All words of five letters from an alphabet of five: the words are distinct, but their sums collide.
    let letters = ["a", "b", "c", "d", "e"];
    let words: String = (0..3125)
        .map(|number| {
            let letter = |place: u32| letters[(number / 5_usize.pow(place)) % 5];
            (0..5).map(letter).chain(["\n"]).collect::<String>()
        })
        .collect();
    fs::write(&keys, words).unwrap();

    let out = bench.path().join("out");
    let output = run(&[&out, &keys]);
    let [said, wrong] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{said}{wrong}");
    for told in [
        "words, ByteSum: FarWorseThanChance\n    ",
        "words, Wordwise: WithinChance\n",
    ] {
        assert!(said.contains(told), "{said}");
    }

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
    assert!(page.contains("Wordwise") && page.contains("ByteSum"));
    assert!(
        page.contains("custom_function") && page.contains("words.txt"),
        "the command repeats the run"
    );
    // Five letters have only 21 different sums; any other count is a bug in the measurement.
    let collisions = records.collisions.iter().find(|row| row.function == "ByteSum");
    assert_eq!(collisions.map(|row| row.collisions), Some(3125 - 21));
}
