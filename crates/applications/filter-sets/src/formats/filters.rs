//! The filters of `membership-filters` as formats build, query and merge them: by the hashes of keys.

use std::fmt;
use std::io::{self, Write};

use membership_filters::backend::{Backend, Exclusive, Merge, Probed};
use membership_filters::envelope::{self, Stored};
use membership_filters::{
    BlockedBloomFilter, Bytes, CountingBloomFilter, CuckooFilter, Filter, RotatingFilter,
};
use membership_filters::{Hash128, HashId, Hashed, Hashing, guava, redisbloom, spark};

use crate::error::Error;
use crate::format::{AnyOpened, Fill, Filling, Opened, Result, StoredFormat, like};

/// Returns the bits of a hash that a format's hasher gives.
pub(super) fn wide(Hash128 { h1, h2 }: Hash128) -> u128 {
    u128::from(h1) << 64 | u128::from(h2)
}

/// Returns the hash of these bits.
fn of_wide(bits: u128) -> Hash128 {
    let (h1, h2) = ((bits >> 64) as u64, bits as u64);
    Hash128 { h1, h2 }
}

/// Returns the hash of these 64 bits.
fn of_narrow(bits: u128) -> Hash128 {
    let (h1, h2) = (bits as u64, 0);
    Hash128 { h1, h2 }
}

/// A filter of an application. Its constants and methods are those in which filters differ.
pub(super) trait ApplicationFilter: Stored + Clone {
    /// Makes a hash of the bits that the format's hasher gives.
    const OF_BITS: fn(u128) -> Hash128 = of_wide;

    /// Adds the keys of another filter, or returns the reason why two filters cannot be merged.
    const MERGE: fn(&mut Self, &Self) -> Result<()>;

    /// Returns the probe count of a filter, and whether it was chosen for a number of keys.
    const PROBES: fn(&Self) -> (Option<u32>, bool);

    fn put(&self, writer: &mut dyn Write) -> io::Result<()> {
        envelope::write_to(self, writer)
    }

    fn put_commands(&self, _key: &[u8], _writer: &mut dyn Write) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl<B: Exclusive, F: Hashing + Copy + PartialEq> Filling for Filter<B, F>
where
    Self: ApplicationFilter + Opened,
{
    fn add(&mut self, hashes: &[u128]) -> Result<()> {
        let funnel = *self.funnel();
        let hashes = hashes
            .iter()
            .map(|&bits| Hashed::assume(funnel, Self::OF_BITS(bits)));
        self.insert_many_hashed(&hashes.collect::<Vec<_>>())
            .map_err(Error::argument)
    }

    fn write(&self, writer: &mut dyn Write) -> io::Result<()> {
        self.put(writer)
    }

    fn write_commands(&self, key: &[u8], writer: &mut dyn Write) -> io::Result<()> {
        self.put_commands(key, writer)
    }

    fn rate(&self) -> f64 {
        self.expected_rate()
    }

    fn into_opened(self: Box<Self>, _format: &StoredFormat) -> Result<AnyOpened> {
        Ok(self)
    }
}

impl<B, F> Opened for Filter<B, F>
where
    Self: ApplicationFilter,
    B: Backend + Send + Sync + 'static,
    F: Hashing + Copy + PartialEq + Send + Sync + 'static,
{
    fn contains(&self, key: &[u8]) -> bool {
        let funnel = *self.funnel();
        self.contains_hashed(&Hashed::assume(funnel, funnel.hash_bytes(key)))
    }

    fn contains_many(&self, keys: &[&[u8]]) -> Vec<bool> {
        self.contains_many_bytes(keys.iter().copied())
    }

    fn rate(&self) -> f64 {
        self.expected_rate()
    }

    fn fill(&self) -> Option<Fill> {
        let (stats, (probe_count, has_chosen_probes)) = (self.stats(), Self::PROBES(self));
        Some(Fill {
            bits: stats.places,
            ones: stats.taken,
            probe_count,
            estimated_len: stats.len,
            has_chosen_probes,
        })
    }

    fn merge(&mut self, other: &dyn Opened) -> Result<()> {
        Self::MERGE(self, like(other)?)
    }

    fn write(&self, writer: &mut dyn Write) -> io::Result<()> {
        self.put(writer)
    }

    fn cloned(&self) -> AnyOpened {
        Box::new(self.clone())
    }
}

fn merge<B: Merge, F: PartialEq + fmt::Debug>(ours: &mut Filter<B, F>, theirs: &Filter<B, F>) -> Result<()> {
    ours.merge(theirs).map_err(Error::argument)
}

/// Returns the probe count that was chosen for a number of keys.
fn chosen<B: Probed, F>(filter: &Filter<B, F>) -> (Option<u32>, bool) {
    (Some(filter.probe_count()), true)
}

impl ApplicationFilter for guava::BloomFilter<Bytes> {
    const MERGE: fn(&mut Self, &Self) -> Result<()> = merge;

