//! The published comparison as data: collisions and times of 17 functions on three key sets, and the sizes and
//! rates of the Bloom filter policy on two.
//!
//! The figures come from the articles that this project reproduces (`hardcore-os/HashLib`, 2021). Of the three key
//! sets only the third is known exactly; for the other two the recipes of this project draw keys of the same kind, so
//! counts agree only within the spread over seeds that [`Spread`] states.

/// A key set of the published comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
pub enum KeySet {
    /// 1,000,000 random strings.
    RandomStrings,
    /// 40,000 video ids.
    VideoIds,
    /// 45,402 app accounts.
    AppAccounts,
}

impl KeySet {
    /// All three, in the published order.
    pub const ALL: [Self; 3] = [Self::RandomStrings, Self::VideoIds, Self::AppAccounts];

    /// Name of the embedded dataset, keys, seeds.
    const FACTS: [(&str, u64, u32); 3] = [
        ("random-strings", 1_000_000, 200),
        ("video-ids", 40_000, 1_000),
        ("app-accounts", 45_402, 0),
    ];

    /// Returns the name of the embedded dataset that stands for this set.
    pub const fn dataset(self) -> &'static str {
        Self::FACTS[self as usize].0
    }

    /// Returns the number of keys.
    pub const fn keys(self) -> u64 {
        Self::FACTS[self as usize].1
    }

    /// Returns the number of seeds behind each [`Spread`], counted from 1, or 0 for the set that is known exactly.
    pub const fn seeds(self) -> u32 {
        Self::FACTS[self as usize].2
    }

    /// Returns true if the published keys are known byte for byte, so that counts must be equal.
    pub const fn is_exact(self) -> bool {
        matches!(self, Self::AppAccounts)
    }

    /// Returns the set that the embedded dataset of this name stands for.
    pub fn of_dataset(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|set| set.dataset() == name)
    }
}

/// A row of the published table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// The function, as published.
    pub function: &'static str,
    total_ns: [u64; 3],
    collisions: [u64; 3],
    spreads: [Spread; 2],
}

impl Row {
    /// Returns the published total time over the set, nanoseconds, clock calls included, on an unknown machine.
    pub const fn total_ns(&self, set: KeySet) -> u64 {
        self.total_ns[set as usize]
    }

    /// Returns the published number of collisions: keys minus distinct 32-bit values.
    pub const fn collisions(&self, set: KeySet) -> u64 {
        self.collisions[set as usize]
    }

    /// Returns the counts on the set over [`KeySet::seeds`] seeds, or `None` for the set that is known exactly.
    pub fn spread(&self, set: KeySet) -> Option<Spread> {
        self.spreads.get(set as usize).copied()
    }
}

const fn row(function: &'static str, total_ns: [u64; 3], collisions: [u64; 3], spreads: [Spread; 2]) -> Row {
    Row {
        function,
        total_ns,
        collisions,
        spreads,
    }
}

/// The published table in its own order, with the spreads of `random-strings` and `video-ids`, which an independent C
/// program counted once.
#[rustfmt::skip]
pub const ROWS: [Row; 17] = [
    row("SDBMHash", [158_062_897, 1_527_902, 1_900_195], [180, 0, 1], [spread(147.015, 12.312, 111, 176), spread(0.59, 0.75, 0, 3)]),
    row("SimMurMurHash", [144_356_292, 1_346_732, 1_949_347], [108, 0, 0], [spread(115.835, 10.488, 89, 150), spread(0.378, 0.619, 0, 3)]),
    row("JSHash", [160_829_523, 1_575_731, 1_904_775], [230, 0, 5], [spread(237.715, 16.421, 197, 281), spread(0.408, 0.639, 0, 4)]),
    row("PJW", [169_142_421, 1_482_411, 2_026_217], [3_901, 38, 170], [spread(3_780.94, 59.026, 3_619, 3_929), spread(38.683, 6.089, 23, 60)]),
    row("MurMurHash2", [144_678_973, 1_396_543, 1_937_634], [129, 0, 0], [spread(116.26, 10.613, 89, 144), spread(0.184, 0.432, 0, 3)]),
    row("ELFHash", [173_966_075, 1_516_443, 2_047_954], [3_901, 38, 170], [spread(3_780.94, 59.026, 3_619, 3_929), spread(38.683, 6.089, 23, 60)]),
    row("BKDRHash", [160_517_055, 1_568_576, 1_905_460], [258, 0, 0], [spread(234.68, 15.559, 185, 282), spread(0.529, 0.718, 0, 3)]),
    row("CalcNrHash", [180_425_843, 1_900_336, 2_084_442], [124, 1, 0], [spread(128.89, 11.629, 99, 163), spread(0.264, 0.514, 0, 3)]),
    row("APHash", [166_644_369, 1_631_107, 1_961_953], [245, 0, 1], [spread(233.19, 15.281, 188, 274), spread(0.405, 0.638, 0, 4)]),
    row("BPHash", [144_647_091, 1_388_693, 1_893_523], [920_005, 9_227, 29_253], [spread(920_002.835, 1.644, 920_000, 920_009), spread(9_205.222, 65.94, 9_001, 9_419)]),
    row("FNVHash", [160_584_860, 1_540_261, 1_888_491], [109, 1, 0], [spread(116.77, 11.253, 80, 161), spread(0.181, 0.415, 0, 2)]),
    row("RSHash", [160_316_468, 1_547_968, 1_929_489], [240, 0, 0], [spread(231.3, 16.223, 190, 275), spread(0.412, 0.653, 0, 4)]),
    row("DJB", [185_411_123, 1_969_460, 2_351_529], [97, 0, 30], [spread(116.075, 10.217, 92, 147), spread(0.192, 0.449, 0, 3)]),
    row("DJB2Hash", [151_799_803, 1_438_242, 1_867_887], [97, 1, 0], [spread(116.33, 10.759, 83, 143), spread(0.344, 0.613, 0, 3)]),
    row("DEKHash", [145_856_752, 1_359_623, 1_861_001], [119, 25, 17], [spread(122.46, 11.497, 100, 156), spread(18.687, 4.223, 5, 35)]),
    row("SipHashNoCase", [205_930_199, 1_727_340, 2_291_959], [126, 0, 29], [spread(116.6, 10.23, 94, 146), spread(0.214, 0.463, 0, 3)]),
    row("SipHash", [187_972_639, 1_480_105, 2_037_517], [126, 0, 0], [spread(116.6, 10.23, 94, 146), spread(0.214, 0.463, 0, 3)]),
];

