//! Time against length: short keys above, long ones below, overlapping calls left, chained ones right.

use std::collections::HashMap;

use plotters::style::RGBColor;

use super::rows::{DatasetRows, distinct};
use crate::record::{CallForm, CurveRow, EMPTY};
use plots::labels::{self, Label, Place};
use plots::number;
use plots::panel::MARGIN;
use plots::scale::Scale;
use plots::scene::{Anchor, Font, GRID, INK, STRIPE, Scene};

const WIDTH: f64 = 1000.0;
const HEIGHT: f64 = 720.0;
/// Between short lengths, which have a linear axis, and long ones.
const BORDER: u64 = 64;
/// Left ends of the two columns of panels, and their width; names stand right of them.
const LEFTS: [f64; 2] = [56.0, 540.0];
const PANEL: f64 = 284.0;
const NAMES: f64 = 152.0;
/// Tops of the two rows of panels, and their height.
const TOPS: [f64; 2] = [72.0, 404.0];
const ROW: f64 = 262.0;
/// From one name to the next.
const LINE: f64 = 15.0;
/// Best functions that are named, at most.
const BEST: usize = 4;
/// The filter's own function, which is named unless the user has named his.
const OWN: &str = "MurMurHash2";
const OTHERS: RGBColor = RGBColor(0xc3, 0xc9, 0xd1);

/// Colours of the Okabe-Ito palette, one for each named line after the other; the names tell them apart.
const COLORS: [RGBColor; 5] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
];

/// Lengths and times of each function in one form.
type Lines<'a> = HashMap<&'a str, Vec<(u64, f64)>>;

/// The chart, or `None` without times of lengths.
pub(crate) fn scene(data: &DatasetRows<'_>) -> Option<Scene> {
    let names = distinct(data.curves.iter().map(|row| row.function.as_str()));
    if names.is_empty() {
        return None;
    }
    let named = named(data);
    let dataset = &data.summary.name;
    let mut scene = Scene::new(
        WIDTH,
        HEIGHT,
        &format!("Nanoseconds per call against the length of keys; best functions for {dataset} named"),
    );
    let title = Font::TITLE.fit(&format!("{dataset}: time by length"), WIDTH - 2.0 * MARGIN);
    scene.text((MARGIN, 18.0), Anchor::Start, Font::TITLE, &title);
    let forms = [
        (CallForm::Independent, "independent calls overlap"),
        (CallForm::Chained, "chained: each call waits for the last"),
    ];
    for ((form, words), left) in forms.into_iter().zip(LEFTS) {
        scene.text((left, 42.0), Anchor::Start, Font::HEAD, words);
        let lines = lines(data.curves, form);
        for (long, top) in [false, true].into_iter().zip(TOPS) {
            let unit = if long {
                "ns per call (log scale)"
            } else {
                "ns per call"
            };
            scene.text((left, top - 8.0), Anchor::Start, Font::NOTE, unit);
            if let Some(panel) = Panel::new(&lines, &named, long, left, top) {
                panel.draw(&mut scene, data, &names, &named, &lines);
            }
        }
    }
    Some(scene)
}

/// The best for these keys, the function in use today or else the filter's own, in this order.
fn named<'a>(data: &DatasetRows<'a>) -> Vec<&'a str> {
    let best = data
        .best_first()
        .into_iter()
        .map(|finding| finding.function.as_str());
    let mut named: Vec<&str> = best.take(BEST).collect();
    let own = data.mine().unwrap_or(OWN);
    let own = data.findings.iter().find(|finding| finding.function == own);
    if let Some(own) = own.filter(|own| !named.contains(&own.function.as_str())) {
        named.push(&own.function);
    }
    named
}

fn lines(rows: &[CurveRow], form: CallForm) -> Lines<'_> {
    let mut lines = Lines::new();
    for row in rows.iter().filter(|row| row.form == form) {
        let line = lines.entry(row.function.as_str()).or_default();
        line.push((row.length, row.median_ns_per_key));
    }
    for line in lines.values_mut() {
        line.sort_by_key(|(length, _)| *length);
    }
    lines
}

/// One of the four.
struct Panel {
    long: bool,
    left: f64,
    top: f64,
    x: Scale,
    y: Scale,
    /// Slower ones lie above the panel, nanoseconds.
    most: f64,
}

impl Panel {
    /// `None` where there are no lengths for it.
    fn new(lines: &Lines<'_>, named: &[&str], long: bool, left: f64, top: f64) -> Option<Self> {
        let right = left + PANEL;
        let points = || {
            let all = lines.iter().filter(|(name, _)| **name != EMPTY);
            all.flat_map(move |(name, line)| part(line, long).map(move |point| (*name, point)))
        };
        let longest = points().map(|(_, (length, _))| length).max()?;
        let slowest = points().map(|(_, (_, ns))| ns).fold(0.0, f64::max);
        let fastest = points().map(|(_, (_, ns))| ns).fold(f64::INFINITY, f64::min);
        let bottom = top + ROW;
        let (x, y, most) = if long {
            (
                Scale::log(BORDER as f64, longest as f64, left, right),
                Scale::log(fastest.max(0.1), slowest, bottom, top),
                slowest,
            )
        } else {
            // The named lines must be told apart; a slow function may leave the panel at the top.
            let of_named = points().filter(|(name, _)| named.contains(name));
            let slowest_named = of_named.map(|(_, (_, ns))| ns).fold(0.0, f64::max);
            let most = slowest.min(2.5 * slowest_named.max(1.0));
            (
                Scale::linear(BORDER as f64, left, right),
                Scale::linear(most, bottom, top),
                most,
            )
        };
        Some(Self {
            long,
            left,
            top,
            x,
            y,
            most,
        })
    }

