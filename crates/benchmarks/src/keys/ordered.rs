//! Sorted sets of keys as stores have them, and queries that find nothing there.

use std::iter::repeat_with;
use std::ops::Bound::{self, Excluded, Included, Unbounded};

use bytes::Bytes;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};
use slatedb::{FilterQuery, FilterTarget};

use super::numbers;

/// The sets.
///
/// * `u64`, `rand16`: random keys of 8 and of 16 bytes.
/// * `user`: `user:<id>:<ulid>` of a month, 1 to 50 rows a user; one id of 16 is present. `binary`: the same as a tenant of
///   4 bytes, milliseconds of 8 and a random number of 4.
/// * `names`: words of `bench-data/app-accounts`. `urls`: addresses of the articles of one site. `uuid`: version 4, as text.
/// * `ts`: milliseconds of 8 bytes and a random number of 4, in bursts of 50 keys.
/// * `dense`: `key` and 12 digits, runs of up to 100 numbers of which a tenth is missing, gaps of up to 200.
/// * `paths`: `tenant/007/order/00123/line/04`, 1 to 20 lines an order.
pub const SETS: [&str; 10] = [
    "u64", "rand16", "user", "names", "urls", "ts", "uuid", "dense", "binary", "paths",
];

/// The month of the rows, in milliseconds.
pub const MONTH: (u64, u64) = (1_790_000_000_000, 30 * 86_400_000);

/// Returns a random number below `end`.
pub fn below(random: &mut SplitMix64, end: u64) -> u64 {
    ((u128::from(random.next_u64()) * u128::from(end)) >> 64) as u64
}

/// Returns the text of a ULID of these milliseconds with these 80 bits.
pub fn ulid(milliseconds: u64, bits: u128) -> String {
    let value = u128::from(milliseconds) << 80 | bits >> 48;
    let digit = |place: u32| b"0123456789ABCDEFGHJKMNPQRSTVWXYZ"[(value >> (5 * place)) as usize & 31];
    (0..26).rev().map(|place| char::from(digit(place))).collect()
}

fn wide(random: &mut SplitMix64) -> u128 {
    u128::from(random.next_u64()) << 64 | u128::from(random.next_u64())
}

/// Returns the row of a user at any time of the month.
pub fn row_of(id: u64, random: &mut SplitMix64) -> Vec<u8> {
    let time = MONTH.0 + below(random, MONTH.1);
    format!("user:{id}:{}", ulid(time, wide(random))).into_bytes()
}

/// Draws keys of a set of `size` that belong together, one at least and `most` at most.
fn draw(name: &str, size: u64, most: usize, random: &mut SplitMix64) -> Vec<Vec<u8>> {
    const SECTIONS: [&str; 12] = [
        "news",
        "sport",
        "blog",
        "shop/products",
        "shop/categories",
        "help/articles",
        "users",
        "static/images",
        "docs/reference/latest",
        "docs/guide/latest",
        "archive",
        "en/press",
    ];
    let ids = 16 * (size / 25).max(1);
    let of = |random: &mut SplitMix64, rows| (1 + below(random, rows) as usize).min(most);
    vec![match name {
        "user" => {
            let id = 1 + below(random, ids);
            return (0..of(random, 50)).map(|_| row_of(id, random)).collect();
        }
        "binary" => {
            let tenant = below(random, ids) as u32;
            let rows = 0..of(random, 50);
            let row = |_| [&tenant.to_be_bytes()[..], &timed(below(random, MONTH.1), random)].concat();
            return rows.map(row).collect();
        }
        "paths" => {
            let (tenant, order) = (below(random, size / 500 + 4), below(random, 100_000));
            let lines = (1..=1 + below(random, 20)).rev().take(most);
            let path = |line| format!("tenant/{tenant:03}/order/{order:05}/line/{line:02}").into_bytes();
            return lines.map(path).collect();
        }
        "u64" => random.next_u64().to_be_bytes().to_vec(),
        "rand16" => wide(random).to_be_bytes().to_vec(),
        "ts" => {
            let burst = below(random, 2 * (size / 50 + 1));
            let start = numbers(burst).next().unwrap_or_default() % 15_000;
            timed(burst * 20_000 + start + below(random, 200), random)
        }
        "uuid" => {
            let bits = wide(random) & !(0xf << 76 | 0b11 << 62) | 4 << 76 | 0b10 << 62;
            let hex = format!("{bits:032x}");
            [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]]
                .join("-")
                .into_bytes()
        }
        "urls" => {
            // The first of a list occur most.
            let skewed = |random: &mut SplitMix64, end| below(random, end).min(below(random, end)) as usize;
            let word = |random: &mut SplitMix64| {
                let mut letters = SplitMix64::seed_from_u64(below(random, 2_000));
                let letter = |letters: &mut _| char::from(b"etaoinshrdlucmfwypvbgk"[skewed(letters, 22)]);
                (0..3 + below(&mut letters, 7))
                    .map(|_| letter(&mut letters))
                    .collect::<String>()
            };
            let (section, one, two) = (SECTIONS[skewed(random, 12)], word(random), word(random));
            let (year, month) = (2015 + below(random, 12), 1 + below(random, 12));
            let number = below(random, 100_000);
            format!("https://www.example.com/{section}/{year}/{month:02}/{one}-{two}-{number}.html")
                .into_bytes()
        }
        _ => format!("key{:012}", 1_000_000 + below(random, 3 * size)).into_bytes(),
    }]
}

