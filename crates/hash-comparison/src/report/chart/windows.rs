//! Collisions in windows of the output: one function a row, one width a column.

use super::rows::{DatasetRows, distinct};
use crate::measure::windows::WIDTHS;
use crate::record::{WindowEnd, WindowRow};
use plots::heat::{self, Cells, Heat};
use plots::panel::{MARGIN, NAMES_END, Rows, row_height};
use plots::scene::{Anchor, Font, Scene};
use statistics::correction::FAMILY_LEVEL;

const HEAD: f64 = 92.0;
const CELL: f64 = 18.0;
const GAP: f64 = 16.0;
const FULL: f64 = 34.0;

/// The least -log2 p of each class.
const CLASSES: [i32; Heat::MOST as usize] = [10, 20, 50, 100];
const KEY: [(Heat, &str); 9] = [
    (Heat::Below(4), "fewer, below 2^-100"),
    (Heat::Below(3), "2^-50"),
    (Heat::Below(2), "2^-20"),
    (Heat::Below(1), "2^-10"),
    (Heat::Chance, "as chance"),
    (Heat::Above(1), "2^-10"),
    (Heat::Above(2), "2^-20"),
    (Heat::Above(3), "2^-50"),
    (Heat::Above(4), "more, below 2^-100"),
];

/// The chart, or `None` without rows. It draws from `windows.csv` alone.
pub(crate) fn scene(data: &DatasetRows<'_>) -> Option<Scene> {
    let mut functions = distinct(data.windows.iter().map(|row| row.function.as_str()));
    if functions.is_empty() {
        return None;
    }
    // Best first; of equal ones the order recorded stays.
    functions.sort_by_key(|name| {
        data.windows
            .iter()
            .filter(|row| row.function == *name && failed(row))
            .count()
    });
    let rows = Rows {
        top: HEAD,
        height: row_height(functions.len()),
        count: functions.len(),
    };
    let widths = f64::from(WIDTHS.end() - WIDTHS.start() + 1);
    let low = NAMES_END;
    let high = low + widths * CELL + GAP;
    let full = high + widths * CELL + GAP;
    let name = &data.summary.name;
    let mut scene = Scene::new(
        (full + FULL + MARGIN).ceil(),
        (rows.bottom() + 44.0).ceil(),
        &format!(
            "{name}: how surprising the collisions are in the low and high bits of each function's values"
        ),
    );
    let title = Font::TITLE.fit(
        &format!("{name}: collisions in windows of the output"),
        scene.width - 2.0 * MARGIN,
    );
    scene.text((MARGIN, 16.0), Anchor::Start, Font::TITLE, &title);
    let words = "Two-sided p of a window: ";
    scene.text_middle((MARGIN, 36.0), Anchor::Start, Font::VALUE, words);
    heat::key(&mut scene, MARGIN + Font::VALUE.width(words) + 6.0, 36.0, &KEY);
    for (index, function) in functions.iter().enumerate() {
        rows.name(&mut scene, index, function, None);
    }
    for (left, head) in [(low, "Low bits"), (high, "High bits"), (full, "All")] {
        scene.text((left, 64.0), Anchor::Start, Font::HEAD, head);
        for bits in WIDTHS.filter(|_| left < full) {
            let x = left + (f64::from(bits - WIDTHS.start()) + 0.5) * CELL;
            scene.text((x, 84.0), Anchor::Middle, Font::NOTE, &bits.to_string());
        }
    }
    for (index, function) in functions.iter().enumerate() {
        let of = |end, bits| {
            let mut found = data.windows.iter();
            found
                .find(|row| row.function == *function && row.end == end && row.bits == bits)
                .copied()
        };
        let cells = |left, width| Cells {
            left,
            top: rows.middle(index) - rows.height / 2.0 + 0.5,
            width,
            height: rows.height - 1.0,
        };
        for (left, end) in [(low, WindowEnd::Low), (high, WindowEnd::High)] {
            cells(left, CELL).fill(&mut scene, 1, widths as usize, |_, column| {
                of(end, WIDTHS.start() + column as u32).map(heat)
            });
        }
        let mut all = data.windows.iter();
        let whole = all.find(|row| row.function == *function && row.end == WindowEnd::Full);
        cells(full, FULL).fill(&mut scene, 1, 1, |_, _| whole.map(|row| heat(row)));
    }
    let notes = [
        "Columns: number of bits. Blue: fewer collisions than a random function of that width shows; brown: more.",
        "Empty: the function has no such bits beside all of its bits, or these keys are too few to tell. No p here is corrected for their number.",
    ];
    for (line, note) in notes.iter().enumerate() {
        let y = rows.bottom() + 17.0 + 16.0 * line as f64;
        scene.text((MARGIN, y), Anchor::Start, Font::NOTE, note);
    }
    Some(scene)
}

/// Whether a window has more collisions than chance explains.
pub(crate) fn failed(row: &WindowRow) -> bool {
    row.p_adjusted < FAMILY_LEVEL && row.collisions as f64 > row.expected
}

fn heat(row: &WindowRow) -> Heat {
    let class = CLASSES
        .iter()
        .filter(|&&bits| row.p_value < libm::ldexp(1.0, -bits))
        .count() as u8;
    match class {
        0 => Heat::Chance,
        _ if row.collisions as f64 > row.expected => Heat::Above(class),
        _ => Heat::Below(class),
    }
}
