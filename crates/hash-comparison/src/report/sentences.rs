//! The sentences of the first screen.

mod avoid;
mod key;

use minijinja::context;
use minijinja::value::Value;

use crate::judge::findings::FEWEST_KEYS;
use crate::judge::recommend::words;
use crate::judge::times::unsteady;
use crate::record::{Run, Standing};
use crate::report::chart::rows::DatasetRows;
use filter_tools::table::counted;
use plots::number::{grouped, significant};
use plots::scene::printable;

/// Collisions that a perfect function of 32 bits has among a million keys: `n - m (1 - (1 - 1/m)^n)` with
/// n = 1,000,000 and m = 2^32 is 116.406.
const EXPECTED_AT_A_MILLION: &str = "116";

/// All texts of the first screen for one dataset.
pub(crate) fn write(data: &DatasetRows<'_>, run: &Run) -> Value {
    context! {
        data => data_line(data),
        run => run_line(run),
        pick => pick(data, run),
        avoid => avoid::write(data),
        width => width(data),
        footer => footer(data),
    }
}

/// What to take, and what comes of the function in use.
fn pick(data: &DatasetRows<'_>, run: &Run) -> String {
    let Some(told) = data.recommendation else {
        return "nothing was measured on these keys.".to_owned();
    };
    let mut text = match told.pick() {
        Some(pick) => format!("for {} {}", words::asked(told), pick.function),
        None => format!("for {}: none", words::asked(told)),
    };
    if let Some(time) = told.pick().and_then(|pick| pick.time) {
        text += &format!(
            " at {} ns per key ({})",
            significant(time.ns, 2),
            told.form_reason
        );
    }
    if let Some(next) = told.standing(Standing::RunnerUp).next() {
        text += &format!("; then {} ({})", next.function, next.reason);
    }
    text += ".";
    for note in told.attackers.iter().chain(&told.notes) {
        text += " ";
        text += note;
    }
    if let Some(mine) = &told.mine {
        text += " Yours, framed below: ";
        text += &mine.words;
    }
    if let Some(warning) = unsteady(data.timing.iter().copied(), &run.environment) {
        text += " ";
        text += &warning;
    }
    printable(&text)
}

fn data_line(data: &DatasetRows<'_>) -> String {
    let summary = data.summary;
    let dropped = match summary.duplicates_dropped {
        0 => String::new(),
        1 => "; 1 duplicate line dropped".to_owned(),
        many => format!("; {} duplicate lines dropped", grouped(many)),
    };
    let lengths = match (summary.keys, summary.min_len == summary.max_len) {
        (0, _) => String::new(),
        (1, _) => format!(", {}", counted(summary.min_len, "byte")),
        (_, true) => format!(", {} each", counted(summary.min_len, "byte")),
        (_, false) => format!(
            ", {} to {} bytes, mean {:.1}",
            grouped(summary.min_len),
            grouped(summary.max_len),
            summary.mean_len
        ),
    };
    format!(
        "{}: {}{lengths}{dropped}",
        printable(&summary.name),
        counted(summary.keys, "key"),
    )
}

fn run_line(run: &Run) -> String {
    // RFC 3339 begins with the date.
    let day = run.date.split('T').next().unwrap_or_default();
    let quick = if run.quick {
        " · quick run: fewer timing samples"
    } else {
        ""
    };
    printable(&format!(
        "{} · {day} · seed {}{quick}",
        run.environment.cpu, run.seed
    ))
}

/// Whether so few keys were measured that nobody can be recommended.
fn too_few(data: &DatasetRows<'_>) -> bool {
    data.summary.keys < FEWEST_KEYS
}

fn width(data: &DatasetRows<'_>) -> String {
    /// Fewer collisions than this on average are told as a chance.
    const RARE: f64 = 0.01;
    let million = format!("{EXPECTED_AT_A_MILLION} of a million");
    let advice = "where no two keys may share a value, take 64 bits";
    let keys = data.summary.keys;
    match data.collisions.iter().find(|row| row.bits == 32) {
        Some(row) if keys > 1 && row.expected < RARE => format!(
            "a perfect function of 32 bits gives two of these {} the same value in {}, but puts {million} keys on values \
             already taken, on average; {advice}.",
            counted(keys, "key"),
            cases(row.expected),
        ),
        Some(row) if keys > 1 && keys != 1_000_000 => format!(
            "even a perfect function of 32 bits puts {} of these {} on a value already taken, on average, and {million}; \
             {advice}.",
            significant(row.expected, 2),
            counted(keys, "key"),
        ),
        _ => format!(
            "even a perfect function of 32 bits puts {million} keys on values already taken, on average; {advice}."
        ),
    }
}

/// A small probability in words.
fn cases(probability: f64) -> String {
    if probability < 1e-6 {
        "fewer than one case of a million".to_owned()
    } else {
        format!("about one case of {}", significant(1.0 / probability, 2))
    }
}

fn footer(data: &DatasetRows<'_>) -> String {
    /// Ratios beyond this are a single collision, or few, where next to none is expected.
    const TELLING: f64 = 100.0;
    // The widest that was compared; the band is the same for all functions of that width.
    let row = data.collisions.iter().max_by_key(|row| row.bits);
    let seen = match row {
        // One more than chance explains, as long as there are keys for it.
        Some(row) if row.expected > 0.0 && row.band_high + 1.0 < row.keys as f64 => {
            let least = row.band_high + 1.0;
            let ratio = least / row.expected;
            let digits = if row.expected < 100.0 { 2 } else { 3 };
            let (least, chance) = (grouped(least as u64), significant(row.expected, digits));
            match row.band_high {
                most if most < 1.0 => {
                    format!(
                        "At {} bits this test would have noticed a single collision",
                        row.bits
                    )
                }
                _ if ratio < TELLING => format!(
                    "At {} bits this test would have noticed {least} collisions, {} times the {chance} of chance, and \
                     no fewer",
                    row.bits,
                    significant(ratio, 3)
                ),
                _ => format!(
                    "At {} bits this test would have noticed {least} collisions, where chance gives next to none, and \
                     no fewer",
                    row.bits
                ),
            }
        }
        _ => "At full width this test can tell no function from chance: the keys are too few".to_owned(),
    };
    format!(
        "{seen}. It cannot rank the functions inside the band, and it says nothing of keys that an attacker chooses."
    )
}