/// Returns a time of the month and a random number.
fn timed(after: u64, random: &mut SplitMix64) -> Vec<u8> {
    [
        &(MONTH.0 + after).to_be_bytes()[..],
        &(random.next_u64() as u32).to_be_bytes(),
    ]
    .concat()
}

/// A set of keys.
pub struct Set {
    /// One of [`SETS`].
    pub name: &'static str,
    /// The keys, sorted and distinct.
    pub keys: Vec<Vec<u8>>,
    /// Words that are not in the set.
    others: Vec<Vec<u8>>,
    /// The bytes that occur, and the rank of each byte among them.
    symbols: Vec<u8>,
    ranks: [u8; 256],
}

impl Set {
    /// Draws a set; `None` if there are not enough words.
    pub fn new(name: &'static str, size: usize) -> Option<Self> {
        let mut random = SplitMix64::seed_from_u64(size as u64);
        let (mut keys, mut others, mut number) = (Vec::new(), Vec::new(), 1_000_000);
        if name == "names" {
            let words = include_str!("../../../../bench-data/app-accounts/words.txt").lines();
            others = words.map(|word| word.as_bytes().to_vec()).collect();
            others.sort_by_cached_key(|_| random.next_u64());
            keys = others.split_off(others.len().checked_sub(size).filter(|rest| *rest >= size)?);
        }
        while keys.len() < size {
            if name == "dense" {
                let run = number..number + 1 + below(&mut random, 100);
                number = run.end + below(&mut random, 200);
                let run = run.filter(|_| below(&mut random, 10) > 0);
                keys.extend(run.map(|number| format!("key{number:012}").into_bytes()));
            } else {
                keys.extend(draw(name, size as u64, size - keys.len(), &mut random));
            }
            if keys.len() >= size {
                keys.truncate(size);
                keys.sort();
                keys.dedup();
            }
        }
        keys.sort();
        let mut ranks = [0; 256];
        keys.iter()
            .flatten()
            .for_each(|byte| ranks[usize::from(*byte)] = 1);
        let symbols: Vec<u8> = (0..=255).filter(|byte| ranks[usize::from(*byte)] == 1).collect();
        for (rank, byte) in (0..=255).zip(&symbols) {
            ranks[usize::from(*byte)] = rank;
        }
        Some(Self {
            name,
            keys,
            others,
            symbols,
            ranks,
        })
    }

    /// Returns a key of the same form, hardly ever a stored one.
    fn fresh(&self, random: &mut SplitMix64) -> Vec<u8> {
        if self.name == "names" {
            return self.others[below(random, self.others.len() as u64) as usize].clone();
        }
        draw(self.name, self.keys.len() as u64, 1, random).swap_remove(0)
    }

