//! Filters as queries read them, in place.

use core::ops::Bound;

use super::code::{Bounds, Code, Kind};
use super::layout::{
    KINDS, Lengths, MAX_EXTRA, MAX_ONES, MAX_SUFFIX, ORDERS, PARTS, SKIP, Shape, VERSION, binary_bits,
    extra_bits, kind, kinds, peek, suffix_bits, unfold,
};

/// The most forks, and pieces of edges, that a query reads, and one more for each byte of its longer bound.
const MAX_STEPS: usize = 1 << 12;

/// A filter's header, read.
pub(super) struct Filter<'a> {
    bytes: &'a [u8],
    code: Code<'a>,
    keys: u32,
    /// Suffix bits, in parts, and those that keys have in addition which are not told apart.
    suffix: u32,
    more: u32,
    /// The number that stands in place of an edge's length for keys that are not told apart.
    stop: u64,
    shapes: [u8; KINDS],
    lengths: Lengths,
    /// The first bit of the trie.
    start: u64,
}

/// A part of the trie: bits from `at` on of `keys` keys, of which the first has this rank.
#[derive(Clone, Copy)]
struct Place {
    at: u64,
    keys: u32,
    rank: u32,
    /// The keys of the fork above.
    above: u32,
}

/// The right side of a fork, with the left side and its length, if that is stored.
#[derive(Clone, Copy)]
struct Right {
    left: Place,
    len: Option<u64>,
    keys: u32,
}

/// What a part of the trie of two keys or more begins with.
enum Part {
    /// Keys that are not told apart.
    Stop,
    /// Bits that all keys share, and their number.
    Edge(u32),
    /// A number of keys on the left.
    Fork(u32),
}

