//! The recommendations of `run.json` and their basis.

use super::{CallForm, rows, stored};

stored! {
    /// The purpose of a function.
    #[derive(Default, clap::ValueEnum)]
    pub enum Purpose {
        /// No purpose was given: a filter or a table in memory.
        #[default]
        #[value(skip)]
        FilterOrTable,
        /// A stored Bloom filter: false positives relative to an ideal hash; values that never change; time of overlapping calls
        Filter,
        /// A hash table in memory: comparisons per lookup; time of calls that wait for each other
        Table,
        /// Shards: keys in the fullest of 3 to 256 shards; values that never change; time of overlapping calls
        Shard,
        /// Checksums against accidents: collisions of all bits; values that never change; time of overlapping calls
        Checksum,
    }
}

impl Purpose {
    /// Returns true if the purpose needs values that stay the same forever on every platform.
    pub const fn needs_stable_values(self) -> bool {
        matches!(self, Self::Shard | Self::Checksum)
    }

    /// Returns the purposes that a function must serve, each with its own unit: those of [`CostRow`].
    pub const fn parts(self) -> &'static [Self] {
        match self {
            Self::FilterOrTable => &[Self::Filter, Self::Table],
            Self::Filter => &[Self::Filter],
            Self::Table => &[Self::Table],
            Self::Shard => &[Self::Shard],
            Self::Checksum => &[Self::Checksum],
        }
    }
}

/// The user's requirements of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The purpose.
    pub purpose: Purpose,
    /// Set if an attacker may choose keys.
    pub untrusted: bool,
    /// Set if values must stay the same forever on every platform.
    pub stable: bool,
    /// Name of the function in use today, as the records spell it.
    pub mine: Option<String>,
    /// The share, at least 0, below which the cost of a measurable defect does not count.
    pub negligible: f64,
}

impl Request {
    /// The default share below which a cost is negligible.
    pub const NEGLIGIBLE: f64 = 0.05;

    /// Returns true if values must stay the same forever, by request or for the purpose.
    pub const fn needs_stable_values(&self) -> bool {
        self.stable || self.purpose.needs_stable_values()
    }
}

impl Default for Request {
    fn default() -> Self {
        Self {
            purpose: Purpose::default(),
            untrusted: false,
            stable: false,
            mine: None,
            negligible: Self::NEGLIGIBLE,
        }
    }
}

rows! {
    /// A row of `costs.csv`: the greatest cost of a function for a purpose on a dataset, in that purpose's unit.
    ///
    /// The unit of a filter is its false-positive rate, of a table the keys compared per key found, of shards the keys
    /// in the fullest shard, of checksums the keys minus distinct values.
    pub struct CostRow: [dataset] {
        /// Filter, table, shard or checksum.
        pub purpose: Purpose,
        /// The place: the size of the filter, the choice of buckets, or the number of bits.
        pub place: String,
        /// The measured value, in the unit.
        pub measured: f64,
        /// The value of an ideal hash in the same place.
        pub chance: f64,
        /// `measured / chance - 1`, at most [`CostRow::MAX`].
        pub cost: f64,
        /// The p-value, corrected for the number of tests in the file of the measurement.
        pub p_adjusted: f64,
        /// Set if the cost is more than chance explains. Otherwise there is no defect, regardless of `cost`.
        pub measurable: bool,
    }
}

