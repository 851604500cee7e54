//! The choice of codes: which bytes share one, and how long each symbol's is.

use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::code::{Kind, MAX_CLASSES, MAX_LEN};
use crate::building::reserve;
use crate::error::Error;

/// The number of symbols, and of bytes before them: any byte, and the end or start of a key.
const SYMBOLS: usize = 257;

/// Which symbols follow which in the keys: the symbol of a byte here is the byte and one.
#[derive(Clone)]
pub(super) struct Pairs {
    seen: Vec<u64>,
    /// The number of symbols that follow each.
    successors: Vec<u16>,
}

impl Pairs {
    pub(super) const fn new() -> Self {
        Self {
            seen: Vec::new(),
            successors: Vec::new(),
        }
    }

    /// Notes what follows in a key from one of its bytes on.
    pub(super) fn add(&mut self, key: &[u8], from: usize) -> Result<(), Error> {
        if self.seen.is_empty() {
            reserve(&mut self.seen, (SYMBOLS * SYMBOLS).div_ceil(64))?;
            reserve(&mut self.successors, SYMBOLS)?;
            self.seen.resize((SYMBOLS * SYMBOLS).div_ceil(64), 0);
            self.successors.resize(SYMBOLS, 0);
        }
        let mut before = before(key, from);
        let bytes = key.get(from..).unwrap_or_default().iter();
        for symbol in bytes.map(|&byte| 1 + usize::from(byte)).chain([0]) {
            let pair = before * SYMBOLS + symbol;
            if let Some(word) = self.seen.get_mut(pair / 64)
                && *word >> (pair % 64) & 1 == 0
            {
                *word |= 1 << (pair % 64);
                self.successors
                    .get_mut(before)
                    .into_iter()
                    .for_each(|count| *count += 1);
            }
            before = symbol;
        }
        Ok(())
    }

    /// Returns about how many bits a byte takes at least after another one: none if no other follows.
    pub(super) fn least_bits(&self, byte: u8) -> u32 {
        match self.successors.get(1 + usize::from(byte)) {
            Some(16..) => 3,
            Some(4..) => 2,
            Some(2..) => 1,
            _ => 0,
        }
    }

    fn has(&self, before: usize, symbol: usize) -> bool {
        let pair = before * SYMBOLS + symbol;
        self.seen
            .get(pair / 64)
            .is_some_and(|word| word >> (pair % 64) & 1 == 1)
    }
}

/// The symbol before a byte of a key.
fn before(key: &[u8], at: usize) -> usize {
    let byte = at.checked_sub(1).and_then(|last| key.get(last));
    byte.map_or(0, |&byte| 1 + usize::from(byte))
}

/// How often each pair of symbols tells keys apart, or comes soon after.
pub(super) struct Weights<'a> {
    pairs: &'a Pairs,
    bytes: Vec<u8>,
    /// The symbol of each byte among those that occur.
    symbol: [u16; 256],
    weights: Vec<u32>,
    /// The number of bytes that count.
    total: u64,
}

/// So many bytes after the first that tells keys apart count too.
const WINDOW: usize = 2;

impl<'a> Weights<'a> {
    pub(super) fn new(pairs: &'a Pairs) -> Result<Self, Error> {
        let occurs = |byte: &u8| (0..SYMBOLS).any(|before| pairs.has(before, 1 + usize::from(*byte)));
        let bytes: Vec<u8> = (0..=u8::MAX).filter(occurs).collect();
        let mut symbol = [0; 256];
        for (i, &byte) in (1..).zip(&bytes) {
            symbol
                .get_mut(usize::from(byte))
                .into_iter()
                .for_each(|symbol| *symbol = i);
        }
        let mut weights = Vec::new();
        reserve(&mut weights, (bytes.len() + 1) * (bytes.len() + 1))?;
        weights.resize((bytes.len() + 1) * (bytes.len() + 1), 0);
        Ok(Self {
            pairs,
            bytes,
            symbol,
            weights,
            total: 0,
        })
    }

