//! The recommendations of `compare` as people read them.

use hash_comparison::questions::Records;
use hash_comparison::record::Standing;

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

#[test]
fn the_run_ends_with_advice_on_every_function_and_the_one_in_use() {
    let bench = Workbench::new();
    let chosen = "--function XXH3 --function PJW --function foldhash";
    // Names match in any letter case.
    let asked = "--for Table --stable --mine djb2hash";
    let (said, records) = done(&bench, 3_000, &format!("{chosen} {asked}"));
    assert!(
        said.contains("for a hash table of these keys, with values that never"),
        "{said}"
    );
    let told = &records.run.recommendations[0];
    // The function in use was measured although it was not chosen.
    assert_eq!(told.mine.as_ref().unwrap().function, "DJB2Hash");
    assert_eq!(records.run.functions.len(), 4);
    assert!(
        records
            .run
            .command
            .ends_with("--for Table --stable --mine djb2hash")
    );
    let pick = &told.pick().unwrap().function;
    assert!(said.contains(pick.as_str()), "{said}");
    let foldhash = told.advice("foldhash").unwrap();
    assert_eq!(
        (foldhash.standing, foldhash.reason.as_str()),
        (Standing::Lacking, "values may change")
    );
    // PJW puts numbered keys into few buckets, which costs a table many comparisons.
    let pjw = told.advice("PJW").unwrap();
    assert!(
        pjw.standing == Standing::Avoid && pjw.reason.ends_with("comparisons"),
        "{pjw:?}"
    );
    assert!(bench.read("out/index.html").contains(pick.as_str()));
}

#[test]
fn an_unkeyed_function_is_refused_for_keys_of_attackers() {
    let asked = "--function djb2hash --untrusted --mine DJB2Hash";
    let (said, records) = done(&Workbench::new(), 500, asked);
    assert!(said.contains("nothing is recommended"), "{said}");
    assert!(said.contains("keys that collide, once found"), "{said}");
    let told = &records.run.recommendations[0];
    assert!(told.pick().is_none());
    assert_eq!(told.advice("DJB2Hash").unwrap().standing, Standing::Lacking);
    assert!(
        told.mine
            .as_ref()
            .unwrap()
            .words
            .starts_with("DJB2Hash is not good enough: ")
    );
}

#[test]
fn filters_are_taken_to_be_stored_and_other_picks_warn() {
    let bench = Workbench::new();
    let run = |more: &str| done(&bench, 500, &format!("--function foldhash-fast {more}"));
    let (said, records) = run("--for filter");
    assert!(said.contains("nothing is recommended"), "{said}");
    assert!(records.run.recommendations[0].stable);
    let warned = "in memory only: its values may change with a";
    let (said, _) = run("--for filter --in-memory");
    assert!(
        said.contains("take foldhash-fast") && said.contains(warned),
        "{said}"
    );
    let (said, _) = run("--seed 1");
    assert!(said.contains(warned), "{said}");
    // What was found and what was expected, and when a collision is as likely as not.
    assert!(
        said.contains("from 77,164 keys on") && said.contains("the low 32 of its 64 bits"),
        "{said}"
    );
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
        --negligible 5% => must be a number of at least 0
        --mine LevelDB => the one that LevelDB uses is SimMurMurHash
        --for shard --in-memory => --in-memory must not be given with --for shard",
    );
}
