//! Rates of false positives: over the ideal one against the number of keys, and against the bits per key; three panels
//! side by side, functions in LevelDB's scheme above, policies and filters below.

use plotters::style::RGBColor;

use plots::labels::{self, Label, Place};
use plots::number;
use plots::panel::MARGIN;
use plots::scale::Scale;
use plots::scene::{Anchor, Font, GRID, INK, MUTED, Scene};
use crate::suites::rates::{FEW_BITS, IDEAL, Rate, Scheme};

const WIDTH: f64 = 1080.0;
/// Above the panels.
const HEAD: f64 = 44.0;
/// Of a row of panels: its two lines of titles, the panels, their ticks and the title of the axis.
const TITLE: f64 = 40.0;
const HEIGHT: f64 = 290.0;
const TICKS: f64 = 46.0;
/// The vertical axis, left of the first panel.
const LEFT: f64 = 56.0;
/// Between two panels.
const GAP: f64 = 18.0;
/// Names, right of the last panel.
const NAMES: f64 = 236.0;
/// From one name to the next.
const LINE: f64 = 15.0;
/// Panels in a row, at most.
const COLUMNS: usize = 3;

/// Ratios shown: a poor function leaves the panel at the top.
const RATIOS: (f64, f64) = (0.1, 200.0);
/// Of functions hardly any ratio is below 1: only where keys are so regular that a simple hash spreads them evenly.
const RATIOS_OF_FUNCTIONS: (f64, f64) = (0.3, 200.0);
/// Rates shown.
const RATES: (f64, f64) = (1e-6, 1.0);
/// Stored bits for a key that are shown.
const MOST_BITS: f64 = 26.0;

/// Colours of the Okabe-Ito palette; a second round of them has hollow marks, and names tell lines apart.
const COLORS: [RGBColor; 5] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
];

/// A row of panels.
#[derive(Clone, Copy, PartialEq)]
enum Group {
    Functions,
    Filters,
}

impl Group {
    const ALL: [Self; 2] = [Self::Functions, Self::Filters];

    fn title(self) -> &'static str {
        match self {
            Self::Functions => "Hash functions in LevelDB's scheme",
            Self::Filters => "Policies and filters, each with its own hash",
        }
    }

    fn holds(self, row: &Rate) -> bool {
        match self {
            Self::Functions => row.scheme == Scheme::Leveldb,
            Self::Filters => row.scheme != Scheme::Leveldb || row.series == "BloomFilter2",
        }
    }
}

/// What one of the charts shows.
struct Chart<'a> {
    title: &'a str,
    note: &'a str,
    /// Titles of the panels, and which rows belong to each.
    columns: Vec<(String, Vec<&'a Rate>)>,
    x_title: &'a str,
    x_tick: fn(f64) -> String,
    y_tick: fn(f64) -> String,
    x: fn(&Rate) -> f64,
    y: fn(&Rate) -> f64,
    /// A name with the value at its end.
    label: fn(&Rate) -> String,
    /// Pixels of the horizontal axis.
    x_scale: Box<dyn Fn(f64, f64) -> Scale>,
    y_ends: fn(Group) -> (f64, f64),
    /// Whether the ideal filter is the line at 1, or a line of its own.
    over_ideal: bool,
}

/// The rate over the ideal one against the number of keys, or `None` without rows.
pub(crate) fn by_keys(rows: &[Rate]) -> Option<Scene> {
    let keys = || rows.iter().map(|row| row.keys as f64);
    let (fewest, most) = (keys().reduce(f64::min)?, keys().reduce(f64::max)?);
    let columns = FEW_BITS.map(|bits| {
        let of = rows.iter().filter(|row| row.bits_per_key == bits).collect();
        (format!("{bits} bits per key"), of)
    });
    let chart = Chart {
        title: "Real filters: false positives over an ideal filter's, by the number of keys",
        note: "measured with absent keys; 1: an ideal hash and independent probes in the same bits; of Ribbon, cuckoo and \
               growing filters: the best ideal filter of these bits per key",
        columns: columns.into(),
        x_title: "keys of a filter (log scale)",
        x_tick: number::tick,
        y_tick: |value| format!("{}×", number::tick(value)),
        x: |row| row.keys as f64,
        y: |row| row.rate / row.ideal,
        label: |row| {
            format!(
                "{}: {}×",
                row.name(),
                number::significant(row.rate / row.ideal, 3)
            )
        },
        x_scale: Box::new(move |from, to| Scale::log(fewest, most, from, to)),
        y_ends: |group| match group {
            Group::Functions => RATIOS_OF_FUNCTIONS,
            Group::Filters => RATIOS,
        },
        over_ideal: true,
    };
    chart.scene()
}

