//! Google's CityHash; FarmHash's fingerprint is in `hashzoo`.

use super::{ANCHOR, FOX};
use crate::functions::Function;
use crate::functions::verify::check_code;

pub(super) const CITY_HASH_64: Function = Function {
    name: "CityHash64",
    ident: "cityhash64",
    hash: |key| cityhasher::hash::<u64>(key),
    origin: "cityhasher 0.1.0",
    year: 2011,
    author: "Geoff Pike, Jyrki Alakuijala",
    source: "https://github.com/google/cityhash, city.cc, version 1.1",
    weaknesses: &[
        "Versions before 1.1 give other values.",
        "Colliding keys are easy to construct: not for keys that an attacker chooses.",
    ],
    aliases: &["CityHash", "CityHash64 v1.1"],
    // From Google's city.cc, compiled and run.
    answers: &[
        (b"", 0x9ae1_6a3b_2f90_404f),
        (b"a", 0xb345_4265_b6df_75e3),
        (b"hello world", 0x588f_b747_8bd6_b01b),
        (FOX, 0xc268_7249_28fe_ca7d),
    ],
    verify: |function| {
        // SMHasher's "City64noSeed" and "City64".
        check_code(0x4c4e_54b1, 8, |key, _| (function.hash)(key))?;
        check_code(0x5fab_c5c5, 8, |key, seed| {
            cityhasher::hash_with_seed::<u64>(key, u64::from(seed))
        })
    },
    ..ANCHOR
};
