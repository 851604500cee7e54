//! Plausible records, made up around the published figures, for tests of charts and report without a run.

use hash_comparison::advice::costs;
use hash_comparison::advice::published::{KeySet, find};
use hash_comparison::functions;
use hash_comparison::questions::{
    CollisionRow, DistributionKind, DistributionRow, FalsePositiveRow, Records, TimingRow,
};
use hash_comparison::record::{
    DatasetKind, DatasetSummary, EMPTY, Environment, FORMAT, FailedTest, Finding, FunctionGroup,
    FunctionSummary, IDEAL, Run, SCHEMA, Verdict,
};
use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::SplitMix64;

/// The published functions with their compared bits.
pub(crate) const PUBLISHED: [(&str, u32); 17] = [
    ("SDBMHash", 32),
    ("SimMurMurHash", 32),
    ("JSHash", 31),
    ("PJW", 28),
    ("MurMurHash2", 32),
    ("ELFHash", 28),
    ("BKDRHash", 31),
    ("CalcNrHash", 32),
    ("APHash", 31),
    ("BPHash", 31),
    ("FNVHash", 32),
    ("RSHash", 31),
    ("DJB", 32),
    ("DJB2Hash", 32),
    ("DEKHash", 32),
    ("SipHashNoCase", 32),
    ("SipHash", 32),
];
/// Modern functions for comparison.
pub(crate) const ANCHORS: [&str; 6] = [
    "FNV-1a 64",
    "CRC-32",
    "MurmurHash3",
    "XXH3",
    "rapidhash",
    "foldhash",
];

