//! Tests of the command line: help texts, and arguments passed on to other programs.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn xtask(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command
        .args(arguments)
        .env("COLUMNS", "100")
        .env_remove("RUST_BACKTRACE");
    command
}

/// Returns exit code, standard output and standard error.
fn parts(output: &Output) -> (Option<i32>, &str, &str) {
    let text = |bytes| std::str::from_utf8(bytes).expect("output is UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn help_texts() {
    for command in ["", "test", "check", "fuzz", "sanitize", "cross", "release"] {
        for flag in ["-h", "--help"] {
            let words = [command, flag].into_iter();
            let arguments: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
            let output = xtask(&arguments).output().unwrap();
            let (code, stdout, stderr) = parts(&output);
            assert_eq!((code, stderr), (Some(0), ""));
            insta::assert_snapshot!(format!("help {}", arguments.join(" ")), stdout);
        }
    }
}

/// Replaces cargo by a program that prints its arguments.
#[cfg(unix)]
#[test]
fn arguments_folder_and_exit_code_are_those_of_the_other_program() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = tempfile::tempdir().unwrap();
    let cargo = folder.path().join("cargo");
    let write = |path: &Path, script: &str| {
        fs::write(path, script).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    let script = "#!/bin/sh\npwd\necho \"$HASH_COMPARISON_WORKSPACE\"\necho \"$@\"\nexit 7\n";
    write(&cargo, script);
    // Compilers that find every header, in a folder of their own, and none.
    let compilers = tempfile::tempdir().unwrap();
    for name in ["cc", "c++"] {
        write(&compilers.path().join(name), "#!/bin/sh\nexit 0\n");
    }
    let with_engines = compilers.path();
    let without = folder.path();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for (command, argument, path, package) in [
        ("compare", "--help", with_engines, "hash-comparison"),
        ("render", "--help", with_engines, "hash-comparison"),
        ("reproduce", "--help", with_engines, "hash-comparison"),
        ("list", "--help", with_engines, "hash-comparison"),
        ("inspect", "--help", with_engines, "filter-tools"),
        ("size", "--help", with_engines, "filter-tools"),
        ("bench", "--help", without, "bench"),
        (
            "bench",
            "--help",
            with_engines,
            "bench --features leveldb --features rocksdb",
        ),
    ] {
        let output = xtask(&[command, argument, "../keys.txt"])
            .current_dir(&folder)
            .env("CARGO", &cargo)
            .env("PATH", path)
            .output()
            .unwrap();
        let expected = format!(
            "{}\n{}\nrun --release --locked --manifest-path {} --package {package} -- {command} \
             {argument} ../keys.txt\n",
            folder.path().canonicalize().unwrap().display(),
            root.display(),
            root.join("Cargo.toml").display(),
        );
        assert_eq!(parts(&output), (Some(7), expected.as_str(), ""));
    }
}

#[test]
fn missing_programs_and_their_packages_are_named() {
    let nothing = tempfile::tempdir().unwrap();
    let output = xtask(&["test"]).env("PATH", nothing.path()).output().unwrap();
    let (code, stdout, stderr) = parts(&output);
    assert_eq!((code, stdout), (Some(1), ""));
    let start = "error: missing: cc, nm, pkg-config, cmake, chromium, ";
    assert!(stderr.starts_with(start), "{stderr}");
    let way = "run `cargo xtask test --install`, or `apt-get install gcc binutils pkg-config cmake chromium ";
    assert!(stderr.contains(way), "{stderr}");
}

/// Filters, engines and applications use nothing of the comparison or the benchmarks, and the comparison only filters
/// and what is shared, in tests and build scripts, too. A package belongs to the folder of `crates/` that contains it.
#[test]
fn each_folder_uses_only_those_that_it_may() {
    let rules: [(&str, &[&str]); 5] = [
        ("shared", &["shared"]),
        ("filters", &["filters", "shared"]),
        ("engines", &["engines", "filters", "shared"]),
        ("applications", &["applications", "filters", "shared"]),
        ("comparison", &["comparison", "filters", "shared"]),
    ];
    fn folder(path: &Value) -> Option<&str> {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("crates");
        let path = Path::new(path.as_str()?).strip_prefix(crates).ok()?;
        path.iter().next()?.to_str()
    }
    let mut cargo = Command::new(env!("CARGO"));
    let output = cargo
        .args(["metadata", "--no-deps", "--format-version=1"])
        .output();
    let metadata: Value = serde_json::from_slice(&output.unwrap().stdout).unwrap();
    let mut checked = BTreeSet::new();
    for package in metadata["packages"].as_array().unwrap() {
        let Some((user, allowed)) = rules
            .iter()
            .find(|(user, _)| folder(&package["manifest_path"]) == Some(*user))
        else {
            continue;
        };
        checked.insert(user);
        for used in package["dependencies"].as_array().unwrap() {
            // Others come from the registry.
            if used["path"].is_string() {
                let is_allowed = folder(&used["path"]).is_some_and(|used| allowed.contains(&used));
                assert!(is_allowed, "{} uses {}", package["name"], used["name"]);
            }
        }
    }
    assert_eq!(checked.len(), rules.len());
}
