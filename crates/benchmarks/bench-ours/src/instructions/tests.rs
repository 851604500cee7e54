//! Compares the counts with the committed record.

use std::collections::BTreeMap;
use std::path::Path;

use bench_kit::record::Row;
use bench_kit::table;
use filter_policy::kernels::Kernel;

use super::*;

/// The share by which a count may exceed the record. It allows for changed inlining after small changes elsewhere in
/// the program, and for the C library's functions on another processor. The commonest policies take 30 to 200
/// instructions per key.
const TOLERANCE: f64 = 0.03;

/// Returns the compiler of the rows.
fn compiler(rows: &[Row]) -> [&str; 2] {
    ["rustc", "target"].map(|column| rows[0].case.get(column))
}

#[test]
fn no_policy_takes_more_instructions_than_in_the_committed_record() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../reports/reference/instructions/instructions.csv");
    let record = table::read(&SUITE, &path).unwrap();
    let measured = SUITE.rows(&count().unwrap()).unwrap();
    if compiler(&record) != compiler(&measured) {
        println!(
            "instructions are not compared: the committed record is of another compiler; \
             `cargo xtask bench --suite instructions --out reports/reference/instructions` renews it"
        );
        return;
    }
    let mut worse = String::new();
    for (then, now) in record.iter().zip(&measured) {
        assert_eq!((&then.case, then.calls), (&now.case, now.calls));
        let change = now.value / then.value - 1.0;
        let (case, lengths) = (&now.case, now.case.get("key_lengths"));
        let said = format!(
            "{}, {}, keys of {lengths} bytes: {:.2} instructions a key, {:.2} in the record ({:+.1} %)\n",
            case.contender,
            case.task,
            now.value,
            then.value,
            change * 100.0
        );
        match change {
            TOLERANCE.. => worse += &said,
            change if change < -TOLERANCE => print!("below the record, which should be renewed: {said}"),
            _ => {}
        }
    }
    assert_eq!(record.len(), measured.len());
    assert!(
        worse.is_empty(),
        "more instructions than in the committed record:\n{worse}"
    );
}

/// A way may take more instructions than recorded by this share. It is larger than [`TOLERANCE`], since other compilers
/// are compared as well; a call that should be inlined costs more.
const TOLERANCE_OF_WAYS: f64 = 0.08;

/// The counts of each way to build and to query hang on a few functions that must be inlined, which no other test
/// notices.
#[test]
fn no_way_takes_many_more_instructions_than_recorded() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/instructions/ways.csv");
    let mut now = BTreeMap::new();
    for kernel in [Kernel::Scalar, Kernel::Avx2] {
        if !kernel.is_available() {
            println!("ways are not compared for {kernel}, which this processor lacks");
            continue;
        }
        for (line, total) in run(kernel.name(), &["ways"]).unwrap() {
            let (way, keys) = line.rsplit_once(',').expect("a number of keys");
            let a_key = total as f64 / keys.parse::<f64>().unwrap();
            now.insert(format!("{kernel},{way}"), a_key);
        }
    }
    if std::env::var_os("RECORD_WAYS").is_some() {
        let lines = now.iter().map(|(way, a_key)| format!("{way},{a_key:.1}\n"));
        return fs::write(&path, lines.collect::<String>()).unwrap();
    }
    let text = fs::read_to_string(&path).unwrap();
    let mut worse = String::new();
    let mut compared = 0;
    for line in text.lines() {
        let (way, before) = line.rsplit_once(',').expect("a count");
        let before: f64 = before.parse().unwrap();
        let Some(now) = now.get(way) else {
            assert!(
                way.starts_with("avx2") && !Kernel::Avx2.is_available(),
                "{way} is gone"
            );
            continue;
        };
        compared += 1;
        if *now > before * (1.0 + TOLERANCE_OF_WAYS) {
            let change = (now / before - 1.0) * 100.0;
            worse += &format!("{way}: {before:.1} before, {now:.1} now ({change:+.1} %)\n");
        }
    }
    assert_eq!(compared, now.len(), "ways without a record");
    assert!(
        worse.is_empty(),
        "more instructions a key (kernel, policy, lengths of keys, way) than in {}:\n{worse}\
         If that is intended, record anew: RECORD_WAYS=1 cargo test --package bench-ours no_way",
        path.display()
    );
}
