//! CalcNrHash: MySQL's `calc_hashnr`.
//!
//! Origin: Michael "Monty" Widenius, `mysys/hash.c` of MySQL (in the GPL release of 2000, and in use before). MariaDB
//! Connector/C (`libmariadb/ma_hash.c`) and FastDFS (`common/hash.c`) still have it. MySQL's collation code computes
//! the same step in `unsigned long`; the low 32 bits agree.
//! <https://github.com/mariadb-corporation/mariadb-connector-c/blob/3.3/libmariadb/ma_hash.c>

use crate::HashInfo;
use crate::weakness::EASY_COLLISIONS;

/// Returns CalcNrHash of `key`: `h ^= ((h & 63) + g) * byte + (h << 8)` over the bytes, from 1, with g = 4, 7, 10, ...
///
/// Output: 32 bits. Seed: none. Empty key: 1. Never panics.
///
/// ```
/// assert_eq!(hashzoo::calc_hashnr(b"abc"), 0x2f46a46);
/// ```
#[inline]
pub const fn calc_hashnr(key: &[u8]) -> u32 {
    let mut h = 1_u32;
    let mut growing = 4_u32;
    let mut rest = key;
    while let [byte, tail @ ..] = rest {
        h ^= (h & 63)
            .wrapping_add(growing)
            .wrapping_mul(*byte as u32)
            .wrapping_add(h << 8);
        growing = growing.wrapping_add(3);
        rest = tail;
    }
    h
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "CalcNrHash",
    ident: "calc_hashnr",
    year: 2000,
    author: "Michael Widenius",
    source: "MySQL, mysys/hash.c, calc_hashnr; today MariaDB Connector/C, libmariadb/ma_hash.c",
    output_bits: 32,
    seed: None,
    weaknesses: &[
        "The step is far from a bijection: one byte leaves 9.4 % of the states reachable.",
        EASY_COLLISIONS,
    ],
    aliases: &[],
    answers: &[
        (b"", 1),
        (b"abc", 0x02f4_6a46),
        (b"The quick brown fox jumps over the lazy dog", 0xea27_43c4),
        (b"\x00\xff\x80", 0x010b_1379),
    ],
    answers_source: "hash.cpp of github.com/hardcore-os/HashLib, built with -funsigned-char",
    verification: 0xda5f_1d04,
    hash: |key| calc_hashnr(key) as u64,
    seeded: None,
};
