//! Stored filters of every kind: what is written, that old ones are read, and that bytes which are no filter are refused with
//! the name of the fault.

use std::fs;
use std::path::Path;
use std::process::Command;

use membership_filters::kinds::{self, AnyKind, Form, Size};
use membership_filters::{BlockedBloomFilter, Encoding, Error, Xxph3};
use serde::Deserialize;

use super::support::samples::{self, Sample, insert, made, resign, sample, samples};

/// A line of `kinds.jsonl`: a filter, and the SHA-256 of its stored form.
#[derive(Deserialize)]
struct Written {
    kind: String,
    capacity: u64,
    rate: f64,
    keys: u32,
    sha256: String,
}

fn sha256(kind: &dyn AnyKind, capacity: u64, rate: f64, keys: u32) -> String {
    use sha2::Digest as _;

    let mut filter = made(kind, capacity, rate).unwrap();
    let keys: Vec<String> = (0..keys).map(|key| format!("key/{key}")).collect();
    insert(&mut *filter, &keys).unwrap();
    hex::encode(sha2::Sha256::digest(filter.to_bytes(kind.form()).unwrap()))
}

/// `RECORD_NEW_KINDS=1` in the environment records kinds that have no line; it never changes one.
#[test]
fn every_kind_writes_what_it_always_wrote() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/kinds.jsonl");
    let mut text = fs::read_to_string(path).unwrap();
    let lines: Vec<Written> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for Written {
        kind,
        capacity,
        rate,
        keys,
        sha256: known,
    } in &lines
    {
        let named = kinds::named(kind).unwrap();
        assert_eq!(
            sha256(named, *capacity, *rate, *keys),
            *known,
            "{kind}, {capacity} keys at {rate}"
        );
    }
    let missing = kinds::ALL
        .iter()
        .filter(|kind| lines.iter().all(|line| line.kind != kind.name()));
    for kind in missing {
        let name = kind.name();
        let is_recorded = std::env::var_os("RECORD_NEW_KINDS").is_some();
        assert!(
            is_recorded,
            "record {name}: RECORD_NEW_KINDS=1 cargo test -p membership-filters --test all every_kind"
        );
        for (capacity, rate, keys) in [(1, 0.5, 0), (12, 0.05, 12), (1_000, 1e-3, 700)] {
            let sha256 = sha256(*kind, capacity, rate, keys);
            text += &format!(
                "{{\"kind\": {name:?}, \"capacity\": {capacity}, \"rate\": {rate:?}, \"keys\": {keys}, "
            );
            text += &format!("\"sha256\": {sha256:?}}}\n");
        }
    }
    if text.lines().count() > lines.len() {
        fs::write(path, text).unwrap();
    }
}

#[test]
fn every_kind_begins_as_documented() {
    let mut table =
        "| kind | first bytes of the envelope | written as | type |\n|---|---|---|---|\n".to_owned();
    for kind in kinds::ALL {
        let (name, magic, alias) = (kind.name(), kind.magic(), kind.alias());
        let mut filter = made(*kind, 12, 0.05).unwrap();
        insert(&mut *filter, &["alice"]).unwrap();
        assert!(
            filter.to_bytes(Form::Envelope).unwrap().starts_with(&magic),
            "{name}"
        );
        let bytes = filter.to_bytes(kind.form()).unwrap();
        assert_eq!(form_of(&bytes), kind.form(), "{name}");
        let (magic, form) = (magic.escape_ascii(), format!("{:?}", kind.form()).to_lowercase());
        table += &format!("| `{name}` | `{magic}` | {form} | `{alias}` |\n");
    }
    assert!(
        include_str!("../../FORMAT.md").contains(&format!("\n\n{table}\n")),
        "FORMAT.md must contain:\n{table}"
    );
}

#[test]
fn stored_filters_of_every_release_are_read() {
    for Sample { name, kind, bytes } in samples() {
        // The first that knows them is theirs.
        let knows = |kind: &&&dyn AnyKind| kind.recognise(&bytes[..32], bytes.len() as u64).is_some();
        assert_eq!(
            kinds::ALL.iter().find(knows).map(|kind| kind.name()),
            Some(kind.name()),
            "{name}"
        );
        let filter = samples::open(kind, &bytes).unwrap();
        if !name.starts_with("redisbloom.2") && name != "cuckoo.full" {
            assert_eq!(
                filter.contains_many(&[b"alice", b"bob", b"absent"]),
                [true, true, false],
                "{name}"
            );
        }
        // Chains of RedisBloom 2.0 get headers of today.
        if !name.starts_with("redisbloom.2") {
            assert!(filter.to_bytes(form_of(&bytes)).unwrap() == bytes, "{name}");
            let mut written = Vec::new();
            filter.write_to(form_of(&bytes), &mut written).unwrap();
            assert!(written == bytes, "{name}");
        }
    }
}

