//! Keys in buckets: how evenly they fill some buckets, the chains of a hash table with about one bucket for each key, and
//! the fullest of a few shards, as when keys are spread over machines or partitions.
//!
//! A row is a figure of one table's counts. A file of rows is a family of tests: each p-value is corrected for the number
//! of rows in its file.

mod counting;
mod tables;

use std::ops::RangeInclusive;

use super::judging::{percent, placed, verdict};
use super::tables::Cell;
use super::{Defect, Measure, Of, Question, Records, Section};
use crate::functions::Function;
use crate::keys::Dataset;
use crate::name_errors::listed;
use crate::record::{Choice, CostRow, FailedTest, Purpose, Unit, Verdict, about, rows, significant, stored};
use statistics::buckets::BucketLaw;
use statistics::chi_square;
use statistics::correction::{FAMILY_LEVEL, bonferroni};
use statistics::root::band;
use terminal::number::grouped;

stored! {
    /// A figure of the keys in each bucket.
    pub enum BucketFigure {
        /// Chi-square; the expectation is the number of degrees of freedom, and the p-value that of the upper tail.
        ChiSquare,
        /// Share of keys whose bit is one; the p-value is that of the chi-square with one degree of freedom.
        Ones,
        /// Mean number of keys compared to find a present key: the sum of c (c + 1) / 2 over buckets of c keys, divided
        /// by the number of keys.
        Compared,
        /// Keys in the fullest bucket; the p-value is that of the upper tail.
        Fullest,
        /// The fullest bucket at the worst number of buckets from 3 to 256. The p-value is corrected for how many were tried.
        Worst,
        /// Share of empty buckets.
        Empty,
    }
}

rows! {
    /// A row of `distribution.csv` (how evenly buckets and bits are filled), of `occupancy.csv` (chains in a hash table with
    /// about one bucket for each key), and of `shards.csv` (the fullest of a few shards).
    pub struct BucketRow: [dataset] {
        /// The way in which buckets are chosen.
        pub choice: Choice,
        /// Number of buckets; of a bit its index, 0 the lowest.
        pub buckets: u64,
        /// Number of bits of the values that choose.
        pub bits: u32,
        /// Keys in the buckets.
        pub keys: u64,
        /// The figure.
        pub figure: BucketFigure,
        /// The figure's value.
        pub value: f64,
        /// Its expectation with a random function; of too few bits for chains or shards, with one that has enough.
        pub expected: f64,
        /// Lower end of the range in which random functions lie, in every row of 99 of 100 files; none for chi-square.
        pub low: Option<f64>,
        /// Upper end of that range.
        pub high: Option<f64>,
        /// The p-value of this row alone.
        pub p_value: f64,
        /// `p_value` corrected for the number of rows in the file (Bonferroni).
        pub p_adjusted: f64,
        /// The verdict on all figures of these buckets.
        pub verdict: Verdict,
    }
}

