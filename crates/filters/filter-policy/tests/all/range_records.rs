//! Range filters that an earlier version wrote: the same keys give the same bytes, and each recorded answer is repeated.
//!
//! `RECORD=1 cargo test -p filter-policy --test all range_records` writes the file anew, for another version of the format.

use std::fs;
use std::ops::Bound;
use std::path::Path;

use filter_policy::FilterPolicy;
use filter_policy::range::RangePolicy;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use super::support::golden::{rows, unhex};

const FILE: &str = "range/filters.jsonl";

/// Keys, with filters of them and queries.
#[derive(Serialize, Deserialize)]
struct Row {
    name: String,
    keys: Vec<String>,
    /// The kinds and bytes of both bounds: `[` and `]` included, `(` and `)` excluded, `-` unbounded.
    queries: Vec<(char, String, char, String)>,
    filters: Vec<Stored>,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    bits_per_key: f64,
    filter: String,
    /// `1` may match, `0` does not, for each query.
    answers: String,
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bound(kind: char, key: &[u8]) -> Bound<&[u8]> {
    match kind {
        '[' | ']' => Bound::Included(key),
        '(' | ')' => Bound::Excluded(key),
        _ => Bound::Unbounded,
    }
}

fn answers(filter: &[u8], queries: &[(char, String, char, String)]) -> String {
    let policy = RangePolicy::new(10.into());
    let answer = |(from, lower, to, upper): &(char, String, char, String)| {
        let (lower, upper) = (unhex(lower), unhex(upper));
        let answer = policy.range_may_match(bound(*from, &lower), bound(*to, &upper), filter);
        char::from(b'0' + u8::from(answer))
    };
    queries.iter().map(answer).collect()
}

#[test]
fn the_same_keys_give_the_same_bytes() {
    if std::env::var_os("RECORD").is_some() {
        record();
    }
    let rows: Vec<Row> = rows(FILE);
    let mut filters = 0;
    let mut kinds = [0; 3];
    for row in rows {
        let keys: Vec<Vec<u8>> = row.keys.iter().map(|key| unhex(key)).collect();
        for stored in &row.filters {
            let at = format!("{} at {} bits", row.name, stored.bits_per_key);
            let filter = RangePolicy::new(stored.bits_per_key.try_into().unwrap())
                .build(&keys)
                .unwrap();
            assert_eq!(hex(&filter), stored.filter, "{at}");
            assert_eq!(answers(&filter, &row.queries), stored.answers, "{at}");
            kinds[usize::from(filter[1] & 3)] += 1;
            filters += 1;
        }
    }
    assert_eq!(filters, 75);
    assert!(
        kinds.iter().all(|&count| count > 1),
        "all kinds of code: {kinds:?}"
    );
}

fn record() {
    let mut random = SplitMix64::seed_from_u64(94);
    let text: String = SETS
        .iter()
        .map(|&(name, count)| serde_json::to_string(&row(name, count, &mut random)).unwrap() + "\n")
        .collect();
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(FILE);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

const SETS: [(&str, usize); 15] = [
    ("one", 1),
    ("two", 2),
    ("few", 9),
    ("numbers", 40),
    ("zeros", 30),
    ("letters", 60),
    ("users", 300),
    ("paths", 200),
    ("random", 150),
    ("bytes", 256),
    ("tenants", 600),
    ("skewed", 2_500),
    ("words", 120),
    ("long", 20),
    ("dense", 400),
];

fn key(name: &str, i: usize, random: &mut SplitMix64) -> Vec<u8> {
    let mut below = |most: u64| random.next_u64() % most;
    match name {
        "one" | "two" | "numbers" => format!("{:06}", below(1_000_000)).into_bytes(),
        "few" | "random" => below(u64::MAX).to_be_bytes().to_vec(),
        "zeros" => vec![0; i]
            .into_iter()
            .chain(i.is_multiple_of(3).then_some(1))
            .collect(),
        "letters" => (0..below(7)).map(|_| b"ab"[below(2) as usize]).collect(),
        "users" => format!("user:{}:{:013x}", below(400), below(1 << 52)).into_bytes(),
        "paths" => format!(
            "tenant/{:03}/order/{:05}/line/{:02}",
            below(9),
            below(20),
            below(12)
        )
        .into_bytes(),
        "bytes" => vec![i as u8, below(256) as u8],
        "tenants" => {
            let (tenant, time) = (
                below(40) as u32,
                1_770_000_000_000 + below(4) * 60_000 + below(9_000),
            );
            let id = below(1 << 32) as u32;
            [&tenant.to_be_bytes()[..], &time.to_be_bytes(), &id.to_be_bytes()].concat()
        }
        "skewed" => (0..6)
            .map(|_| if below(8) > 0 { b'm' } else { below(256) as u8 })
            .collect(),
        "words" => (0..1 + below(9))
            .map(|_| b"etaoinshrdlu"[(below(12) * below(12) / 12) as usize])
            .collect(),
        "long" => [vec![b'x'; 700], format!("{i}").into_bytes()].concat(),
        _ => format!("key{:08}", 3 * i / 2).into_bytes(),
    }
}

fn row(name: &str, count: usize, random: &mut SplitMix64) -> Row {
    let keys: Vec<Vec<u8>> = (0..count).map(|i| key(name, i, random)).collect();
    let mut queries = Vec::new();
    for _ in 0..60 {
        let mut bound = |kinds: &str| {
            let mut key = match random.next_u64() % 3 {
                0 => key(name, random.next_u64() as usize % (2 * count), random),
                _ => keys[random.next_u64() as usize % count].clone(),
            };
            match random.next_u64() % 6 {
                0 => key.truncate(random.next_u64() as usize % (key.len() + 1)),
                1 => key.push(random.next_u64() as u8),
                2 => key.push(0),
                3 => key
                    .iter_mut()
                    .last()
                    .into_iter()
                    .for_each(|last| *last = last.wrapping_add(1)),
                _ => {}
            }
            let kind = kinds.chars().nth(random.next_u64() as usize % 5).unwrap();
            (kind, if kind == '-' { Vec::new() } else { key })
        };
        let ((from, lower), (to, upper)) = (bound("[[((-"), bound("]]))-"));
        queries.push((from, hex(&lower), to, hex(&upper)));
    }
    let filters = [0.0, 4.5, 8.0, 12.0, 20.0].map(|bits_per_key: f64| {
        let filter = RangePolicy::new(bits_per_key.try_into().unwrap())
            .build(&keys)
            .unwrap();
        Stored {
            bits_per_key,
            answers: answers(&filter, &queries),
            filter: hex(&filter),
        }
    });
    Row {
        name: name.to_owned(),
        keys: keys.iter().map(|key| hex(key)).collect(),
        queries,
        filters: filters.into(),
    }
}
