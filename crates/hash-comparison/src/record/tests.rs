//! Records of disturbed and of older runs.

use super::*;

#[test]
fn many_switches_a_second_mean_a_disturbed_timing() {
    let mut environment = crate::measure::environment::collect();
    let mut disturbed = |switches, seconds| {
        environment.involuntary_switches_while_timing = switches;
        environment.timing_seconds = seconds;
        environment.timing_disturbed()
    };
    assert_eq!(disturbed(Some(600), Some(30.0)), Some(false));
    assert_eq!(disturbed(Some(601), Some(30.0)), Some(true));
    // A few switches in a moment are chance.
    assert_eq!(disturbed(Some(20), Some(0.01)), Some(false));
    assert_eq!(disturbed(None, Some(30.0)), None);
    assert_eq!(disturbed(Some(0), None), None);
}

#[test]
fn long_waits_mean_a_disturbed_timing_even_with_few_switches() {
    let mut environment = crate::measure::environment::collect();
    environment.timing_seconds = Some(30.0);
    let mut disturbed = |switches, waited| {
        environment.involuntary_switches_while_timing = switches;
        environment.seconds_waited_while_timing = waited;
        environment.timing_disturbed()
    };
    assert_eq!(disturbed(Some(1), Some(1.5)), Some(false));
    assert_eq!(disturbed(Some(1), Some(1.6)), Some(true));
    assert_eq!(disturbed(None, Some(1.6)), Some(true));
    assert_eq!(disturbed(Some(601), Some(0.0)), Some(true));
    assert_eq!(disturbed(Some(601), None), Some(true));
}

#[test]
fn runs_of_before_these_fields_are_read() {
    let mut value = serde_json::to_value(crate::measure::environment::collect()).unwrap();
    let fields = value.as_object_mut().unwrap();
    fields.remove("timing_seconds").unwrap();
    fields.remove("involuntary_switches_while_timing").unwrap();
    fields.remove("seconds_waited_while_timing").unwrap();
    let environment: Environment = serde_json::from_value(value).unwrap();
    assert_eq!(environment.timing_disturbed(), None);
}

#[test]
fn functions_of_runs_before_these_fields_are_read() {
    let function = crate::functions::find("SipHash-1-3").unwrap().summary();
    let mut value = serde_json::to_value(&function).unwrap();
    assert_eq!(value["resistance"], "keyed");
    assert_eq!(value["licence"], "MIT OR Apache-2.0");
    let fields = value.as_object_mut().unwrap();
    for field in ["licence", "seed", "resistance", "resistance_reason"] {
        fields.remove(field).unwrap();
    }
    let older: FunctionSummary = serde_json::from_value(value).unwrap();
    assert_eq!((older.seed, older.resistance), (None, None));
    assert_eq!((older.licence, older.resistance_reason), Default::default());
    assert_eq!(older.name, function.name);
}
