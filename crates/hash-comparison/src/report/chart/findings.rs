//! The first chart of the report: quality, time and false positives of each function on one dataset.

use super::collisions::{collision_mark, ratio_scale};
use super::false_positives::{rate_lines, rate_mark, rate_scale};
use super::mark;
use super::rows::DatasetRows;
use crate::record::Finding;
use plots::key::{self, Sign};
use plots::mark::{Mark, RADIUS};
use plots::number;
use plots::panel::{AXIS, Head, MARGIN, NAMES_END, Panel, Rows};
use plots::scale::Scale;
use plots::scene::{Anchor, Dash, Font, INK, MUTED, Scene};

const WIDTH: f64 = 1240.0;
/// Title line, panel titles, and two lines of labels.
const HEAD: f64 = 66.0;
/// Middle of the keys below the panels' titles.
const KEY: f64 = 46.0;
/// More rows than that do not fit a screen: other forms of published functions, then the worst, are named below instead.
const MAX_ROWS: usize = 26;
/// Rows where others are named below.
const ROWS_BESIDE_NAMES: usize = 20;
/// From one line of names to the next.
const LINE: f64 = 14.0;
/// Bits per key of the third panel.
const BITS_PER_KEY: u32 = 10;

/// Those that the chart draws, best first, and those that it only names.
pub(crate) fn drawn_and_folded<'a>(data: &DatasetRows<'a>) -> (Vec<&'a Finding>, Vec<&'a Finding>) {
    let most = if data.findings.len() > MAX_ROWS {
        ROWS_BESIDE_NAMES
    } else {
        MAX_ROWS
    };
    data.best_and_rest(most)
}

/// The chart, or `None` without findings.
pub(crate) fn scene(data: &DatasetRows<'_>) -> Option<Scene> {
    let (findings, folded) = drawn_and_folded(data);
    if findings.is_empty() {
        return None;
    }
    let rows = Rows::new(HEAD, findings.len());
    let name = &data.summary.name;
    let mut scene = Head {
        description: &format!("{name}: collisions, time and false positives of each function, best first"),
        title: &format!("{name}: quality, time and your filter"),
        width: WIDTH,
        foot: if folded.is_empty() {
            AXIS
        } else {
            AXIS + 18.0 + LINE
        },
        key: &mark::key(findings.iter().map(|finding| finding.verdict)),
    }
    .sheet(&rows);
    for (index, finding) in findings.iter().enumerate() {
        rows.name(&mut scene, index, &finding.function, Some(finding.verdict.into()));
    }
    quality(&mut scene, data, &findings, &rows);
    time(&mut scene, data, &findings, &rows);
    filter(&mut scene, data, &findings, &rows);
    if !folded.is_empty() {
        let names: Vec<_> = folded.iter().map(|f| f.function.as_str()).collect();
        let text = format!(
            "{} more, not drawn, best first: {}",
            names.len(),
            names.join(", ")
        );
        for (line, text) in lines(&text).into_iter().enumerate() {
            let y = rows.bottom() + AXIS + 12.0 + LINE * line as f64;
            scene.text((MARGIN, y), Anchor::Start, Font::VALUE, &text);
        }
    }
    Some(scene)
}

/// `text` in two lines, the second cut where there is no room.
fn lines(text: &str) -> Vec<String> {
    let room = WIDTH - 2.0 * MARGIN;
    let fits = |at: &usize| Font::VALUE.width(&text[..*at]) <= room;
    if fits(&text.len()) {
        return vec![text.to_owned()];
    }
    let spaces = text.match_indices(", ").map(|(at, _)| at + 1);
    let Some(at) = spaces.take_while(fits).last() else {
        return vec![Font::VALUE.fit(text, room)];
    };
    vec![
        text[..at].to_owned(),
        Font::VALUE.fit(text[at..].trim_start(), room),
    ]
}

fn quality(scene: &mut Scene, data: &DatasetRows<'_>, findings: &[&Finding], rows: &Rows) {
    let left = NAMES_END + 34.0;
    let worst: Vec<_> = findings.iter().map(|f| data.worst_width(f)).collect();
    let present: Vec<_> = worst.iter().copied().flatten().collect();
    let panel = Panel {
        title: "Quality: collisions against chance",
        axis: "observed / expected collisions at the worst width, 99 % interval (log scale)",
        scale: ratio_scale(&present, (0.5, 4.0), 4.0, left, 566.0),
        tick: number::tick,
    };
    panel.frame(scene, rows, 34.0);
    scene.upright(panel.scale.at(1.0), rows.top, rows.bottom(), 1.0, MUTED);
    let mut signs = vec![(Sign::Band, "a random function lands here")];
    if worst.iter().flatten().any(|row| row.collisions == 0) {
        signs.push((Sign::Hollow(Mark::Neutral), "none seen: upper end of interval"));
    }
    key::write(scene, Anchor::Start, (left, KEY), &signs);
    scene.text((left - 8.0, 62.0), Anchor::End, Font::NOTE, "bits");
    for (index, (finding, row)) in findings.iter().zip(&worst).enumerate() {
        let y = rows.middle(index);
        let Some(row) = row else { continue };
        scene.text_middle((left - 8.0, y), Anchor::End, Font::NOTE, &row.bits.to_string());
        collision_mark(scene, &panel, rows, index, row, finding.verdict);
    }
}

