//! Split-block filters that DuckDB and pyarrow wrote, and the reading of damaged ones.

use filter_policy::Error;
use filter_policy::parquet::{Header, PhysicalValue, SplitBlockFilter, SplitBlockFilterMut};
use filter_policy::{Answers, PackedKeys};
use proptest::collection::vec;
use proptest::prelude::*;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::any_bytes::parquet_headers;
use super::support::golden::{self, rows, unhex};

#[derive(Deserialize)]
struct Row {
    engine: String,
    file: String,
    column: String,
    note: String,
    offset: usize,
    bloom_filter_length: usize,
    header_hex: String,
    num_bytes: u32,
    bitset_hex: String,
    bitset_sha256: String,
    absent: String,
}

impl Row {
    /// Returns the number of values, which rows about sizes state.
    fn count(&self) -> u32 {
        let stated = self.note.strip_prefix("sizing: ndv=");
        stated.map_or(1000, |note| note.split_once(" fpp=").unwrap().0.parse().unwrap())
    }

    /// Returns the plain encoding of value `i`.
    fn plain(&self, i: u32) -> Vec<u8> {
        match self.column.as_str() {
            "i32" => i.to_le_bytes().to_vec(),
            "i64" => (u64::from(i) * 1_000_003).to_le_bytes().to_vec(),
            "d" => (f64::from(i) * 0.5).to_le_bytes().to_vec(),
            _ => format!("key{i}").into_bytes(),
        }
    }

    fn absent(&self, j: u32) -> Vec<u8> {
        match self.column.as_str() {
            "i32" => (1_000_000 + j).to_le_bytes().to_vec(),
            "i64" => (u64::from(j) * 1_000_003 + 1).to_le_bytes().to_vec(),
            "d" => (f64::from(j) + 0.25).to_le_bytes().to_vec(),
            _ => format!("absent{j}").into_bytes(),
        }
    }
}

#[test]
fn filters_are_those_of_the_writers() {
    let rows: Vec<Row> = rows("parquet/sbbf.jsonl");
    assert_eq!(rows.len(), 24);
    for row in rows {
        let at = format!("{}, {}, {}", row.engine, row.column, row.note);
        let stored = [unhex(&row.header_hex), unhex(&row.bitset_hex)].concat();
        assert_eq!(stored.len(), row.bloom_filter_length, "{at}");
        let filter = SplitBlockFilter::read(&stored).unwrap();
        assert_eq!(
            Sha256::digest(filter.bitset())[..],
            unhex(&row.bitset_sha256),
            "{at}"
        );
        let header = Header::new(filter.bitset().len()).unwrap();
        assert_eq!(header.bitset_len(), row.num_bytes);
        assert_eq!(header.encode().as_ref(), unhex(&row.header_hex), "{at}");
        if row.file != "x.parquet" {
            let file = golden::bytes(&format!("parquet/{}", row.file));
            // Bytes after the filter do not matter.
            let in_file = SplitBlockFilter::read(&file[row.offset..]).unwrap();
            assert_eq!(in_file.bitset(), filter.bitset(), "{at}");
        }

        let mut built = vec![0; filter.bitset().len()];
        let mut ours = SplitBlockFilterMut::new(&mut built).unwrap();
        let keys: Vec<Vec<u8>> = (0..row.count()).map(|i| row.plain(i)).collect();
        let slices: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        ours.insert_many(&slices[..]);
        assert!(built == filter.bitset(), "{at}");
        built.fill(0);
        SplitBlockFilterMut::new(&mut built).unwrap().insert_many(&keys);
        assert_eq!(built, filter.bitset(), "{at}");
        if row.column.starts_with('i') || row.column == "d" {
            // A page of such a column.
            built.fill(0);
            let page = keys.concat();
            let keys = PackedKeys::new(&page, keys[0].len()).unwrap();
            SplitBlockFilterMut::new(&mut built).unwrap().insert_many(keys);
            assert_eq!(built, filter.bitset(), "{at}");
        }
        assert!(keys.iter().all(|key| filter.may_match(key)), "{at}");
        for (j, expected) in (0..).zip(row.absent.chars()) {
            assert_eq!(filter.may_match(&row.absent(j)), expected == '1', "{at}: {j}");
        }
    }
}

