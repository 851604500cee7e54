//! `run.json` conforms to `run.schema.json`, without extra fields: other programs read the file by this schema.

use serde_json::Value;

use super::Workbench;

/// Lists violations with their paths. Supports only the features of generated schemas: references, choices, types,
/// objects and arrays.
fn misfits(root: &Value, schema: &Value, value: &Value, path: &str) -> Vec<String> {
    let wrong = || vec![format!("{path}: {value}")];
    if let Some(name) = schema["$ref"].as_str() {
        let definition = root.pointer(name.trim_start_matches('#')).unwrap();
        return misfits(root, definition, value, path);
    }
    for choices in ["anyOf", "oneOf"] {
        if let Some(choices) = schema[choices].as_array() {
            let fits = |choice| misfits(root, choice, value, path).is_empty();
            return if choices.iter().any(fits) {
                Vec::new()
            } else {
                wrong()
            };
        }
    }
    let kind = match value {
        Value::Object(_) => "object",
        Value::Array(_) => "array",
        Value::String(_) => "string",
        Value::Bool(_) => "boolean",
        Value::Null => "null",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
    };
    let is = |known: &Value| known == kind || (kind == "integer" && known == "number");
    let types = &schema["type"];
    let fits = is(types)
        || types.as_array().is_some_and(|known| known.iter().any(is))
        || schema.get("const") == Some(value);
    let allowed = schema["enum"]
        .as_array()
        .is_none_or(|known| known.contains(value))
        && schema.get("const").is_none_or(|known| known == value);
    if !fits || !allowed {
        return wrong();
    }
    match value {
        Value::Object(fields) => {
            let required = schema["required"].as_array().into_iter().flatten();
            let absent = required
                .filter(|name| !fields.contains_key(name.as_str().unwrap()))
                .map(|name| format!("{path}: {name} is missing"));
            let inner = fields.iter().flat_map(|(name, field)| {
                let path = format!("{path}.{name}");
                let known = schema["properties"].get(name);
                match known.or(schema.get("additionalProperties")) {
                    Some(Value::Bool(false)) | None => vec![format!("{path}: unknown")],
                    Some(known) => misfits(root, known, field, &path),
                }
            });
            absent.chain(inner).collect()
        }
        Value::Array(items) => {
            let each = |(index, item)| misfits(root, &schema["items"], item, &format!("{path}[{index}]"));
            items.iter().enumerate().flat_map(each).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn runs_are_what_the_schema_says() {
    let schema: Value = serde_json::from_str(include_str!("../../run.schema.json")).unwrap();
    let bench = Workbench::with_run();
    bench.compare(&["--mine", "PJW", "--baseline", "out", "--out", "out"]);
    let mut run: Value = serde_json::from_str(&bench.read("out/run.json")).unwrap();
    assert_eq!(misfits(&schema, &schema, &run, "run"), [""; 0]);
    run["schema"] = 3.into();
    run["datasets"][0]["keys"] = "four".into();
    run["baseline"]["more"] = true.into();
    run["environment"].as_object_mut().unwrap().remove("cpu");
    let told = misfits(&schema, &schema, &run, "run");
    assert_eq!(told.len(), 4, "{told:?}");
}
