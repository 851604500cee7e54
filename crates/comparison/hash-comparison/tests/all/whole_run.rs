//! The deterministic part of a run: key sets of any size, functions of any width, and findings on few keys.

use hash_comparison::advice;
use hash_comparison::functions::{self, Function};
use hash_comparison::keys::{Dataset, KeySet};
use hash_comparison::questions::filters::{IDEAL_PROBES, MAX_IDEALS};
use hash_comparison::questions::{BucketFigure, QUESTIONS, Records};
use hash_comparison::record::{BitTest, Choice, FailedTest, Finding, IDEAL, Run, Verdict};
use hash_comparison::run::{count, count_values};
use terminal::progress::Silent;

/// Measures the deterministic part of all functions on `datasets` and judges it.
fn run(datasets: &[Dataset]) -> (Records, Vec<Finding>) {
    let functions: Vec<&Function> = functions::all().iter().collect();
    let mut records = Records::of(Run {
        datasets: datasets.iter().map(|set| set.summary.clone()).collect(),
        functions: functions.iter().map(|function| function.facts.clone()).collect(),
        ..Run::default()
    });
    count_values("quality", &mut records, datasets, &functions, &Silent).expect("a run that nobody stops");
    for question in QUESTIONS {
        (question.judge)(&mut records);
    }
    let findings = advice::findings(&records);
    (records, findings)
}

fn from_lines(data: &[u8]) -> Dataset {
    Dataset::of("keys", KeySet::from_lines(data, &Silent).unwrap().keys)
}

fn numbered(count: u32) -> Dataset {
    let lines: String = (0..count).map(|i| format!("user-{i:07}\n")).collect();
    from_lines(lines.as_bytes())
}

#[test]
fn sets_of_any_size_are_measured_without_a_nonsense_number() {
    let long = vec![b'x'; 300_000];
    let sets = [
        from_lines(b"\n"),
        from_lines(b"\n\na"),
        from_lines(b"a\nb\nc"),
        Dataset::of(
            "keys",
            KeySet::from_iter([&b"\0"[..], b"\xff\xfe", b"\xc3\x28", b""]),
        ),
        from_lines(&long),
        numbered(9),
        numbered(10),
        numbered(101),
    ];
    for dataset in sets {
        let n = dataset.keys.len() as u64;
        let summary = dataset.summary.clone();
        assert_eq!(summary.keys, n);
        let (quality, findings) = run(&[dataset]);
        let is_share = |number: f64| (0.0..=1.0).contains(&number);
        for row in quality.collisions.iter().chain(&quality.windows) {
            assert!(row.collisions < row.keys);
            for number in [row.expected, row.ci_low, row.ci_high] {
                assert!((0.0..=n as f64).contains(&number), "{row:?}");
            }
            assert!(is_share(row.p_value) && row.p_value <= row.p_adjusted, "{row:?}");
        }
        for row in &quality.distribution {
            assert!(row.value.is_finite() && is_share(row.p_value), "{row:?}");
            assert!(
                n >= 10 || row.choice == Choice::Bit && row.buckets <= 31,
                "{row:?}"
            );
        }
        assert_eq!(quality.false_positives.is_empty(), n < 2);
        for row in &quality.false_positives {
            assert_eq!(row.keys, n / 2);
            let hashes = if row.function == IDEAL {
                IDEAL_PROBES.div_ceil(n / 2 * 2).min(MAX_IDEALS)
            } else {
                1
            };
            assert_eq!(row.probes, hashes * (n / 2 * 2), "{row:?}");
            let rates = [row.rate, row.ci_low, row.ci_high, row.theory];
            assert!(
                rates.into_iter().all(is_share) && row.saved.is_finite(),
                "{row:?}"
            );
            assert!(row.ci_low <= row.rate && row.rate <= row.ci_high, "{row:?}");
        }
        assert_eq!(quality.occupancy.is_empty(), n < 64);
        for row in &quality.occupancy {
            let by_chance = row.low.unwrap()..=row.high.unwrap();
            assert!(
                by_chance.contains(&row.expected) && is_share(row.p_adjusted),
                "{row:?}"
            );
        }
        assert!(quality.shards.iter().all(|row| row.buckets * 5 <= n));
        // Windows in which no count is significant are not measured.
        assert!(quality.windows.is_empty() || n > 1);
        assert_eq!(findings.len(), functions::all().len());
    }
}

#[test]
fn a_filter_that_lets_most_keys_through_is_far_worse_than_chance_on_a_hundred_keys_too() {
    let lines: String = (0..102).map(|i| format!("key{i}\n")).collect();
    let (quality, findings) = run(&[from_lines(lines.as_bytes())]);
    let of = |name: &str| findings.iter().find(|finding| finding.function == name).unwrap();
    for (name, verdict) in [
        ("BPHash", Verdict::FarWorseThanChance),
        ("APHash", Verdict::WorseThanChance),
        ("JSHash", Verdict::FarWorseThanChance),
        // By the upper half of its values, in Parquet's filter.
        ("FNV-1a 64", Verdict::FarWorseThanChance),
        ("XXH3", Verdict::WithinChance),
    ] {
        assert_eq!(of(name).verdict, verdict, "{:?}", of(name));
    }
    let bp = of("BPHash");
    assert_eq!(bp.failed, [FailedTest::FalsePositives, FailedTest::Distribution]);
    assert!(bp.reasons[0].starts_with("false positives "), "{bp:?}");
    assert_eq!(of("FNV-1a 64").failed, bp.failed);
    let mut rows = quality.false_positives.iter();
    let ideal = rows.find(|row| row.function == IDEAL).unwrap();
    assert!(ideal.ci_high / ideal.ci_low < 1.1, "{ideal:?}");
}

#[test]
fn a_function_may_have_a_single_bit() {
    let xor = |key: &[u8]| u64::from(key.iter().fold(0, |a, b| a ^ b));
    let narrow = [
        Function::custom("one bit", 1, |key| key.len() as u64 & 1, &[]),
        Function::custom("eight bits", 8, xor, &[]),
    ];
    let mut records = Records::of(Run {
        functions: narrow.iter().map(|one| one.facts.clone()).collect(),
        ..Run::default()
    });
    count(&mut records, &[numbered(101)], &[&narrow[0], &narrow[1]], &Silent).unwrap();
    let p_values = (records.structured.iter().map(|row| row.p_value))
        .chain(records.occupancy.iter().map(|row| row.p_adjusted))
        .chain(records.mixing.iter().map(|row| row.p_adjusted));
    assert!({ p_values }.all(|p| (0.0..=1.0).contains(&p)));
    // One bit has no pairs.
    let of_one = records.mixing.iter().filter(|row| row.function == "one bit");
    assert!(of_one.clone().count() > 0 && { of_one }.all(|row| row.test == BitTest::Avalanche));
    let mut shards = records.shards.iter();
    // The worst of all numbers of shards may be any.
    assert!(shards.all(|row| {
        row.choice == Choice::LowBits || row.buckets <= 16 || row.figure == BucketFigure::Worst
    }));
}
