//! Reads a file as completely as programs do. The fuzz target `parquet_footers` links to this file.

use filter_parquet::add::{Options, Plan};
use filter_parquet::{Footer, MAGIC, ParquetFile, Value, ValueForm};

/// Reads a footer, and the filters in and before it.
pub(crate) fn read(footer: &[u8]) {
    let len = u32::try_from(footer.len()).unwrap_or(u32::MAX).to_le_bytes();
    read_file(&[&MAGIC, footer, &len, &MAGIC].concat());
}

/// Reads all filters, and looks up a value in each.
pub(crate) fn read_file(file: &[u8]) {
    let file = match ParquetFile::open(file) {
        Ok(file) => file,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let place = file.footer_place();
    let (chunks, len) = (&file.footer().columns, place.end - place.start);
    let paths: usize = chunks.iter().map(|chunk| chunk.path.len()).sum();
    assert!(paths as u64 <= 65 * len && chunks.len() as u64 <= len);
    let mut read = 0;
    for (chunk, filter) in file.filters(chunks) {
        match filter {
            Ok(filter) => {
                read += filter.place.end - filter.place.start;
                assert!((0.0..=1.0).contains(&filter.expected_rate()));
                for form in [ValueForm::Written, ValueForm::Number, ValueForm::Text] {
                    let value = Value::parse("7", chunk.column_type, form);
                    let _ = value.map(|value| filter.may_match(&value));
                }
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    // No byte is read twice.
    assert!(read <= place.end + 8);
    edit(file);
}

/// Puts places of filters into the footer, for every column that may have one.
fn edit(file: ParquetFile<&[u8]>) {
    let mut columns: Vec<String> = file
        .footer()
        .columns
        .iter()
        .map(|chunk| chunk.path.clone())
        .collect();
    columns.truncate(100);
    let options = Options {
        renew: true,
        ..Options::default()
    };
    columns.retain(|column| Plan::new(file.clone(), &[column], options).is_ok());
    let Ok(plan) = Plan::new(file, &columns, options) else {
        // A signed footer.
        return assert!(columns.is_empty());
    };
    // Every third chunk gets no filter.
    let places: Vec<_> = (0..plan.chunks().len())
        .map(|number| (plan.data_len() + 47, 47 * (number % 3)))
        .collect();
    let edited = plan.footer(&places).unwrap();
    let mut edited = Footer::read(&edited[..edited.len() - 8]).unwrap();
    let mut before = plan.file().footer().clone();
    for footer in [&mut before, &mut edited] {
        for chunk in &mut footer.columns {
            if columns.contains(&chunk.path) {
                (chunk.filter_offset, chunk.filter_length) = (None, None);
            }
        }
    }
    assert_eq!(before, edited);
}
