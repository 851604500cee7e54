//! Bytes that are no filter are refused with the name of the fault, and bytes that are read keep their meaning.

use membership_filters::Bytes;
use std::path::Path;
use std::process::Command;

use membership_filters::{CuckooFilter, Error};

use super::support::samples::{read, resign, samples};

#[test]
fn each_wrong_field_is_named() {
    let [bloom, counting, cuckoo, _, blocked, _, _, rotating] = &samples();
    let each = [bloom, counting, cuckoo, blocked, rotating];
    let table = include_str!("../data/wrong_fields.txt");
    for line in table
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let [sample, at, to, expected] = line.splitn(4, ' ').collect::<Vec<_>>().try_into().unwrap();
        let changed: &[&Vec<u8>] = match sample {
            "bloom" => &[bloom],
            "counting" => &[counting],
            "cuckoo" => &[cuckoo],
            "blocked" => &[blocked],
            "rotating" => &[rotating],
            _ => &each,
        };
        let (at, to): (usize, _) = (at.parse().unwrap(), hex::decode(to).unwrap());
        for bytes in changed {
            let mut bytes = bytes.to_vec();
            bytes[at..at + to.len()].copy_from_slice(&to);
            resign(&mut bytes);
            assert_eq!(read(&bytes).unwrap_err().to_string(), expected);
        }
    }
}

#[test]
fn cut_and_lengthened_bytes_are_refused() {
    for bytes in samples() {
        for len in 0..bytes.len() {
            let error = read(&bytes[..len]).unwrap_err();
            assert!(matches!(error, Error::Truncated(_)), "{len}: {error}");
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
        CuckooFilter::from_bytes(b"", Bytes).unwrap_err().to_string(),
        "the length in bytes must be at least 8, got 0"
    );
}

#[test]
fn every_flipped_bit_is_noticed() {
    for bytes in samples() {
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            assert!(read(&damaged).is_err(), "bit {bit}");
        }
    }
}

#[test]
fn claims_of_huge_filters_take_no_memory() {
    // Each claims 2 GiB, a petabyte or more than can be addressed, but has only some bytes.
    let [bloom, counting, cuckoo, _, blocked, spark, redisbloom, rotating] = samples();
    let claims = [
        (bloom, 18, [0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0]),
        (counting, 24, (64_u64 * 0x7fff_ffff).to_le_bytes()),
        (cuckoo.clone(), 32, (1_u64 << 50).to_le_bytes()),
        (cuckoo, 32, (1_u64 << 57).to_le_bytes()),
        (blocked, 16, 0x03ff_ffff_u64.to_le_bytes()),
        (spark, 24, [0xff, 0xff, 0xff, 0xfb, 0x7f, 0xff, 0xff, 0xff]),
        (rotating.clone(), 24, 0x0001_0000_u64.to_le_bytes()),
        (rotating, 32, 0x03ff_ffff_u64.to_le_bytes()),
        (redisbloom, 24, [0xff, 0xff, 0xff, 0xff, 5, 0, 0, 0]),
    ];
    for (mut bytes, at, claim) in claims {
        bytes[at..at + 8].copy_from_slice(&claim);
        resign(&mut bytes);
        let error = read(&bytes).unwrap_err();
        assert!(
            matches!(error, Error::Truncated(_) | Error::InvalidField(_)),
            "{error}"
        );
    }
}

/// The inputs of the fuzz target, among them all that ever reached new code: bytes that are read mean what they say.
#[test]
fn every_committed_input_is_refused_or_written_back() {
    let archive = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/stored.tar.gz");
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