/// Numbers that compare equal, and NaNs, which compare equal to nothing.
#[test]
fn zeros_and_nans() {
    let mut bitset = [0; 32 * 64];
    let with = |values: &[PhysicalValue<'_>], bitset: &mut [u8]| {
        bitset.fill(0);
        let mut filter = SplitBlockFilterMut::new(bitset).unwrap();
        values
            .iter()
            .for_each(|value| filter.insert_raw_hash(value.hash()));
    };
    for (zero, other) in [
        (PhysicalValue::Float(0.0), PhysicalValue::Float(-0.0)),
        (PhysicalValue::Double(0.0), PhysicalValue::Double(-0.0)),
    ] {
        for stored in [zero, other] {
            with(&[stored], &mut bitset);
            let filter = SplitBlockFilter::new(&bitset).unwrap();
            assert!(filter.may_match_value(zero) && filter.may_match_value(other));
            assert!(
                !filter.may_match_raw_hash(if stored.hash() == zero.hash() { other } else { zero }.hash())
            );
        }
        with(&[PhysicalValue::Int32(0), PhysicalValue::Int64(0)], &mut bitset);
        let filter = SplitBlockFilter::new(&bitset).unwrap();
        // The integer 0 has the bits of the positive zero.
        assert!(filter.may_match_value(zero) && !filter.may_match_raw_hash(other.hash()));
    }
    bitset.fill(0);
    let empty = SplitBlockFilter::new(&bitset).unwrap();
    assert!(empty.may_match_value(PhysicalValue::Float(f32::NAN)));
    assert!(empty.may_match_value(PhysicalValue::Double(-f64::NAN)));
    for value in [
        PhysicalValue::Float(1.0),
        PhysicalValue::Double(f64::INFINITY),
        PhysicalValue::Int32(0),
        PhysicalValue::Int64(0),
        PhysicalValue::ByteArray(b""),
        PhysicalValue::FixedLenByteArray(&[0; 4]),
    ] {
        assert!(!empty.may_match_value(value), "{value:?}");
    }
}

fn hashes() -> impl Strategy<Value = Vec<u64>> {
    vec(any::<u64>(), 0..400)
}

fn built(hashes: &[u64], blocks: usize) -> Vec<u8> {
    let mut bitset = vec![0; 32 * blocks];
    SplitBlockFilterMut::new(&mut bitset)
        .unwrap()
        .insert_raw_hashes(hashes.iter().copied());
    bitset
}

proptest! {
    /// Folding gives the filter of the same values in fewer blocks.
    #[test]
    fn a_folded_filter_is_that_of_fewer_blocks(
        hashes in hashes(),
        odd in (0..4_usize).prop_map(|i| 2 * i + 1),
        folds in 0..6_u32,
    ) {
        let blocks = odd << folds;
        let mut bitset = built(&hashes, blocks);
        for done in 0..=folds {
            let filter = SplitBlockFilterMut::new(&mut bitset).unwrap();
            let folded = filter.fold_to_len((32 * blocks) >> done).unwrap();
            prop_assert!(folded == built(&hashes, blocks >> done));
            prop_assert!(filter.fold_to_len((64 * blocks) >> done).is_err() == (done == 0));
        }
        // What was wrapped denies no value either.
        prop_assert!(bitset == built(&hashes, blocks));
    }

    #[test]
    fn or_merges_filters_of_one_length(left in hashes(), right in hashes(), blocks in 1..20_usize) {
        let pairs = built(&left, blocks).into_iter().zip(built(&right, blocks));
        let merged: Vec<u8> = pairs.map(|(left, right)| left | right).collect();
        prop_assert!(merged == built(&[left, right].concat(), blocks));
    }

    /// No altered, cut or stretched header makes the reader panic, read too far or return an invalid filter.
    #[test]
    fn damaged_filters_are_read(
        blocks in 1..5_usize,
        alterations in vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        more in vec(any::<u8>(), 0..40),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut stored = Header::new(32 * blocks).unwrap().encode().as_ref().to_vec();
        let header = stored.len();
        stored.resize(header + 32 * blocks, 0x5a);
        prop_assert!(SplitBlockFilter::read(&stored).is_ok());
        for len in 0..stored.len() {
            let error = SplitBlockFilter::read(&stored[..len]).unwrap_err();
            let given = len as u64;
            let needed = stored.len() as u64;
            let expected = if len < header { Error::ParquetHeader } else { Error::Truncated { needed, given } };
            prop_assert_eq!(error, expected);
        }
        for (at, byte) in alterations {
            stored[at.index(header)] = byte;
        }
        parquet_headers::read(&stored);
        let at = cut.index(header);
        stored.splice(at..at, more);
        parquet_headers::read(&stored);
    }
}

