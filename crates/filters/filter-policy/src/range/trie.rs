//! The keys' bits, and the forks where they part.

use alloc::vec::Vec;

use super::alphabet::Alphabet;
use crate::building::reserve;
use crate::error::Error;

/// Bits, the most significant first.
#[derive(Default)]
pub(super) struct Bits {
    pub(super) bytes: Vec<u8>,
    /// Bits that do not fill four bytes, left-aligned, and their number.
    rest: u64,
    rest_len: u32,
}

impl Bits {
    pub(super) const fn after(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            rest: 0,
            rest_len: 0,
        }
    }

    /// Appends the lowest bits of a number, at most 32; there must be no others.
    #[inline]
    pub(super) fn put(&mut self, bits: u64, count: u32) {
        if count > 0 {
            self.rest |= bits << (64 - self.rest_len - count);
            self.rest_len += count;
        }
        if self.rest_len >= 32 {
            let [a, b, c, d, ..] = self.rest.to_be_bytes();
            self.bytes.extend([a, b, c, d]);
            self.rest <<= 32;
            self.rest_len -= 32;
        }
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        let bytes = self.rest.to_be_bytes();
        self.bytes
            .extend(bytes.iter().take(self.rest_len.div_ceil(8) as usize));
        self.bytes
    }
}

/// The bits of one key, which ends in zeros.
#[derive(Default)]
struct KeyBits {
    words: Vec<u64>,
    len: u32,
}

impl KeyBits {
    #[inline]
    fn push(&mut self, code: u16, len: u8) {
        let (word, used) = ((self.len / 64) as usize, self.len % 64);
        if word + 2 > self.words.len() {
            self.words.resize(word + 2, 0);
        }
        let code = u64::from(code) << 48;
        self.words
            .get_mut(word)
            .into_iter()
            .for_each(|word| *word |= code >> used);
        if used > 48 {
            self.words
                .get_mut(word + 1)
                .into_iter()
                .for_each(|word| *word |= code << (64 - used));
        }
        self.len += u32::from(len);
    }

    fn cut(&mut self, len: u32) {
        let (first, last) = ((len / 64) as usize, (self.len / 64) as usize + 1);
        for (i, word) in (first..=last).zip(self.words.iter_mut().skip(first)) {
            *word &= if i == first { !(u64::MAX >> (len % 64)) } else { 0 };
        }
        self.len = len;
    }

    /// Returns bits from a place on, at most 32.
    fn get(&self, at: u32, count: u32) -> u64 {
        let word = |i: usize| self.words.get(i).copied().unwrap_or(0);
        let (i, used) = ((at / 64) as usize, at % 64);
        let bits = word(i) << used | (word(i + 1) >> 1 >> (63 - used));
        bits >> 32 >> (32 - count)
    }
}

/// A fork. Those of its left side follow, then those of its right side.
#[derive(Clone, Copy, Default)]
pub(super) struct Fork {
    /// The rank of its first key, its keys, and those on the left.
    pub(super) first: u32,
    pub(super) keys: u32,
    pub(super) left: u32,
    /// The bits that all its keys share after those above, and below 2^24.
    pub(super) edge: u32,
}

/// All that a filter is written from.
pub(super) struct Trie {
    /// The number of keys with different bits.
    pub(super) keys: u32,
    pub(super) forks: Vec<Fork>,
    /// Of each fork in order, the bits of its edge and the zero of its left side; at each leaf, `suffix` bits.
    pub(super) bits: Vec<u8>,
    pub(super) suffix: u32,
    /// Leaves of which fewer bits are known, by rank.
    pub(super) short: Vec<(u32, u32)>,
}

/// Makes keys into bits, one after the other.
pub(super) struct Coder<'a> {
    alphabet: &'a Alphabet,
    suffix: u32,
    key: KeyBits,
    /// The place in `key` of each byte, and of the end.
    places: Vec<u32>,
    /// Whether all bits of the key are known.
    is_whole: bool,
    /// The bits that each key shares with the one before.
    shared: Vec<u32>,
    bits: Bits,
    short: Vec<(u32, u32)>,
}

impl<'a> Coder<'a> {
    pub(super) fn new(alphabet: &'a Alphabet, suffix: u32, keys: u32) -> Result<Self, Error> {
        let mut shared = Vec::new();
        reserve(&mut shared, keys as usize)?;
        let mut bits = Vec::new();
        reserve(&mut bits, (keys as usize).saturating_mul(suffix as usize + 2) / 8)?;
        Ok(Self {
            alphabet,
            suffix,
            key: KeyBits::default(),
            places: Vec::new(),
            is_whole: false,
            shared,
            bits: Bits::after(bits),
            short: Vec::new(),
        })
    }

