//! The limit of probes, filters from parts, and streams that come in pieces.

use std::io::{self, Read};

use membership_filters::guava::{BloomFilter, Parameters, ProbeCountRule, Strategy, StreamHeader};
use membership_filters::{Error, Utf8};

use crate::support::samples::sample;

/// The rules for the probe count, of which the newer one is the default, differ at its limit.
#[test]
fn a_probe_count_of_255_is_taken_and_256_is_not() {
    let (probes_255, probes_256) = (libm::exp2(-255.0), libm::exp2(-256.0));
    assert_eq!(Parameters::new(1000, probes_255).unwrap().probe_count(), 255);
    let error = Parameters::new(1000, probes_256).unwrap_err().to_string();
    let text = "the probe count must be between 1 and 255, got 256";
    assert!(error.starts_with(text), "{error}");
    let rate = probes_255 * 0.7;
    assert!(Parameters::new(1, rate).is_err());
    let older = Parameters::with_rule(1, rate, ProbeCountRule::FromBitsPerKey);
    assert_eq!(older.unwrap().probe_count(), 255);
}

#[test]
fn parts_that_are_no_filter_are_refused() {
    let header = |probes, words| StreamHeader::new(Strategy::default(), probes, &vec![0_u64; words]);
    let from_parts = |header, words| BloomFilter::from_parts(Utf8, header, words);
    for (error, text) in [
        (
            from_parts(header(0, 1), vec![0]),
            "the probe count must be between 1 and 255, got 0",
        ),
        (
            from_parts(header(1, 0), vec![]),
            "the word count must be between 1 and 2147483647, got 0",
        ),
        (
            from_parts(header(1, 2), vec![0]),
            "the word count must be 2 by the header, got 1",
        ),
    ] {
        let error = error.unwrap_err().to_string();
        assert!(error.starts_with(text), "{error}");
    }
    let filter = from_parts(header(3, 2), vec![1, 2]).unwrap();
    assert_eq!(
        format!("{filter:?}"),
        "guava::BloomFilter { funnel: Utf8, backend: Bloom { variety: Murmur128Mitz64, bits: 128 bits, probe_count: 3 } }"
    );
    assert_eq!((filter.words(), filter.funnel()), (&[1, 2][..], &Utf8));
    assert_eq!(filter.into_parts(), (header(3, 2), vec![1, 2]));
}

/// A reader that returns a few bytes at a time with interruptions between them, and an error or the end after the last.
pub(crate) struct Slow<'a> {
    pub(crate) rest: &'a [u8],
    interrupted: bool,
    fails: bool,
}

impl<'a> Slow<'a> {
    pub(crate) fn new(rest: &'a [u8], fails: bool) -> Self {
        let interrupted = false;
        Self {
            rest,
            interrupted,
            fails,
        }
    }
}

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        if self.rest.is_empty() && self.fails {
            return Err(io::Error::other("the disk is gone"));
        }
        let len = self.rest.len().min(buffer.len()).min(1000);
        let (now, later) = self.rest.split_at(len);
        buffer[..len].copy_from_slice(now);
        self.rest = later;
        Ok(len)
    }
}

#[test]
fn stored_forms_of_many_pieces_are_written_and_read() {
    // One word less than a piece of 64 KiB, a piece, one word more, and several pieces.
    for words in [1, 8191, 8192, 8193, 30_000_u64] {
        let pattern = (0..words)
            .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .collect::<Vec<u64>>();
        let header = StreamHeader::new(Strategy::Murmur128Mitz32, 9, &pattern);
        let filter = BloomFilter::from_parts(Utf8, header, pattern).unwrap();
        assert_eq!(filter.to_guava().len() as u64, 6 + 8 * words);
        let mut stored = Vec::new();
        filter.write_to(&mut stored).unwrap();
        assert_eq!(stored, filter.to_bytes(), "{words} words");

        // Without the checksum.
        let needed = stored.len() - 8;
        stored.extend_from_slice(b"what follows");
        let mut reader = Slow::new(&stored, true);
        assert_eq!(BloomFilter::read_from(&mut reader, Utf8).unwrap(), filter);
        assert_eq!(reader.rest, b"what follows");

        let got = needed - 3;
        let reader = Slow::new(&stored[..got], false);
        let error = BloomFilter::read_from(reader, Utf8).unwrap_err();
        assert!(matches!(error, Error::Truncated(_)));
        assert!(
            error
                .to_string()
                .ends_with(&format!("at least {needed}, got {got}")),
            "{error}"
        );
    }
}

#[test]
fn an_error_of_the_reader_is_handed_on() {
    let bytes = sample("guava-envelope");
    let read = |bytes| BloomFilter::read_from(Slow::new(bytes, true), Utf8);
    assert_eq!(read(&bytes), BloomFilter::from_bytes(&bytes, Utf8));
    let error = read(&bytes[..30]).unwrap_err();
    assert!(matches!(error, Error::Read(_)));
    assert_eq!(error.to_string(), "reading the filter failed: the disk is gone");
    assert!(std::error::Error::source(&error).is_some());
}
