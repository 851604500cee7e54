//! Guava in a Java process, with a method for each request.

use bench_guava::{Java, JavaError, Reply, Request};
use std::io;

use crate::elements::Element;

/// Class and message of an exception that Guava threw.
pub(crate) type Thrown = String;

/// A Java process that keeps filters in numbered slots.
pub(crate) struct Guava(Java);

impl Guava {
    pub(crate) fn start() -> Self {
        let options = ["-XX:+UseSerialGC", "-Xmx1g"];
        match Java::start(
            "com/google/common/hash/Oracle.java",
            "com.google.common.hash.Oracle",
            &options,
        ) {
            Ok(java) => Self(java),
            Err(error) => panic!("{error}"),
        }
    }

    fn ask<T>(
        &mut self,
        request: &Request,
        read: impl FnOnce(&mut Reply) -> io::Result<T>,
    ) -> Result<T, Thrown> {
        match self.0.ask(request, read) {
            Ok(answer) => Ok(answer),
            Err(JavaError::Thrown(text)) => Err(text),
            Err(error) => panic!("{error}"),
        }
    }

    /// Returns bits and probe count.
    pub(crate) fn sizing(&mut self, insertions: i64, fpp: f64) -> (i64, i32) {
        let request = Request::new(b'S').i64(insertions).f64(fpp);
        self.ask(&request, |reply| Ok((reply.i64()?, reply.i32()?)))
            .unwrap()
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
        let request = Request::new(b'C')
            .i32(slot)
            .u8(strategy)
            .u8(funnel)
            .i64(insertions)
            .f64(fpp);
        self.ask(&request, Reply::i64)
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
        let count = i32::try_from(elements.len()).unwrap();
        let mut request = Request::new(kind).i32(slot).i32(count);
        for element in elements {
            request = request.bytes(&element.encode());
        }
        self.ask(&request, |reply| elements.iter().map(|_| reply.bool()).collect())
            .unwrap()
    }

    pub(crate) fn expected_fpp(&mut self, slot: i32) -> f64 {
        self.ask(&Request::new(b'F').i32(slot), Reply::f64).unwrap()
    }

    pub(crate) fn approximate_element_count(&mut self, slot: i32) -> Result<i64, Thrown> {
        self.ask(&Request::new(b'N').i32(slot), Reply::i64)
    }

    pub(crate) fn write(&mut self, slot: i32) -> Vec<u8> {
        self.ask(&Request::new(b'W').i32(slot), Reply::bytes).unwrap()
    }

    /// Returns the CRC-32 of the filter's stream.
    pub(crate) fn fingerprint(&mut self, slot: i32) -> u32 {
        let sum = self.ask(&Request::new(b'H').i32(slot), Reply::i64).unwrap();
        u32::try_from(sum).unwrap()
    }

    /// Reads a filter from the beginning of `stream`, and returns the number of bytes left.
    pub(crate) fn read(&mut self, slot: i32, funnel: u8, stream: &[u8]) -> Result<usize, Thrown> {
        let request = Request::new(b'R').i32(slot).u8(funnel).bytes(stream);
        self.ask(&request, Reply::i32)
            .map(|left| usize::try_from(left).unwrap())
    }

    pub(crate) fn is_compatible(&mut self, slot: i32, other: i32) -> bool {
        self.ask(&Request::new(b'I').i32(slot).i32(other), Reply::bool)
            .unwrap()
    }

    pub(crate) fn put_all(&mut self, slot: i32, other: i32) -> Result<(), Thrown> {
        self.ask(&Request::new(b'A').i32(slot).i32(other), |_| Ok(()))
    }
}
