//! Medians over the functions of a run, for comparison with each function.

use crate::questions::Records;
use crate::record::{CallForm, Choice, EMPTY, IDEAL, on};
use statistics::robust::median;

/// Medians over the functions of a run on one dataset; `None` if nothing was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Medians {
    /// Nanoseconds per key in calls that overlap.
    pub ns: Option<f64>,
    /// Nanoseconds per key in calls that wait for each other.
    pub chained_ns: Option<f64>,
    /// False-positive rate at 10 bits per key.
    pub rate: Option<f64>,
    /// Keys compared per key found, in a table that takes the low bits.
    pub compared: Option<f64>,
}

impl Medians {
    /// Returns the medians of a dataset of the run.
    pub fn of(records: &Records, dataset: &str) -> Self {
        let time = |form| {
            let rows = on(records.times(form), dataset).filter(|row| row.function != EMPTY);
            middle(rows.map(|row| row.median_ns_per_key))
        };
        let rates = on(&records.false_positives, dataset)
            .filter(|row| row.function != IDEAL && row.bits_per_key == 10)
            .map(|row| row.rate);
        let compared = on(&records.occupancy, dataset)
            .filter(|row| row.choice == Choice::LowBits)
            .map(|row| row.hit);
        Self {
            ns: time(CallForm::Independent),
            chained_ns: time(CallForm::Chained),
            rate: middle(rates),
            compared: middle(compared),
        }
    }
}

fn middle(values: impl Iterator<Item = f64>) -> Option<f64> {
    median(&mut values.collect::<Vec<f64>>())
}
