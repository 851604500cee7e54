//! `inspect` on a Parquet file that pyarrow wrote, and on damaged copies.

use filter_tables::testing::golden::bytes as golden;
use serde_json::{Value, json};

use super::Workbench;

/// A file of three row groups, each with every third number, so that minimum and maximum exclude no row group.
const FILE: &str = "parquet/row_groups.parquet";

fn bench() -> Workbench {
    let bench = Workbench::new();
    bench.write("rows.parquet", golden(FILE));
    bench
}

#[test]
fn filters_of_all_columns() {
    insta::assert_snapshot!("inspect parquet", bench().done("inspect rows.parquet"));
}

/// Distinguishes row groups that may hold a value from those that cannot, for every physical type.
#[test]
fn row_groups_that_can_be_skipped() {
    let bench = bench();
    // The file has -0.0, and -6 has the bits of the unsigned number.
    for (column, key, expected) in [
        ("id", "7", "no yes no"),
        ("id", "300", "no no no"),
        ("name", "user-8", "no no yes"),
        ("ratio", "0.75", "yes no no"),
        ("ratio", "0", "yes no no"),
        ("price", "NaN", "yes yes yes"),
        ("uuid", "00000000-0000-0000-0000-000000000009", "yes no no"),
        ("day", "5", "no no yes"),
        ("count", "4294967290", "no no yes"),
        ("count", "-6", "no no yes"),
        ("place.city", "city 10", "no yes no"),
    ] {
        let asked = format!("inspect rows.parquet --column {column} --key '{key}'");
        let filters = bench.json(0, &format!("{asked} --json"));
        let answers: Vec<&str> = expected.split(' ').collect();
        assert_eq!(filters.as_array().unwrap().len(), answers.len());
        for (row_group, answer) in answers.iter().enumerate() {
            let filter = &filters[row_group];
            let rate = &filter["expected_rate"];
            assert!(rate.as_f64().is_some_and(|rate| (0.005..0.02).contains(&rate)));
            let expected = json!({
                "row_group": row_group, "column": column, "bytes": 128, "expected_rate": rate,
                "may_match": *answer == "yes",
            });
            assert_eq!(*filter, expected, "{column}: {key}");
        }
        let skipped = answers.iter().filter(|answer| **answer == "no").count();
        let plural = if skipped == 1 { "" } else { "s" };
        let end = format!("3 filters; {skipped} row group{plural} without the key\n");
        assert!(bench.done(&asked).ends_with(&end));
    }
}

#[test]
fn questions_without_an_answer() {
    let bench = bench();
    bench.write("table.ldb", golden("leveldb/ldb/tablebuilder_one_bpk10.ldb"));
    bench.write("text.parquet", "PAR1 and so on");
    bench.write(
        "footer.parquet",
        [&golden(FILE)[..], b"\xff\xff\xff\x7fPAR1"].concat(),
    );
    bench.write(
        "secret.parquet",
        [&golden(FILE)[..], b"\x01\x00\x00\x00PARE"].concat(),
    );
    bench.refuses(
        "inspect rows.parquet --column x => must be known, got \"x\": known are id, name, ratio, price, uuid, day, count, place.city, flag
        inspect rows.parquet --column id --key seven => --key must be a whole number of 64 bits, got \"seven\"
        inspect rows.parquet --column uuid --key 12 => --key must be 16 bytes in hexadecimal digits, got \"12\"
        inspect rows.parquet --column flag --key true => must not name a Boolean column: Parquet files have no filters for
        inspect rows.parquet table.ldb => a Parquet file is inspected alone
        inspect table.ldb --column id => --column needs exactly one path, a Parquet file
        inspect text.parquet => not a Parquet file
        inspect footer.parquet => the footer must fit into the file of
        inspect secret.parquet => the footer is encrypted",
    );
}

#[test]
fn damaged_filters() {
    let bench = Workbench::new();
    let mut file = golden(FILE);
    let start = 22_930;
    assert_eq!(
        file[start..start + 3],
        [0x15, 0x80, 0x02],
        "row group 1, column id"
    );
    // Another hash function.
    file[start + 7] = 0x2c;
    file[start + 8] = 0x2c;
    bench.write("rows.parquet", file);
    let arguments = "inspect rows.parquet --column id --key 8";
    insta::assert_snapshot!("inspect parquet damage", bench.ended(1, arguments));
    let filters = bench.json(1, &format!("{arguments} --json"));
    // An unreadable filter denies nothing.
    let answers = [0, 1, 2].map(|row_group| filters[row_group]["may_match"].as_bool().unwrap());
    assert_eq!(
        (answers, filters.as_array().unwrap().len()),
        ([false, true, true], 3)
    );
    assert_eq!(
        (&filters[1]["bytes"], &filters[1]["expected_rate"]),
        (&Value::Null, &Value::Null)
    );
}
