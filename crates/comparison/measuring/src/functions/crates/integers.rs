//! Functions that Rust programs have integers hashed with. Their hashers have methods for integers that give other values than
//! the bytes of these give.

#[cfg(all(target_pointer_width = "64", target_endian = "little"))]
use std::hash::BuildHasher as _;
use std::hash::Hasher;

use key_input::KeyKind;

use super::super::Function;

/// The identifier of a function, and the function of keys that are numbers of 32 and of 64 bits.
type OfNumbers = (&'static str, [fn(&[u8]) -> u64; 2]);

/// Hashes a key of so many bytes, 4 or 8, as the number that it is, lowest byte first; and another key by its bytes.
#[inline]
fn number<const BYTES: usize>(mut hasher: impl Hasher, key: &[u8]) -> u64 {
    match (BYTES, key.first_chunk(), key.first_chunk()) {
        (8, Some(bytes), _) if key.len() == 8 => hasher.write_u64(u64::from_le_bytes(*bytes)),
        (4, _, Some(bytes)) if key.len() == 4 => hasher.write_u32(u32::from_le_bytes(*bytes)),
        _ => hasher.write(key),
    }
    hasher.finish()
}

/// The functions that this build and processor have; of others, numbers have the values of their bytes.
const ALL: &[OfNumbers] = &[
    #[cfg(all(target_pointer_width = "64", target_endian = "little"))]
    (
        "fxhash",
        [
            |key| number::<4>(rustc_hash::FxHasher::default(), key),
            |key| number::<8>(rustc_hash::FxHasher::default(), key),
        ],
    ),
    #[cfg(all(target_pointer_width = "64", target_endian = "little"))]
    (
        "foldhash_quality",
        [
            |key| number::<4>(foldhash::quality::FixedState::with_seed(0).build_hasher(), key),
            |key| number::<8>(foldhash::quality::FixedState::with_seed(0).build_hasher(), key),
        ],
    ),
    #[cfg(all(target_pointer_width = "64", target_endian = "little"))]
    (
        "foldhash_fast",
        [
            |key| number::<4>(foldhash::fast::FixedState::with_seed(0).build_hasher(), key),
            |key| number::<8>(foldhash::fast::FixedState::with_seed(0).build_hasher(), key),
        ],
    ),
    // Of both identifiers, a build has one.
    #[cfg(all(target_pointer_width = "64", target_endian = "little"))]
    ("ahash_fallback", AHASH),
    #[cfg(all(target_arch = "x86_64", target_feature = "aes"))]
    ("ahash_aes", AHASH),
];

#[cfg(all(target_pointer_width = "64", target_endian = "little"))]
const AHASH: [fn(&[u8]) -> u64; 2] = [
    |key| number::<4>(ahash::RandomState::with_seeds(0, 0, 0, 0).build_hasher(), key),
    |key| number::<8>(ahash::RandomState::with_seeds(0, 0, 0, 0).build_hasher(), key),
];

/// Values of the number 2^31 - 2, whether it has 32 or 64 bits: recorded from the pinned releases, to detect changes.
const ANSWERS: [(&str, u64); 4] = [
    ("fxhash", 0x388c_eab1_d8d3_197c),
    ("foldhash_quality", 0xe3c4_9177_958b_d8c3),
    ("foldhash_fast", 0x4316_cf63_e875_a501),
    ("ahash_fallback", 0x2cbb_1934_a235_0788),
];

/// The number of the answers.
const ANSWERED: u64 = (1 << 31) - 2;

impl Function {
    /// Returns the function as Rust has it hash numbers of this kind, if that differs from hashing their bytes.
    pub fn of_integers(&self, kind: KeyKind) -> Option<Self> {
        let (place, bytes) = match kind {
            KeyKind::Int => (0, 4),
            KeyKind::Long => (1, 8),
            KeyKind::Line | KeyKind::String | KeyKind::Binary | KeyKind::Utf16 => return None,
        };
        let (_, code) = ALL.iter().find(|(ident, _)| *ident == self.ident)?;
        let bits = 8 * bytes as u32;
        let mut function = Self {
            ident: format!("{}_u{bits}", self.ident),
            aliases: Vec::new(),
            hash: code[place],
            // Those of the bytes are of keys of these lengths, too.
            code: None,
            seeded: None,
            ..self.clone()
        };
        let answer = ANSWERS.iter().find(|(ident, _)| *ident == self.ident);
        let answer = answer.map(|(_, value)| (ANSWERED.to_le_bytes()[..bytes].to_vec(), *value));
        function.answers.extend(answer);
        let facts = &mut function.facts;
        facts.name = format!("{} (u{bits})", facts.name);
        facts.integer_bits = bits;
        let how = format!(
            "Measured as Rust hashes a u{bits} or i{bits}, by write_u{bits}; keys of other lengths by write."
        );
        facts.weaknesses.insert(0, how);
        Some(function)
    }
}
