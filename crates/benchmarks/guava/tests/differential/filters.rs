//! Filters of every funnel and strategy, filled on both sides and then read by the other side.

use std::io;

use bench_kit::source::Source;
use bytes::Buf as _;
use membership_filters::{BloomFilter, Bytes, Hashed, Parameters, Strategy};

use crate::elements::{Element, FUNNELS, LONGS};
use crate::oracle::Guava;
use crate::{Filter, STRATEGIES, cases, filter, source};

/// The slot of the filter under test, and the slot of the copy read from our stream.
const SLOT: i32 = 0;
const COPY: i32 = 1;

pub(crate) fn put(filter: &mut Filter, elements: &[Element]) -> Vec<bool> {
    let insert = |element: &Element| {
        filter
            .insert_hash(&Hashed::assume(Bytes, element.hash()))
            .unwrap()
    };
    elements.iter().map(insert).collect()
}

pub(crate) fn might_contain(filter: &Filter, elements: &[Element]) -> Vec<bool> {
    let ask = |element: &Element| filter.might_contain_hash(&Hashed::assume(Bytes, element.hash()));
    elements.iter().map(ask).collect()
}

/// Number of comparisons of `expectedFpp`, and of those that differed in the last place. Java allows `Math.pow` an
/// error of one unit in the last place, and makes one in fewer than one of a thousand cases.
#[derive(Default)]
struct Rates {
    asked: u64,
    off: u64,
}

/// Checks that both filters give the same answers to every query.
fn check_same(guava: &mut Guava, slot: i32, ours: &Filter, asked: &[Element], rates: &mut Rates, case: &str) {
    assert_eq!(guava.write(slot), ours.to_bytes(), "stream, {case}");
    assert_eq!(
        guava.might_contain(slot, asked),
        might_contain(ours, asked),
        "answers, {case}"
    );
    let theirs = guava.ask(b'F', slot, &[]).unwrap().get_f64();
    let expected = ours.false_positive_rate();
    // Both are positive, so adjacent numbers have adjacent bit patterns.
    let off = theirs.to_bits().abs_diff(expected.to_bits());
    assert!(off <= 1, "expectedFpp {theirs:e} {expected:e}, {case}");
    rates.asked += 1;
    rates.off += off;
    match (guava.ask(b'N', slot, &[]), ours.estimated_len()) {
        (Ok(mut theirs), Some(count)) => {
            assert_eq!(theirs.get_u64(), count, "approximateElementCount, {case}")
        }
        (Err(thrown), None) => assert!(thrown.starts_with("ArithmeticException"), "{thrown}, {case}"),
        (theirs, count) => panic!("approximateElementCount {theirs:?} {count:?}, {case}"),
    }
}

fn check_case(guava: &mut Guava, random: &mut Source, funnel: u8, strategy: Strategy, rates: &mut Rates) {
    let insertions = match random.index(8) {
        0 => random.index(4) as i64,
        _ => random.power(0.0, 12.0) as i64,
    };
    // From 2^-40 to nearly 1.
    let fpp = random.power(-40.0, -0.01);
    let case = format!("{insertions} at {fpp:e}, {strategy:?}, funnel {funnel}");
    let made = guava.create(SLOT, strategy.ordinal(), funnel, insertions, fpp);
    let mut ours = match made {
        Ok(bits) => {
            let ours = filter(insertions, fpp, strategy);
            assert_eq!(bits as u64, ours.bits(), "{case}");
            ours
        }
        // A rate near 1 gives zero bits.
        Err(thrown) => {
            assert!(
                Parameters::new(insertions as u64, fpp).is_err(),
                "{thrown}: {case}"
            );
            return;
        }
    };

    // The filter is filled to at most twice its capacity, in two steps.
    let count = 1 + random.index(2 * insertions.clamp(1, 2_000) as usize);
    let present = Element::several(count, funnel, random);
    let others = Element::several(300, funnel, random);
    let asked = [&present[..present.len().min(300)], &others].concat();
    check_same(guava, SLOT, &ours, &asked, rates, &case);
    let (first, second) = present.split_at(count / 2);
    assert_eq!(guava.put(SLOT, first), put(&mut ours, first), "put, {case}");
    check_same(guava, SLOT, &ours, &asked, rates, &case);

    // Each side reads the other's stream and continues from there.
    let stream = ours.to_bytes();
    assert_eq!(guava.read(COPY, funnel, &stream), Ok(0), "{case}");
    let (mut copy, used) = BloomFilter::from_bytes_prefix(&guava.write(SLOT), Bytes).unwrap();
    assert_eq!(used, stream.len(), "{case}");
    let changed = put(&mut ours, second);
    assert_eq!(guava.put(COPY, second), changed, "put after reading ours, {case}");
    assert_eq!(
        put(&mut copy, second),
        changed,
        "put after reading Guava's, {case}"
    );
    check_same(guava, COPY, &ours, &asked, rates, &case);
    check_same(guava, COPY, &copy, &asked, rates, &case);
    assert!(
        might_contain(&copy, &present).iter().all(|found| *found),
        "{case}"
    );
}

#[test]
fn filters_of_every_funnel_are_guavas() {
    let mut guava = Guava::start();
    let mut rates = Rates::default();
    for funnel in FUNNELS {
        let mut random = source(&format!("funnel {funnel}"));
        for _ in 0..cases(40) {
            for strategy in STRATEGIES {
                check_case(&mut guava, &mut random, funnel, strategy, &mut rates);
            }
        }
    }
    assert!(
        rates.off * 50 <= rates.asked,
        "expectedFpp is beside Guava's in {} of {} cases",
        rates.off,
        rates.asked
    );
}

/// A writer that computes the CRC-32 of its input.
#[derive(Default)]
struct Crc32(crc32fast::Hasher);

impl io::Write for Crc32 {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Beyond 2^31 bits the 32-bit strategy reaches only the lower part, and positions no longer fit an `int`.
#[test]
fn more_bits_than_an_int_counts() {
    let mut random = source("more_bits_than_an_int_counts");
    let mut guava = Guava::start();
    for strategy in STRATEGIES {
        let (insertions, fpp) = (240_000_000, 0.01);
        let case = format!("{strategy:?}");
        let bits = guava
            .create(SLOT, strategy.ordinal(), LONGS, insertions, fpp)
            .unwrap();
        let mut ours = filter(insertions, fpp, strategy);
        assert_eq!((bits as u64, bits > 1 << 31), (ours.bits(), true));
        let elements = Element::several(20_000, LONGS, &mut random);
        assert_eq!(
            guava.put(SLOT, &elements),
            put(&mut ours, &elements),
            "put, {case}"
        );
        let mut stream = Crc32::default();
        ours.write_to(&mut stream).unwrap();
        let theirs = guava.ask(b'H', SLOT, &[]).unwrap().get_u64();
        assert_eq!(theirs, u64::from(stream.0.finalize()), "stream, {case}");
    }
}