/// Returns true if the bytes are in the envelope, whose checksum finds damage.
fn is_enveloped(bytes: &[u8]) -> bool {
    kinds::ALL.iter().any(|kind| bytes.starts_with(&kind.magic()))
}

fn form_of(bytes: &[u8]) -> Form {
    match is_enveloped(bytes) {
        true => Form::Envelope,
        false => Form::Stream,
    }
}

/// Returns stored filters of every kind, in each form that is read: as they are written now, and those of the data.
fn all() -> Vec<(&'static dyn AnyKind, Vec<u8>)> {
    let written = kinds::ALL.iter().flat_map(|&kind| {
        let mut filter = made(kind, 12, 0.05).unwrap();
        insert(&mut *filter, &["alice", "bob"]).unwrap();
        let forms = [Form::Stream, Form::Envelope].map(|form| filter.to_bytes(form));
        let read = forms.into_iter().flatten().map(|bytes| (kind, bytes));
        read.filter(|(kind, bytes)| samples::open(*kind, bytes).is_ok())
            .collect::<Vec<_>>()
    });
    let stored = samples()
        .into_iter()
        .map(|Sample { kind, bytes, .. }| (kind, bytes));
    written.chain(stored).collect()
}

#[test]
fn each_wrong_field_is_named() {
    let table = include_str!("../data/wrong_fields.txt");
    for line in table
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let [name, at, to, expected] = line.splitn(4, ' ').collect::<Vec<_>>().try_into().unwrap();
        let (at, to): (usize, _) = (at.parse().unwrap(), hex::decode(to).unwrap());
        let changed = samples().into_iter().filter(|sample| match name {
            "each" => is_enveloped(&sample.bytes) && !sample.name.contains('.'),
            _ => sample.name == name,
        });
        let mut count = 0;
        for Sample { kind, mut bytes, .. } in changed {
            bytes[at..at + to.len()].copy_from_slice(&to);
            resign(&mut bytes);
            let opened = kind.open(samples::hash_id(kind), &bytes);
            assert_eq!(opened.unwrap_err().to_string(), expected, "{line}");
            count += 1;
        }
        assert!(count > 0, "{line}");
    }
    // Integers and bytes have one encoding under the fast hash alone.
    let blocked = kinds::named("blocked").unwrap();
    let integers = blocked.hash_id(Encoding::INT64, 0).unwrap();
    assert!(blocked.open(integers, &sample("blocked-xxph3.text")).is_ok());
    let other = blocked
        .open(integers, &sample("blocked"))
        .unwrap_err()
        .to_string();
    assert_eq!(
        other,
        "the filter's keys must be 64-bit integers, got bytes or UTF-8"
    );
}

#[test]
fn sizes_in_bytes_are_of_the_stored_filter() {
    for kind in kinds::ALL {
        for bytes in 200..220 {
            let plan = kind
                .plan(samples::hash_id(*kind), 100, Size::Bytes(bytes))
                .unwrap();
            let len = plan.make().unwrap().to_bytes(kind.form()).unwrap().len() as u64;
            assert_eq!(len, plan.stored_len, "{}", kind.name());
            assert!(len <= bytes, "{}: {len} of {bytes}", kind.name());
            assert!(plan.rate(50) < plan.rate(100), "{}", kind.name());
        }
    }
}

#[test]
fn cut_and_lengthened_bytes_are_refused() {
    for (kind, bytes) in all() {
        // Fewer bytes of an envelope are no stream.
        for len in if is_enveloped(&bytes) { 8 } else { 0 }..bytes.len() {
            let found = kind.recognise(&bytes[..len], len as u64);
            let is_certain = found.is_some_and(|found| found.is_certain);
            assert!(
                !is_certain || kind.name() == "redisbloom" || is_enveloped(&bytes),
                "{}",
                kind.name()
            );
            let text = samples::open(kind, &bytes[..len]).unwrap_err().to_string();
            let needed = text.strip_prefix("the length in bytes must be at least ");
            let needed = needed.and_then(|text| text.strip_suffix(&format!(", got {len}")));
            let needed: usize = needed.unwrap_or_else(|| panic!("{text}")).parse().unwrap();
            assert!(needed > len && needed <= bytes.len(), "{text}");
        }
        let (len, longer) = (bytes.len(), [&bytes[..], b"\0"].concat());
        let text = format!("the length in bytes must be {len}, got {}", len + 1);
        assert_eq!(samples::open(kind, &longer).unwrap_err().to_string(), text);
    }
}

