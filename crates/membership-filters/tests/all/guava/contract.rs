//! The documented behaviour, and the errors for wrong use.

use std::io::{self, Read};

use membership_filters::{
    BloomFilter, ConcurrentBloomFilter, DEFAULT_FALSE_POSITIVE_RATE, Encoding, ErrorKind, Funnel, Hash128,
    Hashing, Murmur3, Parameters, ProbeCountRule, Sequence, Sink, Strategy, StreamHeader, Utf8, Utf16Units,
    envelope,
};

fn parameters(insertions: u64, fpp: f64) -> Parameters {
    Parameters::new(insertions, fpp).unwrap()
}

#[test]
fn parameters_out_of_range_are_errors_with_the_value() {
    let rates = [0.0, 1.0, -0.5, f64::NAN, f64::INFINITY];
    let range = "the false-positive rate must be above 0 and below 1, got";
    let wrong = rates.map(|rate| (Parameters::new(10, rate), format!("{range} {rate:?}")));
    let range = "the expected insertions must be between 0 and 9223372036854775807, got";
    let many = (Parameters::new(u64::MAX, 0.01), format!("{range} {}", u64::MAX));
    for (result, text) in wrong.into_iter().chain([many]) {
        let error = result.unwrap_err();
        assert_eq!(
            (error.kind(), error.to_string()),
            (ErrorKind::InvalidArgument, text)
        );
    }
}

/// The two rules for the probe count differ at its limit. The newer one is the default.
#[test]
fn a_probe_count_of_255_is_taken_and_256_is_not() {
    let of_default = parameters(0, DEFAULT_FALSE_POSITIVE_RATE);
    assert_eq!(of_default, parameters(1, 0.03));
    assert_eq!(of_default.strategy(), Strategy::Murmur128Mitz64);
    assert_eq!(
        of_default.probe_count_rule(),
        ProbeCountRule::FromFalsePositiveRate
    );
    let of_k = |k: i32| libm::exp2(-f64::from(k));
    assert_eq!(parameters(1000, of_k(255)).probe_count(), 255);
    let error = Parameters::new(1000, of_k(256)).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the probe count must be between 1 and 255, got 256"),
        "{error}"
    );
    let barely = of_k(255) * 0.7;
    assert!(Parameters::new(1, barely).is_err());
    let older = Parameters::with_rule(1, barely, ProbeCountRule::FromBitsPerInsertion).unwrap();
    assert_eq!(older.probe_count(), 255);
}

/// Uses probabilities from 10^-9 to a half in geometric progression.
#[test]
fn the_rules_of_the_probe_count_differ_at_a_share_of_probabilities_that_falls_with_the_insertions() {
    let steps = 100_000;
    for insertions in [1, 10, 100, 1000] {
        let differing = (0..steps)
            .map(|step| 0.5 * libm::pow(2e-9, f64::from(step) / f64::from(steps)))
            .filter(|&fpp| {
                let of = |rule| {
                    Parameters::with_rule(insertions, fpp, rule)
                        .map(|of| of.probe_count())
                        .ok()
                };
                of(ProbeCountRule::FromBitsPerInsertion) != of(ProbeCountRule::FromFalsePositiveRate)
            })
            .count();
        let share = differing as f64 / f64::from(steps) * insertions as f64;
        assert!((0.33..0.45).contains(&share), "{share} / {insertions}");
    }
}

/// A funnel with state, so that two of the same type can differ.
#[derive(Debug, Clone, PartialEq)]
struct Salted(i32);

impl Hashing for Salted {
    type Function = Murmur3;

    fn encoding(&self) -> Encoding {
        Encoding::custom(&format!("salt {}", self.0))
    }
}

impl Funnel<str> for Salted {
    fn funnel<S: Sink>(&self, from: &str, into: &mut S) {
        into.put_i32(self.0);
        into.put_str(from);
    }
}

