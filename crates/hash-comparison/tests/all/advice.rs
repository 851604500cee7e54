//! Checks the advice on key files of different shapes against the records, with an independent copy of the rules.

use hash_comparison::advice::recommend::recommend;
use hash_comparison::advice::{costs, summarise};
use hash_comparison::functions::{self, Function};
use hash_comparison::keys::{Dataset, KeySet};
use hash_comparison::questions::filters::FEWEST_KEYS;
use hash_comparison::questions::{QUESTIONS, Records, TimingRow, WindowEnd};
use hash_comparison::record::{
    About, CallForm, Choice, IDEAL, KeyShape, Purpose, Recommendation, Request, Resistance, Run, Standing,
    about,
};
use hash_comparison::run::quality;
use records::progress::Silent;

const LEVEL: f64 = 0.01;

/// Mixes the bits of a number with an independent function, so that no key depends on a function under test.
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 31)).wrapping_mul(0x7fb5_d329_728e_a185);
    (number ^ (number >> 27)).wrapping_mul(0x81da_def4_bc2d_d44d) ^ (number >> 33)
}

fn word(mut number: u64) -> String {
    let mut word = String::new();
    while number > 0 {
        word.push(char::from(b"bcdfglmnrstv"[(number % 12) as usize]));
        word.push(char::from(b"aeiou"[(number / 12 % 5) as usize]));
        number /= 60;
    }
    word
}

