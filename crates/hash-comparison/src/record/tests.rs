//! The schema of `run.json`, and the detection of disturbed timing.

use std::path::Path;

use super::*;

fn environment() -> Environment {
    Environment {
        timing_seconds: Some(30.0),
        ..Environment::default()
    }
}

#[test]
fn long_waits_mean_a_disturbed_timing_however_many_switches() {
    let mut environment = environment();
    let mut disturbed = |switches, waited| {
        environment.involuntary_switches_while_timing = switches;
        environment.seconds_waited_while_timing = waited;
        environment.timing_disturbed()
    };
    assert_eq!(disturbed(Some(1), Some(6.0)), Some(false));
    assert_eq!(disturbed(Some(1), Some(6.1)), Some(true));
    assert_eq!(disturbed(None, Some(6.1)), Some(true));
    // Short work of the system.
    assert_eq!(disturbed(Some(30_000), Some(0.3)), Some(false));
}

#[test]
fn many_switches_a_second_mean_a_disturbed_timing_where_waiting_is_not_reported() {
    let mut environment = environment();
    let mut disturbed = |switches, seconds| {
        environment.involuntary_switches_while_timing = switches;
        environment.timing_seconds = seconds;
        environment.timing_disturbed()
    };
    assert_eq!(disturbed(Some(3_000), Some(30.0)), Some(false));
    assert_eq!(disturbed(Some(3_001), Some(30.0)), Some(true));
    // A few switches in a moment are chance.
    assert_eq!(disturbed(Some(100), Some(0.01)), Some(false));
    assert_eq!(disturbed(None, Some(30.0)), None);
    assert_eq!(disturbed(Some(0), None), None);
}

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
