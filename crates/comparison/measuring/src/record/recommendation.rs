//! The request of a run, what functions cost, and the advice on each of them: rows without sentences.

use std::cmp::Ordering;

use key_input::KeyForm;
use statistics::correction::FAMILY_LEVEL;

use super::{CallForm, Choice, rows, stored};

stored! {
    /// The purpose of a function.
    #[derive(Default, clap::ValueEnum)]
    pub enum Purpose {
        /// No purpose was given: a filter or a table in memory.
        #[default]
        #[value(skip)]
        FilterOrTable,
        /// A stored Bloom filter: false positives of LevelDB's, which takes 32 bits, and for functions of 64 bits of Parquet's, relative
        /// to an ideal hash; values that never change; time of overlapping calls
        Filter,
        /// A hash table in memory: comparisons per lookup; time of calls that wait for each other
        Table,
        /// Shards: keys in the fullest of 3 to 256 shards, by remainder in the worst number of all; values that never change; time of
        /// overlapping calls
        Shard,
        /// Checksums against accidents: collisions of all bits; enough bits that count; values that never change; time of overlapping
        /// calls
        Checksum,
    }
}

impl Purpose {
    /// Returns true if the purpose needs values that stay the same forever on every platform.
    pub const fn needs_stable_values(self) -> bool {
        matches!(self, Self::Shard | Self::Checksum)
    }

    /// Returns the form of call whose times decide: a table waits for the hash of each key before its lookup.
    pub const fn form(self) -> CallForm {
        match self {
            Self::FilterOrTable | Self::Table => CallForm::Chained,
            Self::Filter | Self::Shard | Self::Checksum => CallForm::Independent,
        }
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

stored! {
    /// The user's requirements of a function.
    pub struct Request {
        /// The purpose.
        pub purpose: Purpose,
        /// Set if an attacker may choose keys.
        pub untrusted: bool,
        /// Set if values must stay the same forever on every platform, by request.
        pub stable: bool,
        /// Name of the function in use today, as the records spell it.
        pub mine: Option<String>,
        /// The share, at least 0, below which the cost of a measurable defect does not count.
        pub negligible: f64,
        /// The form in which the user's files contain keys; absent if each line is a key.
        #[serde(default, skip_serializing_if = "KeyForm::is_default")]
        pub key_form: KeyForm,
    }
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
            key_form: KeyForm::default(),
        }
    }
}

stored! {
    /// What is counted of a function in some place.
    pub enum Unit {
        /// Share of absent keys that match in a filter of LevelDB's layout, or of Parquet's, which both halves of 64 bits choose
        /// bits of; the size of the place is the filter's bits per key.
        FalsePositives,
        /// Keys compared per key found in a hash table; the size is the number of buckets.
        Comparisons,
        /// Keys in the fullest shard; the size is the number of shards.
        FullestShard,
        /// Distinct keys minus distinct hashes; the size is the number of compared bits.
        Collisions,
    }

    /// The effect of a figure on a purpose.
    pub enum Effect {
        /// Measurably better than chance.
        BetterThanChance,
        /// No difference from chance that the test could see.
        WithinChance,
        /// Measurably worse than chance, but by less than the share that counts.
        Negligible,
        /// Measurably worse than chance, by a share that counts.
        Costly,
    }

    /// A requirement that a function lacks regardless of measurements.
    pub enum Lack {
        /// An attacker can make keys collide.
        Resistance,
        /// Values may change with a release or platform.
        Stability,
        /// Values change from process to process.
        Change,
        /// The hash is too short for this many keys, or for a checksum that resists forgery.
        Width,
    }

    /// The advice on a function.
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
        /// There are too few keys for advice.
        Unknown,
    }
}

rows! {
    /// A row of `costs.csv`: what was counted of a function in one place, compared with an ideal hash there. There is a row for
    /// the costliest place of each purpose, and one for each way in which places are chosen, which is shown.
    pub struct CostRow: [dataset] {
        /// Filter, table, shard or checksum; none for a figure that is shown for every purpose and decides for none.
        pub purpose: Option<Purpose>,
        /// What is counted.
        pub unit: Unit,
        /// The way in which buckets or shards are chosen, and the end of the compared bits; none for filters and all bits.
        pub choice: Option<Choice>,
        /// The size of the place, as the unit says.
        pub size: u64,
        /// Number of keys.
        pub keys: u64,
        /// Numbers of keys over which the value is a mean: `keys`, `keys - 1` and so on.
        pub sizes: u64,
        /// The measured value, in the unit.
        pub measured: f64,
        /// The value of an ideal hash in the same place.
        pub chance: f64,
        /// `measured / chance - 1`, at most [`CostRow::MAX`].
        pub cost: f64,
        /// The p-value of a value so far from chance on its side, corrected for the number of tests in the file of the measurement.
        pub p_adjusted: f64,
        /// Set if the cost is more than chance explains. Otherwise there is no defect, regardless of `cost`.
        pub measurable: bool,
        /// Set if this is the costliest place of the purpose, by which the purpose judges the function.
        pub decides: bool,
        /// Set if the place is shown for every function.
        pub shown: bool,
        /// Set if, of the places that are chosen in the same way, this is the costliest, measurably worse than chance or the worst
        /// number of shards by the remainder, and another than the one shown: it is shown beside that.
        pub costliest: bool,
    }
}

