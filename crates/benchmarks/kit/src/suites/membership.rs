//! Inserts and lookups of Bloom filters for equal numbers of keys and equal rates, compared with Guava's.

use plots::scene::Scene;
use records::number;
use records::number::grouped;

use crate::bars::{Bar, Bars, Drawn};
use crate::folder::Format;
use crate::rounds::timed;
use crate::suite::{self, Suite};
use crate::summary::{interval, tables, with_spread};
use crate::words::words;

words! {
    /// A filter that takes part.
    Filter {
        /// Guava's `BloomFilter`, in Java.
        Guava = "Guava",
        /// `guava-bloom`, one call per key.
        Ours = "guava-bloom",
        /// `guava-bloom`, one call for many keys.
        OursBatch = "guava-bloom, many at once",
        /// The blocked filter of `membership-filters`, one call per key.
        Blocked = "blocked filter",
        /// The blocked filter of `membership-filters`, one call for many keys.
        BlockedBatch = "blocked filter, many at once",
        /// `fastbloom` with its default hasher.
        FastbloomDefault = "fastbloom",
        /// `fastbloom` with the hasher that its documentation recommends for speed.
        FastbloomFoldhash = "fastbloom, foldhash",
        /// The crate `bloomfilter`.
        Bloomfilter = "bloomfilter",
    }
}

words! {
    /// The contents of a filter when it is queried.
    Contents {
        /// As many keys as the filter is sized for, inserted into the empty filter.
        Keys = "full",
        /// Random words, the same in every filter, plus the inserted keys.
        RandomWords = "half of the bits set at random",
    }
}

words! {
    /// The operation on the keys of a batch.
    Operation {
        /// Inserts.
        Put = "put",
        /// Queries for keys that were not inserted.
        Absent = "might contain, absent keys",
        /// Queries for inserted keys.
        Present = "might contain, present keys",
    }
}

timed! {
    dimensions {
        /// The filter.
        filter: Filter,
        /// Version of its library.
        version: String,
        /// The settings: hash, seed, options of the virtual machine.
        setup: String,
        /// Requested bits; the name of the size.
        bits: u64,
        /// Keys that the filter is sized for.
        insertions: u64,
        /// The contents of the filter.
        contents: Contents,
        /// Actual bits: Guava's number, except for the blocked filter, which takes more for the same rate.
        bit_size: u64,
        /// Probes per key. A library may choose the number itself.
        probes: u32,
        /// The operation.
        operation: Operation,
    }
    compared {
        group(bits, operation), contestant(filter), shared(insertions, contents),
        baseline(|batch| batch.filter == Filter::Guava)
    }
}

/// The suite.
pub const SUITE: Suite<Batch, Row> = Suite::new(
    Format::new("membership-bench", 2, "membership"),
    suite::rows,
    &[("membership", chart)],
    summary,
);

fn summary(rows: &[Row]) -> String {
    tables(
        rows,
        |row| {
            format!(
                "{}, {} bits for {} keys",
                row.operation.words(),
                row.bits,
                row.insertions
            )
        },
        &[
            ("filter", |row| row.filter.words().to_owned()),
            ("probes", |row| row.probes.to_string()),
            ("ns/key \u{b1} MAD", |row| {
                with_spread(row.median_ns, row.mad_ns, 1)
            }),
            ("of Guava's", |row| format!("{:.3}", row.ratio)),
            ("95 % CI", |row| interval(row.ratio_low, row.ratio_high)),
            ("FP rate", |row| match row.operation {
                Operation::Absent => format!("{:.2} %", 100.0 * row.seen_per_call),
                Operation::Put | Operation::Present => String::new(),
            }),
        ],
        |_| String::new(),
    )
}

/// Draws a row for each filter and a panel for each operation.
fn chart(rows: &[Row]) -> Option<Scene> {
    let draw = |row: &Row| {
        let text = format!(
            "{} ({} ns)",
            number::significant(row.ratio, 3),
            number::significant(row.median_ns, 3)
        );
        let interval = Some((row.ratio_low, row.ratio_high));
        let is_ours = matches!(
            row.filter,
            Filter::Ours | Filter::OursBatch | Filter::Blocked | Filter::BlockedBatch
        );
        let bar = Bar {
            value: row.ratio,
            interval,
            text,
            filled: is_ours,
        };
        let note = format!(
            "for {} keys, {} probes, {}; median of {} rounds",
            grouped(row.insertions),
            row.probes,
            row.contents.words(),
            row.rounds
        );
        Some(Drawn {
            group: (format!("{} bits", grouped(row.bits)), note),
            contestant: row.filter.words().to_owned(),
            bars: vec![(row.operation as usize, bar)],
        })
    };
    let axis = "time over Guava's; line: 95 % interval";
    let drawn: Vec<Drawn> = rows.iter().filter_map(draw).collect();
    let bars = Bars {
        description: "Time of puts and look-ups of Bloom filters over that of Guava's, at several sizes",
        title: "Bloom filters for equal keys and rate: time over Guava's",
        names: 190.0,
        panels: ["Put", "Might contain, absent keys", "Might contain, present keys"]
            .map(|title| (title, axis, 118.0))
            .into(),
        one_scale: true,
        reference: Some(1.0),
        ..Bars::default()
    };
    Some(bars.scene(&drawn))
}
