//! Avalanche: a small map for each function, with one row per key bit and one column per output bit.

use crate::questions::on_dataset::distinct;
use crate::questions::shades::Heat;
use crate::questions::{AvalancheRow, Records};
use plots::cells;
use plots::key;
use plots::rows::Rows;
use plots::scene::{Anchor, Font, GRID, MARGIN, PAPER, Scene};
use terminal::number;

/// Columns and rows of a map: the compared bits of the output and the bits of the recorded keys.
const OUTPUT_BITS: usize = 32;
const INPUT_BITS: usize = 64;
/// Width and height of a cell.
const WIDTH: f64 = 3.5;
const HEIGHT: f64 = 2.0;
const MAPS_IN_A_ROW: usize = 7;
/// Gap between maps; long names extend into it.
const GAP: f64 = 32.0;
const STEP: f64 = OUTPUT_BITS as f64 * WIDTH + GAP;
const ROW: f64 = INPUT_BITS as f64 * HEIGHT + 44.0;
const HEAD: f64 = 54.0;

/// The lower bound of each class, as the distance from one half.
const CLASSES: [f64; 3] = [0.06, 0.15, 0.3];
const KEY: [&str; 9] = [
    "never flips",
    "below 20 %",
    "below 35 %",
    "below 44 %",
    "44 to 56 %",
    "above 56 %",
    "above 65 %",
    "above 80 %",
    "always flips",
];

/// Draws the chart from `avalanche.csv` alone; `None` without rows.
pub(super) fn scene(records: &Records) -> Option<Scene> {
    let cells = &records.avalanche;
    let mut maps: Vec<Map<'_>> = distinct(cells.iter().map(|row| row.function.as_str()))
        .into_iter()
        .map(|function| Map::of(function, cells))
        .collect();
    if maps.is_empty() {
        return None;
    }
    // Best first; equal maps keep the recorded order.
    maps.sort_by(|a, b| a.mean_distance.total_cmp(&b.mean_distance));
    let lines = maps.len().div_ceil(MAPS_IN_A_ROW);
    let mut scene = Scene::new(
        (2.0 * MARGIN + MAPS_IN_A_ROW as f64 * STEP).ceil(),
        HEAD + lines as f64 * ROW,
        "Frequency with which each bit of an eight-byte key flips each output bit, per function",
    );
    let title = "Avalanche: how often a key bit (row) flips an output bit (column), keys of eight bytes";
    scene.title(title, 17.0, scene.width);
    key::write(&mut scene, Anchor::Start, (MARGIN, 36.0), &Heat::key(KEY));
    for (index, map) in maps.iter().enumerate() {
        let left = MARGIN + STEP * (index % MAPS_IN_A_ROW) as f64;
        let top = HEAD + ROW * (index / MAPS_IN_A_ROW) as f64;
        map.draw(&mut scene, left, top);
    }
    let note = "Rows: first byte's lowest bit at the top. Columns: highest output bit at the left. The number is the mean \
                distance from 50 %; chance gives about 0.9 points. Best first.";
    scene.notes(&[note]);
    Some(scene)
}

/// The map of one function.
struct Map<'a> {
    function: &'a str,
    /// Share of flips by key bit and output bit.
    shares: Vec<[Option<f64>; OUTPUT_BITS]>,
    mean_distance: f64,
}

impl<'a> Map<'a> {
    fn of(function: &'a str, cells: &[AvalancheRow]) -> Self {
        let mut shares = vec![[None; OUTPUT_BITS]; INPUT_BITS];
        let (mut sum, mut count) = (0.0, 0.0);
        for row in cells.iter().filter(|row| row.function == function) {
            let share = row.flips as f64 / row.trials as f64;
            sum += (share - 0.5).abs();
            count += 1.0;
            if let Some(place) = shares
                .get_mut(row.input_bit as usize)
                .and_then(|of| of.get_mut(row.output_bit as usize))
            {
                *place = Some(share);
            }
        }
        Self {
            function,
            shares,
            mean_distance: sum / count,
        }
    }

    fn draw(&self, scene: &mut Scene, left: f64, top: f64) {
        let right = left + OUTPUT_BITS as f64 * WIDTH;
        let name = Font::VALUE.fit(self.function, STEP - 4.0);
        scene.row(self.function, |scene| {
            scene.text((left, top + 12.0), Anchor::Start, Font::VALUE, &name);
        });
        let upper = top + 18.0;
        let lower = upper + INPUT_BITS as f64 * HEIGHT;
        scene.rect(left - 1.0, upper - 1.0, right + 1.0, lower + 1.0, GRID);
        scene.rect(left, upper, right, lower, PAPER);
        let columns = (0..OUTPUT_BITS)
            .filter(|&bit| self.shares.iter().all(|row| row[bit].is_some()))
            .count();
        let edge = |column: usize| right - (columns - column) as f64 * WIDTH;
        let edges: Vec<(f64, f64)> = (0..columns)
            .map(|column| (edge(column), edge(column + 1)))
            .collect();
        let rows = Rows {
            top: upper,
            height: HEIGHT,
            count: INPUT_BITS,
        };
        let places = (0..INPUT_BITS).flat_map(|row| (0..columns).map(move |column| (row, column)));
        let heats: Vec<((usize, usize), Heat)> = places
            .filter_map(|at| {
                // The lowest bit is at the right, as in written numbers.
                Some((at, heat(self.shares[at.0][columns - 1 - at.1]?)))
            })
            .collect();
        let mut all: Vec<Heat> = heats.iter().map(|(_, heat)| *heat).collect();
        all.sort_unstable();
        let most = all
            .chunk_by(|one, next| one == next)
            .max_by_key(|same| same.len());
        // What most cells have is painted below all others, which leaves the file small.
        let ground = most.map_or(Heat::Chance, |same| same[0]);
        scene.rect(edge(0), upper, right, lower, ground.fill());
        let others = heats.into_iter().filter(|(_, heat)| *heat != ground);
        let others = others.map(|(at, heat)| (at, heat.fill(), true));
        cells::fill(scene, &edges, &rows, 0.0, others);
        let distance = format!("{} points", number::significant(self.mean_distance * 100.0, 2));
        scene.text((left, lower + 13.0), Anchor::Start, Font::NOTE, &distance);
    }
}

fn heat(share: f64) -> Heat {
    let distance = (share - 0.5).abs();
    let class = if distance >= 0.5 {
        Heat::MAX_CLASS
    } else {
        CLASSES.iter().filter(|&&least| distance > least).count() as u8
    };
    Heat::of(class, share > 0.5)
}
