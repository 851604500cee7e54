//! Time of filter policies over an engine's own by the number of keys: a panel for each task, a column for each length of keys.

use plotters::style::RGBColor;

use plots::labels::{self, Label, Place};
use plots::number;
use plots::panel::MARGIN;
use plots::scale::Scale;
use plots::scene::{Anchor, Font, GRID, INK, MUTED, Scene};
use crate::suites::policy::{Contender, Form, KeyLengths, Policy, Task};

const WIDTH: f64 = 1080.0;
/// Above the panels.
const HEAD: f64 = 50.0;
/// Of a panel, with its title above and its ticks below.
const TITLE: f64 = 26.0;
const HEIGHT: f64 = 172.0;
const TICKS: f64 = 26.0;
/// Below the panels.
const FOOT: f64 = 24.0;
/// Of a column: from its left edge to the axis, the axis, and the names behind it.
const LEFT: f64 = 46.0;
const PLOT: f64 = 262.0;
const NAMES: f64 = 220.0;
/// From one name to the next.
const LINE: f64 = 14.0;
/// Room beside the outermost marks.
const BESIDE: f64 = 1.2;

/// What is shown in a panel.
struct Kind {
    title: &'static str,
    task: Task,
    /// First the one that asks less of the caller; its marks are hollow.
    forms: [Form; 2],
}

const KINDS: [Kind; 5] = [
    Kind {
        title: "Build",
        task: Task::Build,
        forms: [Form::Slices, Form::Packed],
    },
    Kind {
        title: "One key a call, absent",
        task: Task::Absent,
        forms: [Form::OneByOne, Form::Prepared],
    },
    Kind {
        title: "One key a call, present",
        task: Task::Present,
        forms: [Form::OneByOne, Form::Prepared],
    },
    Kind {
        title: "Many keys a call, absent",
        task: Task::Absent,
        forms: [Form::Slices, Form::Packed],
    },
    Kind {
        title: "Many keys a call, present",
        task: Task::Present,
        forms: [Form::Slices, Form::Packed],
    },
];

impl Kind {
    /// The engine itself is the line at 1.
    fn shows(&self, row: &Policy) -> bool {
        row.task == self.task && self.forms.contains(&row.form) && !row.contender.is_engine()
    }
}

/// A panel's place.
struct Frame {
    left: f64,
    top: f64,
    x: Scale,
    y: Scale,
}

impl Frame {
    fn bottom(&self) -> f64 {
        self.top + HEIGHT
    }

    fn right(&self) -> f64 {
        self.left + PLOT
    }
}

/// The chart, or `None` where nothing is compared with an engine.
pub(crate) fn scene(rows: &[Policy]) -> Option<Scene> {
    let kinds: Vec<&Kind> = KINDS
        .iter()
        .filter(|kind| rows.iter().any(|row| kind.shows(row)))
        .collect();
    let shown = || rows.iter().filter(|row| kinds.iter().any(|kind| kind.shows(row)));
    let mut columns: Vec<KeyLengths> = shown().map(|row| row.key_lengths).collect();
    columns.sort_unstable();
    columns.dedup();
    let sizes = || shown().map(|row| row.filter_keys as f64);
    let (fewest, most) = (sizes().reduce(f64::min)?, sizes().reduce(f64::max)?);
    let low = shown().map(|row| row.ratio_low).fold(1.0, f64::min);
    let high = shown().map(|row| row.ratio_high).fold(1.0, f64::max);

    let panels = kinds.len() as f64 * (TITLE + HEIGHT + TICKS);
    let mut scene = Scene::new(
        WIDTH,
        HEAD + panels + FOOT,
        "Time of filter policies over that of an engine's own, by the keys of a filter",
    );
    let engine = (rows.iter().map(|row| row.contender)).find(|contender| contender.is_engine())?;
    let title = format!(
        "Filters of {} bits for each key: time over that of {}'s own policy",
        rows.first()?.bits_per_key,
        engine.words()
    );
    scene.text((MARGIN, 18.0), Anchor::Start, Font::TITLE, &title);
    for (column, &lengths) in columns.iter().enumerate() {
        let left = MARGIN + LEFT + column as f64 * (LEFT + PLOT + NAMES);
        heading(&mut scene, left, rows, lengths);
        for (line, kind) in kinds.iter().enumerate() {
            let top = HEAD + TITLE + line as f64 * (TITLE + HEIGHT + TICKS);
            let frame = Frame {
                left,
                top,
                x: Scale::log(fewest / BESIDE, most * BESIDE, left, left + PLOT),
                // Pixels grow downwards.
                y: Scale::log(low / BESIDE, high * BESIDE, top + HEIGHT, top),
            };
            let of_panel = rows
                .iter()
                .filter(|row| row.key_lengths == lengths && kind.shows(row));
            panel(&mut scene, &frame, kind, engine, &of_panel.collect::<Vec<_>>());
        }
        scene.text(
            (left + PLOT / 2.0, HEAD + panels + 12.0),
            Anchor::Middle,
            Font::NOTE,
            "keys of a filter (log scale)",
        );
    }
    Some(scene)
}

