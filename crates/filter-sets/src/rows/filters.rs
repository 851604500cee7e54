//! The filters of `membership-filters` as rows build, query and merge them: by the hashes of keys.

use std::io::{self, Write};

use membership_filters::spark::{self, HashPair};
use membership_filters::{BlockedBloomFilter, BloomFilter, Bytes, CountingBloomFilter, CuckooFilter};
use membership_filters::{Hash128, HashId, Hashed, Hashing as _, RedisBloomFilter, RedisBloomHash, envelope};

use crate::row::{Fill, Filling, Opened, Text, like, text};

/// Implements the traits for a filter, with the writer of its commands if it has one. `$of` makes a hash of the bits that the row's hasher gives, and `$hash` that of a
/// key; `$insert` and `$ask` take many hashes.
macro_rules! filter {
    (
        $filter:ty, $of:expr, $hash:expr, $contains:expr,
        $insert:expr, $ask:expr, $merge:expr, $rate:expr, $fill:expr, $write:expr $(, $commands:item)?
    ) => {
        impl Filling for $filter {
            fn add(&mut self, hashes: &[u128]) -> Text<()> {
                let hashes: Vec<_> = hashes.iter().map(|&hash| $of(self, hash)).collect();
                $insert(self, &hashes)
            }

            fn write(&self, writer: &mut dyn Write) -> io::Result<()> {
                $write(self, writer)
            }

            $($commands)?

            fn rate(&self) -> f64 {
                $rate(self)
            }
        }

        impl Opened for $filter {
            fn contains(&self, key: &[u8]) -> bool {
                $contains(self, $hash(self, key))
            }

            fn contains_many(&self, keys: &[&[u8]]) -> Vec<bool> {
                let hashes: Vec<_> = keys.iter().map(|key| $hash(self, key)).collect();
                $ask(self, &hashes)
            }

            fn rate(&self) -> f64 {
                $rate(self)
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
    };
}

/// Those whose keys a funnel hashes.
macro_rules! funnelled {
    ($filter:ident<$funnel:ty>, $($rest:expr),*) => {
        filter!(
            $filter<$funnel>,
            |filter: &Self, hash: u128| {
                let (h1, h2) = ((hash >> 64) as u64, hash as u64);
                Hashed::assume(*filter.funnel(), Hash128 { h1, h2 })
            },
            |filter: &Self, key| Hashed::assume(*filter.funnel(), filter.funnel().hash_id().hash(key)),
            |filter: &Self, hash| filter.contains_hashed(&hash),
            $($rest),*
        );
    };
}

/// Those that fetch memory ahead for many keys.
macro_rules! batched {
    ($filter:ident<$funnel:ty>, $rate:expr, $fill:expr, $write:expr) => {
        funnelled!(
            $filter<$funnel>,
            |filter: &mut Self, hashes: &[_]| filter.insert_many_hashed(hashes).map(drop).map_err(text),
            |filter: &Self, hashes: &[_]| filter.contains_many_hashed(hashes),
            Self::merge,
            $rate,
            $fill,
            $write
        );
    };
}

/// Those that take keys one by one.
macro_rules! single {
    ($filter:ident, $merge:expr) => {
        funnelled!(
            $filter<HashId>,
            |filter: &mut Self, hashes: &[_]| {
                let mut hashes = hashes.iter();
                hashes.try_for_each(|hash| filter.insert_hashed(hash).map(drop).map_err(text))
            },
            |filter: &Self, hashes: &[_]| {
                let hashes = hashes.iter();
                hashes.map(|hash| filter.contains_hashed(hash)).collect()
            },
            $merge,
            |filter: &Self| filter.stats().expected_rate,
            |_| None,
            envelope::write_to
        );
    };
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

batched!(BloomFilter<Bytes>, Self::expected_rate, fill!(), Self::write_to);
batched!(
    BloomFilter<HashId>,
    Self::expected_rate,
    fill!(),
    envelope::write_to
);
batched!(
    BlockedBloomFilter<HashId>,
    |filter: &Self| filter.stats().expected_rate,
    |_| None,
    envelope::write_to
);
single!(CountingBloomFilter, |_: &mut Self, _: &Self| Err(
    "counting filters cannot be merged: insert the keys of both into one"
));
single!(CuckooFilter, |_: &mut Self, _: &Self| Err(
    "a cuckoo filter moves its fingerprints, so two cannot be merged"
));
filter!(
    RedisBloomFilter,
    |_: &Self, hash| RedisBloomHash(hash),
    |_: &Self, key| RedisBloomHash::of(key),
    Self::contains_hashed,
    |filter: &mut Self, hashes: &[_]| filter.insert_many_hashed(hashes).map(drop).map_err(text),
    |filter: &Self, hashes: &[_]| filter.contains_many_hashed(hashes),
    |_: &mut Self, _: &Self| Err("RedisBloom's filters count their keys, so two cannot be merged"),
    Self::expected_rate,
    |_| None,
    |filter: &Self, writer: &mut dyn Write| {
        let mut chunks = filter.chunks();
        chunks.try_for_each(|(_, bytes)| writer.write_all(&bytes))
    },
    fn write_commands(&self, key: &[u8], writer: &mut dyn Write) -> io::Result<()> {
        self.chunks().try_for_each(|(iterator, bytes)| {
            let iterator = iterator.to_string();
            writer.write_all(b"*4\r\n")?;
            [b"BF.LOADCHUNK", key, iterator.as_bytes(), &bytes]
                .iter()
                .try_for_each(|argument| {
                    write!(writer, "${}\r\n", argument.len())?;
                    writer.write_all(argument)?;
                    writer.write_all(b"\r\n")
                })
        })
    }
);
filter!(
    spark::BloomFilter,
    |filter: &Self, hash: u128| {
        let [h1, h2] = [hash >> 32, hash].map(|half| (half as u32).cast_signed());
        HashPair::assume(h1, h2, filter.seed())
    },
    |filter: &Self, key| HashPair::of(key, filter.seed()),
    Self::contains_hashed,
    |filter: &mut Self, hashes: &[_]| filter.insert_many_hashed(hashes).map(drop).map_err(text),
    |filter: &Self, hashes: &[_]| filter.contains_many_hashed(hashes),
    Self::merge,
    Self::expected_rate,
    fill!(),
    Self::write_to
);
