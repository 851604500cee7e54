//! Programs that are stopped or killed, that wait for each other, and that may not read.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::PathBuf;
use std::time::Duration;

use filter_parquet::add::checksums::{check, path_for};
use filter_sets::{Access, FilterSet, Opening};
use rustix::process::{Pid, Signal, kill_process};

use super::{Outcome, Workbench, golden};

fn lines(count: u32) -> String {
    (0..count).map(|number| format!("user-{number}\n")).collect()
}

/// Kills builds of another set at moments of all phases: the old set or the new one answers.
#[test]
fn a_killed_build_leaves_the_old_set_or_the_new_one() {
    let bench = Workbench::new();
    bench.write("old", lines(1_000));
    bench.write("new", lines(150_000));
    bench.done("build --keys old --out set --shards 8");
    let old = FilterSet::open(bench.path("set"), Opening::default()).unwrap();
    let old = old.generation().manifest().clone();
    let mut new = 0;
    for round in 0..20 {
        let mut child = bench.start("build --keys new --out set --shards 8 --memory 16MiB");
        std::thread::sleep(Duration::from_millis(1 + round * 4));
        child.kill().unwrap();
        child.wait().unwrap();
        let opening = Opening {
            access: Access::Map,
            verify: true,
        };
        let set = FilterSet::open(bench.path("set"), opening).unwrap();
        let generation = set.generation();
        assert!(*generation.manifest() == old || generation.manifest().len() == 150_000);
        assert!(set.contains(b"user-7"));
        if generation.manifest().len() == 150_000 {
            new += 1;
            bench.done("build --keys old --out set --shards 8");
        }
    }
    assert!(new < 20);
    bench.done("build --keys new --out set --shards 8");
    assert_eq!(fs::read_dir(bench.path("set")).unwrap().count(), 9);
}

/// Programs that wait for keys which never come lock the set, and end with their own exit code.
#[test]
fn stopped_and_locked_out() {
    let bench = Workbench::new();
    bench.write("keys", lines(1_000));
    bench.done("build --keys keys --out set --shards 2");
    bench.done("build --keys keys --out file");
    let before = bench.snapshot();
    let mut waiting = [
        "build --out set --shards 2",
        "build --out file --replace",
        "build --out new-set --shards 2",
        "query file",
    ]
    .map(|words| bench.start(words));
    std::thread::sleep(Duration::from_millis(300));
    let locked = bench.run("build --keys keys --out set --shards 2");
    assert_eq!(locked.code, 2);
    assert!(
        locked.stderr.contains("another process is building"),
        "{}",
        locked.stderr
    );
    for child in &mut waiting {
        kill_process(Pid::from_child(child), Signal::INT).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(130));
    }
    assert!(before == bench.snapshot());
}

#[test]
fn a_table_without_permission_is_not_read() {
    let bench = Workbench::new();
    bench.write("table.ldb", "");
    let table = bench.path("table.ldb");
    fs::set_permissions(&table, fs::Permissions::from_mode(0o000)).unwrap();
    // The superuser can read the file anyway.
    if fs::File::open(&table).is_err() {
        let outcome = bench.run("inspect table.ldb");
        assert_eq!(outcome.code, 2);
        assert!(outcome.stderr.contains("Permission denied"), "{}", outcome.stderr);
    }
}

/// Kills additions at many moments, and reads meanwhile: checksums of Hadoop are never next to a file that they do not fit.
#[test]
fn checksums_fit_at_every_moment() {
    let (bench, golden) = (
        Workbench::new(),
        golden::path("parquet/hadoop/part-00000.snappy.parquet"),
    );
    let (file, sums) = (fs::read(&golden).unwrap(), fs::read(path_for(&golden)).unwrap());
    let paths: Vec<_> = (0..12)
        .map(|number| bench.path(&format!("{number}.parquet")))
        .collect();
    // False if there are no checksums, or were others before the file was read.
    let fit = |path: &PathBuf| {
        let Ok(opened) = fs::File::open(path_for(path)) else {
            return false;
        };
        let checked = check(&opened, fs::File::open(path).unwrap());
        let number = |metadata: fs::Metadata| metadata.ino();
        let is_same = fs::metadata(path_for(path)).map(number).ok() == opened.metadata().map(number).ok();
        assert!(!is_same || checked.is_ok(), "{checked:?}");
        is_same
    };
    let mut old = 0;
    for round in 1..25 {
        for path in &paths {
            fs::write(path, &file).unwrap();
            fs::write(path_for(path), &sums).unwrap();
        }
        let mut child = bench.start("parquet add . --column id --always --in-place");
        for _ in 0..4 * round {
            paths.iter().for_each(|path| _ = fit(path));
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        paths.iter().for_each(|path| _ = fit(path));
        old += paths
            .iter()
            .filter(|path| fs::read(path).unwrap() == file)
            .count();
    }
    assert!((1..24 * paths.len()).contains(&old), "{old}");
}

/// Files that are complete when the program is stopped stay, and nothing else.
#[test]
fn stopped_while_filters_are_added() {
    let bench = Workbench::new();
    bench.write(
        "lake/0.parquet",
        fs::read(golden::path("parquet/row_groups.parquet")).unwrap(),
    );
    for number in 1..3_000 {
        let link = bench.path(&format!("lake/{number}.parquet"));
        fs::hard_link(bench.path("lake/0.parquet"), link).unwrap();
    }
    let started = bench.start("parquet add lake --columns-like '*' --renew --out out");
    let is_complete = |name: &str| !name.starts_with(".tmp");
    let written = || {
        let entries = fs::read_dir(bench.path("out")).into_iter().flatten();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect::<Vec<_>>()
    };
    while !written().iter().any(|name| is_complete(name)) {
        std::thread::sleep(Duration::from_millis(1));
    }
    kill_process(Pid::from_child(&started), Signal::INT).unwrap();
    let Outcome { code, stderr, .. } = Outcome::of(started.wait_with_output().unwrap());
    assert_eq!(code, 130);
    assert!(
        stderr.ends_with("stopped; nothing incomplete was written\n"),
        "{stderr}"
    );
    let written = written();
    assert!((1..3_000).contains(&written.len()) && written.iter().all(|name| is_complete(name)));
    let first = fs::read(bench.path("out").join(&written[0])).unwrap();
    assert!(
        written
            .iter()
            .all(|name| fs::read(bench.path("out").join(name)).unwrap() == first)
    );
}