/// The rate against the bits stored for a key, or `None` where no size was measured at more than a few.
pub(crate) fn by_bits(rows: &[Rate]) -> Option<Scene> {
    let mut sizes: Vec<u64> = rows
        .iter()
        .filter(|row| !FEW_BITS.contains(&row.bits_per_key))
        .map(|row| row.keys)
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes.truncate(COLUMNS);
    let columns = sizes.into_iter().map(|keys| {
        let of = rows.iter().filter(|row| row.keys == keys).collect();
        (format!("{} keys", number::grouped(keys)), of)
    });
    let chart = Chart {
        title: "Real filters: false positives by the bits stored for a key",
        note: "measured with absent keys, log scale; the whole stored filter counts",
        columns: columns.collect(),
        x_title: "bits stored for a key",
        x_tick: number::tick,
        y_tick: number::percent_tick,
        x: Rate::stored_bits_per_key,
        y: |row| row.rate,
        label: |row| format!("{}: {}", row.name(), percent(row.rate)),
        x_scale: Box::new(|from, to| Scale::linear(MOST_BITS, from, to)),
        y_ends: |_| RATES,
        over_ideal: false,
    };
    chart.scene()
}

/// A line of a group: its name, and how it is drawn.
struct Line {
    name: String,
    color: RGBColor,
    hollow: bool,
}

