//! The first chart of the report: quality, time and false positives of each function on one dataset.

use crate::page::chart::mark;
use crate::questions::on_dataset::{DatasetRows, stems};
use crate::questions::{CollisionRow, FalsePositiveRow};
use crate::record::{CallForm, EMPTY, Finding, IDEAL, Verdict};
use plots::key::{self, Sign};
use plots::mark::{Mark, RADIUS};
use plots::panel::{AXIS, Head, MARGIN, NAMES_END, Panel, Rows};
use plots::scale::Scale;
use plots::scene::{Anchor, BAND, Font, MUTED, Scene};
use records::number;

const WIDTH: f64 = 1240.0;
/// Height of title line, panel titles, and two lines of labels.
const HEAD: f64 = 66.0;
/// Room for notes right of the rows of the first panel.
const NOTES: f64 = 104.0;
/// Distance between lines of names.
const LINE: f64 = 14.0;
/// Bits per key of the third panel.
const BITS_PER_KEY: u32 = 10;

/// Position of a panel.
struct Place {
    rows: Rows,
    left: f64,
    right: f64,
}

impl Place {
    /// Returns the base line of the title.
    fn title(&self) -> f64 {
        self.rows.top - 32.0
    }

    /// Returns the middle of the key.
    fn key(&self) -> f64 {
        self.rows.top - 20.0
    }

    /// Returns the base line of the labels above the rows.
    fn label(&self) -> f64 {
        self.rows.top - 4.0
    }
}

/// Draws the chart; `None` without findings.
pub(crate) fn scene(data: &DatasetRows<'_>) -> Option<Scene> {
    let (findings, folded) = data.shown_and_folded();
    if findings.is_empty() {
        return None;
    }
    let rows = Rows::new(HEAD, findings.len());
    let lines = in_tables(&folded).map_or_else(Vec::new, |text| wrapped(&text));
    let foot = match lines.len() {
        0 => AXIS,
        lines => AXIS + 4.0 + LINE * lines as f64,
    };
    let mut scene = Head {
        description: &description(data),
        title: &title(data),
        width: WIDTH,
        foot,
        key: &mark::key(findings.iter().map(|finding| finding.verdict)),
    }
    .sheet(&rows);
    names(&mut scene, &findings, &rows, NAMES_END);
    let panels: [(DrawPanel, f64, f64); 3] = [
        (quality, NAMES_END + 6.0, 566.0 - NOTES),
        (time, 596.0, 896.0),
        (filter, 926.0, WIDTH - 22.0),
    ];
    for (panel, left, right) in panels {
        panel(&mut scene, data, &findings, &Place { rows, left, right });
    }
    for (line, text) in lines.iter().enumerate() {
        let y = rows.bottom() + AXIS + 12.0 + LINE * line as f64;
        scene.text((MARGIN, y), Anchor::Start, Font::VALUE, text);
    }
    Some(scene)
}

/// Names the functions that only tables show, or returns `None` if there are none.
fn in_tables(folded: &[&Finding]) -> Option<String> {
    let names = stems(folded.iter().map(|finding| finding.function.as_str()));
    (!folded.is_empty()).then(|| format!("{} more in the tables: {names}", folded.len()))
}

