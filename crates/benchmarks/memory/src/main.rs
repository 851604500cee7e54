//! Measures every structure at every rate. This is a separate program because it replaces the allocator by a counting
//! one.
#![forbid(unsafe_code)]

mod structures;

use std::process::ExitCode;

use bench_kit::program;
use bench_kit::suites::memory::{Measurement, Structure};
use peak_alloc::PeakAlloc;
use structures::Keys;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const RATES: [f64; 5] = [0.1, 0.01, 0.001, 0.000_1, 0.000_01];
const SEED: u64 = 1;

fn measure(keys: &Keys) -> Result<Vec<Measurement>, String> {
    let mut measured = Vec::new();
    for &structure in Structure::ALL {
        let rates = if structure.is_exact() {
            vec![None]
        } else {
            RATES.map(Some).to_vec()
        };
        for rate in rates {
            let name = structure.words();
            eprintln!(
                "{name} {}",
                rate.map_or_else(String::new, |rate| rate.to_string())
            );
            let one = structures::measure(structure, rate, keys, &ALLOCATOR);
            measured.push(one.map_err(|error| format!("{name}: {error}"))?);
        }
    }
    Ok(measured)
}

fn main() -> ExitCode {
    program::run(&[("memory", |arguments| {
        let (members, absent) = if arguments.quick {
            (100_000, 1_000_000)
        } else {
            (10_000_000, 10_000_000)
        };
        arguments.write(&measure(&Keys::new(members, absent, SEED))?)
    })])
}

#[cfg(test)]
mod tests {
    use super::*;

    // The program's only test, because concurrent tests would also allocate.
    #[test]
    fn every_structure_is_measured_at_every_rate() {
        let keys = Keys::new(20_000, 100_000, SEED);
        let rows = measure(&keys).unwrap();
        assert_eq!(rows.len(), 6 * 5 + 2);
        for row in &rows {
            let name = format!("{:?} {:?}", row.structure, row.asked_rate);
            assert_eq!((row.keys, row.absent), (20_000, 100_000), "{name}");
            assert!(row.peak_bytes >= row.allocated_bytes, "{name}");
            match row.asked_rate {
                Some(rate) => {
                    // The reported bytes are the allocated bytes, except for a few words of the structure itself.
                    let reported = row.reported_bytes.unwrap();
                    assert!(
                        (reported..reported + 1024).contains(&row.allocated_bytes),
                        "{name}"
                    );
                    // The limit is seven standard deviations of independent trials above the requested rate.
                    let allowed = 100_000.0 * rate;
                    let most = allowed + 7.0 * allowed.sqrt() + 1.0;
                    assert!(
                        (row.false_positives as f64) < most,
                        "{name}: {}",
                        row.false_positives
                    );
                }
                None => {
                    assert_eq!((row.reported_bytes, row.false_positives), (None, 0), "{name}");
                    // A table takes at least a number and a byte per key, and a growing set holds two tables.
                    assert!(row.allocated_bytes > 9 * 20_000, "{name}");
                    assert!(row.peak_bytes > row.allocated_bytes, "{name}");
                }
            }
        }
        let bytes = |structure| -> Vec<(u64, u64)> {
            let of = rows.iter().filter(|row| row.structure == structure);
            of.map(|row| (row.allocated_bytes, row.false_positives)).collect()
        };
        assert_eq!(bytes(Structure::Bloom), bytes(Structure::ConcurrentBloom));
        assert_eq!(measure(&keys).unwrap(), rows, "the same in each run");
    }
}
