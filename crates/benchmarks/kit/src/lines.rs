//! The chart of lines: a line for each series of rows, with its last value behind its name.

use plots::scene::{Color, PALETTE};
use plots::xy::{Marks, Point, Series};

use crate::record::Row;

/// The look of a row's line. Rows with the same name are on one line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Style {
    pub(crate) name: String,
    pub(crate) color: Color,
    pub(crate) marks: Marks,
}

/// Returns the lines of rows in the order of their first rows, without those that have no point. `style` and `point`
/// leave out the rows for which they return `None`; `value` formats the value of a line's last point.
pub(crate) fn lines<'a>(
    rows: impl IntoIterator<Item = &'a Row>,
    style: impl Fn(&Row) -> Option<Style>,
    point: impl Fn(&Row) -> Option<Point>,
    value: impl Fn(&Row) -> String,
) -> Vec<Series> {
    let rows = rows.into_iter();
    let placed: Vec<(Style, Point, &Row)> = rows
        .filter_map(|row| Some((style(row)?, point(row)?, row)))
        .collect();
    let names = distinct(placed.iter().map(|(style, ..)| &style.name));
    let series = names.into_iter().map(|name| {
        let its = placed.iter().filter(|(style, ..)| style.name == *name);
        let mut its: Vec<&(Style, Point, &Row)> = its.collect();
        its.sort_by(|(_, a, _), (_, b, _)| a.x.total_cmp(&b.x));
        let last = its.last().map_or_else(String::new, |(.., row)| value(row));
        Series {
            name: format!("{name}: {last}"),
            color: its[0].0.color,
            marks: its[0].0.marks,
            points: its.iter().map(|(_, point, _)| *point).collect(),
        }
    });
    series.collect()
}

/// Returns the ratio to the baseline at `x`, with its interval.
pub(crate) fn ratio_at(x: f64, row: &Row) -> Option<Point> {
    row.ratio.map(|ratio| Point {
        x,
        y: ratio.median,
        interval: Some((ratio.low, ratio.high)),
    })
}

/// Returns the colour of a chart's line by its number. Colours that are used again have hollow marks, and then, after
/// dots, filled ones.
pub(crate) fn color(number: usize, marks: Marks) -> (Color, Marks) {
    let marks = match (number / PALETTE.len(), marks) {
        (0, marks) => marks,
        (2.., Marks::Dots) => Marks::Filled,
        _ => Marks::Hollow,
    };
    (PALETTE[number % PALETTE.len()], marks)
}

/// Returns the distinct values in the order of their first occurrence.
pub(crate) fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut distinct = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

/// Returns the least and the greatest value; `None` without values.
pub(crate) fn ends(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |ends, value| {
        let (low, high) = ends.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    })
}
