//! The published formulas and rules of thumb, computed by the library that sizes filters.

use filter_formats::sizing;

/// A published figure that follows from a formula.
#[derive(Debug, Clone, PartialEq)]
pub struct FormulaCheck {
    /// The quantity that is computed.
    pub what: &'static str,
    /// The published figure.
    pub published: f64,
    /// Our figure; `None` if the formula refused its arguments.
    pub ours: Option<f64>,
    /// The allowed difference: half a unit of the last published digit.
    pub tolerance: f64,
}

impl FormulaCheck {
    /// Returns true if our figure rounds to the published one.
    pub fn agrees(&self) -> bool {
        self.ours
            .is_some_and(|ours| (ours - self.published).abs() <= self.tolerance)
    }

    pub(super) fn disagreement(&self) -> Option<String> {
        (!self.agrees()).then(|| format!("{}: {:?}, published {}", self.what, self.ours, self.published))
    }
}

/// Returns every published figure that a formula gives.
pub(super) fn checks() -> Vec<FormulaCheck> {
    const MIB_BITS: f64 = 8.0 * 1024.0 * 1024.0;
    let bits = |keys, rate| sizing::bits_for(keys, rate).ok();
    let probes = |rate| sizing::probe_count_for_rate(rate).ok();
    #[rustfmt::skip]
    let figures = [
        ("false-positive rate at 16 bits per key and 8 probes (\"five in ten thousand\")", 5.74e-4, sizing::rate_at(16.0, 8).ok(), 0.005e-4),
        ("MiB of bits for 10,000,000 keys at a rate of 0.0001", 22.85, bits(10_000_000, 0.0001).map(|bits| bits / MIB_BITS), 0.005),
        ("best number of probes at one bit per key (ln 2, \"0.7\")", 0.7, sizing::best_probe_count(1.0).ok(), 0.05),
        ("probes for a rate of 0.03 (3,000 keys)", 5.0, probes(0.03).map(libm::round), 0.0),
        ("bits for 3,000 keys at a rate of 0.03", 21_895.0, bits(3_000, 0.03).map(libm::floor), 0.0),
    ];
    let check = |(what, published, ours, tolerance)| FormulaCheck {
        what,
        published,
        ours,
        tolerance,
    };
    figures.map(check).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_formula_gives_the_published_figure() {
        for check in checks() {
            assert_eq!(check.disagreement(), None);
        }
    }

    #[test]
    fn a_refused_formula_does_not_agree() {
        let check = FormulaCheck {
            what: "nothing",
            published: 1.0,
            ours: None,
            tolerance: 1.0,
        };
        assert_eq!(
            check.disagreement().as_deref(),
            Some("nothing: None, published 1")
        );
    }
}
