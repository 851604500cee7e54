//! Filters that are added to files of arrow-rs have the bytes of its own filters. It reads these files as it did before.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use filter_parquet::add::{Options, add_bloom_filters};
use parquet::basic::{Encoding::*, Type};
use parquet::bloom_filter::Sbbf;
use parquet::data_type::*;
use parquet::file::properties::{ReaderProperties, WriterProperties, WriterVersion};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::serialized_reader::ReadOptionsBuilder;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::SchemaDescriptor;

use crate::filters::written;

const TYPES: &str = "int32|int64|float|double|binary|fixed_len_byte_array(5)|int32 (DATE)|int32 (INTEGER(8,false))|\
    int64 (TIMESTAMP(MICROS,true))|int64 (DECIMAL(15,3))|binary (STRING)|binary (JSON)|binary (ENUM)|\
    fixed_len_byte_array(16) (UUID)|int32 (DECIMAL(9,2))|int64 (TIME(MICROS,true))";
const COMPRESSIONS: &str = "UNCOMPRESSED SNAPPY GZIP(6) BROTLI(1) LZ4 LZ4_RAW ZSTD(1)";
const GROUPS: usize = 3;

/// The bytes of the values of each column chunk, by row group and path.
type Values = BTreeMap<(usize, String), Vec<Vec<u8>>>;

/// Returns a schema with every type as required, optional, in a list and in a group.
fn schema() -> String {
    let columns = TYPES.split('|').enumerate().map(|(n, column)| {
        let (kind, logical) = column.split_once(' ').unwrap_or((column, ""));
        format!(
            "required {kind} r{n} {logical}; optional {kind} o{n} {logical};
             optional group l{n} (LIST) {{ repeated group list {{ optional {kind} element {logical}; }} }}
             optional group g{n} {{ optional {kind} member {logical}; }}"
        )
    });
    format!("message all {{ {} }}", columns.collect::<String>())
}

/// Definition levels, repetition levels, and the numbers that values are made of.
type Rows = (Vec<i16>, Vec<i16>, Vec<u64>);

/// Returns rows of which one in eight is null or empty at each level; in some columns all rows of a row group are.
fn rows(most: i16, is_list: bool, column: usize, group: usize) -> Rows {
    let mut rows = Rows::default();
    for row in 0..250 {
        let is_null = (group, column % 5) == (1, 0);
        let level = if is_null { 0 } else { most.min((row % 8) as i16) };
        for element in 0..if is_list && level >= 2 { 1 + row % 3 } else { 1 } {
            rows.0.push(level);
            rows.1.push(i16::from(element > 0));
            if level == most {
                let number = (row * 3 + element) % [1000, 90][column % 2];
                rows.2.push(number * GROUPS as u64 + group as u64);
            }
        }
    }
    rows
}

/// Writes a chunk, and returns the bytes of its values.
fn put<T: DataType>(
    writer: &mut SerializedColumnWriter<'_>,
    rows: &Rows,
    value: impl Fn(u64) -> T::T,
) -> Vec<Vec<u8>> {
    let values: Vec<T::T> = rows.2.iter().map(|&number| value(number)).collect();
    let writer = writer.typed::<T>();
    writer.write_batch(&values, Some(&rows.0), Some(&rows.1)).unwrap();
    values.iter().map(|value| value.as_bytes().to_vec()).collect()
}

