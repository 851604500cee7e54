//! One random trial of Guava's filter against Guava itself: of every funnel and strategy, filters that both sides fill, write,
//! read from each other and fill further must have the same size, streams and answers.
//!
//! It needs a JDK and Guava. The seed is fixed; `GUAVA_SEED` sets another.
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod guava;
mod source;

use guava::Guava;
use membership_filters::guava::{BloomFilter, Parameters, ProbeCountRule, Strategy};
use membership_filters::{Bytes, Hash128, Hashed, Integer, Long, Sequence, Utf8, Utf16, Utf16Units};
use source::Source;

/// A key for one of the funnels.
#[derive(Debug, Clone)]
enum Key {
    /// UTF-16 units in any order, as Java's strings allow, for the funnel of UTF-8.
    Utf8(Vec<u16>),
    /// UTF-16 units in any order; the funnel of UTF-16 units takes them as they are.
    Units(Vec<u16>),
    Int(i32),
    Long(i64),
    Bytes(Vec<u8>),
    Texts(Vec<Vec<u16>>),
}

/// The number of funnels in the Java program.
const FUNNELS: u8 = 6;

impl Key {
    /// Draws a key of a funnel.
    fn random(funnel: u8, random: &mut Source) -> Self {
        match funnel {
            0 => Self::Utf8(text(random)),
            1 => Self::Units(text(random)),
            2 => Self::Int(random.u64() as i32 >> random.index(32)),
            3 => Self::Long(random.u64() as i64 >> random.index(64)),
            4 => Self::Bytes((0..random.index(50)).map(|_| random.u64() as u8).collect()),
            _ => Self::Texts((0..random.index(5)).map(|_| text(random)).collect()),
        }
    }

    /// Hashes the key with its funnel.
    fn hashed(&self) -> Hashed<Bytes> {
        let hash = match self {
            Self::Utf8(units) => {
                let hash = Hash128::of_key(&Utf8, &string(units));
                assert_eq!(Hash128::of_key(&Utf8, &Utf16(units)), hash);
                hash
            }
            Self::Units(units) => Hash128::of_key(&Utf16Units, &Utf16(units)),
            Self::Int(value) => Hash128::of_key(&Integer, value),
            Self::Long(value) => Hash128::of_key(&Long, value),
            Self::Bytes(bytes) => Hash128::of_key(&Bytes, bytes),
            Self::Texts(texts) => {
                let strings: Vec<String> = texts.iter().map(|units| string(units)).collect();
                Hash128::of_key(&Sequence(Utf8), &strings)
            }
        };
        Hashed::assume(Bytes, hash)
    }

    /// Encodes the key for the Java program.
    fn encode(&self) -> Vec<u8> {
        let text =
            |units: &Vec<u16>| -> Vec<u8> { units.iter().flat_map(|unit| unit.to_be_bytes()).collect() };
        match self {
            Self::Utf8(units) | Self::Units(units) => text(units),
            Self::Int(value) => value.to_be_bytes().to_vec(),
            Self::Long(value) => value.to_be_bytes().to_vec(),
            Self::Bytes(bytes) => bytes.clone(),
            Self::Texts(texts) => texts.iter().flat_map(|units| sized(&text(units))).collect(),
        }
    }
}

/// Letters, any units below the surrogates, pairs of surrogates, and surrogates that are unpaired or in the wrong order.
fn text(random: &mut Source) -> Vec<u16> {
    let kind = random.index(4);
    let units = (0..random.index(40)).flat_map(|_| {
        let number = random.u64();
        let [low, high] = [number & 0x3ff, number >> 10 & 0x3ff].map(|part| part as u16);
        match kind {
            0 => vec![0x20 + low % 0x5f],
            1 => vec![(number % 0xd800) as u16],
            2 => vec![0xd800 | high, 0xdc00 | low],
            _ => vec![*random.pick(&[0x61, 0xe9, 0x4e2d, 0xd83d, 0xdbff, 0xdc00, 0xde00])],
        }
    });
    units.collect()
}

/// Decodes units as Java's UTF-8 encoder does.
fn string(units: &[u16]) -> String {
    let units = char::decode_utf16(units.iter().copied());
    units.map(|unit| unit.unwrap_or('?')).collect()
}

