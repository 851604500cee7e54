//! Parses numbers as people write them on a command line, writes shares, and notes what sizes give.

use terminal::number::{self, counted, grouped};

use crate::sizing::MAX_KEYS;

/// Parses an integer with separators and a decimal unit.
pub(super) fn count(text: &str) -> Result<u64, String> {
    let units = [("k", 1e3), ("m", 1e6), ("g", 1e9), ("b", 1e9)];
    parse(text, &units).map_err(|reason| {
        format!("must be digits, with k, M or G for thousands, millions and billions, got {reason}")
    })
}

/// Parses a number of keys.
pub(super) fn keys(text: &str) -> Result<u64, String> {
    let keys = count(text)?;
    let most = grouped(MAX_KEYS);
    if (1..=MAX_KEYS).contains(&keys) {
        Ok(keys)
    } else {
        Err(format!("must be between 1 and {most}, got {}", grouped(keys)))
    }
}

/// Parses a number of bytes with a binary or decimal unit.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    const KIB: f64 = 1024.0;
    // Longer names first, because a unit is matched as a suffix.
    let units = [
        ("kib", KIB),
        ("mib", KIB * KIB),
        ("gib", KIB * KIB * KIB),
        ("tib", KIB * KIB * KIB * KIB),
        ("kb", 1e3),
        ("mb", 1e6),
        ("gb", 1e9),
        ("tb", 1e12),
        ("b", 1.0),
    ];
    parse(text, &units).map_err(|reason| {
        format!("must be a number of bytes, or one with KiB, MiB, GiB, TiB, kB, MB, GB or TB, got {reason}")
    })
}

fn parse(text: &str, units: &[(&str, f64)]) -> Result<u64, String> {
    // A comma may also be meant as a decimal point.
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_group = |group: &str| group.bytes().take_while(u8::is_ascii_digit).count() == 3;
    if !whole.split(',').skip(1).all(is_group) || whole.starts_with(',') || fraction.contains(',') {
        return Err(format!("{text:?}, whose commas are not before three digits each"));
    }
    let plain: String = text
        .chars()
        .filter(|c| !matches!(c, ',' | '_' | ' '))
        .map(|c| c.to_ascii_lowercase())
        .collect();
    if let Ok(whole) = plain.parse() {
        return Ok(whole);
    }
    let unit = units.iter().find(|(name, _)| plain.ends_with(name));
    let (digits, factor) = unit.map_or((plain.as_str(), 1.0), |(name, factor)| {
        (&plain[..plain.len() - name.len()], *factor)
    });
    let is_decimal = digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    let value: f64 = digits
        .parse()
        .ok()
        .filter(|_| is_decimal && (unit.is_some() || !digits.contains('.')))
        .ok_or_else(|| format!("{text:?}"))?;
    let value = value * factor;
    if value >= u64::MAX as f64 {
        return Err(format!("{text:?}, which is above {}", u64::MAX));
    }
    Ok(value as u64)
}

/// Parses a share above 0 and below 1, or a percentage if it ends in `%`.
pub(super) fn rate(text: &str) -> Result<f64, String> {
    let (digits, factor) = text
        .strip_suffix('%')
        .map_or((text, 1.0), |digits| (digits.trim_end(), 100.0));
    let rate = digits.parse().ok().map(|value: f64| value / factor);
    rate.filter(|&rate| rate > 0.0 && rate < 1.0)
        .ok_or_else(|| format!("must be above 0 and below 1, or a percentage, got {text:?}"))
}

/// Formats a share in percent, a small one with an exponent.
pub(crate) fn share(share: f64) -> String {
    let percent = share * 100.0;
    match 0.0 < percent && percent < 1e-4 {
        true => format!("{percent:.2e} %"),
        false => number::percent(share),
    }
}

/// Formats an expected rate. Of more probes than [`DoubleHashing`](filter_policy::sizing::DoubleHashing) looks at it is an
/// upper bound.
pub(crate) fn expected(rate: f64, probes: Option<u32>) -> String {
    const LOOKED_AT: u32 = 64;
    let bound = if probes > Some(LOOKED_AT) { "≤ " } else { "" };
    format!("{bound}{}", share(rate))
}

/// Returns a note on a filter that is so small that its rate is above the requested one.
pub(super) fn missed_rate(keys: u64, wanted: f64, rate: f64, capacity: u64) -> String {
    format!(
        "{} sized for {} have {}, because so small a filter repeats positions; sized for {} they have {} or less \
         (build --rate with --capacity {capacity})",
        counted(keys, "key"),
        share(wanted),
        share(rate),
        counted(capacity, "key"),
        share(wanted),
    )
}

/// Describes the stored bits of a filter for the requested bits per key, and the bits that give a larger one.
pub(super) fn next_size_up(requested: f64, stored: f64, next: f64) -> String {
    format!(
        "{requested} bits per key give {stored:.2}, because its filters come in steps; the next size up begins at {next:.1}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_write_them() {
        let counts = "45402=45402 45,402=45402 10M=10000000 1.5k=1500 2g=2000000000";
        let sizes = "1000=1000 64KiB=65536 22.85MiB=23959961 1GB=1000000000 7B=7";
        for (table, parse) in [(counts, count as fn(&str) -> _), (sizes, bytes)] {
            for line in table.split(' ') {
                let (text, value) = line.split_once('=').unwrap();
                assert_eq!(parse(text), Ok(value.parse().unwrap()), "{text}");
            }
        }
        assert_eq!(bytes("64 KiB"), Ok(65_536));
        assert_eq!(bytes("1,234,567.5 kB"), Ok(1_234_567_500));
        for text in "1,5 1,5M 1,5000 1,500,0 ,500 1.5,000k 1,,000 1, 1,k".split(' ') {
            assert!(count(text).is_err() && bytes(text).is_err(), "{text}");
        }
        for text in " k -1 1.5 1e3 1x 99999999999999999999 99999999999T nan infM".split(' ') {
            assert!(count(text).is_err(), "{text}");
        }
        assert_eq!(rate("1%"), Ok(0.01));
        assert_eq!(rate("0.5 %"), Ok(0.005));
        for text in ["one", "2", "0", "NaN", "inf", "-0.1", "100%"] {
            assert!(rate(text).is_err(), "{text}");
        }
        for (rate, text) in [
            (0.0102, "1.02 %"),
            (0.0, "0 %"),
            (0.5, "50.0 %"),
            (1e-9, "1.00e-7 %"),
        ] {
            assert_eq!(share(rate), text);
        }
    }
}
