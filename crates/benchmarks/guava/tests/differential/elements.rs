//! Elements of every kind, for both sides.

use bench_kit::source::Source;
use membership_filters::{Bytes, Hash128, Integer, Long, Sequence, Utf8, Utf16, Utf16Units};

/// An element for one of the funnels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Element {
    /// UTF-16 units in any order, as Java's strings allow, for the funnel of UTF-8.
    Utf8(Vec<u16>),
    /// UTF-16 units in any order; the funnel of UTF-16 units takes them as they are.
    Units(Vec<u16>),
    Int(i32),
    Long(i64),
    Bytes(Vec<u8>),
    Texts(Vec<Vec<u16>>),
    Ints(Vec<i32>),
}

/// The numbers of the funnels in the Java program.
pub(crate) const FUNNELS: std::ops::Range<u8> = 0..7;
pub(crate) const LONGS: u8 = 3;
pub(crate) const BYTES: u8 = 4;

impl Element {
    /// Draws an element of a funnel.
    pub(crate) fn random(funnel: u8, random: &mut Source) -> Self {
        match funnel {
            0 => Self::Utf8(text(random)),
            1 => Self::Units(text(random)),
            2 => Self::Int(int(random)),
            LONGS => Self::Long(long(random)),
            BYTES => Self::Bytes(byte_array(random)),
            5 => Self::Texts((0..random.index(5)).map(|_| text(random)).collect()),
            _ => Self::Ints((0..random.index(12)).map(|_| int(random)).collect()),
        }
    }

    /// Draws elements of a funnel.
    pub(crate) fn several(count: usize, funnel: u8, random: &mut Source) -> Vec<Self> {
        (0..count).map(|_| Self::random(funnel, random)).collect()
    }

    /// Hashes the element with its funnel.
    pub(crate) fn hash(&self) -> Hash128 {
        match self {
            Self::Utf8(units) => {
                let hash = Hash128::of_key(&Utf8, &string(units));
                assert_eq!(Hash128::of_key(&Utf8, &Utf16(units)), hash);
                hash
            }
            Self::Units(units) => {
                let hash = Hash128::of_key(&Utf16Units, &Utf16(units));
                if let Ok(text) = String::from_utf16(units) {
                    assert_eq!(Hash128::of_key(&Utf16Units, &text), hash);
                }
                hash
            }
            Self::Int(value) => Hash128::of_key(&Integer, value),
            Self::Long(value) => Hash128::of_key(&Long, value),
            Self::Bytes(bytes) => Hash128::of_key(&Bytes, bytes),
            Self::Texts(texts) => {
                let strings: Vec<String> = texts.iter().map(|units| string(units)).collect();
                Hash128::of_key(&Sequence(Utf8), &strings)
            }
            Self::Ints(values) => Hash128::of_key(&Sequence(Integer), values),
        }
    }

    /// Encodes the element for a request.
    pub(crate) fn encode(&self) -> Vec<u8> {
        fn text(units: &[u16]) -> Vec<u8> {
            units.iter().flat_map(|unit| unit.to_be_bytes()).collect()
        }
        fn items(items: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
            let length = |item: &Vec<u8>| i32::try_from(item.len()).unwrap().to_be_bytes();
            items
                .flat_map(|item| [&length(&item)[..], &item].concat())
                .collect()
        }
        match self {
            Self::Utf8(units) | Self::Units(units) => text(units),
            Self::Int(value) => value.to_be_bytes().to_vec(),
            Self::Long(value) => value.to_be_bytes().to_vec(),
            Self::Bytes(bytes) => bytes.clone(),
            Self::Texts(texts) => items(texts.iter().map(|units| text(units))),
            Self::Ints(values) => items(values.iter().map(|value| value.to_be_bytes().to_vec())),
        }
    }
}

fn text(random: &mut Source) -> Vec<u16> {
    let length = match random.index(20) {
        0 => 0,
        1 => random.index(1_000),
        _ => 1 + random.index(40),
    };
    let mut units = Vec::new();
    let kind = random.index(5);
    while units.len() < length {
        let number = random.u64() as u32;
        match kind {
            0 => units.push(0x20 + (number % 0x5f) as u16),
            1 => units.push((number % 0x100) as u16),
            // Below the surrogates.
            2 => units.push((number % 0xd800) as u16),
            // A valid surrogate pair.
            3 => units.extend([
                0xd800 | (number & 0x3ff) as u16,
                0xdc00 | (number >> 10 & 0x3ff) as u16,
            ]),
            // Letters and surrogates that are unpaired or in the wrong order.
            _ => units.push(*random.pick(&[0x61, 0xe9, 0x4e2d, 0xd83d, 0xdbff, 0xdc00, 0xde00])),
        }
    }
    units
}

fn byte_array(random: &mut Source) -> Vec<u8> {
    let length = match random.index(20) {
        0 => random.index(1_000),
        _ => random.index(50),
    };
    random.bytes(length as u64)
}

/// Draws small and large numbers, and numbers near the limits.
fn int(random: &mut Source) -> i32 {
    *random.pick(&[0, 1, -1, i32::MIN, i32::MAX]) ^ (random.u64() as i32 >> random.index(32))
}

fn long(random: &mut Source) -> i64 {
    *random.pick(&[0, 1, -1, i64::MIN, i64::MAX]) ^ (random.u64() as i64 >> random.index(64))
}

/// Decodes units as Java's UTF-8 encoder does.
fn string(units: &[u16]) -> String {
    char::decode_utf16(units.iter().copied())
        .map(|unit| unit.unwrap_or('?'))
        .collect()
}
