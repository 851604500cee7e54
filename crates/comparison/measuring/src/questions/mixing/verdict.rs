//! Single bits that do not mix: avalanche and independence of output bits.

use crate::questions::judging::percent;
use crate::questions::{AvalancheRow, MixingRow};
use crate::record::{BitFact, BitTest, of};
use statistics::correction::{FAMILY_LEVEL, bonferroni};
use terminal::number::grouped;

/// Corrects the p-values for the number of rows; each row has two tests of its cells.
pub fn judge(rows: &mut [MixingRow]) {
    let tests = rows.len();
    for row in rows {
        row.p_adjusted = bonferroni(bonferroni(row.p_overall.min(row.p_worst), 2), tests);
    }
}

/// Returns true if a row with this corrected p-value failed.
pub fn failed(p_adjusted: f64) -> bool {
    p_adjusted < FAMILY_LEVEL
}

/// Returns one fact for each failed test of a function; `avalanche` holds the cells.
pub(super) fn facts(rows: &[MixingRow], avalanche: &[AvalancheRow]) -> impl Iterator<Item = BitFact> {
    rows.chunk_by(|a, b| a.function == b.function)
        .flat_map(move |rows| {
            let function = &rows[0].function;
            let cells: Vec<&AvalancheRow> = of(avalanche, function).collect();
            let tests = [BitTest::Avalanche, BitTest::Independence].into_iter();
            tests.filter_map(move |test| {
                Some(BitFact {
                    dataset: None,
                    function: function.clone(),
                    test,
                    reason: reason(rows, test, &cells)?,
                })
            })
        })
}

/// Returns the number of key lengths at which a test failed, with details of the length with the largest share of bad
/// cells, or `None` if the test did not fail. `cells` holds the avalanche cells of this function.
fn reason(rows: &[MixingRow], test: BitTest, cells: &[&AvalancheRow]) -> Option<String> {
    let of_test = || rows.iter().filter(|row| row.test == test);
    let bad = || of_test().filter(|row| failed(row.p_adjusted));
    let share = |row: &MixingRow| row.off_cells as f64 / row.cells as f64;
    // `max_by` takes the last of equal rows: the longest keys.
    let worst = bad().max_by(|a, b| share(a).total_cmp(&share(b)))?;
    let (key, output) = (worst.worst_input_bit, worst.worst_output_bit);
    let (what, cell) = match worst.worst_other_bit {
        None => (
            "pairs of a key bit and an output bit",
            format!("key bit {key} flips output bit {output}"),
        ),
        Some(other) => (
            "cases of a key bit and two output bits",
            format!("when key bit {key} flips, output bits {output} and {other} do the same"),
        ),
    };
    let off = match worst.off_cells {
        0 => format!("all {} {what} together", grouped(worst.cells)),
        off => format!("{} of {} {what}", grouped(off), grouped(worst.cells)),
    };
    let how_often = match worst.worst_count {
        0 => "for no key".to_owned(),
        count if count == worst.trials => "for every key".to_owned(),
        count => format!("for {} of the keys", percent(count as f64 / worst.trials as f64)),
    };
    // Only a linear function has every cell at its greatest distance.
    let linear = worst.chi_square >= (worst.cells * worst.trials) as f64;
    let pattern = if test != BitTest::Avalanche {
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
        bad().count(),
        of_test().count(),
        worst.key_bytes
    ))
}

/// Returns true if no bit of a key ever flips an output bit below its own place in its byte. Low output bits then
/// depend only on the low bits of the key's bytes.
fn carries_upwards(cells: &[&AvalancheRow]) -> bool {
    let mut below = cells
        .iter()
        .filter(|cell| cell.output_bit < cell.input_bit % u8::BITS)
        .peekable();
    below.peek().is_some() && below.all(|cell| cell.flips == 0)
}
