//! Changes filters in memory: inserts and removes keys, and merges filters.

use std::sync::OnceLock;

use membership_filters::Encoding;

use crate::error::{Error, ensure};
use crate::filter::{Stated, StoredFilter, slices};
use crate::format::{Size, StoredFormat};
use crate::formats::kinds::Kept;
use crate::header::{Header, check_key_kind};
use crate::key::{SetKey, encoding_of, kind_of};
use crate::manifest::SHARD_SEED;

/// Changes of a filter whose format [takes keys](StoredFormat::takes_keys).
impl StoredFilter {
    /// Makes an empty filter of this size for so many keys. Its header states the kind of key of the format's
    /// [encoding](StoredFormat::encoding).
    ///
    /// ```
    /// use filter_sets::{Size, StoredFilter, StoredFormat};
    ///
    /// let mut seen = StoredFilter::new(StoredFormat::named("guava")?, 1_000, Size::Rate(0.01))?;
    /// assert!(seen.insert("apple")?, "it was certainly absent");
    /// seen.insert_many(["banana", "cherry"])?;
    /// assert!(seen.contains("apple") && !seen.contains("date"));
    ///
    /// let read = StoredFilter::from_bytes(None, seen.to_bytes())?;
    /// assert!(read.contains("cherry"));
    /// # Ok::<(), filter_sets::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) if the size does not suit the format, or filters of the format are
    /// [built](crate::Builder::in_memory) from all keys at once.
    pub fn new(format: StoredFormat, capacity: u64, size: Size) -> Result<Self, Error> {
        ensure(format.takes_keys(), || {
            format!(
                "{}: filters of this format are built from all keys at once",
                format.name()
            )
        })?;
        let filling = (format.plan(capacity, Some(capacity), size)?.make)()?;
        let stored = filling.load(&format)?;
        let mut filter = Self {
            format,
            header: None,
            stored,
        };
        filter.state_keys(kind_of(filter.format.encoding), 0)?;
        filter.change_header(|header| *header = header.clone().made_for(capacity, size));
        Ok(filter)
    }

