//! Parquet files written by pyarrow and arrow-rs: this project builds the same filters from the same values, and scans
//! skip row groups that cannot hold a value.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bench_parquet::{Asks, scan};
use filter_formats::parquet::{PhysicalValue, SplitBlockFilter, SplitBlockFilterMut};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::{Row, RowAccessor as _};
use parquet::schema::parser::parse_message_type;

fn pyarrows() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../filter-formats/tests/data/parquet/row_groups.parquet")
}

/// Returns the stored filter of a column.
fn filter<'a>(file: &'a [u8], path: &Path, row_group: usize, column: &str) -> SplitBlockFilter<'a> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let columns = reader.metadata().row_group(row_group).columns();
    let chunk = columns
        .iter()
        .find(|chunk| chunk.column_path().string() == column);
    let offset = usize::try_from(chunk.unwrap().bloom_filter_offset().unwrap()).unwrap();
    SplitBlockFilter::read(&file[offset..]).unwrap()
}

/// Row group `g` has the ids 3 i + g; all other values follow from the id.
#[test]
fn the_filters_of_pyarrow_are_ours() {
    let path = pyarrows();
    let file = fs::read(&path).unwrap();
    for row_group in 0..3_usize {
        let ids: Vec<i64> = (0..100).map(|i| 3 * i + row_group as i64).collect();
        let check = |column: &str, values: &dyn Fn(i64) -> u64| {
            let theirs = filter(&file, &path, row_group, column);
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

/// Checks that scans find the same rows with and without filters, and that filters skip no needed row group.
fn check_scans(path: &Path, holding: impl Fn(i64) -> usize) {
    let mut superfluous = 0;
    for id in -20..320_i64 {
        let name = format!("user-{id}");
        let of_name = |row: &Row| row.get_string(1).is_ok_and(|found| *found == name);
        let of_id = |row: &Row| row.get_long(0).is_ok_and(|found| found == id);
        for (column, value, holds) in [
            ("id", PhysicalValue::Int64(id), &of_id as &dyn Fn(&Row) -> bool),
            ("name", PhysicalValue::ByteArray(name.as_bytes()), &of_name),
        ] {
            let all = scan(path, column, value, holds, Asks::Nobody).unwrap();
            let some = scan(path, column, value, holds, Asks::We).unwrap();
            let theirs = scan(path, column, value, holds, Asks::ArrowRs).unwrap();
            assert_eq!(some.read, theirs.read, "{column}, {id}");
            // Compared as text, because the rows contain a NaN.
            assert_eq!(
                format!("{:?}", all.rows),
                format!("{:?}", some.rows),
                "{column}, {id}"
            );
            assert_eq!(all.read, [0, 1, 2]);
            let expected = (0..300).contains(&id).then(|| holding(id));
            assert_eq!(some.rows.len(), usize::from(expected.is_some()));
            assert!(
                expected.is_none_or(|group| some.read.contains(&group)),
                "{column}, {id}"
            );
            superfluous += some.read.len() - usize::from(expected.is_some());
        }
    }
    // About one in a hundred of 2040 answers is a false positive.
    assert!(
        (1..60).contains(&superfluous),
        "{superfluous} row groups were read in vain"
    );
}

#[test]
fn row_groups_of_pyarrow_are_skipped() {
    check_scans(&pyarrows(), |id| usize::try_from(id % 3).unwrap());
}

#[test]
fn row_groups_of_arrow_rs_are_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    let schema = "message rows {
        required int64 id;
        required binary name (UTF8);
        required double price;
    }";
    let properties = WriterProperties::builder()
        .set_bloom_filter_enabled(true)
        .set_bloom_filter_fpp(0.01)
        .set_bloom_filter_max_ndv(100)
        .build();
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer =
        SerializedFileWriter::new(File::create(&path).unwrap(), schema, Arc::new(properties)).unwrap();
    for group in 0..3_i64 {
        let ids: Vec<i64> = (0..100).map(|i| 3 * i + group).collect();
        let names: Vec<ByteArray> = ids
            .iter()
            .map(|id| format!("user-{id}").as_str().into())
            .collect();
        let prices: Vec<f64> = ids.iter().map(|&id| id as f64 / 8.0).collect();
        let mut row_group = writer.next_row_group().unwrap();
        let mut column = row_group.next_column().unwrap().unwrap();
        column.typed::<Int64Type>().write_batch(&ids, None, None).unwrap();
        column.close().unwrap();
        let mut column = row_group.next_column().unwrap().unwrap();
        column
            .typed::<ByteArrayType>()
            .write_batch(&names, None, None)
            .unwrap();
        column.close().unwrap();
        let mut column = row_group.next_column().unwrap().unwrap();
        column
            .typed::<DoubleType>()
            .write_batch(&prices, None, None)
            .unwrap();
        column.close().unwrap();
        row_group.close().unwrap();
    }
    writer.close().unwrap();

    let file = fs::read(&path).unwrap();
    for group in 0..3_usize {
        let theirs = filter(&file, &path, group, "price");
        let mut bitset = vec![0; theirs.bitset().len()];
        let mut ours = SplitBlockFilterMut::new(&mut bitset).unwrap();
        ours.insert_hashes((0..100).map(|i| PhysicalValue::Double((3 * i + group) as f64 / 8.0).hash()));
        assert_eq!(ours.as_filter().bitset(), theirs.bitset(), "row group {group}");
    }
    check_scans(&path, |id| usize::try_from(id % 3).unwrap());
}