fn time(scene: &mut Scene, data: &DatasetRows<'_>, findings: &[&Finding], rows: &Rows) {
    let (left, right) = (596.0, 896.0);
    let both = |finding: &&Finding| {
        let rows = [
            data.throughput(&finding.function),
            data.chained(&finding.function),
        ];
        rows.map(|row| row.map(|row| row.median_ns_per_key))
    };
    let times: Vec<[Option<f64>; 2]> = findings.iter().map(both).collect();
    let known = times.iter().flatten().flatten().copied();
    let mut all: Vec<f64> = known.filter(|time| time.is_finite()).collect();
    if all.is_empty() {
        absent(scene, "Time", left, rows);
        return;
    }
    all.sort_by(f64::total_cmp);
    // One slow function must not press all others against the left edge.
    let typical = all[all.len() / 2];
    let high = all[all.len() - 1].min(typical * 5.0) * 1.06;
    let panel = Panel {
        title: "Time on these keys",
        axis: "ns per key, median, call included",
        scale: Scale::linear(high).over(left, right),
        tick: number::tick,
    };
    panel.frame(scene, rows, 34.0);
    let signs = [
        (Sign::Filled(Mark::Neutral), "calls overlap"),
        (Sign::Hollow(Mark::Neutral), "each waits for the last"),
    ];
    key::write(scene, Anchor::Start, (left, KEY), &signs);
    if let Some(floor) = data
        .floor()
        .map(|row| row.median_ns_per_key)
        .filter(|v| panel.scale.holds(*v))
    {
        let x = panel.scale.at(floor);
        scene.dashed(x, 54.0, rows.bottom(), Dash::DOTTED, INK);
        let label = format!("{} empty function", number::significant(floor, 2));
        scene.text((x + 5.0, 62.5), Anchor::Start, Font::NOTE, &label);
    }
    for (index, (finding, [overlapped, chained])) in findings.iter().zip(&times).enumerate() {
        let y = rows.middle(index);
        let color = mark::color(finding.verdict);
        if let (Some(a), Some(b)) = (overlapped, chained) {
            panel.interval(scene, y, a.min(*b), a.max(*b), color);
        }
        let mut beyond = Vec::new();
        for (value, draw) in [(chained, Mark::hollow as Draw), (overlapped, Mark::filled)] {
            let Some(value) = value.filter(|v| v.is_finite()) else {
                continue;
            };
            if panel.scale.is_above(value) {
                beyond.insert(0, number::significant(value, 2));
            } else {
                draw(finding.verdict.into(), scene, (panel.scale.at(value), y), RADIUS);
            }
        }
        if !beyond.is_empty() {
            panel.beyond(scene, y, &beyond.join(" and "), color);
        }
    }
}

/// Draws a mark.
type Draw = fn(Mark, &mut Scene, (f64, f64), f64);

fn filter(scene: &mut Scene, data: &DatasetRows<'_>, findings: &[&Finding], rows: &Rows) {
    let (left, right) = (926.0, WIDTH - 22.0);
    let marks: Vec<_> = findings
        .iter()
        .map(|f| data.false_positives(&f.function, BITS_PER_KEY))
        .collect();
    let present: Vec<_> = marks.iter().flatten().copied().collect();
    let Some(first) = present.first() else {
        absent(scene, "Your filter", left, rows);
        return;
    };
    let ideal = data.ideal(BITS_PER_KEY);
    let panel = Panel {
        title: "Your filter: 10 bits per key",
        axis: "false positives among absent keys, 95 % interval (log scale)",
        scale: rate_scale(present.iter().copied().chain(ideal), left, right),
        tick: number::percent_tick,
    };
    panel.frame(scene, rows, 34.0);
    rate_lines(scene, &panel, rows, first.theory, ideal.map(|row| row.rate), 34.0);
    for (index, (finding, row)) in findings.iter().zip(&marks).enumerate() {
        let Some(row) = row else { continue };
        rate_mark(scene, &panel, rows.middle(index), row, finding.verdict.into());
    }
}

fn absent(scene: &mut Scene, title: &str, left: f64, rows: &Rows) {
    scene.text((left, 34.0), Anchor::Start, Font::HEAD, title);
    scene.text_middle(
        (left, rows.middle(0)),
        Anchor::Start,
        Font::NOTE,
        "not measured in this run",
    );
}
