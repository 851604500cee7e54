//! Recommendations from records made up for the purpose.
// tidy: long file: one test a rule, on one set of made-up records.

use super::*;
use crate::record::{
    CallForm, Choice, CollisionRow, DistributionKind, DistributionRow, FailedTest, FalsePositiveRow, Finding,
    IDEAL, OccupancyRow, Standing, TimingRow, Verdict, WindowEnd, WindowRow,
};

const KEYS: u64 = 50_000;

/// A function of a made-up run: name, bits, time of calls that overlap and of those that wait.
struct Made(&'static str, u32, f64, f64);

const FAST: Made = Made("fast", 64, 2.0, 9.0);
const LEVEL: Made = Made("level", 64, 2.1, 4.0);
const SLOW: Made = Made("slow", 32, 4.0, 4.1);
const KEYED: Made = Made("keyed", 64, 9.0, 15.0);

/// Records of functions that are all as good as chance.
fn records(functions: &[Made], keys: u64) -> Records {
    let mut run: crate::record::Run = serde_json::from_value(serde_json::json!({
        "format": crate::record::FORMAT,
        "schema": crate::record::SCHEMA,
        "generator": "hash-comparison",
        "command": "compare",
        "date": "2026-01-02T03:04:05Z",
        "seed": 1,
        "quick": true,
        "files": [],
        "checksums": {},
        "bit_facts": [],
        "recommendations": [],
        "environment": serde_json::to_value(crate::measure::environment::collect()).unwrap(),
        "datasets": [{
            "name": "set", "kind": "file", "source": "set.txt", "keys": keys, "bytes": keys * 8, "min_len": 8,
            "max_len": 8, "mean_len": 8.0, "sha256": "", "duplicates_dropped": 0, "detectable_ratio": 2.0,
        }],
        "functions": [],
        "findings": [],
    }))
    .unwrap();
    let mut collisions = Vec::new();
    let (mut timing, mut latency) = (Vec::new(), Vec::new());
    for Made(name, bits, overlapped, waiting) in functions {
        let mut summary = crate::functions::find("XXH3").unwrap().summary();
        (*name).clone_into(&mut summary.name);
        (summary.output_bits, summary.bits) = (*bits, (*bits).min(32));
        if *name == "keyed" {
            summary.resistance = Resistance::Keyed;
            summary.resistance_reason = "Made for a secret key.".to_owned();
        }
        run.functions.push(summary);
        run.findings.push(Finding {
            dataset: "set".to_owned(),
            function: (*name).to_owned(),
            verdict: Verdict::InBand,
            failed: Vec::new(),
            reasons: Vec::new(),
            worst_bits: 32,
            rank: 0,
            example: None,
        });
        collisions.push(CollisionRow {
            dataset: "set".to_owned(),
            function: (*name).to_owned(),
            bits: 32,
            keys,
            collisions: 0,
            expected: 0.25,
            p_value: 1.0,
            ci_low: 0.0,
            ci_high: 5.0,
            band_low: 0.0,
            band_high: 5.0,
            p_adjusted: 1.0,
            verdict: Verdict::InBand,
        });
        let time = |ns: f64| TimingRow {
            dataset: "set".to_owned(),
            function: (*name).to_owned(),
            keys,
            bytes: keys * 8,
            median_ns_per_key: ns,
            mad_ns_per_key: 0.01,
            samples: 31,
        };
        timing.push(time(*overlapped));
        latency.push(time(*waiting));
    }
    Records {
        collisions,
        timing,
        latency,
        ..Records::of(run)
    }
}

fn standard() -> Records {
    records(&[SLOW, FAST, KEYED, LEVEL], KEYS)
}

/// A run of which `function` failed `test`, with 5,000 collisions.
fn failing(function: &str, test: FailedTest) -> Records {
    let mut records = standard();
    let mut findings = records.run.findings.iter_mut();
    let finding = findings.find(|finding| finding.function == function).unwrap();
    finding.verdict = Verdict::Unusable;
    finding.failed = vec![test];
    finding.reasons = vec!["as recorded".to_owned()];
    if test == FailedTest::Collisions {
        let mut rows = records.collisions.iter_mut();
        let row = rows.find(|row| row.function == function).unwrap();
        (row.collisions, row.verdict) = (5_000, Verdict::Unusable);
    }
    records
}

fn asking(purpose: Purpose) -> Request {
    Request {
        purpose,
        ..Request::default()
    }
}

fn told(records: &Records, request: &Request) -> Recommendation {
    recommend(records, request).remove(0)
}

fn listed(told: &Recommendation) -> Vec<(u64, &str)> {
    let list = told.short_list.iter();
    list.map(|one| (one.rank, one.function.as_str())).collect()
}

fn excluded(told: &Recommendation) -> Vec<(Ground, &str, &str)> {
    let groups = told.excluded.iter();
    groups
        .flat_map(|group| group.functions.iter().map(move |one| (group.ground, one)))
        .map(|(ground, one)| (ground, one.function.as_str(), one.reason.as_str()))
        .collect()
}

#[test]
fn times_within_noise_share_a_rank() {
    let told = told(&standard(), &Request::default());
    assert_eq!(
        listed(&told),
        [(1, "fast"), (1, "level"), (3, "slow"), (4, "keyed")]
    );
    assert!(told.excluded.is_empty() && told.notes.is_empty());
    assert_eq!(
        words::sentence(&told),
        "for a filter or table over these keys fast or level, without a measurable difference in quality or time, at 2.0 ns \
         per key (1.99 to 2.11); then slow at 4.0 and keyed at 9.0."
    );
}

#[test]
fn a_table_waits_for_its_hash() {
    let told = told(&standard(), &asking(Purpose::Table));
    assert_eq!(told.form, CallForm::Chained);
    assert_eq!(
        listed(&told),
        [(1, "level"), (1, "slow"), (3, "fast"), (4, "keyed")]
    );
}

#[test]
fn the_list_is_short_and_the_rest_is_named() {
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    let many: Vec<Made> = names.into_iter().map(|name| Made(name, 64, 3.0, 3.0)).collect();
    let told = told(&records(&many, KEYS), &Request::default());
    assert_eq!(told.short_list.len(), MAX_LISTED);
    assert_eq!(told.more.iter().map(|one| one.rank).collect::<Vec<_>>(), [1, 1]);
    assert!(words::sentence(&told).contains("a, b, c, d, e or 2 more, without a measurable difference"));
}

#[test]
fn attackers_are_met_by_keys_alone() {
    let untrusted = Request {
        untrusted: true,
        ..asking(Purpose::Table)
    };
    let records_ = standard();
    let of_table = told(&records_, &untrusted);
    assert_eq!(listed(&of_table), [(1, "keyed")]);
    assert_eq!(excluded(&of_table).len(), 3);
    assert!(
        excluded(&of_table)
            .iter()
            .all(|(ground, _, why)| *ground == Ground::Attackers && why.contains("under every seed"))
    );
    assert!(of_table.notes[0].contains("fixed key"));
    assert!(
        of_table.short_list[0]
            .reasons
            .contains(&"made for a secret key".to_owned())
    );

    let none = told(&records(&[FAST, SLOW], KEYS), &untrusted);
    assert!(none.short_list.is_empty() && none.more.is_empty());
    assert!(
        words::sentence(&none).contains(
            "none of the functions measured (an attacker can make keys that collide: fast and slow)"
        )
    );

    // No function here seals anything.
    let seal = Request {
        purpose: Purpose::Checksum,
        ..untrusted
    };
    let seal = told(&records_, &seal);
    assert!(seal.short_list.is_empty());
    // A secret key keeps attackers off; what is missing is bits. And more functions would not help.
    let keyed = (Ground::Width, "keyed");
    assert!(excluded(&seal).iter().any(|(ground, name, why)| {
        (*ground, *name) == keyed
            && why.ends_with("As a seal 64 bits are few: take a MAC of 128 bits or more.")
    }));
    assert_eq!(seal.notes.len(), 1);
    assert!(seal.notes[0].contains("None of these functions is cryptographic"));
}

#[test]
fn stable_values_are_asked_for_or_needed() {
    let mut records = standard();
    records.run.functions[1].stable = false;
    let any = told(&records, &Request::default());
    assert!(words::sentence(&any).contains("fast (in memory only) or level"));
    let stable = Request {
        stable: true,
        ..Request::default()
    };
    for request in [stable, asking(Purpose::Shard), asking(Purpose::Checksum)] {
        let told = told(&records, &request);
        assert!(told.stable);
        assert!(listed(&told).iter().all(|(_, name)| *name != "fast"));
        assert!(
            excluded(&told)
                .iter()
                .any(|(ground, name, _)| (*ground, *name) == (Ground::Stability, "fast"))
        );
    }
}

#[test]
fn checksums_need_bits() {
    let checksum = asking(Purpose::Checksum);
    let told_ = told(&standard(), &checksum);
    assert_eq!(
        excluded(&told_),
        [(
            Ground::Width,
            "slow",
            "32 bits: 0.29 pairs with one checksum expected among 50,000 keys, 29 among 500,000."
        )]
    );
    assert!(told_.short_list[0].reasons.iter().any(|why| why.contains(
        "with 64 bits 6.8e-11 pairs of different contents with one checksum are expected among 50,000, 6.8e-9 among 500,000"
    )));
    // Among a hundred keys 32 bits are plenty.
    let few = told(&records(&[SLOW, FAST], 100), &checksum);
    assert_eq!(listed(&few), [(1, "fast"), (2, "slow")]);
}

#[test]
fn a_test_counts_where_it_matters() {
    use Purpose::{Checksum, Filter, FilterOrTable, Shard, Table};
    for (test, counting) in [
        (
            FailedTest::Collisions,
            &[FilterOrTable, Filter, Table, Shard, Checksum][..],
        ),
        (FailedTest::FalsePositives, &[FilterOrTable, Filter]),
        (FailedTest::Distribution, &[FilterOrTable, Table, Shard]),
    ] {
        let records = failing("fast", test);
        for purpose in [FilterOrTable, Filter, Table, Shard, Checksum] {
            let told = told(&records, &asking(purpose));
            let left_out = excluded(&told)
                .iter()
                .any(|(ground, name, _)| (*ground, *name) == (Ground::Quality, "fast"));
            assert_eq!(left_out, counting.contains(&purpose), "{test:?} {purpose:?}");
            if !left_out {
                // After all that failed nothing, however fast it is.
                let last = told.short_list.last().unwrap();
                assert_eq!(last.function, "fast");
                assert!(
                    last.reasons
                        .iter()
                        .any(|why| why.starts_with("after those above for a test that does not count here: "))
                );
            }
        }
    }
    assert_eq!(
        excluded(&told(
            &failing("fast", FailedTest::Collisions),
            &Request::default()
        )),
        [(
            Ground::Quality,
            "fast",
            "5,000 of 50,000 keys collide at 32 bits, where chance gives 0.25 (20,000 times)"
        )]
    );
}

#[test]
fn the_rate_that_is_told_is_one_that_failed() {
    let row = |function: &str, bits_per_key, probes, false_positives| FalsePositiveRow {
        dataset: "set".to_owned(),
        function: function.to_owned(),
        bits_per_key,
        keys: KEYS / 2,
        probes,
        false_positives,
        rate: false_positives as f64 / probes as f64,
        ci_low: 0.0,
        ci_high: 1.0,
        theory: 0.0084,
        raw_bytes: 8 * KEYS,
        filter_bytes: KEYS * u64::from(bits_per_key) / 16 + 1,
        saved: 0.8,
    };
    let mut records = failing("fast", FailedTest::FalsePositives);
    // At 20 bits per key 4 of 50,000 are more than twice as often as 33 of a million, which is nothing.
    records.false_positives = vec![
        row("fast", 10, KEYS, 700),
        row("fast", 20, KEYS, 4),
        row(IDEAL, 10, 1_000_000, 10_000),
        row(IDEAL, 20, 1_000_000, 33),
    ];
    assert_eq!(
        excluded(&told(&records, &asking(Purpose::Filter))),
        [(
            Ground::Quality,
            "fast",
            "false positives 1.40 % against 1.00 % of an ideal hash at 10 bits per key"
        )]
    );
}

#[test]
fn tables_and_shards_ask_buckets_not_single_bits() {
    for (kind, parameter, suits) in [
        (DistributionKind::BitShare, 31, true),
        (DistributionKind::PowerOfTwoBuckets, 4096, false),
        (DistributionKind::PrimeBuckets, 4093, false),
    ] {
        let mut records = failing("fast", FailedTest::Distribution);
        records.distribution = vec![DistributionRow {
            dataset: "set".to_owned(),
            function: "fast".to_owned(),
            kind,
            parameter,
            statistic: 0.39,
            dof: 1,
            p_value: 0.0,
        }];
        for purpose in [Purpose::Table, Purpose::Shard] {
            let told = told(&records, &asking(purpose));
            let listed = told.short_list.iter().any(|one| one.function == "fast");
            assert_eq!(listed, suits, "{kind:?} {purpose:?}");
        }
        let filter_or_table = told(&records, &Request::default());
        assert_eq!(filter_or_table.excluded.len(), 1);
    }
}

#[test]
fn tables_and_shards_look_at_some_bits() {
    let window = |end, bits| WindowRow {
        dataset: "set".to_owned(),
        function: "fast".to_owned(),
        end,
        bits,
        keys: KEYS,
        collisions: 40_000,
        expected: 20_000.0,
        p_value: 0.0,
        ci_low: 39_000.0,
        ci_high: 41_000.0,
        p_adjusted: 0.0,
    };
    let suits = |row: WindowRow, purpose| {
        let mut records = standard();
        records.windows = vec![row];
        told(&records, &asking(purpose))
            .short_list
            .iter()
            .any(|one| one.function == "fast")
    };
    assert!(!suits(window(WindowEnd::Low, 15), Purpose::Table));
    assert!(suits(window(WindowEnd::High, 15), Purpose::Table));
    assert!(!suits(window(WindowEnd::High, 12), Purpose::Shard));
    assert!(suits(window(WindowEnd::High, 20), Purpose::Shard));
    assert!(!suits(window(WindowEnd::Full, 64), Purpose::Checksum));
    assert!(suits(window(WindowEnd::Low, 15), Purpose::Filter));

    let chains = |choice| {
        let mut records = standard();
        let row = OccupancyRow {
            dataset: "set".to_owned(),
            function: "fast".to_owned(),
            choice,
            buckets: 32_768,
            keys: KEYS,
            hit: 12.5,
            hit_expected: 1.76,
            hit_low: 1.7,
            hit_high: 1.8,
            hit_p: 0.0,
            miss: 1.5,
            longest: 90,
            longest_expected: 9.0,
            longest_high: 13,
            longest_p: 0.0,
            empty: 0.9,
            empty_expected: 0.2,
            empty_low: 0.19,
            empty_high: 0.21,
            empty_p: 0.0,
            p_adjusted: 0.0,
            verdict: Verdict::Unusable,
        };
        records.occupancy = vec![row];
        told(&records, &asking(Purpose::Table))
    };
    assert_eq!(
        excluded(&chains(Choice::LowBits)),
        [(
            Ground::Quality,
            "fast",
            "a key is found in 12.5 comparisons (1.76 by chance) in 32,768 buckets by the low bits, the fullest of which \
             holds 90"
        )]
    );
    assert!(!excluded(&chains(Choice::Prime)).is_empty());
    assert!(excluded(&chains(Choice::Fibonacci)).is_empty());
}

#[test]
fn the_function_in_use_is_held_against_the_first() {
    let mine = |records: &Records, name: &str, untrusted| {
        let request = Request {
            untrusted,
            mine: Some(name.to_owned()),
            ..Request::default()
        };
        let mine = told(records, &request).mine.unwrap();
        assert_eq!(mine.function, name);
        (mine.standing, mine.words)
    };
    let records_ = standard();
    assert_eq!(
        mine(&records_, "fast", false),
        (
            Standing::Level,
            "fast is the first of the list: keep it.".to_owned()
        )
    );
    assert_eq!(
        mine(&records_, "level", false),
        (
            Standing::Level,
            "level is level with fast (2.10 and 2.00 ns per key, no measurable difference): keep it."
                .to_owned()
        )
    );
    assert_eq!(
        mine(&records_, "slow", false),
        (
            Standing::Behind,
            "slow costs 2.0 ns per key more than fast (4.00 against 2.00): a change saves 50.0 % of the time. There is no \
             measurable difference in quality."
                .to_owned()
        )
    );
    let (standing, words) = mine(&failing("fast", FailedTest::Collisions), "fast", false);
    assert_eq!(standing, Standing::Unsuited);
    assert_eq!(
        words,
        "fast will not do: 5,000 of 50,000 keys collide at 32 bits, where chance gives 0.25 (20,000 times). In time there is \
         no measurable difference from level (2.00 against 2.10 ns per key). It has 5,000 collisions at 32 bits, the first \
         has none."
    );
    // A collision more or less is chance, not a ratio.
    for (count, best, expected) in [
        (
            1,
            1,
            "In collisions there is no measurable difference: 1 at 32 bits against 1 at 32 bits.",
        ),
        (
            0,
            3,
            "In collisions there is no measurable difference: 0 at 32 bits against 3 at 32 bits.",
        ),
        (
            2,
            0,
            "In collisions there is no measurable difference: 2 at 32 bits against 0 at 32 bits.",
        ),
        (0, 0, "Neither has a collision."),
    ] {
        let mut records = standard();
        for row in &mut records.collisions {
            row.collisions = if row.function == "fast" { count } else { best };
        }
        let (_, words) = mine(&records, "fast", true);
        assert!(words.ends_with(expected), "{words}");
    }
    let (standing, words) = mine(&records_, "fast", true);
    assert_eq!(standing, Standing::Unsuited);
    assert!(
        words.contains("A change to keyed costs 7.0 ns per key more"),
        "{words}"
    );
    let (standing, words) = mine(&records(&[FAST], KEYS), "fast", true);
    assert_eq!(standing, Standing::Unsuited);
    assert!(words.ends_with("There is none to put in its place."), "{words}");
    let unknown = Request {
        mine: Some("nosuch".to_owned()),
        ..Request::default()
    };
    assert_eq!(told(&records_, &unknown).mine, None);
}

#[test]
fn on_few_keys_nothing_is_said() {
    for keys in [0, 1, FEWEST_KEYS - 1] {
        for purpose in words::PURPOSES {
            let request = Request {
                mine: Some("slow".to_owned()),
                ..asking(purpose)
            };
            let told = told(&records(&[SLOW, FAST], keys), &request);
            assert!(told.too_few_keys && told.short_list.is_empty() && told.more.is_empty());
            assert!(words::sentence(&told).contains("nothing can be recommended. Too few keys"));
            assert_eq!(told.mine.unwrap().standing, Standing::Unknown);
        }
    }
    // What is known without measuring is told all the same.
    let untrusted = Request {
        untrusted: true,
        ..Request::default()
    };
    assert_eq!(excluded(&told(&records(&[FAST], 1), &untrusted)).len(), 1);
}

#[test]
fn functions_without_times_come_last_and_share_a_rank() {
    let mut records = standard();
    records.timing.retain(|row| row.function == "slow");
    let told = told(&records, &Request::default());
    assert_eq!(
        listed(&told),
        [(1, "slow"), (2, "fast"), (2, "keyed"), (2, "level")]
    );
    assert!(told.short_list[1].time.is_none());
    records.timing.clear();
    assert!(
        words::sentence(&recommend(&records, &Request::default())[0]).contains("slow, fast, keyed or level")
    );
}

#[test]
fn a_whole_recommendation() {
    let mut records = failing("slow", FailedTest::Collisions);
    records.run.functions[1].stable = false;
    let request = Request {
        mine: Some("slow".to_owned()),
        ..asking(Purpose::Shard)
    };
    let told = told(&records, &request);
    insta::assert_snapshot!(serde_json::to_string_pretty(&told).unwrap());
}