    /// Counts a key, or its start, that shares `shared` bytes with the one before, and at most `deep` with both beside it.
    pub(super) fn add(&mut self, key: &[u8], is_whole: bool, shared: usize, deep: usize) {
        let end = key.len().min(deep + WINDOW);
        let symbols = self.bytes.len() + 1;
        let mut before = if shared == 0 {
            0
        } else {
            self.symbol_of(key, shared - 1)
        };
        for at in shared..end {
            let symbol = self.symbol_of(key, at);
            self.add_pair(before * symbols + symbol);
            before = symbol;
        }
        self.total += (end - shared) as u64;
        if is_whole && deep + WINDOW > key.len() {
            self.add_pair(before * symbols);
        }
    }

    fn symbol_of(&self, key: &[u8], at: usize) -> usize {
        let byte = key.get(at).copied().unwrap_or(0);
        self.symbol.get(usize::from(byte)).copied().unwrap_or(0).into()
    }

    fn add_pair(&mut self, pair: usize) {
        self.weights
            .get_mut(pair)
            .into_iter()
            .for_each(|weight| *weight = weight.saturating_add(1));
    }

    /// Chooses the codes for which codes and the bits of keys together are fewest, within this many bytes.
    pub(super) fn choose(&self, most_bytes: usize) -> Alphabet {
        let symbols = self.bytes.len() + 1;
        // Symbols before, the most frequent first, with what follows them.
        let mut rows: Vec<Row> = (0..symbols).map(|before| self.row(before)).collect();
        rows.retain(|row| !row.symbols.is_empty());
        rows.sort_by_key(|row| (Reverse(row.sum), row.before));
        let mut best = Alphabet::bytes();
        let mut least = 8 * self.total;
        for most in [1, MAX_CLASSES] {
            let grouped = group(&rows, symbols, most);
            for kind in [Kind::Narrow, Kind::Wide] {
                let Some(alphabet) = self.alphabet(&rows, &grouped, kind) else {
                    continue;
                };
                let bits = 8 * alphabet.stored.len() as u64 + alphabet.bits;
                if bits < least && alphabet.stored.len() <= most_bytes {
                    (best, least) = (alphabet, bits);
                }
            }
        }
        best
    }

    fn row(&self, before: usize) -> Row {
        let symbols = self.bytes.len() + 1;
        let stored = |symbol: usize| {
            let byte = symbol.checked_sub(1).and_then(|rank| self.bytes.get(rank));
            byte.map_or(0, |&byte| 1 + usize::from(byte))
        };
        let seen = (0..symbols).filter(|&symbol| self.pairs.has(stored(before), stored(symbol)));
        let weight = |symbol| self.weights.get(before * symbols + symbol).copied().unwrap_or(0);
        let follow: Vec<(usize, u64)> = seen.map(|symbol| (symbol, weight(symbol).into())).collect();
        Row {
            before,
            sum: follow.iter().map(|&(_, weight)| weight).sum(),
            symbols: follow,
        }
    }

