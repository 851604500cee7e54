//! Times: what does not depend on the speed of the machine, and what is recorded of its disturbances.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use hash_comparison::Comparison;
use hash_comparison::clock::{Batch, Readings, Workload, spread, subjects};
use hash_comparison::functions::{self, Function};
use hash_comparison::keys::{Dataset, KeySet};
use hash_comparison::questions::times::places::{BYTES, FOOTPRINT, KEYS, both};
use hash_comparison::questions::times::rounds;
use hash_comparison::questions::{Measure, Place, QUESTIONS, Records};
use hash_comparison::record::{CallForm, Run};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::SeedableRng as _;
use terminal::failure::Failure;
use terminal::progress::{Progress, Silent};

fn function(name: &'static str, hash: fn(&[u8]) -> u64) -> Function {
    Function::custom(name, 64, hash, &[])
}

fn first_byte(key: &[u8]) -> u64 {
    key.first().map_or(7, |&byte| u64::from(byte))
}

fn numbers(count: usize) -> KeySet {
    (0..count).map(|number| format!("{number:08}")).collect()
}

fn batch(keys: &KeySet) -> Batch {
    Batch::new(keys, 1)
}

/// Returns the error of timing a function.
fn untimed(keys: KeySet, function: &Function, progress: &dyn Progress) -> Failure {
    let of = |measure: &Measure| match *measure {
        Measure::Times(measure) => Some(measure),
        _ => None,
    };
    let measure = QUESTIONS
        .iter()
        .find_map(|question| of(&question.measure))
        .unwrap();
    let mut records = Records::of(Run::default());
    measure(&[Dataset::of("keys", keys)], &[function], progress, &mut records).unwrap_err()
}

#[test]
fn no_time_is_taken_from_a_wrong_result() {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    // Right while the sum is computed beforehand, wrong from the warm-up on.
    let fickle = function("fickle", |_| u64::from(CALLS.fetch_add(1, Ordering::Relaxed) < 3));
    let error = untimed(["a", "b", "c"].into_iter().collect(), &fickle, &Silent);
    assert!(matches!(error, Failure::Internal(_)));
    assert!(
        error
            .to_string()
            .starts_with("timing fickle on keys: the values add up to 0x"),
        "{error}"
    );
}

#[test]
fn a_run_stops_on_request() {
    struct Impatient(AtomicU64);
    impl Progress for Impatient {
        fn cancelled(&self) -> bool {
            self.0.fetch_add(1, Ordering::Relaxed) == 5
        }
    }
    let progress = Impatient(AtomicU64::new(0));
    let error = untimed(numbers(10), &function("first", first_byte), &progress);
    assert!(matches!(error, Failure::Interrupted));
    assert_eq!(progress.0.into_inner(), 6);
}

#[test]
fn a_reading_ends_after_enough_calls_or_bytes_and_large_sets_are_sampled() {
    // Number and length of the keys; keys and bytes of the batch; calls and bytes of a reading.
    for (count, length, of_batch, of_reading) in [
        (3, 8, (3, 24), (40_002, 320_016)),
        (60_000, 8, (60_000, 480_000), (60_000, 480_000)),
        (1_000_001, 8, (1_000_000, 8_000_000), (1_000_000, 8_000_000)),
        (2, 0, (2, 0), (40_000, 0)),
        (2, 125, (2, 250), (32_000, 4_000_000)),
        (40, 1_000_000, (32, 32_000_000), (32, 32_000_000)),
        (2, 20_000_000, (1, 20_000_000), (1, 20_000_000)),
        (1, 33_000_000, (1, 33_000_000), (1, 33_000_000)),
    ] {
        let batch = batch(&(0..count).map(|_| vec![b'x'; length]).collect());
        assert_eq!((batch.keys(), batch.bytes()), of_batch, "{count} of {length}");
        // The longest wait for Ctrl-C: a few megabytes beyond one key, at most a batch.
        assert_eq!(
            (batch.calls(), batch.bytes_read()),
            of_reading,
            "{count} of {length}"
        );
    }
}

#[test]
fn parts_are_all_keys_each_once() {
    for (count, most, parts) in [
        (0, 11, 1),
        (10, 11, 1),
        (79_999, 11, 1),
        (80_001, 11, 2),
        (200_000, 3, 3),
        (450_000, 11, 11),
        (450_000, 1, 1),
    ] {
        let keys = numbers(count);
        let whole = batch(&keys);
        let batch = batch(&keys).in_parts(most);
        assert_eq!(batch.parts(), parts, "{count} {most}");
        let sum = |of: &dyn Fn(usize) -> u64| (0..parts).map(of).fold(0, u64::wrapping_add);
        let expected = whole.checksum(0, first_byte);
        assert_eq!(sum(&|part| batch.checksum(part, first_byte)), expected);
        for form in [CallForm::Independent, CallForm::Chained] {
            assert_eq!(sum(&|part| batch.run(part, form, first_byte)), expected);
        }
        let calls = |part| batch.calls_of(part);
        assert_eq!((0..parts).map(calls).sum::<usize>(), whole.calls());
        assert_eq!((0..parts).map(calls).max(), Some(batch.calls()));
        assert!(batch.bytes_read() * parts >= whole.bytes_read());
    }
    // Keys that one long key outweighs are read together.
    let mut keys = numbers(80_001);
    keys.push(&vec![b'x'; 1_000_000]);
    assert_eq!(batch(&keys).in_parts(11).parts(), 1);
}

