//! The example `guava_file`: its files, answers and refusals.

use std::fs;
#[cfg(unix)]
use std::process::Command;

use guava_bloom::{BloomFilter, Parameters, ProbeCountRule, Strategy, Utf8};

use super::{application, check, refused, run};

#[test]
fn lines_become_the_filter_that_guava_would_write() {
    let folder = tempfile::tempdir().unwrap();
    let (older, newer) = (
        ProbeCountRule::FromBitsPerInsertion,
        ProbeCountRule::FromFalsePositiveRate,
    );
    let cases: [(&[&str], Strategy, ProbeCountRule); 4] = [
        (&[], Strategy::Murmur128Mitz64, newer),
        (&["--strategy", "mitz64"], Strategy::Murmur128Mitz64, newer),
        (&["--strategy", "mitz32"], Strategy::Murmur128Mitz32, newer),
        (&["--guava", "31"], Strategy::Murmur128Mitz64, older),
    ];
    // A line end is not part of the key, and a carriage return without a line feed is.
    let (input, keys) = (
        "one\ntwo\r\n\n\r\r\nfünf\nlast\r",
        ["one", "two", "", "\r", "fünf", "last\r"],
    );
    for (number, (options, strategy, rule)) in cases.into_iter().enumerate() {
        let out = folder.path().join(format!("{number}.bloom"));
        let mut build = application("guava_file");
        build
            .args(["build", "--insertions", "6", "--fpp", "0.001", "--out"])
            .arg(&out)
            .args(options);
        // The second time it replaces the filter.
        for _ in 0..2 {
            check(&run(&mut build, input.as_bytes()), 0, "", "");
        }
        let parameters = Parameters::with_rule(6, 0.001, rule)
            .unwrap()
            .with_strategy(strategy);
        let mut expected = BloomFilter::new(Utf8, &parameters).unwrap();
        for key in keys {
            expected.insert(key);
        }
        assert_eq!(fs::read(&out).unwrap(), expected.to_bytes(), "{options:?}");
        let mut query = application("guava_file");
        query.arg("query").arg(&out);
        let answers = "false\n".to_owned() + &"true\n".repeat(6);
        check(
            &run(&mut query, format!("six\n{input}").as_bytes()),
            0,
            &answers,
            "",
        );
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
}

#[test]
fn what_is_wrong_is_named_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let (diary, out) = (folder.path().join("diary"), folder.path().join("out"));
    fs::write(&diary, "dear diary").unwrap();
    let build = |out: &std::path::Path, options: &[&str], input: &[u8]| {
        let mut build = application("guava_file");
        refused(&run(
            build.arg("build").arg("--out").arg(out).args(options),
            input,
        ))
    };
    let ten = ["--insertions", "10"];
    assert!(build(&diary, &ten, b"key\n").contains("is not a filter"));
    assert!(build(folder.path(), &ten, b"").contains("this is a folder"));
    assert!(build(&out, &ten, b"one\n\xff\xfe\n").contains("input:2:"));
    assert!(build(&out, &["--insertions", "-1"], b"").contains("-1"));
    assert!(build(&out, &["--insertions", "10", "--fpp", "1.5"], b"").contains("1.5"));
    assert_eq!(fs::read(&diary).unwrap(), b"dear diary");
    assert!(!out.exists());

    let mut query = application("guava_file");
    let said = refused(&run(query.arg("query").arg(&diary), b"key\n"));
    assert!(said.contains("diary"), "{said}");
}

/// Memory is limited to 100 MB: ten bytes that claim 16 GiB are refused by their length, and a gigabyte of words when
/// the memory is full.
#[cfg(unix)]
#[test]
fn memory_is_taken_as_bytes_arrive() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("filter");
    let program = application("guava_file").get_program().to_owned();
    let said = || {
        let mut limited = Command::new("sh");
        limited.args(["-c", "ulimit -v 100000; exec \"$0\" query \"$1\""]);
        refused(&run(limited.arg(&program).arg(&file), b""))
    };
    fs::write(&file, b"\x01\x05\x7f\xff\xff\xffword").unwrap();
    let few = said();
    assert!(few.contains("at least 17179869182, got 10"), "{few}");
    fs::File::options()
        .write(true)
        .open(&file)
        .unwrap()
        .set_len(1 << 30)
        .unwrap();
    let many = said();
    assert!(many.contains("out of memory: the allocator refused "), "{many}");
}