    fn any<'a>(&'a self, random: &mut SplitMix64) -> &'a [u8] {
        &self.keys[below(random, self.keys.len() as u64) as usize]
    }

    /// Returns the number that `digits` bytes of a key from `start` on write in the bytes that occur.
    fn number(&self, key: &[u8], start: usize, digits: usize) -> u128 {
        let digit = |place| {
            key.get(place)
                .map_or(0, |byte| self.ranks[usize::from(*byte)].into())
        };
        (start..start + digits).fold(0, |number, place| {
            number * self.symbols.len() as u128 + digit(place)
        })
    }

    /// Returns `start` and so many bytes that write the number.
    fn key(&self, start: &[u8], mut number: u128, digits: usize) -> Bytes {
        let mut key = start.to_vec();
        key.resize(start.len() + digits, 0);
        for byte in key[start.len()..].iter_mut().rev() {
            *byte = self.symbols[(number % self.symbols.len() as u128) as usize];
            number /= self.symbols.len() as u128;
        }
        key.into()
    }

    /// Returns queries of a kind that find nothing; fewer, or none, where there are hardly any.
    pub fn queries(&self, kind: &str, count: usize) -> Vec<FilterQuery> {
        let mut random = SplitMix64::seed_from_u64(!(self.keys.len() as u64));
        let tried = repeat_with(|| self.query(kind, &mut random)).take(50 * count);
        tried
            .flatten()
            .filter(|query| self.is_absent(query))
            .take(count)
            .collect()
    }

    fn query(&self, kind: &str, random: &mut SplitMix64) -> Option<FilterQuery> {
        let range = |low: Bytes, high: Bytes| FilterQuery::range(Included(low), Included(high));
        Some(match kind {
            "fresh" => {
                let low = self.fresh(random);
                let (start, end) = low.split_at(low.len().saturating_sub(8));
                let most = (self.symbols.len() as u128).pow(end.len() as u32) - 1;
                let high = (self.number(end, 0, end.len()) + 1_000).min(most);
                range(low.clone().into(), self.key(start, high, end.len()))
            }
            "gap10" | "gap-half" => {
                let index = below(random, self.keys.len() as u64 - 1) as usize;
                let (one, next) = (&self.keys[index], &self.keys[index + 1]);
                let shared = one.iter().zip(next).take_while(|(one, next)| one == next).count();
                let digits = 12.min(one.len().max(next.len()) - shared);
                let [from, to] = [one, next].map(|key| self.number(key, shared, digits));
                let inside = to.checked_sub(from + 1).filter(|inside| *inside > 1)?;
                let length = if kind == "gap10" { 10 } else { inside / 2 };
                let places = if kind == "gap10" { inside } else { inside - length };
                let low = from + 1 + wide(random) % places;
                let key = |number| self.key(&one[..shared], number, digits);
                (low + length < to).then(|| range(key(low), key(low + length)))?
            }
            "prefix" => FilterQuery::prefix(Bytes::copy_from_slice(prefix(self.name, &self.fresh(random))?)),
            "correlated" => {
                let (last, start) = self.any(random).split_last().filter(|(last, _)| **last < 250)?;
                let [low, high] = [1, 3].map(|more| [start, &[last + more]].concat().into());
                range(low, high)
            }
            "point" => FilterQuery::point(self.fresh(random).into()),
            _ => {
                let (stored, fresh) = (self.any(random), self.fresh(random));
                let rest = &fresh[prefix(self.name, &fresh)?.len()..];
                FilterQuery::point([prefix(self.name, stored)?, rest].concat().into())
            }
        })
    }

    /// Returns true if no key is in what the query asks for.
    fn is_absent(&self, query: &FilterQuery) -> bool {
        let from = |low: &[u8]| {
            let index = self.keys.partition_point(|key| &key[..] < low);
            self.keys.get(index)
        };
        match &query.target {
            FilterTarget::Point(key) => from(key).is_none_or(|next| next != key),
            FilterTarget::Prefix(start) => from(start).is_none_or(|next| !next.starts_with(start)),
            FilterTarget::Range { lower, upper } => {
                let (Included(low), Included(high)) = (lower, upper) else {
                    return false;
                };
                from(low).is_none_or(|next| &next[..] > high)
            }
        }
    }

    /// Returns queries of up to `count` stored keys, four each: the key, its prefix, and two ranges that hold no other key.
    pub fn present(&self, count: usize) -> impl Iterator<Item = FilterQuery> {
        let step = self.keys.len().div_ceil(count);
        let at = |index: usize| self.keys.get(index).map(|key| Bytes::copy_from_slice(key));
        (0..self.keys.len()).step_by(step).flat_map(move |index| {
            let key = at(index).unwrap_or_default();
            let start = prefix(self.name, &key).map_or(key.clone(), |start| key.slice_ref(start));
            let beside = |index| at(index).map_or(Unbounded, Excluded);
            [
                FilterQuery::prefix(start),
                FilterQuery::range(Included(key.clone()), Included(key.clone())),
                FilterQuery::range(beside(index.wrapping_sub(1)), beside(index + 1)),
                FilterQuery::point(key),
            ]
        })
    }
}

/// Returns the prefix for which users of such keys scan; `None` for shorter keys.
pub fn prefix<'k>(set: &str, key: &'k [u8]) -> Option<&'k [u8]> {
    let to = |separator, count| {
        let mut ends = (1..)
            .zip(key)
            .filter(|(_, byte)| **byte == separator)
            .map(|(end, _): (usize, _)| end);
        ends.nth(count)
    };
    let end = match set {
        "user" => to(b':', 1)?,
        "urls" => to(b'-', 0)?,
        "paths" => to(b'/', 3)?,
        "binary" => 4,
        "u64" | "names" => 5,
        "rand16" | "ts" => 6,
        "uuid" => 9,
        _ => 13,
    };
    key.get(..end)
}

/// Returns the bound as a slice.
pub fn slice(bound: &Bound<Bytes>) -> Bound<&[u8]> {
    bound.as_ref().map(|key| &key[..])
}
