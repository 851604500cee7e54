//! Every field of a run is spoiled, and the checksums made to fit: reading ends in an error that names a file, or in
//! records that charts and page can be made of.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use serde_json::{Value, json};

use super::{Options, run};
use crate::judge::baseline;
use crate::progress::Silent;
use crate::record::files::{FILES, RUN, Records, write_run};
use crate::record::{Purpose, Request, Run};
use crate::report::{chart, page};

/// Times that fields of one kind are spoiled: those of one array are alike.
const OF_A_KIND: usize = 2;

/// A small run with everything that a report can have, in `dir`.
fn measured(dir: &Path) -> Records {
    let keys = dir.join("keys.txt");
    let lines: String = (0..200).map(|number| format!("key {number}\n")).collect();
    std::fs::write(&keys, lines).unwrap();
    let functions = ["BPHash", "PJW", "FNV-1a"].map(str::to_owned);
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
}

/// What a reader gets to see: an error, or a page.
fn shown(dir: &Path) -> Result<String, String> {
    let records = Records::read(dir).map_err(|error| error.to_string())?;
    let charts = chart::all(&records);
    let drawn = vec![String::new(); charts.len()];
    Ok(page(&records, &charts, &drawn).expect("records that are read make a page"))
}

/// Checks what a reader gets to see after `what` was spoiled; `None` where that is as it should be.
fn trouble(dir: &Path, what: &str) -> Option<String> {
    let Ok(outcome) = catch_unwind(AssertUnwindSafe(|| shown(dir))) else {
        return Some(format!("{what}: panicked"));
    };
    match outcome {
        Ok(page) => (page.contains(">NaN<") || page.contains(">inf<"))
            .then(|| format!("{what}: no number on the page")),
        Err(error) => {
            let named = error.strip_prefix(&format!("{}/", dir.display()))?;
            let mut names = FILES.iter().map(|file| file.name).chain([RUN]);
            (!names.any(|name| named.starts_with(&format!("{name}: ")))).then(|| format!("{what}: {error}"))
        }
    }
}

/// Pointers to all fields, in the order of the file, those of arrays as far as they differ.
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

/// Other values for a field.
fn spoiled(value: &Value) -> Vec<Value> {
    let mut others = vec![
        Value::Null,
        json!(""),
        json!("</script>\u{0}\u{202e}\n no such name"),
        json!([]),
    ];
    match value {
        Value::Number(_) => others.extend([
            json!(-1),
            json!(0),
            json!(0.5),
            json!(33),
            json!(u64::MAX),
            json!(1e300),
            json!(-1e300),
        ]),
        Value::Bool(truth) => others.push(json!(!truth)),
        Value::Array(items) => others.push(Value::Array([&items[..], &items[..]].concat())),
        _ => others.push(json!(1)),
    }
    others
}

#[test]
fn a_forged_run_is_refused_or_shown() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let records = measured(dir);
    assert!(shown(dir).unwrap().contains("Since the earlier run"));

    let good = serde_json::to_value(&records.run).unwrap();
    let mut found = Vec::new();
    pointers(&good, "", "", &mut HashMap::new(), &mut found);
    assert!(found.len() > 150, "{} fields", found.len());
    let mut troubles = Vec::new();
    let mut forged = 0;
    for pointer in &found {
        for other in spoiled(good.pointer(pointer).unwrap()) {
            let mut bad = good.clone();
            *bad.pointer_mut(pointer).unwrap() = other.clone();
            // What does not fit the types is refused as any damage is.
            if let Ok(run) = serde_json::from_value::<Run>(bad) {
                write_run(&dir.join(RUN), &run).unwrap();
                forged += 1;
                troubles.extend(trouble(dir, &format!("{pointer}, {other}")));
            }
        }
    }
    assert!(forged > 300, "{forged} forged");
    assert!(
        troubles.is_empty(),
        "{} of {forged}: {troubles:#?}",
        troubles.len()
    );
}

#[test]
fn forged_rows_are_refused_or_shown() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
    let records = measured(dir);
    let mut troubles = Vec::new();
    let mut forged = 0;
    for file in FILES {
        let (header, rows) = file.spelled(&records);
        let mut write = |rows: &[csv::StringRecord], what: &str| {
            let mut writer = csv::Writer::from_writer(Vec::new());
            writer.write_record(&header).unwrap();
            rows.iter().for_each(|row| writer.write_record(row).unwrap());
            let mut bad = records.clone();
            if (file.parse)(&mut bad, Path::new(file.name), &writer.into_inner().unwrap()).is_ok() {
                bad.write(dir).unwrap();
                forged += 1;
                troubles.extend(trouble(dir, &format!("{}, {what}", file.name)));
            }
        };
        write(&[], "no rows");
        write(&rows[..rows.len() / 2], "half of the rows");
        write(&rows[1..], "without the first row");
        write(&[&rows[..], &rows[..]].concat(), "every row twice");
        for (column, name) in header.iter().enumerate() {
            for value in [
                "",
                "nobody",
                "-1",
                "0",
                "1e-300",
                "33",
                "64",
                "65",
                "1e300",
                "-1e300",
                "4294967295",
                "18446744073709551615",
            ] {
                let spoil = |row: &csv::StringRecord| -> csv::StringRecord {
                    let cells = row.iter().enumerate();
                    cells
                        .map(|(at, cell)| if at == column { value } else { cell })
                        .collect()
                };
                let mut one = rows.clone();
                let middle = one.len() / 2;
                one[middle] = spoil(&one[middle]);
                write(&one, &format!("{name} {value} in one row"));
                let all: Vec<_> = rows.iter().map(spoil).collect();
                write(&all, &format!("{name} {value} in all rows"));
            }
        }
    }
    assert!(forged > 1_000, "{forged} forged");
    assert!(
        troubles.is_empty(),
        "{} of {forged}: {troubles:#?}",
        troubles.len()
    );
}