#[test]
fn only_filters_of_equal_shape_are_combined() {
    let filter = |insertions, fpp, strategy, salt| {
        BloomFilter::new(Salted(salt), &parameters(insertions, fpp).with_strategy(strategy)).unwrap()
    };
    let mut ours = filter(100, 0.01, Strategy::Murmur128Mitz64, 1);
    ours.insert("ours");
    let before = ours.clone();
    let others = [
        (
            filter(100, 0.02, Strategy::Murmur128Mitz64, 1),
            "probe counts",
            "7 and 6",
        ),
        (
            filter(200, 0.01, Strategy::Murmur128Mitz64, 1),
            "numbers of bits",
            "960 and 1920",
        ),
        (
            filter(100, 0.01, Strategy::Murmur128Mitz32, 1),
            "strategies",
            "Murmur128Mitz64 and Murmur128Mitz32",
        ),
        (
            filter(100, 0.01, Strategy::Murmur128Mitz64, 2),
            "funnels",
            "Salted(1) and Salted(2)",
        ),
    ];
    for (other, what, values) in others {
        let text = format!("the {what} of both filters must be equal, got {values}");
        let shared = ConcurrentBloomFilter::from(ours.clone());
        for error in [
            ours.merge(&other).unwrap_err(),
            ours.check_compatible(&other).unwrap_err(),
            shared.check_compatible(&other).unwrap_err(),
            shared.merge(&ConcurrentBloomFilter::from(other)).unwrap_err(),
        ] {
            assert_eq!(
                (error.kind(), error.to_string()),
                (ErrorKind::Incompatible, text.clone())
            );
        }
        assert_eq!(ours, before);
        assert_eq!(shared.into_sequential(), before);
    }

    ours.check_compatible(&ours).unwrap();
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
        "BloomFilter { funnel: Utf8, strategy: Murmur128Mitz64, probe_count: 3, bits: 128, .. }"
    );
    assert_eq!((filter.words(), filter.funnel()), (&[1, 2][..], &Utf8));
    assert_eq!(filter.into_parts(), (header(3, 2), vec![1, 2]));
}

#[test]
fn sequences_have_no_separators() {
    let parts = Sequence(Utf8);
    let whole = Hash128::of(b"abc");
    assert_eq!(Hash128::of_key(&parts, &["ab", "c"]), whole);
    assert_eq!(Hash128::of_key(&parts, &["ab", "c"][..]), whole);
    assert_eq!(Hash128::of_key(&parts, &vec!["a", "", "bc"]), whole);
    assert_eq!(Hash128::of_key(&parts, &&["abc".to_owned()][..]), whole);
    assert_eq!(Hash128::of_key(&parts, &Vec::<&str>::new()), Hash128::of(b""));
    assert_eq!(Hash128::of_key(&Sequence(parts), &[["a", "b"], ["c", ""]]), whole);
}