/// Headers of later versions of the format, and invalid ones.
#[test]
fn headers_that_nobody_writes_today() {
    let read = |digits: &str| {
        Header::read(&unhex(&digits.replace(' ', ""))).map(|(header, len)| (header.bitset_len(), len))
    };
    // 32 bytes, then algorithm, hash and compression.
    assert_eq!(read("1540 1c1c0000 1c1c0000 1c1c0000 00"), Ok((32, 15)));
    // Fields may come in any order, and unknown ones are skipped: a number, text, a list, a map, a structure, booleans.
    assert_eq!(read("2c1c0000 1c1c0000 1c1c0000 0502 40 00"), Ok((32, 16)));
    assert_eq!(
        read(
            "1540 1c1c0000 1c1c0000 1c1c0000 1502 1803616263 19250204 1b 02 58 02 016102 0162 1c 1501 00 11 12 17 0102030405060708 13 07 19 11 01 00"
        ),
        Ok((32, 55))
    );
    let unknown = |what, number| Err(Error::UnknownToParquet { what, number });
    assert_eq!(
        read("1540 1c2c0000 1c1c0000 1c1c0000 00"),
        unknown("algorithm", 2)
    );
    assert_eq!(
        read("1540 1c1c0000 1c3c0000 1c1c0000 00"),
        unknown("hash function", 3)
    );
    assert_eq!(
        read("1540 1c1c0000 1c1c0000 1c2c0000 00"),
        unknown("compression", 2)
    );
    // A structure for each choice, as parquetjs writes them, but nothing chosen. The length may be anything.
    for (digits, what) in [
        ("1540 1c00 1c00 1c00 00", "algorithm"),
        ("1542 1c1c0000 1c00 1c1c0000 00", "hash function"),
        ("1540 1c1c0000 1c1c0000 1c00 00", "compression"),
    ] {
        assert_eq!(read(digits), unknown(what, 0));
        let text = format!("filter's header names no {what}");
        assert_eq!(read(digits).unwrap_err().to_string(), text);
    }
    for (digits, given) in [
        ("00", 0),
        ("3f", -32),
        ("42", 33),
        ("80808080 10", 2_147_483_648),
        ("ffffffff ffffffff ff01", i64::MIN),
    ] {
        let header = format!("15{digits} 1c1c0000 1c1c0000 1c1c0000 00");
        assert_eq!(read(&header), Err(Error::BitsetLength { given }), "{digits}");
    }
    let longest = "15c0ffffff0f 1c1c0000 1c1c0000 1c1c0000 00";
    assert_eq!(read(longest), Ok((2_147_483_616, 19)));
    let (needed, given) = (2_147_483_635, 19);
    let error = SplitBlockFilter::read(&unhex(&longest.replace(' ', ""))).unwrap_err();
    assert_eq!(error, Error::Truncated { needed, given });
    for digits in [
        "",
        "00",
        "1540 00",
        "1540 1c1c0000 1c1c0000 00",
        // Two algorithms, and a number instead of an algorithm.
        "1540 1c1c001c000 0 1c1c0000 1c1c0000 00",
        "1540 1502 1c1c0000 1c1c0000 00",
        // A number of more than ten bytes, an unknown type, text and lists longer than the input.
        "15ffffffffffffffffffffff01 1c1c0000 1c1c0000 1c1c0000 00",
        "1540 1c1c0000 1c1c0000 1c1c0000 1f 00",
        "1540 1c1c0000 1c1c0000 1c1c0000 18ffffffff0f 00",
        "1540 1c1c0000 1c1c0000 1c1c0000 19f5ffffffff0f 00",
        "1540 1c1c0000 1c1c0000 1c1c0000 1bffffffff0f55 00",
    ] {
        assert_eq!(read(digits), Err(Error::ParquetHeader), "{digits}");
    }
    // Nested structures.
    let deep = |depth: usize| {
        let mut bytes = unhex("15401c1c00001c1c00001c1c0000");
        bytes.extend(vec![0x1c; depth]);
        bytes.extend(vec![0; depth + 1]);
        Header::read(&bytes).is_ok()
    };
    assert!(deep(31) && !deep(33) && !deep(1000));
    // The header must end within `MAX_BYTES`.
    let mut long = unhex("15401c1c00001c1c00001c1c00001880 02".replace(' ', "").as_str());
    long.extend([0; 257]);
    assert_eq!(Header::read(&long), Err(Error::ParquetHeader));
}

/// One value in the filters of many row groups is answered as in each of them: zeros of both signs, any NaN.
#[test]
fn one_value_in_many_filters() {
    let stored = [
        PhysicalValue::Double(-0.0),
        PhysicalValue::Float(0.0),
        PhysicalValue::Int32(7),
    ];
    let groups: Vec<Vec<u8>> = (0..130)
        .map(|i| built(&[stored[i % 3].hash()], 1 + i % 5))
        .collect();
    let filters: Vec<_> = groups
        .iter()
        .map(|group| SplitBlockFilter::new(group).unwrap())
        .collect();
    let others = [
        PhysicalValue::Double(0.0),
        PhysicalValue::Float(-0.0),
        PhysicalValue::Double(f64::NAN),
    ];
    for value in stored.into_iter().chain(others) {
        for count in [0, 1, 64, 65, 130] {
            let mut words = [7; 3];
            let mut answers = Answers::new(&mut words);
            value.may_match_each(&filters[..count], &mut answers).unwrap();
            let each = filters[..count]
                .iter()
                .map(|filter| filter.may_match_value(value));
            assert!(answers.iter().eq(each), "{value:?}, {count} filters");
        }
    }
}