pub(super) const QUESTION: Question = Question {
    measure: Measure::Values(|dataset, hashed, records| {
        let (all, bits) = (&hashed.values, hashed.function.facts.output_bits);
        let (keys, low_bits) = (all.len() as u64, hashed.function.facts.bits);
        // Where the keys outnumber the values, the first of them do not show it.
        let some = match has_enough(bits, keys) {
            true => &all[..all.len().min(MAX_KEYS)],
            false => all,
        };
        let of = (dataset, hashed.function);
        let (few, single) = (few(keys, low_bits), single(keys, low_bits));
        let (tables, shards) = (hash_tables(some.len() as u64, bits), shards(keys));
        let chains = [BucketFigure::Compared, BucketFigure::Fullest, BucketFigure::Empty];
        let of_low = |places, figure| fill(of, (all, low_bits), places, &[figure]);
        records.distribution.extend(of_low(few, BucketFigure::ChiSquare));
        records.distribution.extend(of_low(single, BucketFigure::Ones));
        let of_tables = fill(of, (some, bits), tables, &chains);
        records.occupancy.extend(of_tables);
        let of_shards = fill(of, (all, bits), shards, &[BucketFigure::Fullest]);
        records.shards.extend(of_shards);
        let worst = worst_divisor(some, bits).into_iter().collect();
        let of_worst = fill(of, (all, bits), worst, &[BucketFigure::Worst]);
        records.shards.extend(of_worst);
    }),
    judge: |records| {
        judge(&mut records.distribution);
        judge(&mut records.occupancy);
        judge(&mut records.shards);
    },
    defects: |records, dataset, function| defects(records, &dataset.name, &function.name),
    costs: |records, dataset, function| {
        let cost = |purpose, unit, row: &BucketRow| CostRow {
            dataset: row.dataset.clone(),
            function: row.function.clone(),
            purpose: Some(purpose),
            unit,
            choice: Some(row.choice),
            size: row.buckets,
            keys: row.keys,
            sizes: 1,
            measured: row.value,
            chance: row.expected,
            cost: 0.0,
            p_adjusted: row.p_adjusted,
            measurable: false,
            decides: true,
            shown: row.figure != BucketFigure::Worst && SHARDS_SHOWN.contains(&(row.choice, row.buckets)),
            costliest: row.figure == BucketFigure::Worst,
        };
        // Fibonacci hashing makes up for a weak function, so its figures do not judge one.
        let counts =
            |row: &&BucketRow| row.figure == BucketFigure::Compared && row.choice != Choice::Fibonacci;
        let tables = about(&records.occupancy, &dataset.name, &function.name).filter(counts);
        let shards = about(&records.shards, &dataset.name, &function.name);
        let tables = tables.map(|row| cost(Purpose::Table, Unit::Comparisons, row));
        let shards = shards.map(|row| cost(Purpose::Shard, Unit::FullestShard, row));
        tables.chain(shards).collect()
    },
    at: |row, function, keys| {
        let (choice, bits) = (row.choice?, function.output_bits);
        let buckets = match row.unit {
            Unit::Comparisons => hash_tables(keys, bits).iter().find(|one| one.0 == choice)?.1,
            Unit::FullestShard => row.size,
            Unit::FalsePositives | Unit::Collisions => return None,
        };
        let own = BucketLaw::remainders(keys, buckets, bits);
        Some([law(keys, buckets, bits), own].map(|law| match row.unit {
            Unit::Comparisons => 1.0 + law.pairs() / keys as f64,
            _ => law.longest(),
        }))
    },
    columns: |data, function| {
        let compared = |head, choice| {
            let mut rows = data.about(&data.records.occupancy, function);
            let row = rows.find(|row| (row.figure, row.choice) == (BucketFigure::Compared, choice));
            (head, row.map(|row| Cell::Digits(row.value, 4)).into())
        };
        vec![
            compared("Comparisons per lookup, low bits", Choice::LowBits),
            compared("Comparisons per lookup, high bits", Choice::HighBits),
            compared("Comparisons per lookup, remainder", Choice::Remainder),
        ]
    },
    sections: &[
        Section {
            title: "hash tables",
            id: None,
            text: "Chained tables with about as many buckets as keys, over at most the first 1,048,576 keys, or all if the \
                   function has few bits. Finding all c keys of a bucket takes c (c + 1) / 2 comparisons. “By chance” is the \
                   range of 99 in 100 random functions with enough bits.",
            folded: true,
            charts: &[],
            tables: Of::Dataset(tables::chains),
        },
        Section {
            title: "shards",
            id: None,
            text: "Keys of the fullest shard above an equal share of the keys, by the number of shards and the bits that choose \
                   the shard. The first row is what a random function gives on average.",
            folded: true,
            charts: &[],
            tables: Of::Dataset(tables::shards),
        },
    ],
    ..Question::NONE
};

/// The shards that are shown of functions that fill all of them as chance does.
const SHARDS_SHOWN: [(Choice, u64); 3] = [
    (Choice::LowBits, 256),
    (Choice::HighBits, 256),
    (Choice::Remainder, 12),
];