#[test]
fn long_texts_are_the_same_in_pieces() {
    for units in [0, 1, 63, 64, 65, 127, 128, 129, 1000] {
        let text: String = "\u{952e}".repeat(units);
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(
            Hash128::of_key(&Utf16Units, &text),
            Hash128::of(&bytes),
            "{units} units"
        );
    }
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
fn streams_of_many_pieces_are_written_and_read() {
    // One word less than a piece of 64 KiB, a piece, one word more, and several pieces.
    for words in [1, 8191, 8192, 8193, 30_000_u64] {
        let pattern = (0..words)
            .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .collect::<Vec<u64>>();
        let header = StreamHeader::new(Strategy::Murmur128Mitz32, 9, &pattern);
        let filter = BloomFilter::from_parts(Utf8, header, pattern).unwrap();
        let mut stream = Vec::new();
        filter.write_to(&mut stream).unwrap();
        assert_eq!(stream.len() as u64, filter.stream_len());
        assert_eq!(stream, filter.to_bytes(), "{words} words");

        stream.extend_from_slice(b"what follows");
        let mut reader = Slow::new(&stream, true);
        assert_eq!(BloomFilter::read_from(&mut reader, Utf8).unwrap(), filter);
        assert_eq!(reader.rest, b"what follows");

        let cut = stream.len() - b"what follows".len() - 3;
        let reader = Slow::new(&stream[..cut], false);
        let error = BloomFilter::read_from(reader, Utf8).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated);
        let (needed, got) = (filter.stream_len(), filter.stream_len() - 3);
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
    let reader = Slow::new(&[1, 5, 0, 0, 0, 9, 0], true);
    let error = BloomFilter::read_from(reader, Utf8).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Read);
    assert_eq!(error.to_string(), "reading the filter failed: the disk is gone");
    assert!(std::error::Error::source(&error).is_some());
    let bytes = sealed();
    let read = |bytes| envelope::read_from::<BloomFilter<Utf8>>(Slow::new(bytes, true), Utf8);
    assert_eq!(read(&bytes).unwrap(), unsealed(&bytes).unwrap());
    assert_eq!(read(&bytes[..50]).unwrap_err(), error);
}

/// Returns a filter in its envelope.
fn sealed() -> Vec<u8> {
    let mut filter = BloomFilter::new(Utf8, &parameters(100, 0.01)).unwrap();
    filter.insert_many(&["a", "b", "c"]);
    envelope::to_bytes(&filter)
}

fn unsealed(bytes: &[u8]) -> Result<BloomFilter<Utf8>, membership_filters::Error> {
    envelope::from_bytes(bytes, Utf8)
}

#[test]
fn the_envelope_holds_the_stream_between_header_and_checksum() {
    let bytes = sealed();
    let filter = unsealed(&bytes).unwrap();
    let shared = filter.clone().into();
    assert_eq!(envelope::to_bytes::<ConcurrentBloomFilter<_>>(&shared), bytes);
    let mut written = Vec::new();
    envelope::write_to(&filter, &mut written).unwrap();
    assert_eq!(written, bytes);
    let (stream, checksum) = bytes[16..].split_last_chunk().unwrap();
    assert_eq!(
        (&bytes[..16], stream),
        (&b"GBfilter\x02\x01\x01\0\0\0\0\0"[..], &filter.to_bytes()[..])
    );
    let hash = Hash128::of(&bytes[..bytes.len() - 8]);
    assert_eq!(u64::from_le_bytes(*checksum), hash.h1);
    // Later bytes stay in a reader, but are an error in a slice.
    let longer = [&bytes[..], b"rest"].concat();
    let mut reader = &longer[..];
    assert_eq!(
        envelope::read_from::<BloomFilter<Utf8>>(&mut reader, Utf8).unwrap(),
        filter
    );
    assert_eq!(
        (reader, unsealed(&longer).unwrap_err().kind()),
        (&b"rest"[..], ErrorKind::TrailingBytes)
    );
}

#[test]
fn the_envelope_refuses_every_damaged_bit_and_every_cut() {
    let bytes = sealed();
    for bit in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let kind = unsealed(&damaged).unwrap_err().kind();
        let expected = match bit / 8 {
            0..8 => ErrorKind::WrongFormat,
            8 => ErrorKind::UnsupportedVersion,
            // The hash, which may become that of another funnel; the strategy and the word count.
            9..=16 | 18..22 => kind,
            _ => ErrorKind::ChecksumMismatch,
        };
        assert_eq!(kind, expected, "bit {bit}");
    }
    for len in 0..bytes.len() {
        let cut = &bytes[..len];
        let from_reader = envelope::read_from::<BloomFilter<Utf8>>(cut, Utf8);
        for error in [unsealed(cut).unwrap_err(), from_reader.unwrap_err()] {
            assert_eq!(error.kind(), ErrorKind::Truncated, "{len} bytes");
        }
    }
}
