//! SuperFastHash: Paul Hsieh's hash of 16 bits at a time.
//!
//! Origin: Paul Hsieh (2004), <http://www.azillionmonkeys.com/qed/hash.html>. The tail is read as a signed `char`, on
//! every platform: Hsieh's code has the casts. It starts at the length of the key; copies differ in this (SMHasher's
//! first copy started at 0, a later one at the length plus the seed). Chromium has the original, in
//! `base/third_party/superfasthash`.

use crate::HashInfo;
use crate::weakness::EASY_COLLISIONS;

/// Returns SuperFastHash of `key`: 4 bytes per step from the key's length on, then the last 1 to 3, then a last mixing.
///
/// Output: 32 bits. Seed: none. Empty key: 0. Never panics; the length enters modulo 2^32.
///
/// ```
/// use std::collections::HashSet;
///
/// assert_eq!(hashzoo::superfasthash(b"abc"), 0xd2be198a);
/// // Of 100,000 numbers of nine digits, 4,000 share all 32 bits with one before. An ideal hash would have about one.
/// let values = (100_000_000..100_100_000).map(|number| hashzoo::superfasthash(number.to_string().as_bytes()));
/// assert_eq!(values.collect::<HashSet<u32>>().len(), 100_000 - 4_000);
/// ```
#[inline]
pub const fn superfasthash(key: &[u8]) -> u32 {
    from(key.len() as u32, key)
}

/// Returns the hash from another start value.
#[inline]
const fn from(start: u32, key: &[u8]) -> u32 {
    let (mut h, mut rest) = (start, key);
    while let Some((&[a, b, c, d], after)) = rest.split_first_chunk() {
        h = mix(h.wrapping_add(pair(a, b)), 16, pair(c, d) << 11, 11);
        rest = after;
    }
    h = match *rest {
        [a, b, c] => mix(h.wrapping_add(pair(a, b)), 16, (c as i8 as u32) << 18, 11),
        [a, b] => mix(h.wrapping_add(pair(a, b)), 11, 0, 17),
        [a] => mix(h.wrapping_add(a as i8 as u32), 10, 0, 1),
        _ => h,
    };
    mix(mix(mix(h, 3, 0, 5), 4, 0, 17), 25, 0, 6)
}

const fn pair(low: u8, high: u8) -> u32 {
    u16::from_le_bytes([low, high]) as u32
}

/// Xors `h` with itself shifted left and with `word`, then adds itself shifted right.
const fn mix(h: u32, left: u32, word: u32, right: u32) -> u32 {
    let h = h ^ (h << left) ^ word;
    h.wrapping_add(h >> right)
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "SuperFastHash",
    ident: "superfasthash",
    year: 2004,
    author: "Paul Hsieh",
    source: "http://www.azillionmonkeys.com/qed/hash.html",
    output_bits: 32,
    seed: None,
    weaknesses: &[
        "A change in one step is often undone by the next: of 100,000 numbers of nine digits, 4,000 share all 32 bits \
         with one before (\"100000018\" and \"100080000\").",
        "A step is no bijection: it adds bits shifted right.",
        "A tail byte above 0x7f is negative, and the key of the one byte 0xff has the value of the empty key.",
        EASY_COLLISIONS,
    ],
    aliases: &["Hsieh"],
    answers: &[
        (b"", 0),
        (b"a", 0x115e_a782),
        (b"abc", 0xd2be_198a),
        (b"hello world", 0xa68c_6882),
        (b"The quick brown fox jumps over the lazy dog", 0x05bf_7ce3),
        (b"\xff", 0),
        (b"\x00\xff\x80", 0xb865_2bd5),
    ],
    answers_source: "Hsieh's code as Chromium has it (base/third_party/superfasthash), compiled and run",
    verification: 0xac65_a393,
    hash: |key| superfasthash(key) as u64,
    seeded: None,
};

#[cfg(test)]
mod tests {
    use super::from;

    /// SMHasher's first copy started at 0, and its code is published.
    #[test]
    fn the_steps_are_those_of_smhasher() {
        let code = crate::verification_value(|key, _| from(0, key).into(), 4);
        assert_eq!(code, 0x980a_cd1d);
    }
}
