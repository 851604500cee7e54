//! Collisions of each function over what chance gives, a panel for each width.

use super::mark;
use super::rows::{DatasetRows, distinct};
use crate::judge::collisions::{over_expected, ratio};
use crate::record::{CollisionRow, Verdict, of};
use plots::key::Sign;
use plots::mark::{Mark, RADIUS};
use plots::number;
use plots::panel::{AXIS, Head, MARGIN, NAMES_END, Panel, Rows};
use plots::scale::Scale;
use plots::scene::{Anchor, Font, MUTED, Scene};

const HEAD: f64 = 56.0;
/// Room for a panel, its counts and the gap to the next.
const PANEL: f64 = 330.0;
/// Room for the counts at a panel's right.
const COUNTS: f64 = 84.0;

/// The chart, or `None` without collision rows. It draws from `collisions.csv` alone.
pub(crate) fn scene(data: &DatasetRows<'_>) -> Option<Scene> {
    let functions = distinct(data.collisions.iter().map(|row| row.function.as_str()));
    if functions.is_empty() {
        return None;
    }
    let panels = panels(data, &functions);
    let rows = Rows::new(HEAD, functions.len());
    let name = &data.summary.name;
    let mut key = vec![(Sign::Band, "a random function lands here")];
    key.extend(mark::key(data.collisions.iter().map(|row| row.verdict)));
    let mut scene = Head {
        description: &format!(
            "{name}: collisions of each function over those of a random function, for each width"
        ),
        title: &format!("{name}: collisions"),
        // Title and key need the width of two panels.
        width: NAMES_END + PANEL * panels.len().max(2) as f64 + MARGIN,
        foot: AXIS,
        key: &key,
    }
    .sheet(&rows);
    rows.names(&mut scene, &functions);
    for (index, (title, members)) in panels.iter().enumerate() {
        let left = NAMES_END + PANEL * index as f64;
        draw_panel(&mut scene, &rows, title, members, left);
    }
    Some(scene)
}

/// Title and row of each function: first the own width of each, then the narrower ones, widest first.
fn panels<'a>(data: &DatasetRows<'a>, functions: &[&str]) -> Vec<(String, Vec<Option<&'a CollisionRow>>)> {
    let full: Vec<_> = functions.iter().map(|name| data.full_width(name)).collect();
    let narrower = |row: &&&CollisionRow| {
        full.iter()
            .flatten()
            .any(|widest| widest.function == row.function && widest.bits > row.bits)
    };
    let mut widths: Vec<u32> = data
        .collisions
        .iter()
        .filter(narrower)
        .map(|row| row.bits)
        .collect();
    widths.sort_unstable_by(|a, b| b.cmp(a));
    widths.dedup();
    let mut panels = vec![("All bits compared".to_owned(), full)];
    for bits in widths {
        let at = |name: &&str| of(data.collisions.iter().copied(), name).find(|row| row.bits == bits);
        panels.push((format!("{bits} low bits"), functions.iter().map(at).collect()));
    }
    panels
}

fn draw_panel(scene: &mut Scene, rows: &Rows, title: &str, members: &[Option<&CollisionRow>], left: f64) {
    let present: Vec<&CollisionRow> = members.iter().copied().flatten().collect();
    let panel = Panel {
        title,
        axis: "observed / expected, 99 % interval (log scale)",
        scale: ratio_scale(&present, (0.8, 1.25), 1.6, left, left + PANEL - COUNTS - 12.0),
        tick: number::tick,
    };
    panel.frame(scene, rows, 36.0);
    let counts = left + PANEL - 24.0;
    scene.text((counts, 36.0), Anchor::End, Font::HEAD, "collisions");
    scene.text((counts, 50.0), Anchor::End, Font::NOTE, &expectations(&present));
    scene.upright(panel.scale.at(1.0), rows.top, rows.bottom(), 1.0, MUTED);
    for (index, row) in members.iter().enumerate() {
        let Some(row) = row else { continue };
        collision_mark(scene, &panel, rows, index, row, row.verdict);
        let count = number::grouped(row.collisions);
        scene.text_middle((counts, rows.middle(index)), Anchor::End, Font::VALUE, &count);
    }
}

/// The expected counts in one panel: one, or the range over the widths.
fn expectations(rows: &[&CollisionRow]) -> String {
    let values = rows.iter().map(|row| row.expected);
    let low = values.clone().fold(f64::INFINITY, f64::min);
    let high = values.fold(0.0, f64::max);
    let (low, high) = (number::significant(low, 3), number::significant(high, 3));
    if low == high {
        format!("chance: {low}")
    } else {
        format!("chance: {low} to {high}")
    }
}

/// Draws band, interval and mark of one collision count.
pub(crate) fn collision_mark(
    scene: &mut Scene,
    panel: &Panel<'_>,
    rows: &Rows,
    index: usize,
    row: &CollisionRow,
    verdict: Verdict,
) {
    let y = rows.middle(index);
    let color = mark::color(verdict);
    let over = |count| over_expected(row, count);
    let (Some(value), Some(low), Some(high)) = (ratio(row), over(row.ci_low), over(row.ci_high)) else {
        let words = "no pair of keys to collide";
        let left = panel.scale.start() + 4.0;
        // The grid goes behind the words, not through them.
        let right = left + Font::NOTE.width(words) + 3.0;
        scene.rect(left, y - 7.0, right, y + 7.0, rows.ground(index));
        scene.text_middle((left, y), Anchor::Start, Font::NOTE, words);
        return;
    };
    if let (Some(low), Some(high)) = (over(row.band_low), over(row.band_high)) {
        panel.band(scene, rows, index, low, high);
    }
    if panel.scale.is_above(value) {
        panel.beyond(scene, y, &format!("{}×", number::significant(value, 2)), color);
        return;
    }
    panel.interval(scene, y, low, high, color);
    if row.collisions == 0 {
        Mark::from(verdict).hollow(scene, (panel.scale.at(high), y), RADIUS);
    } else {
        Mark::from(verdict).filled(scene, (panel.scale.at(value), y), RADIUS);
    }
}

/// A logarithmic axis for ratios that holds `at_least`, and every row that chance explains with its interval and
/// band. The others are held up to `farthest`: one that is far off must not press all others together.
pub(crate) fn ratio_scale(
    rows: &[&CollisionRow],
    at_least: (f64, f64),
    farthest: f64,
    left: f64,
    right: f64,
) -> Scale {
    let (mut low, mut high) = at_least;
    for row in rows {
        if row.verdict > Verdict::InBand {
            high = high.max(ratio(row).map_or(0.0, |value| (value * 1.1).min(farthest)));
            continue;
        }
        let over = |count| over_expected(row, count).filter(|value| *value > 0.0);
        for value in [row.collisions as f64, row.ci_high, row.band_high]
            .into_iter()
            .filter_map(over)
        {
            high = high.max(value * 1.1);
            low = low.min((value * 0.9).max(0.01));
        }
        // Of intervals that reach towards zero the lower end may be cut off.
        for value in [row.ci_low, row.band_low].into_iter().filter_map(over) {
            low = low.min((value * 0.9).max(0.35));
        }
    }
    Scale::log(low, high.min(1e12)).over(left, right)
}
