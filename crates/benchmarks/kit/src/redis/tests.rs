//! From files of batches to a folder of records.

use std::fs;

use super::*;
use crate::benchmark::testing;
use hash_comparison::record::files::RecordsError;

fn batch(client: Client, operation: Operation, round: u64, ns: u64) -> Batch {
    let download = operation == Operation::Download;
    Batch {
        client,
        version: "redis 7.0.15".to_owned(),
        operation,
        bits: 9_585_088,
        probes: 7,
        batch: if download { 1 } else { 100 },
        round,
        calls: 1_000,
        yes: if client == Client::RedisBenchmark { 0 } else { 500 },
        ns,
    }
}

/// Three rounds, the last of them on a machine that is ten times slower.
fn rounds() -> Vec<Batch> {
    [
        (1, 2_000_000, 1_000_000),
        (2, 2_400_000, 1_500_000),
        (3, 20_000_000, 8_000_000),
    ]
    .into_iter()
    .flat_map(|(round, theirs, ours)| {
        [
            batch(Client::Blocking, Operation::Contains, round, ours),
            batch(Client::RedisBenchmark, Operation::Contains, round, theirs),
            batch(Client::Local, Operation::Contains, round, 500_000),
            batch(Client::Blocking, Operation::Download, round, 4_000_000_000),
            batch(Client::RedisBenchmark, Operation::Insert, round, theirs),
        ]
    })
    .collect()
}

#[test]
fn speeds_are_formed_within_rounds() {
    let rows = summarize(&rounds()).unwrap();
    let [theirs, ours, local, insert, download] = &rows[..] else {
        panic!("{rows:?}")
    };
    assert_eq!(
        (theirs.client, theirs.speed, theirs.median_ns_per_call),
        (Client::RedisBenchmark, 1.0, 2_400.0)
    );
    // 2, 1.6 and 2.5, whatever the machine did.
    assert_eq!(
        (ours.client, ours.rounds, ours.calls),
        (Client::Blocking, 3, 3_000)
    );
    assert_eq!((ours.speed_low, ours.speed, ours.speed_high), (1.6, 2.0, 2.5));
    assert_eq!(
        (ours.median_ns_per_call, ours.per_second),
        (1_500.0, 1e9 / 1_500.0)
    );
    assert_eq!((local.client, local.median_ns_per_call), (Client::Local, 500.0));
    assert_eq!(insert.operation, Operation::Insert);
    assert_eq!((download.operation, download.speed), (Operation::Download, 1.0));
}

#[test]
fn a_download_pays_when_its_time_is_saved() {
    let rows = summarize(&rounds()).unwrap();
    // 4 ms each, 1.5 us a key on the server, 0.5 us here.
    let expected = BreakEven {
        bits: 9_585_088,
        batch: 100,
        keys: 4_000.0,
    };
    assert_eq!(break_even(&rows), [expected]);
    assert_eq!(break_even(&rows[..2]), []);
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
        "Blocking, Contains, 9585088 bits, 100 keys a trip, round 1 is there twice"
    );
    let alone = refuse(|batches| batches.retain(|batch| batch.client != Client::RedisBenchmark));
    assert!(
        alone.contains("0 batches of redis-benchmark's beside it"),
        "{alone}"
    );
    let other = refuse(|batches| batches[5].calls = 999);
    assert!(other.contains("round 2: version, probes or calls"), "{other}");
}

#[test]
fn what_is_written_is_read_back_and_drawn() {
    let parent = tempfile::tempdir().unwrap();
    let environment = hash_comparison::measure::environment::collect();
    let bench = Bench::new(FORMAT, "cargo".to_owned(), "2026".to_owned(), true, environment);
    let batches = rounds();
    let folder = Folder::check(parent.path(), FORMAT).unwrap();
    let rows = write(&folder, &bench, &batches).unwrap();
    assert_eq!(read_rows(&parent.path().join("redis.csv")).unwrap(), rows);
    assert_eq!(read_batches(&parent.path().join("batches.csv")).unwrap(), batches);
    let texts = testing::texts(&parent.path().join("redis.svg"));
    for text in [
        "100 keys a round trip",
        "bloom-redis, blocking",
        "2.00 (667,000/s)",
    ] {
        assert!(texts.iter().any(|found| found == text), "{text}: {texts:?}");
    }
    // Its bar would leave no room for the others.
    assert!(
        !texts.iter().any(|found| found == Client::Local.words()),
        "{texts:?}"
    );
}

#[test]
fn damaged_files_are_named_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("batches.csv");
    let header = Batch::HEADER.join(",");
    let line = "blocking,redis 7.0.15,contains,9585088,7,100,1,10,1,100";
    fs::write(&path, format!("{header}\n{line}\n")).unwrap();
    assert_eq!(read_batches(&path).unwrap().len(), 1);
    for (from, to, says) in [
        ("blocking", "mine", "line 2"),
        (",10,1,100", ",10,11,100", "line 2: yes is more than calls"),
        (",10,1,100", ",10,1,0", "line 2: bits, batch"),
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
