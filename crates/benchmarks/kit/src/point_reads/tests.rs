//! From files of batches to a folder of records.

use std::fs;
use std::path::Path;

use super::*;
use crate::benchmark::MARKER;
use crate::benchmark::testing;
use hash_comparison::record::folder::OutputError;
use hash_comparison::record::Environment;

fn batch(policy: Policy, keys: Keys, round: u64, ns: u64) -> Batch {
    Batch {
        engine: "engine".to_owned(),
        version: "1.0".to_owned(),
        policy,
        bits_per_key: if policy == Policy::None { 0 } else { 10 },
        cache: Cache::Nothing,
        key_set: KeySet::Random,
        entries: 1_000,
        key_bytes: 16,
        value_bytes: 100,
        keys,
        round,
        gets: 10,
        blocks: if policy == Policy::None { 10 } else { 1 },
        ns,
    }
}

/// Three rounds, the last of them on a machine that is ten times slower.
fn rounds() -> Vec<Batch> {
    [(1, 1_000, 250), (2, 1_200, 240), (3, 10_000, 3_000)]
        .into_iter()
        .flat_map(|(round, none, engine)| {
            [
                batch(Policy::Engine, Keys::Absent, round, engine),
                batch(Policy::None, Keys::Absent, round, none),
            ]
        })
        .collect()
}

fn bench() -> Bench {
    let environment = Environment {
        cpu: "a processor".to_owned(),
        logical_cpus: 1,
        memory_bytes: 1,
        os: String::new(),
        target: String::new(),
        rustc: String::new(),
        rustflags: String::new(),
        profile: String::new(),
        cpu_features: Vec::new(),
        governor: None,
        pinned_cpu: None,
        threads_while_timing: None,
        timing_seconds: None,
        involuntary_switches_while_timing: None,
        seconds_waited_while_timing: None,
    };
    Bench::new(
        FORMAT,
        "cargo xtask bench".to_owned(),
        "2026-01-01T00:00:00Z".to_owned(),
        false,
        environment,
    )
}

#[test]
fn ratios_are_formed_within_rounds() {
    let rows = summarize(&rounds()).unwrap();
    let [none, engine] = &rows[..] else {
        panic!("{rows:?}")
    };
    assert_eq!(
        (none.policy, none.ratio_to_no_filter, none.blocks_per_get),
        (Policy::None, 1.0, 1.0)
    );
    assert_eq!(
        (none.ratio_low, none.ratio_high, none.median_ns_per_get),
        (1.0, 1.0, 120.0)
    );
    // 0.25, 0.2 and 0.3, whatever the machine did.
    assert_eq!((engine.rounds, engine.gets, engine.blocks_per_get), (3, 30, 0.1));
    assert_eq!((engine.median_ns_per_get, engine.mad_ns_per_get), (25.0, 1.0));
    assert_eq!(
        (engine.ratio_low, engine.ratio_to_no_filter, engine.ratio_high),
        (0.2, 0.25, 0.3)
    );
}

#[test]
fn batches_that_do_not_fit_together_are_named() {
    let refuse = |change: fn(&mut Vec<Batch>)| {
        let mut batches = rounds();
        change(&mut batches);
        summarize(&batches).unwrap_err()
    };
    let twice = refuse(|batches| batches.push(batches[0].clone()));
    assert_eq!(
        twice,
        "engine, Engine, Nothing cached, Absent keys, round 1 is there twice"
    );
    let alone = refuse(|batches| batches.retain(|batch| batch.policy != Policy::None));
    assert!(
        alone.contains("0 policies none or always-yes beside it"),
        "{alone}"
    );
    let two = refuse(|batches| batches.push(batch(Policy::AlwaysYes, Keys::Absent, 1, 5)));
    assert!(two.contains("2 policies none or always-yes beside it"), "{two}");
    let rounds = refuse(|batches| batches.truncate(5));
    assert!(rounds.contains("not the rounds"), "{rounds}");
    let entries = refuse(|batches| batches[2].entries = 7);
    assert!(entries.contains("round 2: version, entries"), "{entries}");
    assert_eq!(summarize(&[]), Ok(Vec::new()));
}

#[test]
fn what_is_written_is_read_back_and_drawn() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("a/b");
    let mut batches = rounds();
    // One kind of keys may be missing for a policy.
    batches.push(batch(Policy::None, Keys::Present, 1, 900));
    for _ in 0..2 {
        // The second time into the folder of the first.
        let rows = write(&Folder::check(&path, FORMAT).unwrap(), &bench(), &batches).unwrap();
        assert_eq!(read_rows(&path.join("point_reads.csv")).unwrap(), rows);
        assert_eq!(read_batches(&path.join("batches.csv")).unwrap(), batches);
        let mut names: Vec<String> = fs::read_dir(&path)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        let mut files = FORMAT.files();
        files.sort();
        assert_eq!(names, files);
    }
    let texts = testing::texts(&path.join("point-reads.svg"));
    for text in ["no filter", "the engine's own", "0.250 (25.0 ns)", "0.100"] {
        assert!(texts.iter().any(|found| found == text), "{text}: {texts:?}");
    }
}

#[test]
fn other_peoples_folders_stay_as_they_are() {
    let refused = |path: &Path| match Folder::check(path, FORMAT) {
        Err(OutputError::Refused { reason, .. }) => reason,
        other => panic!("{other:?}"),
    };
    let parent = tempfile::tempdir().unwrap();
    assert!(Folder::check(parent.path(), FORMAT).is_ok());
    let file = parent.path().join("file");
    fs::write(&file, "mine").unwrap();
    assert!(refused(parent.path()).contains("holds no bench.json"));
    assert!(refused(&file).contains("choose another folder"));
    assert!(refused(&file.join("inside")).contains("choose another folder"));
    for marker in [
        "",
        "{}",
        "[1]",
        "{\"format\": \"point-reads-bench\", \"schema\": 2}",
        "{\"format\": \"membership-bench\", \"schema\": 1}",
    ] {
        fs::write(parent.path().join(MARKER), marker).unwrap();
        assert!(refused(parent.path()).contains("not of this version"), "{marker}");
    }
}

#[test]
fn damaged_files_are_named_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("batches.csv");
    let header = Batch::HEADER.join(",");
    let line = "leveldb,1.23,engine,10,nothing,random,10,16,100,absent,1,5,0,100";
    let reason = |text: String| {
        fs::write(&path, text).unwrap();
        match read_batches(&path) {
            Err(RecordsError::Malformed { reason, .. }) => reason,
            other => panic!("{other:?}"),
        }
    };
    fs::write(&path, format!("{header}\n{line}\n")).unwrap();
    assert_eq!(read_batches(&path).unwrap().len(), 1);
    assert!(reason(String::new()).starts_with("line 1: the header is not engine,"));
    assert!(reason(format!("{header}\n{line},1\n")).starts_with("line 2: 15 fields"));
    for (from, to, says) in [
        ("engine,10", "mine,10", "line 2"),
        (",5,0,100", ",0,0,100", "line 2: entries, round, gets and ns"),
        (",5,0,100", ",5,9999999999999,100", "line 2: gets and blocks"),
        (",5,0,100", ",-5,0,100", "line 2, field gets"),
    ] {
        let said = reason(format!("{header}\n{}\n", line.replace(from, to)));
        assert!(said.starts_with(says), "{to}: {said}");
    }
}