/// Writes a file. The variant is one of compression, version of pages and, column by column, encoding.
fn write(variant: usize) -> (Vec<u8>, Values) {
    let schema = Arc::new(parse_message_type(&schema()).unwrap());
    let compression = COMPRESSIONS.split(' ').nth(variant % 7).unwrap();
    let mut properties = WriterProperties::builder()
        .set_compression(compression.parse().unwrap())
        .set_writer_version([WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0][variant / 7])
        .set_dictionary_page_size_limit(500)
        .set_write_batch_size(16)
        .set_data_page_row_count_limit(40);
    let descriptor = SchemaDescriptor::new(Arc::clone(&schema));
    for (n, column) in descriptor.columns().iter().enumerate() {
        let encodings = match column.physical_type() {
            Type::INT32 | Type::INT64 => [PLAIN, DELTA_BINARY_PACKED, BYTE_STREAM_SPLIT],
            Type::BYTE_ARRAY => [PLAIN, DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY],
            Type::FIXED_LEN_BYTE_ARRAY => [PLAIN, DELTA_BYTE_ARRAY, BYTE_STREAM_SPLIT],
            _ => [PLAIN, PLAIN, BYTE_STREAM_SPLIT],
        };
        let (path, choice) = (column.path(), n / 4 + n + variant);
        properties = properties
            .set_column_encoding(path.clone(), encodings[choice % 3])
            .set_column_dictionary_enabled(path.clone(), choice % 4 == 0);
    }
    let (mut file, mut all) = (Vec::new(), Values::new());
    let mut writer = SerializedFileWriter::new(&mut file, schema, Arc::new(properties.build())).unwrap();
    for group in 0..GROUPS {
        let mut row_group = writer.next_row_group().unwrap();
        for (n, column) in descriptor.columns().iter().enumerate() {
            let rows = rows(column.max_def_level(), column.max_rep_level() > 0, n, group);
            let mut writer = row_group.next_column().unwrap().unwrap();
            let text = |number: u64, len: usize| format!("{number:0len$}").into_bytes();
            let len = column.type_length().max(0) as usize;
            // No number is zero, of which filters have both.
            let values = match column.physical_type() {
                Type::INT32 => put::<Int32Type>(&mut writer, &rows, |n| n as i32 - 99),
                Type::INT64 => put::<Int64Type>(&mut writer, &rows, |n| n as i64 * 0x1_0000_0001),
                Type::FLOAT => put::<FloatType>(&mut writer, &rows, |n| n as f32 - 9.5),
                Type::DOUBLE => put::<DoubleType>(&mut writer, &rows, |n| n as f64 / 7.0 - 9.5),
                Type::BYTE_ARRAY => put::<ByteArrayType>(&mut writer, &rows, |n| text(n, 4).into()),
                _ => put::<FixedLenByteArrayType>(&mut writer, &rows, |n| text(n, len).into()),
            };
            all.insert((group, column.path().string()), values);
            writer.close().unwrap();
        }
        row_group.close().unwrap();
    }
    writer.close().unwrap();
    (file, all)
}

fn open(file: &[u8]) -> SerializedFileReader<Bytes> {
    let properties = ReaderProperties::builder().set_read_bloom_filter(true).build();
    let options = ReadOptionsBuilder::new().with_reader_properties(properties);
    SerializedFileReader::new_with_options(Bytes::copy_from_slice(file), options.build()).unwrap()
}

/// Adds filters to all columns, and compares them with those of arrow-rs, and the file with what it was.
fn add(before: &[u8], values: &Values) {
    let columns: Vec<&String> = values.keys().map(|(_, path)| path).collect();
    let (mut after, mut wrong) = (Vec::new(), 0);
    let options = Options {
        always: true,
        ..Options::default()
    };
    add_bloom_filters(before, &mut after, &columns, options).unwrap();
    let (old, new) = (open(before), open(&after));
    let rows = |file: &SerializedFileReader<Bytes>| file.get_row_iter(None).unwrap().collect::<Vec<_>>();
    assert_eq!(format!("{:?}", rows(&old)), format!("{:?}", rows(&new)));
    assert_eq!(old.metadata().file_metadata(), new.metadata().file_metadata());
    for group in 0..GROUPS {
        let (row_group, mut expected) = (new.get_row_group(group).unwrap(), Vec::new());
        let others = old.metadata().row_group(group);
        for (index, chunk) in row_group.metadata().columns().iter().enumerate() {
            let (offset, len) = (chunk.bloom_filter_offset(), chunk.bloom_filter_length());
            let path = chunk.column_path().string();
            let other = others
                .column(index)
                .clone()
                .into_builder()
                .set_bloom_filter_offset(offset);
            expected.push(other.set_bloom_filter_length(len).build().unwrap());
            let stored = &values[&(group, path.clone())];
            assert_eq!(offset.is_none(), stored.is_empty(), "{path}, {group}");
            let Some((offset, len)) = offset.zip(len) else {
                continue;
            };
            let mut theirs = Sbbf::new_with_num_of_bytes(1 << len.ilog2());
            stored.iter().for_each(|value| theirs.insert(value.as_slice()));
            let ours = &after[offset as usize..][..len as usize];
            assert!(ours == written(&theirs), "{path}, {group}");
            let filter = row_group.get_column_bloom_filter(index).unwrap();
            let may_match = |value: &&Vec<u8>| filter.check(value.as_slice());
            assert_eq!(stored.iter().filter(may_match).count(), stored.len());
            // The values of another row group are none of this one.
            let absent = &values[&((group + 1) % GROUPS, path)];
            wrong += 100 * absent.iter().filter(may_match).count();
        }
        let expected = others.clone().into_builder().set_column_metadata(expected);
        assert_eq!(row_group.metadata(), &expected.build().unwrap());
    }
    assert!((1..values.values().map(Vec::len).sum()).contains(&wrong));
}

#[test]
fn filters_are_those_of_arrow() {
    for variant in 0..14 {
        let (file, values) = write(variant);
        add(&file, &values);
    }
}
