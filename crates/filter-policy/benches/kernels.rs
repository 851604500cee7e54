//! Every kernel beside the definition: filters are built and asked, for work on the kernels themselves.
//!
//! ```text
//! cargo bench -p filter-policy --bench kernels -- build
//! ```
//!
//! Times are per call: of a filter of so many keys, or of 4096 questions.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use filter_policy::{
    BitsPerKey, BloomFilterPolicy, FilterBuilder, FilterView, Kernel, KeyHasher, LevelDbHash, PreparedFilter,
};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

const TEN: BitsPerKey = BitsPerKey::whole(10);
/// In registers, on the way between, and in memory.
const SIZES: [usize; 4] = [32, 128, 4096, 100_000];
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

fn policy(kernel: Kernel) -> BloomFilterPolicy<LevelDbHash> {
    BloomFilterPolicy::leveldb_builtin(TEN).on_kernel(kernel)
}

fn build(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("build");
    for size in SIZES {
        group.throughput(Throughput::Elements(size as u64));
        let packed = keys(1, size);
        let slices: Vec<&[u8]> = packed.iter().map(|key| &key[..]).collect();
        let mixed = mixed_keys(size);
        let mixed: Vec<&[u8]> = mixed.iter().map(|key| &key[..]).collect();
        let mut filter = vec![0; TEN.filter_len(size).expect("the filter is small")];
        group.bench_function(BenchmarkId::new("definition", size), |bencher| {
            bencher.iter(|| {
                let builder = FilterBuilder::new(TEN, size, black_box(&mut filter));
                let mut builder = builder.expect("there is room");
                for key in &slices {
                    builder.insert_hash(LevelDbHash.hash(key));
                }
            });
        });
        for kernel in Kernel::available() {
            group.bench_function(BenchmarkId::new(format!("{kernel}, packed"), size), |bencher| {
                bencher.iter(|| {
                    let built = policy(kernel).build_batch_in(&packed[..], black_box(&mut filter));
                    built.expect("there is room").len()
                });
            });
            for (form, keys) in [("slices", &slices), ("mixed lengths", &mixed)] {
                group.bench_function(BenchmarkId::new(format!("{kernel}, {form}"), size), |bencher| {
                    bencher.iter(|| {
                        let built = policy(kernel).build_batch_in(&keys[..], black_box(&mut filter));
                        built.expect("there is room").len()
                    });
                });
            }
        }
    }
}

fn ask(criterion: &mut Criterion) {
    for (task, seed) in [("ask for absent keys", 2), ("ask for present keys", 1)] {
        let mut group = criterion.benchmark_group(task);
        group.throughput(Throughput::Elements(ASKED as u64));
        for size in SIZES {
            let stored = keys(1, size);
            let filter = policy(Kernel::Scalar)
                .build(&stored)
                .expect("the filter is small");
            let asked: Vec<[u8; 16]> = keys(seed, ASKED.min(size))
                .into_iter()
                .cycle()
                .take(ASKED)
                .collect();
            let mut answers = vec![0; ASKED / 64];
            group.bench_function(BenchmarkId::new("definition", size), |bencher| {
                let view = FilterView::new(&filter);
                bencher.iter(|| {
                    asked
                        .iter()
                        .filter(|key| view.may_match(&LevelDbHash, &key[..]))
                        .count()
                });
            });
            for kernel in Kernel::available() {
                let prepared = PreparedFilter::on_kernel(&filter, kernel);
                group.bench_function(
                    BenchmarkId::new(format!("{kernel}, one by one"), size),
                    |bencher| {
                        bencher.iter(|| {
                            let matches = |key: &&[u8; 16]| prepared.may_match(&LevelDbHash, &key[..]);
                            asked.iter().filter(matches).count()
                        });
                    },
                );
                group.bench_function(BenchmarkId::new(format!("{kernel}, packed"), size), |bencher| {
                    bencher.iter(|| {
                        let asked =
                            prepared.may_match_many(&LevelDbHash, &asked[..], black_box(&mut answers));
                        asked.expect("there are answers enough");
                    });
                });
            }
        }
    }
}

criterion_group!(benches, build, ask);
criterion_main!(benches);
