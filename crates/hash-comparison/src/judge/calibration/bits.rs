//! Tests of single bits: windows of the output, avalanche, independence of output bits.

use super::alarms::Alarms;
use crate::functions::Function;
use crate::judge::{self, findings::bit_facts};
use crate::keys::DEFAULT_SEED;
use crate::measure::mixing::{self, Effort};
use crate::record::{BitTest, MixingTest, WindowEnd, WindowRow};

/// Counts alarms of the windows of all datasets and of the mixing tests, judged as files about this function only.
pub(super) fn count(
    function: &Function,
    mut windows: Vec<WindowRow>,
    effort: Effort<'_>,
    alarms: &mut Alarms,
) {
    for row in &windows {
        // Both ends count as one question: a window has at most 32 of the 64 bits, so the ends share no bit.
        let question = match row.end {
            WindowEnd::Low | WindowEnd::High => format!("{} low or high bits", row.bits),
            WindowEnd::Full => format!("{} bits, whole", row.bits),
        };
        alarms.collisions("windows", &question, row.keys, row.bits, row.collisions);
    }
    judge::windows::judge(&mut windows);
    let mixing = mixing::measure(function, DEFAULT_SEED, effort);
    let mut rows = mixing.rows;
    for row in &rows {
        let (all, furthest) = match row.test {
            MixingTest::Avalanche => ("avalanche, all cells", "avalanche, furthest cell"),
            MixingTest::Independence => ("independence, all cells", "independence, furthest cell"),
        };
        alarms.single("mixing", all, row.p_overall);
        let attainable = mixing::attainable_worst(row.trials, row.cells);
        alarms.discrete("mixing", furthest, attainable, row.p_worst);
    }
    judge::mixing::judge(&mut rows);
    let facts = bit_facts(&windows, &mixing.avalanche, &rows);
    for (question, tests) in [
        ("windows", &[BitTest::Windows][..]),
        ("mixing", &[BitTest::Avalanche, BitTest::Independence]),
    ] {
        alarms.run(question, facts.iter().any(|fact| tests.contains(&fact.test)));
    }
}
