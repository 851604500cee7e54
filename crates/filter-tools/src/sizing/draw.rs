//! Draws the curves of the calculator.

use plots::scene::Scene;

use super::{Answer, Filter, chart, curve};

/// Draws the curves of `filters` for `keys` keys, with a mark for each of `answers`, as an SVG document.
///
/// # Errors
///
/// If there is nothing to draw.
pub fn svg(filters: &[Filter], keys: u64, answers: &[Answer]) -> Result<String, String> {
    let element = plots::svg(&scene(filters, keys, answers)?);
    Ok(format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{element}"))
}

/// Draws the same chart as [`svg`] as a PNG file.
///
/// # Errors
///
/// The errors of [`svg`].
pub fn png(filters: &[Filter], keys: u64, answers: &[Answer]) -> Result<Vec<u8>, String> {
    Ok(plots::png(&scene(filters, keys, answers)?))
}

fn scene(filters: &[Filter], keys: u64, answers: &[Answer]) -> Result<Scene, String> {
    let curves: Vec<_> = filters
        .iter()
        .map(|&filter| (filter, curve(filter, keys)))
        .filter(|(_, points)| !points.is_empty())
        .collect();
    chart::scene(keys, &curves, answers)
        .ok_or_else(|| format!("no filter for {keys} keys has 4 to 24 bits per key: there is no curve"))
}