/// Collisions of one function over many seeds of this project's recipe.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Spread {
    /// Mean count.
    pub mean: f64,
    /// Standard deviation of one count.
    pub sd: f64,
    /// Smallest count.
    pub min: u64,
    /// Largest count.
    pub max: u64,
}

impl Spread {
    /// Returns the number of standard deviations by which `count` exceeds the mean.
    ///
    /// ```
    /// use hash_comparison::advice::published::{KeySet, ROWS};
    /// let row = &ROWS[0];
    /// let z = row.spread(KeySet::RandomStrings).unwrap().z(row.collisions(KeySet::RandomStrings));
    /// assert!((z - 2.68).abs() < 0.005);
    /// ```
    pub fn z(&self, count: u64) -> f64 {
        (count as f64 - self.mean) / self.sd
    }
}

const fn spread(mean: f64, sd: f64, min: u64, max: u64) -> Spread {
    Spread { mean, sd, min, max }
}

/// A row of the published table of filters.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct FilterRow {
    /// Bits per key given to the policy.
    pub bits_per_key: u32,
    /// The keys.
    pub set: KeySet,
    /// Number of keys. The filters use twice as many video ids as the hash table, another draw from the same source.
    pub keys: u64,
    /// Bytes of the keys.
    pub raw_bytes: u64,
    /// Bytes of the filter.
    pub filter_bytes: u64,
    /// `1 - filter_bytes / raw_bytes`.
    pub saved: f64,
    /// Matches among absent keys, divided by 10,000; the number of probes is not stated.
    pub matches_per_10_000: Option<f64>,
    /// Rates known for the video ids.
    pub known: Option<FilterRate>,
}

impl FilterRow {
    /// Returns the filter size by the policy's format: the bits rounded up to bytes, and one byte for the probe count.
    pub const fn formula_bytes(&self) -> u64 {
        (self.keys * self.bits_per_key as u64).div_ceil(8) + 1
    }

    /// Returns the published number of matches. About 70,000 absent keys fit all three rows.
    pub fn matches(&self) -> Option<u64> {
        self.matches_per_10_000
            .map(|share| libm::round(share * 10_000.0) as u64)
    }
}

/// The published table of filters, in its own order.
#[rustfmt::skip]
pub const FILTERS: [FilterRow; 6] = [
    filter(10, KeySet::VideoIds, 80_000, 710_519, 100_001, 0.859_256_4, Some(0.0827), rate(0.011_72, 0.008_44)),
    filter(10, KeySet::AppAccounts, 45_402, 363_646, 56_754, 0.843_930_64, None, None),
    filter(15, KeySet::VideoIds, 80_000, 710_519, 150_001, 0.788_885_31, Some(0.0074), rate(0.001_09, 0.000_744)),
    filter(15, KeySet::AppAccounts, 45_402, 363_646, 85_130, 0.765_898_7, None, None),
    filter(20, KeySet::VideoIds, 80_000, 710_519, 200_001, 0.718_514_21, Some(0.0006), rate(0.000_113, 0.000_068)),
    filter(20, KeySet::AppAccounts, 45_402, 363_646, 113_506, 0.687_866_77, None, None),
];

#[expect(clippy::too_many_arguments, reason = "a row of a table")]
const fn filter(
    bits_per_key: u32,
    set: KeySet,
    keys: u64,
    raw_bytes: u64,
    filter_bytes: u64,
    saved: f64,
    matches_per_10_000: Option<f64>,
    known: Option<FilterRate>,
) -> FilterRow {
    FilterRow {
        bits_per_key,
        set,
        keys,
        raw_bytes,
        filter_bytes,
        saved,
        matches_per_10_000,
        known,
    }
}

/// False-positive rates of this policy over 80,000 video ids, measured apart from any run.
///
/// The excess over the textbook rate is the weakness of LevelDB's probing that facebook/rocksdb#4120 describes.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct FilterRate {
    /// The policy's double hashing with any good hash: 5 seeds, 1,000,000 absent keys each.
    pub policy: f64,
    /// `(1 - (1 - 1/m)^(kn))^k`.
    pub textbook: f64,
}

const fn rate(policy: f64, textbook: f64) -> Option<FilterRate> {
    Some(FilterRate { policy, textbook })
}
