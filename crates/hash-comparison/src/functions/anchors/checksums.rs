//! Cyclic redundancy checks.

use super::{ANCHOR, FOX};
use crate::functions::Function;
use crate::functions::verify::check_code;

pub(super) const CRC_32: Function = Function {
    name: "CRC-32",
    ident: "crc32",
    output_bits: 32,
    hash: |key| u64::from(crc32fast::hash(key)),
    origin: "crc32fast 1.5.4",
    year: 1975,
    author: "W. Wesley Peterson (method, 1961); the polynomial 0x04c11db7 of Autodin II",
    source: "ISO 3309; RFC 1952, section 8",
    weaknesses: &[
        "Linear: the difference of two values depends on the difference of the keys alone.",
        "Made to find transmission errors, not to spread keys.",
    ],
    aliases: &["crc32fast", "crc-32/iso-hdlc"],
    resistance_reason: "The seed cancels out: keys that collide under one seed collide under all.",
    // The check value of the catalogue of parametrised CRC algorithms, and one more.
    answers: &[(b"", 0), (b"123456789", 0xcbf4_3926), (FOX, 0x414f_a339)],
    verify: |_| {
        check_code(0x3719_db20, 4, |key, seed| {
            let mut hasher = crc32fast::Hasher::new_with_initial(seed);
            hasher.update(key);
            u64::from(hasher.finalize())
        })
    },
    ..ANCHOR
};

pub(super) const CRC_32C: Function = Function {
    name: "CRC-32C",
    ident: "crc32c",
    output_bits: 32,
    hash: |key| u64::from(crc32c::crc32c(key)),
    origin: "crc32c 0.6.9",
    year: 1993,
    author: "Guy Castagnoli, Stefan Bräuer, Martin Herrmann (the polynomial 0x1edc6f41)",
    source: "IEEE Transactions on Communications 41 (6), 1993; RFC 3720, appendix B.4",
    weaknesses: &[
        "Linear: the difference of two values depends on the difference of the keys alone.",
        "Made to find transmission errors, not to spread keys.",
    ],
    aliases: &["crc-32/iscsi", "Castagnoli"],
    resistance_reason: "The seed cancels out: keys that collide under one seed collide under all.",
    // The check value of the catalogue of parametrised CRC algorithms, then 32 bytes of 0x00 and of 0xff from RFC 3720.
    answers: &[
        (b"", 0),
        (b"123456789", 0xe306_9283),
        (&[0; 32], 0x8a91_36aa),
        (&[0xff; 32], 0x62a8_ab43),
    ],
    verify: |_| {
        // The code of SMHasher3.
        check_code(0x6e60_71bd, 4, |key, seed| {
            u64::from(crc32c::crc32c_append(seed, key))
        })
    },
    ..ANCHOR
};
