//! Puts and look-ups of Bloom filters against Guava's, one filter a row, a panel for each operation.

use super::mark::NEUTRAL;
use super::number;
use super::panel::{AXIS, MARGIN, Panel, Rows};
use super::scale::Scale;
use super::scene::{Anchor, Dash, Font, INK, MUTED, PAPER, STRIPE, Scene};
use crate::membership::{Contents, Filter, Membership, Operation};

const WIDTH: f64 = 1080.0;
const HEAD: f64 = 64.0;
const ROW: f64 = 22.0;
/// Half the height of a bar.
const BAR: f64 = 6.0;
/// Room for the names, and right of each panel's axis for the longest bar's values.
const NAMES: f64 = 190.0;
const PANEL: f64 = 178.0;
const VALUES: f64 = 118.0;

/// A line of the chart.
enum Line<'a> {
    /// The filters' size.
    Size(&'a Membership),
    /// A filter, by one of its rows.
    Filter(&'a Membership),
}

/// The chart, or `None` without rows.
pub(crate) fn scene(rows: &[Membership]) -> Option<Scene> {
    let lines = lines(rows);
    if lines.is_empty() {
        return None;
    }
    let grid = Rows {
        top: HEAD,
        height: ROW,
        count: lines.len(),
    };
    let mut scene = Scene::new(
        WIDTH,
        (grid.bottom() + AXIS).ceil(),
        "Time of puts and look-ups of Bloom filters over that of Guava's, at several sizes",
    );
    let panels = panels(rows);
    grid.stripes(&mut scene);
    scene.text(
        (MARGIN, 18.0),
        Anchor::Start,
        Font::TITLE,
        "Bloom filters of equal size and probe count: time over Guava's",
    );
    for (panel, _) in &panels {
        panel.frame(&mut scene, &grid, 50.0);
        let one = panel.scale.at(1.0);
        scene.dashed(one, grid.top, grid.bottom(), Dash::DASHED, MUTED);
    }
    for (index, line) in lines.iter().enumerate() {
        match line {
            Line::Size(row) => size(&mut scene, &grid, index, row),
            Line::Filter(row) => filter(&mut scene, &grid, index, row, rows, &panels),
        }
    }
    Some(scene)
}

/// Sizes from the smallest; below each the filters.
fn lines(rows: &[Membership]) -> Vec<Line<'_>> {
    let mut sorted: Vec<&Membership> = rows.iter().collect();
    sorted.sort_by_key(|row| (row.bits, row.filter));
    let mut lines = Vec::new();
    for of_size in sorted.chunk_by(|a, b| a.bits == b.bits) {
        let filters = of_size.chunk_by(|a, b| a.filter == b.filter);
        lines.extend(of_size.first().map(|row| Line::Size(row)));
        lines.extend(filters.filter_map(|rows| rows.first().map(|row| Line::Filter(row))));
    }
    lines
}

fn panels(rows: &[Membership]) -> [(Panel<'static>, Operation); 3] {
    let highest = rows
        .iter()
        .map(|row| row.ratio_high)
        .filter(|ratio| ratio.is_finite())
        .fold(1.0, f64::max);
    let panel = |index: f64, operation: Operation| {
        let left = NAMES + index * (PANEL + VALUES);
        let panel = Panel {
            title: match operation {
                Operation::Put => "Put",
                Operation::Absent => "Might contain, absent keys",
                Operation::Present => "Might contain, present keys",
            },
            axis: "time over Guava's; line: 95 % interval",
            scale: Scale::linear(highest, left, left + PANEL),
            tick: number::tick,
        };
        (panel, operation)
    };
    [
        panel(0.0, Operation::Put),
        panel(1.0, Operation::Absent),
        panel(2.0, Operation::Present),
    ]
}

fn size(scene: &mut Scene, grid: &Rows, index: usize, row: &Membership) {
    let y = grid.middle(index);
    // Over grid lines, which would run through the words.
    scene.rect(0.0, y - ROW / 2.0, WIDTH, y + ROW / 2.0, PAPER);
    let name = format!("{} bits", number::grouped(row.bits));
    scene.text_middle((MARGIN, y), Anchor::Start, Font::HEAD, &name);
    let contents = match row.contents {
        Contents::Keys => "full",
        Contents::RandomWords => "half of the bits set at random",
    };
    let filter = format!(
        "for {} keys, {} probes, {contents}; median of {} rounds",
        number::grouped(row.insertions),
        row.probes,
        row.rounds
    );
    let x = MARGIN + Font::HEAD.width(&name) + 14.0;
    scene.text_middle((x, y), Anchor::Start, Font::NOTE, &filter);
}

fn filter(
    scene: &mut Scene,
    grid: &Rows,
    index: usize,
    line: &Membership,
    rows: &[Membership],
    panels: &[(Panel<'_>, Operation); 3],
) {
    let y = grid.middle(index);
    let name = Font::NAME.fit(line.filter.words(), NAMES - 6.0 - MARGIN);
    scene.text_middle((MARGIN, y), Anchor::Start, Font::NAME, &name);
    for (panel, operation) in panels {
        let of_panel = rows
            .iter()
            .filter(|row| (row.bits, row.filter, row.operation) == (line.bits, line.filter, *operation));
        for row in of_panel {
            let end = panel.scale.at(row.ratio_to_guava);
            bar(scene, panel.scale.start(), end, y, row.filter);
            panel.interval(scene, y, row.ratio_low, row.ratio_high, INK);
            let text = format!(
                "{} ({} ns)",
                number::significant(row.ratio_to_guava, 3),
                number::significant(row.median_ns_per_call, 3)
            );
            let x = end.max(panel.scale.at(row.ratio_high)) + 5.0;
            // Over grid lines, which would run through the number.
            let behind = if index.is_multiple_of(2) { STRIPE } else { PAPER };
            let right = x + Font::VALUE.width(&text) + 2.0;
            scene.rect(x - 2.0, y - BAR - 1.0, right, y + BAR + 1.0, behind);
            scene.text_middle((x, y), Anchor::Start, Font::VALUE, &text);
        }
    }
}

/// Full for this project's filters, hollow for others.
fn bar(scene: &mut Scene, left: f64, right: f64, y: f64, filter: Filter) {
    scene.rect(left, y - BAR, right, y + BAR, NEUTRAL);
    let ours = matches!(filter, Filter::Ours | Filter::OursBatch);
    if !ours && right - left > 2.0 {
        scene.rect(left + 1.0, y - BAR + 1.0, right - 1.0, y + BAR - 1.0, PAPER);
    }
}