type Shape = (&'static str, u64, fn(u64) -> Vec<u8>);

const SHAPES: [Shape; 12] = [
    ("decimal ids", 6_000, |i| i.to_string().into_bytes()),
    ("padded ids", 5_000, |i| {
        format!("{:016}", 10_000_000 + i).into_bytes()
    }),
    ("hexadecimal", 4_000, |i| {
        format!("{:016x}{:016x}", mixed(i), mixed(!i)).into_bytes()
    }),
    ("urls", 5_000, |i| {
        format!("https://www.example.org/{}/item?id={i}", word(i % 97 + 1)).into_bytes()
    }),
    ("e-mail", 5_000, |i| {
        format!("{}.{}@example.org", word(i % 53 + 60), word(i + 60)).into_bytes()
    }),
    ("names", 6_000, |i| {
        format!("{} {}", word(i % 71 + 60), word(i + 3_600)).into_bytes()
    }),
    ("addresses", 5_000, |i| {
        format!("10.{}.{}.{}", i % 3, i / 256 % 256, i % 256).into_bytes()
    }),
    ("counters", 6_000, |i| i.to_le_bytes().to_vec()),
    ("one byte apart", 4_000, |i| {
        let mut key = vec![b'x'; 64];
        key[(i % 60) as usize] = b'a' + (i / 60) as u8;
        key
    }),
    ("timestamps", 5_000, |i| {
        format!(
            "2026-01-{:02}T{:02}:{:02}:00Z",
            i / 1440 % 28 + 1,
            i / 60 % 24,
            i % 60
        )
        .into_bytes()
    }),
    ("long", 500, |i| {
        format!("{}{i}", "padding/".repeat(40)).into_bytes()
    }),
    ("few", 40, |i| i.to_string().into_bytes()),
];

fn dataset(&(name, count, make): &Shape) -> Dataset {
    let keys: KeySet = (0..count).map(make).collect();
    Dataset::of(name, keys)
}

/// Measures everything except times; times are made up, and differ by form and dataset.
fn records(datasets: &[Dataset]) -> Records {
    let functions: Vec<&Function> = functions::all().iter().collect();
    let mut records = Records::of(Run {
        datasets: datasets.iter().map(|dataset| summarise(dataset, 100)).collect(),
        functions: functions.iter().map(|function| function.summary()).collect(),
        ..Run::default()
    });
    quality::values(&mut records, datasets, &functions, &Silent).unwrap();
    for question in QUESTIONS {
        (question.judge)(&mut records);
    }
    records.costs = costs::judge(&records);
    for (place, dataset) in datasets.iter().enumerate() {
        for (index, function) in functions.iter().enumerate() {
            let time = |ns: f64| TimingRow {
                dataset: dataset.name.clone(),
                function: function.name.to_owned(),
                keys: dataset.keys.len() as u64,
                bytes: 0,
                median_ns_per_key: ns,
                mad_ns_per_key: 0.01 * ns,
                samples: 9,
            };
            let draw = |salt: u64| 1.0 + (mixed((index * 64 + place) as u64 ^ salt) % 1_000) as f64 / 100.0;
            records.timing.push(time(draw(0)));
            records.latency.push(time(draw(1 << 40)));
        }
    }
    records
}

/// Returns the highest cost that chance does not explain, computed from the measurements.
fn price(records: &Records, dataset: &str, function: &str, purpose: Purpose) -> f64 {
    fn of<'a, R: About>(rows: &'a [R], dataset: &'a str, function: &'a str) -> impl Iterator<Item = &'a R> {
        about(rows, dataset, function)
    }
    let more = |p_value: f64, tests: usize, measured: f64, chance: f64| {
        let sure = p_value * (tests as f64) < LEVEL && measured > chance;
        if sure { measured / chance - 1.0 } else { 0.0 }
    };
    let prices: Vec<f64> = match purpose {
        Purpose::FilterOrTable => {
            let of = |purpose| price(records, dataset, function, purpose);
            vec![of(Purpose::Filter), of(Purpose::Table)]
        }
        Purpose::Filter => {
            // Clear differences replace the run's test, which detects every one of them.
            let rows = || of(&records.near_sizes, dataset, function);
            let most = rows().map(|row| row.keys).max();
            rows()
                .filter(|row| Some(row.keys) == most)
                .filter_map(|row| {
                    let mut ideal = of(&records.near_sizes, dataset, IDEAL);
                    let same =
                        ideal.find(|ideal| (ideal.bits_per_key, ideal.keys) == (row.bits_per_key, row.keys));
                    Some((row, same?))
                })
                .filter(|(row, ideal)| row.rate > 4.0 * ideal.rate && row.false_positives > 60 * row.sizes)
                .map(|(row, ideal)| row.rate / ideal.rate - 1.0)
                .collect()
        }
        Purpose::Table => of(&records.occupancy, dataset, function)
            .filter(|row| matches!(row.choice, Choice::LowBits | Choice::Remainder))
            .map(|row| more(row.hit_p, 3 * records.occupancy.len(), row.hit, row.hit_expected))
            .collect(),
        Purpose::Shard => of(&records.shards, dataset, function)
            .map(|row| {
                more(
                    row.p_value,
                    records.shards.len(),
                    row.fullest as f64,
                    row.fullest_expected,
                )
            })
            .collect(),
        Purpose::Checksum => of(&records.windows, dataset, function)
            .filter(|row| row.end == WindowEnd::Full)
            .map(|row| {
                more(
                    row.p_value,
                    records.windows.len(),
                    row.collisions as f64,
                    row.expected,
                )
            })
            .collect(),
    };
    prices.into_iter().fold(0.0, f64::max)
}