    fn draw(
        &self,
        scene: &mut Scene,
        data: &DatasetRows<'_>,
        names: &[&str],
        named: &[&str],
        lines: &Lines<'_>,
    ) {
        self.lengths_of_keys(scene, data);
        self.axes(scene);
        for name in names
            .iter()
            .filter(|name| **name != EMPTY && !named.contains(name))
        {
            self.line(scene, &lines[name], OTHERS);
        }
        if let Some(floor) = lines.get(EMPTY).filter(|_| !self.long) {
            self.line(scene, floor, INK);
        }
        let mut labels = Vec::new();
        for (name, color) in named.iter().zip(COLORS) {
            let Some(line) = lines.get(name) else {
                continue;
            };
            if let Some((end, ns)) = self.line(scene, line, color) {
                labels.push(Label {
                    end,
                    text: format!("{name} {}", number::significant(ns, 3)),
                    color: Some(color),
                    hollow: false,
                });
            }
        }
        let place = Place {
            left: self.left + PANEL,
            right: self.left + PANEL + NAMES,
            top: self.top,
            apart: LINE,
        };
        labels::write(scene, labels, &place);
    }

    /// Shades the lengths of the dataset's keys.
    fn lengths_of_keys(&self, scene: &mut Scene, data: &DatasetRows<'_>) {
        let (least, most) = (data.summary.min_len as f64, data.summary.max_len as f64);
        if self.x.holds(least) || self.x.holds(most) {
            let (from, to) = (self.x.at(least), self.x.at(most));
            scene.rect(from, self.top, to.max(from + 2.0), self.top + ROW, STRIPE);
        }
    }

    fn axes(&self, scene: &mut Scene) {
        let (left, right, bottom) = (self.left, self.left + PANEL, self.top + ROW);
        for value in self.x.ticks(54.0) {
            let x = self.x.at(value);
            scene.upright(x, self.top, bottom + 4.0, 1.0, GRID);
            let text = number::grouped(value as u64);
            scene.text((x, bottom + 17.0), Anchor::Middle, Font::NOTE, &text);
        }
        for value in self.y.ticks(26.0) {
            let y = self.y.at(value);
            scene.level(y, left - 4.0, right, 1.0, GRID);
            scene.text_middle((left - 8.0, y), Anchor::End, Font::NOTE, &number::tick(value));
        }
        scene.level(bottom, left, right, 1.0, INK);
        scene.upright(left, self.top, bottom, 1.0, INK);
        let words = if self.long {
            "bytes (log scale)"
        } else {
            "bytes; lowest line: the empty function"
        };
        let at = ((left + right) / 2.0, bottom + 34.0);
        scene.text(at, Anchor::Middle, Font::NOTE, words);
    }

    /// Draws a line, as far as it lies in the panel; height and time of its last point.
    fn line(&self, scene: &mut Scene, line: &[(u64, f64)], color: RGBColor) -> Option<(f64, f64)> {
        let points: Vec<(f64, f64)> = part(line, self.long)
            .map(|(length, ns)| (length as f64, ns))
            .collect();
        let place = |(length, ns)| (self.x.at(length), self.y.at(ns));
        for pair in points.windows(2) {
            if let &[from, to] = pair
                && from.1.min(to.1) < self.most
            {
                // What leaves the panel is cut at its edge; each part begins where the last one ends.
                let [start, end] = if from.1 < to.1 {
                    [from, cut(from, to, self.most)]
                } else {
                    [cut(to, from, self.most), to]
                };
                scene.line(place(start), place(end), color);
            }
        }
        let &(_, ns) = points.last()?;
        Some((self.y.at(ns), ns))
    }
}

/// The end of a line from `lower` to `upper`, cut off where it passes `most`.
fn cut(lower: (f64, f64), upper: (f64, f64), most: f64) -> (f64, f64) {
    if upper.1 <= most {
        return upper;
    }
    let share = (most - lower.1) / (upper.1 - lower.1);
    (lower.0 + share * (upper.0 - lower.0), most)
}

/// The short lengths, or the long ones; the border is in both.
fn part(line: &[(u64, f64)], long: bool) -> impl Iterator<Item = (u64, f64)> {
    line.iter().copied().filter(move |(length, _)| {
        if long {
            *length >= BORDER
        } else {
            *length <= BORDER
        }
    })
}
