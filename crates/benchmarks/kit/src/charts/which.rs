//! Rate, memory and times of every policy: a policy a row, grouped by the keys of a filter, and a panel for each figure.

use plots::bars::{body, heading};
use plots::number;
use plots::panel::{AXIS, MARGIN, Panel, Rows};
use plots::scale::Scale;
use plots::scene::{Anchor, Font, PAPER, STRIPE, Scene};
use crate::suites::which::Which;

const WIDTH: f64 = 1080.0;
const HEAD: f64 = 64.0;
const ROW: f64 = 20.0;
/// Room for the names, for each panel's axis, and right of it for the longest bar's value.
const NAMES: f64 = 130.0;
const PANEL: f64 = 122.0;
const VALUE: f64 = 66.0;

/// A figure of a row.
struct Figure {
    title: &'static str,
    axis: &'static str,
    value: fn(&Which) -> f64,
    text: fn(f64) -> String,
}

const FIGURES: [Figure; 5] = [
    Figure {
        title: "Rate",
        axis: "absent keys that match, %",
        value: |row| row.rate * 100.0,
        text: |value| format!("{value:.2} %"),
    },
    Figure {
        title: "Memory",
        axis: "bits of filter for each key",
        value: |row| row.bytes as f64 * 8.0 / row.filter_keys as f64,
        text: |value| format!("{value:.1}"),
    },
    Figure {
        title: "Build",
        axis: "ns a key",
        value: |row| row.build_ns,
        text: ns,
    },
    Figure {
        title: "Query, absent",
        axis: "ns a key, one key a call",
        value: |row| row.absent_ns,
        text: ns,
    },
    Figure {
        title: "Query, present",
        axis: "ns a key, one key a call",
        value: |row| row.present_ns,
        text: ns,
    },
];

fn ns(value: f64) -> String {
    format!("{} ns", number::significant(value, 3))
}

/// The chart, or `None` without rows.
pub(crate) fn scene(rows: &[Which]) -> Option<Scene> {
    let mut sorted: Vec<&Which> = rows.iter().collect();
    sorted.sort_by_key(|row| (row.filter_keys, row.policy));
    let groups: Vec<&[&Which]> = sorted.chunk_by(|a, b| a.filter_keys == b.filter_keys).collect();
    let grid = Rows {
        top: HEAD,
        height: ROW,
        count: groups.len() + rows.len(),
    };
    let rounds = rows.first()?.rounds;
    let mut scene = Scene::new(
        WIDTH,
        (grid.bottom() + AXIS).ceil(),
        "Rate, memory and times of every filter policy, by the keys of a filter",
    );
    grid.stripes(&mut scene);
    scene.text(
        (MARGIN, 18.0),
        Anchor::Start,
        Font::TITLE,
        "Filter policies at 10 bits per key, where no other number stands",
    );
    let panels: Vec<Panel<'_>> = (FIGURES.iter().enumerate())
        .map(|(index, figure)| {
            let left = NAMES + index as f64 * (PANEL + VALUE);
            let highest = rows.iter().map(figure.value).fold(0.0, f64::max);
            Panel {
                title: figure.title,
                axis: figure.axis,
                scale: Scale::linear(highest, left, left + PANEL),
                tick: number::tick,
            }
        })
        .collect();
    for panel in &panels {
        panel.frame(&mut scene, &grid, 50.0);
    }
    let mut index = 0;
    for group in groups {
        let keys = group.first()?.filter_keys;
        let note = format!("keys of 16 bytes; times: medians of {rounds} rounds");
        let name = format!("{} keys", number::grouped(keys));
        heading(&mut scene, grid.middle(index), &name, &note);
        index += 1;
        for row in group {
            policy(&mut scene, &grid, index, row, &panels);
            index += 1;
        }
    }
    Some(scene)
}

fn policy(scene: &mut Scene, grid: &Rows, index: usize, row: &Which, panels: &[Panel<'_>]) {
    let y = grid.middle(index);
    let name = Font::NAME.fit(row.policy.words(), NAMES - 6.0 - MARGIN);
    scene.text_middle((MARGIN, y), Anchor::Start, Font::NAME, &name);
    for (figure, panel) in FIGURES.iter().zip(panels) {
        let value = (figure.value)(row);
        let end = panel.scale.at(value);
        body(scene, panel.scale.start(), end, y, true);
        let text = (figure.text)(value);
        let x = end + 5.0;
        // Over grid lines, which would run through the number.
        let behind = if index.is_multiple_of(2) { STRIPE } else { PAPER };
        scene.rect(
            x - 2.0,
            y - 7.0,
            x + Font::VALUE.width(&text) + 2.0,
            y + 7.0,
            behind,
        );
        scene.text_middle((x, y), Anchor::Start, Font::VALUE, &text);
    }
}
