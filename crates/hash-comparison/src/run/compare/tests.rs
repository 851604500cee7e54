//! Records of the system during a run.

use std::hint::black_box;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::*;

/// Disturbs a run: threads that take the processor while lengths are timed, and a long wait before places are timed.
#[derive(Default)]
struct Disturbance {
    threads: Mutex<Vec<thread::JoinHandle<()>>>,
    timing_lengths: AtomicBool,
}

static OVER: AtomicBool = AtomicBool::new(false);
const WAIT: Duration = Duration::from_secs(1);
const BUSY: usize = 4;

fn spin() {
    for step in 0..10_000_000_u32 {
        black_box(step);
    }
}

impl Progress for Disturbance {
    fn begin(&self, phase: &str, _steps: u64) {
        let mut threads = self.threads.lock().unwrap();
        self.timing_lengths
            .store(phase == "timing lengths", Ordering::Relaxed);
        match phase {
            // These threads stay on the processor to which the timing is pinned.
            "timing lengths" => threads.extend((0..BUSY).map(|_| {
                thread::spawn(|| {
                    while !OVER.load(Ordering::Relaxed) {
                        spin();
                    }
                })
            })),
            "timing cache and memory" => {
                OVER.store(true, Ordering::Relaxed);
                for thread in threads.drain(..) {
                    thread.join().unwrap();
                }
                thread::sleep(WAIT);
            }
            _ => {}
        }
    }

    fn step(&self) {
        if self.timing_lengths.load(Ordering::Relaxed) {
            spin();
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
    let options = Options {
        keys: vec![keys],
        functions: vec!["pjw".to_owned()],
        quick: true,
        ..Options::default()
    };
    let environment = run(&options, &Disturbance::default()).unwrap().run.environment;
    assert!(environment.timing_seconds.unwrap() >= WAIT.as_secs_f64());
    if cfg!(target_os = "linux") {
        assert!(environment.threads_while_timing.is_some());
        let switches = environment.involuntary_switches_while_timing.unwrap();
        assert!(switches >= 20, "{switches} switches");
        assert!(environment.seconds_waited_while_timing.unwrap() > 0.0);
    }
}
