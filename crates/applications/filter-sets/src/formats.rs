//! The list of stored formats.

mod kinds;
mod policies;

use filter_policy::formats as engines;
use membership_filters::kinds as applications;

use crate::error::Error;
use crate::format::{FormatOperations, Result, StoredFormat};

/// Returns all stored formats: those of `filter_policy::formats::ALL` and `membership_filters::kinds::ALL`.
pub(crate) fn formats() -> impl Iterator<Item = &'static dyn FormatOperations> {
    let policies = engines::ALL.iter().map(|format| format as &dyn FormatOperations);
    let kinds = applications::ALL.iter().map(|kind| kind as &dyn FormatOperations);
    policies.chain(kinds)
}

/// Returns the first short name of each of these formats.
pub(crate) fn names(of: impl Iterator<Item = &'static dyn FormatOperations>) -> String {
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
        Ok(named.operations.recognise(head, len).unwrap_or(named))
    }

    /// Returns another format whose filters alone have these bytes, of a filter without a header.
    pub(crate) fn contradicted(&self, bytes: &[u8]) -> Option<Self> {
        let others = formats().filter(|format| format.name() != self.operations.name());
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
        match self.operations.has_seed() {
            true => Ok(Self { seed, ..self }),
            false => {
                let seeded = names(formats().filter(|format| format.has_seed()));
                Err(self.wrong(Error::argument(format_args!("has no seed; {seeded} has"))))
            }
        }
    }
}
