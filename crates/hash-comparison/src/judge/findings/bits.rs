//! What tests of single bits found, in words.

use super::words;
use crate::record::{AvalancheRow, BitFact, BitTest, MixingRow, MixingTest, WindowEnd, WindowRow};
use plots::thousands::grouped;
use statistics::correction::FAMILY_LEVEL;

/// The tests of single bits that failed, below 1 % after correction for the rows of their file: windows by dataset and
/// function, then avalanche and independence by function.
///
/// They are no part of a [`Finding`](crate::record::Finding): what a user's own keys show is that already.
pub fn bit_facts(windows: &[WindowRow], avalanche: &[AvalancheRow], mixing: &[MixingRow]) -> Vec<BitFact> {
    let windows = windows
        .chunk_by(|a, b| a.dataset == b.dataset && a.function == b.function)
        .filter_map(|rows| {
            Some(BitFact {
                dataset: Some(rows[0].dataset.clone()),
                function: rows[0].function.clone(),
                test: BitTest::Windows,
                reason: of_windows(rows)?,
            })
        });
    let cells_of = |function: &str| -> Vec<&AvalancheRow> {
        avalanche
            .iter()
            .filter(|cell| cell.function == function)
            .collect()
    };
    let mixing = mixing.chunk_by(|a, b| a.function == b.function).flat_map(|rows| {
        [MixingTest::Avalanche, MixingTest::Independence]
            .into_iter()
            .filter_map(move |test| {
                Some(BitFact {
                    dataset: None,
                    function: rows[0].function.clone(),
                    test: match test {
                        MixingTest::Avalanche => BitTest::Avalanche,
                        MixingTest::Independence => BitTest::Independence,
                    },
                    reason: of_mixing(rows, test, &cells_of(&rows[0].function))?,
                })
            })
    });
    windows.chain(mixing).collect()
}

/// How many windows of one function have too many collisions, and the worst of them; `None` where none has.
fn of_windows(rows: &[WindowRow]) -> Option<String> {
    let failed = || {
        rows.iter()
            .filter(|row| row.p_adjusted < FAMILY_LEVEL && row.collisions as f64 > row.expected)
    };
    let ratio = |row: &WindowRow| row.collisions as f64 / row.expected;
    // `max_by` takes the last of equal ones: the widest.
    let worst = failed().max_by(|a, b| ratio(a).total_cmp(&ratio(b)))?;
    let place = match worst.end {
        WindowEnd::Low => format!("the low {} bits", worst.bits),
        WindowEnd::High => format!("the high {} bits", worst.bits),
        WindowEnd::Full => format!("all {} bits", worst.bits),
    };
    Some(format!(
        "{} of {} windows of the output collide more than by chance; furthest off are {place}: {} of {} keys collide, where chance gives {} ({} times)",
        failed().count(),
        rows.len(),
        grouped(worst.collisions),
        grouped(worst.keys),
        words::figure(worst.expected),
        words::times(ratio(worst)),
    ))
}

/// At how many key lengths a test failed, and what is wrong at that with the largest share of bad cells; `None` where none
/// did. `cells` are those of avalanche of this function.
fn of_mixing(rows: &[MixingRow], test: MixingTest, cells: &[&AvalancheRow]) -> Option<String> {
    let of_test = || rows.iter().filter(|row| row.test == test);
    let failed = || of_test().filter(|row| row.p_adjusted < FAMILY_LEVEL);
    let share = |row: &MixingRow| row.off_cells as f64 / row.cells as f64;
    // `max_by` takes the last of equal ones: the longest keys.
    let worst = failed().max_by(|a, b| share(a).total_cmp(&share(b)))?;
    let (what, cell) = match worst.worst_other_bit {
        None => (
            "pairs of a key bit and an output bit",
            format!(
                "key bit {} flips output bit {}",
                worst.worst_input_bit, worst.worst_output_bit
            ),
        ),
        Some(other) => (
            "cases of a key bit and two output bits",
            format!(
                "when key bit {} flips, output bits {} and {other} do the same",
                worst.worst_input_bit, worst.worst_output_bit
            ),
        ),
    };
    let off = match worst.off_cells {
        0 => format!("all {} {what} together", grouped(worst.cells)),
        off => format!("{} of {} {what}", grouped(off), grouped(worst.cells)),
    };
    let how_often = match worst.worst_count {
        0 => "for no key".to_owned(),
        count if count == worst.trials => "for every key".to_owned(),
        count => format!(
            "for {} of the keys",
            words::percent(count as f64 / worst.trials as f64)
        ),
    };
    // Only then has every cell its greatest distance.
    let linear = worst.chi_square >= (worst.cells * worst.trials) as f64;
    let pattern = if test != MixingTest::Avalanche {
        ""
    } else if linear {
        "; a key bit flips the same output bits in every key: at this length the function is linear over bits"
    } else if carries_upwards(cells) {
        "; no key bit reaches an output bit below its own place in its byte: sums and products carry upwards only"
    } else {
        ""
    };
    Some(format!(
        "at {} of {} key lengths; with {} bytes, {off} are off one half: {cell} {how_often}{pattern}",
        failed().count(),
        of_test().count(),
        worst.key_bytes
    ))
}

