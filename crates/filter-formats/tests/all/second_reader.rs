//! Another reader of two formats, in Python, which was written from the page `FORMAT.md`: it answers as the policies do.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use filter_formats::policies::{self, AnyPolicy};
use filter_policy::{BitsPerKey, FilterPolicy, MATCHES_EVERYTHING};

use super::support::golden::hex;
use super::support::random::{random_bytes, random_keys, slices};

const FUSE: &str = "binaryfuse";

/// Numbers of keys, at which segments, blocks and fingerprints of every size are met.
const COUNTS: [usize; 14] = [
    1, 2, 3, 7, 28, 91, 92, 500, 1_000, 1_010, 3_361, 5_000, 12_000, 20_000,
];
/// Bits per key that lead to every width of fingerprint.
const BITS: [u32; 7] = [1, 8, 11, 13, 15, 22, 400];
/// The number of keys of each filter that are looked up, and of other keys.
const LOOKUPS: usize = 300;

/// Questions for the reader, and the policies' answers.
#[derive(Default)]
struct Questions {
    lines: String,
    answers: Vec<bool>,
}

impl Questions {
    fn ask<'a>(
        &mut self,
        policy: &dyn FilterPolicy,
        filter: &[u8],
        keys: impl IntoIterator<Item = &'a Vec<u8>>,
    ) {
        writeln!(self.lines, "{} {}", policy.name(), hex(filter)).unwrap();
        for key in keys {
            writeln!(self.lines, "{}", hex(key)).unwrap();
            self.answers.push(policy.key_may_match(key, filter));
        }
    }

    /// Starts the reader, and checks its answers. Returns how many are "may match".
    fn check(&self) -> usize {
        let mut child = Command::new("python3")
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/second_reader.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| {
                panic!("python3: {error}; needed: Python 3 (Debian: `apt-get install python3`)")
            });
        let mut input = child.stdin.take().unwrap();
        let output = std::thread::scope(|scope| {
            // A reader that stops early is reported by its status.
            scope.spawn(move || input.write_all(self.lines.as_bytes()).ok());
            child.wait_with_output().unwrap()
        });
        assert!(output.status.success(), "python3: {}", output.status);
        let stdout = String::from_utf8(output.stdout).unwrap();
        let mut answers = stdout.lines().zip(&self.answers);
        let (mut filter, mut matches) = ("", 0);
        for line in self.lines.lines() {
            if line.contains(' ') {
                filter = line;
                continue;
            }
            let (answer, expected) = answers.next().expect("an answer for every key");
            let start = &filter[..filter.len().min(200)];
            assert_eq!(
                answer,
                if *expected { "maybe" } else { "no" },
                "key {line:?} in {start}, {} characters, which end in {}",
                filter.len(),
                &filter[filter.len().saturating_sub(28)..]
            );
            matches += usize::from(*expected);
        }
        assert_eq!(stdout.lines().count(), self.answers.len());
        matches
    }
}

fn policies(bits: BitsPerKey) -> [AnyPolicy; 2] {
    [FUSE, "SplitBlockBloomFilter.Xxph3"].map(|name| policies::by_name(name, bits).unwrap())
}

fn build(policy: &dyn FilterPolicy, keys: &[Vec<u8>]) -> Vec<u8> {
    let mut room = vec![0; policy.max_filter_len(keys.len()).unwrap()];
    policy.create_filter(&slices(keys), &mut room).unwrap().to_vec()
}

/// The lengths of keys: all up to 300, at each of which the hashes may take another branch, and some around a block
/// of the hashes' longest branch.
fn length(i: usize) -> usize {
    match i % 331 {
        i @ 0..=300 => i,
        i => [1_023, 1_024, 1_025, 1_087, 1_088, 2_048, 2_049][i % 7],
    }
}

/// Looks up present and absent keys in filters of both policies. Returns the widths of fingerprints.
fn ask_about_built_filters(questions: &mut Questions) -> BTreeSet<u8> {
    let absent = random_keys(2, LOOKUPS, |i| length(i * 7));
    let mut widths = BTreeSet::new();
    for count in COUNTS {
        // Keys that are not looked up may be short.
        let keys = random_keys(3 + count as u64, count, |i| {
            if i < LOOKUPS { length(i + count) } else { 9 }
        });
        for bits in BITS.map(BitsPerKey::whole) {
            for policy in policies(bits) {
                let filter = build(&*policy, &keys);
                if policy.name() == FUSE {
                    widths.extend(filter.last());
                }
                questions.ask(&*policy, &filter, keys.iter().take(LOOKUPS).chain(&absent));
            }
        }
    }
    widths
}

/// Looks keys up in bytes that no policy writes.
fn ask_about_any_bytes(questions: &mut Questions) {
    let keys = random_keys(5, 20, |i| 15 * i);
    let mut any: Vec<Vec<u8>> = (0..=130).map(|len| random_bytes(len as u64, len)).collect();
    any.push(MATCHES_EVERYTHING.to_vec());
    any.extend(forged());
    for policy in policies(BitsPerKey::whole(10)) {
        let filter = build(&*policy, &keys);
        for i in 0..filter.len() {
            any.push(filter[..i].to_vec());
            any.push(filter[i..].to_vec());
            let mut damaged = filter.clone();
            damaged[i] ^= 1 << (i % 8);
            any.push(damaged);
        }
    }
    for policy in policies(BitsPerKey::whole(10)) {
        for (i, filter) in any.iter().enumerate() {
            let few = (0..4).map(|step| &keys[(i + 5 * step) % keys.len()]);
            questions.ask(&*policy, filter, few);
        }
    }
}

/// Random fingerprints and padding before trailers of every kind: possible and impossible widths, segments and lengths.
fn forged() -> Vec<Vec<u8>> {
    let mut filters = Vec::new();
    for width in 0..=17_u8 {
        let padding = [0, 3, 1][usize::from(width == 10) + 2 * usize::from(width == 12)];
        for segments in [0, 1, 2, 7, u32::MAX - 2, u32::MAX] {
            for log in [0, 1, 4, 30, 31, 32, 63, 64, 128, 255_u8] {
                let slots = (segments.wrapping_add(2) as usize) << (log % 8);
                let fitting = (slots * usize::from(width)).div_ceil(8) % 1_000 + padding;
                for len in [fitting.saturating_sub(1), fitting, fitting + 1] {
                    let mut filter = random_bytes(filters.len() as u64, len + 8);
                    filter.extend(segments.to_le_bytes());
                    filter.extend([log, width]);
                    filters.push(filter);
                }
            }
        }
    }
    filters
}

#[test]
fn a_reader_written_from_the_page_gives_the_same_answers() {
    let mut questions = Questions::default();
    let widths = ask_about_built_filters(&mut questions);
    assert_eq!(widths, BTreeSet::from([4, 8, 10, 12, 16]));
    ask_about_any_bytes(&mut questions);
    let (answers, matches) = (questions.answers.len(), questions.check());
    assert!(
        answers > 100_000 && (answers / 4..answers / 4 * 3).contains(&matches),
        "{matches} of {answers} may match"
    );
}
