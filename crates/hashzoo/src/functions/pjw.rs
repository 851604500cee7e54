//! PJW: Peter J. Weinberger's hash of the Dragon Book.
//!
//! Origin: Aho, Sethi, Ullman, *Compilers: Principles, Techniques, and Tools* (1986), p. 436, `hashpjw`. The `.hash`
//! section of ELF uses the same function: [`elf`](super::elf()).

use crate::HashInfo;

/// The four bits that each step takes from the top and folds in again at bits 4 to 7.
const TOP_FOUR_BITS: u32 = 0xf000_0000;

/// PJW hash of `key`: four bits to the left and the byte added; what reaches the top four bits is folded in below.
///
/// Output: 28 bits. Seed: none. Empty key: 0. Never panics.
///
/// ```
/// assert_eq!(hashzoo::pjw(b"abc"), 0x6783);
/// ```
#[inline]
pub const fn pjw(key: &[u8]) -> u32 {
    let mut h = 0_u32;
    let mut rest = key;
    while let [byte, tail @ ..] = rest {
        h = (h << 4).wrapping_add(*byte as u32);
        let top = h & TOP_FOUR_BITS;
        h ^= top ^ (top >> 24);
        rest = tail;
    }
    h
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "PJW",
    ident: "pjw",
    year: 1986,
    author: "Peter J. Weinberger",
    source: "Aho, Sethi, Ullman, Compilers: Principles, Techniques, and Tools (1986), p. 436, hashpjw",
    output_bits: 28,
    seed: None,
    weaknesses: &[
        "Only 28 bits.",
        "Zero bytes in front of a key do not count.",
        "The step is no bijection, and bytes overlap in four bits: on decimal digits it collides twice as often as \
         28 random bits would.",
        "Colliding keys are easy to construct: not for keys that an attacker chooses.",
    ],
    aliases: &["hashpjw", "PJWHash"],
    verification: 0x09c9_6b6c,
    hash: |key| pjw(key) as u64,
    seeded: None,
};

#[cfg(test)]
mod tests {
    use super::pjw;

    #[test]
    fn known_answers() {
        // `elf_hash` of libelf 0.188 and `PJWHash` of Partow's C library.
        const KNOWN: [(&[u8], u32); 5] = [
            (b"", 0),
            (b"a", 0x61),
            (b"abc", 0x6783),
            (b"hello world", 0x0114_ac14),
            (b"\xff", 0xff),
        ];
        for (key, value) in KNOWN {
            assert_eq!(pjw(key), value, "{key:?}");
        }
    }

    #[test]
    fn words_collide() {
        assert_eq!(pjw(b"abatement"), pjw(b"patented"));
    }

    #[test]
    fn zero_bytes_in_front_do_not_count() {
        assert_eq!(pjw(b"\0\0abc"), pjw(b"abc"));
    }
}
