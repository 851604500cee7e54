//! Formatting of numbers for readers.

/// Formats `29253` as `29,253`.
///
/// ```
/// assert_eq!(terminal::number::grouped(1_000_000), "1,000,000");
/// ```
pub fn grouped(number: u64) -> String {
    group(&number.to_string())
}

/// Groups the digits of a decimal number in text; sign and fraction stay unchanged.
fn group(number: &str) -> String {
    let (sign, rest) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (whole, fraction) = rest.split_once('.').map_or((rest, None), |(w, f)| (w, Some(f)));
    let mut out = String::from(sign);
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

/// Formats `value` with `digits` significant digits: `61,000`, `0.0826`, `1.2e-9`. NaN and infinities give a dash.
pub fn significant(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{value:.*e}", digits.max(1) - 1);
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..15).contains(&exponent) {
        return format!("{mantissa}e{exponent}");
    }
    let decimals = usize::try_from(digits as i32 - 1 - exponent).unwrap_or(0);
    let rounded: f64 = scientific.parse().unwrap_or(value);
    group(&format!("{rounded:.decimals$}"))
}

/// Formats `value` with `decimals` digits after the point: `920,002.84`.
pub fn fixed(value: f64, decimals: usize) -> String {
    group(&format!("{value:.decimals$}"))
}

/// Formats a share as a percentage with three significant digits: `1.17 %`. A share below 1 never reads `100 %`.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    if (99.95..100.0).contains(&percent) {
        return format!("{:.4} %", percent.min(99.9999));
    }
    let text = significant(percent, 3);
    let text = if text.contains('e') {
        plain(percent, 3)
    } else {
        text
    };
    format!("{text} %")
}

/// Formats a small positive number without an exponent: `0.0000558`.
fn plain(value: f64, digits: i32) -> String {
    let exponent = libm::floor(libm::log10(value)) as i32;
    let decimals = usize::try_from(digits - 1 - exponent).unwrap_or(0);
    format!("{value:.decimals$}")
}

/// Formats a tick, which is a round number, as the shortest text of that number.
pub fn tick(value: f64) -> String {
    if value >= 1e6 || (value > 0.0 && value < 1e-4) {
        let text = format!("{value:.5e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!(
            "{}e{exponent}",
            mantissa.trim_end_matches('0').trim_end_matches('.')
        );
    }
    let text = significant(value, 6);
    if text.contains('.') {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    text
}

/// Formats a tick of a share on a percentage axis.
pub fn percent_tick(share: f64) -> String {
    let text = tick(share * 100.0);
    let text = if text.contains("e-") {
        plain(share * 100.0, 6).trim_end_matches('0').to_owned()
    } else {
        text
    };
    format!("{text} %")
}

/// Formats a p-value with two digits, or as a bound if it is too small for a double to hold precisely.
pub fn p_value(p: f64) -> String {
    if p < 1e-300 {
        "< 1e-300".to_owned()
    } else {
        significant(p, 2)
    }
}

/// Formats a count with its noun: `1 key`, `2,000 keys`.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// Formats a number of bytes with a binary unit: `22.85 MiB`.
pub fn bytes(bytes: u64) -> String {
    let power = bytes.checked_ilog2().unwrap_or(0) / 10;
    match power
        .checked_sub(1)
        .and_then(|power| b"KMGTPE".get(power as usize))
    {
        Some(&prefix) => {
            let value = bytes as f64 / (1_u64 << (10 * power)) as f64;
            format!("{value:.2} {}iB", char::from(prefix))
        }
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well_at_every_size() {
        let shown = [
            (significant(61_012.3, 2), "61,000"),
            (significant(0.008_264, 3), "0.00826"),
            (significant(9.999, 3), "10.0"),
            (significant(1.23e-9, 2), "1.2e-9"),
            (significant(-1234.5, 5), "-1,234.5"),
            (significant(f64::NAN, 3), "–"),
            (significant(0.0, 3), "0"),
            (fixed(920_002.835_1, 2), "920,002.84"),
            (tick(0.1), "0.1"),
            (tick(5_000.0), "5,000"),
            (tick(1e-6), "1e-6"),
            (tick(2e6), "2e6"),
            (percent_tick(0.005), "0.5 %"),
            // 1e-7 times 100 is not quite 1e-5.
            (percent_tick(1e-7), "0.00001 %"),
            (percent(0.011_72), "1.17 %"),
            (percent(5.58e-7), "0.0000558 %"),
            (percent(0.0), "0 %"),
            (percent(0.999_4), "99.9 %"),
            (percent(0.999_938), "99.9938 %"),
            (percent(0.999_999_999), "99.9999 %"),
            (percent(1.0), "100 %"),
            (p_value(0.0), "< 1e-300"),
            (p_value(0.5), "0.50"),
            (grouped(999), "999"),
            (grouped(1000), "1,000"),
            (grouped(u64::MAX), "18,446,744,073,709,551,615"),
            (group("-1234.5678"), "-1,234.5678"),
            (bytes(0), "0 B"),
            (bytes(1023), "1023 B"),
            (bytes(23_959_961), "22.85 MiB"),
            (bytes(u64::MAX), "16.00 EiB"),
        ];
        for (got, expected) in shown {
            assert_eq!(got, expected);
        }
    }
}
