//! The published formulas and rules of thumb, computed by the library that sizes filters.

use super::{Section, columns, yes};
use filter_formats::sizing::Textbook;
use records::terminal::table;

/// A published figure that follows from a formula: what it is, as published, ours unless the formula refused its
/// arguments, and the allowed difference: half a unit of the last published digit.
type Figure = (&'static str, f64, Option<f64>, f64);

fn figures() -> [Figure; 5] {
    const MIB_BITS: f64 = 8.0 * 1024.0 * 1024.0;
    let bits = |keys, rate| Textbook::bits(keys, rate).ok();
    let probes = |rate| {
        Textbook::bits_per_key(rate)
            .and_then(Textbook::best_probe_count)
            .ok()
    };
    #[rustfmt::skip]
    let figures = [
        ("false-positive rate at 16 bits per key and 8 probes (\"five in ten thousand\")", 5.74e-4, Textbook::with_probe_count(8).rate_at(16.0).ok(), 0.005e-4),
        ("MiB of bits for 10,000,000 keys at a rate of 0.0001", 22.85, bits(10_000_000, 0.0001).map(|bits| bits / MIB_BITS), 0.005),
        ("best number of probes at one bit per key (ln 2, \"0.7\")", 0.7, Textbook::best_probe_count(1.0).ok(), 0.05),
        ("probes for a rate of 0.03 (3,000 keys)", 5.0, probes(0.03).map(libm::round), 0.0),
        ("bits for 3,000 keys at a rate of 0.03", 21_895.0, bits(3_000, 0.03).map(libm::floor), 0.0),
    ];
    figures
}

/// Compares every published figure that a formula gives.
pub(super) fn section() -> Section {
    let mut disagreements = Vec::new();
    let rows = figures().into_iter().map(|(what, published, ours, tolerance)| {
        let agrees = ours.is_some_and(|ours| (ours - published).abs() <= tolerance);
        if !agrees {
            disagreements.push(format!("{what}: {ours:?}, published {published}"));
        }
        let ours = ours.map_or_else(|| "none".to_owned(), |ours| format!("{ours:.6}"));
        [what.to_owned(), published.to_string(), ours, yes(agrees)]
    });
    let table = table(
        columns("figure | published | ours | agrees"),
        &[1, 2],
        rows.collect::<Vec<_>>(),
    );
    Section {
        text: format!("\nFormulas\n{table}\n"),
        disagreements,
    }
}
