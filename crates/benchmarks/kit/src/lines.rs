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
    let mut lines: Vec<(Style, Vec<(Point, &Row)>)> = Vec::new();
    for row in rows {
        let (Some(style), Some(point)) = (style(row), point(row)) else {
            continue;
        };
        let same = |(known, _): &(Style, Vec<_>)| known.name == style.name;
        let (_, points) = entry(&mut lines, same, || (style.clone(), Vec::new()));
        points.push((point, row));
    }
    let series = lines.into_iter().map(|(style, mut points)| {
        points.sort_by(|(a, _), (b, _)| a.x.total_cmp(&b.x));
        let last = points.last().map_or_else(String::new, |(_, row)| value(row));
        Series {
            name: format!("{}: {last}", style.name),
            color: style.color,
            marks: style.marks,
            points: points.into_iter().map(|(point, _)| point).collect(),
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

/// Returns the first entry for which `is` returns true, which is added if there is none.
pub(crate) fn entry<T>(all: &mut Vec<T>, is: impl FnMut(&T) -> bool, new: impl FnOnce() -> T) -> &mut T {
    let at = all.iter().position(is).unwrap_or_else(|| {
        all.push(new());
        all.len() - 1
    });
    &mut all[at]
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
