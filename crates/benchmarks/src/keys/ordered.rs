//! Sorted sets of keys as stores have them, and queries that find nothing there.

use std::iter::repeat_with;
use std::ops::Bound::{Excluded, Included, Unbounded};

use bytes::Bytes;
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};
use slatedb::{FilterQuery, FilterTarget};

/// The sets.
///
/// * `u64`, `rand16`: random keys of 8 and of 16 bytes.
/// * `user`: `user:<id>:<ulid>` of a month, 1 to 50 rows a user; one id of 16 is present. `binary`: the same as a tenant of
///   4 bytes, milliseconds of 8 and a random number of 4.
/// * `names`: words of `bench-data/app-accounts`. `urls`: articles of one site. `uuid`: version 4, as text.
/// * `ts`: milliseconds of 8 bytes and a random number of 4, in bursts of some 50 keys.
/// * `dense`: `key` and 12 digits, runs of up to 100 numbers of which a tenth is missing, gaps of up to 200.
/// * `paths`: `tenant/007/order/00123/line/04`, 1 to 20 lines an order.
#[rustfmt::skip]
pub const SETS: [&str; 10] = ["u64", "rand16", "user", "names", "urls", "ts", "uuid", "dense", "binary", "paths"];

/// The kinds of query.
///
/// * `fresh`: from a new key to the thousandth string after it, of the last eight bytes in the bytes that occur.
/// * `gap10`, `gap-half`: ten strings between two neighbours, and half of all that are there.
/// * `prefix`: a new prefix. `point`: a new key. `point-prefix`: a stored prefix with a new rest.
/// * `correlated`: from a stored key + 1 to + 3 in the last byte.
#[rustfmt::skip]
pub const KINDS: [&str; 7] = ["fresh", "gap10", "gap-half", "prefix", "point", "point-prefix", "correlated"];

/// The month of the rows: its start and length in milliseconds.
pub const MONTH: (u64, u64) = (1_790_000_000_000, 30 * 86_400_000);

/// Returns a random number below `end`.
pub fn below(random: &mut SplitMix64, end: u64) -> u64 {
    ((u128::from(random.next_u64()) * u128::from(end)) >> 64) as u64
}

fn wide(random: &mut SplitMix64) -> u128 {
    u128::from(random.next_u64()) << 64 | u128::from(random.next_u64())
}

/// Returns the text of a ULID of these milliseconds with the upper 80 bits of `bits`.
pub fn ulid(milliseconds: u64, bits: u128) -> String {
    let value = u128::from(milliseconds) << 80 | bits >> 48;
    let digits = (0..26).rev().map(|place| (value >> (5 * place)) as usize & 31);
    let text = digits.map(|digit| char::from(b"0123456789ABCDEFGHJKMNPQRSTVWXYZ"[digit]));
    text.collect()
}

/// Returns the row of a user at any time of the month.
pub fn row_of(id: u64, random: &mut SplitMix64) -> Vec<u8> {
    let time = MONTH.0 + below(random, MONTH.1);
    format!("user:{id}:{}", ulid(time, wide(random))).into_bytes()
}

/// Returns a time of eight bytes and a random number of four.
fn timed(after: u64, random: &mut SplitMix64) -> Vec<u8> {
    let number = (random.next_u64() as u32).to_be_bytes();
    [&(MONTH.0 + after).to_be_bytes()[..], &number].concat()
}

/// Returns an address. The first sections and letters occur most.
fn url(random: &mut SplitMix64) -> String {
    const SECTIONS: &str = "news sport blog shop/products shop/categories help/articles users static/images \
                            docs/reference/latest docs/guide/latest archive en/press";
    let skewed = |random: &mut _, end| below(random, end).min(below(random, end)) as usize;
    let section = SECTIONS.split(' ').nth(skewed(random, 12)).unwrap_or_default();
    let words = [(); 2].map(|()| {
        let mut letters = SplitMix64::seed_from_u64(below(random, 2_000));
        let length = 3 + below(&mut letters, 7);
        let letter = |_| char::from(b"etaoinshrdlucmfwypvbgk"[skewed(&mut letters, 22)]);
        (0..length).map(letter).collect::<String>()
    });
    let [year, month, number] = [12, 12, 100_000].map(|end| below(random, end));
    let date = format!("{}/{:02}", 2015 + year, 1 + month);
    format!(
        "https://www.example.com/{section}/{date}/{}-{number}.html",
        words.join("-")
    )
}