    /// Stores the bits of the key before, which the next one follows: it shares so many bytes, and has these after them.
    pub(super) fn part(&mut self, before: &[u8], shared: usize, rest: &[u8]) -> Result<(), Error> {
        if self.places.is_empty() {
            return Ok(());
        }
        let place = self.places.get(shared).copied().unwrap_or(0);
        let old = before.get(shared..).unwrap_or_default();
        let parted = if self.alphabet.stored.is_empty() {
            // Zeros follow a key.
            let olds = old.iter().chain(core::iter::repeat(&0));
            let differ = rest.iter().zip(olds).position(|(new, old)| new != old);
            differ.map(|at| {
                let (new, old) = (rest.get(at), old.get(at));
                let differ = new.copied().unwrap_or(0) ^ old.copied().unwrap_or(0);
                place + 8 * at as u32 + differ.leading_zeros()
            })
        } else {
            let symbol = self.symbol_before(before, shared);
            let code = |key: &[u8]| self.alphabet.code(symbol, key.first().copied()).0;
            Some(place + (code(old) ^ code(rest)).leading_zeros())
        };
        // Otherwise the next key has the same bits.
        if parted.is_some() {
            self.store(parted)?;
        }
        Ok(())
    }

    fn symbol_before(&self, key: &[u8], at: usize) -> usize {
        let byte = at.checked_sub(1).and_then(|last| key.get(last));
        byte.map_or(0, |&byte| self.alphabet.symbol_of(byte))
    }

    /// Stores the bits of the key from the fork with the one before on. The next key parts from it after so many.
    fn store(&mut self, parted: Option<u32>) -> Result<(), Error> {
        let before = self.shared.last().copied().filter(|_| self.shared.len() > 1);
        let leaf = before.max(parted).map_or(0, |parted| parted + 1);
        let mut at = before.map_or(0, |before| before + 1);
        let end = leaf + self.suffix;
        if !self.is_whole && self.key.len < end {
            let rank = self.shared.len() as u32 - 1;
            reserve(&mut self.short, 1)?;
            self.short.push((rank, self.key.len.saturating_sub(leaf)));
        }
        reserve(&mut self.bits.bytes, end.saturating_sub(at) as usize / 8 + 8)?;
        while at < end {
            let count = (end - at).min(32);
            self.bits.put(self.key.get(at, count), count);
            at += count;
        }
        self.shared.extend(parted);
        Ok(())
    }

    /// Makes a key into bits, from the bytes on that it does not share with the one before.
    pub(super) fn append(&mut self, key: &[u8], shared: usize, is_whole: bool) -> Result<(), Error> {
        if self.places.is_empty() {
            self.places.push(0);
            self.shared.push(0);
        }
        self.places.truncate(shared + 1);
        self.key.cut(self.places.last().copied().unwrap_or(0));
        let rest = key.get(shared..).unwrap_or_default();
        reserve(&mut self.places, rest.len() + 1)?;
        // Codes have at most 16 bits, and the last is written into two words.
        reserve(&mut self.key.words, rest.len() / 4 + 3)?;
        let mut symbol = self.symbol_before(key, shared);
        for &byte in rest {
            let (code, len, next) = self.alphabet.code(symbol, Some(byte));
            symbol = next;
            self.key.push(code, len);
            self.places.push(self.key.len);
        }
        self.is_whole = is_whole;
        if is_whole {
            let (code, len, _) = self.alphabet.code(symbol, None);
            self.key.push(code, len);
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<Trie, Error> {
        self.store(None)?;
        let bits = self.bits.finish();
        Ok(Trie {
            keys: self.shared.len() as u32,
            forks: forks(&self.shared)?,
            bits,
            suffix: self.suffix,
            short: self.short,
        })
    }
}

/// Finds the forks of keys that share so many bits with the one before (the first: any number).
fn forks(shared: &[u32]) -> Result<Vec<Fork>, Error> {
    let mut forks = Vec::new();
    reserve(&mut forks, shared.len().saturating_sub(1))?;
    forks.resize(shared.len().saturating_sub(1), Fork::default());
    // Forks to the right that have the current key on their left, and so many shared bits: the lowest last.
    let mut open: Vec<(u32, u32)> = Vec::new();
    let mut close = |open: &mut Vec<(u32, u32)>, first: u32, least: Option<u32>| {
        while let Some(&(right, bits)) = open.last() {
            if least.is_some_and(|least| bits <= least) {
                break;
            }
            open.pop();
            let above = open.last();
            let end = above.map_or(shared.len() as u32, |&(right, _)| right);
            let depth = above
                .map(|&(_, bits)| bits)
                .max(least)
                .map_or(0, |parted| parted + 1);
            let place = first as usize + open.len();
            forks.get_mut(place).into_iter().for_each(|fork| {
                *fork = Fork {
                    first,
                    keys: end - first,
                    left: right - first,
                    edge: bits - depth,
                }
            });
        }
    };
    for (rank, &bits) in (0..shared.len() as u32).zip(shared).skip(1).rev() {
        close(&mut open, rank, Some(bits));
        reserve(&mut open, 1)?;
        open.push((rank, bits));
    }
    close(&mut open, 0, None);
    Ok(forks)
}
