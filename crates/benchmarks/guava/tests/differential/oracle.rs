//! Guava in a Java process, with a method for each request.

use bench_guava::Java;
use bytes::Buf as _;

use crate::elements::Element;

/// Class and message of an exception that Guava threw.
pub(crate) type Thrown = String;

/// A Java process that keeps filters in numbered slots.
pub(crate) struct Guava(Java);

impl Guava {
    pub(crate) fn start() -> Self {
        let source = "com/google/common/hash/Oracle.java";
        let options = ["-XX:+UseSerialGC", "-Xmx1g"];
        Self(Java::start(source, "com.google.common.hash.Oracle", &options).unwrap())
    }

    /// Returns bits and probe count.
    pub(crate) fn sizing(&mut self, insertions: i64, fpp: f64) -> (i64, i32) {
        let request: [&[u8]; 3] = [b"S", &insertions.to_be_bytes(), &fpp.to_be_bytes()];
        let mut answer = self.0.ask(&request).unwrap();
        (answer.get_i64(), answer.get_i32())
    }

    /// Creates an empty filter, and returns its size in bits.
    pub(crate) fn create(
        &mut self,
        slot: i32,
        strategy: u8,
        funnel: u8,
        insertions: i64,
        fpp: f64,
    ) -> Result<i64, Thrown> {
        let (slot, size) = (slot.to_be_bytes(), insertions.to_be_bytes());
        let request: [&[u8]; 5] = [b"C", &slot, &[strategy, funnel], &size, &fpp.to_be_bytes()];
        self.0.ask(&request).map(|mut bits| bits.get_i64())
    }

    /// Inserts elements, and returns for each whether it changed bits.
    pub(crate) fn put(&mut self, slot: i32, elements: &[Element]) -> Vec<bool> {
        self.for_each(b"P", slot, elements)
    }

    /// Queries elements, and returns for each whether it may be present.
    pub(crate) fn might_contain(&mut self, slot: i32, elements: &[Element]) -> Vec<bool> {
        self.for_each(b"Q", slot, elements)
    }

    fn for_each(&mut self, kind: &[u8], slot: i32, elements: &[Element]) -> Vec<bool> {
        let length = |len: usize| i32::try_from(len).unwrap().to_be_bytes();
        let mut request = [kind, &slot.to_be_bytes(), &length(elements.len())].concat();
        for bytes in elements.iter().map(Element::encode) {
            request.extend([&length(bytes.len())[..], &bytes].concat());
        }
        let answers = self.0.ask(&[&request]).unwrap();
        answers.iter().map(|&answer| answer != 0).collect()
    }

    pub(crate) fn expected_fpp(&mut self, slot: i32) -> f64 {
        self.0.ask(&[b"F", &slot.to_be_bytes()]).unwrap().get_f64()
    }

    pub(crate) fn approximate_element_count(&mut self, slot: i32) -> Result<i64, Thrown> {
        let answer = self.0.ask(&[b"N", &slot.to_be_bytes()]);
        answer.map(|mut count| count.get_i64())
    }

    pub(crate) fn write(&mut self, slot: i32) -> Vec<u8> {
        self.0.ask(&[b"W", &slot.to_be_bytes()]).unwrap().to_vec()
    }

    /// Returns the CRC-32 of the filter's stream.
    pub(crate) fn fingerprint(&mut self, slot: i32) -> u32 {
        let sum = self.0.ask(&[b"H", &slot.to_be_bytes()]).unwrap().get_i64();
        u32::try_from(sum).unwrap()
    }

    /// Reads a filter from the beginning of `stream`, and returns the number of bytes left.
    pub(crate) fn read(&mut self, slot: i32, funnel: u8, stream: &[u8]) -> Result<usize, Thrown> {
        let len = i32::try_from(stream.len()).unwrap().to_be_bytes();
        let request: [&[u8]; 5] = [b"R", &slot.to_be_bytes(), &[funnel], &len, stream];
        self.0.ask(&request).map(|mut left| left.get_u32() as usize)
    }

    pub(crate) fn is_compatible(&mut self, slot: i32, other: i32) -> bool {
        let request: [&[u8]; 3] = [b"I", &slot.to_be_bytes(), &other.to_be_bytes()];
        self.0.ask(&request).unwrap()[0] != 0
    }

    pub(crate) fn put_all(&mut self, slot: i32, other: i32) -> Result<(), Thrown> {
        let request: [&[u8]; 3] = [b"A", &slot.to_be_bytes(), &other.to_be_bytes()];
        self.0.ask(&request).map(drop)
    }
}
