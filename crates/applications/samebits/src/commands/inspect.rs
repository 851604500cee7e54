//! `inspect`: shows the filters in real tables.

pub(super) mod columns;
mod sets;

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::PathBuf;

use filter_sets::StoredFormat;
use key_input::KeyKind;
use serde::Serialize;
use terminal::number::grouped;

use super::numbers::share;
use super::{folder_refused, print_json, wrong};
use crate::inspection::parquet;
use crate::inspection::{self, BitTotals, FilterBlockReport, Given, TableKind, TableReport};
use terminal::failure::Failure;
use terminal::layout::table;
use terminal::number::counted;

/// Show the filters in tables of LevelDB and RocksDB and in Parquet files, and report damage.
///
/// Reads the footer, metaindex, filter blocks, index and data blocks of each table. Checks handles, checksums, the
/// offsets of filters, and that no data block has an empty filter. Does not check keys against filters. Writes nothing.
///
/// Shows the bits, k, fill and expected rate of the filters of this workspace's policies and of LevelDB's and RocksDB's
/// own, over keys or prefixes, and the number of filters that let every key pass because they could not be built. The
/// expected rate is fill to the power of k, averaged over the bits, or over the lines of RocksDB's Bloom filters; for a
/// Ribbon filter it is two to the power of minus the columns. Figures of a filter block with a wrong checksum describe
/// its bytes as they are. Bits of overlapping filters count once.
///
/// Shows the column family of RocksDB that a table states after its path, and lists tables without data blocks, which
/// have no keys, as empty. A table that RocksDB ingested states no family.
///
/// Reads RocksDB's block-based tables of format versions 0 to 7, with full or partitioned filters, and Pebble's of
/// versions 1 to 4; blocks compressed by Snappy, LZ4, Zstandard and zlib. Does not read plain, cuckoo and columnar
/// tables, other compression, and blocks above 1 GiB (metaindex: 1 MiB).
///
/// For Parquet files, shows each split-block filter: row group, column, length of the bit set, and expected rate (the
/// product of the fill of the words of a block, averaged over the blocks). With --column and --key, queries each filter
/// of the column for a value, which is refused unless its stored form is certain. Columns of one path are shown with
/// their numbers, from 0: a row group may match if one of them may have the value. A folder stands for the Parquet files
/// in it and in its folders, except hidden ones and those whose names begin with an underscore; links to folders are
/// not followed. Files that are not read are reported, and the others are shown. JSON is then an array of filters, each
/// with its file, and of the files that are not read, with the reason. A file or row group without filters has no entry
/// and may have the key. A filter without a set bit over a column with values is noted, and taken to match every value.
///
/// For the folder of a set, which must be the only path, compares the checksums and shows each shard, with the rate
/// that the manifest states and the rate that the bytes suggest. Files that `build` wrote are shown in the same way. So
/// are stored bytes alone, if --format gives their format or they identify it, as streams of Guava and Spark and
/// filters of membership-filters do.
///
/// For Guava's and Spark's filters, shows k, the fill and, if the number of keys is not stated, an estimate of it.
/// Reports a k that does not fit that number, as in filters that Spark's limits for data frames have cut. A stream has
/// no checksum. A filter without a set bit whose header states keys is noted.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  {program} inspect /var/lib/app/db/*.sst\n  {program} inspect --json 000005.ldb\n  \
        {program} inspect sales.parquet --column id --key 7\n  \
        {program} inspect /data/sales --column id --key 7\n  \
        {program} inspect sales.parquet --column sha1 --key f572d396fae9206628714fb2ce00f72e94f2258f --type binary\n\n\
        Exit codes: 0 everything was read, and nothing is damaged; 1 damage: bytes that contradict a checksum or an offset; 2 no \
        damage, but a table, file, filter or shard is not read, or a path has nothing to inspect, in which case nothing is \
        inspected."
)]
pub struct Arguments {
    /// Tables (.ldb, .sst), Parquet files and folders of them, streams of Guava or Spark, or the folder of a set
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// The format of the filters, for stored bytes that do not identify it
    #[arg(long, value_name = "NAME", value_parser = StoredFormat::named, conflicts_with = "column")]
    format: Option<StoredFormat>,
    /// Skip the data blocks: much faster on large tables
    #[arg(long)]
    no_data: bool,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
    /// Show only the filters of this column of a Parquet file; parts of its path are joined by dots
    #[arg(long, value_name = "NAME")]
    column: Option<String>,
    /// Query the column's filters for this value, in the form of the column's type: a number, text, a date or time of
    /// ISO 8601 or the whole number that stores it, a UUID, or the hexadecimal digits of bytes of fixed length
    #[arg(long, value_name = "VALUE", requires = "column", allow_hyphen_values = true)]
    key: Option<String>,
    /// The form of the value if it is not that of the column's type: the stored number (long), text (line or string),
    /// or the stored bytes (binary). Columns of bytes need it if the file does not say that they are text
    #[arg(long = "type", value_name = "KIND", value_enum, requires = "key")]
    kind: Option<KeyKind>,
}

