//! `run.json` is what `run.schema.json` says, and nothing besides: other programs read it by that file.

use std::fs;

use hash_comparison::judge::baseline;
use hash_comparison::progress::Silent;
use hash_comparison::record::files::Records;
use hash_comparison::record::{OLDEST_SCHEMA, Purpose, Request, SCHEMA};
use hash_comparison::run::compare::{self, Options};
use serde_json::{Map, Value};

const SCHEMA_FILE: &str = include_str!("../run.schema.json");

/// What is wrong with `value` by `schema`, as far as our schema needs: types, objects, arrays, choices, references.
fn wrong(root: &Value, schema: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
    for (rule, argument) in schema.as_object().expect("a schema is an object") {
        let holds = match rule.as_str() {
            "description" | "title" | "$schema" | "$defs" => true,
            "$ref" => {
                let name = argument.as_str().and_then(|text| text.strip_prefix("#/$defs/"));
                wrong(
                    root,
                    &root["$defs"][name.expect("a definition")],
                    value,
                    path,
                    found,
                );
                true
            }
            "type" => match argument.as_str().expect("one type") {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "integer" => value.is_u64() || value.is_i64(),
                "number" => value.is_number(),
                "boolean" => value.is_boolean(),
                "null" => value.is_null(),
                other => panic!("{path}: no type {other}"),
            },
            "const" => value == argument,
            "enum" => argument.as_array().expect("choices").contains(value),
            // These say nothing of values of another type.
            "minimum" => !value.is_number() || value.as_f64() >= argument.as_f64(),
            "maximum" => !value.is_number() || value.as_f64() <= argument.as_f64(),
            "minItems" => {
                let count = value.as_array().map(|items| items.len() as u64);
                count.is_none() || count >= argument.as_u64()
            }
            "maxItems" => {
                let count = value.as_array().map(|items| items.len() as u64);
                count.is_none() || count <= argument.as_u64()
            }
            "anyOf" => argument.as_array().expect("choices").iter().any(|choice| {
                let mut inner = Vec::new();
                wrong(root, choice, value, path, &mut inner);
                inner.is_empty()
            }),
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    wrong(root, argument, item, &format!("{path}[{index}]"), found);
                }
                true
            }
            "required" => {
                let has = |name: &Value| value.get(name.as_str().expect("a name")).is_some();
                argument.as_array().expect("names").iter().all(has)
            }
            "properties" => {
                for (name, inner) in argument.as_object().expect("fields") {
                    if let Some(field) = value.get(name) {
                        wrong(root, inner, field, &format!("{path}.{name}"), found);
                    }
                }
                true
            }
            "additionalProperties" => {
                let none = Map::new();
                let known = schema
                    .get("properties")
                    .and_then(Value::as_object)
                    .unwrap_or(&none);
                let fields = value.as_object().into_iter().flatten();
                for (name, field) in fields.filter(|(name, _)| !known.contains_key(*name)) {
                    if argument.is_object() {
                        wrong(root, argument, field, &format!("{path}.{name}"), found);
                    } else {
                        found.push(format!("{path}.{name}: not in the schema"));
                    }
                }
                true
            }
            other => panic!("this test does not know the rule {other}"),
        };
        if !holds {
            found.push(format!("{path}: {value} is against {rule} {argument}"));
        }
    }
}

fn mistakes(value: &Value) -> Vec<String> {
    let schema: Value = serde_json::from_str(SCHEMA_FILE).expect("the schema is JSON");
    let mut found = Vec::new();
    wrong(&schema, &schema, value, "run", &mut found);
    found
}

/// The `run.json` of a small run that is held against itself, with every optional part.
fn written() -> Value {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let keys = folder.path().join("keys.txt");
    fs::write(&keys, "one\ntwo\nthree\nfour\n").expect("a temporary file");
    let request = Request {
        purpose: Purpose::Table,
        mine: Some("djb2hash".to_owned()),
        ..Request::default()
    };
    let options = Options::new(&[], &[], vec![keys], 1, true)
        .and_then(|options| options.with_request(request))
        .expect("options");
    let mut records = compare::run(&options, &Silent).expect("a run that nobody stops");
    let mut before = records.clone();
    before.collisions[0].collisions += 1;
    records.run.baseline = Some(baseline::hold_against(&before, folder.path(), &records));
    records.write(folder.path()).expect("a temporary folder");
    let read = Records::read(folder.path()).expect("what was written");
    // Every file of records that holds no times.
    assert_eq!(read.run.checksums.len(), 9);
    let text = fs::read_to_string(folder.path().join("run.json")).expect("what was written");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn a_real_run_is_what_the_schema_says() {
    let value = written();
    assert_eq!(mistakes(&value), [""; 0]);
    // Every field that there is, is said to be there.
    let schema: Value = serde_json::from_str(SCHEMA_FILE).expect("JSON");
    let known = schema["properties"].as_object().expect("fields");
    for name in value.as_object().expect("an object").keys() {
        assert!(known.contains_key(name), "{name}");
    }
    assert_eq!(known["schema"]["maximum"], SCHEMA);
    assert_eq!(known["schema"]["minimum"], OLDEST_SCHEMA);
}

#[test]
fn what_is_wrong_is_found() {
    let good = written();
    let with = |change: &dyn Fn(&mut Value)| {
        let mut bad = good.clone();
        change(&mut bad);
        mistakes(&bad)
    };
    assert!(with(&|run| run["seed"] = "1".into())[0].starts_with("run.seed: \"1\" is against type"));
    assert!(with(&|run| run["schema"] = 3.into())[0].contains("maximum 2"));
    assert!(with(&|run| run["surprise"] = 3.into())[0].contains("run.surprise: not in the schema"));
    assert!(!with(&|run| drop(run.as_object_mut().expect("an object").remove("date"))).is_empty());
    assert!(
        with(&|run| run["findings"][0]["verdict"] = "fine".into())[0].contains("run.findings[0].verdict")
    );
    assert!(!with(&|run| run["environment"]["governor"] = 3.into()).is_empty());
}
