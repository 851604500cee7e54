//! The filters of applications, which `membership_filters::kinds` lists.

use std::io::{self, Write};

use membership_filters::kinds::{AnyFilter, AnyKind, PlannedFilter};
use membership_filters::{Hash128, HashId, Hashing as _, Load};

use crate::error::Error;
use crate::format::{BATCH, Fill, GoOn, Hasher, Hashes, Plan, Result, Size, Sizing, StoredFormat};

/// Returns the hash of the keys of a format's filters.
fn hash_id(kind: &dyn AnyKind, format: &StoredFormat) -> Result<HashId> {
    kind.hash_id(format.encoding, format.seed)
        .map_err(Error::of_filter)
}

/// Plans the filter of a size for this many keys.
fn planned(kind: &dyn AnyKind, format: &StoredFormat, capacity: u64, size: Size) -> Result<PlannedFilter> {
    let plan = kind.plan(hash_id(kind, format)?, capacity.max(1), size);
    plan.map_err(Error::of_filter)
}

pub(super) fn hasher(kind: &dyn AnyKind, format: &StoredFormat) -> Result<Hasher> {
    let (hash, is_narrow) = (hash_id(kind, format)?, kind.hash_bits() == 64);
    Ok(Hasher {
        is_narrow,
        hash: Box::new(move |key| {
            let Hash128 { h1, h2 } = hash.hash_bytes(key);
            Some(match is_narrow {
                true => h1.into(),
                false => u128::from(h1) << 64 | u128::from(h2),
            })
        }),
    })
}

pub(super) fn plan(
    kind: &'static dyn AnyKind,
    format: &StoredFormat,
    capacity: u64,
    size: Size,
) -> Result<Plan<Kept>> {
    let plan = planned(kind, format, capacity, size)?;
    Ok(Plan {
        memory: plan.stored_len,
        memory_at_once: plan.stored_len,
        make: Box::new(move || {
            let filter = plan.make().map_err(Error::of_filter)?;
            Ok(Kept { kind, filter })
        }),
        rate: None,
    })
}

pub(super) fn sizing(
    kind: &dyn AnyKind,
    format: &StoredFormat,
    keys: u64,
    capacity: Option<u64>,
    size: Size,
) -> Result<Sizing> {
    let plan = planned(kind, format, capacity.unwrap_or(keys), size)?;
    Ok(Sizing {
        bytes: plan.stored_len,
        bits_per_key: None,
        next_bits_per_key: None,
        probe_count: plan.probe_count,
        rate: plan.rate(keys.max(1)),
    })
}

/// A filter in memory, and its kind.
pub(crate) struct Kept {
    kind: &'static dyn AnyKind,
    filter: Box<dyn AnyFilter>,
}

impl Kept {
    pub(super) fn open(kind: &'static dyn AnyKind, format: &StoredFormat, bytes: &[u8]) -> Result<Self> {
        let filter = kind
            .open(hash_id(kind, format)?, bytes)
            .map_err(Error::of_filter)?;
        Ok(Self { kind, filter })
    }

    fn insert_hashes(&mut self, hashes: Hashes<'_>, go_on: GoOn<'_>) -> Result<()> {
        match hashes {
            Hashes::Narrow(hashes) => self.insert_all(hashes.iter().map(|&h1| Hash128 { h1, h2: 0 }), go_on),
            Hashes::Wide(hashes) => {
                let parts = |&bits: &u128| Hash128 {
                    h1: (bits >> 64) as u64,
                    h2: bits as u64,
                };
                self.insert_all(hashes.iter().map(parts), go_on)
            }
        }
    }

    fn insert_all(&mut self, hashes: impl ExactSizeIterator<Item = Hash128>, go_on: GoOn<'_>) -> Result<()> {
        let (index, stopped) = (0, Ok(()));
        let mut hashes = Stoppable {
            hashes,
            index,
            go_on,
            stopped,
        };
        let inserted = self.filter.insert_hashes(&mut hashes);
        hashes.stopped.and(inserted.map_err(Error::of_filter))
    }
}

