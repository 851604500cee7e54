//! A quick comparison of few, odd and long keys, made once: its records are complete, its page has no nonsense, and every
//! byte of its files counts.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use hash_comparison::questions::{FILES, Place, Records};
use records::document::RUN;
use tempfile::TempDir;

/// The contents of files of keys, and their numbers of different keys.
fn keys() -> [(Vec<u8>, u64); 6] {
    let many: String = (0..2_002).map(|number| format!("key {number}\n")).collect();
    let long = [vec![b'x'; 300_000], b"\ny\n".to_vec()].concat();
    [
        // Enough keys for a filter over part of them.
        (many.into_bytes(), 2_002),
        (b"\n".to_vec(), 1),
        (b"one\ntwo".to_vec(), 2),
        (b"\x01\n\xff\xfe\n\xc3(\n".to_vec(), 3),
        (b"'; --\n<script>\n\"a\",b\n".to_vec(), 3),
        (long, 2),
    ]
}

/// Functions of several widths, so that some bits are not there.
const FUNCTIONS: [&str; 3] = ["PJW", "APHash", "XXH3"];

/// Returns the folder of the run.
fn made() -> PathBuf {
    static MADE: LazyLock<TempDir> = LazyLock::new(|| {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(super::PROGRAM);
        command.args(["compare", "--quick", "--out", "out"]);
        for (number, (bytes, _)) in keys().iter().enumerate() {
            let name = format!("{number}.txt");
            fs::write(folder.path().join(&name), bytes).unwrap();
            command.args(["--keys", &name]);
        }
        command.args(FUNCTIONS.iter().flat_map(|name| ["--function", name]));
        let output = command.current_dir(&folder).output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        folder
    });
    MADE.path().join("out")
}

#[test]
fn records_are_complete() {
    let records = Records::read(&made()).unwrap();
    for file in FILES {
        let rows = (file.bytes)(&records)
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        assert!(
            rows > 1,
            "{} has no rows: measure them in its question",
            file.name
        );
    }
    let datasets = &records.run.datasets;
    assert!(
        datasets
            .iter()
            .map(|set| set.keys)
            .eq(keys().map(|(_, count)| count))
    );
    for set in datasets {
        for row in records.timing.iter().filter(|row| row.dataset == set.name) {
            assert!(row.median_ns_per_key > 0.0 && row.samples >= 3, "{row:?}");
            let is_whole = (row.keys, row.bytes) == (set.keys, set.bytes);
            assert!(is_whole || row.place != Place::Sequence, "{row:?}");
        }
        let findings = records
            .run
            .findings
            .iter()
            .filter(|finding| finding.dataset == set.name);
        assert_eq!(findings.count(), FUNCTIONS.len());
    }
    // The empty function and the others, datasets in three places, seventeen lengths of keys, both forms of calls.
    let timing = records.timing.iter();
    let all: Vec<_> = timing
        .map(|row| {
            (
                &row.dataset,
                &row.function,
                row.place,
                row.bytes / row.keys,
                row.form,
            )
        })
        .collect();
    let of = |place| all.iter().filter(|row| row.2 == place).count();
    let timed = [Place::Sequence, Place::Cache, Place::Memory, Place::Length].map(of);
    assert_eq!(timed, [6, 6, 6, 17].map(|keys| keys * (FUNCTIONS.len() + 1) * 2));
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
}

#[test]
fn the_page_shows_no_nonsense_number() {
    let page = fs::read_to_string(made().join("index.html")).unwrap();
    assert!(page.contains(">too few keys</text>"));
    let (shown, _) = page.split_once("<script>").unwrap();
    for line in shown.lines().filter(|line| !line.contains("base64")) {
        assert!(!line.contains("NaN") && !line.contains("inf "), "{line}");
    }
}

#[test]
fn every_byte_counts() {
    for name in FILES.iter().map(|file| file.name).chain([RUN]) {
        // Without the other files, so that they are not read for each damage.
        let folder = tempfile::tempdir().unwrap();
        for name in [RUN, name] {
            fs::copy(made().join(name), folder.path().join(name)).unwrap();
        }
        let path = folder.path().join(name);
        let good = fs::read(&path).unwrap();
        let is_refused = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            let error = Records::read_kept(folder.path()).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{}: ", path.display())), "{error}");
        };
        // Every one of the first 20 bytes, and about 20 of the others.
        let step = (good.len() / 20).max(1);
        for at in (0..good.len().min(20)).chain((20..good.len()).step_by(step)) {
            let mut bad = good.clone();
            bad[at] ^= 1 << (at % 8);
            is_refused(&bad);
        }
        is_refused(&good[..good.len() - 1]);
        is_refused(&[&good[..], b"\n"].concat());
        fs::write(&path, good).unwrap();
        assert!(Records::read_kept(folder.path()).is_ok(), "{name}");
    }
}