#[test]
fn every_flipped_bit_of_an_envelope_is_noticed() {
    for (kind, bytes) in all().into_iter().filter(|(_, bytes)| is_enveloped(bytes)) {
        for bit in 0..bytes.len() * 8 {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let error = samples::open(kind, &damaged).unwrap_err();
            // The last words of a filter are not judged before the checksum is.
            let is_early = bit / 8 < bytes.len() - 16;
            let is_right = is_early || matches!(error, Error::ChecksumMismatch(_));
            assert!(is_right, "{}, bit {bit}: {error}", kind.name());
        }
    }
}

/// Lengths of gigabytes and more, in every place where one can be.
#[test]
fn claims_of_huge_filters_take_no_memory() {
    let little = [
        0x03ff_ffff,
        0x7fff_ffff,
        0x0001_0000,
        1 << 50,
        1 << 57,
        64 * 0x7fff_ffff,
    ]
    .map(u64::to_le_bytes);
    let claims = little
        .into_iter()
        .chain([0x7fff_ffff_0000_0000_u64.to_be_bytes()]);
    for (claim, (kind, bytes)) in
        claims.flat_map(|claim| all().into_iter().map(move |filter| (claim, filter)))
    {
        for (at, len) in (0..bytes.len().min(100)).flat_map(|at| [(at, 4), (at, 8)]) {
            let mut bytes = bytes.clone();
            let Some(place) = bytes.get_mut(at..at + len) else {
                continue;
            };
            place.copy_from_slice(&claim[..len]);
            if is_enveloped(&bytes) {
                resign(&mut bytes);
            }
            // What is read has no more than there is.
            if let Ok(filter) = samples::open(kind, &bytes) {
                assert!(filter.to_bytes(form_of(&bytes)).unwrap().len() <= bytes.len() + 8);
            }
        }
    }
}

/// The inputs of the fuzz target, among them all that ever reached new code: bytes that are read mean what they say.
#[test]
fn every_committed_input_is_refused_or_written_back() {
    let archive = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/stored.tar.gz");
    let inputs = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stored");
    // Without the inputs of an earlier archive.
    if inputs.exists() {
        fs::remove_dir_all(&inputs).unwrap();
    }
    fs::create_dir_all(&inputs).unwrap();
    let mut tar = Command::new("tar");
    tar.args(["--no-overwrite-dir", "-xzf", archive, "-C"])
        .arg(&inputs);
    assert!(tar.status().unwrap().success());
    let mut counts = [0; 2];
    for file in inputs.read_dir().unwrap() {
        let mut bytes = fs::read(file.unwrap().path()).unwrap();
        resign(&mut bytes);
        for kind in kinds::ALL {
            let opened = samples::open(*kind, &bytes);
            counts[usize::from(opened.is_ok())] += 1;
            assert!(
                opened.is_err()
                    || opened.is_ok_and(|filter| filter.to_bytes(form_of(&bytes)).unwrap() == bytes)
            );
        }
    }
    assert!(counts.iter().all(|count| *count > 50), "{counts:?}");
}

#[test]
fn a_file_is_written_whole_and_its_errors_name_it() {
    let filter = BlockedBloomFilter::<Xxph3>::from_bytes(&sample("blocked-xxph3.text"), Xxph3).unwrap();
    for room in [0, 9, 30, 50] {
        assert!(filter.write_to(&mut vec![0; room][..]).is_err());
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stored.filter");
    filter.save(&path).unwrap();
    assert_eq!(BlockedBloomFilter::open(&path, Xxph3).unwrap(), filter);
    fs::write(&path, [&filter.to_bytes()[..], b"x"].concat()).unwrap();
    let trailing = BlockedBloomFilter::open(&path, Xxph3).unwrap_err();
    fs::remove_file(&path).unwrap();
    let missing = BlockedBloomFilter::open(&path, Xxph3).unwrap_err();
    assert!(matches!(
        (&trailing, &missing),
        (Error::TrailingBytes(_), Error::NotFound(_))
    ));
    use std::error::Error as _;
    assert!(trailing.source().is_none() && missing.source().is_some());
    for error in [trailing, missing] {
        assert!(
            error.to_string().starts_with(&path.display().to_string()),
            "{error}"
        );
    }
    let unwritten = filter.save("/dev/null/filter").unwrap_err();
    assert!(matches!(unwritten, Error::Write(_)));
    assert!(
        unwritten.to_string().starts_with("/dev/null/filter"),
        "{unwritten}"
    );
}
