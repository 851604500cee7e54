//! Facebook's RocksDB: its policies in C++.
//!
//! They are called through their virtual functions, in a C++ loop over slices made in advance; as in RocksDB's tables, one
//! reader serves many keys.

use engine_tests::rocksdb::{Policy, UniquePtr, slices, version};
use filter_policy::{AnyFormat, formats};
use terminal::failure::Failure;

use super::crates;
use crate::keys::Batched;
use crate::ours::policies::Ours;
use crate::record::Batch;
use crate::suites::equal_rate;
use crate::suites::policy::{Forms, Maker};
use crate::turns::Run;

/// Measures filters of RocksDB, of other crates and of this project at the same false-positive rates.
///
/// # Errors
///
/// If the user requested a stop, or a filter denies stored keys.
pub fn equal_rate(run: &Run<'_>) -> Result<Vec<Batch>, Failure> {
    equal_rate::measure(run, &at_rate)
}

/// Returns what builds a contender's filters of `keys` keys with at most this rate; `None` if it cannot.
fn at_rate(contender: &str, keys: usize, rate: f64) -> Option<Box<dyn Maker>> {
    let bits = |format: &dyn AnyFormat| Some(format.bits_per_key_for_rate(keys as u64, rate).ok()?.get());
    let policy = match contender {
        "rocksdb" => Policy::bloom(bits(formats::FAST_LOCAL_BLOOM)?, 5),
        "rocksdb-ribbon" => Policy::ribbon(bits(formats::RIBBON)?),
        other => return crates::at_rate(other, keys, rate).or_else(|| Ours::at_rate(other, keys, rate)),
    };
    Some(Box::new(RocksDb(policy)))
}

/// RocksDB's policy, in C++ through its virtual functions.
struct RocksDb(UniquePtr<Policy>);

impl Maker for RocksDb {
    fn version(&self) -> String {
        version()
    }

    fn builds<'a>(&'a self, size: usize, keys: Batched<'a>) -> Forms<'a> {
        let keys = slices(keys.slices);
        vec![("slices", Box::new(move || self.0.create_filters(&keys, size)))]
    }

    fn queries<'a>(&'a self, stored: &[&[u8]], keys: Batched<'a>) -> Forms<'a> {
        let filter = self.0.create_filter(&slices(stored));
        let reader = || self.0.reader(&filter).expect("RocksDB reads its own filter");
        let [one, many] = [reader(), reader()];
        let [of_one, of_many] = [slices(keys.slices), slices(keys.slices)];
        let one = move || one.count_matches(&of_one);
        let many = move || many.count_matches_in_batches(&of_many);
        vec![("one-by-one", Box::new(one)), ("slices", Box::new(many))]
    }
}

#[cfg(test)]
mod tests {
    use terminal::progress::Silent;

    use super::*;
    use crate::keys::KeyLengths;
    use crate::suites::equal_rate::{RATES, SUITE, measure_size};
    use crate::suites::policy::Plan;

    #[test]
    fn every_contender_keeps_every_rate() {
        let run = Run {
            is_quick: true,
            progress: &Silent,
        };
        let plan = Plan {
            size: 3000,
            lengths: KeyLengths::Fixed,
            rounds: 7,
        };
        let batches = measure_size(&run, &at_rate, plan).unwrap();
        let rows = SUITE.rows(&batches).unwrap();
        let rates = rows.iter().filter(|row| row.case.task == "rate");
        assert_eq!(rates.clone().count(), RATES.len() * (SUITE.contenders)().len());
        for row in rates {
            let rate = row.case.number("rate");
            // Three standard deviations of the count, and what LevelDB's computed rate neglects.
            let most = rate * 1.05 + 3.0 * (rate / 100_000.0).sqrt();
            assert!(row.value < most, "{row:?}");
            assert!(row.at("build", &rows).is_some() && row.at("present", &rows).is_some());
            // No filter can have fewer bits.
            let bits = row.at("size", &rows).unwrap().value * 8.0;
            assert!(bits > -row.value.max(1e-9).log2() * 0.9, "{row:?}: {bits}");
        }
    }
}
