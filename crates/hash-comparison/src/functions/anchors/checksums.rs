//! Cyclic redundancy checks.

use super::{FOX, check_code};
use crate::functions::Function;
use crate::functions::verify::{Answers, check_answers};
use crate::record::{FunctionGroup, Resistance};

pub(super) const CRC_32: Function = Function {
    name: "CRC-32",
    ident: "crc32",
    group: FunctionGroup::Anchor,
    output_bits: 32,
    hash: |key| u64::from(crc32fast::hash(key)),
    origin: "crc32fast 1.5.4",
    licence: "MIT OR Apache-2.0",
    year: 1975,
    author: "W. Wesley Peterson (method, 1961); the polynomial 0x04c11db7 of Autodin II",
    source: "ISO 3309; RFC 1952, section 8",
    weaknesses: &[
        "Linear: the difference of two values depends on the difference of the keys alone.",
        "Made to find transmission errors, not to spread keys.",
    ],
    aliases: &["crc32fast", "crc-32/iso-hdlc"],
    stable: true,
    seed: None,
    resistance: Resistance::None,
    resistance_reason: "The seed cancels out: keys that collide under one seed collide under all.",
    verify: |function| {
        // The check value of the catalogue of parametrised CRC algorithms, and one more.
        const ANSWERS: &Answers = &[(b"", 0), (b"123456789", 0xcbf4_3926), (FOX, 0x414f_a339)];
        check_answers(function, ANSWERS)?;
        check_code(0x3719_db20, 4, |key, seed| {
            let mut hasher = crc32fast::Hasher::new_with_initial(seed);
            hasher.update(key);
            u64::from(hasher.finalize())
        })
    },
};

pub(super) const CRC_32C: Function = Function {
    name: "CRC-32C",
    ident: "crc32c",
    group: FunctionGroup::Anchor,
    output_bits: 32,
    hash: |key| u64::from(crc32c::crc32c(key)),
    origin: "crc32c 0.6.9",
    licence: "MIT OR Apache-2.0",
    year: 1993,
    author: "Guy Castagnoli, Stefan Bräuer, Martin Herrmann (the polynomial 0x1edc6f41)",
    source: "IEEE Transactions on Communications 41 (6), 1993; RFC 3720, appendix B.4",
    weaknesses: &[
        "Linear: the difference of two values depends on the difference of the keys alone.",
        "Made to find transmission errors, not to spread keys.",
    ],
    aliases: &["crc-32/iscsi", "Castagnoli"],
    stable: true,
    seed: None,
    resistance: Resistance::None,
    resistance_reason: "The seed cancels out: keys that collide under one seed collide under all.",
    verify: |function| {
        // The check value of the catalogue of parametrised CRC algorithms, then 32 bytes of 0x00 and of 0xff from RFC 3720.
        const ANSWERS: &Answers = &[
            (b"", 0),
            (b"123456789", 0xe306_9283),
            (&[0; 32], 0x8a91_36aa),
            (&[0xff; 32], 0x62a8_ab43),
        ];
        check_answers(function, ANSWERS)?;
        // SMHasher3's.
        check_code(0x6e60_71bd, 4, |key, seed| {
            u64::from(crc32c::crc32c_append(seed, key))
        })
    },
};
