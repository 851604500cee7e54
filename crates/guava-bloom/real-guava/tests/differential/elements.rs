//! Elements of every kind, as both sides see them.

use guava_bloom::{Bytes, Funnel, Integer, Long, Sequence, Utf8, Utf16Units};

use crate::random::Random;

/// An element of one of the kinds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Element {
    /// UTF-16 units, in any order, as a string of Java's may hold them.
    Text(Vec<u16>),
    Int(i32),
    Long(i64),
    Bytes(Vec<u8>),
    Texts(Vec<Vec<u16>>),
    Ints(Vec<i32>),
}

impl Element {
    /// The bytes of a request.
    pub(crate) fn encode(&self) -> Vec<u8> {
        fn text(units: &[u16]) -> Vec<u8> {
            units.iter().flat_map(|unit| unit.to_be_bytes()).collect()
        }
        fn items(items: impl Iterator<Item = Vec<u8>>) -> Vec<u8> {
            let length = |item: &Vec<u8>| i32::try_from(item.len()).unwrap().to_be_bytes();
            items.flat_map(|item| [&length(&item)[..], &item].concat()).collect()
        }
        match self {
            Self::Text(units) => text(units),
            Self::Int(value) => value.to_be_bytes().to_vec(),
            Self::Long(value) => value.to_be_bytes().to_vec(),
            Self::Bytes(bytes) => bytes.clone(),
            Self::Texts(texts) => items(texts.iter().map(|units| text(units))),
            Self::Ints(values) => items(values.iter().map(|value| value.to_be_bytes().to_vec())),
        }
    }
}

/// A funnel, and the elements that go into it.
pub(crate) trait Kind {
    /// Its number among those of the Java program.
    const FUNNEL: u8;
    type Funnel: Funnel<Self::Item> + Copy + Default + PartialEq;
    type Item: ?Sized;

    fn random(random: &mut Random) -> Element;

    /// Gives the element as the funnel takes it.
    fn with<R>(element: &Element, use_it: impl FnOnce(&Self::Item) -> R) -> R;
}

/// Text as Java's encoder makes UTF-8 of it: what is no character becomes a question mark.
fn utf8(units: &[u16]) -> String {
    char::decode_utf16(units.iter().copied())
        .map(|unit| unit.unwrap_or('?'))
        .collect()
}

fn text(random: &mut Random) -> Vec<u16> {
    let length = match random.below(20) {
        0 => 0,
        1 => random.below(1_000),
        _ => 1 + random.below(40),
    };
    let mut units = Vec::new();
    let kind = random.below(5);
    while units.len() < length {
        let number = random.u64() as u32;
        match kind {
            0 => units.push(0x20 + (number % 0x5f) as u16),
            1 => units.push((number % 0x100) as u16),
            // Below the surrogates.
            2 => units.push((number % 0xd800) as u16),
            // Two surrogates that are a character.
            3 => units.extend([
                0xd800 | (number & 0x3ff) as u16,
                0xdc00 | (number >> 10 & 0x3ff) as u16,
            ]),
            // Surrogates alone and in the wrong order among letters.
            _ => units.push(*random.pick(&[0x61, 0xe9, 0x4e2d, 0xd83d, 0xdbff, 0xdc00, 0xde00])),
        }
    }
    units
}

/// UTF-8 strings.
pub(crate) struct Strings;

impl Kind for Strings {
    const FUNNEL: u8 = 0;
    type Funnel = Utf8;
    type Item = str;

    fn random(random: &mut Random) -> Element {
        Element::Text(text(random))
    }

    fn with<R>(element: &Element, use_it: impl FnOnce(&str) -> R) -> R {
        match element {
            Element::Text(units) => use_it(&utf8(units)),
            other => panic!("{other:?}"),
        }
    }
}

/// UTF-16 units.
pub(crate) struct Units;

impl Kind for Units {
    const FUNNEL: u8 = 1;
    type Funnel = Utf16Units;
    type Item = [u16];

    fn random(random: &mut Random) -> Element {
        Element::Text(text(random))
    }

    fn with<R>(element: &Element, use_it: impl FnOnce(&[u16]) -> R) -> R {
        match element {
            Element::Text(units) => {
                // Rust's strings are the same to this funnel where they can hold the text.
                if let Ok(text) = String::from_utf16(units) {
                    assert_eq!(
                        Funnel::<str>::hash(&Utf16Units, &text),
                        Funnel::<[u16]>::hash(&Utf16Units, units)
                    );
                }
                use_it(units)
            }
            other => panic!("{other:?}"),
        }
    }
}

/// `int`.
pub(crate) struct Ints;

impl Kind for Ints {
    const FUNNEL: u8 = 2;
    type Funnel = Integer;
    type Item = i32;

    fn random(random: &mut Random) -> Element {
        Element::Int(*random.pick(&[0, 1, -1, i32::MIN, i32::MAX]) ^ (random.u64() as i32 >> random.below(32)))
    }

    fn with<R>(element: &Element, use_it: impl FnOnce(&i32) -> R) -> R {
        match element {
            Element::Int(value) => use_it(value),
            other => panic!("{other:?}"),
        }
    }
}

/// `long`.
pub(crate) struct Longs;

impl Kind for Longs {
    const FUNNEL: u8 = 3;
    type Funnel = Long;
    type Item = i64;

    fn random(random: &mut Random) -> Element {
        Element::Long(*random.pick(&[0, 1, -1, i64::MIN, i64::MAX]) ^ (random.u64() as i64 >> random.below(64)))
    }

    fn with<R>(element: &Element, use_it: impl FnOnce(&i64) -> R) -> R {
        match element {
            Element::Long(value) => use_it(value),
            other => panic!("{other:?}"),
        }
    }
}

/// Bytes.
pub(crate) struct ByteArrays;

impl Kind for ByteArrays {
    const FUNNEL: u8 = 4;
    type Funnel = Bytes;
    type Item = [u8];

    fn random(random: &mut Random) -> Element {
        let length = match random.below(20) {
            0 => random.below(1_000),
            _ => random.below(50),
        };
        Element::Bytes((0..length).map(|_| random.u64() as u8).collect())
    }

    fn with<R>(element: &Element, use_it: impl FnOnce(&[u8]) -> R) -> R {
        match element {
            Element::Bytes(bytes) => use_it(bytes),
            other => panic!("{other:?}"),
        }
    }
}

/// Sequences of strings.
pub(crate) struct SequencesOfStrings;

impl Kind for SequencesOfStrings {
    const FUNNEL: u8 = 5;
    type Funnel = Sequence<Utf8>;
    type Item = [String];

    fn random(random: &mut Random) -> Element {
        Element::Texts((0..random.below(5)).map(|_| text(random)).collect())
    }

    fn with<R>(element: &Element, use_it: impl FnOnce(&[String]) -> R) -> R {
        match element {
            Element::Texts(texts) => {
                let texts: Vec<String> = texts.iter().map(|units| utf8(units)).collect();
                use_it(&texts)
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Sequences of `int`.
pub(crate) struct SequencesOfInts;

impl Kind for SequencesOfInts {
    const FUNNEL: u8 = 6;
    type Funnel = Sequence<Integer>;
    type Item = [i32];

    fn random(random: &mut Random) -> Element {
        Element::Ints((0..random.below(12)).map(|_| random.u64() as i32).collect())
    }

    fn with<R>(element: &Element, use_it: impl FnOnce(&[i32]) -> R) -> R {
        match element {
            Element::Ints(values) => use_it(values),
            other => panic!("{other:?}"),
        }
    }
}