/// The JSON form of the result.
#[derive(Serialize)]
struct Inspection {
    tables: Vec<TableReport>,
    totals: Totals,
}

/// Totals over all tables.
#[derive(Default, Serialize)]
struct Totals {
    tables: u64,
    /// The number of tables with filters of at least one policy.
    tables_with_filters: u64,
    rocksdb_tables: u64,
    damaged_tables: u64,
    /// The number of tables that were not read, at least in part: of another form, or refused by the system.
    not_read_tables: u64,
    filters: u64,
    empty: u64,
    #[serde(flatten)]
    bits: BitTotals,
}

/// Inspects the tables and prints the result.
///
/// # Errors
///
/// If a path has nothing to inspect, a table cannot be read, or damage was found.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (paths, format) = (&arguments.paths[..], arguments.format.as_ref());
    let has_column = arguments.column.is_some();
    if let [path] = paths
        && !has_column
        && sets::is_set(path)
    {
        return sets::set(path, format, arguments.json);
    }
    let mut given = Given::open_all(paths);
    if format.is_some() || (!has_column && given.iter().any(|given| given.is_filter)) {
        return sets::files(given, format, arguments.json);
    }
    let mut files = Vec::new();
    for given in &mut given {
        files.push(parquet_files(given, has_column)?);
    }
    let other = paths.iter().zip(&files).find(|(_, files)| files.is_empty());
    match (other, files.iter().flatten().next()) {
        (None, _) => return columns::show(arguments, files.into_iter().flatten().collect()),
        (Some((path, _)), first) if has_column || first.is_some() => {
            path.metadata().map_err(|error| wrong(path, error))?;
            let (path, reason) = match first {
                Some(first) if !has_column => (&first.path, "Parquet files are inspected without tables"),
                _ => (path, "--column needs Parquet files, or folders of them"),
            };
            return Err(wrong(path, reason));
        }
        _ => {}
    }
    let mut tables = Vec::new();
    for mut given in given {
        tables.push(inspection::inspect(&mut given, !arguments.no_data)?);
    }
    let inspection = Inspection {
        totals: Totals::of(&tables),
        tables,
    };
    unless_closed(write(&inspection, arguments.json))?;
    let totals = &inspection.totals;
    match (totals.damaged_tables, totals.not_read_tables) {
        (0, 0) => Ok(()),
        (0, not_read) => Err(Failure::input(format_args!(
            "{} not read, or not completely",
            counted(not_read, "table")
        ))),
        _ => Err(Failure::Checked),
    }
}

/// Returns the path if it is a Parquet file, the Parquet files of a folder, or nothing for another file. A folder without
/// any is refused, unless only columns are shown.
fn parquet_files(given: &mut Given, has_column: bool) -> Result<Vec<Given>, Failure> {
    let path = &given.path;
    if parquet::is_parquet(given) {
        return Ok(vec![given.take()]);
    } else if !path.is_dir() {
        return Ok(Vec::new());
    }
    let files = parquet::files_in(path).map_err(|error| wrong(path, error))?;
    if has_column || !files.is_empty() {
        Ok(files)
    } else if sets::is_set(path) {
        Err(wrong(path, "the folder of a set must be the only path"))
    } else {
        Err(folder_refused(path, "a set or have Parquet files", "inspect"))
    }
}

/// Ignores that a reader stopped early: what was found decides the exit code.
pub(super) fn unless_closed(written: Result<(), Failure>) -> Result<(), Failure> {
    match written {
        Err(Failure::OutputClosed) => Ok(()),
        other => other,
    }
}

fn write(inspection: &Inspection, as_json: bool) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match as_json {
        true => print_json(&mut out, inspection)?,
        false => print(&mut out, inspection)?,
    }
    Ok(out.flush()?)
}

impl Totals {
    fn of(tables: &[TableReport]) -> Self {
        let mut totals = Self::default();
        for table in tables {
            totals.tables += 1;
            totals.tables_with_filters += u64::from(!table.filter_blocks.is_empty());
            totals.rocksdb_tables += u64::from(table.kind == TableKind::Rocksdb);
            totals.damaged_tables += u64::from(!table.damage.is_empty());
            totals.not_read_tables += u64::from(!table.not_read.is_empty());
            for block in &table.filter_blocks {
                totals.filters += block.filters;
                totals.empty += block.empty;
                if let Some(bits) = &block.bits {
                    totals.bits.add(bits);
                }
            }
        }
        totals
    }
}

