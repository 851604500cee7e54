//! The sizing calculator on the command line.

use serde_json::Value;

use super::Workbench;

#[test]
fn published_examples() {
    let bench = Workbench::new();
    insta::assert_snapshot!("size", bench.done("size --keys 10M --rate 0.01%"));
}

#[test]
fn memory_is_divided_among_levels() {
    let bench = Workbench::new();
    let shown = bench.done("size --levels 10k,100k,1M,10M --format ribbon");
    insta::assert_snapshot!("size levels", shown);

    let report = bench.json(
        0,
        "size --levels 1kx3:0.5,1M:0 --memory 5kB --format bloom64 --json",
    );
    let report = &report[0];
    assert!(report["bytes"].as_u64().unwrap() <= 5_000);
    // Nobody reads the large level, which therefore has no filter.
    let levels = report["levels"].as_array().unwrap();
    assert!(levels[0]["bits_per_key"].as_f64().unwrap() > 13.0, "{report}");
    assert!(levels[1]["bits_per_key"].is_null(), "{report}");

    bench.refuses(
        "size --levels 10k:z => reads must be a number of 0 to
        size --levels 1kx18446744073709551615 => at most 9,007,199,254,740,992 keys in all
        size --levels 10k:1e308 => reads must be a number of 0 to
        size --levels 0 => keys and filters must be at least 1
        size --levels 10k:-1 => reads must be a number of 0 to
        size --levels 10k --format guava => configured by its rate
        size --levels 10k --rate 1% => cannot be used with
        size --levels 10k --memory 1kB --bits-per-key 9 => cannot be used with",
    );
}

#[test]
fn the_cost_of_32_bit_hashes_is_reported_where_it_counts() {
    let bench = Workbench::new();
    let sized = |what: &str| bench.done(&format!("size --bits-per-key 30 --keys {what}"));
    let text = sized("20M");
    assert!(text.contains("0.465 % of absent keys"), "{text}");
    assert!(!sized("32").contains("same 32-bit hash"));
    let json = |filter| sized(&format!("20M --json --format {filter}"));
    assert!(json("leveldb").contains("\"whole_hash_shared\": 0.00464"));
    assert!(!json("bloom64").contains("whole_hash_shared"));
}

#[test]
fn impossible_filters_are_reported() {
    let bench = Workbench::new();
    insta::assert_snapshot!("size refused", bench.done("size --keys 5 --memory '9 B'"));
    let none = bench.run("size --keys 1G --memory 9 --filter cuckoo");
    assert_eq!(none.code, 1);
    assert!(none.stdout.contains("cuckoo: memory must be"), "{}", none.stdout);
}

#[test]
fn a_filter_that_falls_below_names_the_next_size_up() {
    let bench = Workbench::new();
    let shown = bench.done("size --keys 10k --bits-per-key 10");
    assert_eq!(shown.matches("bits per key give").count(), 1, "{shown}");
    assert!(
        shown.contains("\nbinaryfuse: 10 bits per key give 5.13,"),
        "{shown}"
    );
    let json = |bits: &Value| {
        bench.json(
            0,
            &format!("size --keys 10k --bits-per-key {bits} --format binaryfuse --json"),
        )
    };
    let next = json(&10.into())["answers"][0]["next_bits_per_key"].clone();
    let larger = json(&next);
    assert!(larger["answers"][0]["rate"].as_f64().unwrap() < 0.004, "{larger}");

    bench.write(
        "keys",
        (0..10_000).map(|key| format!("{key}\n")).collect::<String>(),
    );
    let build = "build --keys keys --out fuse --format binaryfuse --replace --bits-per-key";
    let stderr = bench.run(&format!("{build} 10")).stderr;
    assert!(stderr.contains("10 bits per key give 5.13"), "{stderr}");
    assert_eq!(bench.run(&format!("{build} {next}")).stderr, "");
}

#[test]
fn what_is_not_given_is_assumed() {
    let bench = Workbench::new();
    assert_eq!(bench.done("size"), bench.done("size --keys 1M --rate 1%"));
}

#[test]
fn mistakes_name_the_value_and_what_is_allowed() {
    Workbench::new().refuses(
        "size --keys 1,5M => got \"1,5M\", whose commas are not before three digits each
        size --rate 2 => above 0 and below 1 | got \"2\"
        size --rate -0.1 => above 0 and below 1 | got \"-0.1\"
        size --memory 0 => memory | at least 1 byte
        size --memory 9pounds => 9pounds | KiB
        size --memory -1 => -1 | KiB
        size --keys 0 => between 1 and | got 0
        size --keys -5 => -5 | digits
        size --keys 10 --rate 0.1 --memory 1000 => the rate follows
        size --rate 0.1 --bits-per-key 10 => cannot be used with
        size --bits-per-key -3 => above 0 | got -3
        size --bits-per-key 1e300 => at most 1,000,000 | got 1e300
        size --format bloom --keys 1 => bloom | rocksdb",
    );
}

#[test]
fn numbers_of_any_length_are_whole() {
    let bench = Workbench::new();
    for more in ["--memory 1TiB", "--keys 9007199254740992"] {
        let shown = bench.done(&format!("size --rate 1% {more}"));
        let table = shown.lines().skip_while(|line| !line.contains('─')).skip(1);
        for line in table.take_while(|line| !line.is_empty()) {
            // A broken number would leave its rest in a row without a name.
            let name = line.split_whitespace().next().unwrap();
            bench.done(&format!("size --keys 9 --format {name}"));
        }
    }
}

/// LevelDB's rate is counted, which takes a second or more for each size where matches are this rare.
#[cfg(unix)]
#[test]
fn rare_matches_take_a_few_seconds() {
    let bench = Workbench::new();
    // Three to four seconds on a quiet machine; there are more than a hundred sizes.
    let output = std::process::Command::new("timeout")
        .args(["40", env!("CARGO_BIN_EXE_filters")])
        .args(["size", "--rate", "1e-9", "--memory", "64KiB"])
        .current_dir(bench.path(""))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).contains("bloom64"));
}
