//! Times hash functions by the length of keys, and filter policies by the number of keys, with criterion.
//! `cargo test` runs each once.
//!
//! ```text
//! cargo bench --package bench                             # everything, in some four minutes
//! cargo bench --package bench -- functions/16/       # hash functions, keys of 16 bytes
//! cargo bench --package bench -- BloomFilter64       # one policy
//! ```
//!
//! `functions/LENGTH/NAME` is the time of a call; `empty` calls a function that reads no key. `policies/TASK/LENGTH/KEYS/NAME` is
//! the time to build a filter of that many keys, to query it with one key, or to query it with 65,536 keys in one call; `thrpt`
//! gives keys per second. `large/insert/NAME` inserts 8 million keys into a filter of 100 MiB, which is larger than
//! the caches; `large/build/BloomFilter64` builds one of 84 million keys. Random keys come from SplitMix64 with fixed
//! seeds, so every run has the same keys.

use std::hint::black_box;
use std::time::Duration;

use bench::keys::{self, KeyLengths};
use bench::suites::policy::BITS_PER_KEY;
use criterion::{Bencher, Criterion, Throughput, criterion_group, criterion_main};
use filter_policy::parquet::SplitBlockFilterMut;
use filter_policy::{Answers, FilterPolicy as _, HashFunctionId, KeyHashes, policies};
use hash_comparison::functions;
use membership_filters::{BlockedBloomFilter, Long, Parameters, guava};

/// The number of keys that a hash function hashes in turn: keys of up to 64 bytes stay in the first-level cache.
const HASHED: usize = 512;
/// Lengths of keys; the largest is a small value of a database.
const LENGTHS: [usize; 7] = [4, 8, 16, 32, 64, 256, 1024];
/// LevelDB's format, the most exact one and the fastest one.
const POLICIES: [&str; 3] = ["leveldb", "bloom64", "split-block-xxph3"];
/// A small block of a table, a large one, and a filter of a whole table.
const SIZES: [usize; 3] = [64, 1_000, 100_000];

/// Calls a function with each key in turn.
fn in_turn<R>(bencher: &mut Bencher<'_>, keys: &[&[u8]], call: impl Fn(&[u8]) -> R) {
    let mut keys = keys.iter().cycle();
    bencher.iter(|| keys.next().map(|key| call(key)));
}

fn hash_functions(criterion: &mut Criterion) {
    // Those of a default run of the comparison, and another that programs choose, where the platform has it.
    let timed = || functions::default_set().chain(functions::find("aHash"));
    functions::gate(timed()).expect("every function gives its known answers");
    let empty: (&str, fn(&[u8]) -> u64) = ("empty", |key| key.len() as u64);
    let mut group = criterion.benchmark_group("functions");
    let mut of_length = |length: &str, keys: &[&[u8]]| {
        for (name, hash) in [empty]
            .into_iter()
            .chain(timed().map(|one| (&*one.facts.name, one.hash)))
        {
            let hash = black_box(hash);
            group.bench_function(format!("{length}/{name}"), |bencher| in_turn(bencher, keys, hash));
        }
    };
    for length in LENGTHS {
        let bytes = keys::numbers(1).flat_map(u64::to_le_bytes);
        let bytes: Vec<u8> = bytes.take(HASHED * length).collect();
        let keys: Vec<&[u8]> = bytes.chunks_exact(length).collect();
        of_length(&length.to_string(), &keys);
    }
    let mixed = keys::random(HASHED, 1, KeyLengths::Urls);
    of_length(KeyLengths::Urls.name(), &mixed.slices());
    group.finish();
}

fn filter_policies(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("policies");
    for (lengths, size) in [KeyLengths::Fixed, KeyLengths::Urls]
        .into_iter()
        .flat_map(|lengths| SIZES.map(|size| (lengths, size)))
    {
        let stored = keys::random(size, 1, lengths);
        let queries = ["absent", "present"].map(|task| (task, keys::queries(&stored, size, lengths, task)));
        let stored = stored.slices();
        for short in POLICIES {
            let policy = policies::parse(&format!("{short}:{BITS_PER_KEY}")).expect("a known name");
            let policy = black_box(&*policy);
            let id = |task: &str| format!("{task}/{}/{size}/{}", lengths.name(), policy.name());
            let mut filter = Vec::new();
            let mut build = || {
                filter.clear();
                let built = policy.append_filter(&stored, &mut filter);
                built.expect("memory for the filter");
            };
            build();
            group.throughput(Throughput::Elements(size as u64));
            group.bench_function(id("build"), |bencher| bencher.iter(&mut build));
            let prepared = policy.prepare(black_box(&filter));
            for (task, keys) in &queries {
                let keys = keys.slices();
                group.throughput(Throughput::Elements(1));
                group.bench_function(id(&format!("{task}-one")), |bencher| {
                    in_turn(bencher, &keys, |key| policy.key_may_match(key, &filter));
                });
                let mut words = vec![0; Answers::words_for(keys.len())];
                group.throughput(Throughput::Elements(keys.len() as u64));
                group.bench_function(id(&format!("{task}-many")), |bencher| {
                    bencher.iter(|| prepared.may_match_many(&*keys, &mut Answers::new(&mut words)));
                });
            }
        }
    }
    group.finish();
}

fn large_filters(criterion: &mut Criterion) {
    // `cargo test`, which passes no `--bench`, takes small filters.
    let bytes: usize = if std::env::args().any(|argument| argument == "--bench") {
        100 << 20
    } else {
        1 << 20
    };
    let (count, capacity) = (bytes / 13, bytes * 8 / 10);
    let keys = || -> Vec<i64> { keys::numbers(1).take(count).map(u64::cast_signed).collect() };
    let mut group = criterion.benchmark_group("large");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(count as u64));
    group.bench_function("insert/split-block", |bencher| {
        let mut bits = vec![0; bytes];
        let hashes: Vec<u64> = keys::numbers(1).take(count).collect();
        let mut filter = SplitBlockFilterMut::new(&mut bits).expect("whole blocks");
        bencher.iter(|| filter.insert_raw_hashes(hashes.iter().copied()));
    });
    group.bench_function("insert/BlockedBloomFilter", |bencher| {
        let parameters = Parameters::with_blocks((bytes / 32) as u32).expect("a size in range");
        let mut filter = BlockedBloomFilter::new(Long, &parameters).expect("memory for the filter");
        let keys = keys();
        bencher.iter(|| filter.insert_many(&keys));
    });
    group.bench_function("insert/guava::BloomFilter", |bencher| {
        let filter = guava::BloomFilter::with_capacity(Long, capacity as u64, 0.01);
        let mut filter = filter.expect("memory for the filter");
        let keys = keys();
        bencher.iter(|| filter.insert_many(&keys));
    });
    group.throughput(Throughput::Elements(capacity as u64));
    group.bench_function("build/BloomFilter64", |bencher| {
        let policy = policies::parse(&format!("bloom64:{BITS_PER_KEY}")).expect("a known name");
        let hashes: Vec<u64> = keys::numbers(1).take(capacity).collect();
        let hashes = KeyHashes::new(HashFunctionId::XXPH3, &hashes);
        let mut out = vec![0; bytes + 64];
        bencher.iter(|| {
            policy
                .create_from_hashes(hashes, &mut out)
                .map(|filter| filter.len())
        });
    });
    group.finish();
}

criterion_group! {
    name = timings;
    // Short: the whole takes four minutes. Arguments on the command line win.
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300))
        .nresamples(10_000);
    targets = hash_functions, filter_policies, large_filters
}
criterion_main!(timings);
