//! A quick comparison: its records are complete.

use std::collections::HashSet;

use hash_comparison::questions::{FILES, Place, Records};

use super::Workbench;

#[test]
fn records_are_complete() {
    let bench = Workbench::new();
    let keys = |start: &str, count: u32| {
        (0..count)
            .map(|number| format!("{start}{number}\n"))
            .collect::<String>()
    };
    // Enough keys for a filter over part of them, and few.
    bench.write("keys.txt", keys("key ", 2_002));
    bench.write("more.txt", keys("", 100));
    // Functions of every width.
    let arguments = "compare --quick --keys keys.txt --keys more.txt --out out --function PJW --function APHash \
                     --function FNVHash --function XXH3";
    assert_eq!(bench.run(arguments).code, 0);
    let records = Records::read(&bench.path("out")).unwrap();
    assert_eq!(records.run.datasets.len(), 2);
    for file in FILES {
        assert!(
            (file.bytes)(&records)
                .iter()
                .filter(|byte| **byte == b'\n')
                .count()
                > 1,
            "{} has no rows: measure them in its question",
            file.name
        );
    }
    // The empty function and four others, two datasets in three places, sixteen lengths of keys, both forms of calls.
    let all: Vec<_> = { records.timing.iter() }
        .map(|row| {
            (
                &row.dataset,
                &row.function,
                row.place,
                row.bytes / row.keys,
                row.form,
            )
        })
        .collect();
    let of = |place| all.iter().filter(|row| row.2 == place).count();
    let timed = [Place::Sequence, Place::Cache, Place::Memory, Place::Length].map(of);
    assert_eq!(timed, [2, 2, 2, 17].map(|keys| keys * 5 * 2));
    let distinct: HashSet<_> = all.iter().collect();
    assert_eq!(distinct.len(), all.len());
}
