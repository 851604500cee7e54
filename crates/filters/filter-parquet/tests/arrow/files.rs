//! A Parquet file written by pyarrow: this project builds the same filters from the same values, and they tell the row
//! groups that cannot hold a value.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use filter_policy::parquet::{PhysicalValue, SplitBlockFilter, SplitBlockFilterMut};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::properties::ReaderProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::serialized_reader::ReadOptionsBuilder;

fn pyarrows() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../filter-policy/tests/data/parquet/row_groups.parquet")
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
            ours.insert_raw_hashes(ids.iter().map(|&id| values(id)));
            assert_eq!(bitset, theirs.bitset(), "{column}, {row_group}");
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

/// arrow-rs reads the same filters, which deny no value of a row group, and nearly all others.
#[test]
fn row_groups_of_pyarrow_can_be_skipped() {
    let path = pyarrows();
    let file = fs::read(&path).unwrap();
    let properties = ReaderProperties::builder().set_read_bloom_filter(true).build();
    let options = ReadOptionsBuilder::new()
        .with_reader_properties(properties)
        .build();
    let reader = SerializedFileReader::new_with_options(File::open(&path).unwrap(), options).unwrap();
    let mut superfluous = 0;
    for row_group in 0..3 {
        let theirs = reader.get_row_group(row_group).unwrap();
        let [(id_index, ids), (name_index, names)] =
            ["id", "name"].map(|column| filter(&file, &reader, row_group, column));
        let [their_ids, their_names] =
            [id_index, name_index].map(|index| theirs.get_column_bloom_filter(index).unwrap());
        for id in -20..320_i64 {
            let name = format!("user-{id}");
            let is_stored = (0..300).contains(&id) && id % 3 == row_group as i64;
            for (ours, theirs) in [
                (
                    ids.may_match_value(PhysicalValue::Int64(id)),
                    their_ids.check(&id),
                ),
                (
                    names.may_match_value(PhysicalValue::ByteArray(name.as_bytes())),
                    their_names.check(name.as_bytes()),
                ),
            ] {
                assert_eq!(ours, theirs, "{row_group}, {id}");
                assert!(ours || !is_stored, "{row_group}, {id}");
                superfluous += u32::from(ours && !is_stored);
            }
        }
    }
    // About one in a hundred of 1440 answers is a false positive.
    assert!(
        (1..60).contains(&superfluous),
        "{superfluous} row groups would be read in vain"
    );
}
