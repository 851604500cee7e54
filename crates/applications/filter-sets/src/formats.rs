//! The list of stored formats.

pub(crate) mod kinds;
pub(crate) mod policies;

use filter_policy::{MATCHES_EVERYTHING, formats as engines};
use membership_filters::kinds::{self as applications, Form};

use crate::bytes::FilterData;
use crate::error::Error;
use crate::filled::{Loaded, Unfinished};
use crate::format::{Hasher, Listed, Plan, Result, Size, Sizing, StoredFormat, World};

/// Returns all stored formats: those of `filter_policy::formats::ALL` and `membership_filters::kinds::ALL`.
pub(crate) fn formats() -> impl Iterator<Item = Listed> {
    let policies = engines::ALL.iter().copied().map(World::Policy);
    let kinds = applications::ALL.iter().copied().map(World::Kind);
    policies.chain(kinds)
}

/// Returns the first short name of each of these formats.
pub(crate) fn names(of: impl Iterator<Item = Listed>) -> String {
    let names: Vec<_> = of
        .flat_map(|format| format.short_names().first())
        .copied()
        .collect();
    names.join(", ")
}

impl StoredFormat {
    /// Returns all formats.
    ///
    /// ```
    /// use filter_sets::{StoredFormat, Size};
    ///
    /// // The smallest of ten thousand keys at 1 %.
    /// let bytes = |format: &StoredFormat| format.sizing(10_000, Size::Rate(0.01)).map(|sizing| sizing.bytes).ok();
    /// let smallest = StoredFormat::all().filter(|format| bytes(format).is_some()).min_by_key(bytes);
    /// assert_eq!(smallest.unwrap().short_names(), ["ribbon"]);
    /// ```
    pub fn all() -> impl Iterator<Item = Self> {
        formats().map(Self::of)
    }

    /// Returns the format with this name: the name that files state, or a short one.
    ///
    /// ```
    /// use filter_sets::StoredFormat;
    ///
    /// assert_eq!(StoredFormat::named("leveldb")?.name(), "leveldb.BuiltinBloomFilter2");
    /// assert_eq!(StoredFormat::named("spark")?.name(), "spark-v2");
    /// assert!(StoredFormat::named("bloom").unwrap_err().to_string().contains("leveldb, murmur2"));
    /// # Ok::<(), filter_sets::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::Error::InvalidArgument) lists the names.
    pub fn named(name: &str) -> Result<Self, Error> {
        let format = formats().find(|format| format.name() == name || format.short_names().contains(&name));
        format.map(Self::of)
            .or_else(|| policies::derived(name))
            .ok_or_else(|| {
                Error::argument(format_args!(
                    "the format must be known, got {name:?}: known are {}, and policies' names as engines store them",
                    names(formats())
                ))
            })
    }

    /// Returns the format of a file of this length that begins with these bytes, if they identify it. Streams of Guava
    /// and Spark and the filters of `membership-filters` do, with the encoding of their keys. 32 bytes suffice.
    pub fn of_prefix(head: &[u8], len: u64) -> Option<Self> {
        formats().find_map(|format| format.recognise(head, len))
    }

    /// Returns the format with the name that a header states, of a filter of this length that begins with these bytes.
    /// The bytes give the encoding of the keys.
    pub(crate) fn stated(name: &str, head: &[u8], len: u64) -> Result<Self, Error> {
        let named = Self::named(name)?;
        Ok(named.listed.recognise(head, len).unwrap_or(named))
    }

    /// Returns another format whose filters alone have these bytes, of a filter without a header.
    pub(crate) fn contradicted(&self, bytes: &[u8]) -> Option<Self> {
        let others = formats().filter(|format| format.name() != self.listed.name());
        let owner = others.filter(|format| format.owns(bytes)).map(Self::of).next();
        // Formats that are known by bytes refuse the bytes of others.
        owner.filter(|_| !self.is_known_by_bytes())
    }

    /// Sets the seed of the hash.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::Error::InvalidArgument) unless the format is version 2 of Spark's.
    pub fn seed(self, seed: i32) -> Result<Self, Error> {
        match self.listed.has_seed() {
            true => Ok(Self { seed, ..self }),
            false => {
                let seeded = names(formats().filter(|format| format.has_seed()));
                Err(self.wrong(Error::argument(format_args!("has no seed; {seeded} has"))))
            }
        }
    }

    /// Returns true if the bytes of filters state the encoding of their keys.
    pub(crate) fn states_encoding(&self) -> bool {
        self.listed
            .kind()
            .is_some_and(|kind| kind.form() == Form::Envelope)
    }

