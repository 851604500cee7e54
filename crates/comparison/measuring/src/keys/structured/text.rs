//! Keys that are text.

use rand::Rng as _;
use rand_xoshiro::SplitMix64;

use super::bits::wide;
use crate::keys::KeySet;

const ALPHABET: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";

/// Returns keys of three characters between two fixed texts.
pub(super) fn around(before: &str, after: &str) -> KeySet {
    let key = |number| {
        let middle = [number / (36 * 36), number / 36 % 36, number % 36].map(|digit| ALPHABET[digit]);
        [before.as_bytes(), &middle, after.as_bytes()].concat()
    };
    (0..36_usize.pow(3)).map(key).collect()
}

/// Returns addresses of one site.
pub(super) fn urls() -> KeySet {
    let sections = [
        "news", "sport", "travel", "science", "culture", "money", "food", "health", "games", "music",
    ];
    let articles = sections
        .into_iter()
        .flat_map(|section| (1..=500).map(move |article| format!("{section}/article-{article}")));
    articles
        .flat_map(|article| {
            (1..=10).map(move |page| format!("https://www.example.org/{article}.html?page={page}"))
        })
        .collect()
}

/// Returns random UUIDs (RFC 9562, section 5.4).
pub(super) fn uuid_4(random: &mut SplitMix64) -> KeySet {
    (0..50_000).map(|_| uuid(4, wide(random))).collect()
}

/// Returns UUIDs that begin with the time in milliseconds (RFC 9562, section 5.7).
pub(super) fn uuid_7(random: &mut SplitMix64) -> KeySet {
    // 2026-01-01, midnight UTC.
    let mut time = 1_767_225_600_000_u128;
    (0..50_000)
        .map(|_| {
            let (high, low) = (random.next_u64(), random.next_u64());
            time += u128::from(high >> 62);
            uuid(7, time << 80 | u128::from(high & 0xffff) << 64 | u128::from(low))
        })
        .collect()
}

/// Formats 128 bits as a UUID of a version.
fn uuid(version: u128, bits: u128) -> String {
    let marked = bits & !(0xf << 76) & !(0b11 << 62) | version << 76 | 0b10 << 62;
    let hex = format!("{marked:032x}");
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}
