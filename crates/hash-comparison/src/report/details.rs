//! The tables below the first screen.

use super::table::{Cell, Table};
use crate::record::{
    CollisionRow, DatasetKind, DistributionKind, DistributionRow, Finding, FunctionSummary, Run, TimingRow,
    Verdict,
};
use crate::report::chart::rows::{DatasetRows, distinct};
use crate::report::chart::verdict_words;
use plots::number;

/// The published layout (function, time, collisions, total) and what we add to it.
pub(crate) fn results(data: &DatasetRows<'_>) -> Table {
    let mut table = Table::new([
        "Function",
        "#Time, ns",
        "#Collisions",
        "#Total",
        "#ns per key",
        "#± MAD",
        "#Chained, ns per key",
        "#Bits",
        "#Expected collisions",
        "#p of collisions at full width, adjusted",
        "Verdict",
        "Why",
    ]);
    for finding in data.best_first() {
        let row = data.full_width(&finding.function);
        let time = data.throughput(&finding.function);
        let collisions = |cell: fn(&CollisionRow) -> Cell| Cell::or_empty(row.map(cell));
        let timed = |cell: fn(&TimingRow) -> Cell| Cell::or_empty(time.map(cell));
        table.push(vec![
            Cell::text(&finding.function),
            Cell::or_empty(time.map(|row| Cell::count(total_ns(row, data.summary.keys)))),
            collisions(|row| Cell::count(row.collisions)),
            Cell::count(data.summary.keys),
            timed(|row| Cell::number(row.median_ns_per_key)),
            timed(|row| Cell::number(row.mad_ns_per_key)),
            Cell::or_empty(
                data.chained(&finding.function)
                    .map(|row| Cell::number(row.median_ns_per_key)),
            ),
            collisions(|row| Cell::count(u64::from(row.bits))),
            collisions(|row| Cell::number(row.expected)),
            collisions(|row| Cell::sorted(number::p_value(row.p_adjusted), row.p_adjusted)),
            Cell::classed(verdict_words(finding.verdict), verdict_class(finding.verdict)),
            Cell::folded(&why(finding), "why"),
        ]);
    }
    table
}

/// The reasons for a verdict, and a pair of keys as it was recorded.
fn why(finding: &Finding) -> Vec<String> {
    let mut lines = finding.reasons.clone();
    if let Some([one, other]) = &finding.example {
        lines.push(format!("one value: “{one}” and “{other}”"));
    }
    lines
}

/// Median per key times the number of keys, as the published table gives totals; of a large set only a sample was timed.
fn total_ns(row: &TimingRow, keys: u64) -> u64 {
    libm::round(row.median_ns_per_key * keys as f64) as u64
}

/// p-values of the bucket tests and the most uneven output bit; `None` without rows.
pub(crate) fn distribution(data: &DatasetRows<'_>) -> Option<Table> {
    let buckets = |row: &&DistributionRow| row.kind != DistributionKind::BitShare;
    let mut columns: Vec<_> = data
        .distribution
        .iter()
        .copied()
        .filter(buckets)
        .map(|row| (row.kind, row.parameter))
        .collect();
    columns.sort_unstable();
    columns.dedup();
    let heads: Vec<String> = columns
        .iter()
        .map(|(_, count)| format!("#p, {} buckets", number::grouped(*count)))
        .collect();
    let mut table = Table::new(
        ["Function"]
            .into_iter()
            .chain(heads.iter().map(String::as_str))
            .chain(["#Most uneven bit", "#Its share of ones", "#Its p"]),
    );
    let functions = distinct(data.distribution.iter().map(|row| row.function.as_str()));
    if functions.is_empty() {
        return None;
    }
    for function in functions {
        let of_function = || data.distribution.iter().filter(|row| row.function == function);
        let mut cells = vec![Cell::text(function)];
        for (kind, parameter) in &columns {
            let found = of_function().find(|row| row.kind == *kind && row.parameter == *parameter);
            cells.push(Cell::or_empty(found.map(|row| p_cell(row.p_value))));
        }
        let bits = of_function().filter(|row| row.kind == DistributionKind::BitShare);
        let worst = bits.min_by(|a, b| a.p_value.total_cmp(&b.p_value));
        cells.push(Cell::or_empty(worst.map(|row| Cell::count(row.parameter))));
        cells.push(Cell::or_empty(worst.map(|row| Cell::percent(row.statistic))));
        cells.push(Cell::or_empty(worst.map(|row| p_cell(row.p_value))));
        table.push(cells);
    }
    Some(table)
}

fn p_cell(p: f64) -> Cell {
    Cell::sorted(number::p_value(p), p)
}

