//! Time per key of each function, with keys in the cache and with keys scattered over memory.

use crate::questions::on_dataset::{DatasetRows, distinct};
use crate::questions::{Place, PlaceRow};
use crate::record::{CallForm, EMPTY, of, on};
use plots::key::Sign;
use plots::mark::{Mark, RADIUS};
use plots::panel::{AXIS, Head, MARGIN, NAMES_END, Panel, Rows};
use plots::scale::Scale;
use plots::scene::{GRID, MUTED, Scene};
use records::number;

const WIDTH: f64 = 1000.0;
const HEAD: f64 = 50.0;
type DrawMark = fn(Mark, &mut Scene, (f64, f64), f64);
/// Gap between the panels.
const GAP: f64 = 40.0;

/// Draws the chart; `None` without times of keys in memory.
pub(super) fn scene(data: &DatasetRows<'_>) -> Option<Scene> {
    let measured: Vec<&PlaceRow> = on(&data.records.places, &data.summary.name).collect();
    let find = |function: &str, place: Place, form: CallForm| {
        of(measured.iter().copied(), function).find(|row| (row.place, row.form) == (place, form))
    };
    let memory = measured.iter().find(|row| row.place == Place::Memory)?;
    let mut functions = distinct(measured.iter().map(|row| row.function.as_str()));
    functions.retain(|name| *name != EMPTY && data.is_shown(name));
    let speed = |name: &str| {
        find(name, Place::Memory, CallForm::Independent).map_or(f64::INFINITY, |row| row.median_ns_per_key)
    };
    functions.sort_by(|a, b| speed(a).total_cmp(&speed(b)));
    // The empty function has a row too: it shows the cost of the places themselves.
    functions.push(EMPTY);
    let rows = Rows::new(HEAD, functions.len());
    let name = &data.summary.name;
    let scattered = format!(
        "scattered over {} MiB, shuffled",
        number::grouped(memory.footprint_bytes >> 20)
    );
    let mut scene = Head {
        description: &format!("{name}: nanoseconds per key, in the cache and scattered over memory"),
        title: &format!("{name}: keys in and out of the cache"),
        width: WIDTH,
        foot: AXIS,
        key: &[
            (Sign::Filled(Mark::Neutral), "packed, in the cache"),
            (Sign::Hollow(Mark::Neutral), &scattered),
        ],
    }
    .sheet(&rows);
    let mut shown = functions.clone();
    shown.pop();
    shown.push("empty function");
    rows.names(&mut scene, &shown);
    let width = (WIDTH - MARGIN - NAMES_END - GAP) / 2.0;
    let panels = [
        (CallForm::Independent, "independent calls overlap"),
        (CallForm::Chained, "chained: each call waits for the previous one"),
    ];
    for (number, (form, title)) in panels.into_iter().enumerate() {
        let left = NAMES_END + number as f64 * (width + GAP);
        let times = measured.iter().filter(|row| row.form == form);
        let mut times: Vec<f64> = times.map(|row| row.median_ns_per_key).collect();
        times.sort_by(f64::total_cmp);
        // One slow function must not push all others to the left edge.
        let highest = times[times.len() - 1].min(times[times.len() * 3 / 4] * 3.0);
        let panel = Panel {
            title,
            axis: "ns per key, median",
            scale: Scale::linear(highest * 1.04).over(left, left + width),
            tick: number::tick,
        };
        panel.frame(&mut scene, &rows, HEAD - 8.0);
        for (index, function) in functions.iter().enumerate() {
            let y = rows.middle(index);
            let ends = [Place::Cache, Place::Memory]
                .map(|place| find(function, place, form).map(|row| row.median_ns_per_key));
            let [Some(cache), Some(memory)] = ends else {
                continue;
            };
            let [left, right] = [cache, memory].map(|ns| panel.scale.at(ns.min(highest)));
            scene.horizontal(y, left.min(right), left.max(right), 2.0, GRID);
            let (mut beyond, mut mark) = (Vec::new(), None);
            for (ns, draw) in [(cache, Mark::filled as DrawMark), (memory, Mark::hollow)] {
                if panel.scale.is_above(ns) {
                    beyond.push(number::significant(ns, 2));
                } else {
                    mark = Some(panel.scale.at(ns));
                    draw(Mark::Neutral, &mut scene, (panel.scale.at(ns), y), RADIUS);
                }
            }
            if !beyond.is_empty() {
                panel.beyond(&mut scene, &rows, index, &beyond.join(" and "), MUTED, mark);
            }
        }
    }
    Some(scene)
}
