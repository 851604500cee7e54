//! Every mistake gives exit code 2 and one message that names the cause and the remedy, and writes nothing.

use std::fs;

use super::{Workbench, sealed};

/// Runs invalid `arguments`, and checks that the message contains `named` and that no file changed.
fn refused(bench: &Workbench, arguments: &str, named: &[&str]) {
    let before = bench.snapshot();
    let outcome = bench.run(arguments);
    let said = outcome.stderr;
    assert_eq!(outcome.code, 2, "{arguments}: {said}");
    assert_eq!(outcome.stdout, "", "{arguments}");
    // Arguments and files are checked before anything starts, so the message is the only output.
    assert!(
        said.starts_with("error: ") && said.matches("error: ").count() == 1,
        "{arguments}: {said}"
    );
    for word in named {
        assert!(said.contains(word), "{arguments}: {word:?} is not in: {said}");
    }
    assert!(bench.snapshot() == before, "{arguments} changed a file");
}

/// Returns the arguments of a comparison that would be quick if it were valid.
fn compare(more: &str) -> String {
    format!("compare --quick --function XXH3 {more}")
}

#[test]
fn key_files() {
    let bench = Workbench::new();
    bench.write("a.txt", "one\n");
    bench.write("sub/a.keys", "two\n");
    let cases: &[(&str, &[&str])] = &[
        (
            "--keys missing.txt",
            &["missing.txt", "No such file", "; check the path\n"],
        ),
        (
            "--keys a.txt --keys missing.txt",
            &["missing.txt", "No such file"],
        ),
        (
            "--keys a.txt/b.txt",
            &["a.txt/b.txt", "Not a directory; check the path\n"],
        ),
        ("--keys a.txt --keys a.txt", &["a.txt", "must be given once"]),
        (
            "--keys a.txt --keys sub/a.keys",
            &["a.txt", "sub/a.keys", "rename"],
        ),
    ];
    for (arguments, named) in cases {
        refused(&bench, &compare(&format!("{arguments} --out out")), named);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_key_file_that_cannot_be_read() {
    // This file opens but fails to read; permissions would not stop root.
    refused(
        &Workbench::new(),
        &compare("--keys /proc/self/mem --out out"),
        &[
            "/proc/self/mem",
            "cannot read",
            "; give another file, or a copy of it\n",
        ],
    );
}

#[test]
fn names_and_seeds() {
    let bench = Workbench::new();
    bench.write("keys.txt", "one\n");
    let cases: &[(&str, &[&str])] = &[
        ("--dataset app-acounts", &["app-acounts", "app-accounts", "list"]),
        ("--function XXH4", &["XXH4", "XXH3", "list"]),
        ("--function ''", &["no function is called \"\"; ", "list"]),
        (
            "--seed one",
            &["one", "--seed", "whole number between 0 and 18446744073709551615"],
        ),
        ("--seed -1", &["-1", "--seed", "whole number"]),
        ("--seed 1.5", &["1.5", "--seed", "whole number"]),
        (
            "--seed 18446744073709551616",
            &["18446744073709551616", "whole number"],
        ),
        ("--seed ''", &["--seed"]),
        ("--sed 1", &["--sed"]),
        ("stray", &["stray"]),
    ];
    for (arguments, named) in cases {
        refused(&bench, &compare(&format!("{arguments} --out out")), named);
    }
    refused(&bench, "compere", &["compere", "compare"]);
    refused(&bench, "render", &["DIR"]);
}

#[test]
fn places_that_are_not_ours() {
    let bench = Workbench::new();
    bench.write("keys.txt", "one\ntwo\n");
    bench.write("file", "somebody's\n");
    bench.write("theirs/letter.txt", "somebody's\n");
    let cases: &[(&str, &[&str])] = &[
        ("file", &["file", "is a file"]),
        ("file/", &["file", "is a file"]),
        ("file/.", &["file", "is a file"]),
        ("file/out", &["file", "Not a directory"]),
        ("file/deep/out", &["file", "Not a directory"]),
        ("theirs", &["theirs", "run.json", "choose"]),
        ("nowhere/../out", &["nowhere/../out", "not there"]),
        ("''", &["--out"]),
        (
            &"x".repeat(300),
            &["xxx", "File name too long; choose another folder\n"],
        ),
    ];
    for (out, named) in cases {
        refused(&bench, &compare(&format!("--keys keys.txt --out {out}")), named);
        if *out != "''" {
            refused(&bench, &format!("render {out}"), &named[..1]);
        }
    }
    #[cfg(target_os = "linux")]
    refused(
        &bench,
        &compare("--keys keys.txt --out /proc/out"),
        // The message shows no name of a scratch folder.
        &["/proc/out: cannot be made: No such file or directory; choose another folder\n"],
    );
    refused(&bench, "render absent", &["absent", "run.json"]);
    fs::create_dir(bench.path("empty")).unwrap();
    refused(&bench, "render empty", &["empty", "run.json"]);
}

#[test]
fn run_files_that_are_not_ours() {
    let bench = Workbench::with_run();
    let good = bench.read("out/run.json");
    let edit = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        sealed(&good.replacen(from, to, 1))
    };
    let cases: &[(String, &[&str])] = &[
        (String::new(), &["damaged"]),
        (good[..good.len() / 2].to_owned(), &["damaged", "line"]),
        ("[]".to_owned(), &["not a run of this program"]),
        (
            "{\"format\": \"lighthouse\"}".to_owned(),
            &["lighthouse", "not a run of this program"],
        ),
        (
            edit("\"schema\": 1", "\"schema\": 2"),
            &["schema 2", "this program reads 1"],
        ),
        (edit("\"seed\": 1", "\"seed\": \"one\""), &["damaged", "line"]),
        (
            edit("\"index.html\"", "\"../keys.txt\""),
            &["../keys.txt", "never writes"],
        ),
        (
            edit("\"index.html\"", "\"/etc/hostname\""),
            &["/etc/hostname", "never writes"],
        ),
        (
            edit("\"index.html\"", "\"charts/../../keys.svg\""),
            &["keys.svg", "never writes"],
        ),
        (
            edit("\"index.html\"", "\"notes.txt\""),
            &["notes.txt", "never writes"],
        ),
        (
            edit("\"run.json\"", "\"index.html\""),
            &["does not list run.json"],
        ),
        (
            good.replacen("\"date\": \"2", "\"date\": \"1", 1),
            &["is not what the run wrote"],
        ),
        (
            edit("\"quick\"", "\"thorough\": true,\n  \"quick\""),
            &["damaged", "unknown field `thorough`"],
        ),
        (
            edit("\"quick\"", "\"seed\": 1,\n  \"quick\""),
            &["damaged", "duplicate field `seed`"],
        ),
    ];
    for (text, named) in cases {
        bench.write("out/run.json", text);
        let named = [&["run.json"][..], named].concat();
        refused(&bench, &compare("--keys keys.txt --out out"), &named);
        refused(&bench, "render out", &named);
    }
    // The message never suggests removing foreign files.
    bench.write("out/run.json", "{\"format\": \"lighthouse\"}");
    let elsewhere = ["; choose an empty or new folder\n"];
    refused(&bench, &compare("--keys keys.txt --out out"), &elsewhere);
}

#[test]
fn records_that_are_damaged() {
    let bench = Workbench::with_run();
    let good = bench.read("out/timing.csv");
    let message = "timing.csv: is not what the run wrote: its SHA-256 is not the one in run.json; restore the file, or run \
                   `compare` again\n";
    for text in [
        String::new(),
        good.replacen("median", "mean", 1),
        good.replacen('4', "5", 1),
    ] {
        bench.write("out/timing.csv", text);
        refused(&bench, "render out", &[message]);
    }
    fs::remove_file(bench.path("out/timing.csv")).unwrap();
    refused(&bench, "render out", &["timing.csv", "No such file"]);
}

#[test]
#[cfg(unix)]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;

    let bench = Workbench::with_run();
    bench.write("theirs/precious.svg", "somebody's\n");
    fs::rename(bench.path("out/charts"), bench.path("charts")).unwrap();
    symlink(bench.path("theirs"), bench.path("out/charts")).unwrap();
    refused(
        &bench,
        &compare("--keys keys.txt --out out"),
        &["charts", "not a folder"],
    );
    refused(&bench, "render out", &["charts", "not a folder"]);

    symlink(bench.path("nothing"), bench.path("dangling")).unwrap();
    symlink(bench.path("keys.txt"), bench.path("link")).unwrap();
    for out in ["link", "link/", "link/."] {
        refused(
            &bench,
            &compare(&format!("--keys keys.txt --out {out}")),
            &["link", "is a file"],
        );
    }
    for out in ["dangling", "dangling/", "dangling/out"] {
        refused(
            &bench,
            &compare(&format!("--keys keys.txt --out {out}")),
            &["dangling"],
        );
    }

    fs::remove_file(bench.path("out/run.json")).unwrap();
    symlink(bench.path("keys.txt"), bench.path("out/run.json")).unwrap();
    refused(
        &bench,
        &compare("--keys keys.txt --out out"),
        &["run.json", "regular file"],
    );
}

