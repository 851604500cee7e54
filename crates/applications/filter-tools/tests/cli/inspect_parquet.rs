//! `inspect` on a Parquet file that pyarrow wrote, and on damaged copies.

use std::fs;

use crate::stored::golden::bytes as golden;
use serde_json::{Value, json};

use super::{Outcome, Workbench};

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

/// Distinguishes row groups that may contain a value from those that cannot, for every physical type.
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
        let command = format!("inspect rows.parquet --column {column} --key '{key}'");
        let filters = bench.json(0, &format!("{command} --json"));
        let answers: Vec<&str> = expected.split(' ').collect();
        assert_eq!(filters.as_array().unwrap().len(), answers.len());
        for (row_group, answer) in answers.iter().enumerate() {
            let filter = &filters[row_group];
            let rate = &filter["expected_rate"];
            assert!(rate.as_f64().is_some_and(|rate| (0.005..0.02).contains(&rate)));
            let expected = json!({
                "file": "rows.parquet", "row_group": row_group, "column": column, "bytes": 128,
                "expected_rate": rate, "may_match": *answer == "yes",
            });
            assert_eq!(*filter, expected, "{column}: {key}");
        }
        let skipped = answers.iter().filter(|answer| **answer == "no").count();
        let plural = if skipped == 1 { "" } else { "s" };
        let end = format!("3 filters; {skipped} row group{plural} without the key\n");
        assert!(bench.done(&command).ends_with(&end));
    }
}

fn values() -> Workbench {
    let bench = bench();
    for name in ["values", "values_arrow_rs", "blobs", "decimals"] {
        bench.write(
            &format!("{name}.parquet"),
            golden(&format!("parquet/{name}.parquet")),
        );
    }
    bench
}

/// Looks up values in the forms that their column's type allows: some that are stored and, after `not`, some that are
/// not.
#[test]
fn values_as_people_write_them() {
    let bench = values();
    for line in "\
        blobs b: ff00 --type binary not ff01 --type binary | ff00 --type string
        decimals d18: 3 | 3.00 | +4.0 | 300 --type long not 5 | 300 | 3 --type long
        decimals d9: 3 | 3.000 | 2c010000 --type binary not 0.03 | 300
        decimals d4: 3 | 1 not 400
        values d9: 3 | -0.01 not 300 | 0.01
        values d18: 3.0 | -.01 not -1
        values d38: 3 | -0.01 | 300 --type long not 0.01 | 300
        values d76: 3.00 | -0.01 not -3
        values_arrow_rs decimal: 3 | 6 | -0.01 | -0.02 not 300 | -3
        values i8: -128 | 127 not 5
        values u8: 200 | 255 not 8
        values half: 0.1 | 0 | NaN | 662e --type binary not 0.11 | -1
        values single: 0.1 | -2.5 not 2.5
        values date: 2026-11-27 | 20784 | 1001-01-07 | 1001-01-01 not 2026-11-28 | 1001-01-02
        values clock_ms: 12:34:56.789 | 00:00:00.000 | 45296789 not 12:34:56
        values clock_ns: 12:34:56.789000000 | 00:00:00 not 45296789
        values ts_ms: 2026-11-27T12:34:56.789 | '1900-01-01 12:34:56.789' | 1795782896789 not 2026-11-27T12:34:56
        values ts_us: 1969-12-31T12:34:56.789 not 2026-11-27T12:34:56.789001
        values ts_ns_utc: 2026-11-27T12:34:56.789Z | '2026-11-27 13:34:56.789+01' not 2026-11-27T12:34:56.789+01:00
        values ts_ns_utc: 2026-11-27T07:04:56.789-05:30 not 2026-11-27T13:34:56.789Z
        values uuid: 01234567-89ab-cdef-0123-456789abcdef not 01234567-89ab-cdef-0123-456789abcdee
        values guid: 01234567-89AB-CDEF-0123-456789ABCDEF not 76543210-89ab-cdef-0123-456789abcdef
        values json: [] not [1]
        values_arrow_rs enum: BLUE not blue
        values_arrow_rs time: 00000000000000008c3d2500 not 000000000000000000000000
        values_arrow_rs interval: 010000000200000003000000 --type binary not 000000000200000003000000 --type binary
        values_arrow_rs char: 'code    ' --type line | 636f646520202020 not 'CODE    ' --type string
        values_arrow_rs text: ff00 --type line | ff00 --type binary | '' --type string not ff --type line"
        .lines()
    {
        let (file, keys) = line.trim().split_once(' ').unwrap();
        let (column, keys) = keys.split_once(": ").unwrap();
        let (stored, absent) = keys.split_once(" not ").unwrap();
        for (keys, answer) in [(stored, true), (absent, false)] {
            for key in keys.split(" | ") {
                let command = format!("inspect {file}.parquet --json --column {column} --key {key}");
                assert_eq!(bench.json(0, &command)[0]["may_match"], answer, "{column}: {key}");
            }
        }
    }
}