    /// Makes codes for rows that are grouped; `None` if they cannot be so short.
    fn alphabet(&self, rows: &[Row], grouped: &[usize], kind: Kind) -> Option<Alphabet> {
        let symbols = self.bytes.len() + 1;
        let count = grouped.iter().max()? + 1;
        let (first, last) = (*self.bytes.first()?, *self.bytes.last()?);
        let mut stored = vec![first, last];
        let eights = usize::from(first / 8)..usize::from(last / 8) + 1;
        stored.extend(eights.map(|eight| {
            let of_eight = self.bytes.iter().filter(|&&byte| usize::from(byte / 8) == eight);
            of_eight.fold(0, |set, byte| set | 1 << (byte % 8))
        }));
        stored.push((count - 1) as u8);
        let mut class_of = vec![0; symbols];
        for (row, &class) in rows.iter().zip(grouped) {
            class_of
                .get_mut(row.before)
                .into_iter()
                .for_each(|of| *of = class as u8);
        }
        if count > 1 {
            let pairs = class_of.chunks(2);
            stored.extend(pairs.map(|two| two.iter().rev().fold(0, |both, class| both << 4 | class)));
        }
        let (mut ends, mut ranges, mut starts) = (vec![0_u8; count.div_ceil(8)], Vec::new(), Vec::new());
        let mut codes = vec![(0, 0); count * symbols];
        let mut bits = 0;
        for class in 0..count {
            let mut weights: Vec<Option<u64>> = vec![None; symbols];
            let of_class = rows.iter().zip(grouped).filter(|&(_, &of)| of == class);
            for &(symbol, weight) in of_class.flat_map(|(row, _)| &row.symbols) {
                let sum = weights.get_mut(symbol)?;
                *sum = Some(sum.unwrap_or(0) + weight);
            }
            let used = || (0..symbols).filter(|&symbol| weights.get(symbol).is_some_and(Option::is_some));
            // A symbol that has never told keys apart gets a sixteenth.
            let halved: Vec<u64> = weights.iter().flatten().map(|weight| 16 * weight + 1).collect();
            let longest = if kind == Kind::Wide { MAX_LEN } else { 8 };
            if halved.len() > 1 << longest {
                return None;
            }
            let mut lens = vec![0; halved.len()];
            halve(&halved, &mut lens, longest);
            let has_end = weights.first()?.is_some();
            if has_end {
                *ends.get_mut(class / 8)? |= 1 << (class % 8);
            }
            let (low, high) = (
                used().find(|&symbol| symbol > 0),
                used().next_back().filter(|&last| last > 0),
            );
            let (low, high) = (low.unwrap_or(2), high.unwrap_or(1));
            ranges.extend([(low - 1) as u8, (high - 1) as u8]);
            // Symbols between two that are used have the start of the next.
            let mut next = low;
            let mut start = 0_u32;
            let at = starts.len();
            for (symbol, &len) in used().zip(&lens) {
                *codes.get_mut(class * symbols + symbol)? = (start as u16, len);
                let places = if symbol == 0 { 1 } else { symbol + 1 - next };
                starts.extend(core::iter::repeat_n(start as u16, places));
                next = next.max(symbol + 1);
                start += 1 << (MAX_LEN - u32::from(len));
                bits += weights.get(symbol).copied().flatten().unwrap_or(0) * u64::from(len);
            }
            starts.remove(at);
        }
        stored.extend(ends);
        stored.extend(ranges);
        for start in starts {
            let [low, high] = start.to_le_bytes();
            if kind == Kind::Wide {
                stored.push(low);
            }
            stored.push(high);
        }
        Some(Alphabet {
            kind,
            stored,
            bits,
            symbol: self.symbol,
            class_of,
            codes,
            symbols,
        })
    }
}

/// What follows a symbol, with the weights.
struct Row {
    before: usize,
    sum: u64,
    symbols: Vec<(usize, u64)>,
}

/// Rows that share a code.
#[derive(Clone)]
struct Group {
    sum: u64,
    /// The weight of each symbol, and the number of rows that have it.
    weights: Vec<(u64, u32)>,
    members: u32,
}

impl Group {
    /// What another row in the group costs, in 256ths of a bit.
    fn cost(&self, row: &Row) -> i64 {
        let mut cost = x_log_x(self.sum + row.sum) - x_log_x(self.sum);
        let mut new = 0;
        for &(symbol, weight) in &row.symbols {
            let (sum, rows) = self.weights.get(symbol).copied().unwrap_or_default();
            cost -= x_log_x(sum + weight) - x_log_x(sum);
            new += i64::from(rows == 0);
        }
        // A start for each symbol, and for a group of its own a range.
        cost + 256 * (8 * new + if self.members == 0 { 16 } else { 0 })
    }

    fn change(&mut self, row: &Row, is_added: bool) {
        let change = |sum: &mut u64, by: u64| *sum = if is_added { *sum + by } else { *sum - by };
        change(&mut self.sum, row.sum);
        self.members = if is_added {
            self.members + 1
        } else {
            self.members - 1
        };
        for &(symbol, weight) in &row.symbols {
            if let Some((sum, rows)) = self.weights.get_mut(symbol) {
                change(sum, weight);
                *rows = if is_added { *rows + 1 } else { *rows - 1 };
            }
        }
    }
}