/// Bucket counts of a table by masking. The [`COUNTS_USED`] largest that the keys can fill are tested.
const POWERS_OF_TWO: [u64; 5] = [65_536, 4096, 256, 16, 2];
/// Bucket counts of a table by remainder: the largest prime below each power of two, and 3.
const PRIMES: [u64; 5] = [65_521, 4093, 251, 13, 3];
/// The number of bucket counts of either kind that are tested.
const COUNTS_USED: usize = 3;
/// The least mean number of keys in a bucket: below, the chi-square distribution is a poor approximation (Cochran 1954),
/// and the fullest shard says nothing.
const LEAST_EXPECTED: u64 = 5;

/// Returns few buckets, to test how evenly they are filled: power-of-two counts, then prime ones.
///
/// Of the counts 65536, 4096, 256, 16 and 2 (65521, 4093, 251, 13 and 3), the three largest are tested that have at
/// least five keys per bucket and that the function has bits for. Fewer than ten keys give no bucket rows.
fn few(keys: u64, bits: u32) -> Vec<(Choice, u64)> {
    let usable = |count: &u64| count * LEAST_EXPECTED <= keys && *count <= 1 << bits;
    let of = |choice, counts: [u64; 5]| {
        let counts = counts.into_iter().filter(usable).take(COUNTS_USED);
        counts.map(move |count| (choice, count))
    };
    of(Choice::LowBits, POWERS_OF_TWO)
        .chain(of(Choice::Remainder, PRIMES))
        .collect()
}

/// Returns every bit from the lowest, if there is a key.
fn single(keys: u64, bits: u32) -> Vec<(Choice, u64)> {
    let bits = (0..u64::from(bits)).filter(|_| keys > 0);
    bits.map(|bit| (Choice::Bit, bit)).collect()
}

/// The fewest keys of a table: with fewer, its shape says nothing, and the laws assume many buckets.
const LEAST_KEYS: u64 = 64;
/// The most keys of a table, the first ones of a larger dataset: more keys would take time and add no information.
const MAX_KEYS: usize = 1 << 20;
/// Output bits needed beyond those of the index: with fewer, neither products nor remainders need share values evenly.
const SPARE_BITS: u32 = 8;

/// Returns true if a function has the bits to fill this many buckets as evenly as one of any width.
fn has_enough(bits: u32, buckets: u64) -> bool {
    bits >= buckets.max(1).ilog2() + SPARE_BITS
}

/// Returns the law of the keys in buckets that functions with enough bits follow: too few bits are a defect, not chance.
fn law(keys: u64, buckets: u64, bits: u32) -> BucketLaw {
    BucketLaw::remainders(keys, buckets, if has_enough(bits, buckets) { bits } else { 64 })
}

/// Returns hash tables with about one bucket for each key. Fewer than [`LEAST_KEYS`] keys give none.
///
/// The number of buckets is the largest power of two, or the largest prime, that does not exceed the number of keys.
fn hash_tables(keys: u64, bits: u32) -> Vec<(Choice, u64)> {
    if keys < LEAST_KEYS {
        return Vec::new();
    }
    let power = 1 << keys.ilog2();
    let mut tables = vec![
        (Choice::LowBits, power),
        (Choice::HighBits, power),
        (Choice::Fibonacci, power),
        (Choice::Remainder, largest_prime(keys)),
    ];
    tables.retain(|(choice, _)| *choice != Choice::Fibonacci || has_enough(bits, power));
    tables
}

/// Returns the largest prime that is at most `limit`, which must be at least 2.
fn largest_prime(limit: u64) -> u64 {
    let is_prime = |number: u64| {
        (2..)
            .take_while(|&divisor| divisor * divisor <= number)
            .all(|divisor| !number.is_multiple_of(divisor))
    };
    (2..=limit).rev().find(|&number| is_prime(number)).unwrap_or(2)
}

