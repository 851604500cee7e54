//! A Parquet file written by pyarrow: this project builds the same filters from the same values, and scans skip row
//! groups that cannot hold a value.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use filter_formats::parquet::{PhysicalValue, SplitBlockFilter, SplitBlockFilterMut};
use parquet::bloom_filter::Sbbf;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::properties::ReaderProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::serialized_reader::ReadOptionsBuilder;
use parquet::record::{Row, RowAccessor as _};

fn pyarrows() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../filter-formats/tests/data/parquet/row_groups.parquet")
}

/// Returns the index of a column, and its stored filter.
fn filter<'a>(
    file: &'a [u8],
    reader: &impl FileReader,
    row_group: usize,
    column: &str,
) -> (usize, SplitBlockFilter<'a>) {
    let columns = reader.metadata().row_group(row_group).columns();
    let is_it = |chunk: &ColumnChunkMetaData| chunk.column_path().string() == column;
    let index = columns.iter().position(is_it).unwrap();
    let offset = usize::try_from(columns[index].bloom_filter_offset().unwrap()).unwrap();
    (index, SplitBlockFilter::read(&file[offset..]).unwrap())
}

/// The code that queries the filters. Row groups whose filter denies the value are skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asks {
    /// No code: all row groups are read.
    Nobody,
    /// arrow-rs, with its own filter.
    ArrowRs,
    /// This project.
    We,
}

/// Finds the rows of a file whose column has a value; `holds` tests a row. Returns the rows, and the row groups read.
fn scan(
    path: &Path,
    column: &str,
    value: PhysicalValue<'_>,
    holds: impl Fn(&Row) -> bool,
    asks: Asks,
) -> (Vec<Row>, Vec<usize>) {
    let properties = ReaderProperties::builder()
        .set_read_bloom_filter(asks == Asks::ArrowRs)
        .build();
    let options = ReadOptionsBuilder::new()
        .with_reader_properties(properties)
        .build();
    let reader = SerializedFileReader::new_with_options(File::open(path).unwrap(), options).unwrap();
    let file = fs::read(path).unwrap();
    let (mut rows, mut read) = (Vec::new(), Vec::new());
    for number in 0..reader.num_row_groups() {
        let (index, ours) = filter(&file, &reader, number, column);
        let row_group = reader.get_row_group(number).unwrap();
        let theirs = row_group.get_column_bloom_filter(index);
        assert_eq!(theirs.is_some(), asks == Asks::ArrowRs);
        if theirs.is_some_and(|theirs| !theirs_may_hold(theirs, value))
            || asks == Asks::We && !ours.may_match_value(value)
        {
            continue;
        }
        read.push(number);
        let all = row_group.get_row_iter(None).unwrap().map(Result::unwrap);
        rows.extend(all.filter(&holds));
    }
    (rows, read)
}

fn theirs_may_hold(filter: &Sbbf, value: PhysicalValue<'_>) -> bool {
    match value {
        PhysicalValue::Int64(value) => filter.check(&value),
        PhysicalValue::ByteArray(value) => filter.check(value),
        other => panic!("{other:?} is not asked for"),
    }
}

/// Row group `g` has the ids 3 i + g; all other values follow from the id.
#[test]
fn the_filters_of_pyarrow_are_ours() {
    let path = pyarrows();
    let file = fs::read(&path).unwrap();
    let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    for row_group in 0..3_usize {
        let ids: Vec<i64> = (0..100).map(|i| 3 * i + row_group as i64).collect();
        let check = |column: &str, values: &dyn Fn(i64) -> u64| {
            let (_, theirs) = filter(&file, &reader, row_group, column);
            let mut bitset = vec![0; theirs.bitset().len()];
            let mut ours = SplitBlockFilterMut::new(&mut bitset).unwrap();
            ours.insert_hashes(ids.iter().map(|&id| values(id)));
            assert_eq!(
                ours.as_filter().bitset(),
                theirs.bitset(),
                "{column}, {row_group}"
            );
        };
        let text = |text: String| PhysicalValue::ByteArray(text.as_bytes()).hash();
        check("id", &|id| PhysicalValue::Int64(id).hash());
        check("name", &|id| text(format!("user-{id}")));
        check("place.city", &|id| text(format!("city {id}")));
        check("ratio", &|id| {
            PhysicalValue::Float(if id == 0 { -0.0 } else { id as f32 / 4.0 }).hash()
        });
        check("price", &|id| {
            PhysicalValue::Double(if id == 1 { f64::NAN } else { id as f64 / 8.0 }).hash()
        });
        check("uuid", &|id| {
            PhysicalValue::FixedLenByteArray(&i128::from(id).to_be_bytes()).hash()
        });
        check("day", &|id| PhysicalValue::Int32(id as i32).hash());
        check("count", &|id| {
            PhysicalValue::Int32((u32::MAX - id as u32).cast_signed()).hash()
        });
    }
}

/// Scans find the same rows with and without filters, and filters skip no needed row group.
#[test]
fn row_groups_of_pyarrow_are_skipped() {
    let path = pyarrows();
    let mut superfluous = 0;
    for id in -20..320_i64 {
        let name = format!("user-{id}");
        let of_name = |row: &Row| row.get_string(1).is_ok_and(|found| *found == name);
        let of_id = |row: &Row| row.get_long(0).is_ok_and(|found| found == id);
        for (column, value, holds) in [
            ("id", PhysicalValue::Int64(id), &of_id as &dyn Fn(&Row) -> bool),
            ("name", PhysicalValue::ByteArray(name.as_bytes()), &of_name),
        ] {
            let [(all, read), (ours, by_ours), (_, by_theirs)] =
                [Asks::Nobody, Asks::We, Asks::ArrowRs].map(|asks| scan(&path, column, value, holds, asks));
            assert_eq!((read, &by_ours), (vec![0, 1, 2], &by_theirs), "{column}, {id}");
            // Compared as text, because the rows contain a NaN.
            assert_eq!(format!("{all:?}"), format!("{ours:?}"), "{column}, {id}");
            assert_eq!(ours.len(), usize::from((0..300).contains(&id)), "{column}, {id}");
            superfluous += by_ours.len() - ours.len();
        }
    }
    // About one in a hundred of 2040 answers is a false positive.
    assert!(
        (1..60).contains(&superfluous),
        "{superfluous} row groups were read in vain"
    );
}
