//! Reads the footers of files that other programs wrote.

use filter_parquet::{
    ColumnChunk, ColumnFilter, Error, Footer, LogicalType, ParquetFile, PastEnd, PhysicalType, Value,
    ValueForm,
};
use filter_policy::parquet::Header;

use crate::support::golden::bytes;
use crate::support::tables::varint;

fn open(name: &str) -> ParquetFile<Vec<u8>> {
    ParquetFile::open(bytes(&format!("parquet/{name}.parquet"))).expect("a whole file")
}

#[test]
fn column_chunks() {
    let file = open("filter_of_zeros");
    let [chunk] = &file.footer().columns[..] else {
        panic!("one column");
    };
    let ColumnChunk {
        path,
        column_type,
        codec,
        pages,
        ..
    } = chunk;
    assert_eq!((path.as_str(), *codec, pages), ("lstr", Some(1), &Some(4..1624)));
    assert_eq!(column_type.physical, PhysicalType::ByteArray);
    assert_eq!(column_type.logical, Some(LogicalType::Text));
    assert_eq!((chunk.num_values, chunk.null_count), (Some(300), Some(0)));
    assert_eq!(
        (chunk.filter_offset, chunk.filter_length),
        (Some(1624), Some(1040))
    );
    assert!(!chunk.is_encrypted && file.footer().row_groups == 1);
    let [(of, Ok(filter))] = &file.filters([chunk]).collect::<Vec<_>>()[..] else {
        panic!("one filter");
    };
    assert_eq!(
        (*of, &filter.place, filter.bitset.len()),
        (chunk, &(1624..2664), 1024)
    );
    assert!(filter.is_empty() && filter.expected_rate() == 0.0);
    // The footer is between the filter, the only one, and its own length.
    let size = bytes("parquet/filter_of_zeros.parquet").len() as u64;
    assert_eq!(file.footer_place(), &(2664..size - 8));

    let chunks = open("encrypted_column").footer().columns.clone();
    let encrypted: Vec<_> = chunks.iter().filter(|chunk| chunk.is_encrypted).collect();
    assert!(matches!(encrypted[..], [b] if b.path == "b"));
}

/// The values of a column without nulls are all of them, and at least none.
#[test]
fn stored_values() {
    let mut chunk = open("filter_of_zeros").footer().columns[0].clone();
    for (values, nulls, stored) in [
        (Some(300), Some(1), Some(299)),
        (Some(300), None, Some(300)),
        (Some(1), Some(2), Some(0)),
        (None, Some(0), None),
    ] {
        (chunk.num_values, chunk.null_count) = (values, nulls);
        assert_eq!(chunk.stored_values(), stored);
    }
}

#[test]
fn a_footer_without_paths() {
    let file = open("footer_without_paths");
    let columns = &file.footer().columns;
    assert!(matches!(&columns[..], [id] if id.path == "a.id"));
    let parse = |text: &str| Value::parse(text, columns[0].column_type, ValueForm::Written).unwrap();
    let [(_, Ok(filter))] = &file.filters(columns).collect::<Vec<_>>()[..] else {
        panic!("one filter");
    };
    let matching = |filter: &ColumnFilter, range: std::ops::Range<u64>| {
        range
            .filter(|id| filter.may_match(&parse(&id.to_string())))
            .count()
    };
    assert_eq!(matching(filter, 0..100), 100);
    assert!(matching(filter, 1000..2000) < 50);
}

