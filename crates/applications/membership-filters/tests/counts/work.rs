//! The work whose instructions are counted: every way to fill a filter, to query it and to store it, for every kind, each in
//! its own call of [`counted`].
//!
//! It prints a line for each call, in order: kind, size of the filter, keys, way, and the number of keys, or of KiB that are
//! stored or merged. `main.rs` builds it as a program of its own, as a user's release build would, and runs it under valgrind.
//! Seeds are fixed, so every run does the same work. With the argument `kernels`, it runs only kinds whose bits kernels test.
#![forbid(unsafe_code)]

use core::hint::black_box;
use std::io::{self, Write};

use membership_filters::guava::{self, Strategy};
use membership_filters::redisbloom::{self, BloomFilter as RedisBloomFilter};
use membership_filters::spark::{self, Version};
use membership_filters::{
    BlockedBloomFilter, Bytes, ConcurrentBlockedBloomFilter, CountingBloomFilter, CuckooFilter, Hash128,
    Integer, Long, Parameters, RotatingFilter, Sequence, Utf8, Utf16, Utf16Units, Xxph3,
};

#[path = "../../../../filters/filter-policy/tests/counts/random.rs"]
mod random;

use person::{Person, PersonFunnel};
use random::Random;

type Done = Result<(), Box<dyn std::error::Error>>;

/// Keys that are inserted, and queries.
const KEYS: usize = 1024;
/// Keys that a large filter has before.
const OTHERS: usize = 100_000;
/// Filters up to this size are queried in batches by other code than larger ones.
const SMALL_BYTES: u64 = 256 << 10;
const RATE: f64 = 0.01;

/// A funnel as users write them.
mod person {
    use membership_filters::{Encoding, Funnel, Hashing, KeyBytes, Murmur3};

    pub(crate) struct Person {
        pub(crate) id: i32,
        pub(crate) name: String,
    }

    #[derive(Debug, Clone, Copy, PartialEq)]
    pub(crate) struct PersonFunnel;

    impl Hashing for PersonFunnel {
        type Function = Murmur3;

        fn encoding(&self) -> Encoding {
            Encoding::custom("example.Person 1")
        }
    }

    impl Funnel<Person> for PersonFunnel {
        fn with_bytes<R>(&self, person: &Person, then: impl FnOnce(&[u8]) -> R) -> R {
            let mut bytes = KeyBytes::new();
            bytes.put_i32(person.id);
            bytes.put_str(&person.name);
            then(&bytes)
        }
    }
}

/// The call that starts and ends counting. It is not inlined, so that it keeps its symbol.
#[inline(never)]
fn counted(work: &mut dyn FnMut()) {
    work();
}

/// Random text, one key after the other.
struct Text {
    all: String,
    lengths: Vec<usize>,
}

impl Text {
    /// Returns keys of 16 bytes, or of 4 to 40.
    fn random(random: &mut Random, count: usize, is_16: bool) -> Self {
        let mut all = String::with_capacity(40 * count);
        let mut key = |_| {
            let len = if is_16 {
                16
            } else {
                4 + (random.next() % 37) as usize
            };
            all.extend((0..len).map(|_| char::from(b' ' + (random.next() % 95) as u8)));
            len
        };
        let lengths = (0..count).map(&mut key).collect();
        Self { all, lengths }
    }

    fn slices(&self) -> Vec<&str> {
        let mut rest = &self.all[..];
        let mut next = |&len: &usize| {
            let (key, others) = rest.split_at(len);
            rest = others;
            key
        };
        self.lengths.iter().map(&mut next).collect()
    }
}

/// The keys of a filter.
struct Keys<T> {
    stored: Vec<T>,
    absent: Vec<T>,
    /// The keys that the filter has before those that are counted: many in a large filter, none in others.
    others: Vec<T>,
}

