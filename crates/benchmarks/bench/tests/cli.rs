//! Tests that `cargo xtask bench` refuses wrong input before it measures.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs `bench` in a folder with an environment variable set. Returns exit code, standard output and standard error.
fn run(folder: &Path, arguments: &[&str], variable: Option<(&str, &str)>) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_bench"))
        .arg("bench")
        .args(arguments)
        .current_dir(folder)
        .envs(variable)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn folders_that_hold_something_else_are_refused_and_left_alone() {
    let policy = "{\"format\": \"policy-bench\", \"schema\": 3}";
    let membership = "{\"format\": \"membership-bench\", \"schema\": 1}";
    for (files, says) in [
        (
            &[("out/mine.txt", "mine")][..],
            "out: must be empty or hold a bench.json of this program; choose an empty or new folder",
        ),
        (
            &[("out/bench.json", membership)],
            "out: bench.json is not of this version of this benchmark; remove the folder, or choose another",
        ),
        (
            &[("out/bench.json", policy), ("out/rocksdb/mine.txt", "mine")],
            "out/rocksdb: must be empty or hold a bench.json of this program; choose an empty or new folder",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let ended = run(folder.path(), &["--suite", "policy", "--out", "out"], None);
        assert_eq!(ended, (Some(2), String::new(), format!("error: {says}\n")));
        for (path, text) in files {
            assert_eq!(fs::read_to_string(folder.path().join(path)).unwrap(), *text);
        }
    }
}

#[test]
fn what_is_missing_is_named_with_its_package() {
    for (suite, (variable, value), says) in [
        (
            "point-reads",
            ("CXX", "no-compiler"),
            "leveldb/c.h (package libleveldb-dev); run `apt-get install g++ libleveldb-dev`\n",
        ),
        (
            "membership",
            ("PATH", "nothing"),
            "java (package default-jre-headless), javac (package default-jdk-headless)",
        ),
        (
            "instructions",
            ("PATH", "nothing"),
            "valgrind (package valgrind); run `apt-get install valgrind`\n",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let arguments = ["--suite", suite, "--quick", "--out", "out"];
        let (code, _, stderr) = run(folder.path(), &arguments, Some((variable, value)));
        assert_eq!(code, Some(2), "{suite}: {stderr}");
        assert!(
            stderr.starts_with(&format!("error: missing: {says}")),
            "{suite}: {stderr}"
        );
        assert!(!folder.path().join("out").exists());
    }
}

#[test]
fn help_names_the_command_as_people_type_it() {
    let folder = tempfile::tempdir().unwrap();
    let (code, stdout, _) = run(folder.path(), &["--help"], None);
    assert_eq!(code, Some(0));
    assert!(stdout.contains("Usage: cargo xtask bench [OPTIONS]"), "{stdout}");
    assert!(
        stdout.contains("- instructions: Instructions that each policy takes"),
        "{stdout}"
    );
}
