//! What filters are worth to an engine's point reads: blocks and time per Get, one policy a row.

use plots::mark::NEUTRAL;
use plots::number;
use plots::panel::{AXIS, MARGIN, Panel, Rows};
use plots::scale::Scale;
use plots::scene::{Anchor, Font, INK, PAPER, Scene};
use crate::suites::point_reads::{Cache, KeySet, Keys, PointReads};

const WIDTH: f64 = 1000.0;
const HEAD: f64 = 64.0;
const ROW: f64 = 30.0;
/// Half the height of a bar.
const BAR: f64 = 5.0;
/// Room for the names, and right of each panel's axis for the longest bar's values.
const NAMES: f64 = 168.0;
const BLOCKS: [f64; 2] = [NAMES, 296.0];
const UNCACHED: [f64; 2] = [360.0, 560.0];
const CACHED: [f64; 2] = [694.0, 886.0];

/// A line of the chart.
enum Line<'a> {
    /// The engine and its database.
    Engine(&'a PointReads),
    /// A policy, by one of its rows.
    Policy(&'a PointReads),
}

/// The chart, or `None` without rows.
pub(crate) fn scene(rows: &[PointReads]) -> Option<Scene> {
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
        "Blocks read and time per Get of storage engines, without filters and with each policy",
    );
    let panels = panels(rows);
    grid.stripes(&mut scene);
    scene.text(
        (MARGIN, 18.0),
        Anchor::Start,
        Font::TITLE,
        "Point reads: what a filter is worth",
    );
    legend(&mut scene);
    for panel in &panels {
        panel.frame(&mut scene, &grid, 50.0);
    }
    for (index, line) in lines.iter().enumerate() {
        match line {
            Line::Engine(row) => engine(&mut scene, &grid, index, row),
            Line::Policy(row) => policy(&mut scene, &grid, index, row, rows, &panels),
        }
    }
    Some(scene)
}

/// Engines in the order of their first row; below each the policies.
fn lines(rows: &[PointReads]) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut engines: Vec<(&str, KeySet)> = Vec::new();
    for row in rows {
        let engine = (row.engine.as_str(), row.key_set);
        if engines.contains(&engine) {
            continue;
        }
        engines.push(engine);
        lines.push(Line::Engine(row));
        let mut policies: Vec<&PointReads> = Vec::new();
        for other in rows {
            if (other.engine.as_str(), other.key_set) == engine
                && !policies.iter().any(|known| known.policy == other.policy)
            {
                policies.push(other);
            }
        }
        policies.sort_by_key(|row| row.policy);
        lines.extend(policies.into_iter().map(Line::Policy));
    }
    lines
}

fn panels(rows: &[PointReads]) -> [Panel<'static>; 3] {
    let highest = |value: fn(&PointReads) -> f64, of: fn(&PointReads) -> bool| {
        rows.iter()
            .filter(|row| of(row))
            .map(value)
            .filter(|value| value.is_finite())
            .fold(0.0, f64::max)
    };
    let ratios = |of| highest(|row| row.ratio_high, of).max(1.0);
    let blocks = highest(|row| row.blocks_per_get, is_uncached);
    let axis = "time over that without filters; line: 95 % interval";
    [
        Panel {
            title: "Blocks read per Get",
            axis: "blocks; none or one cached",
            scale: Scale::linear(blocks, BLOCKS[0], BLOCKS[1]),
            tick: number::tick,
        },
        Panel {
            title: "Time per Get, blocks not cached",
            axis,
            scale: Scale::linear(ratios(is_uncached), UNCACHED[0], UNCACHED[1]),
            tick: number::tick,
        },
        Panel {
            title: "Time per Get, every block cached",
            axis,
            scale: Scale::linear(ratios(is_cached), CACHED[0], CACHED[1]),
            tick: number::tick,
        },
    ]
}

