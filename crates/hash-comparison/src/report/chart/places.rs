//! Time per key of each function, keys in the cache and keys scattered over memory.

use super::mark::{self, RADIUS};
use super::rows::{DatasetRows, distinct};
use crate::record::{CallForm, EMPTY, Place, PlaceRow};
use plots::number;
use plots::panel::{AXIS, MARGIN, NAMES_END, Panel, Rows};
use plots::scale::Scale;
use plots::scene::{Anchor, Font, GRID, Scene};

const WIDTH: f64 = 1000.0;
const HEAD: f64 = 78.0;
const ROW: f64 = 24.0;
/// Between the panels.
const GAP: f64 = 40.0;

/// The chart, or `None` without times of both places.
pub(crate) fn scene(data: &DatasetRows<'_>) -> Option<Scene> {
    let find = |function: &str, place: Place, form: CallForm| {
        let mut rows = data.places.iter().copied();
        rows.find(|row: &&PlaceRow| (row.function.as_str(), row.place, row.form) == (function, place, form))
    };
    let memory = data.places.iter().find(|row| row.place == Place::Memory)?;
    let mut functions = distinct(data.places.iter().map(|row| row.function.as_str()));
    functions.retain(|name| *name != EMPTY);
    let speed = |name: &str| {
        find(name, Place::Memory, CallForm::Independent).map_or(f64::INFINITY, |row| row.median_ns_per_key)
    };
    functions.sort_by(|a, b| speed(a).total_cmp(&speed(b)));
    // The floor is a line like the others: what the places themselves cost.
    functions.push(EMPTY);
    let rows = Rows {
        top: HEAD,
        height: ROW,
        count: functions.len(),
    };
    let name = &data.summary.name;
    let mut scene = Scene::new(
        WIDTH,
        (rows.bottom() + AXIS).ceil(),
        &format!("{name}: nanoseconds per key, in the cache and scattered over memory"),
    );
    let title = Font::TITLE.fit(&format!("{name}: keys in the cache and out of it"), 420.0);
    scene.text((MARGIN, 18.0), Anchor::Start, Font::TITLE, &title);
    key(&mut scene, memory);
    rows.stripes(&mut scene);
    for (index, function) in functions.iter().enumerate() {
        let shown = if *function == EMPTY {
            "empty function"
        } else {
            function
        };
        rows.name(&mut scene, index, shown, None);
    }
    let width = (WIDTH - MARGIN - NAMES_END - GAP) / 2.0;
    let panels = [
        (CallForm::Independent, "independent calls overlap"),
        (CallForm::Chained, "chained: each call waits for the last"),
    ];
    for (number, (form, title)) in panels.into_iter().enumerate() {
        let left = NAMES_END + number as f64 * (width + GAP);
        let times = data.places.iter().filter(|row| row.form == form);
        let highest = times.map(|row| row.median_ns_per_key).fold(0.0, f64::max);
        let panel = Panel {
            title,
            axis: "ns per key, median",
            scale: Scale::linear(highest * 1.04, left, left + width),
            tick: number::tick,
        };
        panel.frame(&mut scene, &rows, HEAD - 14.0);
        for (index, function) in functions.iter().enumerate() {
            let y = rows.middle(index);
            let ends = [Place::Cache, Place::Memory]
                .map(|place| find(function, place, form).map(|row| panel.scale.at(row.median_ns_per_key)));
            if let [Some(cache), Some(memory)] = ends {
                scene.level(y, cache.min(memory), cache.max(memory), 2.0, GRID);
                mark::neutral(&mut scene, (cache, y), RADIUS);
                mark::neutral_hollow(&mut scene, (memory, y), RADIUS);
            }
        }
    }
    Some(scene)
}

/// What the marks mean.
fn key(scene: &mut Scene, memory: &PlaceRow) {
    let text = format!(
        "scattered over {} MiB, shuffled",
        number::grouped(memory.footprint_bytes >> 20)
    );
    let mut x = WIDTH - MARGIN;
    scene.text((x, 18.0), Anchor::End, Font::VALUE, &text);
    x -= Font::VALUE.width(&text) + 10.0;
    mark::neutral_hollow(scene, (x, 14.0), RADIUS);
    x -= 24.0;
    scene.text((x, 18.0), Anchor::End, Font::VALUE, "packed, in the cache");
    x -= Font::VALUE.width("packed, in the cache") + 10.0;
    mark::neutral(scene, (x, 14.0), RADIUS);
}
