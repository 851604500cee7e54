//! The program as a process, and the store that it is made of.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Command, Output};

use guava_bloom_cache_guard::{Counts, Database, Error, Lookups, Store, name};

fn program(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_guava-bloom-cache-guard"))
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn ten() -> NonZeroUsize {
    NonZeroUsize::new(10).unwrap()
}

/// A table of 100 accounts.
fn database(folder: &Path) -> Database {
    let mut database = Database::open(&folder.join("accounts.db")).unwrap();
    database
        .insert_all((0..100_i32).map(|index| (name(index.unsigned_abs().into()), index.into())))
        .unwrap();
    database
}

#[test]
fn it_prints_where_lookups_end() {
    let output = program(&[
        "--rows",
        "1000",
        "--lookups",
        "5000",
        "--cache",
        "100",
        "--seed",
        "7",
    ]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(text(&output.stdout), EXPECTED);
    let again = program(&[
        "--rows",
        "1000",
        "--lookups",
        "5000",
        "--cache",
        "100",
        "--seed",
        "7",
    ]);
    assert_eq!(again.stdout, output.stdout);
}

const EXPECTED: &str = "\
1000 rows, 5000 lookups, 4474 of them of names that exist nowhere

                           without filter    with filter
found in the cache                     96             96
found in the database                 430            430
absent, database asked               4474             47
absent, stopped                         0           4427

false positives: 1.051 % of the absent names (asked for 1 %), from a filter of 1.2 KiB
";

#[test]
fn the_readme_shows_what_it_prints() {
    let shown = include_str!("../README.md").split("```text\n").nth(2).unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    assert_eq!(text(&program(&[]).stdout), shown);
}

#[test]
fn tables_without_rows_and_lookups_without_absent_names() {
    let output = program(&["--rows", "0", "--lookups", "100"]);
    assert!(
        text(&output.stdout).starts_with("0 rows, 100 lookups, 100 of them of names that exist nowhere\n"),
        "{output:?}"
    );
    let output = program(&["--rows", "10", "--lookups", "100", "--absent", "0"]);
    assert!(
        text(&output.stdout).starts_with("10 rows, 100 lookups, 0 of them of names that exist nowhere\n"),
        "{output:?}"
    );
}

#[test]
fn a_cache_without_an_end_takes_what_it_holds() {
    let most = usize::MAX.to_string();
    let output = program(&[
        "--rows",
        "10",
        "--lookups",
        "100",
        "--cache",
        &most,
        "--fpp",
        "0.07",
    ]);
    assert!(output.status.success(), "{output:?}");
    assert!(text(&output.stdout).contains("(asked for 7 %)"), "{output:?}");
}

#[test]
fn wrong_arguments_are_named() {
    for (arguments, says) in [
        (["--absent", "1.5"], "allowed are numbers from 0 to 1"),
        (["--absent", "NaN"], "allowed are numbers from 0 to 1"),
        (["--absent", "-1"], "allowed are numbers from 0 to 1"),
        (["--cache", "0"], "--cache"),
        (["--fpp", "0"], "error: filter: "),
        (
            ["--fpp", "-1"],
            "error: filter: the false-positive probability is -1.0",
        ),
        (["--rows", "-1"], "unexpected argument '-1'"),
    ] {
        let output = program(&arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert!(text(&output.stderr).contains(says), "{output:?}");
    }
}

#[test]
fn the_filter_hides_nothing_that_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::guarded(database(folder.path()), ten(), 0.01).unwrap();
    for index in 0..100 {
        let balance = i64::try_from(index).unwrap();
        assert_eq!(store.balance(&name(index)).unwrap(), Some(balance));
    }
    assert_eq!(store.balance(&name(99)).unwrap(), Some(99));
    assert_eq!(
        store.counts(),
        Counts {
            in_cache: 1,
            in_database: 100,
            ..Counts::default()
        }
    );
    // Denied before it is there, found afterwards.
    assert_eq!(store.balance("new").unwrap(), None);
    assert_eq!(store.counts().absent_stopped, 1);
    store.insert("new", -5).unwrap();
    assert_eq!(store.balance("new").unwrap(), Some(-5));
}

#[test]
fn the_cache_forgets_what_was_asked_for_longest_ago() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::unguarded(database(folder.path()), ten());
    // Eleven accounts into a cache of ten: the first is gone, the second is the oldest.
    for index in (0..11).chain([1, 10, 0]) {
        store.balance(&name(index)).unwrap();
    }
    assert_eq!((store.counts().in_cache, store.counts().in_database), (2, 12));
}

#[test]
fn a_row_that_cannot_be_written_costs_a_look_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let mut database = database(folder.path());
    // All or none: the second is there already.
    let twice = [("fresh".to_owned(), 1), (name(5), 2)];
    assert!(database.insert_all(twice).is_err());
    assert_eq!(database.balance("fresh").unwrap(), None);
    let mut store = Store::guarded(database, ten(), 0.01).unwrap();
    assert!(matches!(store.insert(&name(5), 7), Err(Error::Database(_))));
    assert_eq!(store.balance(&name(5)).unwrap(), Some(5));
}

#[test]
fn lookups_follow_from_the_seed() {
    let names = |seed| Lookups::new(10, 0.5, seed).take(1000).collect::<Vec<_>>();
    assert_eq!(names(1), names(1));
    assert_ne!(names(1), names(2));
    let present = names(1).iter().filter(|found| **found < name(10)).count();
    assert!((400..600).contains(&present), "{present}");
}