#[test]
fn values_in_another_form_are_refused() {
    values().refuses(
        "inspect blobs.parquet --column b --key ff00 => --type must be binary (bytes in hexadecimal digits), string | got none
        inspect blobs.parquet --column b --key ff0 --type binary => --key must be bytes in hexadecimal digits, got \"ff0\"
        inspect blobs.parquet --column b --key 1 --type long => --type must be binary | got long
        inspect blobs.parquet --column b --type binary => --key
        inspect decimals.parquet --column d9 --key 3.001 => must be a number that the column can store, with at most 2 decimal
        inspect decimals.parquet --column d9 --key 21474836.48 => must be a number that the column can store
        inspect decimals.parquet --column d9 --key . => must be a number
        inspect decimals.parquet --column d9 --key 3,00 => must be a number
        inspect decimals.parquet --column d9 --key 3 --type string => --type must be binary
        inspect decimals.parquet --column d9 --key 2c01 --type binary => must be 4 bytes in hexadecimal digits
        inspect values.parquet --column d38 --key 1701411834604692317316873037158841057.28 => must be a number
        inspect values.parquet --column i8 --key 128 => must be a whole number between -128 and 127, got \"128\"
        inspect values.parquet --column u8 --key -1 => must be a whole number between 0 and 255, got \"-1\"
        inspect values.parquet --column date --key 20261127 => must be a date as in 2026-11-27, or the stored number of days
        inspect values.parquet --column date --key 2026-02-29 => must be a date
        inspect values.parquet --column date --key 26-11-27 => must be a date
        inspect values.parquet --column clock_ms --key 12:34:56.7891 => a time as in 12:34:56 with at most 3 decimal places, or the
        inspect values.parquet --column clock_ms --key 24:00:00 => must be a time
        inspect values.parquet --column ts_ms --key 2026-11-27T12:34:56Z => a time since 1900 as in 2026-11-27T12:34:56 with
        inspect values.parquet --column ts_ms --key 1899-12-31T00:00:00 => a time since 1900
        inspect values.parquet --column ts_ns_utc --key 2026-11-27T12:34:56 => as in 2026-11-27T12:34:56Z with at most 9
        inspect values.parquet --column ts_ns_utc --key 2262-12-31T12:34:56Z => must be a time
        inspect values.parquet --column uuid --key 0123 => must be 16 bytes in hexadecimal digits
        inspect values.parquet --column a.b --key 1 => --column must name one column for a --key, but \"a.b\" names several
        inspect values_arrow_rs.parquet --column bson --key {} => --type must be binary
        inspect values_arrow_rs.parquet --column time --key 1970-01-01T00:00:00Z => must be 12 bytes in hexadecimal digits
        inspect values_arrow_rs.parquet --column char --key code --type string => must be 8 bytes of text, got \"code\"",
    );
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
        inspect rows.parquet --column id --key seven => --key must be a whole number between -9223372036854775808 and 18446744073709551615, got \"seven\"
        inspect rows.parquet --column uuid --key 12 => --key must be 16 bytes in hexadecimal digits, got \"12\"
        inspect rows.parquet --column flag --key true => must not name a Boolean column: Parquet files have no filters for
        inspect rows.parquet table.ldb => rows.parquet: Parquet files are inspected without tables
        inspect rows.parquet table.ldb --column id => table.ldb: --column needs Parquet files, or folders of them
        inspect text.parquet => not a Parquet file
        inspect missing.parquet --column id => missing.parquet: No such file
        inspect secret.parquet => the footer is encrypted, and is not read",
    );
    bench.refuses_fed(
        1,
        "",
        "inspect footer.parquet => the footer must fit into the file of",
    );
}