    const PROBES: fn(&Self) -> (Option<u32>, bool) = chosen;

    fn put(&self, writer: &mut dyn Write) -> io::Result<()> {
        self.write_guava(writer)
    }
}

impl ApplicationFilter for guava::BloomFilter<HashId> {
    const MERGE: fn(&mut Self, &Self) -> Result<()> = merge;

    const PROBES: fn(&Self) -> (Option<u32>, bool) = chosen;
}

impl ApplicationFilter for spark::BloomFilter {
    const OF_BITS: fn(u128) -> Hash128 = of_narrow;

    const MERGE: fn(&mut Self, &Self) -> Result<()> = merge;

    const PROBES: fn(&Self) -> (Option<u32>, bool) = chosen;

    fn put(&self, writer: &mut dyn Write) -> io::Result<()> {
        self.write_spark(writer)
    }
}

impl ApplicationFilter for BlockedBloomFilter<HashId> {
    const PROBES: fn(&Self) -> (Option<u32>, bool) = |filter| (Some(filter.probe_count()), false);

    const MERGE: fn(&mut Self, &Self) -> Result<()> = merge;
}

impl ApplicationFilter for RotatingFilter<HashId> {
    const PROBES: fn(&Self) -> (Option<u32>, bool) = |filter| (Some(filter.probe_count()), false);

    const MERGE: fn(&mut Self, &Self) -> Result<()> = merge;
}

impl ApplicationFilter for CountingBloomFilter<HashId> {
    const PROBES: fn(&Self) -> (Option<u32>, bool) = chosen;

    const MERGE: fn(&mut Self, &Self) -> Result<()> = |_, _| {
        Err(Error::argument(
            "counting filters cannot be merged: insert the keys of both into one",
        ))
    };
}

impl ApplicationFilter for CuckooFilter<HashId> {
    const PROBES: fn(&Self) -> (Option<u32>, bool) = |_| (None, false);

    const MERGE: fn(&mut Self, &Self) -> Result<()> = |_, _| {
        Err(Error::argument(
            "a cuckoo filter moves its fingerprints, so two cannot be merged",
        ))
    };
}

impl ApplicationFilter for redisbloom::BloomFilter {
    const PROBES: fn(&Self) -> (Option<u32>, bool) = |filter| {
        let mut links = filter.links();
        let only = links.next().filter(|_| links.next().is_none());
        (only.map(|link| link.probe_count), false)
    };

    const MERGE: fn(&mut Self, &Self) -> Result<()> = |_, _| {
        Err(Error::argument(
            "RedisBloom's filters count their keys, so two cannot be merged",
        ))
    };

    fn put(&self, writer: &mut dyn Write) -> io::Result<()> {
        self.write_redisbloom(writer)
    }

    fn put_commands(&self, key: &[u8], writer: &mut dyn Write) -> io::Result<()> {
        self.commands(key).try_for_each(|arguments| {
            write!(writer, "*{}\r\n", arguments.len())?;
            arguments.iter().try_for_each(|argument| {
                write!(writer, "${}\r\n", argument.len())?;
                writer.write_all(argument)?;
                writer.write_all(b"\r\n")
            })
        })
    }
}
