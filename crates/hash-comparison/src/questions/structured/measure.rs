//! Collisions on structured key sets, at the whole value and at its ends.

use std::collections::HashMap;

use crate::chance::INTERVAL_LEVEL;
use crate::functions::Function;
use crate::keys::{KeySet, printed, structured};
use crate::questions::{StructuredRow, Window};
use crate::record::Verdict;
use crate::values::prefixes::{self, Prefixes};
use records::progress::{Cancelled, Progress, go_on};

use rayon::prelude::*;
use statistics::collisions::CollisionLaw;

/// The ends of a value that are compared in addition to the whole: the bits that tables and filters take of wide
/// values, and narrow enough for these sets to tell functions apart.
const ENDS: [(Window, u32); 5] = [
    (Window::Low, 32),
    (Window::Low, 24),
    (Window::Low, 20),
    (Window::High, 24),
    (Window::High, 20),
];

/// Returns the windows compared for a function of `output_bits` bits, the whole value first.
pub fn windows(output_bits: u32) -> impl Iterator<Item = (Window, u32)> {
    std::iter::once((Window::Whole, output_bits))
        .chain(ENDS.into_iter().filter(move |&(_, bits)| bits < output_bits))
}

/// Counts collisions of distinct keys' values in each of [`windows`]; bits above `output_bits` must be zero.
fn counts(values: &[u64], output_bits: u32) -> impl Iterator<Item = (Window, u32, u64)> {
    let (low, high) = (Prefixes::low(values), Prefixes::high(values, output_bits));
    let keys = values.len() as u64;
    windows(output_bits).map(move |(window, bits)| {
        let different = match window {
            Window::Whole => prefixes::distinct(values, bits, &high),
            Window::Low => low.different(bits),
            Window::High => high.different(bits),
        };
        (window, bits, keys - different)
    })
}

/// Returns the first key in the set that shares its compared bits with an earlier key, as (earlier key, key).
fn example(values: &[u64], output_bits: u32, (window, bits): (Window, u32)) -> Option<(usize, usize)> {
    let compared = |value: u64| match window {
        Window::Whole => value,
        Window::High => value >> (output_bits - bits),
        Window::Low => value & (u64::MAX >> (64 - bits)),
    };
    let mut seen: HashMap<u64, usize> = HashMap::new();
    values.iter().enumerate().find_map(|(index, &value)| {
        let before = seen.insert(compared(value), index)?;
        Some((before, index))
    })
}

/// Counts the collisions of each function on each set, by set, function and window.
///
/// An example is kept if `wants_example` accepts the row, since finding an example takes as long as counting. Each row
/// is that of a single test until all rows are judged.
///
/// # Errors
///
/// Returns an error if `progress` requests a stop.
pub fn measure(
    functions: &[&Function],
    seed: u64,
    wants_example: impl Fn(&StructuredRow) -> bool + Sync,
    progress: &dyn Progress,
) -> Result<Vec<StructuredRow>, Cancelled> {
    progress.begin("structured keys", structured::ALL.len() as u64);
    let rows: Result<Vec<Vec<StructuredRow>>, Cancelled> = structured::ALL
        .par_iter()
        .map(|set| {
            go_on(progress)?;
            let keys = set.keys(seed);
            let rows: Vec<Vec<StructuredRow>> = functions
                .par_iter()
                .map(|function| {
                    go_on(progress)?;
                    Ok(of(set.name, &keys, function, &wants_example))
                })
                .collect::<Result<_, Cancelled>>()?;
            progress.step();
            Ok(rows.concat())
        })
        .collect();
    Ok(rows?.concat())
}

/// Returns the number of tests in a file about functions of these widths.
pub fn tests(widths: impl Iterator<Item = u32>) -> usize {
    structured::ALL.len() * widths.map(|bits| windows(bits).count()).sum::<usize>()
}

/// Counts the collisions of one function on the keys of the set called `set`.
pub fn of(
    set: &str,
    keys: &KeySet,
    function: &Function,
    wants_example: impl Fn(&StructuredRow) -> bool,
) -> Vec<StructuredRow> {
    let values: Vec<u64> = keys.iter().map(function.hash).collect();
    let row = |(window, bits, collisions)| {
        let law = CollisionLaw::new(keys.len() as u64, bits);
        let (ci_low, ci_high) = law.mean_interval(collisions, INTERVAL_LEVEL);
        let p_value = law.two_sided_p(collisions);
        let mut row = StructuredRow {
            set: set.to_owned(),
            function: function.name.to_owned(),
            window,
            bits,
            keys: keys.len() as u64,
            collisions,
            expected: law.expected(),
            ci_low,
            ci_high,
            p_value,
            p_adjusted: p_value,
            verdict: Verdict::WithinChance,
            first: String::new(),
            second: String::new(),
        };
        if wants_example(&row)
            && let Some((first, second)) = example(&values, function.output_bits, (window, bits))
        {
            [row.first, row.second] = [first, second].map(|index| printed(keys.get(index)));
        }
        row
    };
    counts(&values, function.output_bits).map(row).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(crate::property::config())]

        #[test]
        fn counts_and_example_are_those_of_the_definition(
            values in prop::collection::vec(prop_oneof![0_u64..40, any::<u64>()], 0..60),
            output_bits in prop::sample::select(vec![1_u32, 20, 24, 28, 31, 32, 64]),
        ) {
            // The whole value once, and every narrower end.
            let narrower = ENDS.iter().filter(|(_, bits)| *bits < output_bits).count();
            prop_assert_eq!(windows(output_bits).count(), 1 + narrower);
            let values: Vec<u64> = values.iter().map(|value| value & (u64::MAX >> (64 - output_bits))).collect();
            for (window, bits, collisions) in counts(&values, output_bits) {
                let compared = |value: u64| match window {
                    Window::Whole => value,
                    Window::Low => value % (1 << bits),
                    Window::High => value / (1 << (output_bits - bits)),
                };
                let distinct: HashSet<u64> = values.iter().map(|&value| compared(value)).collect();
                prop_assert_eq!(collisions, (values.len() - distinct.len()) as u64);
                let pair = example(&values, output_bits, (window, bits));
                prop_assert_eq!(pair.is_some(), collisions > 0);
                if let Some((first, second)) = pair {
                    prop_assert!(first < second && compared(values[first]) == compared(values[second]));
                }
            }
        }
    }
}