rows! {
    /// A row of `advice.csv`: a function in the order of advice for a dataset, suited functions first, the best on top; then
    /// functions to avoid, the least costly first; then functions that lack a requirement. The figure is that of the
    /// costliest place for the purpose, as in `costs.csv`; it is empty if nothing was counted.
    pub struct Advice: TIMED [dataset] {
        /// The advice on the function.
        pub standing: Standing,
        /// Rank of a suited function, shared if times are not measurably different; 0 for other functions.
        pub rank: u64,
        /// Set for the function in use today.
        pub mine: bool,
        /// The requirement that the function lacks.
        pub lacks: Option<Lack>,
        /// Set if the function's values are promised to stay the same.
        pub stable: bool,
        /// Median time, nanoseconds per key, of calls as the purpose makes them.
        pub ns: Option<f64>,
        /// Lower end of the range in which other runs of this build lie.
        pub low_ns: Option<f64>,
        /// Upper end of that range.
        pub high_ns: Option<f64>,
        /// The function's time divided by that of the pick; none if there is no measurable difference.
        pub times_pick: Option<f64>,
        /// What is counted.
        pub unit: Option<Unit>,
        /// The place, as in [`CostRow`].
        pub choice: Option<Choice>,
        /// The size of the place.
        pub size: Option<u64>,
        /// Number of keys.
        pub keys: Option<u64>,
        /// Numbers of keys over which the value is a mean.
        pub sizes: Option<u64>,
        /// The measured value, in the unit.
        pub measured: Option<f64>,
        /// The value of an ideal hash in the same place.
        pub chance: Option<f64>,
        /// `measured / chance - 1`.
        pub cost: Option<f64>,
        /// The effect on the purpose.
        pub effect: Option<Effect>,
    }
}

/// Purpose, unit and choice, which places that differ only in size have in common.
pub type PlaceKind = (Option<Purpose>, Unit, Option<Choice>);

impl Unit {
    /// Returns the text for what is counted.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::FalsePositives => "false positives",
            Self::Comparisons => "comparisons per lookup",
            Self::FullestShard => "keys in the fullest shard",
            Self::Collisions => "collisions",
        }
    }
}

impl CostRow {
    /// Returns what places that differ in size alone have in common.
    pub fn kind(&self) -> PlaceKind {
        // What is counted for every purpose is the widest window of a function.
        let choice = self.choice.filter(|_| self.purpose.is_some());
        (self.purpose, self.unit, choice)
    }

    /// Returns true if the place is shown for this function.
    pub fn is_shown(&self) -> bool {
        self.shown || self.costliest
    }

    /// Compares by cost; measurable places come after others.
    pub fn by_cost(&self, other: &Self) -> Ordering {
        let measurable = self.measurable.cmp(&other.measurable);
        measurable.then(self.cost.total_cmp(&other.cost))
    }

    /// The greatest recorded cost: if chance gives next to nothing, a larger ratio says nothing more.
    pub const MAX: f64 = 1e9;

    /// Returns the effect of the cost if a share below `negligible` does not count.
    pub fn effect(&self, negligible: f64) -> Effect {
        match self.measurable {
            false if self.p_adjusted < FAMILY_LEVEL && self.measured < self.chance => {
                Effect::BetterThanChance
            }
            false => Effect::WithinChance,
            true if self.cost < negligible => Effect::Negligible,
            true => Effect::Costly,
        }
    }
}

impl Advice {
    /// Returns true if the function suits the request.
    pub fn suits(&self) -> bool {
        self.standing <= Standing::Suited
    }

    /// Returns true if the function is the pick or the next best.
    pub fn is_recommended(&self) -> bool {
        self.standing <= Standing::RunnerUp
    }
}
