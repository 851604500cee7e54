//! Records of the system during a run.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::*;

const WAIT: Duration = Duration::from_secs(1);

/// Disturbs a run: threads that take the processor to which the timing is pinned, and a long wait between two parts of it.
#[derive(Default)]
struct Disturbance {
    over: Arc<AtomicBool>,
}

impl Progress for Disturbance {
    fn begin(&self, phase: &str, _steps: u64) {
        match phase {
            "timing lengths" => {
                for _ in 0..4 {
                    let over = Arc::clone(&self.over);
                    thread::spawn(move || while !over.load(Ordering::Relaxed) {});
                }
            }
            "timing cache and memory" => {
                self.over.store(true, Ordering::Relaxed);
                thread::sleep(WAIT);
            }
            _ => {}
        }
    }

    fn step(&self) {
        for number in 0..5_000_000_u32 {
            black_box(number);
        }
    }

    fn cancelled(&self) -> bool {
        false
    }
}

#[test]
fn what_disturbs_any_part_of_the_timing_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys.txt");
    std::fs::write(&keys, "one\ntwo\n").unwrap();
    let options = Comparison::new().keys(keys).built_in("pjw").quick();
    let records = measure(&options, None, &Disturbance::default()).unwrap();
    let environment = records.run.environment;
    assert!(environment.timing_seconds.unwrap() >= WAIT.as_secs_f64());
    if cfg!(target_os = "linux") {
        assert!(environment.threads_while_timing.is_some());
        let switches = environment.involuntary_switches_while_timing.unwrap();
        assert!(switches >= 20, "{switches} switches");
        assert!(environment.seconds_waited_while_timing.unwrap() > 0.0);
    }
}
