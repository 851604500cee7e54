//! Bits for each key against the rate of false positives, each filter a line.

use plotters::style::RGBColor;

use plots::labels::{self, Label, Place};
use plots::mark::RADIUS;
use plots::number;
use plots::panel::MARGIN;
use plots::scale::Scale;
use plots::scene::{Anchor, Font, GRID, INK, MUTED, STRIPE, Scene};
use crate::suites::memory::{Memory, Structure};

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 560.0;
const LEFT: f64 = 56.0;
/// Right of it stand the names.
const RIGHT: f64 = WIDTH - 236.0;
const TOP: f64 = 60.0;
const BOTTOM: f64 = HEIGHT - 48.0;
/// From one name to the next.
const LINE: f64 = 16.0;
/// Room beside the outermost marks.
const BESIDE: f64 = 1.25;

/// Colours of the Okabe-Ito palette, one for each line after the other; the names tell them apart.
const COLORS: [RGBColor; 5] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
];

/// A line of the chart.
struct Series {
    /// More than one structure where all their points are the same.
    name: String,
    /// Rate and bits for each key, the lowest rate last.
    points: Vec<(f64, f64)>,
}

/// The chart, or `None` without a filter that was wrong at least once: zero is on no logarithmic axis.
pub(crate) fn scene(rows: &[Memory]) -> Option<Scene> {
    let series = series(rows);
    let keys = rows.first()?.keys;
    let points = || series.iter().flat_map(|series| series.points.iter().copied());
    let rates = || points().map(|(rate, _)| rate);
    let (low, high) = (rates().reduce(f64::min)?, rates().reduce(f64::max)?);
    let most = points().map(|(_, bits)| bits).fold(0.0, f64::max);
    // The lowest rate at the right, where the lines are furthest apart and have their names.
    let x_scale = Scale::log(low / BESIDE, high * BESIDE, RIGHT, LEFT);
    // Pixels grow downwards.
    let y_scale = Scale::linear(most * 1.06, BOTTOM, TOP);

    let mut scene = Scene::new(
        WIDTH,
        HEIGHT,
        "Bits for each key of filters against their rate of false positives",
    );
    let title = format!(
        "Memory against rate: {} phone numbers, measured",
        number::grouped(keys)
    );
    scene.text((MARGIN, 18.0), Anchor::Start, Font::TITLE, &title);
    scene.text((MARGIN, 44.0), Anchor::Start, Font::NOTE, &axis(rows));
    let least = |rate: f64| (x_scale.at(rate), y_scale.at(-libm::log2(rate)));
    let ends = [(high * BESIDE).min(1.0), low / BESIDE].map(least);
    let bound = bound(&mut scene, ends);
    axes(&mut scene, &x_scale, &y_scale);
    let [from, to] = ends;
    scene.line(from, to, MUTED);
    let mut labels = vec![bound];
    for (series, color) in series.iter().zip(COLORS.into_iter().cycle()) {
        labels.extend(line(&mut scene, series, color, &x_scale, &y_scale));
    }
    let place = Place {
        left: RIGHT,
        right: WIDTH - MARGIN,
        top: TOP,
        apart: LINE,
    };
    labels::write(&mut scene, labels, &place);
    Some(scene)
}

/// What the vertical axis shows, and what sets take, which have no place on the other one.
fn axis(rows: &[Memory]) -> String {
    let sets: Vec<String> = rows
        .iter()
        .filter(|row| row.structure.is_exact())
        .map(|row| {
            let bits = number::significant(row.allocated_bits_per_key, 3);
            format!("{} {bits}", row.structure.words())
        })
        .collect();
    let mut text = "bits of memory for each key".to_owned();
    if !sets.is_empty() {
        text.push_str("; sets, which are never wrong, take ");
        text.push_str(&sets.join(", "));
    }
    text
}

/// Filters in the order of their first row.
fn series(rows: &[Memory]) -> Vec<Series> {
    let mut structures: Vec<Structure> = Vec::new();
    for row in rows.iter().filter(|row| !row.structure.is_exact()) {
        if !structures.contains(&row.structure) {
            structures.push(row.structure);
        }
    }
    let mut all: Vec<Series> = Vec::new();
    for structure in structures {
        let mut points: Vec<(f64, f64)> = rows
            .iter()
            .filter(|row| row.structure == structure && row.rate > 0.0)
            .map(|row| (row.rate, row.allocated_bits_per_key))
            .collect();
        points.sort_by(|a, b| b.0.total_cmp(&a.0));
        match all.iter_mut().find(|series| series.points == points) {
            Some(same) => {
                same.name.push_str(", ");
                same.name.push_str(structure.words());
            }
            None => all.push(Series {
                name: structure.words().to_owned(),
                points,
            }),
        }
    }
    all.retain(|series| !series.points.is_empty());
    all
}

fn axes(scene: &mut Scene, x_scale: &Scale, y_scale: &Scale) {
    for value in x_scale.ticks(60.0) {
        let x = x_scale.at(value);
        scene.upright(x, TOP, BOTTOM + 4.0, 1.0, GRID);
        scene.text(
            (x, BOTTOM + 18.0),
            Anchor::Middle,
            Font::NOTE,
            &number::percent_tick(value),
        );
    }
    for value in y_scale.ticks(26.0) {
        let y = y_scale.at(value);
        scene.level(y, LEFT - 4.0, RIGHT, 1.0, GRID);
        scene.text_middle((LEFT - 8.0, y), Anchor::End, Font::NOTE, &number::tick(value));
    }
    scene.level(BOTTOM, LEFT, RIGHT, 1.0, INK);
    scene.upright(LEFT, TOP, BOTTOM, 1.0, INK);
    scene.text(
        ((LEFT + RIGHT) / 2.0, HEIGHT - 10.0),
        Anchor::Middle,
        Font::NOTE,
        "absent keys that are said to be in, measured (log scale)",
    );
}

/// Shades the ground below the least that any filter can take, which is a straight line on these axes.
fn bound(scene: &mut Scene, [from, to]: [(f64, f64); 2]) -> Label {
    scene.polygon(vec![from, to, (to.0, BOTTOM), (from.0, BOTTOM)], STRIPE);
    Label {
        end: to.1,
        text: "log2(1 / rate): the least there can be".to_owned(),
        color: None,
        hollow: false,
    }
}

fn line(
    scene: &mut Scene,
    series: &Series,
    color: RGBColor,
    x_scale: &Scale,
    y_scale: &Scale,
) -> Option<Label> {
    let places: Vec<(f64, f64)> = series
        .points
        .iter()
        .map(|&(rate, bits)| (x_scale.at(rate), y_scale.at(bits)))
        .collect();
    for pair in places.windows(2) {
        if let &[from, to] = pair {
            scene.line(from, to, color);
        }
    }
    let (&(x, y), &(_, bits)) = (places.last()?, series.points.last()?);
    scene.line((x, y), (RIGHT, y), GRID);
    for &place in &places {
        scene.circle(place, RADIUS, color);
    }
    Some(Label {
        end: y,
        text: format!("{}: {}", series.name, number::significant(bits, 3)),
        color: Some(color),
        hollow: false,
    })
}