fn print(out: &mut impl io::Write, inspection: &Inspection) -> io::Result<()> {
    let mut policies: BTreeMap<_, Vec<(&TableReport, &FilterBlockReport)>> = BTreeMap::new();
    for table in &inspection.tables {
        for block in &table.filter_blocks {
            let filters = (&block.policy, &block.kinds);
            policies.entry(filters).or_default().push((table, block));
        }
    }
    for ((policy, kinds), blocks) in &policies {
        let kinds: String = kinds.iter().map(|kind| format!(", {kind}")).collect();
        let rows = blocks.iter().map(|(report, block)| row(&report.label(), block));
        writeln!(
            out,
            "{policy}{kinds}\n{}\n",
            table(
                ["table", "filters", "empty", "bits", "k", "fill", "expected"],
                &[1, 2, 3, 4, 5, 6],
                rows
            )
        )?;
    }
    let empty = inspection
        .tables
        .iter()
        .filter(|table| table.data_blocks == Some(0));
    let without = inspection.tables.iter().filter(|table| {
        table.kind != TableKind::Unknown
            && table.data_blocks != Some(0)
            && table.filter_blocks.is_empty()
            && table.damage.is_empty()
            && table.not_read.is_empty()
    });
    let open = inspection.tables.iter().filter_map(|table| {
        let all = table.filter_blocks.iter().filter_map(|block| block.bits.as_ref());
        let open: u64 = all.map(|bits| bits.matching_everything).sum();
        (open > 0).then(|| format!("{}: {}", table.path, counted(open, "filter")))
    });
    list(out, "empty: no data blocks", empty.map(TableReport::label))?;
    list(out, "no filters", without.map(TableReport::label))?;
    list(out, "lets every key pass", open)?;
    list(out, "not read", messages(inspection, |table| &table.not_read))?;
    list(out, "damage", messages(inspection, |table| &table.damage))?;
    writeln!(out, "{}", in_words(&inspection.totals))
}

fn row(path: &str, block: &FilterBlockReport) -> [String; 7] {
    let of_bits = |text: &dyn Fn(&BitTotals) -> String| block.bits.as_ref().map_or_else(String::new, text);
    [
        path.to_owned(),
        grouped(block.filters),
        grouped(block.empty),
        of_bits(&|bits| grouped(bits.all_bits())),
        of_bits(&probes),
        of_bits(&|bits| bits.fill.map_or_else(String::new, share)),
        of_bits(&|bits| bits.false_positive_rate.map_or_else(String::new, share)),
    ]
}

/// Returns the messages of all tables, each with the path of its table.
fn messages<'i>(
    inspection: &'i Inspection,
    of: fn(&TableReport) -> &Vec<String>,
) -> impl Iterator<Item = String> + use<'i> {
    inspection
        .tables
        .iter()
        .flat_map(move |table| of(table).iter().map(|text| format!("{}: {text}", table.path)))
}

/// Prints a heading and lines below it, or nothing if there are no lines.
pub(super) fn list(
    out: &mut impl io::Write,
    heading: &str,
    lines: impl Iterator<Item = String>,
) -> io::Result<()> {
    let mut lines = lines.peekable();
    if lines.peek().is_none() {
        return Ok(());
    }
    writeln!(out, "{heading}")?;
    for line in lines {
        writeln!(out, "  {line}")?;
    }
    writeln!(out)
}

fn in_words(totals: &Totals) -> String {
    let mut text = format!(
        "{}, {} with filters",
        counted(totals.tables, "table"),
        grouped(totals.tables_with_filters)
    );
    let add = |text: &mut String, count: u64, what: &str| {
        if count > 0 {
            text.push_str(&format!(", {} {what}", grouped(count)));
        }
    };
    add(&mut text, totals.rocksdb_tables, "of RocksDB's");
    add(&mut text, totals.not_read_tables, "not read");
    match totals.damaged_tables {
        0 => text.push_str("; no damage"),
        damaged => text.push_str(&format!("; damage in {}", counted(damaged, "table"))),
    }
    text.push_str(&format!(
        "\n{}, {} of them empty",
        counted(totals.filters, "filter"),
        grouped(totals.empty)
    ));
    add(
        &mut text,
        totals.bits.matching_everything,
        "letting every key pass",
    );
    let bad = "of sizes at which numbers between stored numbers often match (see THEORY.md of filter-policy)";
    add(&mut text, totals.bits.bad_sizes, bad);
    if let Some(rate) = totals.bits.false_positive_rate {
        text.push_str(&format!("; {}", counted(totals.bits.all_bits(), "bit")));
        if let Some(fill) = totals.bits.fill {
            text.push_str(&format!(", {} filled", share(fill)));
        }
        text.push_str(&format!(", {} expected", share(rate)));
    }
    text
}

/// Formats the probe counts. There is only one unless the bits per key were changed.
fn probes(bits: &BitTotals) -> String {
    let counts: Vec<String> = bits.probes.iter().map(u32::to_string).collect();
    counts.join(", ")
}
