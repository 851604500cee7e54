//! Elements of every kind, for both sides.

use guava_bloom::{BloomFilter, Bytes, Funnel, Integer, Long, Sequence, Utf8, Utf16, Utf16Units};

use crate::random::Random;

/// An element for one of the funnels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Element {
    /// UTF-16 units in any order, as Java's strings allow.
    Text(Vec<u16>),
    Int(i32),
    Long(i64),
    Bytes(Vec<u8>),
    Texts(Vec<Vec<u16>>),
    Ints(Vec<i32>),
}

impl Element {
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
    /// The number of the funnel in the Java program.
    const FUNNEL: u8;
    type Funnel: Copy + Default;

    fn random(random: &mut Random) -> Element;

    fn put(filter: &mut BloomFilter<Self::Funnel>, element: &Element) -> bool;

    fn might_contain(filter: &BloomFilter<Self::Funnel>, element: &Element) -> bool;
}

/// Declares a [`Kind`]: number, funnel, generator of elements, and conversion to the funnel's type.
macro_rules! kind {
    (
        $(#[$doc:meta])* $kind:ident, $number:literal, $funnel:ty,
        random: $random:expr, $pattern:pat => $item:expr
    ) => {
        $(#[$doc])*
        pub(crate) struct $kind;

        impl Kind for $kind {
            const FUNNEL: u8 = $number;
            type Funnel = $funnel;

            fn random(random: &mut Random) -> Element {
                let make: fn(&mut Random) -> Element = $random;
                make(random)
            }

            fn put(filter: &mut BloomFilter<$funnel>, element: &Element) -> bool {
                match element {
                    $pattern => filter.insert($item),
                    other => panic!("{other:?}"),
                }
            }

            fn might_contain(filter: &BloomFilter<$funnel>, element: &Element) -> bool {
                match element {
                    $pattern => filter.might_contain($item),
                    other => panic!("{other:?}"),
                }
            }
        }
    };
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

fn byte_array(random: &mut Random) -> Vec<u8> {
    let length = match random.below(20) {
        0 => random.below(1_000),
        _ => random.below(50),
    };
    (0..length).map(|_| random.u64() as u8).collect()
}

/// Draws small and large numbers, and numbers near the limits.
fn int(random: &mut Random) -> i32 {
    *random.pick(&[0, 1, -1, i32::MIN, i32::MAX]) ^ (random.u64() as i32 >> random.below(32))
}

fn long(random: &mut Random) -> i64 {
    *random.pick(&[0, 1, -1, i64::MIN, i64::MAX]) ^ (random.u64() as i64 >> random.below(64))
}

/// Decodes units as Java's UTF-8 encoder does. Checks that the funnel treats the string and the units alike.
fn string(units: &[u16]) -> String {
    let text: String = char::decode_utf16(units.iter().copied())
        .map(|unit| unit.unwrap_or('?'))
        .collect();
    assert_eq!(Utf8.hash(&Utf16(units)), Utf8.hash(&text));
    text
}

/// Wraps units. Checks that the funnel treats the string and the units alike, if they are a valid string.
fn utf16(units: &[u16]) -> Utf16<'_> {
    if let Ok(text) = String::from_utf16(units) {
        assert_eq!(Utf16Units.hash(&Utf16(units)), Utf16Units.hash(&text));
    }
    Utf16(units)
}

kind!(
    /// UTF-8 strings.
    Strings, 0, Utf8,
    random: |random| Element::Text(text(random)),
    Element::Text(units) => &string(units)
);
kind!(
    /// UTF-16 units.
    Units, 1, Utf16Units,
    random: |random| Element::Text(text(random)),
    Element::Text(units) => &utf16(units)
);
kind!(
    /// `int`.
    Ints, 2, Integer,
    random: |random| Element::Int(int(random)),
    Element::Int(value) => value
);
kind!(
    /// `long`.
    Longs, 3, Long,
    random: |random| Element::Long(long(random)),
    Element::Long(value) => value
);
kind!(
    /// Bytes.
    ByteArrays, 4, Bytes,
    random: |random| Element::Bytes(byte_array(random)),
    Element::Bytes(bytes) => bytes
);
kind!(
    /// Sequences of strings.
    SequencesOfStrings, 5, Sequence<Utf8>,
    random: |random| Element::Texts((0..random.below(5)).map(|_| text(random)).collect()),
    Element::Texts(texts) => &texts.iter().map(|units| string(units)).collect::<Vec<_>>()
);
kind!(
    /// Sequences of `int`.
    SequencesOfInts, 6, Sequence<Integer>,
    random: |random| Element::Ints((0..random.below(12)).map(|_| int(random)).collect()),
    Element::Ints(values) => values
);
