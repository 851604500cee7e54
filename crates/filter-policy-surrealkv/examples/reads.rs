//! Measures in SurrealKV what a filter is worth: filter memory, the rate, and the time of a Get of absent and of present
//! keys, by policy. Prints a table in Markdown.
//!
//! `cargo run --release -p filter-policy-surrealkv --example reads`
#![forbid(unsafe_code)]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use filter_formats::policies;
use filter_policy::BitsPerKey;
use filter_policy_surrealkv::SurrealKvPolicy;
use surrealkv::inspect::{dump_manifest, dump_sst};
use surrealkv::{CompactRangeOptions, FilterPolicy, RibbonFilter, Tree, TreeBuilder};

const KEYS: u64 = 400_000;
/// Tables that span the same range of keys.
const TABLES: u64 = 4;
const GETS: u64 = 20_000;
const ROUNDS: usize = 9;

type Policy = Option<Arc<dyn FilterPolicy>>;

/// Key `i`: an odd multiplier makes a sequence of distinct numbers without order.
fn key(i: u64) -> String {
    format!("session:{:016x}", i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

fn open(folder: &Path, policy: &Policy) -> surrealkv::Result<Tree> {
    TreeBuilder::new()
        .with_path(folder.to_owned())
        .with_filter_policy(policy.clone())
        .build()
}

async fn write(folder: &Path, policy: &Policy) -> surrealkv::Result<()> {
    let tree = open(folder, policy)?;
    for table in 0..TABLES {
        let mut transaction = tree.begin()?;
        for i in (table..KEYS).step_by(TABLES as usize) {
            transaction.set(key(i).as_bytes(), &[b'v'; 100])?;
        }
        transaction.commit().await?;
        let options = CompactRangeOptions {
            target_level: Some(0),
            ..CompactRangeOptions::default()
        };
        tree.compact_range(None, None, &options)?;
    }
    tree.close().await
}

/// Gets these keys, and returns nanoseconds a Get.
fn gets(tree: &Tree, keys: impl Iterator<Item = String>, stored: bool) -> Result<f64, Box<dyn Error>> {
    let keys: Vec<String> = keys.collect();
    let transaction = tree.begin()?;
    #[expect(clippy::disallowed_methods, reason = "an example that measures")]
    let start = Instant::now();
    for key in &keys {
        if transaction.get(key.as_bytes())?.is_some() != stored {
            return Err(format!("{key}: a wrong answer").into());
        }
    }
    Ok(start.elapsed().as_nanos() as f64 / keys.len() as f64)
}

/// Returns the bytes of all filters.
fn filter_bytes(folder: &Path) -> Result<u64, Box<dyn Error>> {
    let mut bytes = 0;
    for level in dump_manifest(folder)?.levels {
        for table in level.tables {
            let path = folder.join("sstables").join(format!("{:020}.sst", table.id));
            bytes += dump_sst(path, false, false)?.filter_size;
        }
    }
    Ok(bytes)
}

/// Returns the share of absent keys that pass a filter of 100,000 keys.
fn rate(policy: &Policy) -> f64 {
    let Some(policy) = policy else { return 1.0 };
    let stored: Vec<u64> = (0..100_000).map(|i| policy.key_hash(key(i).as_bytes())).collect();
    let filter = policy.create_filter_from_hashes(&stored);
    let absent = KEYS..KEYS + 1_000_000;
    let passed = absent.filter(|&i| policy.may_contain(&filter, key(i).as_bytes()));
    passed.count() as f64 / 1e6
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut policies: Vec<(String, Policy)> = vec![
        ("no filter".to_owned(), None),
        (
            "SurrealKV's default".to_owned(),
            surrealkv::Options::default().filter_policy,
        ),
    ];
    for bits in [10, 20] {
        let engines = Arc::new(RibbonFilter::new(bits));
        policies.push((format!("SurrealKV's `RibbonFilter`, {bits}"), Some(engines)));
    }
    for (name, bits) in [
        ("BloomFilter64.Xxph3", 10),
        ("SplitBlockBloomFilter.Xxph3", 10),
        ("rocksdb.internal.Standard128RibbonFilter", 10),
        ("binaryfuse", 11),
        ("rocksdb.internal.Standard128RibbonFilter", 20),
        ("BloomFilter64.Xxph3", 20),
    ] {
        let policy = SurrealKvPolicy::new(policies::by_name(name, BitsPerKey::whole(bits))?)?;
        policies.push((format!("`{name}`, {bits}"), Some(Arc::new(policy))));
    }
    println!("| policy | filters, bits per key | absent keys that pass | ns, absent | ns, present |");
    println!("|---|---:|---:|---:|---:|");
    for (name, policy) in &policies {
        let folder = tempfile::tempdir()?;
        write(folder.path(), policy).await?;
        let bits = filter_bytes(folder.path())? as f64 * 8.0 / KEYS as f64;
        let tree = open(folder.path(), policy)?;
        let mut times = [Vec::new(), Vec::new()];
        for round in 0..ROUNDS as u64 {
            let from = round * GETS;
            times[0].push(gets(&tree, (KEYS + from..KEYS + from + GETS).map(key), false)?);
            times[1].push(gets(&tree, (from..from + GETS).map(key), true)?);
        }
        tree.close().await?;
        let [absent, present] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[ROUNDS / 2]
        });
        let rate = rate(policy) * 100.0;
        println!("| {name} | {bits:.2} | {rate:.3} % | {absent:.0} | {present:.0} |");
    }
    Ok(())
}
