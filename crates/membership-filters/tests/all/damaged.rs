//! Bytes that are no filter are refused with the name of the fault, and bytes that are read keep their meaning.

use std::path::Path;
use std::process::Command;

use hashzoo::murmur3_x64_128;
use membership_filters::{CuckooFilter, ErrorKind};

use super::support::samples::{read, samples};

/// Corrects the checksum, so that the code after the check is reached.
fn resign(bytes: &mut [u8]) {
    let Some(body) = bytes.len().checked_sub(8) else {
        return;
    };
    let (checksum, _) = murmur3_x64_128(&bytes[..body], 0);
    bytes[body..].copy_from_slice(&checksum.to_le_bytes());
}

/// Returns the error for bytes with this change and a correct checksum.
fn changed(mut bytes: Vec<u8>, at: usize, to: &[u8]) -> String {
    bytes[at..at + to.len()].copy_from_slice(to);
    resign(&mut bytes);
    read(&bytes).unwrap_err().to_string()
}

#[test]
fn each_wrong_field_is_named() {
    let [bloom, counting, cuckoo, _, growing, same_size, blocked] = samples();
    let text = |bytes: &Vec<u8>, at, to: &[u8]| changed(bytes.clone(), at, to);
    // The common header.
    assert_eq!(
        text(&cuckoo, 7, b"x"),
        "the first eight bytes must be \"MFcounts\", got \"MFcuckox\""
    );
    for bytes in [&bloom, &counting, &cuckoo, &growing, &blocked] {
        assert_eq!(text(bytes, 8, &[2]), "the version must be 1, got 2");
        assert_eq!(text(bytes, 9, &[0]), "the hash function must be 1, got 0");
        assert_eq!(text(bytes, 10, &[0, 7]), "a reserved byte must be 0, got 7");
        assert_eq!(text(bytes, 12, &[1]), "the hash seed must be 0, got 1");
    }
    // Guava's stream, with big-endian numbers.
    let values = |ordinal, probe_count, word_count| {
        format!("(header: strategy ordinal {ordinal}, probe count {probe_count}, word count {word_count})")
    };
    assert_eq!(
        text(&bloom, 16, &[2]),
        format!("the strategy ordinal must be 0 or 1, got 2 {}", values(2, 4, 2))
    );
    assert_eq!(
        text(&bloom, 17, &[0]),
        format!(
            "the probe count must be between 1 and 255, got 0 {}",
            values(1, 0, 2)
        )
    );
    assert_eq!(
        text(&bloom, 18, &[0; 4]),
        format!(
            "the word count must be between 1 and 2147483647, got 0 {}",
            values(1, 4, 0)
        )
    );
    // Blocked.
    for (count, claimed) in [(0, [0; 4]), (67_108_864, [0, 0, 0, 4])] {
        assert_eq!(
            text(&blocked, 16, &claimed),
            format!("the blocks must be between 1 and 67108863, got {count}")
        );
    }
    assert_eq!(text(&blocked, 20, &[1]), "a reserved byte must be 0, got 1");
    // Counting.
    assert_eq!(text(&counting, 16, &[2]), "strategy must be 0 or 1, got 2");
    assert_eq!(
        text(&counting, 17, &[0]),
        "probe count must be between 1 and 255, got 0"
    );
    assert_eq!(
        text(&counting, 18, &[17]),
        "the counter bits must be between 2 and 16, got 17"
    );
    assert_eq!(text(&counting, 19, &[1]), "a reserved byte must be 0, got 1");
    assert_eq!(
        text(&counting, 24, &[127]),
        "counters must be a multiple of 64 from 64 to 64 * (2^31 - 1), got 127"
    );
    // Cuckoo.
    assert_eq!(
        text(&cuckoo, 16, &[3]),
        "the fingerprint bits must be between 4 and 32, got 3"
    );
    assert_eq!(text(&cuckoo, 17, &[2]), "slots per bucket must be 4, got 2");
    assert_eq!(text(&cuckoo, 18, &[1]), "a reserved byte must be 0, got 1");
    assert_eq!(
        text(&cuckoo, 32, &[11]),
        "buckets must be an even number, at least 2, got 11"
    );
    assert_eq!(
        text(&cuckoo, 32, &[0xff; 8]),
        "buckets must be an even number, at least 2, got 18446744073709551615"
    );
    assert_eq!(
        text(&cuckoo, 32, &[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
        "the filter's length in bytes must be at most 9223372036854775807, got 73786976294838206456"
    );
    assert_eq!(
        text(&cuckoo, 40, &[5]),
        "items must be between 4 and 4 by the contents, got 5"
    );
    // Growing.
    assert_eq!(text(&growing, 16, &[2]), "rule must be 0 or 1, got 2");
    assert_eq!(text(&growing, 17, &[1]), "a reserved byte must be 0, got 1");
    assert_eq!(
        text(&growing, 20, &[0]),
        "the growth must be between 1 and 16, got 0"
    );
    assert_eq!(text(&same_size, 20, &[2]), "growth must be 1 with rule 1, got 2");
    assert_eq!(
        text(&growing, 24, &[0xff; 8]),
        "the expected insertions must be between 0 and 9223372036854775807, got 18446744073709551615"
    );
    assert_eq!(
        text(&growing, 32, &2.0_f64.to_le_bytes()),
        "the false-positive rate must be above 0 and below 1, got 2.0"
    );
    assert_eq!(
        text(&growing, 40, &f64::NAN.to_le_bytes()),
        "the ratio must be from 0.1 to below 1, got NaN"
    );
    assert_eq!(
        text(&same_size, 40, &0.5_f64.to_le_bytes()),
        "ratio must be 1 with rule 1, got 0.5"
    );
    assert_eq!(text(&growing, 48, &[0]), "links must be at least 1, got 0");
    assert_eq!(
        text(&growing, 56, &[0]),
        "probe count must be between 1 and 255, got 0"
    );
    assert_eq!(
        text(&growing, 64, &[9]),
        "words must be between 0 and 2 by the contents, got 9"
    );
    // A link that is not the last is full, but the last is not.
    assert_eq!(
        text(&growing, 72, &[63]),
        "limit must be between 0 and 26 by the contents, got 63"
    );
    assert_eq!(
        text(&growing, 224, &[3, 0]),
        "limit must be between 40 and 575 by the contents, got 3"
    );
    // With this limit the link could never become full.
    assert_eq!(
        text(&growing, 224, &[0x40, 2]),
        "limit must be between 40 and 575 by the contents, got 576"
    );
    // An element changes at least one bit, and at most as many as there are probes.
    assert_eq!(
        text(&growing, 80, &[63]),
        "elements must be between 6 and 27 by the contents, got 63"
    );
}

#[test]
fn cut_and_lengthened_bytes_are_refused() {
    for bytes in samples() {
        for len in 8..bytes.len() {
            let error = read(&bytes[..len]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Truncated, "{len}: {error}");
            let text = error.to_string();
            let needed = text.strip_prefix("the length in bytes must be at least ");
            let needed = needed.and_then(|text| text.strip_suffix(&format!(", got {len}")));
            let needed: usize = needed.unwrap().parse().unwrap();
            assert!(needed > len && needed <= bytes.len(), "{error}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert_eq!(
            read(&longer).unwrap_err().to_string(),
            format!(
                "the length in bytes must be {}, got {}",
                bytes.len(),
                bytes.len() + 1
            )
        );
    }
    assert_eq!(
        CuckooFilter::from_bytes(b"", ()).unwrap_err().to_string(),
        "the length in bytes must be at least 8, got 0"
    );
}

#[test]
fn every_flipped_bit_is_noticed() {
    for bytes in samples() {
        for bit in 64..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&damaged).is_err(), "bit {bit}");
        }
    }
}

