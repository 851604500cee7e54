//! Loads a set that the example `scale` of `filter-sets` built into a cluster, and asks it, with times and memory; then fills
//! a bitmap one key after the other, as programs without a filter's file do. On Linux:
//!
//! ```text
//! cargo run --release -p filter-sets --example scale -- build 10000000 scale.set
//! for port in 7001 7002 7003; do
//!     redis-server --port $port --cluster-enabled yes --cluster-config-file nodes-$port.conf --save '' --daemonize yes
//! done
//! redis-cli --cluster create 127.0.0.1:7001 127.0.0.1:7002 127.0.0.1:7003 --cluster-yes
//! cargo run --release -p bloom-redis --example set_scale -- \
//!     10000000 scale.set redis://127.0.0.1:7001 redis://127.0.0.1:7002 redis://127.0.0.1:7003
//! ```
//!
//! Prints rows of CSV: subject, keys, measure, value, unit.
#![forbid(unsafe_code)]

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use bloom_redis::{Answer, Loading, Schema, ShardedSet, redis};
use guava_bloom::{Hash128, Modulus, Strategy};
use redis::cluster::{ClusterClient, ClusterConnection, cluster_pipe};

/// Keys that are asked one by one, and by so many together.
const ONE_BY_ONE: u64 = 50_000;
const ASKED: u64 = 500_000;
const TOGETHER: usize = 4_096;

/// Keys of the bitmap that is filled one by one.
const FILLED: u64 = 200_000;

type Done<T> = Result<T, Box<dyn Error>>;

/// Returns key `i` of the example `scale`.
fn key(i: u64) -> String {
    let number = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    // Its digits begin with the lowest.
    format!("{number:016x}").chars().rev().collect()
}

/// Runs `work` and returns its result and the seconds that it took.
#[expect(clippy::disallowed_methods, reason = "an example that measures")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

fn row(subject: &str, keys: u64, measure: &str, value: f64, unit: &str) {
    println!("{subject},{keys},{measure},{value:.6},{unit}");
}

/// Returns the memory of all nodes in bytes, as Redis counts it.
fn memory(urls: &[&str]) -> Done<f64> {
    let mut sum = 0.0;
    for url in urls {
        let mut connection = redis::Client::open(*url)?.get_connection()?;
        let info: String = redis::cmd("INFO").arg("memory").query(&mut connection)?;
        let line = info.lines().find_map(|line| line.strip_prefix("used_memory:"));
        sum += line.ok_or("no such line")?.trim().parse::<f64>()?;
    }
    Ok(sum)
}

fn one_by_one(
    set: &ShardedSet,
    connection: &mut ClusterConnection,
    what: &str,
    all: u64,
    keys: impl Iterator<Item = u64>,
) -> Done<()> {
    let (mut times, mut found) = (Vec::new(), 0);
    for i in keys {
        let key = key(i);
        let (answer, seconds) = timed(|| set.might_contain(&key).query(connection));
        found += u32::from(answer? == Answer::MightContain);
        times.push(seconds * 1e6);
    }
    times.sort_by(f64::total_cmp);
    for (name, share) in [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)] {
        let at = times[(share * (times.len() - 1) as f64) as usize];
        row(
            "set in Redis",
            all,
            &format!("{what} one by one {name}"),
            at,
            "us",
        );
    }
    let share = f64::from(found) / times.len() as f64;
    row(
        "set in Redis",
        all,
        &format!("{what} that may be in"),
        share,
        "share",
    );
    Ok(())
}

fn measure(all: u64, folder: &str, urls: &[&str]) -> Done<()> {
    let mut connection = ClusterClient::new(urls.to_vec())?.get_connection()?;
    let set = ShardedSet::new("scale");
    let before = memory(urls)?;
    let (loaded, seconds) = timed(|| set.load(folder, Loading::default()).query(&mut connection));
    let loaded = loaded?;
    row("set in Redis", all, "load", seconds, "s");
    row("set in Redis", all, "loaded", loaded.bytes as f64 / 1e9, "GB");
    row(
        "set in Redis",
        all,
        "memory of the nodes",
        (memory(urls)? - before) / 1e9,
        "GB",
    );

    let present = |i: u64| i.wrapping_mul(0x2545_f491_4f6c_dd1d) % all;
    one_by_one(
        &set,
        &mut connection,
        "present keys",
        all,
        (0..ONE_BY_ONE).map(present),
    )?;
    one_by_one(&set, &mut connection, "absent keys", all, all..all + ONE_BY_ONE)?;
    let asked: Vec<String> = (0..ASKED).map(|i| key(present(i))).collect();
    let (answered, seconds) = timed(|| -> Done<()> {
        for keys in asked.chunks(TOGETHER) {
            black_box(set.might_contain_many(keys).query(&mut connection)?);
        }
        Ok(())
    });
    answered?;
    let measure = format!("{TOGETHER} keys a call");
    row(
        "set in Redis",
        all,
        &measure,
        seconds * 1e6 / ASKED as f64,
        "us a key",
    );

    // A bitmap of Guava's filter, whose bits a program sets key by key, in one round trip for a key.
    let schema = Schema::whole_words(FILLED, 0.01)?;
    let bits = Modulus::new(schema.bits()).ok_or("no bits")?;
    let (filled, seconds) = timed(|| -> Done<()> {
        for i in 0..FILLED {
            let mut pipe = cluster_pipe();
            let hash = Hash128::of(key(i).as_bytes());
            for bit in Strategy::Murmur128Mitz64.positions(hash, schema.probe_count(), bits) {
                pipe.cmd("SETBIT").arg("scale:bitmap").arg(bit).arg(1).ignore();
            }
            pipe.exec(&mut connection)?;
        }
        Ok(())
    });
    filled?;
    row(
        "bitmap by SETBIT",
        FILLED,
        "fill",
        seconds * 1e6 / FILLED as f64,
        "us a key",
    );
    Ok(())
}

fn main() -> Done<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match &arguments[..] {
        [keys, folder, urls @ ..] if !urls.is_empty() => measure(keys.parse()?, folder, urls),
        _ => Err("the arguments must be: KEYS FOLDER URL...".into()),
    }
}