impl<T> Keys<T> {
    /// Returns keys that are made of these and of random numbers.
    fn map<'a, K>(&'a self, key: impl Fn(&'a T, u64) -> K) -> Keys<K> {
        let mut random = Random(2);
        let mut map = |keys: &'a [T]| keys.iter().map(|part| key(part, random.next())).collect();
        Keys {
            stored: map(&self.stored),
            absent: map(&self.absent),
            others: map(&self.others),
        }
    }

    fn is_large(&self) -> bool {
        !self.others.is_empty()
    }

    /// Returns the number of keys that the filter is for.
    fn capacity(&self) -> u64 {
        if self.is_large() { 1 << 18 } else { KEYS as u64 }
    }
}

/// Counts and prints.
struct Counter<'a> {
    out: &'a mut dyn Write,
    /// The size of the filter and the lengths of keys.
    keys: &'a str,
}

impl Counter<'_> {
    fn keys(&mut self, kind: &str, way: &str, mut work: impl FnMut()) -> io::Result<()> {
        counted(&mut work);
        writeln!(self.out, "{kind},{},{way},{KEYS}", self.keys)
    }

    fn bytes(&mut self, kind: &str, way: &str, bytes: u64, mut work: impl FnMut()) -> io::Result<()> {
        counted(&mut work);
        writeln!(self.out, "{kind},{},{way},{}", self.keys, bytes as f64 / 1024.0)
    }
}

/// Counts the ways of a kind that take one key. This and those below are macros because no public trait has the methods of
/// all kinds.
macro_rules! count_single_calls {
    ($counter:ident, $kind:expr, $keys:expr, $new:expr) => {
        let (filter, other) = (&mut $new, &mut $new);
        $counter.keys($kind, "insert", || {
            for key in &$keys.stored {
                let _new = black_box(filter.insert(*key));
            }
        })?;
        $counter.keys($kind, "contains absent", || {
            for key in &$keys.absent {
                black_box(filter.contains(*key));
            }
        })?;
        $counter.keys($kind, "contains present", || {
            for key in &$keys.stored {
                black_box(filter.contains(*key));
            }
        })?;
        $counter.keys($kind, "hash", || {
            for key in &$keys.stored {
                black_box(filter.hash(*key));
            }
        })?;
        let hashes = $keys.stored.iter().map(|key| filter.hash(*key));
        let hashes: Vec<_> = hashes.collect();
        $counter.keys($kind, "insert_hashed", || {
            for hash in &hashes {
                black_box(other.insert_hashed(hash).is_ok());
            }
        })?;
        let hashes = $keys.absent.iter().map(|key| filter.hash(*key));
        let hashes: Vec<_> = hashes.collect();
        $counter.keys($kind, "contains_hashed", || {
            for hash in &hashes {
                black_box(filter.contains_hashed(hash));
            }
        })?;
    };
}

/// Counts the ways of a kind that take many keys. `$age` runs after half of the keys are inserted.
macro_rules! count_batches {
    ($counter:ident, $kind:expr, $keys:expr, $new:expr, $age:expr) => {
        let (filter, other) = (&mut $new, &mut $new);
        $counter.keys($kind, "insert_many", || {
            let _done = black_box(filter.insert_many($keys.stored.iter().copied()));
        })?;
        let hashes = |keys: &[_]| keys.iter().map(|key| filter.hash(*key)).collect::<Vec<_>>();
        let [stored, absent] = [hashes(&$keys.stored), hashes(&$keys.absent)];
        $counter.keys($kind, "insert_many_hashed", || {
            black_box(other.insert_many_hashed(&stored).is_ok());
        })?;
        let filter = &mut $new;
        let _done = filter.insert_many($keys.others.iter().copied());
        let (older, newer) = $keys.stored.split_at(KEYS / 2);
        let _done = filter.insert_many(older.iter().copied());
        $age(filter);
        let _done = filter.insert_many(newer.iter().copied());
        assert_eq!(filter.memory_bytes() > SMALL_BYTES, $keys.is_large());
        $counter.keys($kind, "contains_many absent", || {
            black_box(filter.contains_many($keys.absent.iter().copied()));
        })?;
        $counter.keys($kind, "contains_many present", || {
            black_box(filter.contains_many($keys.stored.iter().copied()));
        })?;
        $counter.keys($kind, "contains_many_hashed", || {
            black_box(filter.contains_many_hashed(&absent));
        })?;
        $counter.keys($kind, "contains_many_bytes", || {
            black_box(filter.contains_many_bytes($keys.absent.iter().map(|key| AsRef::<[u8]>::as_ref(*key))));
        })?;
    };
}

