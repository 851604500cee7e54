//! All key sets together: one row a function.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::record::Advice;

/// A function over the key sets in which it suits.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct OverSets {
    /// Name of the function.
    pub function: String,
    /// Geometric mean of the function's time over that of the fastest function that suits on the same keys.
    pub ratio: f64,
    /// Number of key sets in the mean.
    pub sets: usize,
}

/// Returns a row for each function, given the functions that suit on each key set with their times: those that suit on the
/// most sets first, the fastest of them on top.
///
/// A ratio gives each set the same weight, and a geometric mean gives the same order whichever function is the base, as
/// [rebar](https://github.com/BurntSushi/rebar) ranks engines.
///
/// ```
/// use hash_comparison::advice::over_sets::over_sets;
///
/// let sets = [vec![("A", 1.0), ("B", 4.0)], vec![("A", 60.0), ("B", 30.0)], vec![("B", 6.0), ("C", 5.0)]];
/// let rows = over_sets(sets);
/// let shown: Vec<String> =
///     rows.iter().map(|row| format!("{} {:.2} in {}", row.function, row.ratio, row.sets)).collect();
/// assert_eq!(shown, ["B 1.69 in 3", "A 1.41 in 2", "C 1.00 in 1"]);
/// ```
pub fn over_sets<'a>(sets: impl IntoIterator<Item = Vec<(&'a str, f64)>>) -> Vec<OverSets> {
    let mut logarithms: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for set in sets {
        let fastest = set.iter().map(|(_, ns)| *ns).fold(f64::INFINITY, f64::min);
        for (function, ns) in set {
            logarithms
                .entry(function)
                .or_default()
                .push(libm::log(ns / fastest));
        }
    }
    let rows = logarithms.into_iter().map(|(function, all)| OverSets {
        function: function.to_owned(),
        ratio: libm::exp(all.iter().sum::<f64>() / all.len() as f64),
        sets: all.len(),
    });
    let mut rows: Vec<OverSets> = rows.collect();
    rows.sort_by(|a, b| {
        Reverse(a.sets)
            .cmp(&Reverse(b.sets))
            .then(a.ratio.total_cmp(&b.ratio))
    });
    rows
}

/// Returns the functions that suit, with their times.
pub fn suited<'a>(advice: impl IntoIterator<Item = &'a Advice>) -> Vec<(&'a str, f64)> {
    let suited = advice.into_iter().filter(|one| one.suits());
    suited
        .filter_map(|one| Some((one.function.as_str(), one.ns?)))
        .collect()
}
