//! FNV-1a, 64 bits; the forms of 32 bits are in `hashzoo`.

use super::{ANCHOR, written};
use crate::functions::Function;
use crate::functions::verify::check_code;

pub(super) const FNV_1A: Function = Function {
    name: "FNV-1a 64",
    ident: "fnv1a_64",
    hash: |key| written(fnv::FnvHasher::default(), key),
    origin: "fnv 1.0.7",
    year: 2003,
    author: "Glenn Fowler, Landon Curt Noll, Phong Vo",
    source: "RFC 9923; http://www.isthe.com/chongo/tech/comp/fnv/; hash_64a.c of https://github.com/lcn2/fnv (2003)",
    weaknesses: &[
        "The low bits of the value depend on the low bits of the key's bytes alone.",
        "On short keys the high bits are poor: tables that take them suffer.",
        "A byte at a time, each step waiting for the one before.",
    ],
    aliases: &["fnv-1a-64", "fnv64a"],
    // From Noll's own test vectors.
    answers: &[
        (b"", 0xcbf2_9ce4_8422_2325),
        (b"a", 0xaf63_dc4c_8601_ec8c),
        (b"foobar", 0x8594_4171_f739_67e8),
    ],
    verify: |_| {
        check_code(0x1034_55fc, 8, |key, seed| {
            written(
                fnv::FnvHasher::with_key(u64::from(seed) ^ 0xcbf2_9ce4_8422_2325),
                key,
            )
        })
    },
    ..ANCHOR
};
