//! What callers may rely on, and what mistakes are answered with.
#![cfg(feature = "std")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{self, Read};

use guava_bloom::{
    BloomFilter, Bytes, Funnel, Hash128, Incompatible, Modulus, ParameterError, Parameters, ProbeCountRule,
    ReadError, Sequence, Sink, Strategy, StreamHeader, Utf8, Utf16Units,
};

fn parameters(insertions: u64, fpp: f64) -> Parameters {
    Parameters::new(insertions, fpp).unwrap()
}

#[test]
fn defaults_are_guavas() {
    let parameters = Parameters::with_default_fpp(0).unwrap();
    assert_eq!(parameters, Parameters::new(1, 0.03).unwrap());
    assert_eq!(parameters.strategy().name(), "MURMUR128_MITZ_64");
    assert_eq!(parameters.probe_count_rule(), ProbeCountRule::FromFpp);
    assert_eq!((parameters.insertions(), parameters.fpp()), (1, 0.03));
}

#[test]
fn ordinals_are_frozen() {
    for (ordinal, name) in ["MURMUR128_MITZ_32", "MURMUR128_MITZ_64"].into_iter().enumerate() {
        let ordinal = u8::try_from(ordinal).unwrap();
        let strategy = Strategy::from_ordinal(ordinal).unwrap();
        assert_eq!((strategy.ordinal(), strategy.name()), (ordinal, name));
        assert_eq!(strategy.to_string(), name);
    }
    assert!((2..=255).all(|ordinal| Strategy::from_ordinal(ordinal).is_none()));
}

#[test]
fn parameters_out_of_range_are_errors_with_the_value() {
    let texts = [
        (
            Parameters::new(-1, 0.01),
            "expected insertions are -1, allowed are 0 to 9223372036854775807",
        ),
        (
            Parameters::new(u64::MAX, 0.01),
            "expected insertions are 18446744073709551615, allowed are 0 to 9223372036854775807",
        ),
        (
            Parameters::new(10, 0.0),
            "the false-positive probability is 0.0, allowed are numbers above 0 and below 1",
        ),
        (
            Parameters::new(10, 1.0),
            "the false-positive probability is 1.0, allowed are numbers above 0 and below 1",
        ),
        (
            Parameters::new(10, -0.5),
            "the false-positive probability is -0.5, allowed are numbers above 0 and below 1",
        ),
        (
            Parameters::new(10, f64::NAN),
            "the false-positive probability is NaN, allowed are numbers above 0 and below 1",
        ),
        (
            Parameters::new(10, f64::INFINITY),
            "the false-positive probability is inf, allowed are numbers above 0 and below 1",
        ),
        (
            Parameters::new(0, 0.9),
            "expected insertions 1 and false-positive probability 0.9 give a filter of 0 bits, allowed is at least 1",
        ),
        (
            Parameters::new(1_000_000_000_000_i64, 0.01),
            "expected insertions 1000000000000 and false-positive probability 0.01 give a filter of 9585058377367 bits, \
             allowed are at most 137438953408",
        ),
        (
            Parameters::new(i64::MAX, 1e-300),
            "expected insertions 9223372036854775807 and false-positive probability 1e-300 give a filter of \
             9223372036854775807 bits, allowed",
        ),
        (
            Parameters::new(10, 1e-80),
            "the false-positive probability 1e-80 gives 266 probes, allowed are at most 255",
        ),
    ];
    for (result, text) in texts {
        let error = result.unwrap_err().to_string();
        assert!(error.starts_with(text), "{error}");
    }
    assert_eq!(
        Parameters::new(10, 1e-80),
        Err(ParameterError::TooManyProbes {
            probes: 266,
            fpp: 1e-80
        })
    );
}

/// At the edge of the probe count the rules decide otherwise.
#[test]
fn a_probe_count_of_255_is_taken_and_256_is_not() {
    let of_k = |k: i32| libm::exp2(-f64::from(k));
    assert_eq!(parameters(1000, of_k(255)).probes(), 255);
    let error = Parameters::new(1000, of_k(256)).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("gives 256 probes, allowed are at most 255"),
        "{error}"
    );
    let barely = of_k(255) * 0.7;
    assert!(Parameters::new(1, barely).is_err());
    let older = Parameters::with_rule(1, barely, ProbeCountRule::FromBitsPerInsertion).unwrap();
    assert_eq!(older.probes(), 255);
    assert!(older.with_probe_count_rule(ProbeCountRule::FromFpp).is_err());
}