fn hold(records: &Records, told: &Recommendation) {
    let at = |function: &str| {
        format!(
            "{} of {}, {} (untrusted {}, stable {})",
            function, told.dataset, told.purpose, told.untrusted, told.stable
        )
    };
    let names: Vec<&str> = told.functions.iter().map(|one| one.function.as_str()).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), records.run.functions.len(), "every function once");
    assert_eq!(sorted.len(), names.len());
    let summary = records
        .run
        .datasets
        .iter()
        .find(|set| set.name == told.dataset)
        .unwrap();
    let table = matches!(told.purpose, Purpose::Table | Purpose::FilterOrTable);
    assert_eq!(told.form == CallForm::Chained, table);
    let time = |function: &str| {
        let row = about(records.times(told.form), &told.dataset, function)
            .next()
            .unwrap();
        row.median_ns_per_key
    };
    for one in &told.functions {
        let function = records
            .run
            .functions
            .iter()
            .find(|other| other.name == one.function)
            .unwrap();
        assert!(
            (2..=7).contains(&one.reason.split_whitespace().count()),
            "{}: {}",
            at(&one.function),
            one.reason
        );
        let lacks = told.untrusted
            && (function.resistance != Resistance::Keyed || told.purpose == Purpose::Checksum)
            || told.stable && !function.stable;
        let price = price(records, &told.dataset, &one.function, told.purpose);
        match one.standing {
            Standing::Lacking => {
                let short = told.purpose == Purpose::Checksum && function.output_bits < 64;
                assert!(lacks || short, "{}", at(&one.function));
            }
            Standing::Unknown => assert!(summary.keys < FEWEST_KEYS && !lacks),
            Standing::Avoid => {
                let row = one.cost.as_ref().unwrap();
                assert!(
                    row.measurable && row.cost >= told.negligible && !lacks,
                    "{}",
                    at(&one.function)
                );
                assert!(told.purpose.parts().contains(&row.purpose));
                // With the same test, both computations give the same price.
                if told.purpose != Purpose::Filter && row.purpose != Purpose::Filter {
                    assert!(
                        (price / row.cost - 1.0).abs() < 1e-6 || row.cost > 1e8,
                        "{}: {price}",
                        at(&one.function)
                    );
                }
            }
            Standing::Pick | Standing::RunnerUp | Standing::Suited => {
                assert!(!lacks && summary.keys >= FEWEST_KEYS);
                assert!(price < told.negligible, "{} costs {price}", at(&one.function));
            }
        }
    }
    let suited: Vec<&str> = told.suited().map(|one| one.function.as_str()).collect();
    assert!(
        suited.is_sorted_by_key(|function| time(function)),
        "{}: the fastest first",
        told.dataset
    );
    assert_eq!(
        told.pick().map(|one| one.function.as_str()),
        suited.first().copied()
    );
    let standings: Vec<Standing> = told.functions.iter().map(|one| one.standing).collect();
    assert!(standings.is_sorted());
}

#[test]
fn no_advice_contradicts_the_records() {
    let datasets: Vec<Dataset> = SHAPES.iter().map(dataset).collect();
    let records = records(&datasets);
    let (mut picks, mut avoided, mut negligible) = (0, 0, 0);
    for purpose in [
        Purpose::FilterOrTable,
        Purpose::Filter,
        Purpose::Table,
        Purpose::Shard,
        Purpose::Checksum,
    ] {
        for (untrusted, stable) in [(false, false), (true, false), (false, true), (true, true)] {
            let request = Request {
                purpose,
                untrusted,
                stable,
                ..Request::default()
            };
            for told in recommend(&records, &request) {
                hold(&records, &told);
                picks += usize::from(told.pick().is_some());
                avoided += told.standing(Standing::Avoid).count();
                let cheap = |cost: &Option<_>| cost.is_some();
                negligible += told.suited().filter(|one| cheap(&one.cost)).count();
            }
        }
    }
    // The rules were exercised: all kinds of advice occurred.
    assert!(
        picks > 100 && avoided > 500 && negligible > 0,
        "{picks} {avoided} {negligible}"
    );
    let looks = |name: &str| {
        records
            .run
            .datasets
            .iter()
            .find(|set| set.name == name)
            .unwrap()
            .looks_like
    };
    assert_eq!(
        [
            "urls",
            "e-mail",
            "names",
            "addresses",
            "decimal ids",
            "hexadecimal",
            "timestamps"
        ]
        .map(looks),
        [
            Some(KeyShape::Urls),
            Some(KeyShape::EmailAddresses),
            Some(KeyShape::Names),
            Some(KeyShape::IpAddresses),
            None,
            None,
            None
        ]
    );
}
