//! What tests of single bits found, in words.

use super::words;
use crate::record::{BitFact, BitTest, BitTests, MixingRow, MixingTest, WindowEnd, WindowRow};
use crate::stats::correction::FAMILY_LEVEL;
use crate::thousands::grouped;

/// The tests of single bits that failed, below 1 % after correction for the rows of their file: windows by dataset and
/// function, then avalanche and independence by function.
///
/// They are no part of a [`Finding`](crate::record::Finding): what a user's own keys show is that already.
pub fn bit_facts(bits: &BitTests) -> Vec<BitFact> {
    let windows = bits
        .windows
        .chunk_by(|a, b| a.dataset == b.dataset && a.function == b.function)
        .filter_map(|rows| {
            Some(BitFact {
                dataset: Some(rows[0].dataset.clone()),
                function: rows[0].function.clone(),
                test: BitTest::Windows,
                reason: of_windows(rows)?,
            })
        });
    let mixing = bits
        .mixing
        .chunk_by(|a, b| a.function == b.function)
        .flat_map(|rows| {
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
                        reason: of_mixing(rows, test)?,
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

/// At which key lengths a test failed, and what is wrong at that with the largest share of bad cells; `None` where none did.
fn of_mixing(rows: &[MixingRow], test: MixingTest) -> Option<String> {
    let failed: Vec<&MixingRow> = rows
        .iter()
        .filter(|row| row.test == test && row.p_adjusted < FAMILY_LEVEL)
        .collect();
    let share = |row: &MixingRow| row.off_cells as f64 / row.cells as f64;
    let worst = failed.iter().rev().max_by(|a, b| share(a).total_cmp(&share(b)))?;
    let lengths: Vec<String> = failed.iter().map(|row| row.key_bytes.to_string()).collect();
    let lengths = match lengths.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        one => one.concat(),
    };
    let cell = match worst.worst_other_bit {
        None => format!(
            "turning over key bit {} turns over output bit {}",
            worst.worst_input_bit, worst.worst_output_bit
        ),
        Some(other) => format!(
            "when key bit {} is turned over, output bits {} and {other} do the same",
            worst.worst_input_bit, worst.worst_output_bit
        ),
    };
    let how_often = match worst.worst_count {
        0 => "for no key".to_owned(),
        count if count == worst.trials => "for every key".to_owned(),
        count => format!(
            "for {} of the keys",
            words::percent(count as f64 / worst.trials as f64)
        ),
    };
    let cells = if worst.off_cells == 0 {
        "no cell is surely off one half by itself, but all together are".to_owned()
    } else {
        let what = match test {
            MixingTest::Avalanche => "pairs of a key bit and an output bit",
            MixingTest::Independence => "cases of a key bit and two output bits",
        };
        format!(
            "{} of {} {what} are surely off one half",
            grouped(worst.off_cells),
            grouped(worst.cells)
        )
    };
    // Only then has every cell its greatest distance.
    let linear = if worst.chi_square >= (worst.cells * worst.trials) as f64 && test == MixingTest::Avalanche {
        "; every key bit flips the same output bits in all keys: at this length the function is linear over bits"
    } else {
        ""
    };
    Some(format!(
        "fails with keys of {lengths} bytes; with {} bytes, {cells}: {cell} {how_often}{linear}",
        worst.key_bytes
    ))
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
        let mut bits = BitTests {
            windows: windows::measure("ids", function, &values),
            avalanche: Vec::new(),
            mixing: mixing::measure(function, 1, effort).rows,
        };
        windows::judge(&mut bits.windows);
        mixing::judge(&mut bits.mixing);
        bit_facts(&bits)
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
                    "fails with keys of 4 and 8 bytes; with 4 bytes, 1,024 of 1,024 pairs of a key bit and an output bit \
                     are surely off one half: turning over key bit 0 turns over output bit 0 for every key; every key bit \
                     flips the same output bits in all keys: at this length the function is linear over bits"
                ),
                (
                    BitTest::Independence,
                    "fails with keys of 4 and 8 bytes; with 4 bytes, 15,872 of 15,872 cases of a key bit and two output \
                     bits are surely off one half: when key bit 0 is turned over, output bits 0 and 1 do the same for no key"
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
}
