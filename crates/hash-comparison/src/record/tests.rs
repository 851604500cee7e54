//! The schema of `run.json`.

use std::path::Path;

use super::*;

#[test]
fn the_schema_is_that_of_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("run.schema.json");
    let schema = serde_json::to_string_pretty(&schemars::schema_for!(Run)).unwrap() + "\n";
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&path, &schema).unwrap();
    }
    assert!(
        std::fs::read_to_string(&path).unwrap() == schema,
        "run.schema.json is not what the types say; write it anew: UPDATE_SCHEMA=1 cargo test -p hash-comparison --lib \
         record::tests"
    );
}
