//! From files of batches to a folder of records.

use std::fs;

use super::*;
use crate::benchmark::testing;
use hash_comparison::record::files::RecordsError;

fn batch(filter: Filter, operation: Operation, round: u64, ns: u64) -> Batch {
    Batch {
        filter,
        version: "1.0".to_owned(),
        setup: "a hash, a seed".to_owned(),
        bits: 10_000,
        insertions: 1_043,
        contents: Contents::Keys,
        bit_size: 10_048,
        probes: 7,
        operation,
        round,
        calls: 10,
        yes: if operation == Operation::Absent { 1 } else { 10 },
        ns,
    }
}

/// Three rounds, the last of them on a machine that is ten times slower.
fn rounds() -> Vec<Batch> {
    [(1, 1_000, 250), (2, 1_200, 240), (3, 10_000, 3_000)]
        .into_iter()
        .flat_map(|(round, guava, ours)| {
            [
                batch(Filter::Ours, Operation::Absent, round, ours),
                batch(Filter::Guava, Operation::Absent, round, guava),
                batch(Filter::Guava, Operation::Put, round, guava),
            ]
        })
        .collect()
}

#[test]
fn ratios_are_formed_within_rounds() {
    let rows = summarize(&rounds()).unwrap();
    let [put, guava, ours] = &rows[..] else {
        panic!("{rows:?}")
    };
    assert_eq!((put.operation, put.yes_share), (Operation::Put, 1.0));
    assert_eq!(
        (guava.filter, guava.ratio_to_guava, guava.median_ns_per_call),
        (Filter::Guava, 1.0, 120.0)
    );
    // 0.25, 0.2 and 0.3, whatever the machine did.
    assert_eq!((ours.rounds, ours.calls, ours.yes_share), (3, 30, 0.1));
    assert_eq!((ours.median_ns_per_call, ours.mad_ns_per_call), (25.0, 1.0));
    assert_eq!(
        (ours.ratio_low, ours.ratio_to_guava, ours.ratio_high),
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
    assert_eq!(
        refuse(|batches| batches.push(batches[0].clone())),
        "Ours, 10000 bits, Absent, round 1 is there twice"
    );
    assert_eq!(
        refuse(|batches| batches.retain(|batch| batch.filter != Filter::Guava)),
        "Ours, 10000 bits, Absent, round 1: 0 batches of Guava's beside it, not one"
    );
    let rounds = refuse(|batches| batches.retain(|batch| batch.filter != Filter::Guava || batch.round != 2));
    assert!(rounds.contains("not the rounds"), "{rounds}");
    for (change, round) in [
        ((|batches| batches[3].bit_size = 1) as fn(&mut Vec<Batch>), 2),
        (|batches| batches[4].calls = 11, 2),
        (|batches| batches[6].setup.push('!'), 3),
        (|batches| batches[6].probes = 8, 3),
    ] {
        let said = refuse(change);
        assert!(said.contains(&format!("round {round}: version, setup")), "{said}");
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
    assert_eq!(read_rows(&parent.path().join("membership.csv")).unwrap(), rows);
    assert_eq!(read_batches(&parent.path().join("batches.csv")).unwrap(), batches);
    let texts = testing::texts(&parent.path().join("membership.svg"));
    for text in ["10,000 bits", "Guava", "guava-bloom", "0.250 (25.0 ns)"] {
        assert!(texts.iter().any(|found| found == text), "{text}: {texts:?}");
    }
}

#[test]
fn damaged_files_are_named_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("batches.csv");
    let header = Batch::HEADER.join(",");
    let line = "ours,1.0,a setup,10000,1043,keys,10048,7,absent,1,10,1,100";
    fs::write(&path, format!("{header}\n{line}\n")).unwrap();
    assert_eq!(read_batches(&path).unwrap().len(), 1);
    for (from, to, says) in [
        ("ours", "mine", "line 2"),
        (",10,1,100", ",10,11,100", "line 2: yes is more than calls"),
        (",10,1,100", ",10,1,0", "line 2: bits, insertions"),
        (",10,1,100", ",9999999999999,1,100", "line 2: calls are at most"),
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
