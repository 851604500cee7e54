//! Codes of bytes, as queries read them: bounds become bits in the order of keys.
//!
//! Each byte is coded by the byte before it, by one of up to 16 alphabetic codes. Symbol 0 is the end of a key, symbol
//! `1 + i` the byte of rank `i` of those that occur.

use core::ops::Bound;

/// The longest code of a symbol, and the width of starts in memory.
pub(super) const MAX_LEN: u32 = 16;
/// The most codes of a filter.
pub(super) const MAX_CLASSES: usize = 16;

/// How a filter's keys became bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Eight bits a byte, and zeros after the end.
    Bytes,
    /// Codes of at most 8 bits.
    Narrow,
    /// Codes of at most 16 bits.
    Wide,
}

/// One code: it has the end of keys or not, the bytes of ranks `first..first + bytes`, and starts from `at` on.
#[derive(Clone, Copy, Default)]
struct Class {
    end: u8,
    first: u8,
    bytes: u16,
    at: u16,
}

impl Class {
    #[inline]
    fn symbols(self) -> usize {
        usize::from(self.end) + usize::from(self.bytes)
    }

    /// The last symbol.
    #[inline]
    fn last(self) -> usize {
        usize::from(self.first) + usize::from(self.bytes)
    }
}

/// A view of a filter's codes.
pub(super) struct Code<'a> {
    kind: Kind,
    /// The bytes that occur, and how many do before each eight.
    set: [u8; 32],
    before: [u8; 32],
    of_symbol: &'a [u8],
    starts: &'a [u8],
    classes: [Class; MAX_CLASSES],
}

impl<'a> Code<'a> {
    /// Reads codes from the start of some bytes; returns the bytes after them too.
    pub(super) fn read(kind: Kind, bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let mut code = Self {
            kind,
            set: [0; 32],
            before: [0; 32],
            of_symbol: &[],
            starts: &[],
            classes: [Class::default(); MAX_CLASSES],
        };
        if kind == Kind::Bytes {
            return Some((code, bytes));
        }
        let &[low, high, ref rest @ ..] = bytes else {
            return None;
        };
        let range = usize::from(low / 8)..usize::from(high / 8) + 1;
        let (set, rest) = rest.split_at_checked(range.end.checked_sub(range.start)?)?;
        code.set.get_mut(range)?.copy_from_slice(set);
        let mut occur = 0;
        for (before, eight) in code.before.iter_mut().zip(&code.set) {
            // 256 only after the last.
            *before = occur as u8;
            occur += eight.count_ones() as usize;
        }
        let (&count, mut rest) = rest.split_first()?;
        let count = usize::from(count) + 1;
        let classes = code.classes.get_mut(..count)?;
        if count > 1 {
            (code.of_symbol, rest) = rest.split_at_checked((occur + 2) / 2)?;
        }
        let (ends, rest) = rest.split_at_checked(count.div_ceil(8))?;
        let (rows, rest) = rest.split_at_checked(2 * count)?;
        let mut at = 0_u16;
        for (i, (class, row)) in classes.iter_mut().zip(rows.as_chunks::<2>().0).enumerate() {
            let &[first, last] = row;
            let end = ends.get(i / 8).map_or(0, |&ends| ends >> (i % 8) & 1);
            let bytes = (u16::from(last) + 1).saturating_sub(first.into());
            *class = Class {
                end,
                first,
                bytes,
                at,
            };
            // At most 16 times 256.
            at += (u16::from(end) + bytes).saturating_sub(1);
        }
        let width = if kind == Kind::Wide { 2 } else { 1 };
        let (starts, rest) = rest.split_at_checked(width * usize::from(at))?;
        code.starts = starts;
        Some((code, rest))
    }

    #[inline]
    fn class_after(&self, symbol: usize) -> Class {
        let class = match self.of_symbol.get(symbol / 2) {
            Some(&two) => two >> (4 * (symbol & 1)) & 15,
            None => 0,
        };
        self.classes.get(usize::from(class)).copied().unwrap_or_default()
    }

    /// The symbol of a byte, or of the next one that occurs, and whether the byte does.
    #[inline]
    fn symbol(&self, byte: u8) -> (usize, bool) {
        let (eight, bit) = (usize::from(byte / 8), 1_u8 << (byte % 8));
        let set = self.set.get(eight).copied().unwrap_or(0);
        let before = self.before.get(eight).copied().unwrap_or(0);
        let rank = usize::from(before) + (set & (bit - 1)).count_ones() as usize;
        (1 + rank, set & bit != 0)
    }

