//! Compares the counts with the committed record.

use std::path::Path;

use bench_kit::record::Row;
use bench_kit::table;

use super::*;

/// The share by which a count may exceed the record. It allows for changed inlining after small changes elsewhere in
/// the program, and for the C library's functions on another processor. The commonest policies take 30 to 200
/// instructions per key.
const TOLERANCE: f64 = 0.03;

/// Returns the compiler of a row.
fn compiler(row: &Row) -> [&str; 2] {
    ["rustc", "target"].map(|column| row.case.get(column))
}

/// Names the work of a row in a message.
fn named(row: &Row) -> String {
    let (case, lengths) = (&row.case, row.case.get("key_lengths"));
    format!("{}, {}, keys of {lengths} bytes", case.contender, case.task)
}

/// Compares the measured counts with the record of the same compiler, and returns a message that says what to do.
///
/// # Errors
///
/// If a count exceeds the record by more than [`TOLERANCE`], or is missing from the record or the measurement; the
/// message has a line for each.
fn judge(record: &[Row], measured: &[Row]) -> Result<String, String> {
    if record.first().map(compiler) != measured.first().map(compiler) {
        return Ok(
            "instructions are not compared: the committed record is of another compiler; \
             `cargo xtask bench --suite instructions --out reports/reference/instructions` renews it\n"
                .to_owned(),
        );
    }
    let find = |rows: &[Row], row: &Row| {
        let mut rows = rows.iter();
        let is_it = |other: &&Row| (&other.case, other.calls) == (&row.case, row.calls);
        rows.find(is_it).map(|found| found.value)
    };
    let (mut worse, mut better) = (Vec::new(), Vec::new());
    for row in measured {
        let (named, now) = (named(row), row.value);
        let Some(then) = find(record, row) else {
            worse.push(format!("{named}: the record has no such row"));
            continue;
        };
        let change = now / then - 1.0;
        if change.abs() > TOLERANCE {
            let lines = if change > 0.0 { &mut worse } else { &mut better };
            let percent = change * 100.0;
            lines.push(format!(
                "{named}: {now:.2} instructions a key, {then:.2} in the record ({percent:+.1} %)"
            ));
        }
    }
    let missing = record.iter().filter(|row| find(measured, row).is_none());
    worse.extend(missing.map(|row| format!("{}: is in the record, and was not measured", named(row))));
    if !worse.is_empty() {
        let worse = worse.join("\n");
        return Err(format!(
            "more instructions than in the committed record:\n{worse}"
        ));
    }
    let mut text = format!(
        "no row is more than {} % above the committed record\n",
        TOLERANCE * 100.0
    );
    if !better.is_empty() {
        let better = better.join("\n");
        text.push_str(&format!(
            "below it, so that the record should be renewed:\n{better}\n"
        ));
    }
    Ok(text)
}

fn row(task: &str, value: f64) -> Row {
    let case = SUITE.case("leveldb", task, &[&"rustc 1.2.0", &"x86_64", &"16"]);
    Row {
        case,
        rounds: 1,
        calls: 1000,
        unit: "instructions",
        value,
        mad: 0.0,
        ratio: None,
        ratio_low: None,
        ratio_high: None,
    }
}

#[test]
fn what_became_worse_is_named() {
    let record = [row("build", 100.0), row("absent", 100.0), row("present", 100.0)];
    let same = [row("build", 102.9), row("absent", 97.1), row("present", 100.0)];
    assert_eq!(
        judge(&record, &same).unwrap(),
        "no row is more than 3 % above the committed record\n"
    );
    let changed = [row("build", 103.2), row("absent", 96.0), row("both", 1.0)];
    assert_eq!(
        judge(&record, &changed).unwrap_err(),
        "more instructions than in the committed record:\n\
         leveldb, build, keys of 16 bytes: 103.20 instructions a key, 100.00 in the record (+3.2 %)\n\
         leveldb, both, keys of 16 bytes: the record has no such row\n\
         leveldb, present, keys of 16 bytes: is in the record, and was not measured"
    );
    let better = judge(&record[1..2], &changed[1..2]).unwrap();
    let says = "absent, keys of 16 bytes: 96.00 instructions a key, 100.00 in the record (-4.0 %)\n";
    assert!(better.ends_with(says), "{better}");

    let mut old = row("build", 90.0);
    old.case.parameters[0].1 = "rustc 1.0.0".to_owned();
    let said = judge(&[old], &record).unwrap();
    assert!(said.starts_with("instructions are not compared: "), "{said}");
}

#[test]
fn no_policy_takes_more_instructions_than_in_the_committed_record() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../reports/reference/instructions/instructions.csv");
    let record = table::read(&SUITE, &path).unwrap();
    let said = judge(&record, &SUITE.rows(&count().unwrap()).unwrap());
    println!("{}", said.unwrap_or_else(|worse| panic!("{worse}")));
}
