//! Every field of a `run.json` is spoiled in every way that JSON allows: reading ends in an error that names a file, or in
//! records that charts and page can be made of.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::{Value, json};

use super::*;
use crate::progress::Silent;
use crate::record::{Purpose, Request};
use crate::run::compare::{self, Options};
use crate::{baseline, chart, report};

/// Times that fields of one kind are spoiled: those of one array are alike.
const OF_A_KIND: usize = 2;

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

/// Other values for a field; none where it is to be left out.
fn spoiled(value: &Value) -> Vec<Option<Value>> {
    let mut others = vec![
        None,
        Some(Value::Null),
        Some(json!("")),
        Some(json!("</script>\u{0}\u{202e}\n no such name")),
        Some(json!([])),
        Some(json!({})),
    ];
    match value {
        Value::Number(_) => others.extend(
            [
                json!("NaN"),
                json!(-1),
                json!(0),
                json!(0.5),
                json!(33),
                json!(u64::MAX),
                json!(1e300),
                json!(-1e300),
            ]
            .map(Some),
        ),
        Value::Bool(truth) => others.push(Some(json!(!truth))),
        Value::Array(items) => others.push(Some(Value::Array([&items[..], &items[..]].concat()))),
        _ => others.push(Some(json!(1))),
    }
    others
}

fn put(run: &mut Value, pointer: &str, value: Option<Value>) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = run.pointer_mut(parent).unwrap();
    let name = name.replace("~1", "/").replace("~0", "~");
    match (parent, value) {
        (Value::Object(fields), Some(value)) => drop(fields.insert(name, value)),
        (Value::Object(fields), None) => drop(fields.remove(&name)),
        (Value::Array(items), value) => {
            let index: usize = name.parse().unwrap();
            match value {
                Some(value) => items[index] = value,
                None => drop(items.remove(index)),
            }
        }
        _ => unreachable!("only objects and arrays have fields"),
    }
}

/// What a reader gets to see: an error, or a page.
fn shown(dir: &Path) -> Result<String, String> {
    let records = Records::read(dir).map_err(|error| error.to_string())?;
    let charts = chart::all(&records);
    let drawn = vec![String::new(); charts.len()];
    Ok(report::page(&records, &charts, &drawn).expect("records that are read make a page"))
}

#[test]
fn a_spoiled_run_is_refused_or_shown() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path();
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
    let mut records = compare::run(&options, &Silent).unwrap();
    let mut before = records.clone();
    before.collisions[0].collisions += 1;
    records.run.baseline = Some(baseline::hold_against(&before, dir, &records));
    records.write(dir).unwrap();
    assert!(shown(dir).unwrap().contains("Since the earlier run"));

    let path = dir.join(RUN);
    let good: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let mut found = Vec::new();
    pointers(&good, "", "", &mut HashMap::new(), &mut found);
    assert!(found.len() > 150, "{} fields", found.len());
    let (mut refused, mut accepted, mut wrong) = (0, 0, Vec::new());
    for pointer in &found {
        for other in spoiled(good.pointer(pointer).unwrap()) {
            let mut bad = good.clone();
            put(&mut bad, pointer, other.clone());
            std::fs::write(&path, bad.to_string()).unwrap();
            let other = other.map_or("left out".to_owned(), |other| other.to_string());
            match catch_unwind(AssertUnwindSafe(|| shown(dir))) {
                Err(_) => wrong.push(format!("{pointer}, {other}: panicked")),
                Ok(Err(error)) => {
                    refused += 1;
                    let named = error.strip_prefix(&format!("{}/", dir.display()));
                    let names = CSV_FILES.iter().chain(&[RUN]);
                    let mut names = names.map(|name| named.and_then(|text| text.strip_prefix(name)));
                    let says = names.find_map(|rest| rest?.strip_prefix(": "));
                    if says.is_none_or(|reason| reason.len() <= 10) {
                        wrong.push(format!("{pointer}, {other}: {error}"));
                    }
                }
                Ok(Ok(page)) => {
                    accepted += 1;
                    if page.contains(">NaN<") || page.contains(">inf<") {
                        wrong.push(format!("{pointer}, {other}: no number on the page"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(
        refused > accepted && accepted > 100,
        "{refused} refused, {accepted} accepted"
    );
}
