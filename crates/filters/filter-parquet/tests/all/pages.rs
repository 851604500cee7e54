//! Pages that writers or attackers made otherwise than others. Values are decoded on little-endian processors alone.

use std::cell::Cell;
use std::io;

use filter_parquet::add::{Options, add_bloom_filters};
use filter_parquet::{ParquetFile, ReadAt, Value, ValueForm};

/// Adds a filter to a file of the column `c`, and returns the error.
fn refusal(file: &[u8]) -> Option<String> {
    let added = add_bloom_filters(file, io::sink(), &["c"], Options::default());
    added.err().map(|error| error.to_string())
}

/// Returns a file with one page. Its length stands between the parts of the header, and after the footer up to there.
fn file_of_a_page(header: [&[u8]; 2], page: &[u8], footer: &[u8]) -> Vec<u8> {
    // The least byte of a number with a sign counts halves.
    let len = 2 * page.len() as u8;
    let chunk_len = len + 2 * (header.concat().len() as u8 + 1);
    [
        b"PAR1",
        header[0],
        &[len],
        header[1],
        page,
        footer,
        &[chunk_len, 0x16, chunk_len],
        b"&\x08\0\0\x16@\x16\x02\0(\x01x\0<\0\0\0PAR1",
    ]
    .concat()
}

/// A page without bytes, whose 8,192 values of fixed length in `BYTE_STREAM_SPLIT` would be copied.
#[test]
fn long_values_that_are_not_there() {
    let file = |width: &[u8], footer_len: u8| {
        [
            b"PAR1\x15\0\x15\0\x15\0,\x15\x80\x80\x01\x15\x12\x15\x06\x15\x06\0\0\x15\x02\x19,H\x04root\x15\x02\0\x15\x0e\x15",
            width,
            b"\x15\0\x18\x01c\0\x16\x80\x80\x01\x19\x1c\x19\x1c&\x08\x1c\x15\x0e\x19\x15\0\x19\x18\x01c\x15\0\x16\x80\x80\x01\x16&\x16&&\x08\0\0\x16&\x16\x80\x80\x01\0(\x01x\0",
            &[footer_len, 0, 0, 0],
            b"PAR1",
        ]
        .concat()
    };
    let longest = refusal(&file(b"\xfe\xff\xff\xff\x0f", 0x48)).unwrap();
    assert!(
        longest.ends_with("its values must have less than 16777216 bytes"),
        "{longest}"
    );
    let damaged = refusal(&file(b"\xfe\xff\xff\x0f", 0x47)).unwrap();
    assert!(damaged.ends_with("page 0: its bytes are damaged"), "{damaged}");
}

/// Arrow C++ before 3.0 states that its compressed pages of version 2 are not. The length tells, unless both are equal.
#[test]
fn a_page_that_says_it_is_not_compressed() {
    let file = |page: &[u8]| {
        let header: [&[u8]; 2] = [
            b"\x15\x06\x15\x10\x15",
            b"\x5c\x15\x02\x15\0\x15\x02\x15\0\x15\0\x15\0\x12\0\0",
        ];
        let chunk = b"\x15\x02\x19,H\x04root\x15\x02\0\x15\x04%\0\x18\x01c\0\x16\x02\x19\x1c\x19\x1c&\x08\x1c\x15\x04\x19\x15\0\x19\x18\x01c\x15\x02\x16\x02\x16";
        file_of_a_page(header, page, chunk)
    };
    // The number 5 in Snappy, and as it is.
    for page in [&b"\x08\x1c\x05\0\0\0\0\0\0\0"[..], b"\x05\0\0\0\0\0\0\0"] {
        let mut added = Vec::new();
        add_bloom_filters(&file(page)[..], &mut added, &["c"], Options::default()).unwrap();
        let added = ParquetFile::open(added).unwrap();
        let (chunk, filter) = added.filters(&added.footer().columns).next().unwrap();
        let filter = filter.unwrap();
        let may_match =
            |value| filter.may_match(&Value::parse(value, chunk.column_type, ValueForm::Written).unwrap());
        assert!(may_match("5") && !may_match("6"));
    }
    // The number 5 in Snappy, or another number as it is.
    let error = refusal(&file(b"\x08\x0c\x05\0\0\0\x01\x01")).unwrap();
    assert!(
        error.ends_with("both a compressed page and another one"),
        "{error}"
    );
}

/// The number 7 in LZ4: a block as old writers stored it, shorter than the lengths of Hadoop's blocks; a block of Hadoop,
/// also in two parts; and one that is too short.
#[test]
fn blocks_of_lz4() {
    let file = |page: &[u8]| {
        let header: [&[u8]; 2] = [b"\x15\0\x15\x08\x15", b",\x15\x02\x15\0\x15\x06\x15\x06\0\0"];
        let chunk = b"\x15\x02\x19,H\x04root\x15\x02\0\x15\x02%\0\x18\x01c\0\x16\x02\x19\x1c\x19\x1c&\x08\x1c\x15\x02\x19\x15\0\x19\x18\x01c\x15\x0a\x16\x02\x16";
        file_of_a_page(header, page, chunk)
    };
    let pages = [
        &b"@\x07\0\0\0"[..],
        b"\0\0\0\x04\0\0\0\x05@\x07\0\0\0",
        b"\0\0\0\x04\0\0\0\x03\x20\x07\0\0\0\0\x03\x20\0\0",
    ];
    for page in pages {
        assert_eq!(refusal(&file(page)), None);
    }
    assert!(refusal(&file(b"\0\0\0\x04\0\0\0\x03\x20\x07\0")).is_some());
}

/// A file that counts the bytes which are read.
struct Counted<'f>(&'f [u8], &'f Cell<usize>);

impl ReadAt for Counted<'_> {
    type Error = <[u8] as ReadAt>::Error;

    fn size(&self) -> Result<u64, Self::Error> {
        self.0.size()
    }

    fn read_exact_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), Self::Error> {
        self.1.update(|read| read + buffer.len());
        self.0.read_exact_at(offset, buffer)
    }
}

/// Row groups without rows that all claim the same million bytes, in which there is no page.
#[test]
fn claims_without_values() {
    let row_group = b"\x19\x1c&\x08\x1c\x15\x02\x19\x15\0\x19\x18\x01c\x15\0\x16\0\x16\x80\x80\x80\x01\x16\x80\x80\x80\x01&\x08\0\0\x16\0\x16\0\0";
    let footer = [
        &b"\x15\x02\x19,H\x04root\x15\x02\0\x15\x02%\0\x18\x01c\0\x16\0\x19\xfc\xc8\x01"[..],
        &row_group.repeat(200),
        b"(\x01x\0",
    ]
    .concat();
    let len = u32::try_from(footer.len()).unwrap().to_le_bytes();
    let file = [b"PAR1", &[0; 1 << 20][..], &footer, &len, b"PAR1"].concat();
    let read = Cell::new(0);
    let added = add_bloom_filters(Counted(&file, &read), io::sink(), &["c"], Options::default()).unwrap();
    assert!(added.len() == 200 && added.iter().all(|(_, built)| built.filter.is_err()));
    assert!(read.get() < 2 * file.len(), "{} bytes were read", read.get());
}
