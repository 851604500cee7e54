//! BKDRHash: Kernighan and Ritchie's polynomial with the multiplier 131, cut to 31 bits.
//!
//! Origin: Kernighan and Ritchie, *The C Programming Language*, 2nd edition (1988), p. 144, with 31; Arash Partow's
//! General Purpose Hash Function Algorithms (2002, MIT) gave it the name and 131, and returns all 32 bits:
//! [`bkdr131_full32`]. The mask is that of the published comparison and of many copies. With 31 it is Java's
//! `String.hashCode`: [`bkdr31`]. 1313 and 13131 are met too: [`bkdr_full32`] takes any multiplier.
//! <https://www.partow.net/programming/hashfunctions/>

use super::LOW_31_BITS;
use crate::HashInfo;

/// BKDRHash of `key`: the low 31 bits of [`bkdr131_full32`].
///
/// Output: 31 bits. Seed: none. Empty key: 0. Never panics.
///
/// ```
/// assert_eq!(hashzoo::bkdr(b"abc"), 0x1998f2);
/// ```
#[inline]
pub const fn bkdr(key: &[u8]) -> u32 {
    bkdr131_full32(key) & LOW_31_BITS
}

/// The polynomial `h = MULTIPLIER * h + byte` over the bytes, from 0.
///
/// Output: 32 bits. Seed: none. Empty key: 0. Never panics. An even multiplier forgets all but the last 32 bytes.
#[inline]
pub const fn bkdr_full32<const MULTIPLIER: u32>(key: &[u8]) -> u32 {
    let mut h = 0_u32;
    let mut rest = key;
    while let [byte, tail @ ..] = rest {
        h = h.wrapping_mul(MULTIPLIER).wrapping_add(*byte as u32);
        rest = tail;
    }
    h
}

/// BKDRHash as Partow's library has it: [`bkdr_full32`] with 131.
///
/// Output: 32 bits. Seed: none. Empty key: 0. Never panics.
#[inline]
pub const fn bkdr131_full32(key: &[u8]) -> u32 {
    bkdr_full32::<131>(key)
}

/// Kernighan and Ritchie's hash: [`bkdr_full32`] with 31.
///
/// For text of code points up to 255 whose bytes are its Latin-1 form (ASCII above all), it is the value of Java's
/// `String.hashCode`, as unsigned; Java sums UTF-16 units, so UTF-8 bytes of other text give other values.
///
/// Output: 32 bits. Seed: none. Empty key: 0. Never panics.
///
/// ```
/// assert_eq!(hashzoo::bkdr31(b"hello world") as i32, 1794106052);
/// ```
#[inline]
pub const fn bkdr31(key: &[u8]) -> u32 {
    bkdr_full32::<31>(key)
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "BKDRHash",
    ident: "bkdr",
    year: 2002,
    author: "Brian Kernighan and Dennis Ritchie; Arash Partow (multiplier 131)",
    source: "Arash Partow, General Purpose Hash Function Algorithms, \
             https://www.partow.net/programming/hashfunctions/, after Kernighan and Ritchie, The C Programming \
             Language, 2nd edition (1988), p. 144; masked to 31 bits: hash.cpp of github.com/hardcore-os/HashLib (2021)",
    output_bits: 31,
    seed: None,
    weaknesses: &[
        "Only 31 bits.",
        "Zero bytes in front of a key do not count.",
        "Output bit j depends only on bits 0 to j of the bytes, so the low bits are poor: tables of a power of two \
         size suffer.",
        "Colliding keys are easy to construct: not for keys that an attacker chooses.",
    ],
    aliases: &[],
    verification: 0x1024_6c6a,
    hash: |key| bkdr(key) as u64,
    seeded: None,
};

pub(super) static FULL32: HashInfo = HashInfo {
    name: "BKDRHash-full32",
    ident: "bkdr131_full32",
    source: "Arash Partow, General Purpose Hash Function Algorithms, \
             https://www.partow.net/programming/hashfunctions/",
    output_bits: 32,
    weaknesses: &[
        "Zero bytes in front of a key do not count.",
        "Output bit j depends only on bits 0 to j of the bytes, so the low bits are poor: tables of a power of two \
         size suffer.",
        "Colliding keys are easy to construct: not for keys that an attacker chooses.",
    ],
    verification: 0x0e8c_326a,
    hash: |key| bkdr131_full32(key) as u64,
    ..INFO
};

pub(super) static MULTIPLIER_31: HashInfo = HashInfo {
    name: "Java-hashCode",
    ident: "bkdr31",
    year: 1988,
    author: "Brian Kernighan and Dennis Ritchie",
    source: "Kernighan and Ritchie, The C Programming Language, 2nd edition (1988), p. 144; java.lang.String.hashCode",
    output_bits: 32,
    weaknesses: &[
        "The multiplier is smaller than the range of a letter: two letters already collide (\"Aa\" and \"BB\").",
        "Zero bytes in front of a key do not count.",
        "Output bit j depends only on bits 0 to j of the bytes, so the low bits are poor: tables of a power of two \
         size suffer.",
        "Colliding keys are easy to construct: not for keys that an attacker chooses.",
    ],
    aliases: &["String.hashCode"],
    verification: 0x69cb_1e92,
    hash: |key| bkdr31(key) as u64,
    ..INFO
};

#[cfg(test)]
mod tests {
    use super::{bkdr, bkdr31, bkdr131_full32};

    #[test]
    fn known_answers() {
        // `BKDRHash` of Partow's C library; the left value is its low 31 bits.
        const KNOWN: [(&[u8], u32, u32); 5] = [
            (b"", 0, 0),
            (b"a", 0x61, 0x61),
            (b"abc", 0x0019_98f2, 0x0019_98f2),
            (b"0123456789", 0x1682_1965, 0x9682_1965),
            (b"\xff", 0xff, 0xff),
        ];
        for (key, masked, full) in KNOWN {
            assert_eq!((bkdr(key), bkdr131_full32(key)), (masked, full), "{key:?}");
        }
    }

    #[test]
    fn known_answers_of_java() {
        // `java.lang.String.hashCode`.
        assert_eq!(bkdr31(b""), 0);
        assert_eq!(bkdr31(b"abc"), 96354);
        assert_eq!(bkdr31(b"hello world"), 1_794_106_052);
        assert_eq!(bkdr31(b"Aa"), bkdr31(b"BB"));
    }

    #[test]
    fn zero_bytes_in_front_do_not_count() {
        assert_eq!(bkdr131_full32(b"\0\0abc"), bkdr131_full32(b"abc"));
    }
}
