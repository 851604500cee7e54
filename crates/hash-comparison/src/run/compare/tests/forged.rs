//! Spoils every field of a run and makes the checksums fit. Reading must end in an error that names a file, or in
//! records from which charts and page can be made.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::super::{Options, run};
use crate::judge::baseline;
use crate::progress::Silent;
use crate::record::files::{FILES, RUN, Records, read_run, write_run};
use crate::record::{Purpose, Request, Run};
use crate::report::{chart, page};

/// Number of fields of one kind that are spoiled: the items of an array are alike.
const OF_A_KIND: usize = 1;
/// Values that replace cells of rows.
const VALUES: [&str; 7] = [
    "1e300",
    "18446744073709551615",
    "0",
    "-1e300",
    "4294967295",
    "33",
    "nobody",
];

/// A small run with everything that a report can have.
static MEASURED: LazyLock<Records> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let keys = dir.join("keys.txt");
    let lines: String = (0..2_002).map(|number| format!("key {number}\n")).collect();
    std::fs::write(&keys, lines).unwrap();
    let functions = ["BPHash", "PJW", "FNV-1a 64"].map(str::to_owned);
    let request = Request {
        purpose: Purpose::Filter,
        mine: Some("PJW".to_owned()),
        ..Request::default()
    };
    let options = Options::new(&[], &functions, vec![keys], 1, true)
        .and_then(|options| options.with_request(request))
        .unwrap();
    let mut records = run(&options, &Silent).unwrap();
    let mut before = records.clone();
    before.collisions[0].collisions += 1;
    records.run.baseline = Some(baseline::hold_against(&before, dir, &records));
    records.write(dir).unwrap();
    Records::read(dir).unwrap()
});

/// Describes the failure if charts and page cannot be made of `records`; `what` was spoiled.
fn trouble(records: &Records, what: &str) -> Option<String> {
    let shown = || {
        let charts: Vec<_> = chart::all(records);
        let drawn = vec![String::new(); charts.len()];
        // Charts that are too large to paint are refused before painting.
        let unfit = charts.iter().any(|chart| !chart.scene.is_drawable());
        (
            unfit,
            page(records, &charts, &drawn).expect("records that are read make a page"),
        )
    };
    match catch_unwind(AssertUnwindSafe(shown)) {
        Err(_) => Some(format!("{what}: panicked")),
        Ok((false, page)) if page.contains(">NaN<") || page.contains(">inf<") => {
            Some(format!("{what}: no number on the page"))
        }
        Ok(_) => None,
    }
}

/// Collects pointers to all fields, in the order of the file, with [`OF_A_KIND`] of each kind.
fn pointers(value: &Value, at: &str, kind: &str, seen: &mut HashMap<String, usize>, found: &mut Vec<String>) {
    let mut visit = |name: &str, kind: String, inner: &Value| {
        let count = seen.entry(kind.clone()).or_default();
        *count += 1;
        if *count <= OF_A_KIND {
            let at = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
            found.push(at.clone());
            pointers(inner, &at, &kind, seen, found);
        }
    };
    match value {
        Value::Object(fields) => {
            for (name, inner) in fields {
                visit(name, format!("{kind}/{name}"), inner);
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                visit(&index.to_string(), format!("{kind}/*"), inner);
            }
        }
        _ => {}
    }
}

/// Returns other values for a field.
fn spoiled(value: &Value) -> Vec<Value> {
    let mut others = vec![
        Value::Null,
        json!(""),
        json!("</script>\u{0}\u{202e}\n no such name"),
    ];
    match value {
        Value::Number(_) => {
            others.extend([json!(0), json!(33), json!(u64::MAX), json!(1e300), json!(-1e300)])
        }
        Value::Bool(truth) => others.push(json!(!truth)),
        Value::Array(items) => others.push(Value::Array([&items[..], &items[..]].concat())),
        _ => others.push(json!(1)),
    }
    others
}

#[test]
fn a_forged_run_is_refused_or_shown() {
    let folder = tempfile::tempdir().unwrap();
    let records = &*MEASURED;
    let path = folder.path().join(RUN);
    let good = serde_json::to_value(&records.run).unwrap();
    let mut found = Vec::new();
    pointers(&good, "", "", &mut HashMap::new(), &mut found);
    assert!(found.len() > 100, "{} fields", found.len());
    let (mut shown, mut troubles) = (0, Vec::new());
    for pointer in &found {
        for other in spoiled(good.pointer(pointer).unwrap()) {
            let mut bad = good.clone();
            *bad.pointer_mut(pointer).unwrap() = other.clone();
            // Values that do not fit the types are refused like any damage.
            let Ok(run) = serde_json::from_value::<Run>(bad) else {
                continue;
            };
            write_run(&path, &run).unwrap();
            match read_run(&path) {
                Ok(run) => {
                    shown += 1;
                    let records = Records {
                        run,
                        ..records.clone()
                    };
                    troubles.extend(trouble(&records, &format!("{pointer}, {other}")));
                }
                Err(error) => assert!(
                    error.to_string().starts_with(&path.display().to_string()),
                    "{error}"
                ),
            }
        }
    }
    assert!(shown > 150, "{shown} shown");
    assert!(
        troubles.is_empty(),
        "{} of {shown}: {troubles:#?}",
        troubles.len()
    );
}

#[test]
fn forged_rows_are_refused_or_shown() {
    let records = &*MEASURED;
    let (mut shown, mut troubles) = (0, Vec::new());
    for file in FILES {
        let (header, rows) = file.spelled(records);
        let mut forge = |rows: &[csv::StringRecord], what: &str| {
            let mut writer = csv::Writer::from_writer(Vec::new());
            writer.write_record(&header).unwrap();
            rows.iter().for_each(|row| writer.write_record(row).unwrap());
            let mut bad = records.clone();
            if (file.parse)(&mut bad, Path::new(file.name), &writer.into_inner().unwrap()).is_ok() {
                shown += 1;
                troubles.extend(trouble(&bad, &format!("{}, {what}", file.name)));
            }
        };
        forge(&[], "no rows");
        forge(&rows[..rows.len() / 2], "half of the rows");
        forge(&rows[1..], "without the first row");
        forge(&[&rows[..], &rows[..]].concat(), "every row twice");
        let middle = rows.len() / 2;
        for (column, name) in header.iter().enumerate() {
            // Each value meets columns of every kind.
            for (value, of) in [
                (VALUES[column % VALUES.len()], middle..middle + 1),
                (VALUES[(column + 3) % VALUES.len()], 0..rows.len()),
            ] {
                let mut bad = rows.clone();
                for row in &mut bad[of.clone()] {
                    let cells = row.iter().enumerate();
                    *row = cells
                        .map(|(at, cell)| if at == column { value } else { cell })
                        .collect();
                }
                forge(&bad, &format!("{name} {value} in rows {of:?}"));
            }
        }
    }
    assert!(shown > 150, "{shown} shown");
    assert!(
        troubles.is_empty(),
        "{} of {shown}: {troubles:#?}",
        troubles.len()
    );
}
