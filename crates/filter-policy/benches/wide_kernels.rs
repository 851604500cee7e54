//! The kernels for 64-bit hash values, each beside the others: filters are built and asked, for work on the kernels
//! themselves.
//!
//! ```text
//! cargo bench -p filter-policy --bench wide_kernels -- 'build FastLocalBloom'
//! ```
//!
//! Times are per call: of a filter of so many keys, or of 4096 questions.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use filter_policy::{
    BitsPerKey, BloomFilter64Policy, BloomFilter64View, FastLocalBloomPolicy, FilterPolicy, Kernel,
    RocksDbBitsPerKey, RocksDbFilterView,
};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// In one line or few, in the first-level cache, and beyond it.
const SIZES: [usize; 4] = [32, 512, 4096, 100_000];
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

fn local(kernel: Kernel) -> FastLocalBloomPolicy {
    FastLocalBloomPolicy::new(RocksDbBitsPerKey::whole(10)).on_kernel(kernel)
}

fn spread(kernel: Kernel) -> BloomFilter64Policy {
    BloomFilter64Policy::new(BitsPerKey::whole(10)).on_kernel(kernel)
}

macro_rules! build {
    ($criterion:expr, $name:literal, $policy:ident) => {
        let mut group = $criterion.benchmark_group(concat!("build ", $name));
        for size in SIZES {
            group.throughput(Throughput::Elements(size as u64));
            let packed = keys(1, size);
            let slices: Vec<&[u8]> = packed.iter().map(|key| &key[..]).collect();
            let mixed = mixed_keys(size);
            let mixed: Vec<&[u8]> = mixed.iter().map(|key| &key[..]).collect();
            let room = $policy(Kernel::Scalar).max_filter_len(size);
            let mut room = vec![0; room.expect("the filter is small")];
            for kernel in Kernel::available() {
                let policy = $policy(kernel);
                group.bench_function(BenchmarkId::new(format!("{kernel}, packed"), size), |bencher| {
                    bencher.iter(|| {
                        let built = policy.build_batch_in(&packed[..], black_box(&mut room));
                        built.expect("there is room").len()
                    });
                });
                for (form, keys) in [("slices", &slices), ("mixed lengths", &mixed)] {
                    group.bench_function(BenchmarkId::new(format!("{kernel}, {form}"), size), |bencher| {
                        bencher.iter(|| {
                            let built = policy.build_batch_in(&keys[..], black_box(&mut room));
                            built.expect("there is room").len()
                        });
                    });
                }
            }
        }
        group.finish();
    };
}

macro_rules! ask {
    ($criterion:expr, $name:literal, $policy:ident, $view:ident) => {
        for (task, seed) in [("absent", 2), ("present", 1)] {
            let mut group = $criterion.benchmark_group(format!("ask {} for {task} keys", $name));
            group.throughput(Throughput::Elements(ASKED as u64));
            for size in SIZES {
                let stored = keys(1, size);
                let policy = $policy(Kernel::Scalar);
                let filter = policy.build(&stored).expect("the filter is small");
                let asked: Vec<[u8; 16]> = keys(seed, ASKED.min(size))
                    .into_iter()
                    .cycle()
                    .take(ASKED)
                    .collect();
                let mut answers = vec![0; ASKED / 64];
                for kernel in Kernel::available() {
                    let policy = $policy(kernel);
                    let view = $view::on_kernel(&filter, kernel);
                    group.bench_function(BenchmarkId::new(format!("{kernel}, policy"), size), |bencher| {
                        bencher.iter(|| {
                            let matches =
                                |key: &&[u8; 16]| policy.key_may_match(&key[..], black_box(&filter));
                            asked.iter().filter(matches).count()
                        });
                    });
                    group.bench_function(BenchmarkId::new(format!("{kernel}, view"), size), |bencher| {
                        bencher.iter(|| asked.iter().filter(|key| view.may_match(&key[..])).count());
                    });
                    group.bench_function(BenchmarkId::new(format!("{kernel}, batch"), size), |bencher| {
                        bencher.iter(|| {
                            let asked = view.may_match_many(&asked[..], black_box(&mut answers));
                            asked.expect("there are answers enough");
                        });
                    });
                }
            }
            group.finish();
        }
    };
}

fn build(criterion: &mut Criterion) {
    build!(criterion, "FastLocalBloom", local);
    build!(criterion, "BloomFilter64", spread);
}

fn ask(criterion: &mut Criterion) {
    ask!(criterion, "FastLocalBloom", local, RocksDbFilterView);
    ask!(criterion, "BloomFilter64", spread, BloomFilter64View);
}

criterion_group!(benches, build, ask);
criterion_main!(benches);