#[test]
fn a_quick_run_reads_every_part_in_every_line() {
    let batch = batch(&numbers(320_000)).in_parts(11);
    let functions = [
        function("first", first_byte),
        function("length", |key| key.len() as u64),
    ];
    let subjects = subjects(&[&functions[0], &functions[1]]);
    let workload = Workload {
        dataset: "numbers",
        place: Place::Sequence,
        batch,
        rounds: 8,
    };
    let mut table = Readings::new(workload, &subjects, &Silent).unwrap();
    assert_eq!(table.workload.batch.parts(), 8);
    let mut read = vec![Vec::new(); table.lines.len()];
    for round in 0..8 {
        for (line, parts) in read.iter_mut().enumerate() {
            parts.push(table.next_part(line));
        }
        table.round(round, &Silent).unwrap();
    }
    for mut parts in read {
        parts.sort_unstable();
        assert!(parts.into_iter().eq(0..8));
    }
    assert!(table.lines.iter().all(|line| line.samples.len() == 8));
}

#[test]
fn rounds_follow_from_the_work_alone() {
    assert_eq!(rounds(40_002, 0, false), 61);
    assert_eq!(rounds(333_334, 6_466_132, false), 21);
    assert_eq!(rounds(333_334, 10_666_667, false), 14);
    // One key of 300 kB, of 32 MB.
    assert_eq!(rounds(14, 4_200_000, false), 47);
    assert_eq!(rounds(1, 32_000_000, false), 6);
    assert_eq!(rounds(usize::MAX, usize::MAX, false), 3);
    assert_eq!(rounds(45_402, 363_646, true), 11);
    assert_eq!(rounds(1_000_000, 19_398_396, true), 3);
    assert_eq!(rounds(0, 0, true), 11);
}

#[test]
fn rounds_of_all_datasets_are_spread_over_the_whole_time() {
    let order = spread(&[2, 4, 0], &mut SplitMix64::seed_from_u64(1));
    let (first, second) = order.split_at(3);
    for half in [first, second] {
        assert_eq!(half.iter().sum::<usize>(), 2, "{order:?}");
    }
}

#[test]
fn both_places_hold_the_same_keys() {
    let lines: String = (0..20_000).map(|number| format!("key {number}\n")).collect();
    let long = vec![b'x'; 1_000_000];
    for lines in [lines.as_bytes(), b"", b"a\n\nbb", &long] {
        let keys = lines.split(|byte| *byte == b'\n').collect();
        let [cache, memory] = both(&Dataset::of("keys", keys), 1);
        assert!((1..=KEYS).contains(&cache.calls()) && cache.bytes() <= BYTES);
        assert!((FOOTPRINT / 2..=FOOTPRINT).contains(&memory.bytes()));
        let hash = |key: &[u8]| (functions::find("XXH3").unwrap().hash)(key);
        for part in [0, 1, memory.parts() - 1] {
            assert_eq!(memory.calls_of(part), cache.calls());
            assert_eq!(memory.checksum(part, hash), cache.checksum(0, hash));
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn afterwards_every_processor_is_allowed_again() {
    use hash_comparison::clock::Pinned;
    use rustix::thread::{sched_getaffinity, sched_getcpu};

    let before = sched_getaffinity(None).unwrap();
    let pinned = Pinned::here().unwrap();
    assert_eq!(sched_getaffinity(None).unwrap().count(), 1);
    assert_eq!(sched_getcpu() as u64, pinned.cpu());
    drop(pinned);
    assert!(sched_getaffinity(None).unwrap() == before);
}
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
}

#[test]
fn what_disturbs_any_part_of_the_timing_is_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let keys = folder.path().join("keys.txt");
    std::fs::write(&keys, "one\ntwo\n").unwrap();
    let options = Comparison::new().keys(keys).built_in("pjw").quick();
    let records = options.measure(&Disturbance::default()).unwrap();
    let environment = records.run.environment;
    assert!(environment.timing_seconds.unwrap() >= WAIT.as_secs_f64());
    if cfg!(target_os = "linux") {
        assert!(environment.threads_while_timing.is_some());
        let switches = environment.involuntary_switches_while_timing.unwrap();
        assert!(switches >= 20, "{switches} switches");
        assert!(environment.seconds_waited_while_timing.unwrap() > 0.0);
    }
}
