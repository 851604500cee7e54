//! Measures every structure at every rate. This is a separate program because it replaces the allocator by a counting
//! one.
#![forbid(unsafe_code)]

mod structures;

use std::process::ExitCode;

use bench_kit::program;
use bench_kit::record::Batch;
use bench_kit::suites::memory::SUITE;
use peak_alloc::PeakAlloc;
use structures::Keys;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const RATES: [f64; 5] = [0.1, 0.01, 0.001, 0.000_1, 0.000_01];
const SEED: u64 = 1;

fn measure(keys: &Keys) -> Result<Vec<Batch>, String> {
    let mut batches = Vec::new();
    for &(structure, name) in SUITE.contenders {
        // Sets have no false positives.
        let rates: &[f64] = if structure.starts_with("hash-set") {
            &[0.0]
        } else {
            &RATES
        };
        for &rate in rates {
            eprintln!("{name} {rate}");
            let measured = structures::measure(structure, rate, keys, &ALLOCATOR);
            batches.extend(measured.map_err(|error| format!("{name}: {error}"))?);
        }
    }
    Ok(batches)
}

fn main() -> ExitCode {
    program::run(&[("memory", |arguments| {
        let (members, absent) = if arguments.quick {
            (100_000, 1_000_000)
        } else {
            (10_000_000, 10_000_000)
        };
        arguments.write(&SUITE, &measure(&Keys::new(members, absent, SEED))?)
    })])
}

#[cfg(test)]
mod tests {
    use super::*;

    // The program's only test, because concurrent tests would also allocate.
    #[test]
    fn every_structure_is_measured_at_every_rate() {
        let keys = Keys::new(20_000, 100_000, SEED);
        let batches = measure(&keys).unwrap();
        assert_eq!(batches.len(), 4 * 6 * 5 + 3 * 2);
        let count = |of: &Batch, task: &str| {
            let is_it = |batch: &&Batch| {
                batch.case.task == task
                    && batch.case.contender == of.case.contender
                    && batch.case.parameters == of.case.parameters
            };
            batches.iter().find(is_it).map(|batch| batch.count)
        };
        for batch in batches.iter().filter(|batch| batch.case.task == "rate") {
            let (name, rate) = (&batch.case, batch.case.number("asked_rate"));
            assert_eq!(
                (batch.case.count("keys"), batch.calls),
                (20_000, 100_000),
                "{name}"
            );
            let [allocated, peak] = ["allocated", "peak"].map(|task| count(batch, task).unwrap());
            assert!(peak >= allocated, "{name}");
            if rate > 0.0 {
                // The reported bytes are the allocated bytes, except for a few words of the structure itself.
                let reported = count(batch, "reported").unwrap();
                assert!((reported..reported + 1024).contains(&allocated), "{name}");
                // The limit is seven standard deviations of independent trials above the requested rate.
                let allowed = 100_000.0 * rate;
                assert!(
                    (batch.count as f64) < allowed + 7.0 * allowed.sqrt() + 1.0,
                    "{name}"
                );
            } else {
                assert_eq!((count(batch, "reported"), batch.count), (None, 0), "{name}");
                // A table takes at least a number and a byte per key, and a growing set holds two tables.
                assert!(allocated > 9 * 20_000 && peak > allocated, "{name}");
            }
        }
        let counts = |structure: &str| -> Vec<u64> {
            let of = batches.iter().filter(|batch| batch.case.contender == structure);
            of.map(|batch| batch.count).collect()
        };
        assert_eq!(counts("bloom"), counts("concurrent-bloom"));
        assert_eq!(measure(&keys).unwrap(), batches, "the same in each run");
    }
}