/// The paths of columns are those of their places in the schema: of each file, without the paths that it states.
#[test]
fn stated_paths_are_those_of_the_schema() {
    let mut nested = 0;
    for name in [
        "row_groups",
        "values",
        "values_arrow_rs",
        "offset_0",
        "pyarrow",
        "duckdb",
    ] {
        let file = open(name);
        let place = file.footer_place();
        let footer = &bytes(&format!("parquet/{name}.parquet"))[place.start as usize..place.end as usize];
        let mut without = [footer.to_vec(), footer.to_vec()];
        for chunk in &file.footer().columns {
            let part = |part: &str| [&[part.len() as u8], part.as_bytes()].concat();
            // A name may have a dot.
            let parts: Vec<&str> = match chunk.path.as_str() {
                "a.b" => vec!["a.b"],
                path => path.split('.').collect(),
            };
            nested += usize::from(parts.len() > 1);
            // Field 3, a list of texts, and field 4, a number: the list is empty, and it is left out.
            let list = |parts: &[&str]| {
                let names = parts.iter().flat_map(|name| part(name));
                [
                    vec![0x19, (parts.len() as u8) << 4 | 8],
                    names.collect(),
                    vec![0x15],
                ]
                .concat()
            };
            let mut stated = list(&parts);
            if !without[0].windows(stated.len()).any(|bytes| bytes == stated) {
                stated = list(&["a", "b"]);
            }
            for (footer, other) in without.iter_mut().zip([list(&[]), vec![0x25]]) {
                let at = footer.windows(stated.len()).position(|bytes| bytes == stated);
                let at = at.unwrap_or_else(|| panic!("{name}, {}", chunk.path));
                footer.splice(at..at + stated.len(), other);
            }
        }
        for footer in without {
            assert_eq!(Footer::read(&footer).as_ref(), Ok(file.footer()), "{name}");
        }
    }
    assert!(nested > 0);
}

/// A column `a.b` has 1 and 2, and the column `b` of the group `a` has 3 and 4.
#[test]
fn columns_of_one_path() {
    let whole = bytes("parquet/values.parquet");
    let groups = |file: &[u8], path: &str, numbers: &[&str]| {
        let file = ParquetFile::open(file).unwrap();
        let of_column = |chunk: &ColumnChunk| {
            let parse = |number: &&str| Value::parse(number, chunk.column_type, ValueForm::Written);
            numbers.iter().map(parse).collect()
        };
        file.row_groups_with(path, of_column)
    };
    let file = ParquetFile::open(&whole[..]).unwrap();
    let shared: Vec<_> = file
        .footer()
        .columns
        .iter()
        .filter(|chunk| chunk.shares_path)
        .collect();
    let [top, nested] = shared[..] else {
        panic!("two columns");
    };
    assert_eq!([&*top.path, &*nested.path], ["a.b"; 2]);
    assert_eq!(nested.column, top.column + 1);
    for numbers in [&["1"][..], &["2"], &["3"], &["5", "4"]] {
        assert_eq!(groups(&whole, "a.b", numbers), Ok(vec![0]), "{numbers:?}");
    }
    for numbers in [&["5", "6"][..], &[]] {
        assert_eq!(groups(&whole, "a.b", numbers), Ok(vec![]), "{numbers:?}");
    }
    assert_eq!(groups(&bytes("parquet/offset_0.parquet"), "b", &[]), Ok(vec![]));
    assert_eq!(groups(&whole, "no column", &["5"]), Ok(vec![0]));
    assert!(groups(&whole, "a.b", &["five"]).is_err());
    // One of them has no filter, or one of zeros.
    for chunk in [top, nested] {
        let offset = chunk.filter_offset.unwrap();
        let stated = [&[0x16][..], &varint(offset << 1)].concat();
        let at = whole
            .windows(stated.len())
            .rposition(|bytes| bytes == stated)
            .unwrap();
        let mut without = whole.clone();
        // The offset 0, in as many bytes.
        without[at + 1..at + stated.len()].fill(0x80);
        without[at + stated.len() - 1] = 0;
        let filter = file.filters([chunk]).next().unwrap().1.unwrap();
        let mut unfilled = whole.clone();
        unfilled[filter.place.end as usize - filter.bitset.len()..filter.place.end as usize].fill(0);
        for changed in [without, unfilled] {
            assert_eq!(groups(&changed, "a.b", &["5"]), Ok(vec![0]));
        }
    }
    // In the second of three row groups.
    let rows = bytes("parquet/row_groups.parquet");
    assert_eq!(groups(&rows, "id", &["7"]), Ok(vec![1]));
}