    /// The start of the symbol at a place of a class, in `MAX_LEN` bits.
    #[inline]
    fn start(&self, class: Class, place: usize) -> u32 {
        if place == 0 {
            return 0;
        }
        if place >= class.symbols() {
            return 1 << MAX_LEN;
        }
        let at = usize::from(class.at) + place - 1;
        let stored = if self.kind == Kind::Wide {
            let pair = self.starts.get(2 * at..).and_then(|rest| rest.first_chunk());
            pair.map(|&pair| u32::from(u16::from_le_bytes(pair)))
        } else {
            self.starts.get(at).map(|&start| u32::from(start) << 8)
        };
        stored.unwrap_or(0)
    }

    /// The code of a symbol, left-aligned in `MAX_LEN` bits, and its length, if it occurs in the class.
    #[inline]
    fn of(&self, class: Class, symbol: usize) -> Option<(u32, u32)> {
        let place = match symbol.checked_sub(1) {
            None if class.end == 0 => return None,
            None => 0,
            Some(rank) if rank >= class.first.into() && rank < class.last() => {
                usize::from(class.end) + rank - usize::from(class.first)
            }
            Some(_) => return None,
        };
        let (start, end) = (self.start(class, place), self.start(class, place + 1));
        (start < end).then(|| (start, MAX_LEN - (end - start).ilog2()))
    }

    /// The code of the first symbol of a class that is at least this one.
    fn at_or_after(&self, class: Class, symbol: usize) -> Option<(u32, u32)> {
        (symbol..=class.last()).find_map(|symbol| self.of(class, symbol))
    }

    /// The code of the last symbol of a class before one.
    fn before(&self, class: Class, symbol: usize) -> Option<(u32, u32)> {
        let symbols = 0..symbol.min(class.last() + 1);
        symbols.rev().find_map(|symbol| self.of(class, symbol))
    }
}

/// Which keys a bound admits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Side {
    /// Keys from this one on.
    From,
    /// Keys above this one.
    Above,
    /// Keys up to this one, or below it.
    Until,
    /// Keys up to the last that starts so.
    UntilPrefixed,
}

/// The bits of a bound, one after another, without an end.
#[derive(Clone, Copy)]
struct Cursor<'a> {
    code: &'a Code<'a>,
    key: &'a [u8],
    next: usize,
    symbol: usize,
    side: Side,
    /// Bits that are known, left-aligned, and their number.
    bits: u64,
    known: u32,
    /// What follows the known bits after the end, zeros or ones.
    fill: Option<u64>,
    /// Keys with all these bits are above the bound.
    is_below: bool,
}

impl<'a> Cursor<'a> {
    const fn new(code: &'a Code<'a>, key: &'a [u8], side: Side) -> Self {
        Self {
            code,
            key,
            next: 0,
            symbol: 0,
            side,
            bits: 0,
            known: 0,
            fill: None,
            is_below: false,
        }
    }

    #[inline]
    fn push(&mut self, (code, len): (u32, u32)) {
        self.bits |= u64::from(code) << 48 >> self.known;
        self.known += len;
    }

    fn finish(&mut self, fill: u64) {
        self.bits |= fill.checked_shr(self.known).unwrap_or(0);
        self.fill = Some(fill);
        self.known = u64::BITS;
    }

    /// Takes in the bytes before `limit`, as far as there is room and they have codes.
    #[inline]
    fn refill_before(&mut self, limit: usize) {
        while self.known <= u64::BITS - MAX_LEN
            && self.next < limit
            && let Some(&byte) = self.key.get(self.next)
        {
            if self.code.kind == Kind::Bytes {
                self.push((u32::from(byte) << 8, 8));
            } else {
                let (symbol, occurs) = self.code.symbol(byte);
                match self.code.of(self.code.class_after(self.symbol), symbol) {
                    Some(code) if occurs => self.push(code),
                    _ => return,
                }
                self.symbol = symbol;
            }
            self.next += 1;
        }
    }

    fn refill(&mut self) {
        self.refill_before(self.key.len());
        if self.known > u64::BITS - MAX_LEN || self.fill.is_some() {
            return;
        }
        let byte = self.key.get(self.next).copied();
        let (zeros, ones) = (0, u64::MAX);
        if byte.is_none() && self.side == Side::UntilPrefixed {
            return self.finish(ones);
        }
        if self.code.kind == Kind::Bytes {
            return self.finish(zeros);
        }
        let class = self.code.class_after(self.symbol);
        if byte.is_none()
            && self.side != Side::Above
            && let Some(end) = self.code.of(class, 0)
        {
            self.push(end);
            return self.finish(zeros);
        }
        // What follows in the bound occurs in no stored key.
        let symbol = byte.map_or(usize::from(self.side == Side::Above), |byte| {
            self.code.symbol(byte).0
        });
        if matches!(self.side, Side::From | Side::Above) {
            let next = self.code.at_or_after(class, symbol);
            next.into_iter().for_each(|code| self.push(code));
            self.finish(if next.is_some() { zeros } else { ones });
        } else {
            let last = self.code.before(class, symbol);
            last.into_iter().for_each(|code| self.push(code));
            self.is_below = last.is_none();
            self.finish(if last.is_some() { ones } else { zeros });
        }
    }

