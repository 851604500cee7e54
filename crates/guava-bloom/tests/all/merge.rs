//! Merging of streams: the merged bytes, and errors that name the stream.

use std::io::{self, Read, Write};

use guava_bloom::{BloomFilter, Error, ErrorKind, Long, Parameters, merge_streams};

use super::contract::Slow;

fn filter(parameters: &Parameters, numbers: impl IntoIterator<Item = i64>) -> BloomFilter<Long> {
    let mut filter = BloomFilter::new(Long, parameters).unwrap();
    for number in numbers {
        filter.insert(&number);
    }
    filter
}

/// Returns the streams of `count` filters that divide the numbers below 10,000 among them.
fn parts(parameters: &Parameters, count: usize) -> Vec<Vec<u8>> {
    (0..count)
        .map(|part| filter(parameters, (0..10_000).skip(part).step_by(count)).to_bytes())
        .collect()
}

fn merge(streams: &[Vec<u8>]) -> Result<Vec<u8>, Error> {
    let mut merged = Vec::new();
    merge_streams(streams.iter().map(Vec::as_slice), &mut merged)?;
    Ok(merged)
}

/// Returns sizes from one word to more than two pieces of 64 KiB, with and without a remainder.
fn shapes() -> [Parameters; 4] {
    [(1, 0.5), (10_000, 0.01), (109_395, 0.01), (150_000, 0.01)]
        .map(|(insertions, fpp)| Parameters::new(insertions, fpp).unwrap())
}

#[test]
fn merged_parts_are_the_whole() {
    assert_eq!(shapes()[2].word_count() % 8192, 0);
    for parameters in shapes() {
        let whole = filter(&parameters, 0..10_000);
        for count in [1, 2, 5] {
            assert_eq!(merge(&parts(&parameters, count)).unwrap(), whole.to_bytes());
        }
    }
}

#[test]
fn readers_may_give_little_at_a_time_and_keep_what_follows() {
    let parameters = shapes()[3];
    let streams = parts(&parameters, 2).into_iter();
    let streams: Vec<Vec<u8>> = streams.map(|stream| [&stream[..], b"rest"].concat()).collect();
    let mut readers = [&streams[0], &streams[1]].map(|stream| Slow::new(stream, true));
    let mut merged = Vec::new();
    let header = merge_streams(&mut readers, &mut merged).unwrap();
    assert_eq!(merged, filter(&parameters, 0..10_000).to_bytes());
    assert_eq!(merged.len() as u64, header.stream_len());
    assert!(readers.iter().all(|reader| reader.rest == b"rest"));
}

#[test]
fn no_stream_makes_no_filter() {
    let error = merge(&[]).unwrap_err();
    assert_eq!((error.kind(), error.stream()), (ErrorKind::InvalidArgument, None));
    assert_eq!(
        error.to_string(),
        "the number of streams must be at least 1, got 0"
    );
}

#[test]
fn headers_must_be_equal_and_nothing_is_written_if_not() {
    let parts = parts(&shapes()[1], 2);
    let mut written = Vec::new();
    for (at, text) in [
        (0, "strategy ordinal 0, probe count 7, word count 1498"),
        (1, "strategy ordinal 1, probe count 6, word count 1498"),
        (5, "strategy ordinal 1, probe count 7, word count 1499"),
    ] {
        let mut other = parts[1].clone();
        other[at] ^= 1;
        let streams = [&parts[0], &parts[1], &other].map(Vec::as_slice);
        let error = merge_streams(streams, &mut written).unwrap_err();
        assert_eq!((error.kind(), error.stream()), (ErrorKind::Incompatible, Some(2)));
        assert_eq!(
            error.to_string(),
            format!(
                "stream 2 (counted from 0): the header must be that of stream 0, strategy ordinal 1, probe count 7, \
                 word count 1498, got {text}"
            )
        );
    }
    assert!(written.is_empty());
}

#[test]
fn a_stream_that_is_cut_is_named_with_what_was_there() {
    let parameters = shapes()[3];
    let parts = parts(&parameters, 3);
    for len in [0, 5, 6, 7, 14, 65_541, 65_542, 65_543, parts[1].len() - 1] {
        let mut streams = parts.clone();
        streams[1].truncate(len);
        let error = merge(&streams).unwrap_err();
        assert_eq!((error.kind(), error.stream()), (ErrorKind::Truncated, Some(1)));
        let needed = if len < 6 { 6 } else { parameters.stream_len() };
        assert_eq!(
            error.to_string(),
            format!("stream 1 (counted from 0): the length in bytes must be at least {needed}, got {len}")
        );
    }
}

#[test]
fn headers_that_no_filter_has_are_refused() {
    for (header, expected) in [
        (
            [2, 1, 0, 0, 0, 1],
            "stream 0 (counted from 0): the strategy ordinal",
        ),
        ([1, 0, 0, 0, 0, 1], "stream 0 (counted from 0): the probe count"),
        ([1, 1, 0, 0, 0, 0], "stream 0 (counted from 0): the word count"),
        ([1, 1, 0x80, 0, 0, 0], "stream 0 (counted from 0): the word count"),
        // Claims 16 GiB that are not there.
        (
            [1, 1, 0x7f, 0xff, 0xff, 0xff],
            "stream 0 (counted from 0): the length in bytes must be at least 17179869182, got 8",
        ),
    ] {
        let error = merge(&[[&header[..], b"ab"].concat()]).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

/// A reader and writer that fails after this many bytes.
struct Failing(usize);

impl Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        if taken == 0 {
            return Err(io::Error::other("disk full"));
        }
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let given = buffer.len().min(self.0);
        self.0 -= given;
        if given == 0 {
            return Err(io::Error::other("connection lost"));
        }
        buffer[..given].fill(1);
        Ok(given)
    }
}

#[test]
fn failures_of_readers_and_writers_come_through() {
    let parts = parts(&shapes()[3], 2);
    for room in [0, 3, 6, 1000, 70_000] {
        let error = merge_streams(parts.iter().map(Vec::as_slice), Failing(room)).unwrap_err();
        assert_eq!(error.to_string(), "writing the merged filter failed: disk full");
    }
    // A header of ones: strategy 1, one probe, 0x01010101 words.
    for given in [0, 6, 100_000] {
        let error = merge_streams([Failing(given)], io::sink()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "stream 0 (counted from 0): reading the filter failed: connection lost"
        );
    }
}