/// A folder stands for its files and those of partitions. Others that Spark, Hive and Delta Lake write are left out.
#[test]
fn several_files_and_folders() {
    let bench = bench();
    for name in "x=1/part-0.parquet x=1/part-1.snappy.parquet _y=2/part-0.parquet x=2/000000_0 \
                 _temporary/part-2.parquet x=1/.part-3.parquet"
        .split(' ')
    {
        bench.write(&format!("sales/{name}"), golden(FILE));
    }
    bench.write("sales/_SUCCESS", "");
    bench.write("sales/x=1/notes.txt", "notes");
    let key = "--column id --key 7";
    insta::assert_snapshot!(
        "inspect parquet files",
        bench.done(&format!("inspect sales rows.parquet {key}"))
    );
    let filters = bench.json(0, &format!("inspect rows.parquet sales/x=2 {key} --json"));
    let files = [0, 2, 3, 5].map(|filter| &filters[filter]["file"]);
    let [first, second] = ["rows.parquet", "sales/x=2/000000_0"];
    assert_eq!(files, [first, first, second, second]);
    // One file of a folder is shown like the file.
    assert_eq!(
        bench.done("inspect sales/x=2"),
        bench.done("inspect rows.parquet")
    );
}

/// Files that are not read are named, and the others are shown. Nothing is shown if none is read.
#[test]
fn files_that_are_not_read() {
    let bench = bench();
    bench.refuses(
        "inspect rows.parquet missing.parquet => missing.parquet: No such file
        inspect missing.parquet rows.parquet --column id => missing.parquet: No such file",
    );
    bench.write("odd\tname.parquet", "PAR1 and so on");
    let outcome = bench.run("inspect rows.parquet 'odd\tname.parquet' --column id --json");
    assert!(outcome.code == 2 && outcome.stderr.ends_with("error: 1 file not read\n"));
    let odd: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(odd[0]["file"], "rows.parquet");
    let unread = serde_json::json!({"file": "odd\tname.parquet", "not_read": "not a Parquet file"});
    assert_eq!(odd.as_array().unwrap().last(), Some(&unread));
    bench.write("a/text.parquet", "PAR1 and so on");
    bench.write("b/long.parquet", b"PAR1\xff\xff\xff\x7fPAR1");
    fs::create_dir(bench.path("empty")).unwrap();
    for (paths, code, message, unread) in [
        (
            "rows.parquet a",
            2,
            "a/text.parquet: not a Parquet file\nerror: 1 file",
            "1 file",
        ),
        (
            "b rows.parquet a",
            1,
            "b/long.parquet: the footer must fit",
            "2 files",
        ),
    ] {
        let outcome = bench.run(&format!("inspect {paths} --column id --key 300"));
        assert!(
            outcome.code == code && outcome.stderr.contains(message),
            "{}",
            outcome.stderr
        );
        let last = format!("; 3 row groups without the key, 1 file without the key; {unread} not read\n");
        assert!(outcome.stdout.ends_with(&last), "{}", outcome.stdout);
    }
    bench.refuses(
        "inspect a/text.parquet a => a/text.parquet: not a Parquet file
        inspect rows.parquet rows.parquet --column id --key x => rows.parquet: --key must be a whole number
        inspect empty => empty: not a database folder
        inspect empty --column id => empty: --column needs Parquet files, or folders of them
        inspect rows.parquet empty => rows.parquet: Parquet files are inspected without tables",
    );
}

