//! The filters of `membership-filters` as rows build, query and merge them: by the hashes of keys.

use std::io::{self, Write};

use membership_filters::{BloomFilter, Bytes, CountingBloomFilter, CuckooFilter};
use membership_filters::{Hash128, HashId, Hashed, Hashing as _, envelope, guava, redisbloom, spark};

use crate::row::{Fill, Filling, Opened, Text, like, text};

/// Returns the bits of a hash that a row's hasher gives.
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

/// Implements the traits for filters, one a row: the functions that make a hash of the bits that the row's hasher
/// gives, merge another filter, return the fill, write the filter, and write its commands if it has any.
macro_rules! filters {
    ($($filter:ty: $of:expr, $merge:expr, $fill:expr, $write:expr $(, $commands:expr)?;)*) => {$(
        impl Filling for $filter {
            fn add(&mut self, hashes: &[u128]) -> Text<()> {
                let funnel = *self.funnel();
                let hashes = hashes.iter().map(|&bits| Hashed::assume(funnel, $of(bits)));
                self.insert_many_hashed(&hashes.collect::<Vec<_>>()).map_err(text)
            }

            fn write(&self, writer: &mut dyn Write) -> io::Result<()> {
                $write(self, writer)
            }

            $(fn write_commands(&self, key: &[u8], writer: &mut dyn Write) -> io::Result<()> {
                $commands(self, key, writer)
            })?

            fn rate(&self) -> f64 {
                self.expected_rate()
            }
        }

        impl Opened for $filter {
            fn contains(&self, key: &[u8]) -> bool {
                let funnel = *self.funnel();
                self.contains_hashed(&Hashed::assume(funnel, funnel.hash_bytes(key)))
            }

            fn contains_many(&self, keys: &[&[u8]]) -> Vec<bool> {
                let funnel = *self.funnel();
                let hashes = keys.iter().map(|key| Hashed::assume(funnel, funnel.hash_bytes(key)));
                self.contains_many_hashed(&hashes.collect::<Vec<_>>())
            }

            fn rate(&self) -> f64 {
                self.expected_rate()
            }

            fn fill(&self) -> Option<Fill> {
                $fill(self)
            }

            fn merge(&mut self, other: &dyn Opened) -> Text<()> {
                $merge(self, like(other)?).map_err(text)
            }

            fn write(&self, writer: &mut dyn Write) -> io::Result<()> {
                $write(self, writer)
            }
        }
    )*};
}

/// Returns the fill of a filter that has these methods.
macro_rules! fill {
    () => {
        |filter: &Self| {
            Some(Fill {
                bits: filter.bits(),
                ones: filter.ones(),
                probe_count: filter.probe_count(),
                estimated_len: filter.estimated_len(),
            })
        }
    };
}

filters! {
    guava::BloomFilter<Bytes>: of_wide, Self::merge, fill!(), Self::write_guava;
    guava::BloomFilter<HashId>: of_wide, Self::merge, fill!(), envelope::write_to;
    BloomFilter<HashId>: of_wide, Self::merge, |_| None, envelope::write_to;
    CountingBloomFilter<HashId>: of_wide,
        refused("counting filters cannot be merged: insert the keys of both into one"), |_| None, envelope::write_to;
    CuckooFilter<HashId>: of_wide,
        refused("a cuckoo filter moves its fingerprints, so two cannot be merged"), |_| None, envelope::write_to;
    redisbloom::BloomFilter: of_wide,
        refused("RedisBloom's filters count their keys, so two cannot be merged"), |_| None, Self::write_redisbloom,
        write_commands;
    spark::BloomFilter: of_narrow, Self::merge, fill!(), Self::write_spark;
}

/// Returns the merging of filters that cannot be merged.
fn refused<F>(reason: &'static str) -> impl Fn(&mut F, &F) -> Result<(), &'static str> {
    move |_, _| Err(reason)
}

fn write_commands(filter: &redisbloom::BloomFilter, key: &[u8], writer: &mut dyn Write) -> io::Result<()> {
    filter.commands(key).try_for_each(|arguments| {
        write!(writer, "*{}\r\n", arguments.len())?;
        arguments.iter().try_for_each(|argument| {
            write!(writer, "${}\r\n", argument.len())?;
            writer.write_all(argument)?;
            writer.write_all(b"\r\n")
        })
    })
}
