//! The recommendations of `compare` as people read them.

use hash_comparison::questions::Records;
use hash_comparison::record::{Advice, Choice, Lack, Standing, Unit};

use super::Workbench;

/// Compares some functions on `keys` numbered keys.
fn done(bench: &Workbench, keys: u32, more: &str) -> (String, Records) {
    let lines: String = (0..keys).map(|number| format!("key {number}\n")).collect();
    bench.write("keys.txt", lines);
    let outcome = bench.run(&format!("compare --quick --keys keys.txt --out out {more}"));
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let said = outcome.stdout;
    assert!(said.lines().all(|line| line.chars().count() <= 100), "{said}");
    (said, Records::read(&bench.path("out")).unwrap())
}

/// Returns the advice on a function.
fn advice<'a>(records: &'a Records, function: &str) -> &'a Advice {
    let mut advice = records.advice.iter();
    advice.find(|one| one.function == function).unwrap()
}

#[test]
fn the_run_ends_with_advice_on_every_function_and_the_one_in_use() {
    let bench = Workbench::new();
    let chosen = "--function XXH3 --function PJW --function foldhash";
    // Names match in any letter case.
    let options = "--for Table --stable --mine djb2hash";
    let (said, records) = done(&bench, 3_000, &format!("{chosen} {options}"));
    assert!(
        said.contains("for a hash table of these keys, with values that never"),
        "{said}"
    );
    // The function in use was measured although it was not chosen.
    assert!(advice(&records, "DJB2Hash").mine);
    assert_eq!(records.run.request.mine.as_deref(), Some("DJB2Hash"));
    assert_eq!(records.run.functions.len(), 4);
    assert!(
        records
            .run
            .command
            .ends_with("--for Table --stable --mine djb2hash")
    );
    let pick = &records.advice[0];
    assert_eq!(pick.standing, Standing::Pick);
    assert!(said.contains(pick.function.as_str()), "{said}");
    let foldhash = advice(&records, "foldhash");
    assert_eq!(
        (foldhash.standing, foldhash.lacks),
        (Standing::Lacking, Some(Lack::Stability))
    );
    // PJW puts numbered keys into few buckets, which costs a table many comparisons.
    let pjw = advice(&records, "PJW");
    assert_eq!(
        (pjw.standing, pjw.unit),
        (Standing::Avoid, Some(Unit::Comparisons))
    );
    assert!(bench.read("out/index.html").contains(pick.function.as_str()));
}

#[test]
fn an_unkeyed_function_is_refused_for_keys_of_attackers() {
    let options = "--function djb2hash --untrusted --mine DJB2Hash";
    let (said, records) = done(&Workbench::new(), 500, options);
    assert!(said.contains("nothing is recommended"), "{said}");
    assert!(said.contains("no: not shown to withstand attackers"), "{said}");
    assert_eq!(advice(&records, "DJB2Hash").standing, Standing::Lacking);
}

#[test]
fn filters_are_taken_to_be_stored_and_other_picks_warn() {
    let bench = Workbench::new();
    let run = |more: &str| done(&bench, 500, &format!("--function foldhash-fast {more}"));
    let (said, records) = run("--for filter");
    assert!(said.contains("nothing is recommended"), "{said}");
    assert!(records.run.request.stable);
    let warned = "values of foldhash-fast may change with a release";
    let (said, _) = run("--for filter --in-memory");
    assert!(
        said.contains("take foldhash-fast") && said.contains(warned),
        "{said}"
    );
    // What was found and what was expected.
    let (said, _) = run("--seed 1");
    assert!(said.contains(warned) && said.contains("in 32 bits"), "{said}");
}

/// An older name, which does not say which of two functions it is.
#[test]
fn a_name_that_is_not_the_functions_own_is_explained() {
    let bench = Workbench::new();
    bench.write("keys.txt", "one\n");
    let outcome = bench.run("compare --quick --keys keys.txt --function FxHash-1 --mine FxHash --out out");
    let explained = "FxHash is FxHash-2, of rustc-hash 2.";
    assert!(outcome.stderr.contains(explained), "{}", outcome.stderr);
    assert!(
        !outcome.stderr.contains("FxHash-1 is FxHash"),
        "{}",
        outcome.stderr
    );
    let records = Records::read(&bench.path("out")).unwrap();
    assert!(advice(&records, "FxHash-2").mine && !advice(&records, "FxHash-1").mine);
}

