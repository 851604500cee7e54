//! The chart of false-positive rate against bits stored per key: one plot with a line for each kind of filter.

use plots::scale::Scale;
use plots::scene::{Color, INK, MUTED, Scene};
use plots::xy::{Axis, Marks, Plot, Row, Series, Sheet};
use records::number;

use super::{Answer, Filter, curve};

/// The lowest rate shown. Lower rates hardly matter and would compress the rest of the plot.
const LOWEST: f64 = 1e-6;

/// Draws the curves of `filters` for `keys` keys, with a mark for each of `answers`; `None` if there is no curve.
pub(crate) fn scene(filters: &[Filter], keys: u64, answers: &[Answer]) -> Option<Scene> {
    let curves = filters.iter().map(|&filter| (filter, curve(filter, keys)));
    let curves: Vec<_> = curves.filter(|(_, points)| !points.is_empty()).collect();
    let all = || curves.iter().flat_map(|(_, points)| points);
    let widest = all().map(|point| point.bits_per_key).reduce(f64::max)?;
    let lowest = all().map(|point| point.rate).reduce(f64::min)?;
    let highest = all().map(|point| point.rate).reduce(f64::max)?;
    let point = |answer: &Answer| (answer.bits_per_key, answer.rate);
    let lines = curves.iter().map(|(filter, points)| Series {
        marks: Marks::Dots,
        ..Series::new(
            filter.name(),
            color(*filter),
            points.iter().filter(|answer| answer.rate >= LOWEST).map(point),
        )
    });
    let rings = answers.iter().map(|answer| Series {
        marks: Marks::Hollow,
        ..Series::new("", color(answer.filter), [point(answer)])
    });
    let title = format!(
        "False-positive rate against bits stored for a key, {} keys",
        number::grouped(keys)
    );
    let plot = Plot {
        x: Axis::new(Scale::linear(widest), number::tick),
        y: Axis::new(
            Scale::log(lowest.max(LOWEST), highest * 1.2),
            number::percent_tick,
        ),
        x_title: "bits stored for a key",
        series: lines.chain(rings).collect(),
        ..Plot::default()
    };
    let sheet = Sheet {
        description: &title,
        title: &title,
        note: "expected rate, log scale; the whole stored filter counts; rings: what was asked for",
        width: 960.0,
        height: 420.0,
        names: 220.0,
        rows: vec![Row {
            title: "",
            plots: vec![plot],
        }],
        ..Sheet::default()
    };
    Some(sheet.scene())
}

/// Returns the colour of a filter, from the Okabe-Ito palette as far as it goes. Labels distinguish the lines too.
fn color(filter: Filter) -> Color {
    match filter {
        Filter::Textbook => INK,
        Filter::LevelDb => Color(0xd5, 0x5e, 0x00),
        Filter::BloomFilter64 => Color(0x00, 0x72, 0xb2),
        Filter::FastLocalBloom => Color(0x56, 0xb4, 0xe9),
        Filter::Ribbon => Color(0x00, 0x9e, 0x73),
        Filter::SplitBlock => Color(0xf0, 0xe4, 0x42),
        Filter::BinaryFuse => Color(0x80, 0x80, 0x00),
        Filter::Guava | Filter::Growing => MUTED,
        Filter::RedisFixed | Filter::RedisGrowing => Color(0xcc, 0x79, 0xa7),
        Filter::Counting => Color(0xe6, 0x9f, 0x00),
        Filter::Cuckoo => Color(0x8a, 0x6d, 0x3b),
    }
}