/// Counts the ways that store a kind. Counts of small filters would depend on what the allocator did before.
macro_rules! count_storing {
    ($counter:ident, $kind:expr, $keys:expr, $new:expr, $read:expr) => {
        let filter = &mut $new;
        let _done = filter.insert_many($keys.others.iter().copied());
        let mut stored = Vec::new();
        $counter.bytes($kind, "to_bytes", filter.stored_len(), || {
            stored = black_box(filter.to_bytes());
        })?;
        $counter.bytes($kind, "from_bytes", filter.stored_len(), || {
            black_box($read(&stored).is_ok());
        })?;
    };
}

/// Counts merging of large filters.
macro_rules! count_merge {
    ($counter:ident, $kind:expr, $keys:expr, $new:expr) => {
        if $keys.is_large() {
            let (filter, other) = (&mut $new, &mut $new);
            other.insert_many($keys.stored.iter().copied());
            $counter.bytes($kind, "merge", other.memory_bytes(), || {
                black_box(filter.merge(other).is_ok());
            })?;
        }
    };
}

/// Counts removal from small filters.
macro_rules! count_removal {
    ($counter:ident, $kind:expr, $keys:expr, $new:expr) => {
        if !$keys.is_large() {
            let filter = &mut $new;
            let _done = filter.insert_many($keys.stored.iter().copied());
            let (first, second) = $keys.stored.split_at(KEYS / 2);
            let hashes: Vec<_> = second.iter().map(|key| filter.hash(*key)).collect();
            // Each takes half of the keys twice: those that are there, and those that are not any more.
            $counter.keys($kind, "remove", || {
                for key in first.iter().chain(first) {
                    black_box(filter.remove(*key));
                }
            })?;
            $counter.keys($kind, "remove_hashed", || {
                for hash in hashes.iter().chain(&hashes) {
                    black_box(filter.remove_hashed(hash).is_ok());
                }
            })?;
        }
    };
}

/// Counts the ways that all kinds have.
macro_rules! count_kind {
    ($counter:ident, $kind:expr, $keys:expr, $new:expr, $read:expr, $age:expr) => {
        count_batches!($counter, $kind, $keys, $new, $age);
        if $keys.is_large() {
            count_storing!($counter, $kind, $keys, $new, $read);
        } else {
            count_single_calls!($counter, $kind, $keys, $new);
        }
    };
}

/// Counts what a funnel adds, in a filter whose other instructions are few.
macro_rules! count_funnel {
    ($counter:ident, $kind:expr, $keys:expr, $funnel:expr) => {
        let (funnel, keys) = ($funnel, $keys);
        $counter.keys($kind, "Hash128::of_key", || {
            for key in &keys.stored {
                black_box(Hash128::of_key(&funnel, key));
            }
        })?;
        let parameters = Parameters::new(keys.capacity(), RATE)?;
        let mut filter = BlockedBloomFilter::new(funnel, &parameters)?;
        $counter.keys($kind, "insert", || {
            for key in &keys.stored {
                black_box(filter.insert(key));
            }
        })?;
        $counter.keys($kind, "contains", || {
            for key in &keys.absent {
                black_box(filter.contains(key));
            }
        })?;
        $counter.keys($kind, "insert_many", || filter.insert_many(&keys.absent))?;
        $counter.keys($kind, "contains_many", || {
            black_box(filter.contains_many(&keys.absent));
        })?;
    };
}

/// Filters without generations have nothing to do between two halves of the keys.
fn keep<T>(_: &mut T) {}

