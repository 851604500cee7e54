//! Times every function of a default run with criterion, on the embedded keys.
//!
//! ```text
//! cargo bench -p hash-comparison -- app-accounts          # all functions on one key set, two minutes
//! cargo bench -p hash-comparison -- app-accounts/XXH3     # one of them
//! ```
//!
//! An iteration hashes up to [`KEYS`] keys of a set, back to back in memory and in a shuffled order, by independent
//! calls through a pointer, as the comparison's own timing does. `empty` reads no key: its time is the loop's. Criterion
//! writes its page to `target/criterion/report/index.html`.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use hash_comparison::functions::{default_set, gate};
use hash_comparison::keys::{KeySet, embedded_names, load_embedded, shuffled};

/// The most keys of a set: few enough that a hundred samples of every function take minutes.
const KEYS: usize = 40_000;
const SEED: u64 = 1;

fn functions(criterion: &mut Criterion) {
    gate(default_set()).expect("every function gives its known answers");
    for dataset in embedded_names() {
        let all = load_embedded(dataset, SEED)
            .expect("embedded keys have their checksums")
            .keys;
        let order = shuffled(all.len() as u32, SEED).into_iter().take(KEYS);
        let keys: KeySet = order.map(|index| all.get(index as usize)).collect();
        let mut group = criterion.benchmark_group(dataset);
        group.warm_up_time(Duration::from_millis(500));
        group.measurement_time(Duration::from_secs(2));
        group.throughput(Throughput::Elements(keys.len() as u64));
        let empty: (&str, fn(&[u8]) -> u64) = ("empty", |key| key.len() as u64);
        let named = default_set().map(|function| (function.name, function.hash));
        for (name, hash) in std::iter::once(empty).chain(named) {
            let hash = black_box(hash);
            group.bench_function(BenchmarkId::from_parameter(name), |bencher| {
                bencher.iter(|| keys.iter().map(hash).fold(0, u64::wrapping_add));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, functions);
criterion_main!(benches);
