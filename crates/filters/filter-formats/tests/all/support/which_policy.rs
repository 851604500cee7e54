//! The table of `WHICH.md`: rates and sizes of the policies that it compares, measured.

use filter_formats::policies;
use filter_policy::{BitsPerKey, FilterPolicy};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The numbers of keys in filters.
const KEYS: [usize; 4] = [32, 512, 4096, 1_000_000];

/// The number of absent keys queried for each figure, in all filters together: at 1 % the random error is 0.7 %.
const QUERIES: usize = 2_000_000;

/// The number of keys stored for each figure, in all filters together.
const STORED: usize = 1_000_000;

const SEED: u64 = 10;

/// The policies of the page, LevelDB's own first: the words there, the name and the bits per key.
const POLICIES: [(&str, &str, u32); 8] = [
    (
        "`BloomFilterPolicy`, LevelDB's hash",
        "leveldb.BuiltinBloomFilter2",
        10,
    ),
    ("`BloomFilterPolicy`, MurmurHash2", "BloomFilter2", 10),
    ("`Bloom64`", "BloomFilter64.Xxph3", 10),
    ("`FastLocalBloom`", "rocksdb.internal.FastLocalBloomFilter", 10),
    ("`SplitBlock`", "SplitBlockBloomFilter.Xxh64", 10),
    ("`LegacyBloom`", "rocksdb.internal.LegacyBloomFilter", 10),
    ("`Ribbon`", "rocksdb.internal.Standard128RibbonFilter", 10),
    (
        "`Ribbon`, 14 bits",
        "rocksdb.internal.Standard128RibbonFilter",
        14,
    ),
];

/// Returns the share of absent keys that match, and the bytes of the first filter. Keys are 16 random bytes.
fn measure(policy: &dyn FilterPolicy, keys: usize) -> (f64, usize) {
    let mut random = SplitMix64::seed_from_u64(SEED);
    let mut key = || {
        let mut key = [0; 16];
        random.fill_bytes(&mut key);
        key
    };
    let filters = (STORED / keys).max(1);
    let queries = QUERIES / filters;
    let (mut matches, mut first) = (0, None);
    let mut filter = Vec::new();
    for _ in 0..filters {
        let stored: Vec<[u8; 16]> = (0..keys).map(|_| key()).collect();
        let slices: Vec<&[u8]> = stored.iter().map(<[u8; 16]>::as_slice).collect();
        filter.clear();
        policy
            .append_filter(&slices, &mut filter)
            .expect("memory for the filter");
        first.get_or_insert(filter.len());
        matches += (0..queries)
            .filter(|_| policy.key_may_match(&key(), &filter))
            .count();
    }
    let queried = (filters * queries) as f64;
    (matches as f64 / queried, first.unwrap_or_default())
}

/// Formats digits in groups of three.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Returns the table of `WHICH.md`.
pub(crate) fn table() -> String {
    let mut table = String::from("| policy |");
    for keys in KEYS {
        table += &format!(" {} keys |", grouped(keys));
    }
    table += "\n|---|---:|---:|---:|---:|\n";
    for (words, name, bits_per_key) in POLICIES {
        let policy = policies::by_name(name, BitsPerKey::whole(bits_per_key)).expect("a policy of this name");
        table += &format!("| {words} |");
        for keys in KEYS {
            let (rate, bytes) = measure(&*policy, keys);
            table += &format!(" {:.2} % in {} |", rate * 100.0, grouped(bytes));
        }
        table.push('\n');
    }
    table
}
