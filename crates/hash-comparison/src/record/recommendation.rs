//! What `run.json` recommends, and what it rests on.

use super::{CallForm, stored};

stored! {
    /// What a function is wanted for.
    #[derive(Default)]
    pub enum Purpose {
        /// Nothing more was said: a filter or a table in memory.
        #[default]
        FilterOrTable,
        /// A Bloom filter.
        Filter,
        /// A hash table in memory.
        Table,
        /// Spreading keys over shards, on which machines agree.
        Shard,
        /// Finding out that something changed by accident, or telling contents apart by their hash.
        Checksum,
    }
}

impl Purpose {
    /// Whether values must stay the same for ever on every platform, asked for or not.
    pub const fn needs_stable_values(self) -> bool {
        matches!(self, Self::Shard | Self::Checksum)
    }

    /// The purposes that a function must serve, each with a unit of its own: those of [`CostRow`].
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

/// What the user wants of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// What for.
    pub purpose: Purpose,
    /// Whether an attacker may choose keys.
    pub untrusted: bool,
    /// Whether values must stay the same for ever on every platform.
    pub stable: bool,
    /// Name of the function in use today, as the records spell it.
    pub mine: Option<String>,
    /// A measurable defect that costs less than this share does not count, from 0 on.
    pub negligible: f64,
}

impl Request {
    /// The share below which a cost is negligible, unless the user says otherwise.
    pub const NEGLIGIBLE: f64 = 0.05;

    /// Whether values must stay the same for ever, asked for or needed for the purpose.
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

stored! {
    /// A row of `costs.csv`: what a function costs a purpose on a dataset, in that purpose's unit, where it costs most.
    ///
    /// The unit of a filter is its false-positive rate, of a table the keys compared until one is found that is there, of
    /// shards the keys in the fullest, of checksums the keys whose value another key has already.
    pub struct CostRow {
        /// Name of the dataset.
        pub dataset: String,
        /// Name of the function.
        pub function: String,
        /// Filter, table, shard or checksum.
        pub purpose: Purpose,
        /// Where: how large a filter, which buckets, how many bits.
        pub place: String,
        /// In the unit.
        pub measured: f64,
        /// The same of an ideal hash in the same place.
        pub chance: f64,
        /// `measured / chance - 1`, at most [`CostRow::MAX`].
        pub cost: f64,
        /// How often chance alone does as much, corrected for the number of tests in the file that it comes from.
        pub p_adjusted: f64,
        /// Whether it costs more than chance explains. What is not measurable is no defect, whatever `cost` says.
        pub measurable: bool,
    }

    /// What a run advises on one dataset: the one verdict that terminal, page and tables show.
    pub struct Recommendation {
        /// Name of the dataset.
        pub dataset: String,
        /// What for.
        pub purpose: Purpose,
        /// Whether an attacker may choose keys.
        pub untrusted: bool,
        /// Whether values must stay the same for ever on every platform: asked for, or needed for the purpose.
        pub stable: bool,
        /// Whether keys are so few that no function can be recommended.
        pub too_few_keys: bool,
        /// A measurable defect that costs less than this share does not count.
        pub negligible: f64,
        /// The times that decide.
        pub form: CallForm,
        /// Why these, in a clause.
        pub form_reason: String,
        /// What somebody must know whose keys come from strangers, where they do or look so.
        pub attackers: Option<String>,
        /// Every function of the run once: those that suit, best first, those to avoid, the least costly first, then those that
        /// lack what was asked.
        pub functions: Vec<Advice>,
        /// The function in use today beside the pick, where one was named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub mine: Option<Incumbent>,
        /// Pick, runner-up and the function in use at several numbers of keys, by their number.
        pub at_sizes: Vec<AtSize>,
        /// What else a user must know, a sentence each.
        pub notes: Vec<String>,
    }

    /// What a run advises on one function.
    pub enum Standing {
        /// Take it.
        Pick,
        /// The next best.
        RunnerUp,
        /// It suits.
        Suited,
        /// It costs more than is negligible.
        Avoid,
        /// It lacks what was asked, whatever was measured.
        Lacking,
        /// Too few keys to tell.
        Unknown,
    }

    /// A function in the order of advice.
    pub struct Advice {
        /// Name of the function.
        pub function: String,
        /// What to do with it.
        pub standing: Standing,
        /// Place of one that suits; functions whose times are not measurably different share one. Of others 0.
        pub rank: u64,
        /// Whether its values are promised to stay the same.
        pub stable: bool,
        /// Its time, where it was measured.
        pub time: Option<Interval>,
        /// The share of its time that a change to the pick saves, below 0 what it costs; 0 where no difference is measurable.
        pub saves: f64,
        /// The costliest measurable defect for the purpose, a negligible one too.
        pub cost: Option<CostRow>,
        /// Why it stands so, in about five words.
        pub reason: String,
        /// The same in figures, a phrase each.
        pub why: Vec<String>,
    }

    /// A median, and how far readings stray from it.
    #[derive(Copy)]
    pub struct Interval {
        /// Median, nanoseconds per key.
        pub ns: f64,
        /// Median less the median absolute deviation.
        pub low_ns: f64,
        /// Median plus the median absolute deviation.
        pub high_ns: f64,
    }

    /// The function in use today.
    pub struct Incumbent {
        /// Name of the function.
        pub function: String,
        /// How it stands beside the pick, and what a change would save.
        pub words: String,
    }

    /// What a function costs at some number of keys like these.
    pub struct AtSize {
        /// Name of the function.
        pub function: String,
        /// Number of keys.
        pub keys: u64,
        /// Hashing each once, milliseconds.
        pub total_ms: Option<f64>,
        /// Keys whose value another key has already, in all bits of the function; none where it cannot be known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub collisions: Option<f64>,
        /// Where that comes from.
        #[serde(default)]
        pub collisions_basis: Basis,
        /// False-positive rate of a LevelDB filter of [`AtSize::BITS_PER_KEY`]; none where it cannot be known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub rate: Option<f64>,
        /// Where that comes from.
        #[serde(default)]
        pub rate_basis: Basis,
    }

    /// Where a figure for some number of keys comes from.
    #[derive(Default)]
    pub enum Basis {
        /// Counted with as many of these keys.
        Measured,
        /// That of a random function of as many bits.
        #[default]
        Expected,
        /// Counted with fewer of these keys; the function departs from chance, and no law gives the figure for more.
        AtLeast,
    }
}

impl CostRow {
    /// The most that is recorded: where chance gives next to nothing, a ratio says no more.
    pub const MAX: f64 = 1e9;
}

impl AtSize {
    /// Bits per key of the filter.
    pub const BITS_PER_KEY: u32 = 10;
}

impl Recommendation {
    /// Functions that stand so, best first.
    pub fn standing(&self, standing: Standing) -> impl Iterator<Item = &Advice> {
        self.functions.iter().filter(move |one| one.standing == standing)
    }

    /// What to take; `None` where no function suits or keys are too few.
    pub fn pick(&self) -> Option<&Advice> {
        self.standing(Standing::Pick).next()
    }

    /// The advice on one function.
    pub fn advice(&self, function: &str) -> Option<&Advice> {
        self.functions.iter().find(|one| one.function == function)
    }

    /// Functions that suit, best first.
    pub fn suited(&self) -> impl Iterator<Item = &Advice> {
        self.functions
            .iter()
            .filter(|one| one.standing <= Standing::Suited)
    }
}