    /// Returns the next bits, at most 32, and goes behind them.
    #[inline]
    fn take(&mut self, count: u32) -> u64 {
        if self.known < count {
            self.refill();
        }
        self.shift(count)
    }

    #[inline]
    fn shift(&mut self, count: u32) -> u64 {
        // Two shifts, as the count may be 0.
        let bits = self.bits >> 32 >> (32 - count);
        self.bits <<= count;
        match self.fill {
            Some(fill) => self.bits |= fill & ((1 << count) - 1),
            None => self.known -= count,
        }
        bits
    }
}

/// The bounds of a query, which go through the bits together.
pub(super) struct Bounds<'a> {
    low: Cursor<'a>,
    high: Cursor<'a>,
    /// The number of bytes that both have in common, as long as `low` stands for both.
    same: Option<usize>,
    has_low: bool,
    has_high: bool,
    /// Keys with all bits of the upper bound are above it.
    is_strict: bool,
}

/// Stands for a bound that is not there.
pub(super) const BELOW_ALL: i64 = -1;
pub(super) const ABOVE_ALL: i64 = i64::MAX;

impl<'a> Bounds<'a> {
    /// Makes the bounds of a range.
    pub(super) fn of_range(code: &'a Code<'a>, lower: Bound<&'a [u8]>, upper: Bound<&'a [u8]>) -> Self {
        let (low, from) = match lower {
            Bound::Included(key) => (key, Side::From),
            Bound::Excluded(key) => (key, Side::Above),
            Bound::Unbounded => (&[][..], Side::From),
        };
        let (high, to) = match upper {
            Bound::Included(key) | Bound::Excluded(key) => (key, Side::Until),
            Bound::Unbounded => (&[][..], Side::UntilPrefixed),
        };
        // Eight bits a byte make no difference between a key and the same with zero bytes after it.
        let is_strict =
            matches!(upper, Bound::Excluded(key) if code.kind != Kind::Bytes || key.last() != Some(&0));
        Self::new(code, (low, from), (high, to), is_strict)
    }

    /// Makes the bounds of all keys that start so.
    pub(super) fn of_prefix(code: &'a Code<'a>, start: &'a [u8]) -> Self {
        Self::new(code, (start, Side::From), (start, Side::UntilPrefixed), false)
    }

    fn new(code: &'a Code<'a>, low: (&'a [u8], Side), high: (&'a [u8], Side), is_strict: bool) -> Self {
        let same = low.0.iter().zip(high.0).take_while(|(low, high)| low == high);
        Self {
            same: Some(same.count()),
            low: Cursor::new(code, low.0, low.1),
            high: Cursor::new(code, high.0, high.1),
            has_low: true,
            has_high: true,
            is_strict,
        }
    }

    /// The length of the longer bound in bytes.
    pub(super) fn len(&self) -> usize {
        self.low.key.len().max(self.high.key.len())
    }

    /// Returns the next bits of both, at most 32.
    #[inline]
    pub(super) fn take(&mut self, count: u32) -> (i64, i64) {
        if let Some(same) = self.same {
            if self.low.known < count {
                self.low.refill_before(same);
            }
            if self.low.known >= count {
                let bits = self.low.shift(count).cast_signed();
                return (bits, bits);
            }
            self.part();
        }
        let low = if self.has_low {
            self.low.take(count).cast_signed()
        } else {
            BELOW_ALL
        };
        let high = if self.has_high {
            self.high.take(count).cast_signed()
        } else {
            ABOVE_ALL
        };
        (low, high)
    }

    /// From here on, each bound has its own place.
    fn part(&mut self) {
        if self.same.take().is_some() {
            self.high = Cursor {
                key: self.high.key,
                side: self.high.side,
                ..self.low
            };
        }
    }

    /// Keeps the bounds that the stored bits equal.
    #[inline]
    pub(super) const fn keep(&mut self, low: bool, high: bool) {
        (self.has_low, self.has_high) = (low, high);
    }

    /// Returns true if a key with all bits of the upper bound so far may be within it.
    pub(super) fn admits_equal(&mut self) -> bool {
        self.part();
        self.high.refill();
        while self.high.fill.is_none() && self.high.bits == 0 {
            self.high.shift(self.high.known.min(32));
            self.high.refill();
        }
        let is_zero = self.high.fill == Some(0) && self.high.bits == 0;
        !(is_zero && (self.is_strict || self.high.is_below))
    }
}
