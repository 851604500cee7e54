//! Tests that `cargo xtask bench` refuses wrong input before it measures.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs `bench` in a folder with these environment variables. Returns exit code, standard output and standard error.
fn run(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_bench"))
        .arg("bench")
        .args(arguments)
        .current_dir(folder)
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn folders_that_hold_something_else_are_refused_and_left_alone() {
    let ours = include_str!("../../../reports/reference/policy/run.json");
    for (files, says) in [
        (
            &[("out/mine.txt", "mine")][..],
            "out: must be empty or hold a run.json of this program; choose an empty or new folder",
        ),
        (
            &[("out/run.json", "{\"format\": \"hash-comparison\"}")],
            "out/run.json: not a run of this program: \"format\" must be \"bench\", got \"hash-comparison\"; choose an \
             empty or new folder",
        ),
        (
            &[("out/run.json", ours), ("out/parquet/mine.txt", "mine")],
            "out/parquet: must be empty or hold a run.json of this program; choose an empty or new folder",
        ),
        (
            &[("out/batches.csv", "mine"), ("out/run.json", ours)],
            "out/batches.csv: is not of the run that run.json describes and would be overwritten; move it, or choose \
             another folder",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let ended = run(folder.path(), &["--suite", "policy", "--out", "out"], &[]);
        let stderr = ended.2.replace(&format!("{}/", folder.path().display()), "");
        assert_eq!(
            (ended.0, &*ended.1, stderr),
            (Some(2), "", format!("error: {says}\n"))
        );
        for (path, text) in files {
            assert_eq!(fs::read_to_string(folder.path().join(path)).unwrap(), *text);
        }
    }
}

#[test]
fn what_is_missing_is_named_with_the_command_that_installs_it() {
    for (suite, missing) in [("redis", "redis-benchmark"), ("membership", "javac")] {
        let folder = tempfile::tempdir().unwrap();
        let arguments = ["--suite", suite, "--quick", "--out", "out"];
        let (code, _, stderr) = run(folder.path(), &arguments, &[("PATH", "nothing")]);
        let says = format!(
            "error: {missing}: No such file or directory; `cargo xtask test --install` installs it\n"
        );
        assert_eq!((code, stderr), (Some(2), says));
        assert!(!folder.path().join("out").exists());
    }
}

#[cfg(not(all(feature = "leveldb", feature = "rocksdb")))]
#[test]
fn a_suite_names_the_engine_that_the_program_was_built_without() {
    let missing = if cfg!(feature = "leveldb") {
        "RocksDB"
    } else {
        "LevelDB"
    };
    let folder = tempfile::tempdir().unwrap();
    let (code, _, stderr) = run(folder.path(), &["--suite", "policy", "--out", "out"], &[]);
    let says = format!(
        "error: {missing} was missing when this program was built; run `cargo xtask test --install`, and this command \
         again\n"
    );
    assert_eq!((code, stderr), (Some(2), says));
    assert!(!folder.path().join("out").exists());
}

#[test]
fn help_names_the_command_as_people_type_it() {
    let folder = tempfile::tempdir().unwrap();
    let (code, stdout, _) = run(folder.path(), &["--help"], &[]);
    assert_eq!(code, Some(0));
    assert!(stdout.contains("Usage: cargo xtask bench [OPTIONS]"), "{stdout}");
    assert!(
        stdout.contains("- point-reads: Blocks read and time per Get"),
        "{stdout}"
    );
}
