//! How evenly each function fills buckets: chi-square over its degrees of freedom.

use super::rows::{DatasetRows, distinct};
use crate::record::{DistributionKind, DistributionRow};
use plots::grid::{self, Grid, Surprise};
use plots::number;
use plots::panel::{MARGIN, NAMES_END, Rows, row_height};
use plots::scene::{Anchor, Font, Scene};

const HEAD: f64 = 68.0;
const GAP: f64 = 16.0;
/// Title and key of the shades need that much.
const LEAST_WIDTH: f64 = 860.0;

/// The chart, or `None` without bucket rows. It draws from `distribution.csv` alone.
pub(crate) fn scene(data: &DatasetRows<'_>) -> Option<Scene> {
    let powers = columns(data, DistributionKind::PowerOfTwoBuckets);
    let primes = columns(data, DistributionKind::PrimeBuckets);
    let of_buckets = |row: &&&DistributionRow| row.kind != DistributionKind::BitShare;
    let functions = distinct(
        data.distribution
            .iter()
            .filter(of_buckets)
            .map(|row| row.function.as_str()),
    );
    if functions.is_empty() {
        return None;
    }
    let rows = Rows {
        top: HEAD,
        height: row_height(functions.len()),
        count: functions.len(),
    };
    let columns = (powers.len() + primes.len()) as f64;
    let around = NAMES_END + GAP + MARGIN;
    let cell = ((LEAST_WIDTH - around) / columns).clamp(66.0, 118.0);
    let width = (around + columns * cell).max(LEAST_WIDTH).ceil();
    let name = &data.summary.name;
    let mut scene = Scene::new(
        width,
        (rows.bottom() + 26.0).ceil(),
        &format!("{name}: chi-square over degrees of freedom of each function for each number of buckets"),
    );
    let key_start = grid::key(&mut scene, width - MARGIN, 11.0);
    let title = Font::TITLE.fit(&format!("{name}: filling buckets"), key_start - 2.0 * MARGIN);
    scene.text((MARGIN, 16.0), Anchor::Start, Font::TITLE, &title);
    rows.stripes(&mut scene);
    for (index, function) in functions.iter().enumerate() {
        rows.name(&mut scene, index, function, None);
    }
    let mut left = NAMES_END;
    let groups = [
        (
            DistributionKind::PowerOfTwoBuckets,
            powers,
            "Low bits choose the bucket",
        ),
        (
            DistributionKind::PrimeBuckets,
            primes,
            "Remainder by a prime chooses",
        ),
    ];
    let mut grid = Grid::default();
    for (kind, columns, title) in groups {
        if !columns.is_empty() {
            scene.text((left, 38.0), Anchor::Start, Font::HEAD, title);
        }
        for parameter in columns {
            let head = number::grouped(parameter);
            scene.text(
                (left + cell / 2.0, 60.0),
                Anchor::Middle,
                Font::NOTE,
                &Font::NOTE.fit(&head, cell),
            );
            for (index, function) in functions.iter().enumerate() {
                let mut all = data.distribution.iter();
                let wanted = |r: &&&DistributionRow| {
                    r.function == *function && r.kind == kind && r.parameter == parameter
                };
                let Some(row) = all.find(wanted) else { continue };
                let (middle, half) = (rows.middle(index), rows.height / 2.0);
                let corners = [left, middle - half, left + cell, middle + half];
                let text = number::significant(row.statistic / row.dof as f64, 3);
                grid.add(corners, Surprise::of(row.p_value), text);
            }
            left += cell;
        }
        left += GAP;
    }
    grid.draw(&mut scene);
    let note = "Columns: number of buckets. Cells: chi-square / degrees of freedom; a random function gives about 1.";
    scene.text((MARGIN, rows.bottom() + 17.0), Anchor::Start, Font::NOTE, note);
    Some(scene)
}

/// The numbers of buckets of one kind, ascending.
fn columns(data: &DatasetRows<'_>, kind: DistributionKind) -> Vec<u64> {
    let mut out: Vec<u64> = data
        .distribution
        .iter()
        .filter(|row| row.kind == kind)
        .map(|row| row.parameter)
        .collect();
    out.sort_unstable();
    out.dedup();
    out
}