/// Puts the length before bytes.
fn sized(bytes: &[u8]) -> Vec<u8> {
    [&u32::try_from(bytes.len()).unwrap().to_be_bytes()[..], bytes].concat()
}

fn encoded(keys: &[Key]) -> Vec<u8> {
    let count = u32::try_from(keys.len()).unwrap().to_be_bytes();
    let keys = keys.iter().flat_map(|key| sized(&key.encode()));
    count.into_iter().chain(keys).collect()
}

fn put(filter: &mut BloomFilter<Bytes>, keys: &[Key]) -> Vec<u8> {
    let put = |key: &Key| u8::from(filter.insert_hashed(&key.hashed()).unwrap());
    keys.iter().map(put).collect()
}

#[test]
#[ignore = "needs Java and Guava, which `cargo xtask test --install` installs"]
fn filters_of_every_funnel_and_strategy_are_guavas() {
    let seed = std::env::var("GUAVA_SEED").map_or(1, |seed| seed.parse().unwrap());
    println!("GUAVA_SEED={seed}");
    let random = &mut Source::new(seed);
    let mut guava = Guava::start();
    let (mut made, mut refused) = (0, 0);
    for trial in 0..600 {
        let funnel = trial as u8 % FUNNELS;
        let strategy = [Strategy::Murmur128Mitz32, Strategy::Murmur128Mitz64][random.index(2)];
        let insertions = random.power(0.0, 16.0) as i64 - 2;
        // From 2^-40 to nearly 1, and rates that give no filter.
        let rate = match random.index(20) {
            0 => *random.pick(&[0.0, -0.5, 1.0, 1.5, 1.0 - f64::EPSILON / 2.0, f64::NAN]),
            _ => random.power(-40.0, -0.01),
        };
        let several = |count, random: &mut Source| -> Vec<Key> {
            (0..count).map(|_| Key::random(funnel, random)).collect()
        };
        let (first, second) = (
            several(random.index(200), random),
            several(random.index(200), random),
        );
        let queried = [&first[..], &second, &several(100, random)].concat();
        let case = format!("{trial}: {insertions} at {rate:e}, {strategy:?}, funnel {funnel}");

        // Debian's version of Guava computes the probe count from the bits of an insertion.
        let rule = ProbeCountRule::FromBitsPerKey;
        let ours = Parameters::with_rule(insertions as u64, rate, rule)
            .and_then(|parameters| BloomFilter::new(Bytes, &parameters.strategy(strategy)));
        let mut expected = Vec::new();
        let mut stream = Vec::new();
        if let Ok(empty) = &ours {
            let mut filter = empty.clone();
            expected.extend(filter.bits().to_be_bytes());
            expected.extend(put(&mut filter, &first));
            stream = filter.to_guava();
            expected.extend(&stream);
            expected.extend(put(&mut filter, &second));
            let answers = queried
                .iter()
                .map(|key| u8::from(filter.contains_hashed(&key.hashed())));
            expected.extend(answers);
            expected.extend(filter.to_guava());
            // Guava also estimates where too few bits are left for an error of 5 %.
            expected.extend(filter.estimated_len().into_iter().flat_map(u64::to_be_bytes));
            // All keys again, by merging.
            let mut merged = empty.clone();
            put(&mut merged, &second);
            merged
                .merge(&BloomFilter::from_guava(&stream, Bytes).unwrap())
                .unwrap();
            assert!(merged == filter, "{case}");
        }
        let answer = guava.request(&[
            &[strategy as u8, funnel],
            &insertions.to_be_bytes(),
            &rate.to_be_bytes(),
            &encoded(&first),
            &encoded(&second),
            &encoded(&queried),
            &sized(&stream),
        ]);
        match (ours, answer) {
            (Ok(_), Ok(answer)) => {
                let is_whole = answer.len() - expected.len() <= 8;
                assert!(is_whole && answer.starts_with(&expected), "{case}");
                made += 1;
            }
            (Err(_), Err(_)) => refused += 1,
            (ours, answer) => panic!("{case}: {ours:?}, {answer:?}"),
        }
    }
    assert!(made > 400 && refused > 3, "{made} made, {refused} refused");
}