    /// Returns an error for bytes without a header that are no filter of the format. Kinds read their own headers.
    pub(crate) fn check_bare(&self, bytes: &[u8]) -> Result<()> {
        match self.listed {
            World::Policy(format) => policies::check_bare(format, bytes),
            World::Kind(_) => Ok(()),
        }
    }

    /// Returns the bytes of a filter for a file without a header. Readers refuse what some policies write for no keys,
    /// because it could be a file that was cut.
    pub(crate) fn bare(&self, stored: Vec<u8>) -> Vec<u8> {
        match self.check_bare(&stored) {
            Ok(()) => stored,
            Err(_) => MATCHES_EVERYTHING.to_vec(),
        }
    }

    /// Returns the function that hashes keys for filters of the format.
    pub(crate) fn hasher(&self) -> Result<Hasher> {
        match self.listed {
            World::Policy(_) => policies::hasher(self),
            World::Kind(kind) => kinds::hasher(kind, self),
        }
    }

    /// Opens a stored filter.
    pub(crate) fn open(&self, bytes: FilterData) -> Result<Loaded> {
        Ok(match self.listed {
            World::Policy(format) => World::Policy(policies::OpenedFilter::open(format, self, bytes)?),
            World::Kind(kind) => World::Kind(kinds::Kept::open(kind, self, bytes.as_ref())?),
        })
    }

    /// Plans a filter of this many different keys and of the size for `capacity` keys if that is given.
    pub(crate) fn plan(&self, keys: u64, capacity: Option<u64>, size: Size) -> Result<Plan<Unfinished>> {
        let plan = match self.listed {
            World::Policy(format) => {
                policies::plan(format, self, keys, capacity, size).map(|plan| plan.map(World::Policy))
            }
            World::Kind(kind) => {
                kinds::plan(kind, self, capacity.unwrap_or(keys), size).map(|plan| plan.map(World::Kind))
            }
        };
        plan.map_err(|reason| self.wrong(reason))
    }

    /// Calculates the filter of this many different keys, without building it.
    ///
    /// ```
    /// use filter_sets::{StoredFormat, Size};
    ///
    /// let sizing = StoredFormat::named("leveldb")?.sizing(45_402, Size::BitsPerKey(15.0))?;
    /// assert_eq!((sizing.bytes, sizing.probe_count), (85_130, Some(10)));
    /// let sizing = StoredFormat::named("cuckoo")?.sizing(1_000_000, Size::Rate(0.001))?;
    /// assert_eq!(sizing.bytes, 1_710_624);
    /// assert!(sizing.rate < 0.001);
    /// # Ok::<(), filter_sets::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](crate::Error::InvalidArgument) if no filter of the format has the size.
    pub fn sizing(&self, keys: u64, size: Size) -> Result<Sizing, Error> {
        self.sized(keys, None, size)
    }

    /// Returns the smallest capacity with which a filter of so many keys has at most this rate, up to some capacities
    /// that would suffice by chance; `None` if that is the number of keys, or if the format has no capacity.
    ///
    /// ```
    /// use filter_sets::{StoredFormat, Size};
    ///
    /// let guava = StoredFormat::named("guava")?;
    /// assert!(guava.sizing(4, Size::Rate(0.01))?.rate > 0.012);
    /// assert_eq!(guava.capacity_for_rate(4, 0.01), Some(7));
    /// # Ok::<(), filter_sets::Error>(())
    /// ```
    pub fn capacity_for_rate(&self, keys: u64, rate: f64) -> Option<u64> {
        let reaches = |capacity| {
            let sizing = self.sized(keys, Some(capacity), Size::Rate(rate));
            Some(sizing.ok()?.rate <= rate)
        };
        // By doubling, and then halving the distance.
        let (mut low, mut high) = (keys.max(1), keys.max(1));
        while !reaches(high)? {
            low = high + 1;
            high = high.checked_mul(2)?;
        }
        while low < high {
            let middle = low + (high - low) / 2;
            if reaches(middle)? {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        (high > keys).then_some(high)
    }

    /// Calculates the filter that [`plan`](Self::plan) plans. Its rate takes longer than all the rest.
    fn sized(&self, keys: u64, capacity: Option<u64>, size: Size) -> Result<Sizing> {
        match self.listed {
            World::Policy(format) => policies::sizing(format, self, keys, capacity, size),
            World::Kind(kind) => kinds::sizing(kind, self, keys, capacity, size),
        }
    }
}