fn heading(scene: &mut Scene, left: f64, rows: &[Policy], lengths: KeyLengths) {
    let name = lengths.words();
    scene.text((left, 42.0), Anchor::Start, Font::HEAD, name);
    let of_column = rows.iter().filter(|row| row.key_lengths == lengths);
    let rounds = of_column.map(|row| row.rounds).max().unwrap_or(0);
    let note = format!("median of {rounds} rounds; upright: 95 % interval; log scale");
    let x = left + Font::HEAD.width(name) + 14.0;
    scene.text((x, 42.0), Anchor::Start, Font::NOTE, &note);
}

fn panel(scene: &mut Scene, frame: &Frame, kind: &Kind, engine: Contender, rows: &[&Policy]) {
    let (left, right, bottom) = (frame.left, frame.right(), frame.bottom());
    scene.text((left, frame.top - 8.0), Anchor::Start, Font::NAME, kind.title);
    for value in frame.x.ticks(48.0) {
        let x = frame.x.at(value);
        scene.upright(x, frame.top, bottom + 4.0, 1.0, GRID);
        scene.text(
            (x, bottom + 17.0),
            Anchor::Middle,
            Font::NOTE,
            &number::tick(value),
        );
    }
    for value in frame.y.ticks(18.0) {
        let y = frame.y.at(value);
        scene.level(y, left - 4.0, right, 1.0, GRID);
        scene.text_middle((left - 8.0, y), Anchor::End, Font::NOTE, &number::tick(value));
    }
    scene.level(frame.y.at(1.0), left, right, 1.5, MUTED);
    scene.level(bottom, left, right, 1.0, INK);
    scene.upright(left, frame.top, bottom, 1.0, INK);
    let mut labels = vec![Label {
        end: frame.y.at(1.0),
        text: engine.words().to_owned(),
        color: None,
        hollow: false,
    }];
    for contender in Contender::ALL {
        for form in kind.forms {
            let mut points: Vec<&Policy> = rows
                .iter()
                .copied()
                .filter(|row| (row.contender, row.form) == (*contender, form))
                .collect();
            points.sort_by_key(|row| row.filter_keys);
            labels.extend(line(scene, frame, &points, form == kind.forms[0]));
        }
    }
    let place = Place {
        left: right,
        right: right + NAMES,
        top: frame.top,
        apart: LINE,
    };
    labels::write(scene, labels, &place);
}

/// One contender's line; `None` without a point.
fn line(scene: &mut Scene, frame: &Frame, points: &[&Policy], hollow: bool) -> Option<Label> {
    let last = points.last()?;
    let color = color(last.contender);
    let place = |row: &Policy| {
        (
            frame.x.at(row.filter_keys as f64),
            frame.y.at(row.ratio_to_engine),
        )
    };
    for pair in points.windows(2) {
        if let [from, to] = pair {
            scene.line(place(from), place(to), color);
        }
    }
    for row in points {
        let (x, y) = place(row);
        let interval = [row.ratio_high, row.ratio_low].map(|ratio| frame.y.at(ratio));
        scene.upright(x, interval[0], interval[1], 1.5, color);
        labels::mark(scene, (x, y), color, hollow);
    }
    let (x, y) = place(last);
    scene.line((x, y), (frame.right(), y), GRID);
    Some(Label {
        end: y,
        text: format!(
            "{}: {}",
            last.name(),
            number::significant(last.ratio_to_engine, 3)
        ),
        color: Some(color),
        hollow,
    })
}

/// Of the Okabe-Ito palette, and two dark ones besides; the names tell the lines apart.
fn color(contender: Contender) -> RGBColor {
    match contender {
        Contender::Leveldb | Contender::Rocksdb => MUTED,
        Contender::Scalar | Contender::Ribbon => RGBColor(0xe6, 0x9f, 0x00),
        Contender::Avx2 | Contender::Bloom64 => RGBColor(0x00, 0x72, 0xb2),
        Contender::Avx512 => RGBColor(0x00, 0x9e, 0x73),
        Contender::RustyLeveldb | Contender::RocksdbRibbon => RGBColor(0xd5, 0x5e, 0x00),
        Contender::RocksdbBatch => RGBColor(0x33, 0x33, 0x33),
        Contender::SbbfXxh3 => RGBColor(0x88, 0x22, 0x55),
        Contender::SbbfXxph3 => RGBColor(0x99, 0x99, 0x33),
        Contender::FastbloomHashes => RGBColor(0xcc, 0x79, 0xa7),
        Contender::FastbloomDefault => RGBColor(0x56, 0xb4, 0xe9),
    }
}
