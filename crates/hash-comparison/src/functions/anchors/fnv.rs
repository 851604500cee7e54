//! FNV-1a, 64 bits; the forms of 32 bits are in `hashzoo`.

use std::hash::Hasher as _;

use super::check_code;
use crate::functions::Function;
use crate::functions::verify::{Answers, check_answers};
use crate::record::{FunctionGroup, Resistance};

pub(super) const FNV_1A: Function = Function {
    name: "FNV-1a",
    ident: "fnv1a",
    group: FunctionGroup::Anchor,
    output_bits: 64,
    hash: |key| {
        let mut hasher = fnv::FnvHasher::default();
        hasher.write(key);
        hasher.finish()
    },
    origin: "fnv 1.0.7",
    licence: "MIT OR Apache-2.0",
    year: 2003,
    author: "Glenn Fowler, Landon Curt Noll, Phong Vo",
    source: "RFC 9923; http://www.isthe.com/chongo/tech/comp/fnv/; hash_64a.c of https://github.com/lcn2/fnv (2003)",
    weaknesses: &[
        "The low bits of the value depend on the low bits of the key's bytes alone.",
        "A byte at a time, each step waiting for the one before.",
    ],
    aliases: &["fnv-1a-64", "fnv64a"],
    stable: true,
    seed: None,
    resistance: Resistance::None,
    resistance_reason: "No seed: keys that collide are made once, and collide in every program.",
    verify: |function| {
        // From Noll's own test vectors.
        const ANSWERS: &Answers = &[
            (b"", 0xcbf2_9ce4_8422_2325),
            (b"a", 0xaf63_dc4c_8601_ec8c),
            (b"foobar", 0x8594_4171_f739_67e8),
        ];
        check_answers(function, ANSWERS)?;
        check_code(0x1034_55fc, 8, |key, seed| {
            let mut hasher = fnv::FnvHasher::with_key(u64::from(seed) ^ 0xcbf2_9ce4_8422_2325);
            hasher.write(key);
            hasher.finish()
        })
    },
};
