//! The tables below the first screen.

use std::collections::BTreeSet;

use super::table::{Cell, Table};
use crate::record::{DatasetKind, DistributionKind, Finding, FunctionSummary, Run, TimingRow, of};
use crate::report::chart::rows::{DatasetRows, distinct};
use plots::number;

/// The published layout (function, time, collisions, total) and what we add to it.
pub(crate) fn results(data: &DatasetRows<'_>) -> Table {
    let keys = data.summary.keys;
    let rows = data.best_first().into_iter().map(|finding| {
        let name = finding.function.as_str();
        (finding, data.full_width(name), data.throughput(name))
    });
    Table::of(rows)
        .column("Function", |(finding, ..)| &finding.function)
        .column("#Time, ns", |(.., time)| time.map(|row| total_ns(row, keys)))
        .column("#Collisions", |(_, row, _)| row.map(|row| row.collisions))
        .column("#Total", |_| keys)
        .column("#ns per key", |(.., time)| time.map(|row| row.median_ns_per_key))
        .column("#± MAD", |(.., time)| time.map(|row| row.mad_ns_per_key))
        .column("#Chained, ns per key", |(finding, ..)| {
            let chained = data.chained(&finding.function);
            chained.map(|row| row.median_ns_per_key)
        })
        .column("#Bits", |(_, row, _)| row.map(|row| row.bits))
        .column("#Expected collisions", |(_, row, _)| row.map(|row| row.expected))
        .column("#p of collisions at full width, adjusted", |(_, row, _)| {
            row.map(|row| Cell::p(row.p_adjusted))
        })
        .column("Verdict", |(finding, ..)| finding.verdict)
        .column("Why", |(finding, ..)| Cell::folded(&why(finding), "why"))
        .done()
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
    let rows = || data.distribution.iter().copied();
    let buckets = rows().filter(|row| row.kind != DistributionKind::BitShare);
    let counts: BTreeSet<_> = buckets.map(|row| (row.kind, row.parameter)).collect();
    let functions = distinct(rows().map(|row| row.function.as_str()));
    let mut table = Table::of(functions).column("Function", |name| *name);
    for (kind, count) in counts {
        let head = format!("#p, {} buckets", number::grouped(count));
        table = table.column(&head, |name| {
            let found = of(rows(), name).find(|row| (row.kind, row.parameter) == (kind, count));
            found.map(|row| Cell::p(row.p_value))
        });
    }
    let worst = |name: &str| {
        let bits = of(rows(), name).filter(|row| row.kind == DistributionKind::BitShare);
        bits.min_by(|a, b| a.p_value.total_cmp(&b.p_value))
    };
    table
        .column("#Most uneven bit", |name| worst(name).map(|row| row.parameter))
        .column("#Its share of ones", |name| {
            worst(name).map(|row| Cell::percent(row.statistic))
        })
        .column("#Its p", |name| worst(name).map(|row| Cell::p(row.p_value)))
        .if_any()
}

/// The false-positive rates as recorded; `None` without rows.
pub(crate) fn false_positives(data: &DatasetRows<'_>) -> Option<Table> {
    Table::of(&data.false_positives)
        .column("Function", |row| &row.function)
        .column("#Bits per key", |row| row.bits_per_key)
        .column("#Keys", |row| row.keys)
        .column("#Absent keys asked", |row| row.probes)
        .column("#False positives", |row| row.false_positives)
        .column("#Rate", |row| Cell::percent(row.rate))
        .column("#95 % from", |row| Cell::percent(row.ci_low))
        .column("#to", |row| Cell::percent(row.ci_high))
        .column("#Textbook", |row| Cell::percent(row.theory))
        .column("#Raw bytes", |row| row.raw_bytes)
        .column("#Filter bytes", |row| row.filter_bytes)
        .column("#Saved", |row| Cell::percent(row.saved))
        .if_any()
}

