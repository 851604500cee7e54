//! The next command finishes or removes what a kill leaves. Only one run at a time writes a folder, and no unfinished one.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::Duration;

use hash_comparison::questions::Records;
use hash_comparison::questions::files::KIND;
use hash_comparison::run::compare::{self, Options};
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use records::error::ErrorKind;
use records::folder::Destination;
use records::progress::Silent;

use super::Workbench;

/// Set for the child that [`replace_for_ever`] runs in: the folder to write.
const FOLDER: &str = "HASH_COMPARISON_TEST_FOLDER";
/// Set for the child: the folder of [`STORED`].
const RECORDS: &str = "HASH_COMPARISON_TEST_RECORDS";

/// Two runs with charts of other names, told apart by their seeds.
static RUNS: LazyLock<[Records; 2]> = LazyLock::new(|| match std::env::var_os(RECORDS) {
    Some(folder) => ["1", "2"].map(|seed| Records::read(&Path::new(&folder).join(seed)).unwrap()),
    None => [1, 2].map(|seed| {
        let folder = tempfile::tempdir().unwrap();
        let keys = folder.path().join("keys.txt");
        fs::write(&keys, "one\ntwo\nthree\n").unwrap();
        let options = Options {
            keys: vec![keys],
            functions: vec!["xxh3".to_owned()],
            seed,
            quick: true,
            ..Options::default()
        };
        let mut records = compare::run(&options, &Silent).unwrap();
        let charts = (0..20).map(|number| format!("charts/chart-{}.svg", number + 10 * seed));
        records.run.files = records
            .files()
            .map(|file| file.name.to_owned())
            .chain(["run.json".to_owned()])
            .chain(charts)
            .collect();
        records
    }),
});

/// The records of [`RUNS`], for the child.
static STORED: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    for records in &*RUNS {
        let of_run = folder.path().join(records.run.seed.to_string());
        fs::create_dir(&of_run).unwrap();
        records.write(&of_run).unwrap();
    }
    folder
});

fn replace(folder: &Path, records: &Records) {
    let staging = Destination::check(folder, &KIND).unwrap().stage().unwrap();
    records.write(staging.path()).unwrap();
    fs::create_dir(staging.path().join("charts")).unwrap();
    for name in records
        .run
        .files
        .iter()
        .filter(|name| name.starts_with("charts/"))
    {
        fs::write(
            staging.path().join(name),
            format!("<!-- {} -->", records.run.seed),
        )
        .unwrap();
    }
    staging.commit(&records.run.files).unwrap();
}

/// The program to kill: replaces each of two runs by the other one until it is killed.
#[test]
#[ignore = "runs until it is killed, by the other tests of this file, which name its folder"]
fn replace_for_ever() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let folder = Path::new(&folder);
    loop {
        let present = Records::read(folder).unwrap().run.seed;
        let other = RUNS.iter().find(|records| records.run.seed != present);
        replace(folder, other.unwrap());
    }
}

fn replacing(folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "kills::replace_for_ever"])
        .env(FOLDER, folder)
        .env(RECORDS, STORED.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Returns the seed of the only run in the folder, after checking that all of its files are there and no other.
fn whole(folder: &Path) -> u64 {
    let records = Records::read(folder).unwrap();
    let seed = records.run.seed;
    let listed: BTreeSet<&String> = records.run.files.iter().collect();
    let mut found = BTreeSet::new();
    for (within, prefix) in [(folder.to_owned(), ""), (folder.join("charts"), "charts/")] {
        for entry in fs::read_dir(within).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            if entry.path().is_file() && !name.contains("notes") {
                found.insert(format!("{prefix}{name}"));
            }
        }
    }
    assert_eq!(found.iter().collect::<BTreeSet<_>>(), listed);
    for name in listed.iter().filter(|name| name.starts_with("charts/")) {
        assert_eq!(
            fs::read_to_string(folder.join(name)).unwrap(),
            format!("<!-- {seed} -->")
        );
    }
    seed
}

/// The user's own files in the folder of a report.
const NOTES: [&str; 4] = ["notes.txt", "charts/notes.svg", "mine/notes", "mine/deep/notes"];

fn add_notes(folder: &Path) {
    fs::create_dir_all(folder.join("mine/deep")).unwrap();
    for name in NOTES {
        fs::write(folder.join(name), name).unwrap();
    }
    std::os::unix::fs::symlink("nowhere", folder.join("mine/link")).unwrap();
}

fn check_notes(folder: &Path) {
    for name in NOTES {
        let path = folder.join(name);
        assert_eq!(fs::read_to_string(&path).unwrap(), name);
    }
    let link = fs::read_link(folder.join("mine/link")).unwrap();
    assert_eq!(link, Path::new("nowhere"));
}

