//! Cut and altered files: no bytes cause a panic, or make the reader use more than the file has.

use std::io;

use filter_parquet::add::{Options, add_bloom_filters};
use filter_parquet::{Footer, ParquetFile};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::reader::{read, read_file};
use crate::support::golden::bytes;

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

/// Reads the values of each column, and builds filters of them.
fn add(file: &[u8]) {
    let Ok(opened) = ParquetFile::open(file) else {
        return;
    };
    let options = Options {
        memory: 64 << 20,
        always: true,
        renew: true,
        ..Options::default()
    };
    for chunk in opened.footer().columns.iter().take(100) {
        if let Err(error) = add_bloom_filters(file, io::sink(), &[&chunk.path], options) {
            assert!(!error.to_string().is_empty());
        }
    }
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
        read_file(&file);
        add(&file);
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
        read_file(&[&file[..place.start as usize], &footer, &stated, b"PAR1"].concat());
        read_file(&file[..at.index(file.len())]);
        read_file(&file[at.index(file.len())..]);
    }

    #[test]
    fn any_bytes_are_a_footer_or_damaged(footer in vec(any::<u8>(), 0..200)) {
        read(&footer);
    }
}