fn is_cached(row: &PointReads) -> bool {
    row.cache == Cache::Everything
}

fn is_uncached(row: &PointReads) -> bool {
    !is_cached(row)
}

fn legend(scene: &mut Scene) {
    let mut x = WIDTH - MARGIN;
    for (text, full) in [("present keys", false), ("absent keys", true)] {
        scene.text((x, 18.0), Anchor::End, Font::VALUE, text);
        x -= Font::VALUE.width(text) + 30.0;
        bar(scene, [x, 9.0, x + 24.0, 18.0], full);
        x -= 18.0;
    }
}

fn bar(scene: &mut Scene, [left, top, right, bottom]: [f64; 4], full: bool) {
    scene.rect(left, top, right, bottom, NEUTRAL);
    if !full && right - left > 2.0 {
        scene.rect(left + 1.0, top + 1.0, right - 1.0, bottom - 1.0, PAPER);
    }
}

fn engine(scene: &mut Scene, grid: &Rows, index: usize, row: &PointReads) {
    let y = grid.middle(index);
    // Over grid lines, which would run through the words.
    scene.rect(0.0, y - ROW / 2.0, WIDTH, y + ROW / 2.0, PAPER);
    let name = match row.engine.as_str() {
        "leveldb" => "Google's LevelDB",
        other => other,
    };
    let name = Font::HEAD.fit(&format!("{name} {}", row.version), 300.0);
    scene.text_middle((MARGIN, y), Anchor::Start, Font::HEAD, &name);
    let keys = match row.key_set {
        KeySet::Random => "random keys",
        KeySet::Decimal => "decimal ids, absent ones between those stored",
    };
    let database = format!(
        "{} entries, {keys} of {} bytes, values of {}; median of {} rounds",
        number::grouped(row.entries),
        row.key_bytes,
        row.value_bytes,
        row.rounds
    );
    let x = MARGIN + Font::HEAD.width(&name) + 14.0;
    scene.text_middle((x, y), Anchor::Start, Font::NOTE, &database);
}

fn policy(
    scene: &mut Scene,
    grid: &Rows,
    index: usize,
    line: &PointReads,
    rows: &[PointReads],
    panels: &[Panel<'_>; 3],
) {
    let y = grid.middle(index);
    let name = Font::NAME.fit(line.policy.words(), NAMES - 6.0 - MARGIN);
    scene.text_middle((MARGIN, y), Anchor::Start, Font::NAME, &name);
    let of_line = rows.iter().filter(|row| {
        (row.engine.as_str(), row.key_set, row.policy) == (line.engine.as_str(), line.key_set, line.policy)
    });
    for row in of_line {
        let full = row.keys == Keys::Absent;
        let y = if full { y - BAR - 0.5 } else { y + BAR + 0.5 };
        if is_uncached(row) {
            let text = number::significant(row.blocks_per_get, 3);
            let end = draw(scene, &panels[0], y, row.blocks_per_get, full);
            scene.text_middle((end + 5.0, y), Anchor::Start, Font::VALUE, &text);
        }
        let panel = &panels[if is_cached(row) { 2 } else { 1 }];
        let end = draw(scene, panel, y, row.ratio_to_no_filter, full);
        panel.interval(scene, y, row.ratio_low, row.ratio_high, INK);
        let text = format!(
            "{} ({} ns)",
            number::significant(row.ratio_to_no_filter, 3),
            number::significant(row.median_ns_per_get, 3)
        );
        let x = end.max(panel.scale.at(row.ratio_high)) + 5.0;
        scene.text_middle((x, y), Anchor::Start, Font::VALUE, &text);
    }
}

/// Draws a bar and gives its end.
fn draw(scene: &mut Scene, panel: &Panel<'_>, y: f64, value: f64, full: bool) -> f64 {
    let end = panel.scale.at(value);
    bar(scene, [panel.scale.start(), y - BAR, end, y + BAR], full);
    end
}
