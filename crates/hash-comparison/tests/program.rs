//! The installed program as people meet it, in a folder that is no clone.
#![expect(clippy::unwrap_used, reason = "what cannot be had fails the test")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hash-comparison"))
        .args(arguments)
        .current_dir(folder)
        .env("COLUMNS", "100")
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn keys_are_compared_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("keys.txt"), "one\ntwo\nthree\n").unwrap();
    let fixed = ["compare", "--quick", "--keys", "keys.txt", "--function", "XXH3"];
    let first = run(folder.path(), &fixed);
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    let report = folder.path().join("hash-comparison-report");
    let json = fs::read_to_string(report.join("run.json")).unwrap();
    assert!(
        json.contains("\"command\": \"hash-comparison compare --keys keys.txt"),
        "{json}"
    );
    assert!(report.join("index.html").is_file());

    let again = [
        &fixed[..],
        &["--baseline", "hash-comparison-report", "--out", "after"],
    ]
    .concat();
    let second = run(folder.path(), &again);
    assert_eq!(second.status.code(), Some(0), "{}", text(&second.stderr));
    let said = text(&second.stdout);
    assert!(said.contains("everything but times: no difference in"), "{said}");
    assert!(said.contains("too few functions"), "{said}");
    let page = fs::read_to_string(folder.path().join("after/index.html")).unwrap();
    assert!(page.contains("Since the earlier run"));

    let rendered = run(folder.path(), &["render", "after"]);
    assert_eq!(rendered.status.code(), Some(0), "{}", text(&rendered.stderr));
    assert_eq!(
        fs::read_to_string(folder.path().join("after/index.html")).unwrap(),
        page
    );
}

#[test]
fn help_names_this_program() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [
        &["--help"][..],
        &["-h"],
        &["compare", "--help"],
        &["compare", "-h"],
        &["render", "--help"],
        &["list", "--help"],
        &["size", "--help"],
        &["size", "-h"],
    ] {
        let outcome = run(folder.path(), arguments);
        assert_eq!(outcome.status.code(), Some(0));
        insta::assert_snapshot!(arguments.join(" "), text(&outcome.stdout));
    }
}

#[test]
fn mistakes_are_told_in_its_own_name() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, expected) in [
        (
            &["compare", "--function", "nosuch"][..],
            "`hash-comparison list` shows all",
        ),
        (
            &["compare", "--baseline", "nosuch"],
            "--baseline: nosuch/run.json",
        ),
        (&["render", "nosuch"], "no run.json here"),
    ] {
        let outcome = run(folder.path(), arguments);
        let said = text(&outcome.stderr);
        assert_eq!(outcome.status.code(), Some(2), "{said}");
        assert!(said.contains(expected) && !said.contains("xtask"), "{said}");
    }
}