#[test]
fn damaged_filters() {
    let bench = Workbench::new();
    let mut file = golden(FILE);
    // In the header of row group 1's column `id`, the field of the algorithm has a type that there is not.
    assert_eq!(file[22_930..22_934], [0x15, 0x80, 0x02, 0x1c]);
    file[22_933] = 0x1d;
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

/// Contents of other writers are no damage and deny nothing; the exit code is 2 if there was a filter to read.
#[test]
fn filters_that_are_not_read() {
    let bench = Workbench::new();
    let mut file = golden(FILE);
    // Another hash function in the header of row group 1's column `id`.
    file[22_938] = 0x2c;
    bench.write("hash.parquet", &file);
    // Nothing is named, as parquetjs does it.
    let mut nothing = golden(FILE);
    nothing[22_930..22_940].copy_from_slice(&[0x15, 0x80, 0x02, 0x1c, 0, 0x1c, 0, 0x1c, 0, 0]);
    bench.write("nothing.parquet", &nothing);
    // And damage in that of row group 2.
    let header = [0x15, 0x80, 0x02, 0x1c];
    let start = file.windows(4).rposition(|bytes| bytes == header).unwrap();
    file[start + 3] = 0x1d;
    bench.write("both.parquet", &file);
    for name in ["offset_0", "encrypted_column"] {
        bench.write(
            &format!("{name}.parquet"),
            golden(&format!("parquet/{name}.parquet")),
        );
    }
    for (file, column, reason) in [
        (
            "hash",
            "id",
            "row group 1, id: the filter at offset 22930: filter's hash function must be number 1, got 2\n",
        ),
        (
            "nothing",
            "id",
            "row group 1, id: the filter at offset 22930: filter's header names no algorithm\n",
        ),
        ("encrypted_column", "b", "row group 0, b: encrypted\n"),
    ] {
        let Outcome { code, stdout, stderr } = bench.run(&format!("inspect {file}.parquet"));
        let summary = format!("error: {file}.parquet: 1 filter not read\n");
        assert_eq!((code, stderr), (2, summary));
        assert!(
            stdout.contains(&format!("\nnot read\n  {reason}")) && !stdout.contains("damage"),
            "{stdout}"
        );
        let key = if column == "b" { "00 --type binary" } else { "8" };
        let command = format!("inspect {file}.parquet --column {column} --key {key} --json");
        let filters: Value = serde_json::from_str(&bench.run(&command).stdout).unwrap();
        let not_read = filters
            .as_array()
            .unwrap()
            .iter()
            .find(|filter| filter.get("not_read").is_some());
        assert_eq!(not_read.unwrap()["may_match"], true);
    }
    let shown = bench.run("inspect both.parquet");
    assert!(shown.code == 1 && shown.stdout.contains("not read") && shown.stdout.contains("damage"));
    // The columns `b` and `fb` have no filters.
    assert!(
        bench
            .done("inspect offset_0.parquet")
            .ends_with("\n1 row group, 13 filters\n")
    );
    let none = bench.json(
        0,
        "inspect offset_0.parquet --column b --key 00 --type binary --json",
    );
    assert_eq!(none, json!([]));
}

/// The paths of columns are those of the schema if the footer states none.
#[test]
fn footers_without_paths() {
    let bench = Workbench::new();
    bench.write("rows.parquet", golden("parquet/footer_without_paths.parquet"));
    for (key, may_match) in [(7, true), (1000, false)] {
        let filters = bench.json(
            0,
            &format!("inspect rows.parquet --column a.id --key {key} --json"),
        );
        assert_eq!(
            (&filters[0]["column"], &filters[0]["may_match"]),
            (&json!("a.id"), &json!(may_match))
        );
    }
    bench.refuses("inspect rows.parquet --column id => must be known, got \"id\": known are a.id");
}

/// A filter without a set bit denies no value, unless its column has none.
#[test]
fn filters_of_zeros() {
    let bench = Workbench::new();
    let whole = golden("parquet/filter_of_zeros.parquet");
    // The footer's statistics: field 3 is the number of nulls, and field 5 a text.
    let nulls = [0x1c, 0x36, 0, 0x28];
    let at = whole.windows(4).rposition(|bytes| bytes == nulls).unwrap();
    for (values, statistics) in [
        (Some("300 values"), &nulls[..]),
        (Some("1 value"), &[0x1c, 0x36, 0xd6, 0x04, 0x28]),
        (None, &[0x1c, 0x36, 0xd8, 0x04, 0x28]),
        (Some("300 values or nulls"), &[0x1c, 0x58]),
    ] {
        let mut file = whole.clone();
        file.splice(at..at + nulls.len(), statistics.iter().copied());
        let len = file.len() - 8;
        let footer = u32::from_le_bytes(file[len..len + 4].try_into().unwrap());
        let footer = footer + statistics.len() as u32 - nulls.len() as u32;
        file[len..len + 4].copy_from_slice(&footer.to_le_bytes());
        bench.write("rows.parquet", file);
        let note = |values| format!("the filter is empty, but the column has {values}: any value may match");
        let note = values.map(note);
        let shown = bench.done("inspect rows.parquet --column lstr --key s0");
        let denying = if note.is_some() {
            "0 row groups"
        } else {
            "1 row group"
        };
        assert!(
            shown.ends_with(&format!("; {denying} without the key\n")),
            "{shown}"
        );
        let notes = shown.split_once("\nnotes\n  row group 0, lstr: ");
        let shown = notes.and_then(|(_, notes)| notes.lines().next());
        assert_eq!(shown, note.as_deref());
        let filters = bench.json(0, "inspect rows.parquet --column lstr --key s0 --json");
        assert_eq!(filters[0]["note"].as_str(), note.as_deref());
        assert_eq!(filters[0]["may_match"], note.is_some());
    }
}
