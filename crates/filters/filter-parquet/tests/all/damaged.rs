//! Cut and altered files: no bytes cause a panic, or make the reader use more than the file has.

use filter_parquet::{Footer, ParquetFile, Value, ValueForm};
use filter_tables::testing::golden::bytes;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

fn files() -> impl Strategy<Value = Vec<u8>> {
    const NAMES: [&str; 6] = [
        "row_groups",
        "values",
        "values_arrow_rs",
        "encrypted_column",
        "footer_without_paths",
        "filter_of_zeros",
    ];
    select(&NAMES[..]).prop_map(|name| bytes(&format!("parquet/{name}.parquet")))
}

/// Reads all filters and looks up a value in each.
fn check(file: &[u8]) {
    let Ok(file) = ParquetFile::open(file) else {
        return;
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
    assert!(read <= place.end);
}

proptest! {
    #[test]
    fn altered_files_are_read(
        mut file in files(),
        alterations in vec((any::<Index>(), any::<u8>()), 1..4),
        is_in_footer in any::<bool>(),
    ) {
        let place = ParquetFile::open(&file).unwrap().footer_place().clone();
        let start = if is_in_footer { place.start as usize } else { 0 };
        let len = file.len() - start;
        for (at, byte) in alterations {
            file[start + at.index(len)] = byte;
        }
        check(&file);
    }

    /// Takes bytes out of a file or of its footer, or puts others in.
    #[test]
    fn cut_files_are_read(file in files(), at in any::<Index>(), len in 0..40_usize, more in vec(any::<u8>(), 0..8)) {
        let place = ParquetFile::open(&file).unwrap().footer_place().clone();
        let mut footer = file[place.start as usize..place.end as usize].to_vec();
        let start = at.index(footer.len());
        footer.splice(start..footer.len().min(start + len), more);
        let _ = Footer::read(&footer[..start]);
        let stated = u32::try_from(footer.len()).unwrap().to_le_bytes();
        check(&[&file[..place.start as usize], &footer, &stated, b"PAR1"].concat());
        check(&file[..at.index(file.len())]);
        check(&file[at.index(file.len())..]);
    }

    #[test]
    fn any_bytes_are_a_footer_or_damaged(footer in vec(any::<u8>(), 0..200)) {
        let stated = u32::try_from(footer.len()).unwrap().to_le_bytes();
        check(&[b"PAR1", &footer[..], &stated, b"PAR1"].concat());
    }
}
