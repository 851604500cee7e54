//! Guava in a Java process, with methods for requests.

use bench_guava::Java;
use bytes::{Buf as _, Bytes};

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

    /// Sends a request of one letter about a slot, with operands.
    pub(crate) fn ask(&mut self, kind: u8, slot: i32, operands: &[&[u8]]) -> Result<Bytes, Thrown> {
        self.0.ask(&[&[kind], &slot.to_be_bytes(), &operands.concat()])
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
        let (size, rate) = (insertions.to_be_bytes(), fpp.to_be_bytes());
        let bits = self.ask(b'C', slot, &[&[strategy, funnel], &size, &rate]);
        bits.map(|mut bits| bits.get_i64())
    }

    /// Inserts elements, and returns for each whether it changed bits.
    pub(crate) fn put(&mut self, slot: i32, elements: &[Element]) -> Vec<bool> {
        self.for_each(b'P', slot, elements)
    }

    /// Queries elements, and returns for each whether it may be present.
    pub(crate) fn might_contain(&mut self, slot: i32, elements: &[Element]) -> Vec<bool> {
        self.for_each(b'Q', slot, elements)
    }

    fn for_each(&mut self, kind: u8, slot: i32, elements: &[Element]) -> Vec<bool> {
        let length = |len: usize| i32::try_from(len).unwrap().to_be_bytes();
        let mut encoded = length(elements.len()).to_vec();
        for bytes in elements.iter().map(Element::encode) {
            encoded.extend([&length(bytes.len())[..], &bytes].concat());
        }
        let answers = self.ask(kind, slot, &[&encoded]).unwrap();
        answers.iter().map(|&answer| answer != 0).collect()
    }

    pub(crate) fn write(&mut self, slot: i32) -> Bytes {
        self.ask(b'W', slot, &[]).unwrap()
    }

    /// Reads a filter from the beginning of `stream`, and returns the number of bytes left.
    pub(crate) fn read(&mut self, slot: i32, funnel: u8, stream: &[u8]) -> Result<usize, Thrown> {
        let len = i32::try_from(stream.len()).unwrap().to_be_bytes();
        let left = self.ask(b'R', slot, &[&[funnel], &len, stream]);
        left.map(|mut left| left.get_u32() as usize)
    }
}
