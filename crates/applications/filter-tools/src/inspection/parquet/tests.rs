//! Tests on a file of pyarrow's and damaged copies of it.

use filter_tables::testing::{golden, tables};

use super::*;

fn of(bytes: &[u8]) -> Vec<ColumnFilter> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), bytes).unwrap();
    inspect(file.path(), None, None).unwrap().0
}

fn damage_of(filter: &ColumnFilter) -> String {
    match &filter.unread {
        Some(Unread::Damaged(damage)) => damage.clone(),
        _ => String::new(),
    }
}

/// The footer has the offset and length of the first column's filter, two numbers that follow each other.
#[test]
fn places_that_are_wrong() {
    let bytes = golden::bytes("parquet/pyarrow.parquet");
    let whole = of(&bytes);
    assert!(whole.iter().all(|filter| filter.unread.is_none()));
    let varint = |number: u32| tables::varint(u64::from(number) << 1);
    let place = [&[0x16][..], &varint(30_146), &[0x15], &varint(2064)].concat();
    let at = bytes
        .windows(place.len())
        .position(|window| window == place)
        .expect("field 14 and field 15 follow each other");
    let with = |offset: u32, length: u32| {
        let place = [&[0x16][..], &varint(offset), &[0x15], &varint(length)].concat();
        let mut file = bytes.clone();
        file.splice(at..at + place.len(), place);
        assert_eq!(file.len(), bytes.len(), "numbers of as many bytes");
        of(&file)
    };
    let damage = |filters: &[ColumnFilter]| damage_of(&filters[0]);
    assert_eq!(with(30_146, 2064), whole);
    assert!(damage(&with(30_147, 2064)).contains("header must be"));
    assert!(damage(&with(30_146, 2065)).contains("must be 2065 bytes as in the footer, got 2064"));
    assert!(damage(&with(99_999, 2064)).contains("must be between 0 and"));
    // The filters of both columns are at the same offset.
    assert!(damage_of(&with(32_210, 2064)[1]).contains("overlaps the one at offset 32210"));
    let mut file = bytes.clone();
    // 2^31 - 32 bytes, in a header of the same length.
    file.splice(30_146..30_146 + 6, [0x15, 0xc0, 0xff, 0xff, 0xff, 0x0f]);
    let filters = of(&file);
    assert!(!damage_of(&filters[0]).is_empty() && filters[0].bytes.is_none());
    assert_eq!(filters[1..], whole[1..]);
}

#[test]
fn names_move_no_cursor() {
    assert_eq!(printed("a\u{1b}[31m\u{202e}\n"), "a\\u{1b}[31m\\u{202e}\\n");
}