/// Hashes that announce their number, unlike those of `map_while`. If the user wishes a stop, they end before, and the
/// filter is of no use.
struct Stoppable<'a, I> {
    hashes: I,
    index: usize,
    go_on: GoOn<'a>,
    stopped: Result<()>,
}

impl<I: ExactSizeIterator> Iterator for Stoppable<'_, I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        if self.index.is_multiple_of(BATCH) && self.stopped.is_ok() {
            self.stopped = (self.go_on)(self.hashes.len().min(BATCH) as u64);
        }
        self.index += 1;
        self.stopped.is_ok().then(|| self.hashes.next()).flatten()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.hashes.size_hint()
    }
}

impl Kept {
    pub(crate) fn add(&mut self, hashes: Hashes<'_>) -> Result<()> {
        self.insert_hashes(hashes, &|_| Ok(()))
    }

    /// Inserts all hash values with at most so many bytes of further memory.
    pub(crate) fn fill_by(&mut self, all: Hashes<'_>, memory: u64, go_on: GoOn<'_>) -> Result<()> {
        // All hashes together need half of a large filter's size in memory.
        let at_once = if self.filter.bits() / 16 <= memory {
            all.len().max(1)
        } else {
            BATCH
        };
        all.batches(at_once)
            .try_for_each(|hashes| self.insert_hashes(hashes, go_on))
    }

    pub(crate) fn write_commands(&self, key: &[u8], writer: &mut dyn Write) -> io::Result<()> {
        let commands = self.filter.commands(key);
        let mut commands = commands.ok_or(io::ErrorKind::Unsupported)?;
        commands.try_for_each(|arguments| {
            write!(writer, "*{}\r\n", arguments.len())?;
            arguments.iter().try_for_each(|argument| {
                write!(writer, "${}\r\n", argument.len())?;
                writer.write_all(argument)?;
                writer.write_all(b"\r\n")
            })
        })
    }

    pub(crate) fn contains(&self, key: &[u8]) -> bool {
        self.filter.contains(key)
    }

    pub(crate) fn contains_many(&self, keys: &[&[u8]]) -> Vec<bool> {
        self.filter.contains_many(keys)
    }

    pub(crate) fn rate(&self) -> f64 {
        self.filter.stats().expected_rate
    }

    pub(crate) fn load(&self) -> Option<Load> {
        self.filter.load()
    }

    pub(crate) fn rate_at(&self, keys: u64) -> f64 {
        self.filter.rate_at(keys)
    }

    pub(crate) fn fill(&self) -> Fill {
        let stats = self.filter.stats();
        Fill {
            bits: stats.places,
            ones: stats.taken,
            probe_count: stats.probe_count,
            estimated_len: stats.len,
            has_chosen_probes: stats.is_probe_count_chosen,
        }
    }

    pub(crate) fn bits(&self) -> u64 {
        self.filter.bits()
    }

    pub(crate) fn insert(&mut self, key: &[u8]) -> Result<bool> {
        self.filter.insert(key).map_err(Error::of_filter)
    }

    pub(crate) fn insert_many(&mut self, keys: &[&[u8]]) -> Result<()> {
        self.filter.insert_many(keys).map_err(Error::of_filter)
    }

    pub(crate) fn remove(&mut self, key: &[u8]) -> Result<bool> {
        self.filter.remove(key).map_err(Error::of_filter)
    }

    pub(crate) fn rotate(&mut self) -> Result<()> {
        self.filter.rotate().map_err(Error::of_filter)
    }

    pub(crate) fn clear(&mut self) {
        self.filter.clear();
    }

    pub(crate) fn set_encoding(&mut self, format: &StoredFormat) -> Result<bool> {
        Ok(self.filter.set_hash_id(hash_id(self.kind, format)?))
    }

    pub(crate) fn merge(&mut self, other: &Self) -> Result<()> {
        self.filter.merge(&*other.filter).map_err(Error::of_filter)
    }

    pub(crate) fn write(&self, writer: &mut dyn Write) -> io::Result<()> {
        self.filter.write_to(self.kind.form(), writer)
    }
}

impl Clone for Kept {
    fn clone(&self) -> Self {
        let (kind, filter) = (self.kind, self.filter.copy());
        Self { kind, filter }
    }
}
