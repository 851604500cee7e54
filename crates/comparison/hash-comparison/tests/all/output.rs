//! Folders and files that a run writes, and files that it leaves alone.

use std::fs;

use super::{Outcome, Workbench};

fn names(bench: &Workbench, folder: &str) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(bench.path(folder))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn an_absent_folder_is_made_with_its_parents() {
    let bench = Workbench::new();
    let Outcome { stdout, .. } = bench.compare("--out deep/er/out");
    assert!(stdout.contains("report: deep/er/out/index.html"), "{stdout}");
    assert_eq!(names(&bench, "deep/er"), ["out"]);
    assert_eq!(names(&bench, ""), ["deep", "keys.txt"]);
    for file in ["index.html", "run.json", "collisions.csv", "charts"] {
        assert!(bench.path("deep/er/out").join(file).exists(), "{file}");
    }
}

#[test]
fn plain_lines_where_there_is_no_terminal() {
    let (_, Outcome { stdout, stderr, .. }) = Workbench::made();
    assert!(!stderr.contains(['\u{1b}', '\r']), "{stderr}");
    assert!(!stdout.contains('\u{1b}'), "{stdout}");
    assert!(stderr.lines().any(|line| line.starts_with("timing")), "{stderr}");
    // One more line explains the name CRC32.
    assert!(stderr.lines().count() <= super::run::PHASES + 1, "{stderr}");
    let mut lines = stdout.lines().filter(|line| !line.starts_with("report: "));
    assert!(lines.all(|line| line.chars().count() <= 100), "{stdout}");
}

#[test]
fn an_empty_folder_is_filled_and_a_run_is_replaced() {
    let bench = Workbench::new();
    fs::create_dir(bench.path("out")).unwrap();
    bench.compare("--out out");
    let first = names(&bench, "out");
    bench.write("out/notes.txt", "somebody's\n");
    bench.write("out/charts/notes.svg", "somebody's\n");

    // Keys under another name give other charts.
    bench.write("other.txt", "five\nsix\nseven\n");
    let outcome = bench.run("compare --quick --keys other.txt --function xxh3 --out out");
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(bench.read("out/notes.txt"), "somebody's\n");
    assert_eq!(bench.read("out/charts/notes.svg"), "somebody's\n");
    let charts = names(&bench, "out/charts");
    let is_of_run = |name: &String| {
        let start = ["notes.svg", "structured-keys.", "avalanche."];
        start.iter().any(|start| name.starts_with(start)) || name.contains("other")
    };
    assert!(charts.iter().all(is_of_run), "{charts:?}");
    let times = bench.read("out/timing.csv");
    // Random keys of one length are no dataset.
    let of_other =
        |line: &str| line.starts_with("other,") || line.starts_with(',') && line.contains(",length,");
    assert!(times.lines().skip(1).all(of_other));
    let mut now = names(&bench, "out");
    now.retain(|name| name != "notes.txt");
    assert_eq!(now, first);
    assert_eq!(names(&bench, ""), ["keys.txt", "other.txt", "out"]);
}

#[test]
fn the_folder_one_stands_in() {
    let bench = Workbench::new();
    fs::create_dir(bench.path("here")).unwrap();
    bench.write("keys.txt", "one\ntwo\n");
    let mut command = bench.command("compare --quick --keys ../keys.txt --function XXH3 --out .");
    let output = command.current_dir(bench.path("here")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(bench.path("here/run.json").exists());
    assert_eq!(names(&bench, ""), ["here", "keys.txt"]);
}

#[test]
#[cfg(unix)]
fn a_link_to_a_folder_is_that_folder() {
    let bench = Workbench::new();
    fs::create_dir(bench.path("real")).unwrap();
    std::os::unix::fs::symlink(bench.path("real"), bench.path("link")).unwrap();
    bench.compare("--out link");
    assert!(bench.path("real/run.json").exists());
    assert!(bench.path("link").is_symlink());
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_reported_by_the_name_of_the_file() {
    use std::process::{Command, Stdio};

    let bench = Workbench::new();
    bench.write("keys.txt", "one\ntwo\n");
    let before = bench.snapshot();
    // Limits files to 1 KiB (two blocks): the first file that grows beyond it fails, as on a full disk.
    let script = "trap '' XFSZ; ulimit -f 2; exec \"$0\" compare --quick --keys keys.txt --function XXH3 --function PJW \
                  --function CRC-32 --function DJB --function 'FNV-1a 64' --out out";
    let output = Command::new("sh")
        .args(["-c", script, super::PROGRAM])
        .current_dir(bench.path(""))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    let last = said.lines().last().unwrap();
    let path = bench.path("out/collisions.csv");
    let expected = format!("error: {}: File too large", path.display());
    assert_eq!(last, expected, "{said}");
    assert!(bench.snapshot() == before);
}
