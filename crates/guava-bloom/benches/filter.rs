//! Local measurements of one change against another: one element at a time and many, in filters from the first cache to
//! main memory. What is published comes from the workspace's own benchmark, which runs other programs beside.
#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on has failed")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use guava_bloom::{BloomFilter, Hash128, Long, Parameters, Strategy, Utf8};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Keys of a run: few enough for their hashes to stay in the second cache, so that the filter's memory is what is waited
/// for.
const KEYS: usize = 4096;

/// Everything random is drawn once, before anything is measured.
const SEED: u64 = 1;

/// A filter of about so many bits, half of them ones.
fn half_full(bits: u64, strategy: Strategy) -> BloomFilter<Utf8> {
    let mut random = SplitMix64::seed_from_u64(SEED);
    let words = (0..bits / 64).map(|_| random.next_u64()).collect();
    BloomFilter::from_parts(Utf8, strategy, 7, words).unwrap()
}

fn hashes(count: usize) -> Vec<Hash128> {
    let mut random = SplitMix64::seed_from_u64(SEED + 1);
    (0..count)
        .map(|_| Hash128 {
            h1: random.next_u64(),
            h2: random.next_u64(),
        })
        .collect()
}

fn lookups(c: &mut Criterion) {
    for (name, bits) in [
        ("1e4", 10_000),
        ("1e6", 1_000_000),
        ("1e8", 100_000_000),
        ("2e9", 2_000_000_000),
    ] {
        for strategy in [Strategy::Murmur128Mitz64, Strategy::Murmur128Mitz32] {
            let mut filter = half_full(bits, strategy);
            // Each run asks for other keys, so that their words are not in the caches from the run before.
            let absent = hashes(64 * KEYS);
            let mut runs = absent.chunks(KEYS).cycle();
            let mut group = c.benchmark_group(format!("{name} bits, {strategy}"));
            group.throughput(Throughput::Elements(KEYS as u64));
            let mut answers = vec![false; KEYS];
            for what in ["absent", "present"] {
                group.bench_function(format!("{what}, one by one"), |b| {
                    b.iter(|| {
                        let run = runs.next().unwrap_or_default();
                        run.iter()
                            .filter(|&&hash| filter.might_contain_hash(hash))
                            .count()
                    });
                });
                group.bench_function(format!("{what}, many"), |b| {
                    b.iter(|| {
                        filter.might_contain_hashes(runs.next().unwrap_or_default(), &mut answers);
                        black_box(&answers);
                    });
                });
                for &hash in &absent {
                    filter.put_hash(hash);
                }
            }
            group.bench_function("put, one by one", |b| {
                b.iter(|| {
                    for &hash in runs.next().unwrap_or_default() {
                        black_box(filter.put_hash(hash));
                    }
                });
            });
            group.bench_function("put, many", |b| {
                b.iter(|| {
                    filter.put_hashes(runs.next().unwrap_or_default(), &mut answers);
                    black_box(&answers);
                });
            });
        }
    }
}

fn keys(c: &mut Criterion) {
    let mut random = SplitMix64::seed_from_u64(SEED + 2);
    let numbers: Vec<i64> = (0..KEYS).map(|_| random.next_u64().cast_signed()).collect();
    let texts: Vec<String> = numbers.iter().map(i64::to_string).collect();
    let parameters = Parameters::new(100_000, 0.01).unwrap();
    let of_texts = BloomFilter::new(Utf8, &parameters).unwrap();
    let of_numbers = BloomFilter::new(Long, &parameters).unwrap();
    let mut group = c.benchmark_group("hash and first probe");
    group.throughput(Throughput::Elements(KEYS as u64));
    group.bench_function("decimal strings", |b| {
        b.iter(|| {
            texts
                .iter()
                .filter(|text| of_texts.might_contain(text.as_str()))
                .count()
        });
    });
    group.bench_function("longs", |b| {
        b.iter(|| {
            numbers
                .iter()
                .filter(|number| of_numbers.might_contain(*number))
                .count()
        });
    });
    group.finish();
}

criterion_group!(benches, lookups, keys);
criterion_main!(benches);
