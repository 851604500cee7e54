//! The false-positive rate of filters by the bits that they store for a key: one panel, a line a kind of filter.

use plotters::style::RGBColor;

use super::{Answer, Filter};
use plots::labels::{self, Label, Place};
use plots::number;
use plots::panel::MARGIN;
use plots::scale::Scale;
use plots::scene::{Anchor, Font, GRID, INK, MUTED, Scene};

const WIDTH: f64 = 960.0;
const TOP: f64 = 46.0;
const HEIGHT: f64 = 420.0;
const FOOT: f64 = 46.0;
const LEFT: f64 = 74.0;
const NAMES: f64 = 210.0;
/// From one name to the next.
const LINE: f64 = 15.0;
/// The lowest rate shown: what is below hardly matters, and would press the rest together.
const LOWEST: f64 = 1e-6;

/// The chart, or `None` without a line. Each curve is in the order of its bits.
pub(crate) fn scene(keys: u64, curves: &[(Filter, Vec<Answer>)], answers: &[Answer]) -> Option<Scene> {
    let all = || curves.iter().flat_map(|(_, points)| points);
    let widest = all().map(|point| point.bits_per_key).reduce(f64::max)?;
    let lowest = all().map(|point| point.rate).reduce(f64::min)?;
    let highest = all().map(|point| point.rate).reduce(f64::max)?;
    let right = WIDTH - NAMES;
    let x = Scale::linear(widest, MARGIN + LEFT, right);
    // Pixels grow downwards.
    let y = Scale::log(lowest.max(LOWEST), highest * 1.2, TOP + HEIGHT, TOP);

    let title = format!(
        "False-positive rate against bits stored for a key, {} keys",
        number::grouped(keys)
    );
    let mut scene = Scene::new(WIDTH, TOP + HEIGHT + FOOT, &title);
    scene.text((MARGIN, 18.0), Anchor::Start, Font::TITLE, &title);
    scene.text(
        (MARGIN, 35.0),
        Anchor::Start,
        Font::NOTE,
        "expected rate, log scale; the whole stored filter counts; rings: what was asked for",
    );
    for value in x.ticks(40.0) {
        scene.upright(x.at(value), TOP, TOP + HEIGHT + 4.0, 1.0, GRID);
        let at = (x.at(value), TOP + HEIGHT + 17.0);
        scene.text(at, Anchor::Middle, Font::NOTE, &number::tick(value));
    }
    for value in y.ticks(26.0) {
        scene.level(y.at(value), x.start() - 4.0, right, 1.0, GRID);
        let at = (x.start() - 8.0, y.at(value));
        scene.text_middle(at, Anchor::End, Font::NOTE, &number::percent(value));
    }
    scene.level(TOP + HEIGHT, x.start(), right, 1.0, INK);
    scene.upright(x.start(), TOP, TOP + HEIGHT, 1.0, INK);
    let middle = (x.start() + (right - x.start()) / 2.0, TOP + HEIGHT + 36.0);
    scene.text(middle, Anchor::Middle, Font::NOTE, "bits stored for a key");

    let mut names = Vec::new();
    for (filter, points) in curves {
        let color = color(*filter);
        let shown: Vec<&Answer> = points.iter().filter(|point| point.rate >= LOWEST).collect();
        for pair in shown.windows(2) {
            if let [from, to] = pair {
                let place = |point: &Answer| (x.at(point.bits_per_key), y.at(point.rate));
                scene.line(place(from), place(to), color);
            }
        }
        let Some(last) = shown.last() else { continue };
        for point in &shown {
            scene.circle((x.at(point.bits_per_key), y.at(point.rate)), 2.0, color);
        }
        let end = y.at(last.rate);
        scene.line((x.at(last.bits_per_key), end), (right, end), GRID);
        names.push(Label {
            end,
            text: filter.name().to_owned(),
            color: Some(color),
            hollow: false,
        });
    }
    for answer in answers {
        if x.holds(answer.bits_per_key) && y.holds(answer.rate) {
            let at = (x.at(answer.bits_per_key), y.at(answer.rate));
            labels::mark(&mut scene, at, color(answer.filter), true);
        }
    }
    let place = Place {
        left: right,
        right: WIDTH,
        top: TOP,
        apart: LINE,
    };
    labels::write(&mut scene, names, &place);
    Some(scene)
}

/// Of the Okabe-Ito palette, where there are colours enough; the names tell the lines apart.
fn color(filter: Filter) -> RGBColor {
    match filter {
        Filter::Textbook => INK,
        Filter::LevelDb => RGBColor(0xd5, 0x5e, 0x00),
        Filter::BloomFilter64 => RGBColor(0x00, 0x72, 0xb2),
        Filter::FastLocalBloom => RGBColor(0x56, 0xb4, 0xe9),
        Filter::Ribbon => RGBColor(0x00, 0x9e, 0x73),
        Filter::Guava | Filter::Growing => MUTED,
        Filter::RedisFixed | Filter::RedisGrowing => RGBColor(0xcc, 0x79, 0xa7),
        Filter::Counting => RGBColor(0xe6, 0x9f, 0x00),
        Filter::Cuckoo => RGBColor(0x8a, 0x6d, 0x3b),
    }
}