/// Groups rows of similar weights; returns the group of each.
fn group(rows: &[Row], symbols: usize, most: usize) -> Vec<usize> {
    let empty = Group {
        sum: 0,
        weights: vec![(0, 0); symbols],
        members: 0,
    };
    let mut groups: Vec<Group> = Vec::new();
    let mut of_row: Vec<usize> = Vec::new();
    if most == 1 {
        return vec![0; rows.len()];
    }
    for round in 0..2 {
        for (i, row) in rows.iter().enumerate() {
            if round > 0
                && let Some(old) = of_row.get(i).and_then(|&of| groups.get_mut(of))
            {
                old.change(row, false);
            }
            if groups.len() < most && groups.iter().all(|group| group.members > 0) {
                groups.push(empty.clone());
            }
            let costs = groups.iter().map(|group| group.cost(row)).enumerate();
            let (best, _) = costs.min_by_key(|&(_, cost)| cost).unwrap_or_default();
            groups
                .get_mut(best)
                .into_iter()
                .for_each(|group| group.change(row, true));
            match of_row.get_mut(i) {
                Some(of) => *of = best,
                None => of_row.push(best),
            }
        }
    }
    // Groups without members are left out.
    let number = |of: usize| groups.iter().take(of).filter(|group| group.members > 0).count();
    of_row.into_iter().map(number).collect()
}

/// Returns `x * log2(x)` in 256ths, nearly, from integers alone.
fn x_log_x(x: u64) -> i64 {
    const FEW: [u64; 512] = {
        let mut few = [0; 512];
        let (mut rest, mut x) = (few.as_mut_slice(), 0);
        while let Some((next, more)) = rest.split_first_mut() {
            *next = x * log2(x);
            (rest, x) = (more, x + 1);
        }
        few
    };
    let few = usize::try_from(x).ok().and_then(|x| FEW.get(x));
    few.copied().unwrap_or_else(|| x * log2(x)).cast_signed()
}

/// Returns the binary logarithm in 256ths, with an error of at most 3; 0 for 0.
const fn log2(x: u64) -> u64 {
    if x == 0 {
        return 0;
    }
    let whole = x.ilog2();
    let fraction = (x << (63 - whole) >> 55) & 255;
    256 * whole as u64 + fraction + fraction * (256 - fraction) * 88 / 65_536
}

/// Gives each symbol a length by halving the weights, in their order.
fn halve(weights: &[u64], lens: &mut [u8], longest: u32) {
    if weights.len() <= 1 {
        return;
    }
    lens.iter_mut().for_each(|len| *len += 1);
    let room = 1_usize << (longest - 1);
    let total: u64 = weights.iter().sum();
    let mut left = 0;
    let mut best = (u64::MAX, 1);
    for (i, &weight) in (1..weights.len()).zip(weights) {
        left += weight;
        if i <= room && weights.len() - i <= room {
            best = best.min(((2 * left).abs_diff(total), i));
        }
    }
    let (low, high) = weights.split_at(best.1);
    let (low_lens, high_lens) = lens.split_at_mut(best.1);
    halve(low, low_lens, longest - 1);
    halve(high, high_lens, longest - 1);
}

/// Codes, as a writer needs them.
pub(super) struct Alphabet {
    pub(super) kind: Kind,
    /// Their bytes in a filter.
    pub(super) stored: Vec<u8>,
    /// The bits of all that counted.
    bits: u64,
    symbol: [u16; 256],
    class_of: Vec<u8>,
    /// The codes of each class, in `MAX_LEN` bits, and their lengths.
    codes: Vec<(u16, u8)>,
    symbols: usize,
}

impl Alphabet {
    /// Eight bits a byte.
    pub(super) const fn bytes() -> Self {
        Self {
            kind: Kind::Bytes,
            stored: Vec::new(),
            bits: 0,
            symbol: [0; 256],
            class_of: Vec::new(),
            codes: Vec::new(),
            symbols: 0,
        }
    }

    /// Returns the code of a symbol of a key, or of its end, after the symbol before; and the symbol.
    #[inline]
    pub(super) fn code(&self, before: usize, byte: Option<u8>) -> (u16, u8, usize) {
        if self.kind == Kind::Bytes {
            return byte.map_or((0, 0, 0), |byte| (u16::from(byte) << 8, 8, 0));
        }
        let symbol = byte.map_or(0, |byte| self.symbol_of(byte));
        let class = self.class_of.get(before).copied().unwrap_or(0);
        let at = usize::from(class) * self.symbols + symbol;
        let (code, len) = self.codes.get(at).copied().unwrap_or_default();
        (code, len, symbol)
    }

    #[inline]
    pub(super) fn symbol_of(&self, byte: u8) -> usize {
        self.symbol.get(usize::from(byte)).copied().unwrap_or(0).into()
    }
}
