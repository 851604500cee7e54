//! Builds and queries LevelDB's filters with LevelDB's own policy in C++ and with ours on every kernel, all with the same
//! bytes.
//!
//! LevelDB is called through its virtual functions, in a C++ loop over slices made in advance. The program ends if a
//! contender differs from LevelDB in the length of its filters or in its answers.

use bench_kit::policies::ours::Ours;
use bench_kit::policies::{self, BITS_PER_KEY, Batched, Contender, Forms, KeyLengths, Maker};
use bench_kit::record::Batch;
use engine_tests::leveldb::{Policy, UniquePtr, slices, version};
use filter_policy::{BitsPerKey, BloomFilterPolicy};
use filter_policy_leveldb::POLICY_LEVELDB;

/// The keys of a filter.
const SIZES: [usize; 8] = [32, 128, 512, 4096, 16_384, 100_000, 1_000_000, 20_000_000];

/// Measures every size and key length.
pub(crate) fn measure(is_quick: bool) -> Vec<Batch> {
    let contenders = contenders();
    let measure = |plan| policies::measure_equal(&contenders, plan);
    let lengths = [KeyLengths::Fixed, KeyLengths::Mixed];
    policies::each_size(&SIZES, lengths, is_quick, measure)
}

fn contenders() -> Vec<Contender> {
    let engine: Contender = ("leveldb", Box::new(LevelDb(Policy::builtin(BITS_PER_KEY as u16))));
    // The functions that C programs pass to LevelDB, which calls them like its own policy.
    let c_library = LevelDb(Policy::c_library(BITS_PER_KEY.cast_signed(), POLICY_LEVELDB));
    let policy = BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(BITS_PER_KEY));
    let peers = [engine, ("c-library", Box::new(c_library))];
    peers.into_iter().chain(Ours::on_all_kernels(policy)).collect()
}

/// A policy that LevelDB calls.
struct LevelDb(UniquePtr<Policy>);

impl Maker for LevelDb {
    fn version(&self) -> String {
        version()
    }

    fn builds<'a>(&'a self, size: usize, keys: Batched<'a>) -> Forms<'a> {
        let keys = slices(keys.slices);
        vec![("slices", Box::new(move || self.0.create_filters(&keys, size)))]
    }

    fn queries<'a>(&'a self, stored: &[&[u8]], keys: Batched<'a>) -> Forms<'a> {
        let (filter, keys) = (self.0.create_filter(&slices(stored)), slices(keys.slices));
        let run = move || self.0.count_matches(&keys, &filter);
        vec![("one-by-one", Box::new(run))]
    }
}

#[cfg(test)]
mod tests {
    use bench_kit::policies::Plan;
    use bench_kit::suites::policy::SUITE;

    use super::*;

    /// Contenders that do other work than LevelDB would end this.
    #[test]
    fn every_contender_takes_part() {
        let contenders = contenders();
        let batches = policies::measure_equal(
            &contenders,
            Plan {
                size: 600,
                lengths: KeyLengths::Mixed,
                rounds: 2,
            },
        );
        let rows = SUITE.rows(&batches).unwrap();
        // Ours have three forms of both queries.
        assert_eq!(rows.len(), 2 * 3 + (contenders.len() - 2) * (1 + 2 * 3));
        assert!(
            rows.iter()
                .all(|row| row.value > 0.0 && !row.case.get("version").is_empty())
        );
    }
}
