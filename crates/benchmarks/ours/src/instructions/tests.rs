//! Compares the counts with the committed record.

use std::path::Path;

use bench_kit::record::Row;
use bench_kit::table;

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
