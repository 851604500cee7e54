//! Compares the kernels at building and querying filters, for work on the kernels themselves.
//!
//! ```text
//! cargo bench -p bench-ours --bench kernels -- 'build FastLocalBloom'
//! ```
//!
//! Times are per filter or per 4096 queries.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use filter_formats::BloomFilter64Policy;
use filter_formats::rocksdb::FastLocalBloomPolicy;
use filter_policy::hashers::LevelDbHash;
use filter_policy::kernels::Kernel;
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Filters in registers, in between, in the first-level cache, and beyond it.
const SIZES: [usize; 5] = [32, 128, 512, 4096, 100_000];
const ASKED: usize = 4096;

fn keys(seed: u64, count: usize) -> Vec<[u8; 16]> {
    let mut random = SplitMix64::seed_from_u64(seed);
    let mut keys = vec![[0; 16]; count];
    random.fill_bytes(keys.as_flattened_mut());
    keys
}

/// Keys of 4 to 40 bytes.
fn mixed_keys(count: usize) -> Vec<Vec<u8>> {
    let mut random = SplitMix64::seed_from_u64(3);
    let mut key = || {
        let mut key = vec![0; 4 + (random.next_u64() % 37) as usize];
        random.fill_bytes(&mut key);
        key
    };
    (0..count).map(|_| key()).collect()
}

fn leveldb(kernel: Kernel) -> BloomFilterPolicy<LevelDbHash> {
    BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(10)).on_kernel(kernel)
}

fn local(kernel: Kernel) -> FastLocalBloomPolicy {
    FastLocalBloomPolicy::new(BitsPerKey::whole(10)).on_kernel(kernel)
}

fn spread(kernel: Kernel) -> BloomFilter64Policy {
    BloomFilter64Policy::new(BitsPerKey::whole(10)).on_kernel(kernel)
}

fn build<P: FilterPolicy>(criterion: &mut Criterion, name: &str, policy: fn(Kernel) -> P) {
    let mut group = criterion.benchmark_group(format!("build {name}"));
    for size in SIZES {
        group.throughput(Throughput::Elements(size as u64));
        let (equal, mixed) = (keys(1, size), mixed_keys(size));
        let equal: Vec<&[u8]> = equal.iter().map(|key| &key[..]).collect();
        let mixed: Vec<&[u8]> = mixed.iter().map(|key| &key[..]).collect();
        let room = policy(Kernel::Scalar).max_filter_len(size);
        let mut room = vec![0; room.expect("the filter is small")];
        for kernel in Kernel::available() {
            let policy = policy(kernel);
            for (form, keys) in [("16 bytes", &equal), ("mixed lengths", &mixed)] {
                group.bench_function(BenchmarkId::new(format!("{kernel}, {form}"), size), |bencher| {
                    bencher.iter(|| {
                        let built = policy.create_filter(keys, black_box(&mut room));
                        built.expect("there is room").len()
                    });
                });
            }
        }
    }
}

fn ask<P: FilterPolicy>(criterion: &mut Criterion, name: &str, policy: fn(Kernel) -> P) {
    for (task, seed) in [("absent", 2), ("present", 1)] {
        let mut group = criterion.benchmark_group(format!("ask {name} for {task} keys"));
        group.throughput(Throughput::Elements(ASKED as u64));
        for size in SIZES {
            let stored = keys(1, size);
            let stored: Vec<&[u8]> = stored.iter().map(|key| &key[..]).collect();
            let mut filter = Vec::new();
            let built = policy(Kernel::Scalar).append_filter(&stored, &mut filter);
            built.expect("the filter is small");
            let asked: Vec<[u8; 16]> = keys(seed, ASKED.min(size))
                .into_iter()
                .cycle()
                .take(ASKED)
                .collect();
            let mut answers = vec![0; ASKED / 64];
            for kernel in Kernel::available() {
                let policy = policy(kernel);
                let prepared = policy.prepare(&filter);
                group.bench_function(BenchmarkId::new(format!("{kernel}, policy"), size), |bencher| {
                    bencher.iter(|| {
                        let matches = |key: &&[u8; 16]| policy.key_may_match(&key[..], black_box(&filter));
                        asked.iter().filter(matches).count()
                    });
                });
                group.bench_function(BenchmarkId::new(format!("{kernel}, prepared"), size), |bencher| {
                    bencher.iter(|| asked.iter().filter(|key| prepared.may_match(&key[..])).count());
                });
                group.bench_function(BenchmarkId::new(format!("{kernel}, batch"), size), |bencher| {
                    bencher.iter(|| {
                        let asked = prepared.may_match_many(&asked, black_box(&mut answers));
                        asked.expect("there are answers enough");
                    });
                });
            }
        }
    }
}

fn benches(criterion: &mut Criterion) {
    build(criterion, "LevelDB", leveldb);
    build(criterion, "FastLocalBloom", local);
    build(criterion, "BloomFilter64", spread);
    ask(criterion, "LevelDB", leveldb);
    ask(criterion, "FastLocalBloom", local);
    ask(criterion, "BloomFilter64", spread);
}

criterion_group!(all, benches);
criterion_main!(all);
