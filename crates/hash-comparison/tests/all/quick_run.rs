//! A quick comparison: its records are complete.

use hash_comparison::questions::{FILES, Records};

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
            !file.spelled(&records).1.is_empty(),
            "{} has no rows: measure them in its question",
            file.name
        );
    }
    // The empty function and four others, sixteen lengths of keys, both forms of calls.
    let mut timed: Vec<_> = { records.curves.iter() }
        .map(|row| (&row.function, row.length, row.form))
        .collect();
    timed.sort_unstable();
    timed.dedup();
    assert_eq!((timed.len(), records.curves.len()), (5 * 16 * 2, 5 * 16 * 2));
}