/// What the keys are.
pub(crate) fn key_sets(run: &Run) -> Table {
    let kind = |kind| match kind {
        DatasetKind::Embedded => "embedded",
        DatasetKind::Generated => "generated",
        DatasetKind::File => "own file",
    };
    Table::of(&run.datasets)
        .column("Dataset", |set| &set.name)
        .column("Kind", |set| kind(set.kind))
        .column("#Keys", |set| set.keys)
        .column("#Bytes", |set| set.bytes)
        .column("#Shortest", |set| set.min_len)
        .column("#Longest", |set| set.max_len)
        .column("#Mean length", |set| set.mean_len)
        .column("#Duplicates dropped", |set| set.duplicates_dropped)
        .column("Source", |set| Cell::classed(&set.source, "wide"))
        .column("SHA-256 of the keys, a line feed after each", |set| {
            Cell::classed(&set.sha256, "digest")
        })
        .done()
}

/// Where each function comes from.
pub(crate) fn functions(run: &Run) -> Table {
    // Not grouped: a year is no quantity. A user's own function may have none.
    let year = |year: u16| (year > 0).then(|| Cell::sorted(year.to_string(), year.into()));
    let fixed = |stable| if stable { "yes" } else { "no: in memory only" };
    Table::of(&run.functions)
        .column("Function", |one| &one.name)
        .column("Group", |one| one.group.to_string())
        .column("#Output bits", |one| one.output_bits)
        .column("#Bits compared", |one| one.bits)
        .column("#Year", |one| year(one.year))
        .column("Author", |one| &one.author)
        .column("Source", |one| Cell::classed(&one.source, "wide"))
        .column("Origin", |one| &one.origin)
        .column("Licence", |one| &one.licence)
        .column("Values fixed for ever", |one| fixed(one.stable))
        .column("Seed or key used", |one| one.seed.as_deref().unwrap_or("none"))
        .column("Against chosen keys", |one| {
            Cell::classed(&against_attackers(one), "wide")
        })
        .column("Known weaknesses", |one| {
            Cell::classed(&one.weaknesses.join(" "), "wide")
        })
        .done()
}

/// What a function is worth against chosen keys, and why.
fn against_attackers(function: &FunctionSummary) -> String {
    format!("{}: {}", function.resistance.label(), function.resistance_reason)
}

/// The machine and the build.
pub(crate) fn environment(run: &Run) -> Vec<(&'static str, String)> {
    let machine = &run.environment;
    let or = |text: &str, absent: &str| if text.is_empty() { absent } else { text }.to_owned();
    let count = |count: Option<u64>| count.map(|count| count.to_string());
    let features = machine.cpu_features.join(", ");
    let governor = machine.governor.as_deref().unwrap_or("not told by the system");
    let kept = count(machine.pinned_cpu).map(|cpu| format!("kept on number {cpu}"));
    let not_kept = || "not kept on one: the system does not allow it, or an older run".to_owned();
    let rows = [
        ("CPU", machine.cpu.clone()),
        ("Logical processors", machine.logical_cpus.to_string()),
        (
            "Memory",
            format!("{:.1} GiB", machine.memory_bytes as f64 / (1_u64 << 30) as f64),
        ),
        ("CPU features", or(&features, "none recorded")),
        ("Frequency governor", governor.to_owned()),
        ("Operating system", machine.os.clone()),
        ("Target", machine.target.clone()),
        ("Compiler", machine.rustc.clone()),
        ("Compiler flags", or(&machine.rustflags, "defaults")),
        ("Profile", machine.profile.clone()),
        (
            "Threads while timing",
            or(
                &count(machine.threads_while_timing).unwrap_or_default(),
                "not known",
            ),
        ),
        ("Processor while timing", kept.unwrap_or_else(not_kept)),
        ("Start", run.date.clone()),
        ("Seed", run.seed.to_string()),
        ("Generator", run.generator.clone()),
    ];
    rows.map(|(name, value)| (name, plots::scene::printable(&value)))
        .to_vec()
}