/// Whether no bit of a key ever flips an output bit below its own place in its byte. Low output bits then depend on the
/// low bits of the key's bytes alone.
fn carries_upwards(cells: &[&AvalancheRow]) -> bool {
    let mut below = cells
        .iter()
        .filter(|cell| cell.output_bit < cell.input_bit % u8::BITS)
        .peekable();
    below.peek().is_some() && below.all(|cell| cell.flips == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions;
    use crate::measure::mixing::{self, Effort};
    use crate::measure::windows;

    fn facts(name: &str, values: Vec<u64>) -> Vec<BitFact> {
        let function = functions::find(name).unwrap();
        let effort = Effort {
            key_bytes: &[4, 8],
            blocks: 4,
        };
        let mut mixing = mixing::measure(function, 1, effort);
        let mut windows = windows::measure("ids", function, &values);
        windows::judge(&mut windows);
        mixing::judge(&mut mixing.rows);
        bit_facts(&windows, &mixing.avalanche, &mixing.rows)
    }

    #[test]
    fn a_linear_function_is_told_to_be_one() {
        let keys = (0..50_000_u64).map(|index| index.to_le_bytes());
        let facts = facts(
            "CRC-32",
            keys.map(|key| u64::from(crc32fast::hash(&key))).collect(),
        );
        let told: Vec<(BitTest, &str)> = facts
            .iter()
            .map(|fact| (fact.test, fact.reason.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                (
                    BitTest::Windows,
                    "2 of 49 windows of the output collide more than by chance; furthest off are the high 17 bits: \
                     17,232 of 50,000 keys collide, where chance gives 8,431 (2.0 times)"
                ),
                (
                    BitTest::Avalanche,
                    "at 2 of 2 key lengths; with 8 bytes, 2,048 of 2,048 pairs of a key bit and an output bit are off one \
                     half: key bit 0 flips output bit 0 for no key; a key bit flips the same output bits in every key: at \
                     this length the function is linear over bits"
                ),
                (
                    BitTest::Independence,
                    "at 2 of 2 key lengths; with 8 bytes, 31,744 of 31,744 cases of a key bit and two output bits are off \
                     one half: when key bit 0 flips, output bits 0 and 1 do the same for no key"
                ),
            ]
        );
    }

    #[test]
    fn windows_that_keys_do_not_reach_are_told() {
        let facts = facts("XXH3", (0..40_000).collect());
        assert_eq!(facts.len(), 1);
        assert_eq!(
            (facts[0].test, facts[0].dataset.as_deref()),
            (BitTest::Windows, Some("ids"))
        );
        assert_eq!(
            facts[0].reason,
            "25 of 51 windows of the output collide more than by chance; furthest off are the high 32 bits: \
             39,999 of 40,000 keys collide, where chance gives 0.19 (210,000 times)"
        );
    }

    #[test]
    fn functions_that_only_add_and_multiply_are_told_to_be_such() {
        let told = |name| {
            let facts = facts(name, Vec::new());
            let avalanche = facts.into_iter().find(|fact| fact.test == BitTest::Avalanche);
            avalanche.map(|fact| fact.reason).unwrap_or_default()
        };
        for name in ["SDBMHash", "BKDRHash", "FNV-1a"] {
            assert!(
                told(name).ends_with("sums and products carry upwards only"),
                "{name}: {}",
                told(name)
            );
        }
        // DJB folds case: bit 6 of a byte decides whether bit 5 counts.
        for name in ["PJW", "JSHash", "DJB", "XXH3"] {
            assert!(!told(name).contains("upwards"), "{name}: {}", told(name));
        }
    }
}
