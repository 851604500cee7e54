//! Digits in groups of three.

/// Formats `29253` as `29,253`.
///
/// ```
/// assert_eq!(plots::thousands::grouped(1_000_000), "1,000,000");
/// ```
pub fn grouped(number: u64) -> String {
    group(&number.to_string())
}

/// Groups the digits of a decimal number in text; sign and fraction stay unchanged.
pub fn group(number: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let numbers = [0, 999, 1000, 45_402, 1_000_000, u64::MAX].map(grouped);
        let texts = [
            "0",
            "999",
            "1,000",
            "45,402",
            "1,000,000",
            "18,446,744,073,709,551,615",
        ];
        assert_eq!(numbers, texts);
        assert_eq!(group("-1234.5678"), "-1,234.5678");
    }
}
