//! MurmurHash3, 32 bits; the form of 128 bits is in `hashzoo`.

use super::{ANCHOR, FOX};
use crate::functions::Function;
use crate::functions::verify::check_code;
use crate::record::Resistance;

pub(super) const MURMUR_HASH_3: Function = Function {
    name: "MurmurHash3",
    ident: "murmur3_32",
    output_bits: 32,
    // Not crate `murmur3`, which reads the key through `std::io::Read` and takes more than twice the time.
    hash: |key| u64::from(murmurhash32::murmurhash3_with_seed::<0>(key)),
    origin: "murmurhash32 0.4.0",
    licence: "MIT",
    year: 2011,
    author: "Austin Appleby",
    source: "https://github.com/aappleby/smhasher, MurmurHash3.cpp, MurmurHash3_x86_32",
    weaknesses: &["Keys that collide under every seed are easily made."],
    aliases: &["murmur3-32", "murmurhash3_x86_32"],
    seed: Some("0"),
    resistance: Resistance::SeedOnly,
    resistance_reason: "Keys that collide under every seed are easily made.",
    // Vectors in common use; Wikipedia's article on MurmurHash has the last two.
    answers: &[(b"", 0), (b"test", 0xba6b_d213), (FOX, 0x2e4f_f723)],
    verify: |function| {
        // The crate takes its seed at compile time, so this is the code of the form with seed 0. The tests compare it
        // with another crate, whose code with seeds is the published one.
        check_code(0xe26b_b05b, 4, |key, _| (function.hash)(key))
    },
    ..ANCHOR
};

#[cfg(test)]
mod tests {
    use hashzoo::verification_value;

    use super::*;

    #[test]
    fn murmurhash3_is_the_one_with_the_published_code() {
        let seeded = |mut key: &[u8], seed| u64::from(murmur3::murmur3_32(&mut key, seed).unwrap());
        assert_eq!(verification_value(seeded, 4), 0xb0f5_7ee3);
        for length in 0..300 {
            let key: Vec<u8> = (0..length).map(|i: u32| (i * 37 + length) as u8).collect();
            assert_eq!((MURMUR_HASH_3.hash)(&key), seeded(&key, 0), "{length} bytes");
        }
        assert_eq!(verification_value(|key, _| seeded(key, 0), 4), 0xe26b_b05b);
    }
}
