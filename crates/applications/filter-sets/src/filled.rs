//! Filters of both worlds: those that are being built, and those that are opened.

use std::io::{self, Write};

use crate::error::Error;
use crate::format::{Fill, GoOn, Hashes, Result, StoredFormat, World};
use crate::formats::kinds::Kept;
use crate::formats::policies::{Filled, OpenedFilter};

/// A filter that is being built from hash values.
pub(crate) type Unfinished = World<Filled, Kept>;

/// A stored filter, opened for queries and for merging with others of its format.
pub(crate) type Loaded = World<OpenedFilter, Kept>;

impl Unfinished {
    pub(crate) fn add(&mut self, hashes: Hashes<'_>) -> Result<()> {
        match self {
            Self::Policy(filter) => filter.add(hashes),
            Self::Kind(filter) => filter.add(hashes),
        }
    }

    /// Builds the filter of all its hash values with at most so many bytes of further memory. `go_on` gets the number of
    /// those that come next.
    pub(crate) fn fill(&mut self, all: Hashes<'_>, memory: u64, go_on: GoOn<'_>) -> Result<()> {
        match self {
            Self::Policy(filter) => filter.fill(all, go_on),
            Self::Kind(filter) => filter.fill_by(all, memory, go_on),
        }
    }

    /// Builds the filter of the hash values that were added.
    pub(crate) fn finish(&mut self) -> Result<()> {
        match self {
            Self::Policy(filter) => filter.finish(),
            Self::Kind(_) => Ok(()),
        }
    }

    /// Writes the stored form.
    pub(crate) fn write(&self, writer: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Policy(filter) => writer.write_all(filter.bytes()),
            Self::Kind(filter) => filter.write(writer),
        }
    }

    /// Writes the commands that load the filter into Redis under this key, if its format has them.
    pub(crate) fn write_commands(&self, key: &[u8], writer: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Policy(_) => Err(io::ErrorKind::Unsupported.into()),
            Self::Kind(filter) => filter.write_commands(key, writer),
        }
    }

    /// Returns the expected false-positive rate, which follows from the bits.
    pub(crate) fn rate(&self) -> f64 {
        match self {
            Self::Policy(filter) => filter.rate(),
            Self::Kind(filter) => filter.rate(),
        }
    }

    /// Returns the finished filter for queries, without a copy of its bits.
    pub(crate) fn load(self, format: &StoredFormat) -> Result<Loaded> {
        Ok(match self {
            Self::Policy(filter) => World::Policy(filter.open(format)?),
            Self::Kind(filter) => World::Kind(filter),
        })
    }
}

impl Loaded {
    pub(crate) fn contains(&self, key: &[u8]) -> bool {
        match self {
            Self::Policy(filter) => filter.contains(key),
            Self::Kind(filter) => filter.contains(key),
        }
    }

    pub(crate) fn contains_many(&self, keys: &[&[u8]]) -> Vec<bool> {
        match self {
            Self::Policy(filter) => filter.contains_many(keys),
            Self::Kind(filter) => filter.contains_many(keys),
        }
    }

    /// Returns the expected rate, which follows from the filter's bits or its parameters.
    pub(crate) fn rate(&self) -> f64 {
        match self {
            Self::Policy(filter) => filter.view().expected_rate(),
            Self::Kind(filter) => filter.rate(),
        }
    }

    /// Returns the fill of a filter, if its format shows it.
    pub(crate) fn fill(&self) -> Option<Fill> {
        match self {
            Self::Policy(filter) => filter.fill(),
            Self::Kind(filter) => Some(filter.fill()),
        }
    }

    /// Returns the number of bits.
    pub(crate) fn bits(&self) -> u64 {
        match self {
            Self::Policy(filter) => filter.view().bits(),
            Self::Kind(filter) => filter.bits(),
        }
    }

    /// Returns the filter if it takes keys.
    pub(crate) fn kept(&self) -> Option<&Kept> {
        match self {
            Self::Policy(_) => None,
            Self::Kind(filter) => Some(filter),
        }
    }

    /// Returns a filter that takes keys.
    pub(crate) fn changed(&mut self) -> Result<&mut Kept> {
        match self {
            Self::Policy(_) => {
                let reason = "takes and loses no keys: filters of engines are built from all keys at once";
                Err(Error::argument(reason))
            }
            Self::Kind(filter) => Ok(filter),
        }
    }

    /// Adds the keys of a filter of this type.
    pub(crate) fn merge(&mut self, other: &Self) -> Result<()> {
        match (self, other) {
            (Self::Policy(filter), Self::Policy(other)) => filter.merge(other),
            (Self::Kind(filter), Self::Kind(other)) => filter.merge(other),
            _ => Err(Error::argument("filters that are merged must have one format")),
        }
    }

    pub(crate) fn write(&self, writer: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Policy(filter) => writer.write_all(filter.bytes()),
            Self::Kind(filter) => filter.write(writer),
        }
    }
}