/// The false-positive rates as recorded; `None` without rows.
pub(crate) fn false_positives(data: &DatasetRows<'_>) -> Option<Table> {
    let mut table = Table::new([
        "Function",
        "#Bits per key",
        "#Keys",
        "#Absent keys asked",
        "#False positives",
        "#Rate",
        "#95 % from",
        "#to",
        "#Textbook",
        "#Raw bytes",
        "#Filter bytes",
        "#Saved",
    ]);
    for row in &data.false_positives {
        table.push(vec![
            Cell::text(&row.function),
            Cell::count(u64::from(row.bits_per_key)),
            Cell::count(row.keys),
            Cell::count(row.probes),
            Cell::count(row.false_positives),
            Cell::percent(row.rate),
            Cell::percent(row.ci_low),
            Cell::percent(row.ci_high),
            Cell::percent(row.theory),
            Cell::count(row.raw_bytes),
            Cell::count(row.filter_bytes),
            Cell::percent(row.saved),
        ]);
    }
    (!data.false_positives.is_empty()).then_some(table)
}

/// What the keys are.
pub(crate) fn key_sets(run: &Run) -> Table {
    let mut table = Table::new([
        "Dataset",
        "Kind",
        "#Keys",
        "#Bytes",
        "#Shortest",
        "#Longest",
        "#Mean length",
        "#Duplicates dropped",
        "Source",
        "SHA-256 of the keys, a line feed after each",
    ]);
    for set in &run.datasets {
        let kind = match set.kind {
            DatasetKind::Embedded => "embedded",
            DatasetKind::Generated => "generated",
            DatasetKind::File => "own file",
        };
        table.push(vec![
            Cell::text(&set.name),
            Cell::text(kind),
            Cell::count(set.keys),
            Cell::count(set.bytes),
            Cell::count(set.min_len),
            Cell::count(set.max_len),
            Cell::number(set.mean_len),
            Cell::count(set.duplicates_dropped),
            Cell::classed(&set.source, "wide"),
            Cell::classed(&set.sha256, "digest"),
        ]);
    }
    table
}

/// Where each function comes from.
pub(crate) fn functions(run: &Run) -> Table {
    let mut table = Table::new([
        "Function",
        "Group",
        "#Output bits",
        "#Bits compared",
        "#Year",
        "Author",
        "Source",
        "Origin",
        "Licence",
        "Values fixed for ever",
        "Seed or key used",
        "Against chosen keys",
        "Known weaknesses",
    ]);
    for function in &run.functions {
        table.push(vec![
            Cell::text(&function.name),
            Cell::text(function.group.label()),
            Cell::count(u64::from(function.output_bits)),
            Cell::count(u64::from(function.bits)),
            // Not grouped: a year is no quantity. A user's own function may have none.
            Cell::or_empty(
                (function.year > 0)
                    .then(|| Cell::sorted(function.year.to_string(), f64::from(function.year))),
            ),
            Cell::text(&function.author),
            Cell::classed(&function.source, "wide"),
            Cell::text(&function.origin),
            Cell::text(&function.licence),
            Cell::text(if function.stable {
                "yes"
            } else {
                "no: in memory only"
            }),
            Cell::text(function.seed.as_deref().unwrap_or("none")),
            Cell::classed(&against_attackers(function), "wide"),
            Cell::classed(&function.weaknesses.join(" "), "wide"),
        ]);
    }
    table
}

/// What a function is worth against chosen keys, and why.
fn against_attackers(function: &FunctionSummary) -> String {
    format!("{}: {}", function.resistance.label(), function.resistance_reason)
}

/// The machine and the build.
pub(crate) fn environment(run: &Run) -> Vec<(&'static str, String)> {
    let machine = &run.environment;
    let or = |text: &str, absent: &str| {
        if text.is_empty() {
            absent.to_owned()
        } else {
            text.to_owned()
        }
    };
    let threads = machine
        .threads_while_timing
        .map_or_else(|| "not known".to_owned(), |n| n.to_string());
    let mut rows = vec![
        ("CPU", machine.cpu.clone()),
        ("Logical processors", machine.logical_cpus.to_string()),
        (
            "Memory",
            format!("{:.1} GiB", machine.memory_bytes as f64 / (1_u64 << 30) as f64),
        ),
        (
            "CPU features",
            or(&machine.cpu_features.join(", "), "none recorded"),
        ),
        (
            "Frequency governor",
            machine
                .governor
                .clone()
                .unwrap_or_else(|| "not told by the system".to_owned()),
        ),
        ("Operating system", machine.os.clone()),
        ("Target", machine.target.clone()),
        ("Compiler", machine.rustc.clone()),
        ("Compiler flags", or(&machine.rustflags, "defaults")),
        ("Profile", machine.profile.clone()),
        ("Threads while timing", threads),
        (
            "Processor while timing",
            machine.pinned_cpu.map_or_else(
                || "not kept on one: the system does not allow it, or an older run".to_owned(),
                |cpu| format!("kept on number {cpu}"),
            ),
        ),
        ("Start", run.date.clone()),
        ("Seed", run.seed.to_string()),
        ("Generator", run.generator.clone()),
    ];
    for (_, value) in &mut rows {
        *value = plots::scene::printable(value);
    }
    rows
}

pub(super) fn verdict_class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::FewerThanChance => "verdict fewer",
        Verdict::InBand => "verdict in-band",
        Verdict::MeasurablyWorse => "verdict worse",
        Verdict::Unusable => "verdict unusable",
    }
}