type DrawPanel = fn(&mut Scene, &DatasetRows<'_>, &[&Finding], &Place);

fn description(data: &DatasetRows<'_>) -> String {
    let name = &data.summary.name;
    format!("{name}: collisions, time and false positives of each function, best first")
}

fn title(data: &DatasetRows<'_>) -> String {
    format!("{}: quality, time and filter", data.summary.name)
}

fn names(scene: &mut Scene, findings: &[&Finding], rows: &Rows, end: f64) {
    for (index, finding) in findings.iter().enumerate() {
        scene.row(&finding.function, |scene| {
            rows.name(scene, index, &finding.function, Some(finding.verdict.into()), end);
        });
    }
}

/// Wraps `text` into at most two lines; the second is shortened to fit.
fn wrapped(text: &str) -> Vec<String> {
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

fn quality(scene: &mut Scene, data: &DatasetRows<'_>, findings: &[&Finding], place: &Place) {
    let rows = &place.rows;
    let full: Vec<_> = findings
        .iter()
        .map(|one| data.full_width(&one.function))
        .collect();
    let present: Vec<_> = full.iter().copied().flatten().collect();
    // The largest width, which most functions have; the rows of the others state their width.
    let common = present.iter().map(|row| row.bits).max().unwrap_or_default();
    let panel = Panel {
        title: "Quality: collisions against chance",
        axis: &format!("collisions / expected in the low {common} bits, 99 % interval (log)"),
        scale: ratio_scale(&present, data, place),
        tick: number::tick,
    };
    panel.frame(scene, rows, place.title());
    let x = panel.scale.at(1.0);
    scene.line((x, rows.top), (x, rows.bottom()), 1.0, MUTED);
    let mut signs = vec![(Sign::Shade(BAND), "chance")];
    if present.iter().any(|row| row.collisions == 0) {
        signs.push((Sign::Hollow(Mark::Neutral), "none seen: upper limit"));
    }
    key::write(scene, Anchor::Start, (place.left, place.key()), &signs);
    for (index, (finding, row)) in findings.iter().zip(&full).enumerate() {
        let Some(row) = row else { continue };
        scene.row(&finding.function, |scene| {
            let band = row.band(data.records.collisions.len());
            collision_mark(scene, &panel, rows, index, (row, band), finding.verdict);
            let width = (row.bits < common).then(|| format!("{} bits", row.bits));
            let notes = width.into_iter().chain(other_width_note(data, finding, row));
            let note = notes.collect::<Vec<_>>().join(", ");
            let at = (place.right + 8.0, rows.middle(index));
            scene.text_middle(at, Anchor::Start, Font::NOTE, &note);
        });
    }
}

/// Describes the width at which a function departs from chance, if its full width does not.
fn other_width_note(data: &DatasetRows<'_>, finding: &Finding, row: &CollisionRow) -> Option<String> {
    let is_fewer = finding.verdict == Verdict::FewerThanChance && row.verdict == Verdict::WithinChance;
    let mut rows = data.about(&data.records.collisions, &finding.function);
    let other = if is_fewer {
        rows.find(|other| other.verdict == Verdict::FewerThanChance)
    } else {
        let worst = rows.find(|row| row.bits == finding.worst_bits);
        worst.filter(|worst| worst.verdict > Verdict::WithinChance && row.verdict <= Verdict::WithinChance)
    };
    let other = other.filter(|other| other.bits != row.bits)?;
    let ratio = other.ratio()?;
    let words = if (0.9..1.1).contains(&ratio) {
        // With many collisions, even a small difference is significant.
        let sign = if ratio < 1.0 { '-' } else { '+' };
        format!("{sign}{} %", number::significant(100.0 * (ratio - 1.0).abs(), 2))
    } else {
        format!("{}×", number::significant(ratio, 2))
    };
    Some(format!("{words} at {}", other.bits))
}

/// Draws band, interval and mark of one collision count.
fn collision_mark(
    scene: &mut Scene,
    panel: &Panel<'_>,
    rows: &Rows,
    index: usize,
    (row, band): (&CollisionRow, [f64; 2]),
    verdict: Verdict,
) {
    let y = rows.middle(index);
    let over = |count| row.over_expected(count);
    let (Some(value), Some(low), Some(high)) = (row.ratio(), over(row.ci_low), over(row.ci_high)) else {
        let words = "too few keys for a collision";
        let left = panel.scale.from + 4.0;
        // Hides the grid behind the words.
        let right = left + Font::NOTE.width(words) + 3.0;
        scene.rect(left, y - 7.0, right, y + 7.0, rows.ground(index));
        scene.text_middle((left, y), Anchor::Start, Font::NOTE, words);
        return;
    };
    if let [Some(low), Some(high)] = band.map(over) {
        panel.band(scene, rows, index, low, high);
    }
    if value <= panel.scale.high {
        panel.interval(scene, y, low, high, mark::color(verdict));
    }
    let is_seen = row.collisions > 0;
    let shown = [(if is_seen { value } else { high }, is_seen)];
    let times = |value| format!("{}×", number::significant(value, 2));
    panel.marks(scene, rows, index, verdict.into(), shown, times);
}

/// Builds a logarithmic axis for ratios that covers 0.5 to 4 and every row that chance explains, with its interval and
/// band. Rows far off chance must not compress all others.
fn ratio_scale(rows: &[&CollisionRow], data: &DatasetRows<'_>, place: &Place) -> Scale {
    let (mut low, mut high) = (0.5_f64, 4.0_f64);
    for row in rows.iter().filter(|row| row.verdict <= Verdict::WithinChance) {
        let [band_low, band_high] = row.band(data.records.collisions.len());
        let over = |count| row.over_expected(count).filter(|value| *value > 0.0);
        for value in [row.collisions as f64, row.ci_high, band_high]
            .into_iter()
            .filter_map(over)
        {
            high = high.max(value * 1.1);
            low = low.min((value * 0.9).max(0.01));
        }
        // The lower end of an interval that reaches towards zero may be cut off.
        for value in [row.ci_low, band_low].into_iter().filter_map(over) {
            low = low.min((value * 0.9).max(0.35));
        }
    }
    Scale::log(low, high.min(1e12)).over(place.left, place.right)
}

fn time(scene: &mut Scene, data: &DatasetRows<'_>, findings: &[&Finding], place: &Place) {
    let rows = &place.rows;
    let both = |finding: &&Finding| {
        let time = |form| Some(data.time(&finding.function, form)?.median_ns_per_key);
        [CallForm::Independent, CallForm::Chained].map(time)
    };
    let times: Vec<[Option<f64>; 2]> = findings.iter().map(both).collect();
    let known = times.iter().flatten().flatten().copied();
    let mut all: Vec<f64> = known.filter(|time| time.is_finite()).collect();
    if all.is_empty() {
        absent(scene, "Time", place);
        return;
    }
    all.sort_by(f64::total_cmp);
    // One slow function must not push all others to the left edge.
    let typical = all[all.len() / 2];
    let high = all[all.len() - 1].min(typical * 5.0) * 1.06;
    let panel = Panel {
        title: "Time on these keys",
        axis: "ns per key, median, call included",
        scale: Scale::linear(high).over(place.left, place.right),
        tick: number::tick,
    };
    panel.frame(scene, rows, place.title());
    let signs = [
        (Sign::Filled(Mark::Neutral), "calls overlap"),
        (Sign::Hollow(Mark::Neutral), "each call waits"),
    ];
    key::write(scene, Anchor::Start, (place.left, place.key()), &signs);
    let floor = data
        .time(EMPTY, CallForm::Independent)
        .map(|row| row.median_ns_per_key);
    if let Some(floor) = floor.filter(|value| panel.scale.contains(*value)) {
        let x = panel.scale.at(floor);
        scene.line((x, rows.top - 12.0), (x, rows.bottom()), 1.0, MUTED);
        let label = format!("{} empty function", number::significant(floor, 2));
        scene.text((x + 5.0, place.label()), Anchor::Start, Font::NOTE, &label);
    }
    for (index, (finding, [overlapped, chained])) in findings.iter().zip(&times).enumerate() {
        let y = rows.middle(index);
        let color = mark::color(finding.verdict);
        scene.row(&finding.function, |scene| {
            if let (Some(a), Some(b)) = (overlapped, chained) {
                panel.interval(scene, y, a.min(*b), a.max(*b), color);
            }
            let shown = [(*chained, false), (*overlapped, true)];
            let known = shown
                .into_iter()
                .filter_map(|(time, is_filled)| Some((time?, is_filled)));
            let known = known.filter(|(time, _)| time.is_finite());
            let number = |time| number::significant(time, 2);
            panel.marks(scene, rows, index, finding.verdict.into(), known, number);
        });
    }
}

fn filter(scene: &mut Scene, data: &DatasetRows<'_>, findings: &[&Finding], place: &Place) {
    let rows = &place.rows;
    let marks: Vec<_> = findings
        .iter()
        .map(|f| data.false_positives(&f.function, BITS_PER_KEY))
        .collect();
    let present = || marks.iter().flatten().copied();
    if present().next().is_none() {
        absent(scene, "Filter", place);
        return;
    }
    let ideal = data.false_positives(IDEAL, BITS_PER_KEY);
    // Filters hold one half of a file's keys and are queried with the other.
    let keys = present().map(|row| row.keys).max().unwrap_or_default();
    let title = format!("LevelDB filter: 10 bits, {} keys", number::grouped(keys));
    let panel = Panel {
        title: &title,
        axis: "false positives, 95 % interval (log)",
        scale: rate_scale(present().chain(ideal), place),
        tick: number::percent_tick,
    };
    panel.frame(scene, rows, place.title());
    if let Some(ideal) = ideal.filter(|row| row.rate > 0.0) {
        let x = panel.scale.at(ideal.rate);
        scene.line((x, rows.top - 12.0), (x, rows.bottom()), 1.0, MUTED);
        let text = format!("ideal hash {}", number::percent(ideal.rate));
        scene.text((x + 5.0, place.label()), Anchor::Start, Font::NOTE, &text);
    }
    for (index, (finding, row)) in findings.iter().zip(&marks).enumerate() {
        let Some(row) = row else { continue };
        let (y, mark) = (rows.middle(index), Mark::from(finding.verdict));
        scene.row(&finding.function, |scene| {
            panel.interval(scene, y, row.ci_low, row.ci_high, mark.color());
            if row.false_positives == 0 {
                mark.hollow(scene, (panel.scale.at(row.ci_high), y), RADIUS);
            } else {
                mark.filled(scene, (panel.scale.at(row.rate), y), RADIUS);
            }
        });
    }
}

/// Builds an axis that covers the rates of `rows` and their intervals.
fn rate_scale<'a>(rows: impl Iterator<Item = &'a FalsePositiveRow>, place: &Place) -> Scale {
    let values = rows.flat_map(|row| [row.rate, row.ci_low, row.ci_high]);
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    for value in values.filter(|value| *value > 0.0) {
        low = low.min(value);
        high = high.max(value);
    }
    if !low.is_finite() || !high.is_finite() {
        return Scale::log(1e-4, 1.0).over(place.left, place.right);
    }
    // An interval that reaches almost to zero must not stretch the axis.
    let low = low.max(high * 1e-6) * 0.8;
    Scale::log(low, (high * 1.25).max(low * 5.0)).over(place.left, place.right)
}

fn absent(scene: &mut Scene, title: &str, place: &Place) {
    scene.text((place.left, place.title()), Anchor::Start, Font::HEAD, title);
    let at = (place.left, place.rows.middle(0));
    scene.text_middle(at, Anchor::Start, Font::NOTE, "not measured in this run");
}
