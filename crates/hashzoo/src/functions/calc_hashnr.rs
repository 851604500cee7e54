//! CalcNrHash: MySQL's `calc_hashnr`.
//!
//! Origin: Michael "Monty" Widenius, `mysys/hash.c` of MySQL (in the GPL release of 2000, and in use before); carried
//! on in MariaDB Connector/C (`libmariadb/ma_hash.c`) and FastDFS (`common/hash.c`). MySQL's collation code computes
//! the same step in `unsigned long`; its low 32 bits agree.
//! <https://github.com/mariadb-corporation/mariadb-connector-c/blob/3.3/libmariadb/ma_hash.c>

use crate::HashInfo;

/// CalcNrHash of `key`: `h ^= ((h & 63) + g) * byte + (h << 8)` over the bytes, from 1, where g is 4, 7, 10, ...
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
        "Colliding keys are easy to construct: not for keys that an attacker chooses.",
    ],
    aliases: &[],
    verification: 0xda5f_1d04,
    hash: |key| calc_hashnr(key) as u64,
    seeded: None,
};

#[cfg(test)]
mod tests {
    use super::calc_hashnr;

    #[test]
    fn known_answers() {
        // `CalcNrHash` in `hash.cpp` of hardcore-os/HashLib, commit 416aacab, built with -funsigned-char. "a" by hand:
        // 1 ^ ((1 + 4) * 97 + 256).
        const KNOWN: [(&[u8], u32); 5] = [
            (b"", 1),
            (b"a", 1 ^ (5 * 97 + 256)),
            (b"abc", 0x02f4_6a46),
            (b"hello world", 0x60a7_36ad),
            (b"\xff", 0x5fa),
        ];
        for (key, value) in KNOWN {
            assert_eq!(calc_hashnr(key), value, "{key:?}");
        }
    }
}
