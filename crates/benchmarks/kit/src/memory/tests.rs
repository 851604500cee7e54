//! From a file of measurements to a folder of records.

use std::fs;

use super::*;
use crate::benchmark::testing;

fn measurement(structure: Structure, rate: Option<f64>, bytes: u64, false_positives: u64) -> Measurement {
    Measurement {
        structure,
        asked_rate: rate,
        keys: 1000,
        reported_bytes: rate.map(|_| bytes - 8),
        allocated_bytes: bytes,
        peak_bytes: 2 * bytes,
        absent: 4096,
        false_positives,
    }
}

fn measurements() -> Vec<Measurement> {
    vec![
        measurement(Structure::Bloom, Some(0.1), 600, 512),
        measurement(Structure::Bloom, Some(0.01), 1208, 32),
        measurement(Structure::ConcurrentBloom, Some(0.1), 600, 512),
        measurement(Structure::ConcurrentBloom, Some(0.01), 1208, 32),
        measurement(Structure::Cuckoo, Some(0.1), 900, 256),
        // Never wrong by chance: not on the chart.
        measurement(Structure::Cuckoo, Some(0.000_01), 3000, 0),
        measurement(Structure::HashSetU64, None, 15_000, 0),
    ]
}

#[test]
fn bits_and_rates_follow_from_bytes_and_counts() {
    let rows = summarize(&measurements()).unwrap();
    let bloom = &rows[0];
    assert_eq!(
        (bloom.reported_bits_per_key, bloom.allocated_bits_per_key),
        (Some(4.736), 4.8)
    );
    assert_eq!((bloom.peak_bits_per_key, bloom.rate), (9.6, 0.125));
    assert_eq!(bloom.bound_bits_per_key, Some(3.0));
    assert!(
        0.11 < bloom.rate_low && bloom.rate_high < 0.14,
        "{} {}",
        bloom.rate_low,
        bloom.rate_high
    );
    let never_wrong = &rows[5];
    assert_eq!((never_wrong.rate, never_wrong.bound_bits_per_key), (0.0, None));
    assert!(never_wrong.rate_high > 0.0);
    assert_eq!(
        (rows[6].asked_rate, rows[6].allocated_bits_per_key),
        (None, 120.0)
    );
}

#[test]
fn measurements_that_do_not_fit_together_are_named() {
    let mut twice = measurements();
    twice.push(twice[1].clone());
    assert_eq!(
        summarize(&twice).unwrap_err(),
        "Bloom at a rate of 0.01 is there twice"
    );
    twice.pop();
    twice.push(twice[6].clone());
    assert_eq!(summarize(&twice).unwrap_err(), "HashSet<u64> is there twice");
    let mut other = measurements();
    other[4].keys = 7;
    assert_eq!(
        summarize(&other).unwrap_err(),
        "Bloom was measured with 1000 keys, cuckoo with 7"
    );
}

#[test]
fn what_is_written_is_read_back_and_drawn() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("memory");
    let bench = Bench::new(
        FORMAT,
        "cargo xtask bench --suite memory".to_owned(),
        "2026-01-01T00:00:00Z".to_owned(),
        false,
        hash_comparison::measure::environment::collect(),
    );
    let folder = Folder::check(&path, FORMAT).unwrap();
    let rows = write(&folder, &bench, &measurements()).unwrap();
    assert_eq!(read_rows(&path.join("memory.csv")).unwrap(), rows);
    assert_eq!(
        read_measurements(&path.join("batches.csv")).unwrap(),
        measurements()
    );
    assert!(Folder::check(&path, FORMAT).is_ok(), "the folder is ours now");
    let texts = testing::texts(&path.join("memory.svg"));
    for text in [
        "Memory against rate: 1,000 phone numbers, measured",
        "bits of memory for each key; sets, which are never wrong, take HashSet<u64> 120",
        "Bloom, concurrent Bloom: 9.66",
        "cuckoo: 7.20",
    ] {
        assert!(texts.iter().any(|found| found == text), "{text}: {texts:?}");
    }
}

#[test]
fn nothing_is_drawn_of_filters_that_were_never_wrong() {
    let rows = summarize(&measurements()[5..]).unwrap();
    assert!(chart::memory(&rows).is_none());
    assert!(chart::memory(&[]).is_none());
}

#[test]
fn damaged_files_are_named_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("batches.csv");
    let header = Measurement::HEADER.join(",");
    let line = "bloom,0.01,10,96,96,96,100,1";
    let reason = |text: &str| {
        fs::write(&path, format!("{header}\n{text}\n")).unwrap();
        match read_measurements(&path) {
            Err(RecordsError::Malformed { reason, .. }) => reason,
            other => panic!("{other:?}"),
        }
    };
    for (changed, says) in [
        ("bloom,0.01,0,96,96,96,100,1", "line 2: keys, absent"),
        ("bloom,0.01,10,96,96,95,100,1", "line 2: peak_bytes are fewer"),
        ("bloom,0.01,10,96,96,96,100,101", "line 2: false_positives"),
        ("bloom,,10,96,96,96,100,1", "line 2: filters have"),
        ("bloom,0.01,10,,96,96,100,1", "line 2: filters have"),
        ("hash-set-u64,0.1,10,,96,96,100,1", "line 2: filters have"),
        ("bloom,1,10,96,96,96,100,1", "line 2: asked_rate"),
        ("bloom,NaN,10,96,96,96,100,1", "line 2: asked_rate"),
        ("tree,0.01,10,96,96,96,100,1", "line 2"),
    ] {
        let said = reason(changed);
        assert!(said.starts_with(says), "{changed}: {said}");
    }
    fs::write(
        &path,
        format!("{header}\n{line}\nhash-set-string,,10,,96,96,100,0\n"),
    )
    .unwrap();
    assert_eq!(read_measurements(&path).unwrap().len(), 2);
}
