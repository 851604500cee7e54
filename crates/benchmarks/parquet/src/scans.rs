//! Measures the savings of split-block filters in a search for one key in a Parquet file: row groups read and time per
//! key, from opening the file to its rows, without filters, and with filters queried by arrow-rs and by ours from the
//! same bytes.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use bench_kit::databases::{BITS_PER_KEY, Database, Key, Keys, VALUE_BYTES};
use bench_kit::record::Batch;
use bench_kit::version;
use bench_parquet::{Asks, scan};
use filter_formats::parquet::PhysicalValue;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::record::{Row, RowAccessor as _};
use parquet::schema::parser::parse_message_type;

/// Row groups of the file.
const GROUPS: usize = 16;
/// Keys of a batch. A key takes milliseconds if all row groups are read.
const GETS: usize = 2;

/// The names in the records, and the code that queries the filters.
const ASKING: [(&str, Asks); 3] = [
    ("none", Asks::Nobody),
    ("engine", Asks::ArrowRs),
    ("ours-split-blocks", Asks::We),
];

/// Writes a file of keys and values, with a filter of the keys of each row group.
fn write(path: &Path, keys: &[Key]) -> Result<(), ParquetError> {
    let schema = "message rows { required binary key (UTF8); required binary value (UTF8); }";
    let rows = keys.len() / GROUPS;
    let properties = WriterProperties::builder()
        .set_column_bloom_filter_enabled("key".into(), true)
        // The rate for which arrow-rs sizes a filter to 10 bits per key, rounded up to a power of two.
        .set_bloom_filter_fpp(0.01)
        .set_bloom_filter_max_ndv(rows as u64)
        .build();
    let schema = Arc::new(parse_message_type(schema)?);
    let mut writer = SerializedFileWriter::new(File::create(path)?, schema, Arc::new(properties))?;
    for keys in keys.chunks_exact(rows) {
        let keys: Vec<ByteArray> = keys.iter().map(|key| key.to_vec().into()).collect();
        let values = vec![ByteArray::from(vec![b'v'; VALUE_BYTES]); rows];
        let mut group = writer.next_row_group()?;
        for column in [keys, values] {
            if let Some(mut writer) = group.next_column()? {
                writer.typed::<ByteArrayType>().write_batch(&column, None, None)?;
                writer.close()?;
            }
        }
        group.close()?;
    }
    writer.close()?;
    Ok(())
}

/// Measures everything. The batches are in the order of measurement.
pub(crate) fn measure(is_quick: bool) -> Result<Vec<Batch>, String> {
    let (entries, rounds) = if is_quick {
        (GROUPS * 812, 5)
    } else {
        (GROUPS * 26_000, 31)
    };
    let folder = tempfile::tempdir().map_err(|error| format!("temporary folder: {error}"))?;
    let path = folder.path().join("rows.parquet");
    let path = path.as_path();
    let keys = Keys::new(entries);
    eprintln!("writing {entries} rows");
    write(path, &keys.stored).map_err(|error| error.to_string())?;
    let reads: [std::cell::Cell<u64>; ASKING.len()] = Default::default();
    let databases = ASKING
        .iter()
        .zip(&reads)
        .map(|(&(policy, asks), reads)| Database {
            policy,
            cache: "nothing",
            bits_per_key: if asks == Asks::Nobody { 0 } else { BITS_PER_KEY },
            found: Box::new(move |keys| {
                let mut found = 0;
                for key in keys {
                    let text = String::from_utf8_lossy(key);
                    let holds = |row: &Row| row.get_string(0).is_ok_and(|found| *found == text);
                    let scanned = scan(path, "key", PhysicalValue::ByteArray(key), holds, asks)
                        .map_err(|error| error.to_string())?;
                    reads.set(reads.get() + scanned.read.len() as u64);
                    found += scanned.rows.len();
                }
                Ok(found)
            }),
            reads: Box::new(|| reads.get()),
        });
    let mut databases: Vec<Database<'_>> = databases.collect();
    keys.measure("parquet", &version("parquet"), &mut databases, (rounds, GETS))
}
