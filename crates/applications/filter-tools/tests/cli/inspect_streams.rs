//! `inspect` on the streams of Guava's and Spark's filters.

use membership_filters::Utf8;
use membership_filters::guava::{BloomFilter, Parameters};
use membership_filters::spark::{self, Version};

use super::Workbench;

/// A filter of Spark with this many elements of the 4,000 that its 64 Kibit and 11 probes were made for.
fn spark(elements: i64, version: Version) -> Vec<u8> {
    let parameters = spark::Parameters::with_bits(4_000, 1 << 16).unwrap();
    let mut filter = spark::BloomFilter::new(&parameters.version(version)).unwrap();
    filter.insert_many(&(0..elements).collect::<Vec<_>>());
    filter.to_spark()
}

fn bench() -> Workbench {
    let bench = Workbench::new();
    let mut guava = BloomFilter::new(Utf8, &Parameters::new(1_000, 0.01).unwrap()).unwrap();
    for id in 0..1_000 {
        guava.insert(&format!("user-{id}"));
    }
    bench.write("guava.bloom", guava.to_guava());
    bench.write("first.spark", spark(4_000, Version::V1));
    bench.write("overfull.spark", spark(20_000, Version::V2 { seed: -7 }));
    let parameters = spark::Parameters::of_data_frame(20_000_000, 0.01).unwrap();
    let cut = spark::BloomFilter::new(&parameters).unwrap();
    bench.write("cut.spark", cut.to_spark());
    bench
}

#[test]
fn streams_of_both_programs() {
    let bench = bench();
    let before = bench.snapshot();
    let shown = bench.done("inspect guava.bloom first.spark overfull.spark cut.spark");
    insta::assert_snapshot!("inspect streams", shown);
    assert!(before == bench.snapshot());
}

#[test]
fn figures_for_programs() {
    let bench = bench();
    let streams = bench.json(0, "inspect --json overfull.spark");
    assert_eq!(streams.as_array().unwrap().len(), 1);
    let (stream, fill) = (&streams[0], &streams[0]["fill"]);
    assert_eq!(stream["format"], "spark-v2, seed -7");
    let keys = fill["estimated_len"].as_f64().unwrap();
    assert!((keys / 20_000.0 - 1.0).abs() < 0.03, "{keys}");
    // 1 - e^(-k n / m) to the power of k.
    let rate = stream["expected_rate"].as_f64().unwrap();
    assert!((rate - 0.678).abs() < 0.02, "{rate}");
}

#[test]
fn a_cut_stream_is_damage_and_other_files_are_named() {
    let bench = bench();
    let mut stream = spark(10, Version::default());
    stream.truncate(1000);
    bench.write("short.spark", &stream);
    bench.write("other.txt", "a text");
    for (files, named) in [
        (
            "short.spark",
            "damage: short.spark: the length in bytes must be at least 8208, got 1000",
        ),
        (
            "guava.bloom other.txt",
            "damage: other.txt: its bytes do not identify the format",
        ),
        (
            "short.spark --format split-block",
            "damage: short.spark: no filter of SplitBlockBloomFilter.Xxh64: length must be a multiple of 32 bytes",
        ),
    ] {
        let shown = bench.ended(1, &format!("inspect {files}"));
        assert!(shown.contains(named), "{shown}");
    }
}
