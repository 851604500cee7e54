//! False-positive rates of the filter with each function, a panel for each number of bits per key.

use super::rows::{DatasetRows, distinct};
use crate::record::{FalsePositiveRow, IDEAL};
use plots::mark::{Mark, RADIUS};
use plots::number;
use plots::panel::{AXIS, Head, MARGIN, NAMES_END, Panel, Rows};
use plots::scale::Scale;
use plots::scene::{Anchor, Dash, Font, INK, Scene};

const HEAD: f64 = 74.0;
/// Room for a panel, its rates and the gap to the next.
const PANEL: f64 = 360.0;
/// Room for the rates at a panel's right.
const RATES: f64 = 76.0;

/// The chart, or `None` without rows. It draws from `false_positives.csv` alone.
pub(crate) fn scene(data: &DatasetRows<'_>) -> Option<Scene> {
    let functions = distinct(
        data.false_positives
            .iter()
            .map(|row| row.function.as_str())
            .filter(|name| *name != IDEAL),
    );
    let first = data.false_positives.first().filter(|_| !functions.is_empty())?;
    let mut sizes: Vec<u32> = data.false_positives.iter().map(|row| row.bits_per_key).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let rows = Rows::new(HEAD, functions.len());
    let name = &data.summary.name;
    let mut scene = Head {
        description: &format!("{name}: false-positive rate of the filter with each function, against theory"),
        title: &format!(
            "{name}: false positives of a filter over {} keys, {} absent keys asked",
            number::grouped(first.keys),
            number::grouped(first.probes)
        ),
        width: NAMES_END + PANEL * sizes.len().max(2) as f64 + MARGIN,
        foot: AXIS,
        key: &[],
    }
    .sheet(&rows);
    rows.names(&mut scene, &functions);
    for (index, bits_per_key) in sizes.into_iter().enumerate() {
        let left = NAMES_END + PANEL * index as f64;
        draw_panel(&mut scene, data, &functions, &rows, bits_per_key, left);
    }
    Some(scene)
}

fn draw_panel(
    scene: &mut Scene,
    data: &DatasetRows<'_>,
    functions: &[&str],
    rows: &Rows,
    bits_per_key: u32,
    left: f64,
) {
    let members = || {
        data.false_positives
            .iter()
            .copied()
            .filter(|row| row.bits_per_key == bits_per_key)
    };
    let panel = Panel {
        title: &format!("{bits_per_key} bits per key"),
        axis: "share of absent keys let through, 95 % interval (log scale)",
        scale: rate_scale(members(), left, left + PANEL - RATES - 12.0),
        tick: number::percent_tick,
    };
    panel.frame(scene, rows, 38.0);
    if let Some(theory) = members().map(|row| row.theory).next() {
        let ideal = data.ideal(bits_per_key).map(|row| row.rate);
        rate_lines(scene, &panel, rows, theory, ideal, 38.0);
    }
    let drawn = || {
        let places = functions.iter().enumerate();
        places.filter_map(|(index, function)| {
            let row = data.false_positives(function, bits_per_key)?;
            Some((rows.middle(index), row))
        })
    };
    // The file holds no verdict.
    for (y, row) in drawn() {
        rate_mark(scene, &panel, y, row, Mark::Neutral);
    }
    for (y, row) in drawn() {
        let rate = number::percent(row.rate);
        scene.text_middle((left + PANEL - 24.0, y), Anchor::End, Font::VALUE, &rate);
    }
}

/// An axis that holds the rates of `rows`, their theory and their intervals.
pub(crate) fn rate_scale<'a>(
    rows: impl Iterator<Item = &'a FalsePositiveRow>,
    left: f64,
    right: f64,
) -> Scale {
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    for row in rows {
        for value in [row.rate, row.theory, row.ci_low, row.ci_high]
            .into_iter()
            .filter(|v| *v > 0.0)
        {
            low = low.min(value);
            high = high.max(value);
        }
    }
    if !low.is_finite() || !high.is_finite() {
        return Scale::log(1e-4, 1.0).over(left, right);
    }
    // An interval that reaches almost to zero must not take the axis with it.
    let low = low.max(high * 1e-6) * 0.8;
    Scale::log(low, (high * 1.25).max(low * 5.0)).over(left, right)
}

/// Draws the two lines that rates are compared with, their labels in two lines below `title_y`.
pub(crate) fn rate_lines(
    scene: &mut Scene,
    panel: &Panel<'_>,
    rows: &Rows,
    theory: f64,
    ideal: Option<f64>,
    title_y: f64,
) {
    let drawn = |value: &f64| *value > 0.0 && value.is_finite();
    let (theory, ideal) = (Some(theory).filter(drawn), ideal.filter(drawn));
    let mut passed = f64::NEG_INFINITY;
    for (value, label, y, dash) in [
        (theory, "textbook", title_y + 15.0, Dash::DOTTED),
        (ideal, "this probe scheme", title_y + 28.0, Dash::DASHED),
    ] {
        let Some(value) = value else { continue };
        let x = panel.scale.at(value);
        scene.dashed(x, y - 8.0, rows.bottom(), dash, INK);
        let text = format!("{label} {}", number::percent(value));
        // The first line runs down through the height of the second label.
        let beside = if passed > x && passed < x + 12.0 {
            passed
        } else {
            x
        };
        passed = x;
        let room = beside + 5.0 + Font::NOTE.width(&text) <= scene.width;
        let (at, anchor) = if room {
            (beside + 5.0, Anchor::Start)
        } else {
            (x - 5.0, Anchor::End)
        };
        scene.text((at, y), anchor, Font::NOTE, &text);
    }
}

/// Draws a rate and its interval.
pub(crate) fn rate_mark(scene: &mut Scene, panel: &Panel<'_>, y: f64, row: &FalsePositiveRow, mark: Mark) {
    panel.interval(scene, y, row.ci_low, row.ci_high, mark.color());
    if row.false_positives == 0 {
        mark.hollow(scene, (panel.scale.at(row.ci_high), y), RADIUS);
    } else {
        mark.filled(scene, (panel.scale.at(row.rate), y), RADIUS);
    }
}