/// Draws keys of a set of `size` that belong together, one at least and `most` at most.
fn draw(name: &str, size: u64, most: usize, random: &mut SplitMix64) -> Vec<Vec<u8>> {
    let id = 1 + below(random, 16 * (size / 25).max(1));
    let rows = 0..most.min(1 + below(random, 50) as usize);
    vec![match name {
        "user" => return rows.map(|_| row_of(id, random)).collect(),
        "binary" => {
            let tenant = (id as u32).to_be_bytes();
            let row = |_| [&tenant[..], &timed(below(random, MONTH.1), random)].concat();
            return rows.map(row).collect();
        }
        "paths" => {
            let (tenant, order) = (below(random, size / 500 + 4), below(random, 100_000));
            let lines = (1..=1 + below(random, 20)).rev().take(most);
            let path = |line| format!("tenant/{tenant:03}/order/{order:05}/line/{line:02}");
            return lines.map(|line| path(line).into_bytes()).collect();
        }
        "u64" => random.next_u64().to_be_bytes().to_vec(),
        "rand16" => wide(random).to_be_bytes().to_vec(),
        "ts" => {
            let burst = below(random, 2 * (size / 50 + 1));
            let start = below(&mut SplitMix64::seed_from_u64(burst), 15_000);
            timed(burst * 20_000 + start + below(random, 200), random)
        }
        "uuid" => {
            let version = 4 << 76 | 0b10 << 62;
            let hex = format!("{:032x}", wide(random) & !(0xf << 76 | 0b11 << 62) | version);
            let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|part| &hex[part]);
            parts.join("-").into_bytes()
        }
        "urls" => url(random).into_bytes(),
        _ => format!("key{:012}", 1_000_000 + below(random, 3 * size)).into_bytes(),
    }]
}