    /// Inserts a key. True means that it was certainly absent.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) if the filter has keys of another [form](SetKey), takes no keys, or is
    /// full. The filter is then as it was.
    pub fn insert<'k>(&mut self, key: impl Into<SetKey<'k>>) -> Result<bool, Error> {
        let key = key.into().inserted(self.format.encoding);
        let key = key.map_err(|reason| self.format.wrong(reason))?;
        let is_new = self
            .stored
            .changed()
            .and_then(|filter| filter.insert(key.as_ref()));
        let is_new = is_new.map_err(|reason| self.format.wrong(reason))?;
        self.restate(|header| header.keys = header.keys.saturating_add(1));
        Ok(is_new)
    }

    /// Inserts keys in order, faster than one by one. If a key is refused, those before it are inserted.
    ///
    /// # Errors
    ///
    /// Those of [`insert`](Self::insert). If a key has another form, none is inserted.
    pub fn insert_many<'k, K: Into<SetKey<'k>>>(
        &mut self,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<(), Error> {
        let encoding = self.format.encoding;
        let keys = keys
            .into_iter()
            .map(|key| key.into().inserted(encoding).map(Some));
        let keys: Vec<_> = keys
            .collect::<Result<_, _>>()
            .map_err(|reason| self.format.wrong(reason))?;
        self.insert_encoded(&slices(&keys))
    }

    /// Inserts keys as [`insert_many`](Self::insert_many) does that are [encoded](SetKey::Encoded) already and lie in a
    /// slice, in less time. Nobody checks that they have the length of encoded keys.
    ///
    /// # Errors
    ///
    /// Those of [`insert`](Self::insert), but for the form of keys.
    pub fn insert_encoded(&mut self, keys: &[&[u8]]) -> Result<(), Error> {
        let done = self.stored.changed().and_then(|filter| filter.insert_many(keys));
        if self.format.takes_keys() {
            self.restate(|header| header.keys = header.keys.saturating_add(keys.len() as u64));
        }
        done.map_err(|reason| self.format.wrong(reason))
    }

    /// Removes one copy of a key if it looks present, of counting and cuckoo filters. Returns whether it did. Remove only
    /// keys that were inserted: others that look present take bits of keys that are there, which are missing from then on.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) if the filter has keys of another [form](SetKey), or none can be removed.
    pub fn remove<'k>(&mut self, key: impl Into<SetKey<'k>>) -> Result<bool, Error> {
        let key = key.into().inserted(self.format.encoding);
        let key = key.map_err(|reason| self.format.wrong(reason))?;
        let was_there = self
            .stored
            .changed()
            .and_then(|filter| filter.remove(key.as_ref()));
        let was_there = was_there.map_err(|reason| self.format.wrong(reason))?;
        self.restate(|header| header.keys = header.keys.saturating_sub(u64::from(was_there)));
        Ok(was_there)
    }

    /// Removes the oldest generation of keys, of rotating filters.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) if keys of the filter do not age.
    pub fn rotate(&mut self) -> Result<(), Error> {
        self.stored
            .changed()
            .and_then(Kept::rotate)
            .map_err(|reason| self.format.wrong(reason))?;
        // The number of keys stays as an upper bound.
        self.restate(|_| {});
        Ok(())
    }

    /// Removes all keys.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) if the filter takes no keys.
    pub fn clear(&mut self) -> Result<(), Error> {
        self.stored
            .changed()
            .map(Kept::clear)
            .map_err(|reason| self.format.wrong(reason))?;
        self.restate(|header| header.keys = 0);
        Ok(())
    }

    /// Gives the filter a header, or changes what it states: the kind of key, as for
    /// [`Builder::key_kind`](crate::Builder::key_kind), and the number of different keys.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) for a name that no kind has, and for a kind of another encoding than that
    /// of the keys that are in the filter.
    pub fn state_keys(&mut self, key_kind: &str, keys: u64) -> Result<(), Error> {
        check_key_kind(key_kind)?;
        let had = self.format.encoding;
        let encoding = encoding_of(key_kind).unwrap_or(match kind_of(had) {
            "line" => had,
            _ => Encoding::BYTES,
        });
        if encoding != had {
            let format = self.format.clone().encoding(encoding);
            let is_set = self
                .stored
                .changed()
                .map_or(Ok(false), |filter| filter.set_encoding(&format));
            ensure(is_set.map_err(|reason| self.format.wrong(reason))?, || {
                format!(
                    "the kind of keys that are {had} must be {:?}, got {key_kind:?}",
                    kind_of(had)
                )
            })?;
            self.format = format;
        }
        let header = self.stated().cloned().unwrap_or_else(|| Header {
            format: self.format.name().to_owned(),
            key_kind: String::new(),
            seed: SHARD_SEED,
            shard: 0,
            shards: 1,
            bytes: 0,
            keys: 0,
            sha256: String::new(),
            rate: None,
            capacity: None,
            wanted_rate: None,
        });
        self.header = Some(Stated {
            of: Header {
                key_kind: key_kind.to_owned(),
                keys,
                ..header
            },
            sealed: OnceLock::new(),
        });
        Ok(())
    }

    /// States the number of keys and the rate that another header states that the filter was made for, and at least as many
    /// keys as that one.
    pub fn state_made_for(&mut self, other: &Self) {
        if let Some(stated) = other.stated() {
            self.change_header(|header| {
                (header.capacity, header.wanted_rate) = (stated.capacity, stated.wanted_rate);
                header.keys = header.keys.max(stated.keys);
            });
        }
    }

    /// Changes the header of a filter whose bytes changed.
    fn restate(&mut self, change: impl FnOnce(&mut Header)) {
        self.change_header(|header| {
            change(header);
            header.rate = None;
        });
    }

    fn change_header(&mut self, change: impl FnOnce(&mut Header)) {
        if let Some(Stated { of, sealed }) = &mut self.header {
            change(of);
            sealed.take();
        }
    }
}

/// Merging.
impl StoredFilter {
    /// Adds the keys of another filter to this one. The filters must have equal formats, kinds of keys, sizes, probe
    /// counts, and so on; `FORMAT.md` lists the formats that can be merged. The result counts a key twice if both have it.
    ///
    /// ```
    /// use filter_sets::{Builder, Size, StoredFormat};
    ///
    /// // Equal capacities make equal sizes.
    /// let builder = Builder::new(StoredFormat::named("blocked")?, Size::Rate(0.01)).capacity(100);
    /// let of = |fruit| {
    ///     let mut building = builder.in_memory()?;
    ///     building.insert(fruit)?;
    ///     building.finish(&|_| true)
    /// };
    /// let mut both = of("apple")?;
    /// both.merge(&of("banana")?)?;
    /// assert!(both.contains("apple") && both.contains("banana"));
    /// # Ok::<(), filter_sets::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) with the difference, or for a format that cannot be merged. The filter
    /// is then as it was.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        let alike = |filter: &Self| match filter.stated() {
            Some(Header {
                format,
                key_kind,
                shard,
                shards,
                ..
            }) => {
                let of_set = match shards {
                    1 => String::new(),
                    _ => format!(", shard {shard} of {shards}"),
                };
                format!("{format} with keys as {key_kind}{of_set}")
            }
            None => format!(
                "{} without a header, {}",
                filter.format.name(),
                filter.format.encoding
            ),
        };
        let (expected, got) = (alike(self), alike(other));
        ensure(expected == got, || {
            format!("filters that are merged must be alike, {expected}, got {got}")
        })?;
        self.stored.merge(&other.stored)?;
        let others = other.key_count().unwrap_or(0);
        self.restate(|header| header.keys = header.keys.saturating_add(others));
        Ok(())
    }
}