/// Kills the replacing program `times` times, each after up to 60 milliseconds of work, and calls `check` after each.
/// Returns the number of kills at which unfinished files were left.
fn kill(folder: &Path, times: u32, check: impl Fn()) -> u32 {
    let mut random = ChaCha8Rng::seed_from_u64(27);
    let mut hits = 0;
    let names = |parent: &Path| fs::read_dir(parent).unwrap().map(|entry| entry.unwrap().path());
    for _ in 0..times {
        let identity = || {
            fs::metadata(folder.join("run.json"))
                .map(|found| found.ino())
                .ok()
        };
        let before = identity();
        let mut child = replacing(folder);
        let mut waits = 0;
        while identity() == before {
            sleep(Duration::from_millis(1));
            waits += 1;
            assert!(waits < 60_000, "nothing is replaced");
        }
        sleep(Duration::from_micros(random.random_range(0..60_000)));
        child.kill().unwrap();
        child.wait().unwrap();
        let left = names(folder.parent().unwrap()).chain(names(folder));
        let is_ours = |path: &std::path::PathBuf| path.to_string_lossy().contains("/.hash-comparison-");
        hits += u32::from(left.filter(is_ours).count() > 0);
        check();
    }
    hits
}

#[test]
fn what_a_kill_interrupts_the_next_command_finishes() {
    let bench = Workbench::new();
    let folder = bench.path("out");
    replace(&folder, &RUNS[0]);
    add_notes(&folder);
    let identity = fs::metadata(&folder).unwrap().ino();
    let seen = std::cell::RefCell::new(BTreeSet::new());
    let hits = kill(&folder, 30, || {
        drop(Destination::ours(&folder, &KIND).unwrap());
        seen.borrow_mut().insert(whole(&folder));
        check_notes(&folder);
        assert_eq!(fs::metadata(&folder).unwrap().ino(), identity);
        assert_eq!(fs::read_dir(bench.path("")).unwrap().count(), 1);
    });
    assert!(hits > 7, "{hits} kills hit");
    assert_eq!(seen.borrow().len(), 2, "either run survives");
}

#[test]
fn what_the_user_changes_meanwhile_is_kept() {
    let bench = Workbench::new();
    let folder = bench.path("out");
    replace(&folder, &RUNS[0]);
    add_notes(&folder);
    fs::set_permissions(&folder, std::os::unix::fs::PermissionsExt::from_mode(0o750)).unwrap();
    let before = fs::metadata(folder.join("mine/notes")).unwrap().ino();
    replace(&folder, &RUNS[1]);
    assert_eq!(whole(&folder), 2);
    check_notes(&folder);
    assert_eq!(
        fs::metadata(folder.join("mine/notes")).unwrap().ino(),
        before,
        "the file itself"
    );
    assert_eq!(fs::metadata(&folder).unwrap().mode() & 0o777, 0o750);
}

/// Starts a comparison that takes long, and returns it when its timing has begun.
fn long_run(bench: &Workbench, out: &str) -> Child {
    let mut child = bench
        .command(&format!("compare --dataset random-strings --out {out}"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().starts_with("timing")));
    child
}

#[test]
fn the_second_run_into_a_folder_is_told_who_writes_it() {
    let bench = Workbench::with_run();
    for out in ["out", "new/out"] {
        let mut first = long_run(&bench, out);
        let expected = format!(
            "another run of this program (process {}) is writing here; wait until it ends, or choose another place",
            first.id()
        );
        let second = bench.run(&format!("compare --quick --keys keys.txt --out {out}"));
        assert_eq!(second.code, 2, "{}", second.stderr);
        assert!(second.stderr.contains(&expected), "{}", second.stderr);
        if out == "out" {
            let second = bench.run(&format!("render {out}"));
            assert!(
                second.code == 2 && second.stderr.contains(&expected),
                "{}",
                second.stderr
            );
        }
        first.kill().unwrap();
        first.wait().unwrap();
        // Whoever comes next neither waits nor finds anything.
        bench.compare(&format!("--out {out}"));
        let parent = bench.path(out);
        let left = fs::read_dir(parent.parent().unwrap()).unwrap();
        assert!(
            left.map(|entry| entry.unwrap().file_name())
                .all(|name| { !name.to_string_lossy().starts_with(".hash-comparison-") })
        );
    }
}

