//! Files of records: what is written is read, and what anybody changed is refused.

use super::*;

fn environment() -> Environment {
    Environment {
        cpu: "a processor".to_owned(),
        logical_cpus: 2,
        memory_bytes: 1 << 30,
        os: "a system".to_owned(),
        target: "a target".to_owned(),
        rustc: "a compiler".to_owned(),
        rustflags: String::new(),
        profile: "opt-level 3".to_owned(),
        cpu_features: Vec::new(),
        governor: None,
        threads_while_timing: Some(1),
        pinned_cpu: None,
        timing_seconds: Some(30.0),
        involuntary_switches_while_timing: None,
        seconds_waited_while_timing: None,
    }
}

#[test]
fn many_switches_a_second_mean_a_disturbed_timing() {
    let mut environment = environment();
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
    let mut environment = environment();
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