/// Numbers of shards chosen by the low bits.
const BY_LOW_BITS: [u64; 4] = [256, 64, 16, 4];
/// Numbers of shards chosen by the high bits. The last are not powers of two.
const BY_HIGH_BITS: [u64; 6] = [256, 64, 16, 4, 100, 12];
/// Numbers of shards chosen by the remainder that have a row of their own, none a power of two.
const BY_REMAINDER: [u64; 10] = [251, 200, 100, 48, 24, 13, 12, 10, 6, 3];

/// Returns a few shards.
fn shards(keys: u64) -> Vec<(Choice, u64)> {
    let mut all = BY_LOW_BITS.map(|shards| (Choice::LowBits, shards)).to_vec();
    all.extend(BY_HIGH_BITS.map(|shards| (Choice::HighBits, shards)));
    all.extend(BY_REMAINDER.map(|shards| (Choice::Remainder, shards)));
    all.retain(|(_, shards)| shards * LEAST_EXPECTED <= keys);
    all
}

/// Returns the numbers of shards of which the worst by the remainder is counted, as far as so many keys can fill them.
fn divisors(keys: u64) -> RangeInclusive<u64> {
    3..=(keys / LEAST_EXPECTED).min(256)
}

/// Returns each number of shards from 3 to 256 that the keys can fill, with the keys in the fullest shard by the remainder.
pub fn fullest_by_divisor(values: &[u64], bits: u32) -> Vec<(u64, u64)> {
    // The largest first, since they share tallies with the smaller ones.
    let divisors = divisors(values.len() as u64).rev();
    let tables: Vec<_> = divisors.map(|divisor| (Choice::Remainder, divisor)).collect();
    let counts = counting::counts((values, bits), &tables).into_iter();
    let fullest = counts.map(|counts| counts.into_iter().max().unwrap_or_default().into());
    tables.iter().map(|table| table.1).zip(fullest).collect()
}

/// Returns the number of shards by remainder that chance explains least.
fn worst_divisor(values: &[u64], bits: u32) -> Option<(Choice, u64)> {
    let p_value = |(divisor, fullest)| law(values.len() as u64, divisor, bits).longest_p(fullest);
    let all = fullest_by_divisor(values, bits).into_iter();
    let ranked = all.map(|one| (p_value(one), one));
    // Where probabilities are too small for a number, the larger share is the worst.
    let share = |(divisor, fullest): (u64, u64)| divisor * fullest;
    let worst = ranked.min_by(|a, b| a.0.total_cmp(&b.0).then(share(b.1).cmp(&share(a.1))));
    worst.map(|(_, (divisor, _))| (Choice::Remainder, divisor))
}

/// Fills each table with the low bits of values, and returns the figures of the counts. Each row is that of a single test until
/// all are judged.
fn fill(
    (dataset, function): (&Dataset, &Function),
    (values, bits): (&[u64], u32),
    tables: Vec<(Choice, u64)>,
    figures: &[BucketFigure],
) -> Vec<BucketRow> {
    let mut rows = Vec::new();
    let counts = counting::counts((values, bits), &tables);
    for ((choice, buckets), counts) in tables.into_iter().zip(counts) {
        rows.extend(figures.iter().map(|&figure| {
            let mut row = BucketRow {
                dataset: dataset.summary.name.clone(),
                function: function.facts.name.clone(),
                choice,
                buckets,
                bits,
                keys: values.len() as u64,
                figure,
                value: 0.0,
                expected: 0.0,
                low: None,
                high: None,
                p_value: 1.0,
                p_adjusted: 1.0,
                verdict: Verdict::WithinChance,
            };
            (row.value, row.expected, row.p_value) = row.test(&counts);
            row
        }));
    }
    rows
}

