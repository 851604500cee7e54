//! Jenkins's lookup3: the function `hashlittle` of his file.
//!
//! Origin: Bob Jenkins, `lookup3.c`, May 2006, public domain; <https://burtleburtle.net/bob/c/lookup3.c>. Words are
//! little-endian here on every platform; `hashbig` is another function.

use crate::HashInfo;
use crate::weakness::EASY_COLLISIONS_FOR_A_SEED;

/// Returns lookup3 of `key` under `seed`: three words of state, and twelve bytes per step.
///
/// Output: 32 bits. Seed: any, Jenkins's `initval`. Empty key: 0xdeadbeef + `seed`. Never panics; the length enters
/// modulo 2^32.
///
/// ```
/// assert_eq!(hashzoo::lookup3(b"Four score and seven years ago", 0), 0x17770551);
/// ```
#[inline]
pub const fn lookup3(key: &[u8], seed: u32) -> u32 {
    let start = 0xdead_beef_u32.wrapping_add(key.len() as u32).wrapping_add(seed);
    let mut state = [start; 3];
    let mut rest = key;
    // A last block of twelve bytes is finished like a shorter one.
    while rest.len() > 12 {
        let (block, tail) = rest.split_at(12);
        state = mix(added(state, block));
        rest = tail;
    }
    if rest.is_empty() {
        return state[2];
    }
    finish(added(state, rest))
}

/// Adds up to three words to the state. Missing bytes are zero.
#[inline]
const fn added([a, b, c]: [u32; 3], block: &[u8]) -> [u32; 3] {
    let mut bytes = [0; 12];
    let (head, _) = bytes.split_at_mut(block.len());
    head.copy_from_slice(block);
    let [a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3] = bytes;
    [
        a.wrapping_add(u32::from_le_bytes([a0, a1, a2, a3])),
        b.wrapping_add(u32::from_le_bytes([b0, b1, b2, b3])),
        c.wrapping_add(u32::from_le_bytes([c0, c1, c2, c3])),
    ]
}

/// Jenkins's `mix`, which is reversible.
#[inline]
const fn mix([mut a, mut b, mut c]: [u32; 3]) -> [u32; 3] {
    a = a.wrapping_sub(c) ^ c.rotate_left(4);
    c = c.wrapping_add(b);
    b = b.wrapping_sub(a) ^ a.rotate_left(6);
    a = a.wrapping_add(c);
    c = c.wrapping_sub(b) ^ b.rotate_left(8);
    b = b.wrapping_add(a);
    a = a.wrapping_sub(c) ^ c.rotate_left(16);
    c = c.wrapping_add(b);
    b = b.wrapping_sub(a) ^ a.rotate_left(19);
    a = a.wrapping_add(c);
    c = c.wrapping_sub(b) ^ b.rotate_left(4);
    b = b.wrapping_add(a);
    [a, b, c]
}

/// Jenkins's `final`.
#[inline]
const fn finish([mut a, mut b, mut c]: [u32; 3]) -> u32 {
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    (c ^ b).wrapping_sub(b.rotate_left(24))
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "lookup3",
    ident: "lookup3",
    year: 2006,
    author: "Bob Jenkins",
    source: "lookup3.c, hashlittle; https://burtleburtle.net/bob/c/lookup3.c",
    output_bits: 32,
    seed: Some("0, Jenkins's initval"),
    weaknesses: &[EASY_COLLISIONS_FOR_A_SEED],
    aliases: &["Jenkins lookup3", "hashlittle"],
    answers: &[
        (b"", 0xdead_beef),
        (b"Four score and seven years ago", 0x1777_0551),
        (b"a", 0x58d6_8708),
        (b"hello world", 0x4aa9_4e65),
        (b"The quick brown fox jumps over the lazy dog", 0x64a2_cd46),
        (b"\x00\xff\x80", 0x63d5_9419),
    ],
    answers_source: "driver5 of lookup3.c; the last four: lookup3.cpp of SMHasher",
    // SMHasher prints the same code.
    verification: 0x3d83_917a,
    hash: |key| lookup3(key, 0) as u64,
    seeded: Some(|key, seed| lookup3(key, seed) as u64),
};