impl<'a> Filter<'a> {
    /// Reads a header; `None` if the bytes are no filter.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let &[VERSION, flags, suffix, more, ref rest @ ..] = bytes else {
            return None;
        };
        let code = match flags & 3 {
            0 => Kind::Bytes,
            1 => Kind::Narrow,
            2 => Kind::Wide,
            _ => return None,
        };
        let parts = u32::from(u16::from_le_bytes([suffix, more & 31]));
        let more = 4 * u32::from(more >> 5);
        let (keys, rest) = read_count(rest)?;
        let mut shapes = [0; KINDS];
        let (stored, mut rest) = rest.split_at_checked(kinds(keys).div_ceil(2))?;
        for (two, &both) in shapes.as_chunks_mut().0.iter_mut().zip(stored) {
            *two = [both & 15, both >> 4];
        }
        let mut lengths = Lengths::default();
        if keys > SKIP + 1 {
            let &[low, high, order, ref after @ ..] = rest else {
                return None;
            };
            let (mean, order) = (u32::from(u16::from_le_bytes([low, high])), u32::from(order));
            (lengths, rest) = (Lengths { mean, order }, after);
        }
        let is_known = flags >> 6 == 0
            && keys > 0
            && parts <= PARTS * MAX_SUFFIX
            && more <= MAX_EXTRA
            && ORDERS.contains(&lengths.order)
            && shapes.first().is_some_and(|shape| shape >> 2 == 0);
        let (code, rest) = Code::read(code, rest)?;
        is_known.then(|| Self {
            bytes,
            code,
            keys,
            suffix: parts,
            more,
            stop: u64::from(flags >> 2 & 15),
            shapes,
            lengths,
            start: 8 * (bytes.len() - rest.len()) as u64,
        })
    }

    pub(super) fn range_may_match(&self, lower: Bound<&[u8]>, upper: Bound<&[u8]>) -> bool {
        self.any(Bounds::of_range(&self.code, lower, upper))
    }

    pub(super) fn prefix_may_match(&self, start: &[u8]) -> bool {
        self.any(Bounds::of_prefix(&self.code, start))
    }

    /// Returns true if a key may be within the bounds, or the filter is damaged.
    fn any(&self, mut bounds: Bounds<'_>) -> bool {
        let mut steps = MAX_STEPS.saturating_add(bounds.len());
        let root = Place {
            at: self.start,
            keys: self.keys,
            rank: 0,
            above: 0,
        };
        let mut right = None;
        let found = self.descend(root, &mut bounds, &mut right, &mut steps);
        let (Some(false), Some(right)) = (found, right) else {
            return found.unwrap_or(true);
        };
        // The lower bound lies above all keys on its side of the fork where the bounds part.
        bounds.keep(false, true);
        let found = self
            .right(right, &mut steps)
            .and_then(|place| self.descend(place, &mut bounds, &mut None, &mut steps));
        found.unwrap_or(true)
    }

    /// Returns whether a key below `place` may be within the bounds; `None` if the filter is damaged. Where the bounds
    /// part, it goes on with the lower one and leaves the other side for later.
    #[inline(always)]
    fn descend(
        &self,
        mut place: Place,
        bounds: &mut Bounds<'_>,
        later: &mut Option<Right>,
        steps: &mut usize,
    ) -> Option<bool> {
        loop {
            let mut at = place.at;
            let part = if place.keys == 1 {
                Part::Stop
            } else {
                self.part(&mut at, place.keys, steps)?
            };
            let left = match part {
                Part::Stop => {
                    let count = self.leaf_bits(place.rank, place.keys, place.above);
                    let bits = self.bits(&mut at, count)?;
                    let (low, high) = bounds.take(count);
                    return Some(low <= bits && (bits < high || bits == high && bounds.admits_equal()));
                }
                Part::Edge(mut len) => {
                    while len > 0 {
                        let count = len.min(32);
                        len -= count;
                        *steps = steps.checked_sub(1)?;
                        let bits = self.bits(&mut at, count)?;
                        let (low, high) = bounds.take(count);
                        if bits < low || high < bits {
                            return Some(false);
                        }
                        if low < bits && bits < high {
                            return Some(true);
                        }
                        if low != high {
                            bounds.keep(low == bits, high == bits);
                        }
                    }
                    self.left_count(&mut at, place.keys, false)??
                }
                Part::Fork(left) => left,
            };
            let len = self.length(&mut at, left)?;
            let keys = place.keys;
            let side = Place {
                at,
                keys: left,
                rank: place.rank,
                above: keys,
            };
            let right = Right {
                left: side,
                len,
                keys,
            };
            place = match bounds.take(1) {
                (0 | super::code::BELOW_ALL, 0) => side,
                (1, 1 | super::code::ABOVE_ALL) => self.right(right, steps)?,
                (0, 1) => {
                    *later = Some(right);
                    bounds.keep(true, false);
                    side
                }
                // One side is empty, or whole.
                (low, high) => return Some(low < high),
            };
        }
    }

    /// The next bits, at most 32.
    #[inline]
    fn bits(&self, at: &mut u64, count: u32) -> Option<i64> {
        let bits = peek(self.bytes, *at) >> 32 >> (32 - count);
        *at += u64::from(count);
        // Only here, as forks after the end decide nothing.
        (*at <= 8 * self.bytes.len() as u64).then_some(bits.cast_signed())
    }

    /// Reads what begins at `at` for two keys or more.
    #[inline(always)]
    fn part(&self, at: &mut u64, keys: u32, steps: &mut usize) -> Option<Part> {
        *steps = steps.checked_sub(1)?;
        if let Some(left) = self.left_count(at, keys, true)? {
            return Some(Part::Fork(left));
        }
        let number = self.exp_golomb(at, 0)?;
        if number == self.stop {
            return Some(Part::Stop);
        }
        let len = number + u64::from(number < self.stop);
        Some(Part::Edge(len.try_into().ok()?))
    }

    /// Reads the number of keys on the left; `None` inside stands for an edge, if that may be.
    #[inline(always)]
    fn left_count(&self, at: &mut u64, keys: u32, or_edge: bool) -> Option<Option<u32>> {
        let shape = Shape::of(keys, self.shapes.get(kind(keys)).copied()?);
        let (slots, edge) = if or_edge {
            (shape.slots + 1, shape.edge)
        } else {
            (shape.slots, u32::MAX)
        };
        let word = peek(self.bytes, *at);
        let ones = word.leading_ones();
        let number = if slots > MAX_ONES + 1 && ones >= MAX_ONES {
            let count = binary_bits(keys);
            *at += u64::from(MAX_ONES + count);
            word << MAX_ONES >> (u64::BITS - count)
        } else {
            let slot = ones.min(slots - 1);
            // The last slot needs no zero.
            let used = slot + u32::from(slot + 1 < slots);
            if slot == edge {
                *at += u64::from(used);
                return Some(None);
            }
            let high = u64::from(slot - u32::from(slot > edge));
            *at += u64::from(used + shape.rest);
            high << shape.rest | word << used >> 32 >> (32 - shape.rest)
        };
        let left = unfold(number as u32, keys);
        (left > 0 && left < keys).then_some(Some(left))
    }

    /// Reads a number in an exponential Golomb code.
    #[inline]
    fn exp_golomb(&self, at: &mut u64, order: u32) -> Option<u64> {
        let zeros = peek(self.bytes, *at).leading_zeros();
        let count = zeros + order + 1;
        if count > 48 {
            return None;
        }
        let number = peek(self.bytes, *at + u64::from(zeros)) >> (u64::BITS - count);
        *at += u64::from(zeros + count);
        Some(number - (1 << order))
    }

    /// Reads the length of a left side, if it is stored.
    #[inline]
    fn length(&self, at: &mut u64, left: u32) -> Option<Option<u64>> {
        if left <= SKIP {
            return Some(None);
        }
        let number = self.exp_golomb(at, self.lengths.order(left))?;
        let expected = self.lengths.expected(left);
        let len = if number & 1 == 1 {
            expected.checked_sub(number / 2 + 1)?
        } else {
            expected + number / 2
        };
        Some(Some(len))
    }

    #[inline]
    fn leaf_bits(&self, rank: u32, keys: u32, above: u32) -> u32 {
        suffix_bits(rank, self.suffix) + if keys > 1 { self.more } else { extra_bits(above) }
    }

    #[inline]
    fn right(&self, right: Right, steps: &mut usize) -> Option<Place> {
        let left = right.left;
        let at = match right.len {
            Some(len) => left.at + len,
            None => self.pass(left, steps)?,
        };
        Some(Place {
            at,
            keys: right.keys - left.keys,
            rank: left.rank.wrapping_add(left.keys),
            above: right.keys,
        })
    }

    /// Returns where a part of at most `SKIP` keys ends.
    fn pass(&self, place: Place, steps: &mut usize) -> Option<u64> {
        // Right sides to come, and the keys of their forks: there are fewer than keys.
        let mut stack = [(0_u8, 0_u8); SKIP as usize];
        let mut depth = 0;
        let Place {
            mut at,
            mut keys,
            above: mut fork,
            ..
        } = place;
        // All suffix bits before a rank are this, divided.
        let suffix = u64::from(self.suffix);
        let mut sum = u64::from(place.rank) * suffix;
        let mut leaves = |keys: u32| {
            let before = sum / u64::from(PARTS);
            sum += u64::from(keys) * suffix;
            sum / u64::from(PARTS) - before
        };
        loop {
            while keys > 1 {
                let left = match self.part(&mut at, keys, steps)? {
                    Part::Stop => break,
                    Part::Fork(left) => left,
                    Part::Edge(len) => {
                        at += u64::from(len);
                        self.left_count(&mut at, keys, false)??
                    }
                };
                if keys == 2 {
                    // Half of all forks: both leaves at once.
                    (fork, keys) = (2, 1);
                    at += leaves(1);
                    break;
                }
                *stack.get_mut(depth)? = ((keys - left) as u8, keys as u8);
                depth += 1;
                (fork, keys) = (keys, left);
            }
            at += if keys == 1 {
                leaves(1) + u64::from(extra_bits(fork))
            } else {
                let first = leaves(1);
                leaves(keys - 1);
                first + u64::from(self.more)
            };
            let Some(next) = depth.checked_sub(1) else {
                return Some(at);
            };
            depth = next;
            (keys, fork) = stack.get(depth).map(|&(keys, fork)| (keys.into(), fork.into()))?;
        }
    }
}

/// Reads a number of at most 32 bits, seven a byte, the lowest first.
fn read_count(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let mut count = 0_u64;
    for (i, &byte) in bytes.iter().enumerate().take(5) {
        count |= u64::from(byte & 127) << (7 * i);
        if byte < 128 {
            return Some((count.try_into().ok()?, bytes.get(i + 1..)?));
        }
    }
    None
}
