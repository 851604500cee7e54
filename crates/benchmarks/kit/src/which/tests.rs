//! From batches to rows.

use super::*;

fn batches() -> Vec<Batch> {
    let mut batches = Vec::new();
    for filter_keys in [32, 4096] {
        for (policy, bytes, rate) in [(Policy::Leveldb, 41, 0.0107), (Policy::Ribbon14, 69, 0.0006)] {
            for (task, ns) in [(Task::Build, 100), (Task::Absent, 70), (Task::Present, 80)] {
                for round in 1..=3 {
                    batches.push(Batch {
                        policy,
                        filter_keys,
                        bits_per_key: 10,
                        bytes,
                        rate,
                        task,
                        round,
                        keys: 10,
                        ns: ns + round,
                    });
                }
            }
        }
    }
    batches
}

#[test]
fn a_row_has_every_task_of_a_policy() {
    let rows = summarize(&batches()).unwrap();
    assert_eq!(rows.len(), 4);
    let last = &rows[3];
    assert_eq!((last.policy, last.filter_keys), (Policy::Ribbon14, 4096));
    assert_eq!((last.bytes, last.rate, last.rounds), (69, 0.0006, 3));
    assert_eq!((last.build_ns, last.absent_ns, last.present_ns), (10.2, 7.2, 8.2));
    assert!((last.build_mad_ns - 0.1).abs() < 1e-9, "{}", last.build_mad_ns);
}

#[test]
fn what_contradicts_itself_is_named() {
    let refuse = |change: fn(&mut Vec<Batch>)| {
        let mut batches = batches();
        change(&mut batches);
        summarize(&batches).unwrap_err()
    };
    let lacks = refuse(|batches| {
        batches.retain(|batch| batch.policy == Policy::Leveldb || batch.task != Task::Present)
    });
    assert_eq!(
        lacks,
        "Ribbon14, Build, 32 keys a filter, round 1: not one of each task beside it"
    );
    let rates = refuse(|batches| {
        for batch in batches {
            if batch.task == Task::Absent {
                batch.rate = 0.5;
            }
        }
    });
    assert!(rates.ends_with("differ between tasks"), "{rates}");
    let bytes = refuse(|batches| batches[1].bytes = 42);
    assert!(
        bytes.contains("round 2: keys, bits per key, bytes or rate"),
        "{bytes}"
    );
}

#[test]
fn what_is_written_is_read_back_and_drawn() {
    let parent = tempfile::tempdir().unwrap();
    let folder = Folder::check(parent.path(), FORMAT).unwrap();
    let bench = Bench::new(
        FORMAT,
        "cargo".to_owned(),
        "2026".to_owned(),
        true,
        hash_comparison::measure::environment::collect(),
    );
    let rows = write(&folder, &bench, &batches()).unwrap();
    assert_eq!(
        benchmark::read::<Which>(&parent.path().join("which.csv")).unwrap(),
        rows
    );
    let svg = std::fs::read_to_string(parent.path().join("which.svg")).unwrap();
    for text in ["32 keys", "4,096 keys", "Ribbon, 14 bits", "1.07 %", "10.2 ns"] {
        assert!(svg.contains(text), "{text}: {svg}");
    }
    let path = parent.path().join("batches.csv");
    let text = std::fs::read_to_string(&path).unwrap().replace("0.0107", "1.5");
    std::fs::write(&path, text).unwrap();
    let error = read_batches(&path).unwrap_err().to_string();
    assert!(error.contains("line 2: rate is from 0 to 1"), "{error}");
}