fn blocked(counter: &mut Counter<'_>, keys: &Keys<&[u8]>) -> Done {
    let new = || BlockedBloomFilter::with_capacity(keys.capacity(), RATE);
    let read = |bytes: &[u8]| BlockedBloomFilter::from_bytes(bytes, Xxph3);
    count_kind!(counter, "blocked", keys, new()?, read, keep);
    count_merge!(counter, "blocked", keys, new()?);
    Ok(())
}

fn concurrent_blocked(counter: &mut Counter<'_>, keys: &Keys<&[u8]>) -> Done {
    let new = || ConcurrentBlockedBloomFilter::with_capacity(keys.capacity(), RATE);
    let read = |bytes: &[u8]| ConcurrentBlockedBloomFilter::from_bytes(bytes, Xxph3);
    count_kind!(counter, "concurrent blocked", keys, new()?, read, keep);
    count_merge!(counter, "concurrent blocked", keys, new()?);
    Ok(())
}

fn rotating(counter: &mut Counter<'_>, keys: &Keys<&[u8]>) -> Done {
    let new = || RotatingFilter::with_capacity(4, keys.capacity(), RATE);
    let read = |bytes: &[u8]| RotatingFilter::from_bytes(bytes, Xxph3);
    count_kind!(counter, "rotating", keys, new()?, read, RotatingFilter::rotate);
    count_merge!(counter, "rotating", keys, new()?);
    Ok(())
}

/// Counts a filter of Guava with a funnel.
macro_rules! count_guava {
    ($counter:ident, $kind:literal, $filter:ident, $funnel:expr, $keys:expr) => {
        for strategy in [Strategy::Murmur128Mitz32, Strategy::Murmur128Mitz64] {
            let kind = format!("{} {strategy} {:?}", $kind, $funnel);
            let parameters = guava::Parameters::new($keys.capacity(), RATE)?.strategy(strategy);
            let new = || guava::$filter::new($funnel, &parameters);
            let read = |bytes: &[u8]| guava::$filter::from_bytes(bytes, $funnel);
            count_kind!($counter, &kind, $keys, new()?, read, keep);
            count_merge!($counter, &kind, $keys, new()?);
        }
    };
}

fn guava(counter: &mut Counter<'_>, texts: &Keys<&str>, bytes: &Keys<&[u8]>) -> Done {
    count_guava!(counter, "guava", BloomFilter, Utf8, texts);
    count_guava!(counter, "guava", BloomFilter, Bytes, bytes);
    count_guava!(counter, "concurrent guava", ConcurrentBloomFilter, Utf8, texts);
    count_guava!(counter, "concurrent guava", ConcurrentBloomFilter, Bytes, bytes);
    Ok(())
}

fn counting(counter: &mut Counter<'_>, keys: &Keys<&[u8]>) -> Done {
    let new = || CountingBloomFilter::with_capacity(keys.capacity(), RATE);
    let read = |bytes: &[u8]| CountingBloomFilter::from_bytes(bytes, Xxph3);
    count_removal!(counter, "counting", keys, new()?);
    count_kind!(counter, "counting", keys, new()?, read, keep);
    Ok(())
}

fn cuckoo(counter: &mut Counter<'_>, keys: &Keys<&[u8]>) -> Done {
    let new = || CuckooFilter::with_capacity(keys.capacity(), RATE);
    let read = |bytes: &[u8]| CuckooFilter::from_bytes(bytes, Xxph3);
    count_removal!(counter, "cuckoo", keys, new()?);
    count_kind!(counter, "cuckoo", keys, new()?, read, keep);
    Ok(())
}

fn spark(counter: &mut Counter<'_>, keys: &Keys<&[u8]>) -> Done {
    for (kind, version) in [("spark v1", Version::V1), ("spark v2", Version::default())] {
        let parameters = spark::Parameters::new(keys.capacity(), RATE)?.version(version);
        let new = || spark::BloomFilter::new(&parameters);
        count_kind!(counter, kind, keys, new()?, spark::BloomFilter::from_bytes, keep);
        count_merge!(counter, kind, keys, new()?);
    }
    Ok(())
}