#[test]
fn a_file_in_the_way_is_kept() {
    let bench = Workbench::with_run();
    // Simulates an older version that did not write this file, and a user's own file in its place.
    let run = bench.read("out/run.json");
    let without = run
        .lines()
        .filter(|line| !line.contains("\"index.html\""))
        .collect::<Vec<_>>()
        .join("\n");
    bench.write("out/run.json", sealed(&without));
    bench.write("out/index.html", "somebody's\n");
    refused(
        &bench,
        &compare("--keys keys.txt --out out"),
        &["index.html", "overwritten"],
    );
    refused(&bench, "render out", &["index.html", "overwritten"]);
}

#[test]
#[cfg(unix)]
fn nobody_waits_for_a_pipe() {
    use std::process::Command;

    let bench = Workbench::with_run();
    let pipe = |name: &str| {
        let _ = fs::remove_file(bench.path(name));
        let made = Command::new("mkfifo").arg(bench.path(name)).status();
        assert!(made.unwrap().success());
    };
    let ends = |arguments: &str, expected: &str| {
        let outcome = bench.run(arguments);
        assert!(
            outcome.code == 2 && outcome.stderr.contains(expected),
            "{}",
            outcome.stderr
        );
    };
    pipe("pipe");
    ends(&compare("--keys keys.txt --out pipe"), "pipe: ");
    ends("render pipe", "pipe: ");
    for name in ["timing.csv", "run.json"] {
        pipe(&format!("out/{name}"));
        ends("render out", "not a regular file");
    }
    ends(&compare("--keys keys.txt --out out"), "not a regular file");
}
