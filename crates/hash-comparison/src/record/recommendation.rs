//! What `run.json` recommends, and why.

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
}

/// What the user wants of a function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// What for.
    pub purpose: Purpose,
    /// Whether an attacker may choose keys.
    pub untrusted: bool,
    /// Whether values must stay the same for ever on every platform.
    pub stable: bool,
    /// Name of the function in use today, as the records spell it.
    pub mine: Option<String>,
}

stored! {
    /// What a run recommends for one dataset.
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
        /// The times that decide.
        pub form: CallForm,
        /// The best, at most five, best first.
        pub short_list: Vec<Candidate>,
        /// Others that suit, best first.
        pub more: Vec<Other>,
        /// Those that do not suit, by reason.
        pub excluded: Vec<Exclusion>,
        /// What else a user must know, a sentence each.
        pub notes: Vec<String>,
        /// The function in use today beside the first of the list, where one was named.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub mine: Option<Incumbent>,
    }

    /// A function of the short list.
    pub struct Candidate {
        /// Name of the function.
        pub function: String,
        /// Its place; functions without a measurable difference share one.
        pub rank: u64,
        /// Whether its values are promised to stay the same.
        pub stable: bool,
        /// Its time, where it was measured.
        pub time: Option<Interval>,
        /// Why, in measured figures, a phrase each.
        pub reasons: Vec<String>,
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

    /// A function that suits and is not on the short list.
    pub struct Other {
        /// Name of the function.
        pub function: String,
        /// Its place.
        pub rank: u64,
    }

    /// Why functions are left out.
    pub enum Ground {
        /// An attacker can make keys that collide.
        Attackers,
        /// Values may change from version to version or platform to platform.
        Stability,
        /// Too few bits for so many keys.
        Width,
        /// Measurably worse than chance in what counts for the purpose.
        Quality,
    }

    /// Functions that are left out for one reason.
    pub struct Exclusion {
        /// The reason.
        pub ground: Ground,
        /// The functions, in the order measured; of [`Ground::Quality`] the worst first.
        pub functions: Vec<Excluded>,
    }

    /// A function that is left out.
    pub struct Excluded {
        /// Name of the function.
        pub function: String,
        /// Why, in figures where it was measured.
        pub reason: String,
    }

    /// How the function in use today stands.
    pub enum Standing {
        /// It is the first, or nothing tells it from the first.
        Level,
        /// It suits, and another is measurably better.
        Behind,
        /// It does not suit.
        Unsuited,
        /// Too few keys.
        Unknown,
    }

    /// The function in use today.
    pub struct Incumbent {
        /// Name of the function.
        pub function: String,
        /// How it stands.
        pub standing: Standing,
        /// The same in words and figures, beside the first of the list.
        pub words: String,
    }
}