/// A set of keys.
pub struct Set {
    /// One of [`SETS`].
    pub name: &'static str,
    /// The keys, sorted and distinct.
    pub keys: Vec<Vec<u8>>,
    /// Words that are not in the set.
    others: Vec<Vec<u8>>,
    /// The bytes that occur, sorted.
    symbols: Vec<u8>,
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
            let rest = others.len().checked_sub(size).filter(|rest| *rest >= size);
            keys = others.split_off(rest?);
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
        let mut occurs = [false; 256];
        for byte in keys.iter().flatten() {
            occurs[usize::from(*byte)] = true;
        }
        let symbols = (0..=255).filter(|byte| occurs[usize::from(*byte)]).collect();
        #[rustfmt::skip]
        let set = Self { name, keys, others, symbols };
        Some(set)
    }

    fn any<'a>(keys: &'a [Vec<u8>], random: &mut SplitMix64) -> &'a [u8] {
        &keys[below(random, keys.len() as u64) as usize]
    }

    /// Returns a key of the same form, hardly ever a stored one.
    fn fresh(&self, random: &mut SplitMix64) -> Vec<u8> {
        if self.name == "names" {
            return Self::any(&self.others, random).to_vec();
        }
        draw(self.name, self.keys.len() as u64, 1, random).swap_remove(0)
    }

    /// Returns the number that `digits` bytes of a key from `start` on write in the bytes that occur.
    fn number(&self, key: &[u8], start: usize, digits: usize) -> u128 {
        let digit = |place| self.symbols.binary_search(key.get(place)?).ok();
        let digits = (start..start + digits).map(|place| digit(place).unwrap_or(0) as u128);
        digits.fold(0, |number, digit| number * self.symbols.len() as u128 + digit)
    }

    /// Returns `start` and so many bytes that write the number.
    fn key(&self, start: &[u8], mut number: u128, digits: usize) -> Bytes {
        let mut key = [start, &vec![0; digits]].concat();
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
        let absent = tried.flatten().filter(|query| self.is_absent(query));
        absent.take(count).collect()
    }

    fn query(&self, kind: &str, random: &mut SplitMix64) -> Option<FilterQuery> {
        let range = |low: Bytes, high: Bytes| FilterQuery::range(Included(low), Included(high));
        let fresh = self.fresh(random);
        Some(match kind {
            "fresh" => {
                let (start, end) = fresh.split_at(fresh.len().saturating_sub(8));
                let most = (self.symbols.len() as u128).pow(end.len() as u32) - 1;
                let high = (self.number(end, 0, end.len()) + 1_000).min(most);
                let high = self.key(start, high, end.len());
                range(fresh.into(), high)
            }
            "gap10" | "gap-half" => {
                let index = below(random, self.keys.len() as u64 - 1) as usize;
                let (one, next) = (&self.keys[index], &self.keys[index + 1]);
                let shared = one.iter().zip(next).take_while(|(one, next)| one == next).count();
                let digits = 12.min(one.len().max(next.len()) - shared);
                let [from, to] = [one, next].map(|key| self.number(key, shared, digits));
                let inside = to.checked_sub(from + 1).filter(|inside| *inside > 1)?;
                let half = (inside / 2, inside.div_ceil(2));
                let (length, places) = [half, (10, inside)][usize::from(kind == "gap10")];
                let low = from + 1 + wide(random) % places;
                let key = |number| self.key(&one[..shared], number, digits);
                (low + length < to).then(|| range(key(low), key(low + length)))?
            }
            "prefix" => FilterQuery::prefix(Bytes::copy_from_slice(prefix(self.name, &fresh)?)),
            "point" => FilterQuery::point(fresh.into()),
            "point-prefix" => {
                let stored = prefix(self.name, Self::any(&self.keys, random))?;
                let rest = &fresh[prefix(self.name, &fresh)?.len()..];
                FilterQuery::point([stored, rest].concat().into())
            }
            _ => {
                let stored = Self::any(&self.keys, random);
                let (last, start) = stored.split_last().filter(|(last, _)| **last < 250)?;
                let [low, high] = [1, 3].map(|more| [start, &[last + more]].concat().into());
                range(low, high)
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
            FilterTarget::Range { lower, upper } => match (lower, upper) {
                (Included(low), Included(high)) => from(low).is_none_or(|next| &next[..] > high),
                _ => false,
            },
        }
    }

    /// Returns queries of up to `count` stored keys: the key, its prefix, and two ranges that have no other key.
    pub fn present(&self, count: usize) -> impl Iterator<Item = FilterQuery> {
        let at = |index: usize| self.keys.get(index).map(|key| Bytes::copy_from_slice(key));
        let beside = move |index| at(index).map_or(Unbounded, Excluded);
        let step = self.keys.len().div_ceil(count);
        (0..self.keys.len()).step_by(step).flat_map(move |index| {
            let key = at(index).unwrap_or_default();
            let start = prefix(self.name, &key).map_or(key.clone(), |start| key.slice_ref(start));
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
    let after = |separator, count: usize| {
        let mut parts = key.splitn(count + 1, |byte| *byte == separator);
        Some(key.len() - parts.nth(count)?.len())
    };
    let end = match set {
        "user" => after(b':', 2)?,
        "urls" => after(b'-', 1)?,
        "paths" => after(b'/', 4)?,
        "binary" => 4,
        "u64" | "names" => 5,
        "rand16" | "ts" => 6,
        "uuid" => 9,
        _ => 13,
    };
    key.get(..end)
}

#[cfg(test)]
mod tests {
    use std::ops::RangeBounds as _;

    use super::*;

    fn asks_for(query: &FilterQuery, key: &[u8]) -> bool {
        match &query.target {
            FilterTarget::Point(point) => point == key,
            FilterTarget::Prefix(start) => key.starts_with(start),
            FilterTarget::Range { lower, upper } => (lower.clone(), upper.clone()).contains(key),
        }
    }

    #[test]
    fn queries_find_nothing_and_present_ones_find_a_key() {
        let mut missing = Vec::new();
        for set in SETS.iter().filter_map(|name| Set::new(name, 500)) {
            assert!(set.keys.len() == 500 && set.keys.is_sorted_by(|one, next| one < next));
            let finds = |query: &FilterQuery| set.keys.iter().any(|key| asks_for(query, key));
            for kind in KINDS {
                let queries = set.queries(kind, 100);
                missing.extend(queries.is_empty().then_some((set.name, kind)));
                assert_eq!(
                    queries
                        .iter()
                        .find(|query| finds(query))
                        .map(|query| &query.target),
                    None
                );
            }
            assert_eq!(set.present(100).count(), 400);
            assert!(set.present(100).all(|query| finds(&query)), "{}", set.name);
        }
        // Each thousand strings has a number, and the prefix of the keys' time is one.
        assert_eq!(missing, [("ts", "prefix"), ("dense", "fresh")]);
    }
}