/// Probabilities of 10^-9 to a half, each the same factor above the one before.
#[test]
fn the_rules_of_the_probe_count_differ_at_a_share_of_probabilities_that_falls_with_the_insertions() {
    let steps = 100_000;
    for insertions in [1, 10, 100, 1000] {
        let differing = (0..steps)
            .map(|step| 0.5 * libm::pow(2e-9, f64::from(step) / f64::from(steps)))
            .filter_map(|fpp| Parameters::new(insertions, fpp).ok())
            .filter(|newer| {
                let older = newer.with_probe_count_rule(ProbeCountRule::FromBitsPerInsertion);
                older.unwrap().probes() != newer.probes()
            })
            .count();
        let share = differing as f64 / f64::from(steps) * f64::from(insertions);
        assert!((0.33..0.45).contains(&share), "{share} / {insertions}");
    }
}

#[test]
fn put_tells_whether_bits_changed() {
    let mut filter = BloomFilter::new(Utf8, &parameters(100, 0.01)).unwrap();
    assert!(!filter.might_contain("a"));
    assert!(filter.put("a"));
    assert!(!filter.put("a"));
    assert!(filter.might_contain("a"));
    assert!(filter.bit_count() <= u64::from(filter.probes()));
    filter.clear();
    assert_eq!(filter, BloomFilter::new(Utf8, &parameters(100, 0.01)).unwrap());
}

#[test]
fn an_empty_filter_contains_nothing_and_a_full_one_everything() {
    let empty = BloomFilter::new(Bytes, &parameters(0, 0.5)).unwrap();
    assert!((0..=255).all(|byte: u8| !empty.might_contain(&[byte])));
    assert_eq!((empty.expected_fpp(), empty.bit_count()), (0.0, 0));
    assert_eq!(empty.approximate_element_count(), Ok(0));

    let full = BloomFilter::from_parts(Bytes, Strategy::default(), 255, vec![u64::MAX; 3]).unwrap();
    assert!((0..=255).all(|byte: u8| full.might_contain(&[byte])));
    assert_eq!(full.expected_fpp(), 1.0);
    assert_eq!(
        full.approximate_element_count().unwrap_err().to_string(),
        "all 192 bits of the filter are set: any number of elements could be in it"
    );
}

#[test]
fn keys_of_any_length_and_content_go_in() {
    let keys: [&[u8]; 5] = [b"", b"\0", b"\xff\xfe", &[7; 300], &[0; 65_536]];
    for strategy in [Strategy::Murmur128Mitz32, Strategy::Murmur128Mitz64] {
        let mut filter = BloomFilter::new(Bytes, &parameters(5, 0.001).with_strategy(strategy)).unwrap();
        for key in keys {
            assert!(filter.put(key), "{} bytes", key.len());
            assert!(filter.might_contain(key));
            assert!(filter.might_contain_hash(Hash128::of(key)));
        }
    }
}

#[test]
fn positions_of_any_modulus_are_below_it() {
    for strategy in [Strategy::Murmur128Mitz32, Strategy::Murmur128Mitz64] {
        for modulus in [1, 2, 63, 64, 21_895, 1 << 31, 1 << 37, Modulus::MAX] {
            let positions = strategy.positions(Hash128::of(b"key"), 255, Modulus::new(modulus).unwrap());
            assert_eq!(positions.len(), 255);
            assert!(
                positions.into_iter().all(|position| position < modulus),
                "{modulus}"
            );
        }
        let none = strategy.positions(Hash128::of(b"key"), 0, Modulus::new(64).unwrap());
        assert_eq!(none.count(), 0);
    }
}

/// A funnel with a state, by which two of one type can differ.
#[derive(Debug, Clone, PartialEq)]
struct Salted(i32);

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
    ours.put("ours");
    let before = ours.clone();
    let others = [
        (
            filter(100, 0.02, Strategy::Murmur128Mitz64, 1),
            "the filters cannot be combined: 7 probes here, 6 in the other",
        ),
        (
            filter(200, 0.01, Strategy::Murmur128Mitz64, 1),
            "the filters cannot be combined: 960 bits here, 1920 in the other",
        ),
        (
            filter(100, 0.01, Strategy::Murmur128Mitz32, 1),
            "the filters cannot be combined: strategy MURMUR128_MITZ_64 here, MURMUR128_MITZ_32 in the other",
        ),
        (
            filter(100, 0.01, Strategy::Murmur128Mitz64, 2),
            "the filters cannot be combined: funnel Salted(1) here, Salted(2) in the other",
        ),
    ];
    for (other, text) in others {
        let error: Incompatible = ours.put_all(&other).unwrap_err();
        assert_eq!(error.to_string(), text);
        assert_eq!(ours.is_compatible(&other), Err(error));
        assert_eq!(ours, before);
    }

    let mut theirs = filter(100, 0.01, Strategy::Murmur128Mitz64, 1);
    theirs.put("theirs");
    ours.put_all(&theirs).unwrap();
    assert!(ours.might_contain("ours") && ours.might_contain("theirs"));
    let mut both = before;
    both.put("theirs");
    assert_eq!(ours, both);
    assert_eq!(ours.is_compatible(&ours), Ok(()));
}