/// The datasets and functions of a fixture.
pub(crate) struct Plan<'a> {
    /// Name and number of keys of each dataset.
    pub(crate) datasets: Vec<(&'a str, u64, DatasetKind)>,
    /// Name and bits of each function.
    pub(crate) functions: Vec<(&'a str, u32)>,
}

impl Plan<'_> {
    /// Plans the default run.
    pub(crate) fn standard() -> Self {
        let anchors = ANCHORS.iter().map(|name| (*name, 32));
        Self {
            datasets: vec![
                ("random-strings", 1_000_000, DatasetKind::Generated),
                ("video-ids", 40_000, DatasetKind::Generated),
                ("app-accounts", 45_402, DatasetKind::Embedded),
            ],
            functions: PUBLISHED.into_iter().chain(anchors).collect(),
        }
    }

    pub(crate) fn records(&self) -> Records {
        let mut records = Records::of(self.run());
        let mut noise = Noise(SplitMix64::seed_from_u64(7));
        for &(dataset, keys, _) in &self.datasets {
            let floor = time(dataset, EMPTY, keys, 1.2);
            records.latency.push(TimingRow {
                median_ns_per_key: 1.4,
                ..floor.clone()
            });
            records.timing.push(floor);
            for (index, &(function, bits)) in self.functions.iter().enumerate() {
                self.measure(&mut records, &mut noise, dataset, keys, function, bits, index);
            }
            for bits_per_key in [10, 15, 20] {
                let penalty = 1.3 + 0.02 * f64::from(bits_per_key - 10);
                records
                    .false_positives
                    .push(rate(dataset, IDEAL, keys, bits_per_key, penalty));
            }
        }
        // Filters need at least two keys.
        let few = |name: &str| {
            self.datasets
                .iter()
                .any(|(set, keys, _)| *set == name && *keys < 2)
        };
        records.false_positives.retain(|row| !few(&row.dataset));
        records.costs = costs::judge(&records);
        records
    }

    fn run(&self) -> Run {
        let functions = self.functions.iter().map(|&(name, bits)| FunctionSummary {
            name: name.to_owned(),
            group: if find(name).is_some() {
                FunctionGroup::Published
            } else {
                FunctionGroup::Anchor
            },
            bits,
            output_bits: if ["XXH3", "rapidhash", "foldhash", "SipHash"].contains(&name) {
                64
            } else {
                bits
            },
            author: "Somebody <with> \"quotes\" & Co".to_owned(),
            source: "https://example.org/a?b=1&c=2".to_owned(),
            weaknesses: vec!["Keys of equal length that differ in the last byte collide often.".to_owned()],
            stable: name != "foldhash",
            seed: (name == "XXH3").then(|| "0".to_owned()),
            ..functions::find("CRC-32").unwrap().summary()
        });
        let datasets = self.datasets.iter().map(|&(name, keys, kind)| DatasetSummary {
            name: name.to_owned(),
            kind,
            source: "SplitMix64, decimal text of each value".to_owned(),
            keys,
            bytes: if name == "app-accounts" { 363_646 } else { keys * 9 },
            min_len: 2,
            max_len: 28,
            mean_len: if name == "app-accounts" { 8.009_470_95 } else { 9.0 },
            sha256: "d869aa2084b797f69ea2fce41a23f8d1884cfcedc86d9daac3ec89b0cf749546".to_owned(),
            duplicates_dropped: if kind == DatasetKind::File { 12 } else { 0 },
            detectable_ratio: 1.0 + 20.0 / (keys as f64).sqrt(),
            looks_like: None,
        });
        Run {
            format: FORMAT.to_owned(),
            schema: SCHEMA,
            generator: "xtask 0.1.0".to_owned(),
            command: "cargo xtask compare --seed 1".to_owned(),
            date: "2026-01-02T03:04:05Z".to_owned(),
            seed: 1,
            environment: Environment {
                cpu: "Example CPU 9000".to_owned(),
                logical_cpus: 2,
                memory_bytes: 8 << 30,
                rustc: "rustc 1.89.0".to_owned(),
                cpu_features: vec!["sse4.2".to_owned(), "avx2".to_owned()],
                threads_while_timing: Some(1),
                timing_seconds: Some(18.0),
                seconds_waited_while_timing: Some(0.1),
                ..Environment::default()
            },
            datasets: datasets.collect(),
            functions: functions.collect(),
            ..Run::default()
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one call a cell of the plan")]
    fn measure(
        &self,
        records: &mut Records,
        noise: &mut Noise,
        dataset: &str,
        keys: u64,
        function: &str,
        bits: u32,
        index: usize,
    ) {
        let published = KeySet::of_dataset(dataset).and_then(|set| Some(find(function)?.collisions(set)));
        let first = records.collisions.len();
        for width in [bits, 24, 20] {
            let expected = expected(keys, width);
            let chance = (expected + noise.gauss() * expected.sqrt()).round().max(0.0) as u64;
            let count = match published {
                Some(count) if width == bits => count,
                // Keys that collide at full width collide at every width.
                Some(count) if count as f64 > 4.0 * expected => (count + chance).min(keys - 1),
                _ => chance,
            };
            records
                .collisions
                .push(collisions(dataset, function, width, keys, count, expected));
        }
        let rows = &records.collisions[first..];
        let ratio = |row: &CollisionRow| row.collisions as f64 / row.expected;
        let worst = rows.iter().max_by(|a, b| ratio(a).total_cmp(&ratio(b))).unwrap();
        let verdict = rows.iter().map(|row| row.verdict).max().unwrap();
        let off = match verdict {
            Verdict::FarWorseThanChance => 40.0,
            Verdict::WorseThanChance => 1.5,
            _ => 1.0,
        };
        let bad = verdict >= Verdict::WorseThanChance;
        records.run.findings.push(Finding {
            dataset: dataset.to_owned(),
            function: function.to_owned(),
            verdict,
            failed: if bad {
                vec![FailedTest::Collisions]
            } else {
                Vec::new()
            },
            reasons: if bad {
                vec![format!("{} collisions at {bits} bits", worst.collisions)]
            } else {
                Vec::new()
            },
            worst_bits: worst.bits,
            rank: 0,
            example: bad.then(|| ["abatement".to_owned(), "patented".to_owned()]),
        });
        let ns = 1.6 + 0.45 * index as f64;
        records.timing.push(time(dataset, function, keys, ns));
        records
            .latency
            .push(time(dataset, function, keys, ns * 1.3 + 1.0));
        for buckets in [256, 1_024, 4_096, 16_384, 65_536] {
            for (kind, parameter) in [
                (DistributionKind::PowerOfTwoBuckets, buckets),
                (DistributionKind::PrimeBuckets, buckets + 1),
            ] {
                records.distribution.push(DistributionRow {
                    dataset: dataset.to_owned(),
                    function: function.to_owned(),
                    kind,
                    parameter,
                    statistic: (parameter - 1) as f64 * off * (1.0 + 0.01 * noise.gauss()),
                    dof: parameter - 1,
                    p_value: if off > 2.0 {
                        0.0
                    } else if bad {
                        1e-9
                    } else {
                        noise.uniform()
                    },
                });
            }
        }
        for bit in 0..u64::from(bits) {
            let stuck = verdict == Verdict::FarWorseThanChance && bit % 7 == 0;
            records.distribution.push(DistributionRow {
                dataset: dataset.to_owned(),
                function: function.to_owned(),
                kind: DistributionKind::BitShare,
                parameter: bit,
                statistic: if stuck {
                    0.0
                } else {
                    0.5 + 0.5 * noise.gauss() / (keys as f64).sqrt()
                },
                dof: 1,
                p_value: if stuck { 0.0 } else { noise.uniform() },
            });
        }
        for bits_per_key in [10, 15, 20] {
            let factor = if off > 2.0 {
                60.0
            } else {
                1.3 * off * (1.0 + 0.01 * noise.gauss())
            };
            records
                .false_positives
                .push(rate(dataset, function, keys, bits_per_key, factor));
        }
    }
}

struct Noise(SplitMix64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Draws a roughly normal number.
    fn gauss(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

fn expected(keys: u64, bits: u32) -> f64 {
    let (n, m) = (keys as f64, f64::from(bits).exp2());
    n + m * (n * (-1.0 / m).ln_1p()).exp_m1()
}

fn collisions(
    dataset: &str,
    function: &str,
    bits: u32,
    keys: u64,
    count: u64,
    expected: f64,
) -> CollisionRow {
    let (value, sd) = (count as f64, expected.sqrt());
    let ratio = value / expected;
    let high = (expected + 4.0 * sd).floor() + 2.0;
    CollisionRow {
        dataset: dataset.to_owned(),
        function: function.to_owned(),
        bits,
        keys,
        collisions: count,
        expected,
        p_value: 0.5,
        ci_low: (value - 2.6 * value.sqrt()).max(0.0),
        ci_high: value + 2.6 * value.sqrt() + 5.3 / (1.0 + value),
        band_low: (expected - 4.0 * sd).max(0.0),
        band_high: high,
        p_adjusted: 1.0,
        verdict: match (value > high, ratio > 16.0) {
            (true, true) => Verdict::FarWorseThanChance,
            (true, false) => Verdict::WorseThanChance,
            _ if value < expected - 4.0 * sd => Verdict::FewerThanChance,
            _ => Verdict::WithinChance,
        },
    }
}

fn time(dataset: &str, function: &str, keys: u64, ns: f64) -> TimingRow {
    TimingRow {
        dataset: dataset.to_owned(),
        function: function.to_owned(),
        keys,
        bytes: keys * 9,
        median_ns_per_key: ns,
        mad_ns_per_key: ns * 0.02,
        samples: 31,
    }
}

fn rate(dataset: &str, function: &str, keys: u64, bits_per_key: u32, factor: f64) -> FalsePositiveRow {
    let probes = 1_000_000_u64;
    let theory = 0.618_5_f64.powf(f64::from(bits_per_key));
    let false_positives = ((theory * factor).min(0.99) * probes as f64).round();
    let rate = false_positives / probes as f64;
    let half = 1.96 * (rate * (1.0 - rate) / probes as f64).sqrt() + 2.0 / probes as f64;
    FalsePositiveRow {
        dataset: dataset.to_owned(),
        function: function.to_owned(),
        bits_per_key,
        keys,
        probes,
        false_positives: false_positives as u64,
        rate,
        ci_low: (rate - half).max(0.0),
        ci_high: rate + half,
        theory,
        raw_bytes: keys * 9,
        filter_bytes: (keys * u64::from(bits_per_key)).div_ceil(8) + 1,
        saved: 0.8,
    }
}