impl BucketRow {
    /// Returns value, expectation and p-value of the row's figure.
    fn test(&self, counts: &[u32]) -> (f64, f64, f64) {
        let count = match self.figure {
            BucketFigure::ChiSquare => {
                let (statistic, dof) = (self.chi_square(counts), self.buckets - 1);
                return (statistic, dof as f64, chi_square::upper_tail(statistic, dof));
            }
            BucketFigure::Ones => {
                let (ones, keys) = (counts[1] as f64, self.keys as f64);
                let above = 2.0 * ones - keys;
                return (ones / keys, 0.5, chi_square::upper_tail(above * above / keys, 1));
            }
            BucketFigure::Compared => counts
                .iter()
                .map(|&count| u64::from(count) * u64::from(count.saturating_sub(1)) / 2)
                .sum(),
            BucketFigure::Fullest | BucketFigure::Worst => counts.iter().copied().max().unwrap_or(0).into(),
            BucketFigure::Empty => counts.iter().filter(|&&count| count == 0).count() as u64,
        };
        let law = self.law();
        let (expected, _) = self.expected(&law);
        (self.of(count as f64), self.of(expected), self.p(&law, count))
    }

    /// Returns Pearson's statistic of the counts.
    ///
    /// The remainders by a prime are not quite equally likely, since the prime does not divide the number of values; the
    /// expectation of each bucket takes that into account. For a power of two the remainder is the low bits.
    fn chi_square(&self, counts: &[u32]) -> f64 {
        let range = 1_u64 << self.bits;
        let (least, larger) = (range / self.buckets, range % self.buckets);
        let expected = [least, least + 1].map(|of_range| self.keys as f64 * (of_range as f64 / range as f64));
        let of_bucket = |(&count, bucket): (&u32, u64)| {
            let expected = expected[usize::from(bucket < larger)];
            let above = f64::from(count) - expected;
            above * above / expected
        };
        counts.iter().zip(0..).map(of_bucket).sum()
    }

    fn law(&self) -> BucketLaw {
        law(self.keys, self.buckets, self.bits)
    }

    /// Returns the expected and the largest count behind a figure: of pairs of keys in one bucket, of keys, or of buckets.
    fn expected(&self, law: &BucketLaw) -> (f64, u64) {
        match self.figure {
            BucketFigure::Compared => {
                let pairs = u128::from(self.keys) * u128::from(self.keys - 1) / 2;
                (law.pairs(), pairs as u64)
            }
            BucketFigure::Empty => (law.empty(), self.buckets),
            _ => (law.longest(), self.keys),
        }
    }

    fn p(&self, law: &BucketLaw, count: u64) -> f64 {
        match self.figure {
            BucketFigure::Compared => law.pairs_p(count),
            BucketFigure::Empty => law.empty_p(count),
            BucketFigure::Worst => bonferroni(law.longest_p(count), divisors(self.keys).count()),
            _ => law.longest_p(count),
        }
    }

    /// Returns the figure of a count.
    fn of(&self, count: f64) -> f64 {
        match self.figure {
            // A chain of c keys takes c (c + 1) / 2 comparisons, which is c plus its pairs.
            BucketFigure::Compared => 1.0 + count / self.keys as f64,
            BucketFigure::Empty => count / self.buckets as f64,
            _ => count,
        }
    }

    /// Returns the verdict on this figure alone.
    fn verdict(&self) -> Verdict {
        let (value, expected, least) = match self.figure {
            BucketFigure::Compared => (self.value - 1.0, self.expected - 1.0, self.value - 1.0),
            // A share on either side is worse, and none is far worse.
            BucketFigure::Ones => ((self.value - self.expected).abs(), 0.0, -1.0),
            _ => (self.value, self.expected, 0.0),
        };
        verdict(value, expected, least, self.p_adjusted)
    }

    /// Returns true if there is more than chance explains.
    pub fn is_worse(&self) -> bool {
        self.verdict > Verdict::WithinChance
    }
}