stored! {
    /// A run's recommendation for one dataset: the only verdict that terminal, page and tables show.
    pub struct Recommendation {
        /// Name of the dataset.
        pub dataset: String,
        /// The purpose.
        pub purpose: Purpose,
        /// Set if an attacker may choose keys.
        pub untrusted: bool,
        /// Set if values must stay the same forever on every platform, by request or for the purpose.
        pub stable: bool,
        /// Set if there are too few keys to recommend any function.
        pub too_few_keys: bool,
        /// The share below which the cost of a measurable defect does not count.
        pub negligible: f64,
        /// The form of call whose times decide.
        pub form: CallForm,
        /// The reason for this form, in a clause.
        pub form_reason: String,
        /// Advice for keys from strangers, if the keys come from strangers or look like it.
        pub attackers: Option<String>,
        /// Every function of the run once: suited functions, best first; functions to avoid, the least costly first;
        /// then functions that lack a requirement.
        pub functions: Vec<Advice>,
        /// The function in use today compared with the pick, if one was named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub mine: Option<Incumbent>,
        /// Pick, runner-up and the function in use at several numbers of keys, ordered by that number.
        pub at_sizes: Vec<AtSize>,
        /// Further facts for the user, one sentence each.
        pub notes: Vec<String>,
    }

    /// A run's advice on one function.
    pub enum Standing {
        /// The function to take.
        Pick,
        /// The next best function.
        RunnerUp,
        /// A function that suits.
        Suited,
        /// A function whose cost is not negligible.
        Avoid,
        /// A function that lacks a requirement, regardless of the measurements.
        Lacking,
        /// Too few keys to tell.
        Unknown,
    }

    /// A function in the order of advice.
    pub struct Advice {
        /// Name of the function.
        pub function: String,
        /// The advice on the function.
        pub standing: Standing,
        /// Rank of a suited function, shared if times are not measurably different; 0 for other functions.
        pub rank: u64,
        /// Set if the function's values are promised to stay the same.
        pub stable: bool,
        /// The function's time, if it was measured.
        pub time: Option<Interval>,
        /// Share of the function's time that a change to the pick saves, negative for a cost; 0 if not measurable.
        pub saves: f64,
        /// The costliest measurable defect for the purpose, even a negligible one.
        pub cost: Option<CostRow>,
        /// The reason for the standing, in about five words.
        pub reason: String,
    }

    /// A median with the range in which runs of the same build lie. Functions whose ranges overlap are not measurably
    /// different.
    #[derive(Copy)]
    pub struct Interval {
        /// Median, nanoseconds per key.
        pub ns: f64,
        /// Lower end of the range.
        pub low_ns: f64,
        /// Upper end of the range.
        pub high_ns: f64,
    }

    /// The function in use today.
    pub struct Incumbent {
        /// Name of the function.
        pub function: String,
        /// Set if the function suits the request; none if there are too few keys to tell, or an earlier program did not
        /// say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub good_enough: Option<bool>,
        /// The reason, and what a change to the pick gains or costs in time, in the cache and out of it.
        pub words: String,
    }

    /// The costs of a function at some number of similar keys.
    pub struct AtSize {
        /// Name of the function.
        pub function: String,
        /// Number of keys.
        pub keys: u64,
        /// Time to hash each key once, milliseconds.
        pub total_ms: Option<f64>,
        /// Keys minus distinct values, in all bits of the function; none if unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub collisions: Option<f64>,
        /// The basis of `collisions`.
        #[serde(default)]
        pub collisions_basis: Basis,
        /// False-positive rate of a LevelDB filter of [`AtSize::BITS_PER_KEY`], the mean over this and the next smaller
        /// numbers of keys; none if unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub rate: Option<f64>,
        /// The lowest rate of these numbers of keys: the rate jumps with the exact length of the filter.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub lowest_rate: Option<f64>,
        /// The highest rate of these numbers of keys.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub highest_rate: Option<f64>,
        /// The basis of `rate`.
        #[serde(default)]
        pub rate_basis: Basis,
    }

    /// The basis of a figure for some number of keys.
    #[derive(Default)]
    pub enum Basis {
        /// Counted with this number of keys.
        Measured,
        /// The expected value of a random function with the same number of bits.
        #[default]
        Expected,
        /// A lower bound that follows from fewer keys: the function is not like a random one on these keys, so no law
        /// gives the figure.
        AtLeast,
    }
}

impl CostRow {
    /// The greatest recorded cost: if chance gives next to nothing, a larger ratio says nothing more.
    pub const MAX: f64 = 1e9;
}

impl AtSize {
    /// Bits per key of the filter.
    pub const BITS_PER_KEY: u32 = 10;
}

impl Recommendation {
    /// Returns the functions of this standing, best first.
    pub fn standing(&self, standing: Standing) -> impl Iterator<Item = &Advice> {
        self.functions.iter().filter(move |one| one.standing == standing)
    }

    /// Returns the function to take, or `None` if no function suits or there are too few keys.
    pub fn pick(&self) -> Option<&Advice> {
        self.standing(Standing::Pick).next()
    }

    /// Returns the advice on one function.
    pub fn advice(&self, function: &str) -> Option<&Advice> {
        self.functions.iter().find(|one| one.function == function)
    }

    /// Returns the functions that suit, best first.
    pub fn suited(&self) -> impl Iterator<Item = &Advice> {
        self.functions
            .iter()
            .filter(|one| one.standing <= Standing::Suited)
    }
}