#[test]
fn mistakes_are_refused() {
    let bench = Workbench::new();
    bench.write("keys.txt", "one\n");
    bench.refuses(
        "compare --quick --keys keys.txt --out out {}",
        "--for sorting => [possible values: filter, table, shard, checksum]
        --mine nosuch => nosuch
        --mine published => published
        --negligible 5% => must be a number from 0 to 1
        --mine zlib => may mean more than one function: name CRC-32 or Adler-32
        --for table --in-memory => --in-memory must not be given with --for table",
    );
}

/// Compares on keys of numbers. Returns what the terminal shows without its line ends, and the records.
fn of_numbers(bench: &Workbench, numbers: impl Iterator<Item = i64>, more: &str) -> (String, Records) {
    bench.write(
        "keys.txt",
        numbers.map(|number| format!("{number}\n")).collect::<String>(),
    );
    let outcome = bench.run(&format!(
        "compare --quick --keys keys.txt --function XXH3 --out out {more}"
    ));
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let words: Vec<&str> = outcome.stdout.split_whitespace().collect();
    (
        words.join(" ") + &outcome.stderr,
        Records::read(&bench.path("out")).unwrap(),
    )
}

/// rustc-hash takes an integer whole: the low bits of these are zero, and so are those of its product.
#[cfg(all(target_pointer_width = "64", target_endian = "little"))]
#[test]
fn integers_are_measured_as_rust_hashes_them() {
    let bench = Workbench::new();
    let shifted = || (0..20_000_i64).map(|number| number << 48);
    let (said, records) = of_numbers(&bench, shifted(), "--type long --for table --mine fxhash");
    let names: Vec<&str> = records.run.functions.iter().map(|one| &*one.name).collect();
    assert_eq!(names, ["XXH3", "FxHash-2", "FxHash-2 (u64)"]);
    assert_eq!(records.run.request.mine.as_deref(), Some("FxHash-2 (u64)"));
    let compared = |function: &str, choice| {
        let mut rows = records
            .occupancy
            .iter()
            .filter(|row| (&*row.function, row.choice) == (function, choice));
        rows.next().unwrap().value
    };
    assert!(compared("FxHash-2", Choice::LowBits) < 2.0);
    assert_eq!(compared("FxHash-2 (u64)", Choice::LowBits).floor(), 625.0);
    assert_eq!(compared("FxHash-2 (u64)", Choice::HighBits).floor(), 10_000.0);
    let page = bench
        .read("out/index.html")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    let which = "FxHash-2 (u64): as Rust hashes integers, by write_u64. All other rows";
    let probing = "Under linear probing, FxHash-2 (u64) takes for an absent key";
    for text in [which, probing] {
        assert!(said.contains(text) && page.contains(text), "{text}: {said}");
    }
    assert!(
        said.contains("yours FxHash-2 (u64)") && said.contains("good enough? no"),
        "{said}"
    );
    assert!(
        said.contains("FxHash-2 hashes integers as FxHash-2 (u64) in Rust, which is compared as yours"),
        "{said}"
    );
    assert!(page.contains("Comparisons are those of chained buckets; open addressing"));

    let numbers = || 0..300;
    let (said, records) = of_numbers(&bench, numbers(), "--type int --function foldhash");
    let names: Vec<&str> = records.run.functions.iter().map(|one| &*one.name).collect();
    assert_eq!(names, ["XXH3", "foldhash", "foldhash (u32)"]);
    assert!(
        said.contains("by write_u32") && said.contains("four bytes"),
        "{said}"
    );
    // Not where other keys are measured, too.
    let of_both = "--type long --function foldhash --dataset app-accounts";
    assert_eq!(of_numbers(&bench, numbers(), of_both).1.run.functions.len(), 2);
}
