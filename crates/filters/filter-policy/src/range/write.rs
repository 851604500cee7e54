//! The bytes of a filter.

use alloc::vec::Vec;

use super::alphabet::Alphabet;
use super::builder::put_count;
use super::code::Kind;
use super::layout::{
    KINDS, MAX_ONES, SKIP, Shape, VERSION, binary_bits, extra_bits, fold, kind, kinds, peek, suffix_bits,
};
use super::plan::{Plan, edge_number};
use super::trie::{Bits, Trie};
use crate::building::reserve;
use crate::error::Error;

/// The length of a header without codes.
pub(super) const fn header_len(keys: u32) -> usize {
    let count = if keys < 128 {
        1
    } else {
        (keys.ilog2() / 7 + 1) as usize
    };
    let kinds = if keys < 2 {
        0
    } else if keys < 256 {
        keys.ilog2() as usize
    } else {
        KINDS
    };
    4 + count + kinds.div_ceil(2) + if keys > SKIP + 1 { 3 } else { 0 }
}

/// The code of a left count, or of an edge, and its length, at most 47 bits.
#[inline]
pub(super) fn slot(keys: u32, left: Option<u32>, or_edge: bool, shapes: &[u8; KINDS]) -> (u64, u32) {
    let shape = Shape::of(keys, shapes.get(kind(keys)).copied().unwrap_or(0));
    let (slots, edge) = if or_edge {
        (shape.slots + 1, shape.edge)
    } else {
        (shape.slots, u32::MAX)
    };
    let number = left.map_or(0, |left| fold(left, keys));
    let slot = match left {
        None => edge,
        Some(_) => (number >> shape.rest) + u32::from(number >> shape.rest >= edge),
    };
    if slots > MAX_ONES + 1 && slot >= MAX_ONES {
        let count = binary_bits(keys);
        return (
            ((1 << MAX_ONES) - 1) << count | u64::from(number),
            MAX_ONES + count,
        );
    }
    // The last slot needs no zero.
    let zero = u32::from(slot + 1 < slots);
    let ones = ((1_u64 << slot) - 1) << zero;
    let rest = if left.is_some() { shape.rest } else { 0 };
    (
        ones << rest | u64::from(number) & ((1 << rest) - 1),
        slot + zero + rest,
    )
}

/// The exponential Golomb code of a number, and its length.
#[inline]
pub(super) const fn exp_golomb(number: u64, order: u32) -> (u64, u32) {
    let code = number + (1 << order);
    (code, 2 * code.ilog2() - order + 1)
}

/// What follows in the trie.
enum Next {
    Fork(usize),
    /// A key alone, beside a fork of so many.
    Leaf(u32),
}

/// Writes a filter.
pub(super) fn filter(trie: &Trie, alphabet: &Alphabet, plan: &Plan) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    // The writer of bits appends whole words.
    reserve(&mut bytes, plan.len(trie, alphabet) + 8)?;
    let kind = match alphabet.kind {
        Kind::Bytes => 0,
        Kind::Narrow => 1,
        Kind::Wide => 2,
    };
    let suffix = plan.suffix | (plan.more() / 4) << 13;
    bytes.extend([
        VERSION,
        kind | (plan.stop() << 2) as u8,
        suffix as u8,
        (suffix >> 8) as u8,
    ]);
    put_count(&mut bytes, trie.keys.into());
    let shapes = plan.shapes.get(..kinds(trie.keys)).unwrap_or_default();
    bytes.extend(
        shapes
            .chunks(2)
            .map(|two| two.iter().rev().fold(0, |both, shape| both << 4 | shape)),
    );
    if trie.keys > SKIP + 1 {
        let [low, high, ..] = plan.lengths.mean.to_le_bytes();
        bytes.extend([low, high, plan.lengths.order as u8]);
    }
    bytes.extend_from_slice(&alphabet.stored);
    if plan.fits {
        bytes = write_trie(trie, plan, Bits::after(bytes))?;
    }
    Ok(bytes)
}

fn write_trie(trie: &Trie, plan: &Plan, mut out: Bits) -> Result<Vec<u8>, Error> {
    let put = |out: &mut Bits, (code, mut len): (u64, u32)| {
        while len > 32 {
            let first = (len - 1) % 32 + 1;
            len -= first;
            out.put(code.checked_shr(len).unwrap_or(0) & u64::from(u32::MAX), first);
        }
        out.put(code & ((1 << len) - 1), len);
    };
    // The next of the keys' bits, of which some are copied.
    let mut at = 0_u64;
    let copy = |out: &mut Bits, mut at: u64, mut count: u32| {
        while count > 0 {
            let now = count.min(32);
            out.put(peek(&trie.bits, at) >> 32 >> (32 - now), now);
            (at, count) = (at + u64::from(now), count - now);
        }
    };
    let mut rank = 0;
    let mut next = Vec::new();
    next.push(if trie.forks.is_empty() {
        Next::Leaf(0)
    } else {
        Next::Fork(0)
    });
    while let Some(part) = next.pop() {
        let (place, fork) = match part {
            Next::Leaf(above) => {
                copy(&mut out, at, suffix_bits(rank, plan.suffix) + extra_bits(above));
                at += u64::from(trie.suffix);
                rank += 1;
                continue;
            }
            Next::Fork(place) => (place, trie.forks.get(place).copied().unwrap_or_default()),
        };
        let keys = fork.keys;
        if plan.stops(place, &fork) {
            put(&mut out, slot(keys, None, true, &plan.shapes));
            put(&mut out, exp_golomb(plan.stop().into(), 0));
            copy(&mut out, at, suffix_bits(rank, plan.suffix) + plan.more());
            let below = trie
                .forks
                .get(place..place + keys as usize - 1)
                .unwrap_or_default();
            at += below.iter().map(|fork| u64::from(fork.edge) + 1).sum::<u64>();
            at += u64::from(trie.suffix) * u64::from(keys);
            rank += keys;
            continue;
        }
        if fork.edge > 0 {
            put(&mut out, slot(keys, None, true, &plan.shapes));
            put(&mut out, exp_golomb(edge_number(fork.edge, plan.stop()), 0));
            copy(&mut out, at, fork.edge);
        }
        put(
            &mut out,
            slot(keys, Some(fork.left), fork.edge == 0, &plan.shapes),
        );
        if fork.left > SKIP {
            put(&mut out, plan.stored_length(place, &fork));
        }
        at += u64::from(fork.edge) + 1;
        reserve(&mut next, 2)?;
        let right = place + fork.left as usize;
        next.push(if keys - fork.left == 1 {
            Next::Leaf(keys)
        } else {
            Next::Fork(right)
        });
        next.push(if fork.left == 1 {
            Next::Leaf(keys)
        } else {
            Next::Fork(place + 1)
        });
    }
    Ok(out.finish())
}
