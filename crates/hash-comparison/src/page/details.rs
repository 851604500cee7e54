//! The tables of a dataset, and the facts on keys, machine and build.

use crate::page::answer::advice_head;
use crate::page::table::{Cell, Table};
use crate::questions::on_dataset::DatasetRows;
use crate::questions::{Place, TimingRow};
use crate::record::{CallForm, Choice, DatasetKind, Run};
use crate::vocabulary;

/// Fewer false positives than this say little about a rate: their 95 % interval is wider than a third either way.
const FEW: u64 = 30;

/// Builds the table of results: the published layout (function, time, collisions, total) and further columns.
pub(super) fn results(data: &DatasetRows<'_>) -> Table {
    let keys = data.summary.keys;
    let rows = data.best_first().into_iter().map(|finding| {
        let name = finding.function.as_str();
        (finding, data.full_width(name), data.throughput(name))
    });
    let memory = |name: &str, form| {
        let row = data
            .about(&data.records.places, name)
            .find(|row| (row.place, row.form) == (Place::Memory, form));
        row.map(|row| row.median_ns_per_key)
    };
    let compared = |name: &str, choice| {
        let row = data
            .about(&data.records.occupancy, name)
            .find(|row| row.choice == choice);
        row.map(|row| row.hit)
    };
    let output_bits = |name: &str| {
        let mut functions = data.records.run.functions.iter();
        functions.find(|one| one.name == name).map(|one| one.output_bits)
    };
    let mut table = Table::of(rows)
        .column("Function", |(finding, ..)| &finding.function)
        .column("#All keys, ns", |(.., time)| time.map(|row| total_ns(row, keys)))
        .column("#Collisions", |(_, row, _)| row.map(|row| row.collisions))
        .column("#Keys", |_| keys)
        .column("#Expected", |(_, row, _)| row.map(|row| row.expected))
        .column("#Bits compared", |(_, row, _)| {
            row.map(|row| match output_bits(&row.function) {
                Some(all) if all > row.bits => {
                    Cell::sorted(format!("low {} of {all}", row.bits), f64::from(row.bits))
                }
                _ => row.bits.into(),
            })
        })
        .column("#ns per key", |(.., time)| time.map(|row| row.median_ns_per_key))
        .column("#± MAD", |(.., time)| time.map(|row| row.mad_ns_per_key))
        .column("#Chained, ns per key", |(finding, ..)| {
            data.chained(&finding.function).map(|row| row.median_ns_per_key)
        })
        .column("#Out of the cache, ns per key", |(finding, ..)| {
            memory(&finding.function, CallForm::Independent)
        })
        .column("#Out of the cache, chained", |(finding, ..)| {
            memory(&finding.function, CallForm::Chained)
        });
    for bits in [10, 15, 20] {
        table = table.column(&format!("#False positives, {bits} bits"), |(finding, ..)| {
            let row = data.false_positives(&finding.function, bits)?;
            Some(Cell::percent(row.rate).when(row.false_positives < FEW, "number few"))
        });
    }
    table
        .column("#Comparisons per look-up, low bits", |(finding, ..)| {
            compared(&finding.function, Choice::LowBits)
        })
        .column("#Comparisons per look-up, remainder", |(finding, ..)| {
            compared(&finding.function, Choice::Remainder)
        })
        .column("Tests", |(finding, ..)| finding.verdict)
        .column(&advice_head(data), |(finding, ..)| {
            data.advice(&finding.function).map(vocabulary::advice)
        })
        .done()
}

/// Returns the median per key times the number of keys: the published table has totals, but timing samples large sets.
fn total_ns(row: &TimingRow, keys: u64) -> u64 {
    libm::round(row.median_ns_per_key * keys as f64) as u64
}

/// Builds the table of recorded false-positive rates; `None` without rows.
pub(super) fn false_positives(data: &DatasetRows<'_>) -> Option<Table> {
    Table::of(data.rows(&data.records.false_positives))
        .column("Function", |row| &row.function)
        .column("#Bits per key", |row| row.bits_per_key)
        .column("#Keys", |row| row.keys)
        .column("#Absent keys probed", |row| row.probes)
        .column("#False positives", |row| row.false_positives)
        .column("#Rate", |row| Cell::percent(row.rate))
        .column("#95 % from", |row| Cell::percent(row.ci_low))
        .column("#to", |row| Cell::percent(row.ci_high))
        .column("#Raw bytes", |row| row.raw_bytes)
        .column("#Filter bytes", |row| row.filter_bytes)
        .column("#Saved", |row| Cell::percent(row.saved))
        .if_any()
}

pub(super) fn key_sets(run: &Run) -> Table {
    let kind = |kind| match kind {
        DatasetKind::Embedded => "embedded",
        DatasetKind::Generated => "generated",
        DatasetKind::File => "file",
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
        .column("SHA-256 of the newline-terminated keys", |set| {
            Cell::classed(&set.sha256, "digest")
        })
        .done()
}

pub(super) fn environment(run: &Run) -> Vec<(&'static str, String)> {
    let machine = &run.environment;
    let or = |text: &str, absent: &str| if text.is_empty() { absent } else { text }.to_owned();
    let count = |count: Option<u64>| count.map(|count| count.to_string());
    let features = machine.cpu_features.join(", ");
    let governor = machine
        .governor
        .as_deref()
        .unwrap_or("not reported by the system");
    let pinned = count(machine.pinned_cpu).map(|cpu| format!("pinned to CPU {cpu}"));
    let not_pinned = || "not pinned (not permitted by the system, or an older run)".to_owned();
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
                "unknown",
            ),
        ),
        ("Processor while timing", pinned.unwrap_or_else(not_pinned)),
        ("Start", run.date.clone()),
        ("Seed", run.seed.to_string()),
        ("Generator", run.generator.clone()),
    ];
    rows.to_vec()
}

/// Describes program, build and machine in one line.
pub(super) fn built(run: &Run) -> String {
    let machine = &run.environment;
    let commit = machine
        .commit
        .as_ref()
        .map_or_else(String::new, |commit| format!(", commit {commit}"));
    format!(
        "Made by {}{commit} ({}, {}, {}) on {} with {}.",
        run.generator, machine.rustc, machine.target, machine.profile, machine.cpu, machine.os
    )
}