#[test]
fn parts_that_are_no_filter_are_refused() {
    let from_parts = |probes, words| BloomFilter::from_parts(Utf8, Strategy::default(), probes, words);
    assert_eq!(from_parts(0, vec![0]).unwrap_err(), ParameterError::NoProbes);
    assert_eq!(
        from_parts(1, vec![]).unwrap_err().to_string(),
        "the filter has 0 words of 64 bits, allowed are 1 to 2147483647"
    );
    let filter = from_parts(3, vec![1, 2]).unwrap();
    assert_eq!((filter.words(), filter.funnel()), (&[1, 2][..], &Utf8));
    assert_eq!(filter.into_words(), [1, 2]);
}

#[test]
fn sequences_have_no_separators() {
    let parts = Sequence(Utf8);
    let whole = Hash128::of(b"abc");
    assert_eq!(parts.hash(&["ab", "c"]), whole);
    assert_eq!(parts.hash(&["ab", "c"][..]), whole);
    assert_eq!(parts.hash(&vec!["a", "", "bc"]), whole);
    assert_eq!(parts.hash(&&["abc".to_owned()][..]), whole);
    assert_eq!(parts.hash_all(["ab", "c"]), whole);
    assert_eq!(parts.hash(&Vec::<&str>::new()), Hash128::of(b""));
    assert_eq!(Sequence(parts).hash(&[["a", "b"], ["c", ""]]), whole);
}

#[test]
fn long_texts_are_the_same_in_pieces() {
    for units in [0, 1, 63, 64, 65, 127, 128, 129, 1000] {
        let text: String = "\u{952e}".repeat(units);
        let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(Utf16Units.hash(&text), Hash128::of(&bytes), "{units} units");
    }
}

/// Gives a few bytes at a time, an interruption between them, and an error or the end behind the last.
struct Slow<'a> {
    rest: &'a [u8],
    interrupted: bool,
    fails: bool,
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
    // One word less than a piece of 64 KiB, the piece, one more, and several.
    for words in [1, 8191, 8192, 8193, 30_000_u64] {
        let pattern = (0..words)
            .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .collect();
        let filter = BloomFilter::from_parts(Utf8, Strategy::Murmur128Mitz32, 9, pattern).unwrap();
        let mut stream = Vec::new();
        filter.write_to(&mut stream).unwrap();
        assert_eq!(stream.len() as u64, filter.stream_len());
        assert_eq!(stream, filter.to_bytes(), "{words} words");

        stream.extend_from_slice(b"what follows");
        let mut reader = Slow {
            rest: &stream,
            interrupted: false,
            fails: true,
        };
        assert_eq!(BloomFilter::read_from(&mut reader, Utf8).unwrap(), filter);
        assert_eq!(reader.rest, b"what follows");

        let cut = stream.len() - b"what follows".len() - 3;
        let reader = Slow {
            rest: &stream[..cut],
            interrupted: false,
            fails: false,
        };
        let error = BloomFilter::read_from(reader, Utf8).unwrap_err();
        assert!(
            matches!(error, ReadError::WordsCut { found, .. } if found == words * 8 - 3),
            "{error}"
        );
    }
}

#[test]
fn an_error_of_the_reader_is_handed_on() {
    let reader = Slow {
        rest: &[1, 5, 0, 0, 0, 9, 0],
        interrupted: false,
        fails: true,
    };
    let error = BloomFilter::read_from(reader, Utf8).unwrap_err();
    assert_eq!(error.to_string(), "reading the filter failed: the disk is gone");
    assert!(std::error::Error::source(&error).is_some());
}

#[test]
fn a_stream_that_claims_much_and_has_little_is_cut() {
    let header = StreamHeader {
        ordinal: 0,
        probes: 3,
        words: i32::MAX,
    };
    let stream = [&header.to_bytes()[..], &[0; 100_000]].concat();
    for error in [
        BloomFilter::read_from(stream.as_slice(), Utf8).unwrap_err(),
        BloomFilter::from_bytes(&stream, Utf8).unwrap_err(),
    ] {
        assert_eq!(
            error.to_string(),
            "the filter ends after 100000 of 17179869176 bytes behind its header: the header says strategy ordinal 0, 3 \
             probes, 2147483647 words"
        );
    }
}

#[test]
fn the_text_of_a_filter_is_short() {
    let filter = BloomFilter::new(Utf8, &parameters(1_000_000, 0.01)).unwrap();
    assert_eq!(
        format!("{filter:?}"),
        "BloomFilter { funnel: Utf8, strategy: Murmur128Mitz64, probes: 7, bit_size: 9585088, .. }"
    );
}

#[test]
#[should_panic(expected = "as many places for answers as elements")]
fn answers_have_a_place_each() {
    let filter = BloomFilter::new(Utf8, &parameters(10, 0.01)).unwrap();
    filter.might_contain_many(&["a", "b"], &mut [false]);
}