fn redisbloom(counter: &mut Counter<'_>, keys: &Keys<&[u8]>) -> Done {
    // One link, and four, each of which is small.
    for (kind, share) in [("redisbloom", 1), ("redisbloom chain", 8)] {
        if share > 1 && keys.is_large() {
            continue;
        }
        let parameters = redisbloom::Parameters::new(keys.capacity() / share, RATE);
        let new = || RedisBloomFilter::new(&parameters);
        count_kind!(counter, kind, keys, new()?, RedisBloomFilter::from_bytes, keep);
    }
    Ok(())
}

fn integers(counter: &mut Counter<'_>) -> Done {
    let nothing = || vec![(); KEYS];
    let (stored, absent, others) = (nothing(), nothing(), Vec::new());
    let keys = Keys {
        stored,
        absent,
        others,
    };
    let keys = keys.map(|(), number| number);
    count_funnel!(counter, "Xxph3 of u64", &keys, Xxph3);
    count_funnel!(counter, "Xxph3 of i32", keys.map(|key, _| *key as i32), Xxph3);
    count_funnel!(
        counter,
        "Xxph3 of a pair",
        keys.map(|key, _| (*key, 7_u16)),
        Xxph3
    );
    count_funnel!(counter, "Integer", keys.map(|key, _| *key as i32), Integer);
    count_funnel!(counter, "Long", keys.map(|key, _| key.cast_signed()), Long);
    Ok(())
}

fn funnels(counter: &mut Counter<'_>, texts: &Keys<&str>) -> Done {
    count_funnel!(counter, "Xxph3 of text", texts, Xxph3);
    let pairs = texts.map(|text, number| (*text, number));
    count_funnel!(counter, "Xxph3 of text and integer", pairs, Xxph3);
    count_funnel!(counter, "Utf8", texts, Utf8);
    count_funnel!(counter, "Utf16Units", texts, Utf16Units);
    let units = texts.map(|text, _| text.encode_utf16().collect::<Vec<u16>>());
    let units = units.map(|units, _| Utf16(units));
    count_funnel!(counter, "Utf8 of UTF-16", &units, Utf8);
    count_funnel!(counter, "Utf16Units of UTF-16", &units, Utf16Units);
    let sequences = texts.map(|text, _| <[&str; 2]>::from(text.split_at(2)));
    count_funnel!(counter, "Sequence of Utf8", sequences, Sequence(Utf8));
    let persons = texts.map(|text, number| Person {
        id: number as i32,
        name: (*text).to_owned(),
    });
    count_funnel!(counter, "custom funnel", persons, PersonFunnel);
    Ok(())
}

fn main() -> Done {
    let out = &mut io::stdout().lock();
    let only_kernels = std::env::args().any(|argument| argument == "kernels");
    for (name, is_16, others) in [
        ("small,16", true, 0),
        ("small,4-40", false, 0),
        ("large,16", true, OTHERS),
    ] {
        let random = &mut Random(1);
        let texts = [KEYS, KEYS, others].map(|count| Text::random(random, count, is_16));
        let [stored, absent, others] = texts.each_ref().map(Text::slices);
        let texts = Keys {
            stored,
            absent,
            others,
        };
        let bytes = texts.map(|text, _| text.as_bytes());
        let counter = &mut Counter { out, keys: name };
        blocked(counter, &bytes)?;
        concurrent_blocked(counter, &bytes)?;
        rotating(counter, &bytes)?;
        if only_kernels {
            continue;
        }
        guava(counter, &texts, &bytes)?;
        counting(counter, &bytes)?;
        cuckoo(counter, &bytes)?;
        spark(counter, &bytes)?;
        redisbloom(counter, &bytes)?;
        if !texts.is_large() {
            funnels(counter, &texts)?;
        }
    }
    if only_kernels {
        return Ok(());
    }
    let keys = "small,integers";
    integers(&mut Counter { out, keys })
}
