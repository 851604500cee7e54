//! Spark's filters against Spark itself: streams, answers, sizes, merging and refusals must be the same.
//!
//! The test needs a JDK, Python and pyspark 4.3, which `cargo xtask test --install` puts into the folder `target/pyspark`,
//! and fails without them.

use std::path::Path;
use std::process::Command;

use bench_kit::source::Source;
use membership_filters::spark::{BloomFilter, Item, Parameters, Version};
use serde_json::{Value, json};

use crate::{cases, source};

/// An element of one of Spark's kinds.
#[derive(Debug, Clone)]
enum Element {
    Long(i64),
    String(String),
    Binary(Vec<u8>),
}

impl Item for Element {
    fn with_bytes<R>(&self, then: impl FnOnce(&[u8]) -> R) -> R {
        match self {
            Self::Long(number) => number.with_bytes(then),
            Self::String(text) => text.with_bytes(then),
            Self::Binary(bytes) => bytes.with_bytes(then),
        }
    }
}

const KINDS: [&str; 3] = ["long", "string", "binary"];

impl Element {
    fn random(kind: &str, random: &mut Source) -> Self {
        match kind {
            "long" => Self::Long(random.u64() as i64 >> random.index(64)),
            "string" => {
                let characters = ["a", "z", "0", "/", "é", "键", "🗝"];
                Self::String((0..random.index(12)).map(|_| *random.pick(&characters)).collect())
            }
            _ => {
                let length = random.below(24);
                Self::Binary(random.bytes(length))
            }
        }
    }

    fn to_json(&self) -> Value {
        match self {
            Self::Long(number) => json!(number),
            Self::String(text) => json!(text),
            Self::Binary(bytes) => json!(hex(bytes)),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn filled(parameters: &Parameters, elements: &[Element]) -> (BloomFilter, Vec<bool>) {
    let mut filter = BloomFilter::new(parameters).unwrap();
    let changed = elements.iter().map(|element| filter.insert(element)).collect();
    (filter, changed)
}

/// Sends cases to Spark and returns its answers.
fn ask(cases: &[Value]) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let (questions, answers) = (folder.path().join("cases"), folder.path().join("answers"));
    let lines: String = cases.iter().map(|case| format!("{case}\n")).collect();
    std::fs::write(&questions, lines).unwrap();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let pyspark = target.join("pyspark");
    let needed = "needed: a JDK, Python and pyspark; `cargo xtask test --install` installs them";
    assert!(
        pyspark.join("pyspark/jars").is_dir(),
        "{} is missing; {needed}",
        pyspark.display()
    );
    let output = Command::new("python3")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("python/spark.py"))
        .args([&questions, &answers])
        .current_dir(folder.path())
        .env("PYTHONPATH", &pyspark)
        .env("SPARK_LOCAL_IP", "127.0.0.1")
        .env_remove("SPARK_HOME")
        .output()
        .unwrap_or_else(|error| panic!("python3: {error}; {needed}"));
    assert!(
        output.status.success(),
        "{}; {needed}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    let answers = std::fs::read_to_string(&answers).unwrap();
    let answers: Vec<Value> = answers
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), cases.len());
    answers
}

/// Creates a random case, and returns it with the expected answer and a filter of the keys.
fn random_case(random: &mut Source, number: usize) -> (Value, Value, BloomFilter) {
    let kind = KINDS[number % KINDS.len()];
    let seed = [0, random.u64() as i32][random.index(2)];
    let version = [Version::V1, Version::V2 { seed }][number / KINDS.len() % 2];
    let count = random.index(60);
    let (items, bits) = (1 + random.index(80), 1 + random.index(2_000));
    let parameters = Parameters::with_bits(items as u64, bits as u64)
        .unwrap()
        .with_version(version);
    let mut elements =
        |count| -> Vec<Element> { (0..count).map(|_| Element::random(kind, random)).collect() };
    let (keys, others, absent) = (elements(count), elements(20), elements(40));
    let asked: Vec<Element> = keys.iter().chain(&absent).cloned().collect();
    let (ours, changed) = filled(&parameters, &keys);
    let (other, _) = filled(&parameters, &others);
    let mut merged = ours.clone();
    merged.merge(&other).unwrap();
    let texts = |elements: &[Element]| elements.iter().map(Element::to_json).collect::<Vec<_>>();
    let [stream, other, merged] = [&ours, &other, &merged].map(|filter| hex(&filter.to_bytes()));
    let case = json!({
        "version": version.number(), "seed": version.seed(), "kind": kind, "items": items, "bits": bits,
        "keys": texts(&keys), "asked": texts(&asked), "stream": &stream, "other": other,
    });
    let answer = json!({
        "stream": &stream, "again": &stream, "changed": changed, "merged": merged,
        "answers": ours.might_contain_many(&asked),
    });
    (case, answer, ours)
}

#[test]
fn sparks_own_filters_are_the_same() {
    let mut random = source("sparks_own_filters_are_the_same");
    let ours: Vec<_> = (0..cases(60))
        .map(|number| random_case(&mut random, number))
        .collect();
    let mut questions: Vec<Value> = ours.iter().map(|(case, ..)| case.clone()).collect();

    // Streams that both sides refuse: cut ones, and another version.
    let whole = ours[0].2.to_bytes();
    let refused: Vec<Vec<u8>> = [0, 3, 11, whole.len() - 1]
        .map(|len| whole[..len].to_vec())
        .into_iter()
        .chain([[&[0, 0, 0, 3][..], &whole[4..]].concat()])
        .collect();
    for stream in &refused {
        BloomFilter::from_bytes(stream).unwrap_err();
    }
    questions.push(json!({ "refused": refused.iter().map(|stream| hex(stream)).collect::<Vec<_>>() }));
    // The second is cut to Spark's limits.
    let frames = [(5_000, 5_000_i64), (20_000_000, 10_000)];
    for (items, rows) in frames {
        questions.push(json!({ "data_frame": items, "rate": 0.01, "rows": rows }));
    }

    let answers = ask(&questions);
    for ((case, expected, ours), mut theirs) in ours.iter().zip(answers.clone()) {
        // Java leaves the last bit of a power open.
        let (rate, of_spark) = (ours.false_positive_rate(), theirs["rate"].as_f64().unwrap());
        assert!(
            (rate - of_spark).abs() <= 1e-15 * of_spark,
            "{rate} and {of_spark}: {case}"
        );
        theirs.as_object_mut().unwrap().remove("rate");
        assert_eq!(&theirs, expected, "{case}");
    }
    let mut rest = answers[ours.len()..].iter();
    assert_eq!(rest.next().unwrap()["refused"], json!(vec![true; refused.len()]));
    for ((items, rows), theirs) in frames.into_iter().zip(rest) {
        let parameters = Parameters::of_data_frame(items, 0.01).unwrap();
        let mut filter = BloomFilter::new(&parameters).unwrap();
        filter.insert_many(&(0..rows).map(|row| row * 3).collect::<Vec<i64>>());
        assert!(theirs["stream"] == hex(&filter.to_bytes()), "{items} elements");
    }
}
