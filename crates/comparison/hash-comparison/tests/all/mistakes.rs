//! Every mistake gives exit code 2 and one message that names the cause and the remedy, and writes nothing.

use std::fs;

use super::{Workbench, sealed};

/// A comparison that would be quick if it were valid.
const COMPARE: &str = "compare --quick --function XXH3 {} --out out";
const OUT: &str = "compare --quick --function XXH3 --keys keys.txt --out {}";

/// Checks that neither a comparison nor `render` uses the folder `out`.
fn out_is_refused(bench: &Workbench, texts: &str) {
    bench.refuses(OUT, &format!("out => {texts}"));
    bench.refuses("render {}", &format!("out => {texts}"));
}

#[test]
fn key_files() {
    let bench = Workbench::new();
    bench.write("a.txt", "one\n");
    bench.write("sub/a.keys", "two\n");
    bench.refuses(
        COMPARE,
        "--keys missing.txt => missing.txt | No such file | ; check the path$
        --keys a.txt --keys missing.txt => missing.txt | No such file
        --keys a.txt/b.txt => a.txt/b.txt | Not a directory; check the path$
        --keys a.txt --keys a.txt => a.txt | is given twice
        --keys a.txt --keys sub/a.keys => a.txt | sub/a.keys | rename",
    );
    // This file opens but fails to read; permissions would not stop root.
    #[cfg(target_os = "linux")]
    bench.refuses(
        COMPARE,
        "--keys /proc/self/mem => /proc/self/mem | cannot read | ; give another file, or a copy of it$",
    );
}

#[test]
fn names_and_seeds() {
    let bench = Workbench::new();
    bench.write("keys.txt", "one\n");
    bench.refuses(
        COMPARE,
        "--dataset app-acounts => app-acounts | app-accounts | list
        --function XXH4 => XXH4 | XXH3 | list
        --function '' => no function is called \"\"; | list
        --seed one => one | --seed | whole number between 0 and 18446744073709551615
        --seed -1 => -1 | --seed | whole number
        --seed 1.5 => 1.5 | --seed | whole number
        --seed 18446744073709551616 => 18446744073709551616 | whole number
        --seed '' => --seed
        --sed 1 => --sed
        stray => stray",
    );
    bench.refuses("{}", "compere => compere | compare\nrender => DIR");
}

#[test]
fn places_that_are_not_ours() {
    let bench = Workbench::new();
    bench.write("keys.txt", "one\ntwo\n");
    bench.write("file", "somebody's\n");
    bench.write("theirs/letter.txt", "somebody's\n");
    fs::create_dir(bench.path("empty")).unwrap();
    bench.refuses(
        OUT,
        "file => file | is a file
        file/ => file | is a file
        file/. => file | is a file
        file/out => file | Not a directory
        theirs => theirs | run.json | choose
        nowhere/../out => nowhere/../out | not there
        '' => --out",
    );
    bench.refuses(
        "render {}",
        "file/. => file
        file/out => file
        theirs => theirs
        absent => absent | run.json
        empty => empty | run.json",
    );
    let long = "x".repeat(300);
    let texts = "xxx | File name too long; choose another folder$";
    bench.refuses(OUT, &format!("{long} => {texts}"));
    // The message shows no name of a scratch folder.
    #[cfg(target_os = "linux")]
    bench.refuses(
        OUT,
        "/proc/out => /proc/out: cannot be written: No such file or directory; choose another folder$",
    );
}

#[test]
fn run_files_that_are_not_ours() {
    let bench = Workbench::with_run();
    let good = bench.read("out/run.json");
    let refused_as = |text: &str, texts: &str| {
        bench.write("out/run.json", text);
        out_is_refused(&bench, &format!("run.json | {texts}"));
    };
    for (from, to, texts) in [
        ("schema\": 2", "schema\": 3", "schema 3 | this program reads 2"),
        ("seed\": 1", "seed\": \"one\"", "damaged | line"),
        ("index.html", "../keys.txt", "../keys.txt | never writes"),
        ("index.html", "/etc/hostname", "/etc/hostname | never writes"),
        ("index.html", "charts/../../keys.svg", "keys.svg | never writes"),
        ("index.html", "notes.txt", "notes.txt | never writes"),
        ("run.json", "index.html", "does not list run.json"),
        ("quick\":", "thorough\":", "damaged | unknown field `thorough`"),
        ("quick\":", "seed\":", "damaged | duplicate field `seed`"),
    ] {
        assert!(good.contains(from), "{from}");
        refused_as(&sealed(&good.replacen(from, to, 1)), texts);
    }
    refused_as("", "damaged");
    refused_as(&good[..good.len() / 2], "damaged | line");
    refused_as("[]", "not a run of this program");
    let unsealed = good.replacen("\"date\": \"2", "\"date\": \"1", 1);
    refused_as(&unsealed, "is not what the run wrote");
    refused_as(
        r#"{"format": "lighthouse"}"#,
        "lighthouse | not a run of this program",
    );
    // The message never suggests removing foreign files.
    bench.refuses(OUT, "out => ; choose an empty or new folder$");
}

#[test]
#[cfg(unix)]
fn links_are_not_followed() {
    use std::os::unix::fs::symlink;

    let bench = Workbench::with_run();
    bench.write("theirs/precious.svg", "somebody's\n");
    fs::rename(bench.path("out/charts"), bench.path("charts")).unwrap();
    symlink(bench.path("theirs"), bench.path("out/charts")).unwrap();
    out_is_refused(&bench, "charts | not a folder");

    symlink(bench.path("nothing"), bench.path("dangling")).unwrap();
    symlink(bench.path("keys.txt"), bench.path("link")).unwrap();
    bench.refuses(
        OUT,
        "link/. => link | is a file
        dangling/out => dangling",
    );

    fs::remove_file(bench.path("out/run.json")).unwrap();
    symlink(bench.path("keys.txt"), bench.path("out/run.json")).unwrap();
    bench.refuses(OUT, "out => run.json | regular file");
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
    out_is_refused(&bench, "index.html | overwritten");
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
    pipe("pipe");
    bench.refuses(OUT, "pipe => pipe:");
    bench.refuses("render {}", "pipe => pipe:");
    pipe("out/timing.csv");
    bench.refuses("render {}", "out => not a regular file");
    pipe("out/run.json");
    out_is_refused(&bench, "not a regular file");
}
