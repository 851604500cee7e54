//! Queries and inserts of filters in Redis against `redis-benchmark`, one client a row, a panel for each operation.

use super::mark::NEUTRAL;
use super::number;
use super::panel::{AXIS, MARGIN, Panel, Rows};
use super::scale::Scale;
use super::scene::{Anchor, Dash, Font, INK, MUTED, PAPER, STRIPE, Scene};
use crate::redis::{Client, Operation, Redis};

const WIDTH: f64 = 1080.0;
const HEAD: f64 = 64.0;
const ROW: f64 = 22.0;
/// Half the height of a bar.
const BAR: f64 = 6.0;
/// Room for the names, and right of each panel's axis for the longest bar's values.
const NAMES: f64 = 210.0;
const PANEL: f64 = 290.0;
const VALUES: f64 = 134.0;

/// A line of the chart.
enum Line<'a> {
    /// Keys of a round trip.
    Batch(&'a Redis),
    /// A client, by one of its rows.
    Client(&'a Redis),
}

/// The chart, or `None` without rows.
pub(crate) fn scene(rows: &[Redis]) -> Option<Scene> {
    let mut drawn: Vec<&Redis> = rows.iter().filter(|row| is_drawn(row)).collect();
    drawn.sort_by_key(|row| (row.batch, row.client));
    let lines = lines(&drawn);
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
        "Speed of queries and inserts of filters in Redis over that of redis-benchmark, by keys a round trip",
    );
    let panels = panels(&drawn);
    grid.stripes(&mut scene);
    scene.text(
        (MARGIN, 18.0),
        Anchor::Start,
        Font::TITLE,
        "Filters in Redis over one connection: keys a second over redis-benchmark's GETBIT and SETBIT",
    );
    for (panel, _) in &panels {
        panel.frame(&mut scene, &grid, 50.0);
        let one = panel.scale.at(1.0);
        scene.dashed(one, grid.top, grid.bottom(), Dash::DASHED, MUTED);
    }
    for (index, line) in lines.iter().enumerate() {
        match line {
            Line::Batch(row) => batch(&mut scene, &grid, index, row),
            Line::Client(row) => client(&mut scene, &grid, index, row, &drawn, &panels),
        }
    }
    Some(scene)
}

/// Local memory is a hundred times as fast, and would leave the others no room.
fn is_drawn(row: &Redis) -> bool {
    row.client != Client::Local && row.operation != Operation::Download
}

/// Keys of a round trip from the fewest; below each the clients.
fn lines<'a>(sorted: &[&'a Redis]) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    for of_batch in sorted.chunk_by(|a, b| a.batch == b.batch) {
        let clients = of_batch.chunk_by(|a, b| a.client == b.client);
        lines.extend(of_batch.first().map(|row| Line::Batch(row)));
        lines.extend(clients.filter_map(|rows| rows.first().map(|row| Line::Client(row))));
    }
    lines
}

fn panels(rows: &[&Redis]) -> [(Panel<'static>, Operation); 2] {
    let highest = rows.iter().map(|row| row.speed_high).fold(1.0, f64::max);
    let panel = |index: f64, title: &'static str, operation: Operation| {
        let left = NAMES + index * (PANEL + VALUES);
        let panel = Panel {
            title,
            axis: "speed over redis-benchmark's; line: 95 % interval",
            scale: Scale::linear(highest, left, left + PANEL),
            tick: number::tick,
        };
        (panel, operation)
    };
    [
        panel(0.0, "Contains, half of the keys absent", Operation::Contains),
        panel(1.0, "Insert, new keys", Operation::Insert),
    ]
}

fn batch(scene: &mut Scene, grid: &Rows, index: usize, row: &Redis) {
    let y = grid.middle(index);
    // Over grid lines, which would run through the words.
    scene.rect(0.0, y - ROW / 2.0, WIDTH, y + ROW / 2.0, PAPER);
    let name = if row.batch == 1 {
        "1 key a round trip".to_owned()
    } else {
        format!("{} keys a round trip", number::grouped(row.batch))
    };
    scene.text_middle((MARGIN, y), Anchor::Start, Font::HEAD, &name);
    let filter = format!(
        "{} bits, {} for each key; {}; median of {} rounds",
        number::grouped(row.bits),
        row.probes,
        row.version,
        row.rounds
    );
    let x = MARGIN + Font::HEAD.width(&name) + 14.0;
    scene.text_middle((x, y), Anchor::Start, Font::NOTE, &filter);
}

fn client(
    scene: &mut Scene,
    grid: &Rows,
    index: usize,
    line: &Redis,
    rows: &[&Redis],
    panels: &[(Panel<'_>, Operation); 2],
) {
    let y = grid.middle(index);
    let name = Font::NAME.fit(line.client.words(), NAMES - 6.0 - MARGIN);
    scene.text_middle((MARGIN, y), Anchor::Start, Font::NAME, &name);
    for (panel, operation) in panels {
        let of_panel = rows
            .iter()
            .filter(|row| (row.batch, row.client, row.operation) == (line.batch, line.client, *operation));
        for row in of_panel {
            let end = panel.scale.at(row.speed);
            bar(scene, panel.scale.start(), end, y, row.client);
            panel.interval(scene, y, row.speed_low, row.speed_high, INK);
            let text = format!(
                "{} ({}/s)",
                number::significant(row.speed, 3),
                number::grouped(rounded(row.per_second))
            );
            let x = end.max(panel.scale.at(row.speed_high)) + 5.0;
            // Over grid lines, which would run through the number.
            let behind = if index.is_multiple_of(2) { STRIPE } else { PAPER };
            let right = x + Font::VALUE.width(&text) + 2.0;
            scene.rect(x - 2.0, y - BAR - 1.0, right, y + BAR + 1.0, behind);
            scene.text_middle((x, y), Anchor::Start, Font::VALUE, &text);
        }
    }
}

/// Three digits that count.
fn rounded(per_second: f64) -> u64 {
    let mut unit = 1;
    while per_second >= 1_000.0 * unit as f64 {
        unit *= 10;
    }
    (per_second / unit as f64).round() as u64 * unit
}

/// Full for this project's calls as they are, hollow for what they are compared with.
fn bar(scene: &mut Scene, left: f64, right: f64, y: f64, client: Client) {
    scene.rect(left, y - BAR, right, y + BAR, NEUTRAL);
    let ours = matches!(client, Client::Blocking | Client::Tokio);
    if !ours && right - left > 2.0 {
        scene.rect(left + 1.0, y - BAR + 1.0, right - 1.0, y + BAR - 1.0, PAPER);
    }
}
