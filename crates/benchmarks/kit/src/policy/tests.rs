//! From files of batches to a folder of records.

use std::fs;

use super::*;
use crate::benchmark::testing;

fn batch(contender: Contender, form: Form, task: Task, filter_keys: u64, round: u64, ns: u64) -> Batch {
    Batch {
        contender,
        form,
        version: "1.0".to_owned(),
        task,
        key_lengths: KeyLengths::Fixed,
        filter_keys,
        bits_per_key: 10,
        round,
        keys: 10,
        ns,
    }
}

/// Three rounds of two sizes, the last of them on a machine that is ten times slower.
fn rounds() -> Vec<Batch> {
    [(1, 1_000, 250), (2, 1_200, 240), (3, 10_000, 3_000)]
        .into_iter()
        .flat_map(|(round, leveldb, ours)| {
            [
                batch(Contender::Avx2, Form::Packed, Task::Absent, 4096, round, ours),
                batch(
                    Contender::Leveldb,
                    Form::OneByOne,
                    Task::Absent,
                    4096,
                    round,
                    leveldb,
                ),
                batch(
                    Contender::Avx2,
                    Form::Prepared,
                    Task::Absent,
                    4096,
                    round,
                    2 * ours,
                ),
                batch(Contender::Leveldb, Form::Slices, Task::Build, 32, round, leveldb),
                batch(Contender::Scalar, Form::Slices, Task::Build, 32, round, ours),
            ]
        })
        .collect()
}

#[test]
fn ratios_are_formed_within_rounds() {
    let rows = summarize(&rounds()).unwrap();
    let [_, scalar, leveldb, prepared, packed] = &rows[..] else {
        panic!("{rows:?}")
    };
    assert_eq!((scalar.task, scalar.filter_keys), (Task::Build, 32));
    assert_eq!(
        (
            leveldb.contender,
            leveldb.ratio_to_engine,
            leveldb.median_ns_per_key
        ),
        (Contender::Leveldb, 1.0, 120.0)
    );
    assert_eq!((prepared.form, prepared.ratio_to_engine), (Form::Prepared, 0.5));
    // 0.25, 0.2 and 0.3, whatever the machine did.
    assert_eq!((packed.form, packed.rounds, packed.keys), (Form::Packed, 3, 30));
    assert_eq!((packed.median_ns_per_key, packed.mad_ns_per_key), (25.0, 1.0));
    assert_eq!(
        (packed.ratio_low, packed.ratio_to_engine, packed.ratio_high),
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
    let first = "Avx2, Packed, Absent, 4096 keys a filter, keys of 16 bytes, round 1";
    assert_eq!(
        refuse(|batches| batches.push(batches[0].clone())),
        format!("{first} is there twice")
    );
    let alone = refuse(|batches| {
        batches.retain(|batch| batch.contender != Contender::Leveldb || batch.task != Task::Absent)
    });
    assert!(
        alone.ends_with("round 1: 0 batches of an engine's own beside it, not one"),
        "{alone}"
    );
    let rounds = refuse(|batches| {
        batches.pop();
    });
    assert!(rounds.contains("not the rounds"), "{rounds}");
    for change in [
        (|batches| batches[5].keys = 11) as fn(&mut Vec<Batch>),
        (|batches| batches[6].bits_per_key = 9),
        (|batches| batches[7].version.push('!')),
    ] {
        let said = refuse(change);
        assert!(said.contains("round 2: version, bits per key or keys"), "{said}");
    }
}

#[test]
fn what_is_written_is_read_back_and_drawn() {
    let parent = tempfile::tempdir().unwrap();
    let environment = hash_comparison::measure::environment::collect();
    let bench = Bench::new(FORMAT, "cargo".to_owned(), "2026".to_owned(), true, environment);
    let batches = rounds();
    let folder = Folder::check(parent.path(), FORMAT).unwrap();
    let rows = write(&folder, &bench, &batches).unwrap();
    assert_eq!(read_rows(&parent.path().join("policy.csv")).unwrap(), rows);
    assert_eq!(read_batches(&parent.path().join("batches.csv")).unwrap(), batches);
    let texts = testing::texts(&parent.path().join("policy.svg"));
    for text in [
        "Build",
        "Many keys a call, absent",
        "One key a call, absent",
        "keys of 16 bytes",
        "AVX2, packed: 0.250",
    ] {
        assert!(texts.iter().any(|found| found == text), "{text}: {texts:?}");
    }
    for text in ["One key a call, present", "Many keys a call, present"] {
        assert!(!texts.iter().any(|found| found == text), "{text}: {texts:?}");
    }
}

#[test]
fn damaged_files_are_named_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("batches.csv");
    let header = Batch::HEADER.join(",");
    let line = "avx512,one-by-one,1.0,both,4-40,32,10,1,65536,100";
    fs::write(&path, format!("{header}\n{line}\n")).unwrap();
    assert_eq!(read_batches(&path).unwrap()[0].key_lengths, KeyLengths::Mixed);
    for (from, to, says) in [
        ("avx512", "sse", "line 2"),
        (
            ",65536,100",
            ",65536,0",
            "line 2: filter_keys, round, keys and ns",
        ),
        (",65536,100", ",9999999999999,100", "line 2: keys are at most"),
        (",65536,100", ",-1,100", "line 2, field keys"),
    ] {
        fs::write(&path, format!("{header}\n{}\n", line.replace(from, to))).unwrap();
        match read_batches(&path) {
            Err(RecordsError::Malformed { reason, .. }) => {
                assert!(reason.starts_with(says), "{to}: {reason}")
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn every_contender_kernel_of_the_library_has_a_name_here() {
    for kernel in filter_policy::Kernel::available() {
        let read: Result<Contender, _> = serde_json::from_value(kernel.name().into());
        assert!(read.is_ok(), "{kernel}");
    }
}

#[test]
fn the_engine_may_be_rocksdb() {
    let parent = tempfile::tempdir().unwrap();
    let bench = Bench::new(
        ROCKSDB_FORMAT,
        "cargo".to_owned(),
        "2026".to_owned(),
        true,
        hash_comparison::measure::environment::collect(),
    );
    let batches: Vec<Batch> = (1..=3)
        .flat_map(|round| {
            [
                batch(
                    Contender::Rocksdb,
                    Form::OneByOne,
                    Task::Absent,
                    512,
                    round,
                    1_000,
                ),
                batch(
                    Contender::RocksdbBatch,
                    Form::Slices,
                    Task::Absent,
                    512,
                    round,
                    800,
                ),
                batch(Contender::Avx512, Form::Prepared, Task::Absent, 512, round, 250),
            ]
        })
        .collect();
    let folder = Folder::check(parent.path(), ROCKSDB_FORMAT).unwrap();
    let rows = write(&folder, &bench, &batches).unwrap();
    let ratios: Vec<f64> = rows.iter().map(|row| row.ratio_to_engine).collect();
    assert_eq!(ratios, [1.0, 0.8, 0.25]);
    let svg = fs::read_to_string(parent.path().join("policy.svg")).unwrap();
    for text in ["RocksDB&apos;s own policy", "AVX-512, prepared: 0.250"] {
        assert!(svg.contains(text), "{text}: {svg}");
    }
    // LevelDB's records are another benchmark's.
    assert!(Folder::check(parent.path(), FORMAT).is_err());
    let mut both = batches;
    both.push(batch(
        Contender::Leveldb,
        Form::OneByOne,
        Task::Absent,
        512,
        1,
        1_000,
    ));
    assert!(summarize(&both).is_err(), "two engines in a group");
}