impl Chart<'_> {
    fn scene(&self) -> Option<Scene> {
        let groups = Group::ALL.len() as f64;
        let mut scene = Scene::new(WIDTH, HEAD + groups * (TITLE + HEIGHT + TICKS), self.title);
        scene.text((MARGIN, 18.0), Anchor::Start, Font::TITLE, self.title);
        scene.text((MARGIN, 36.0), Anchor::Start, Font::NOTE, self.note);
        for (place, group) in Group::ALL.into_iter().enumerate() {
            let top = HEAD + place as f64 * (TITLE + HEIGHT + TICKS);
            scene.text((MARGIN, top + 14.0), Anchor::Start, Font::HEAD, group.title());
            self.row(&mut scene, group, top + TITLE);
        }
        (!self.columns.is_empty()).then_some(scene)
    }

    /// The panels of a group; they share the vertical axis.
    fn row(&self, scene: &mut Scene, group: Group, top: f64) {
        let count = self.columns.len() as f64;
        let width = (WIDTH - MARGIN - LEFT - NAMES - (count - 1.0) * GAP) / count;
        let (low, high) = (self.y_ends)(group);
        // Pixels grow downwards.
        let y = Scale::log(low, high, top + HEIGHT, top);
        let lines = self.lines(group);
        for (place, (title, rows)) in self.columns.iter().enumerate() {
            let left = MARGIN + LEFT + place as f64 * (width + GAP);
            let x = (self.x_scale)(left, left + width);
            scene.text((left, top - 8.0), Anchor::Start, Font::NOTE, title);
            self.axes(scene, &x, &y, place == 0);
            let labels = self.draw(scene, group, rows, &lines, &x, &y);
            if place + 1 == self.columns.len() {
                let place = Place {
                    left: x.end(),
                    right: WIDTH,
                    top,
                    apart: LINE,
                };
                labels::write(scene, labels, &place);
            }
        }
    }

    /// The lines of a group in the order of the records, the ideal filter's first.
    fn lines(&self, group: Group) -> Vec<Line> {
        let mut lines: Vec<Line> = Vec::new();
        let rows = self.columns.iter().flat_map(|(_, rows)| rows);
        let mut colors = COLORS.into_iter().cycle();
        for row in rows.filter(|row| group.holds(row)) {
            let name = row.name();
            if lines.iter().any(|line| line.name == name) {
                continue;
            }
            if row.series == IDEAL {
                // Of the filter the line at 1 or the one drawn besides, and of the function what is best.
                if row.scheme == Scheme::Leveldb || self.over_ideal {
                    lines.push(Line {
                        name,
                        color: INK,
                        hollow: row.scheme == Scheme::Leveldb,
                    });
                }
                continue;
            }
            let colored = lines.iter().filter(|line| line.color != INK).count();
            lines.push(Line {
                name,
                color: colors.next().unwrap_or(MUTED),
                hollow: colored >= COLORS.len(),
            });
        }
        lines
    }

    fn axes(&self, scene: &mut Scene, x: &Scale, y: &Scale, is_first: bool) {
        let (left, right, top, bottom) = (x.start(), x.end(), y.end(), y.start());
        for value in x.ticks(54.0) {
            scene.upright(x.at(value), top, bottom + 4.0, 1.0, GRID);
            let at = (x.at(value), bottom + 17.0);
            scene.text(at, Anchor::Middle, Font::NOTE, &(self.x_tick)(value));
        }
        for value in y.ticks(24.0) {
            let begins = if is_first { left - 4.0 } else { left };
            scene.level(y.at(value), begins, right, 1.0, GRID);
            if is_first {
                let at = (left - 8.0, y.at(value));
                scene.text_middle(at, Anchor::End, Font::NOTE, &(self.y_tick)(value));
            }
        }
        if self.over_ideal {
            scene.level(y.at(1.0), left, right, 1.5, MUTED);
        }
        scene.level(bottom, left, right, 1.0, INK);
        scene.upright(left, top, bottom, 1.0, INK);
        let at = ((left + right) / 2.0, bottom + 34.0);
        scene.text(at, Anchor::Middle, Font::NOTE, self.x_title);
    }

    /// Draws the lines of a panel; their names, to stand right of it.
    fn draw(
        &self,
        scene: &mut Scene,
        group: Group,
        rows: &[&Rate],
        lines: &[Line],
        x: &Scale,
        y: &Scale,
    ) -> Vec<Label> {
        let mut labels = Vec::new();
        if !self.over_ideal {
            labels.extend(ideal(scene, rows, x, y));
        }
        for line in lines {
            let mut of: Vec<&&Rate> = rows
                .iter()
                .filter(|row| group.holds(row) && row.name() == line.name && (self.y)(row) > 0.0)
                .filter(|row| x.holds((self.x)(row)))
                .collect();
            of.sort_by(|a, b| (self.x)(a).total_cmp(&(self.x)(b)));
            let place = |row: &Rate| (x.at((self.x)(row)), y.at((self.y)(row)));
            for pair in of.windows(2) {
                if let [from, to] = pair {
                    // Along an edge runs nothing that is beyond it.
                    if y.holds((self.y)(from)) || y.holds((self.y)(to)) {
                        scene.line(place(from), place(to), line.color);
                    }
                }
            }
            for row in of.iter().filter(|row| y.holds((self.y)(row))) {
                if line.hollow {
                    labels::mark(scene, place(row), line.color, true);
                } else {
                    scene.circle(place(row), 2.5, line.color);
                }
            }
            let Some(last) = of.last() else { continue };
            let (end_x, end) = place(last);
            if end_x < x.end() - 1.0 {
                scene.line((end_x, end), (x.end(), end), GRID);
            }
            labels.push(Label {
                end,
                text: (self.label)(last),
                color: Some(line.color),
                hollow: line.hollow,
            });
        }
        labels
    }
}

/// Two digits: of the lowest rates more is chance.
fn percent(share: f64) -> String {
    format!("{} %", number::significant(share * 100.0, 2))
}

/// Draws the rate of an ideal filter; its name.
fn ideal(scene: &mut Scene, rows: &[&Rate], x: &Scale, y: &Scale) -> Option<Label> {
    let mut of: Vec<&&Rate> = rows
        .iter()
        .filter(|row| row.scheme == Scheme::Ideal && y.holds(row.ideal))
        .collect();
    of.sort_by(|a, b| a.bytes.total_cmp(&b.bytes));
    let place = |row: &Rate| (x.at(row.stored_bits_per_key()), y.at(row.ideal));
    for pair in of.windows(2) {
        if let [from, to] = pair {
            scene.line(place(from), place(to), INK);
        }
    }
    let last = of.last()?;
    let (end_x, end) = place(last);
    scene.line((end_x, end), (x.end(), end), GRID);
    Some(Label {
        end,
        text: format!("ideal filter: {}", percent(last.ideal)),
        color: Some(INK),
        hollow: false,
    })
}