#[test]
fn claims_of_huge_filters_take_no_memory() {
    // Each claims 2 GiB, a petabyte or more than can be addressed, but has only some bytes.
    let [bloom, counting, cuckoo, _, growing, _, blocked] = samples();
    let claims = [
        (bloom, 18, [0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0]),
        (counting, 24, (64_u64 * 0x7fff_ffff).to_le_bytes()),
        (cuckoo.clone(), 32, (1_u64 << 50).to_le_bytes()),
        (cuckoo, 32, (1_u64 << 57).to_le_bytes()),
        (growing, 48, u64::MAX.to_le_bytes()),
        (blocked, 16, 0x03ff_ffff_u64.to_le_bytes()),
    ];
    for (mut bytes, at, claim) in claims {
        bytes[at..at + 8].copy_from_slice(&claim);
        resign(&mut bytes);
        let error = read(&bytes).unwrap_err();
        let kinds = [ErrorKind::Truncated, ErrorKind::InvalidField];
        assert!(kinds.contains(&error.kind()), "{error}");
    }
}

/// The inputs of the fuzz target, among them all that ever reached new code: bytes that are read mean what they say.
#[test]
fn every_committed_input_is_refused_or_written_back() {
    let archive = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus/stored.tar.gz");
    let inputs = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stored");
    std::fs::create_dir_all(&inputs).unwrap();
    let mut tar = Command::new("tar");
    tar.args(["-xzf", archive, "-C"]).arg(&inputs);
    assert!(tar.status().unwrap().success());
    let mut counts = [0; 2];
    for file in inputs.read_dir().unwrap() {
        let mut bytes = std::fs::read(file.unwrap().path()).unwrap();
        resign(&mut bytes);
        let result = read(&bytes);
        counts[usize::from(result.is_ok())] += 1;
        assert!(result.is_err() || result.is_ok_and(|written| written == bytes));
    }
    assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
}
