//! Summaries of datasets for the records.

use std::net::IpAddr;

use crate::keys::{Dataset, KeySet};
use crate::record::{DatasetSummary, KeyShape};
use statistics::collisions::CollisionLaw;

/// The width of `detectable_ratio`.
const FULL_BITS: u32 = 32;

/// Returns the summary of a dataset in a run whose `collisions.csv` has `tests` rows.
///
/// `detectable_ratio` is the least number of collisions at 32 bits that would have been called worse than chance, over
/// the expected number; 0 when there are so few keys that no number would have been.
pub fn summarise(dataset: &Dataset, tests: usize) -> DatasetSummary {
    let keys = dataset.keys.len() as u64;
    let bytes = dataset.keys.total_bytes() as u64;
    let lengths = || dataset.keys.iter().map(|key| key.len() as u64);
    DatasetSummary {
        name: dataset.name.clone(),
        kind: dataset.kind,
        source: dataset.source.clone(),
        keys,
        bytes,
        min_len: lengths().min().unwrap_or(0),
        max_len: lengths().max().unwrap_or(0),
        mean_len: bytes as f64 / keys.max(1) as f64,
        sha256: dataset.sha256.clone(),
        duplicates_dropped: dataset.duplicates_dropped,
        detectable_ratio: detectable_ratio(keys, tests),
        looks_like: looks_like(&dataset.keys),
    }
}

fn detectable_ratio(keys: u64, tests: usize) -> f64 {
    let law = CollisionLaw::new(keys, FULL_BITS);
    let (_, most_by_chance) = law.band(tests);
    if most_by_chance + 1 < keys {
        (most_by_chance + 1) as f64 / law.expected()
    } else {
        0.0
    }
}

/// Returns the shape that nine of ten keys have, in a sample of up to 1,000 evenly spaced keys.
///
/// Names and words consist of letters with separators and trailing digits, and contain vowels: more than one letter in
/// three in European languages, fewer than one in four among random letters.
fn looks_like(keys: &KeySet) -> Option<KeyShape> {
    const SAMPLE: usize = 1_000;
    let step = keys.len().div_ceil(SAMPLE).max(1);
    let sample: Vec<&str> = (0..keys.len())
        .step_by(step)
        .filter_map(|index| str::from_utf8(keys.get(index)).ok())
        .collect();
    let mostly = |is: fn(&str) -> bool| {
        let count = sample.iter().filter(|key| is(key)).count();
        count > 0 && 10 * count >= 9 * keys.len().div_ceil(step)
    };
    type Looks = (fn(&str) -> bool, KeyShape);
    let looks: [Looks; 6] = [
        (is_url, KeyShape::Urls),
        (is_email_address, KeyShape::EmailAddresses),
        (|key| key.parse::<IpAddr>().is_ok(), KeyShape::IpAddresses),
        (is_uuid, KeyShape::Uuids),
        (is_phone_number, KeyShape::PhoneNumbers),
        (is_path, KeyShape::Paths),
    ];
    if let Some((_, shape)) = looks.into_iter().find(|(is, _)| mostly(*is)) {
        return Some(shape);
    }
    let is_name = |key: &str| {
        let name = key.trim_end_matches(|c: char| c.is_ascii_digit());
        let inside = |c: char| c.is_alphabetic() || " .'-_".contains(c);
        name.chars().count() > 1 && name.chars().all(inside) && 2 * name.len() > key.len()
    };
    let characters = sample.iter().flat_map(|key| key.chars());
    let letters: Vec<char> = characters.filter(|c| c.is_alphabetic()).collect();
    let is_vowel = |c: &&char| "aeiouyAEIOUY".contains(**c) || !c.is_ascii();
    let vowels = letters.iter().filter(is_vowel).count();
    (mostly(is_name) && 3 * vowels > letters.len()).then_some(KeyShape::Names)
}

fn is_url(key: &str) -> bool {
    key.contains("://") || key.starts_with("www.")
}

fn is_email_address(key: &str) -> bool {
    let parts = key.split_once('@');
    parts.is_some_and(|(name, host)| !name.is_empty() && host.contains('.') && !host.contains('@'))
}

/// Returns true for hexadecimal groups of 8, 4, 4, 4 and 12 digits with hyphens between them.
fn is_uuid(key: &str) -> bool {
    let groups = key.split('-').map(str::len);
    groups.eq([8, 4, 4, 4, 12]) && key.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

/// Returns true for a plus sign and 7 to 15 digits, which spaces and hyphens may group.
fn is_phone_number(key: &str) -> bool {
    let Some(number) = key.strip_prefix('+') else {
        return false;
    };
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    (7..=15).contains(&digits) && number.chars().all(|c| c.is_ascii_digit() || " -".contains(c))
}

/// Returns true for at least two names with slashes between them and a letter in them.
fn is_path(key: &str) -> bool {
    let names = key.split('/').filter(|name| !name.is_empty());
    names.count() > 1 && key.contains(char::is_alphabetic) && !key.contains(['?', ' '])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_strangers_are_known_by_their_looks() {
        use KeyShape::{EmailAddresses, IpAddresses, Names, Paths, PhoneNumbers, Urls, Uuids};
        // Letters drawn at random.
        let letters = |i: u32| -> String {
            let letter = |at: u32| i.wrapping_mul(0x9e37_79b1).rotate_left(4 * at) % 26;
            (0..8).map(|at| char::from(b'a' + letter(at) as u8)).collect()
        };
        type Case = (fn(u32) -> String, Option<KeyShape>);
        let cases: [Case; 15] = [
            (|i| format!("https://example.org/item?id={i}"), Some(Urls)),
            (|i| format!("user.{i}@example.org"), Some(EmailAddresses)),
            (|i| format!("maria.jimenez{i}"), Some(Names)),
            (
                |i| format!("10.{}.{}.{}", i % 7, i / 251, i % 251),
                Some(IpAddresses),
            ),
            (|i| format!("2001:db8::{i:x}"), Some(IpAddresses)),
            (
                |i| format!("0190c8f0-{i:04x}-7abc-8def-0123456789ab"),
                Some(Uuids),
            ),
            (|i| format!("+49 30 {i:07}"), Some(PhoneNumbers)),
            (|i| format!("logs/2026/11/part-{i}.gz"), Some(Paths)),
            (|i| format!("/srv/user{i}"), Some(Paths)),
            // Fractions, dates, versions and others.
            (|i| format!("{i}/{}", i + 1), None),
            (|i| format!("2026-11-{:02} 10:{:02}", i % 30, i % 60), None),
            (|i| format!("1.{}.{i}", i % 9), None),
            (|i| format!("+{i}"), None),
            (|i| format!("{i:09}"), None),
            (|i| format!("user:{i}"), None),
        ];
        for (make, expected) in cases {
            assert_eq!(
                looks_like(&(0..5_000).map(make).collect()),
                expected,
                "{}",
                make(1)
            );
        }
        let others = [
            (0..5_000).map(letters).collect(),
            KeySet::default(),
            [b"\xff\xfe"; 20].iter().collect(),
        ];
        assert_eq!(others.each_ref().map(looks_like), [None; 3]);
    }

    #[test]
    fn more_keys_show_smaller_differences_and_too_few_none() {
        // A million keys: 116.4 expected, standard deviation 10.8, four of them for one test in 207 at 1 %.
        let [few, many] = [45_402, 1_000_000].map(|keys| detectable_ratio(keys, 207));
        assert!(few > many && (1.35..1.5).contains(&many), "{few} {many}");
        assert_eq!([0, 1].map(|keys| detectable_ratio(keys, 207)), [0.0, 0.0]);
    }
}
