//! The table of `WHICH.md`: rates and sizes of every policy, measured.

use filter_formats::BloomFilter64Policy;
use filter_formats::parquet::SplitBlockBloomPolicy;
use filter_formats::rocksdb::{FastLocalBloomPolicy, LegacyFullFilterPolicy, RibbonPolicy};
use filter_policy::{BitsPerKey, BloomFilterPolicy, FilterPolicy};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// The numbers of keys in filters.
pub(crate) const KEYS: [usize; 4] = [32, 512, 4096, 1_000_000];

/// The number of absent keys queried for each figure, in all filters together: at 1 % the random error is 0.7 %.
const QUERIES: usize = 2_000_000;

/// The number of keys stored for each figure, in all filters together.
const STORED: usize = 1_000_000;

const SEED: u64 = 10;

/// A policy on the page.
pub(crate) struct Row {
    /// The words on the page, which adds the bits per key if they are not ten.
    pub(crate) words: &'static str,
    pub(crate) bits_per_key: u32,
    pub(crate) policy: Box<dyn FilterPolicy>,
}

/// Returns the policies, LevelDB's own first.
pub(crate) fn policies() -> [Row; 8] {
    let row = |words, bits_per_key, policy| Row {
        words,
        bits_per_key,
        policy,
    };
    let (ten, fourteen) = (BitsPerKey::whole(10), BitsPerKey::whole(14));
    [
        row(
            "`BloomFilterPolicy`, LevelDB's hash",
            10,
            Box::new(BloomFilterPolicy::leveldb_builtin(ten)),
        ),
        row(
            "`BloomFilterPolicy`, MurmurHash2",
            10,
            Box::new(BloomFilterPolicy::new(ten)),
        ),
        row(
            "`BloomFilter64Policy`",
            10,
            Box::new(BloomFilter64Policy::new(ten)),
        ),
        row(
            "`FastLocalBloomPolicy`",
            10,
            Box::new(FastLocalBloomPolicy::new(ten)),
        ),
        row(
            "`SplitBlockBloomPolicy`",
            10,
            Box::new(SplitBlockBloomPolicy::new(ten)),
        ),
        row(
            "`LegacyFullFilterPolicy`",
            10,
            Box::new(LegacyFullFilterPolicy::new(ten)),
        ),
        row("`RibbonPolicy`", 10, Box::new(RibbonPolicy::new(ten))),
        row("`RibbonPolicy`", 14, Box::new(RibbonPolicy::new(fourteen))),
    ]
}

/// Returns the share of absent keys that match, and the bytes of the first filter. Keys are 16 random bytes.
pub(crate) fn measure(policy: &dyn FilterPolicy, keys: usize) -> (f64, usize) {
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
    let asked = (filters * queries) as f64;
    (matches as f64 / asked, first.unwrap_or_default())
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
    for row in policies() {
        let Row {
            words,
            bits_per_key,
            policy,
        } = row;
        table += &format!("| {words}");
        if bits_per_key != 10 {
            table += &format!(", {bits_per_key} bits");
        }
        table += " |";
        for keys in KEYS {
            let (rate, bytes) = measure(&*policy, keys);
            table += &format!(" {:.2} % in {} |", rate * 100.0, grouped(bytes));
        }
        table.push('\n');
    }
    table
}