/// The footer has the offset and length of the first column's filter, two numbers that follow each other.
#[test]
fn places_that_are_wrong() {
    let whole = bytes("parquet/pyarrow.parquet");
    let of = |bytes: Vec<u8>| -> Vec<Result<ColumnFilter, Error<PastEnd>>> {
        let file = ParquetFile::open(bytes).unwrap();
        file.filters(&file.footer().columns)
            .map(|(_, filter)| filter)
            .collect()
    };
    let filters = of(whole.clone());
    assert!(filters.len() > 1 && filters.iter().all(Result::is_ok));
    let number = |number: u32| varint(u64::from(number) << 1);
    let place = |offset, length| [&[0x16][..], &number(offset), &[0x15], &number(length)].concat();
    let stated = place(30_146, 2064);
    let at = whole.windows(stated.len()).position(|window| window == stated);
    let at = at.expect("field 14 and field 15 follow each other");
    let with = |offset: u32, length: u32| {
        let mut file = whole.clone();
        file.splice(at..at + stated.len(), place(offset, length));
        assert_eq!(file.len(), whole.len(), "numbers of as many bytes");
        of(file)
    };
    assert_eq!(with(30_146, 2064), filters);
    for (offset, length, column, message) in [
        (
            30_147,
            2064,
            0,
            "the filter at offset 30147: filter header must be",
        ),
        (30_146, 2065, 0, "must be 2065 bytes as in the footer, got 2064"),
        (99_999, 2064, 0, "the filter's offset must be between 0 and"),
        // The filters of both columns are at the same offset.
        (32_210, 2064, 1, "32210: it overlaps the one at offset 32210"),
    ] {
        let error = with(offset, length)[column].clone().unwrap_err();
        assert!(
            error.is_damage() && error.to_string().contains(message),
            "{error}"
        );
    }
    // A longer header, of 2^31 - 32 bytes.
    let header = Header::new((1 << 31) - 32).unwrap().encode();
    let mut file = whole.clone();
    file[30_146..30_146 + 19].copy_from_slice(header.as_ref());
    let others = of(file);
    let end = Error::FilterEnd {
        offset: 30_146,
        needed: (1 << 31) - 32 + 19,
        rest: whole.len() as u64 - 30_146,
    };
    assert_eq!(others[0], Err(end));
    assert_eq!(others[1..], filters[1..]);
}

/// A header without an algorithm is not damaged: parquetjs writes such headers.
#[test]
fn headers_that_name_nothing() {
    let mut file = bytes("parquet/filter_of_zeros.parquet");
    let (start, header) = (1624, [0x15, 0x80, 0x10, 0x1c, 0, 0x1c, 0, 0x1c, 0, 0]);
    file[start..start + header.len()].copy_from_slice(&header);
    let file = ParquetFile::open(file).unwrap();
    let [(_, Err(error))] = &file.filters(&file.footer().columns).collect::<Vec<_>>()[..] else {
        panic!("one filter");
    };
    let text = "the filter at offset 1624: filter's header names no algorithm";
    assert!(!error.is_damage() && error.to_string() == text);
}

#[test]
fn files_that_are_not_parquet() {
    let error = |bytes: &[u8]| ParquetFile::open(bytes).unwrap_err();
    for bytes in [&b""[..], b"PAR", b"PAR2\0\0\0\0PAR2"] {
        assert_eq!(error(bytes), Error::NotParquet);
    }
    let whole = bytes("parquet/values.parquet");
    for bytes in [
        &whole[..4],
        &whole[..11],
        &whole[..whole.len() - 1],
        b"PAR1\0\0\0\0PAR2",
        b"PARE\0\0\0\0",
    ] {
        assert_eq!(error(bytes), Error::Cut);
    }
    assert!(!Error::<PastEnd>::Cut.is_damage() && Error::<PastEnd>::Cut.to_string().contains("with PAR1"));
    assert_eq!(error(b"PAR1\x01\0\0\0PARE"), Error::EncryptedFooter);
    let too_long = error(b"PAR1\xff\xff\xff\x7fPAR1");
    assert_eq!(
        too_long,
        Error::FooterLength {
            len: 0x7fff_ffff,
            size: 12
        }
    );
    assert!(too_long.is_damage() && !Error::<PastEnd>::NotParquet.is_damage());
    assert!(ParquetFile::open(&b"PAR1\0\0\0\0\0PAR1"[..]).is_err());
}
