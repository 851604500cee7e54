//! Tests of single bits: windows of the output, avalanche, independence of output bits.

use super::alarms::Alarms;
use crate::advice::findings::bit_facts;
use crate::functions::Function;
use crate::keys::DEFAULT_SEED;
use crate::questions::mixing::{self, Effort};
use crate::questions::{MixingTest, Records, WindowEnd};
use crate::record::BitTest;

/// Counts alarms of the windows in `records` and of the mixing tests, judged as files about this function only.
pub(super) fn count(function: &Function, mut records: Records, effort: Effort<'_>, alarms: &mut Alarms) {
    for row in &records.windows {
        // Both ends count as one question: a window has at most 32 of the 64 bits, so the ends share no bit.
        let question = match row.end {
            WindowEnd::Low | WindowEnd::High => format!("{} low or high bits", row.bits),
            WindowEnd::Full => format!("{} bits, whole", row.bits),
        };
        alarms.collisions("windows", &question, row.keys, row.bits, row.collisions);
    }
    let mixing = mixing::measure(function, DEFAULT_SEED, effort);
    (records.avalanche, records.mixing) = (mixing.avalanche, mixing.rows);
    for row in &records.mixing {
        let (all, furthest) = match row.test {
            MixingTest::Avalanche => ("avalanche, all cells", "avalanche, furthest cell"),
            MixingTest::Independence => ("independence, all cells", "independence, furthest cell"),
        };
        alarms.single("mixing", all, row.p_overall);
        let attainable = mixing::attainable_worst(row.trials, row.cells);
        alarms.discrete("mixing", furthest, attainable, row.p_worst);
    }
    mixing::judge(&mut records.mixing);
    let facts = bit_facts(&records);
    for (question, tests) in [
        ("windows", &[BitTest::Windows][..]),
        ("mixing", &[BitTest::Avalanche, BitTest::Independence]),
    ] {
        alarms.run(question, facts.iter().any(|fact| tests.contains(&fact.test)));
    }
}
