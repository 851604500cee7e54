//! Windows of the output that collide more than by chance.

use crate::questions::{WindowEnd, WindowRow};
use crate::record::{BitFact, BitTest};
use crate::words;
use records::number::grouped;
use statistics::correction::{FAMILY_LEVEL, bonferroni};

/// Corrects the p-values for the number of rows, over all functions and datasets.
pub fn judge(rows: &mut [WindowRow]) {
    let tests = rows.len();
    for row in rows {
        row.p_adjusted = bonferroni(row.p_value, tests);
    }
}

/// Returns true if a window has more collisions than chance explains.
pub fn failed(row: &WindowRow) -> bool {
    row.p_adjusted < FAMILY_LEVEL && row.collisions as f64 > row.expected
}

/// Describes the place of a window.
pub(crate) fn place(row: &WindowRow) -> String {
    match row.end {
        WindowEnd::Low => format!("the low {} bits", row.bits),
        WindowEnd::High => format!("the high {} bits", row.bits),
        WindowEnd::Full => format!("all {} bits", row.bits),
    }
}

/// Returns one fact for each dataset and function with a failed window.
pub(super) fn facts(rows: &[WindowRow]) -> impl Iterator<Item = BitFact> {
    rows.chunk_by(|a, b| a.dataset == b.dataset && a.function == b.function)
        .filter_map(|rows| {
            Some(BitFact {
                dataset: Some(rows[0].dataset.clone()),
                function: rows[0].function.clone(),
                test: BitTest::Windows,
                reason: reason(rows)?,
            })
        })
}

/// Returns the number of windows with too many collisions and the worst of them, or `None` if no window failed.
fn reason(rows: &[WindowRow]) -> Option<String> {
    let failed = || rows.iter().filter(|row| failed(row));
    let ratio = |row: &WindowRow| row.collisions as f64 / row.expected;
    // `max_by` takes the last of equal rows: the widest.
    let worst = failed().max_by(|a, b| ratio(a).total_cmp(&ratio(b)))?;
    let place = place(worst);
    Some(format!(
        "{} of {} windows of the output collide more than by chance; furthest off are {place}: {} of {} keys collide; chance: {}",
        failed().count(),
        rows.len(),
        grouped(worst.collisions),
        grouped(worst.keys),
        words::figure(worst.expected),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::Function;
    use crate::questions::windows;
    use crate::values::Hashed;

    #[test]
    fn the_correction_counts_the_rows_and_windows_that_keys_do_not_reach_are_told() {
        // Numbers below 40,000 have nothing in their high bits.
        let function = Function::custom("f", 64, |_| 0, &[]);
        let mut rows = windows::measure("ids", &Hashed::of_values(&function, (0..40_000).collect()));
        judge(&mut rows);
        for row in &rows {
            assert_eq!(row.p_adjusted, (row.p_value * 51.0).min(1.0));
            assert!(row.ci_low <= row.ci_high);
        }
        let facts: Vec<BitFact> = facts(&rows).collect();
        assert_eq!((facts.len(), facts[0].dataset.as_deref()), (1, Some("ids")));
        assert_eq!(
            facts[0].reason,
            "25 of 51 windows of the output collide more than by chance; furthest off are the high 32 bits: \
             39,999 of 40,000 keys collide; chance: 0.19"
        );
    }
}