/// Judges the rows of a file.
fn judge(rows: &mut [BucketRow]) {
    let tests = rows.len();
    for row in rows.iter_mut() {
        row.p_adjusted = bonferroni(row.p_value, tests);
        if !matches!(row.figure, BucketFigure::ChiSquare | BucketFigure::Ones) {
            let law = row.law();
            let (expected, most) = row.expected(&law);
            let (low, high) = band(expected, most, |count| {
                bonferroni(row.p(&law, count), tests) < FAMILY_LEVEL
            });
            let end = |count: u64| Some(significant::round(row.of(count as f64)));
            (row.low, row.high) = (end(low), end(high));
        }
    }
    let of = |row: &BucketRow| (row.dataset.clone(), row.function.clone(), row.choice, row.buckets);
    for table in rows.chunk_by_mut(|a, b| of(a) == of(b)) {
        let verdicts = table.iter().map(BucketRow::verdict);
        let (least, most) = (verdicts.clone().min(), verdicts.max());
        let verdict = most.filter(|most| *most > Verdict::WithinChance).or(least);
        for row in table {
            row.verdict = verdict.unwrap_or(row.verdict);
        }
    }
}

/// Returns one defect for the output bits and one for each way to choose buckets, if any row of it failed.
fn defects(records: &Records, dataset: &str, function: &str) -> Vec<Defect> {
    let failed = |choice| {
        let rows = about(&records.distribution, dataset, function)
            .filter(|row| row.choice == choice && row.is_worse());
        let mut failed: Vec<&BucketRow> = rows.collect();
        // Sorted by unevenness, since the p-values of bad rows are all zero.
        failed.sort_by(|a, b| unevenness(b).total_cmp(&unevenness(a)));
        failed
    };
    let defect = |reason| Defect {
        test: FailedTest::Distribution,
        verdict: Verdict::WorseThanChance,
        reason,
    };
    let choices = [Choice::LowBits, Choice::Remainder].into_iter();
    let buckets = choices.filter_map(|choice| {
        let place = placed(failed(choice).first()?.buckets, "buckets", choice);
        let fullest = fullest(records, dataset, function, choice);
        Some(format!("{place} are uneven{}", fullest.unwrap_or_default()))
    });
    let uneven = bits(&failed(Choice::Bit)).into_iter();
    uneven.chain(buckets).map(defect).collect()
}

/// Returns chi-square over its mean; for a bit, the distance of its share from one half.
fn unevenness(row: &BucketRow) -> f64 {
    match row.figure {
        BucketFigure::Ones => (row.value - row.expected).abs(),
        _ => row.value / row.expected,
    }
}

/// Describes the defects of output bits from their rows, worst first. Returns `None` without rows.
fn bits(rows: &[&BucketRow]) -> Option<String> {
    let (constant, uneven): (Vec<&BucketRow>, Vec<&BucketRow>) =
        rows.iter().partition(|row| row.value == 0.0 || row.value == 1.0);
    let mut parts = Vec::new();
    let mut indices: Vec<u64> = constant.iter().map(|row| row.buckets).collect();
    indices.sort_unstable();
    match indices.len() {
        0 => {}
        1 => parts.push(format!("bit {} is constant", indices[0])),
        _ => parts.push(format!("bits {} are constant", listed(&indices, "and"))),
    }
    if let Some(worst) = uneven.first() {
        let others = match uneven.len() {
            1 => String::new(),
            several => format!("; {} more uneven", several - 1),
        };
        let (bit, share) = (worst.buckets, percent(worst.value));
        parts.push(format!(
            "bit {bit} is set in {share} of hashes (expected 50 %){others}"
        ));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Describes the fullest of the shards of one choice that chance explains least.
fn fullest(records: &Records, dataset: &str, function: &str, choice: Choice) -> Option<String> {
    let shards = about(&records.shards, dataset, function).filter(|row| row.choice == choice);
    let row = shards.max_by(|a, b| b.p_value.total_cmp(&a.p_value))?;
    let place = placed(row.buckets, "shards", choice);
    let [fullest, chance] = [row.value, row.expected].map(|keys| grouped(keys.round() as u64));
    let verdict = if row.is_worse() { "" } else { ", within chance" };
    Some(format!(
        "; the fullest of {place} has {fullest} keys (chance: {chance}{verdict})"
    ))
}
