//! A Parquet file written by pyarrow: this project builds the same filters from the same values, and scans skip row
//! groups that cannot hold a value.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod scan;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use filter_formats::parquet::{PhysicalValue, SplitBlockFilter, SplitBlockFilterMut};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::{Row, RowAccessor as _};
use scan::{Asks, scan};

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
            let [all, ours, theirs] = [Asks::Nobody, Asks::We, Asks::ArrowRs]
                .map(|asks| scan(&path, column, value, holds, asks).unwrap());
            assert_eq!(
                (all.read, &ours.read),
                (vec![0, 1, 2], &theirs.read),
                "{column}, {id}"
            );
            // Compared as text, because the rows contain a NaN.
            let rows = format!("{:?}", ours.rows);
            assert_eq!(format!("{:?}", all.rows), rows, "{column}, {id}");
            assert_eq!(
                ours.rows.len(),
                usize::from((0..300).contains(&id)),
                "{column}, {id}"
            );
            superfluous += ours.read.len() - ours.rows.len();
        }
    }
    // About one in a hundred of 2040 answers is a false positive.
    assert!(
        (1..60).contains(&superfluous),
        "{superfluous} row groups were read in vain"
    );
}