#[test]
fn a_folder_that_only_has_such_a_name_is_left_alone() {
    let bench = Workbench::with_run();
    bench.write(".hash-comparison-notes/letter.txt", "somebody's\n");
    bench.write(".hash-comparison-own/owner", "somebody's\n");
    bench.compare("--out out");
    assert_eq!(bench.read(".hash-comparison-notes/letter.txt"), "somebody's\n");
    assert_eq!(bench.read(".hash-comparison-own/owner"), "somebody's\n");
}

/// Runs a command that must not wait for the other end of a pipe.
fn ends(bench: &Workbench, arguments: &str) -> String {
    let mut command = Command::new("timeout");
    command.args(["60", super::PROGRAM]).args(arguments.split(' '));
    let output = command.current_dir(bench.path("")).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn nobody_waits_for_a_pipe() {
    let bench = Workbench::with_run();
    let pipe = |name: &str| {
        let _ = fs::remove_file(bench.path(name));
        assert!(
            Command::new("mkfifo")
                .arg(bench.path(name))
                .status()
                .unwrap()
                .success()
        );
    };
    pipe("pipe");
    for arguments in [
        "compare --keys keys.txt --out pipe",
        "render pipe",
        "join out out --out pipe",
    ] {
        assert!(ends(&bench, arguments).contains("pipe: "), "{arguments:?}");
    }
    for name in ["timing.csv", "run.json"] {
        pipe(&format!("out/{name}"));
        for arguments in [
            "render out",
            "join out out",
            "compare --keys keys.txt --baseline out --out other",
        ] {
            let said = ends(&bench, arguments);
            assert!(
                said.contains(&format!("out/{name}")) && said.contains("is not a regular file"),
                "{arguments:?}: {said}"
            );
        }
    }
    let said = ends(&bench, "compare --keys keys.txt --out out");
    assert!(said.contains("is not a regular file"), "{said}");
}

#[test]
fn a_page_of_several_runs_is_replaced_whole() {
    let bench = Workbench::with_run();
    let join = "join out out --out page.html";
    assert_eq!(bench.run(join).code, 0);
    let page = bench.read("page.html");
    // A page of five gigabytes that is mostly a hole: its first line alone says whose it is.
    File::options()
        .write(true)
        .open(bench.path("page.html"))
        .unwrap()
        .set_len(5 << 30)
        .unwrap();
    let limited = |script: &str| {
        let mut command = Command::new("sh");
        command
            .args(["-c", script, super::PROGRAM])
            .args(join.split(' '))
            .current_dir(bench.path(""))
            .output()
            .unwrap()
    };
    let output = limited("ulimit -v 1000000; exec \"$0\" \"$@\"");
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(bench.read("page.html") == page);
    // On a full disk the earlier page stays.
    let output = limited("trap '' XFSZ; ulimit -f 2; exec \"$0\" \"$@\"");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said.trim_end(), "error: page.html: File too large");
    assert!(bench.read("page.html") == page);
    assert_eq!(fs::read_dir(bench.path("")).unwrap().count(), 3);
}

/// Returns the records of a run without charts and report.
fn bare() -> Records {
    let mut records = RUNS[0].clone();
    records.run.files.retain(|name| !name.starts_with("charts/"));
    records
}

#[test]
fn files_that_are_not_listed_or_not_written_are_a_mistake() {
    let records = bare();
    let bench = Workbench::new();
    let out = bench.path("out");
    for (missing, stray) in [(Some("timing.csv"), None), (None, Some("stray.txt"))] {
        let staging = Destination::check(&out, &KIND).unwrap().stage().unwrap();
        records.write(staging.path()).unwrap();
        if let Some(name) = missing {
            fs::remove_file(staging.path().join(name)).unwrap();
        }
        if let Some(name) = stray {
            fs::write(staging.path().join(name), "").unwrap();
        }
        let error = staging.commit(&records.run.files).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Internal, "{error}");
        let odd = missing.or(stray).unwrap();
        assert_eq!(
            error.reason(),
            format!("written files and listed files differ: {odd}")
        );
        assert!(bench.snapshot().is_empty());
    }
}

#[test]
fn somebody_who_was_faster_wins() {
    let records = bare();
    let bench = Workbench::new();
    let out = bench.path("out");
    fs::create_dir(&out).unwrap();
    let staging = Destination::check(&out, &KIND).unwrap().stage().unwrap();
    records.write(staging.path()).unwrap();
    fs::write(out.join("timing.csv"), "somebody's\n").unwrap();
    let error = staging.commit(&records.run.files).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Input, "{error}");
    let left: Vec<_> = bench.snapshot().into_iter().map(|(path, _)| path).collect();
    assert_eq!(left, [out.clone(), out.join("timing.csv")]);
}
