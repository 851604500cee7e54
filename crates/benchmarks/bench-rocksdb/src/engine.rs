//! RocksDB as a contender.

use bench_kit::policies::{Batched, Forms, Maker};
use bench_rocksdb::{Policy, UniquePtr, slices, version};

/// RocksDB's policy, in C++ through its virtual functions.
pub(crate) struct RocksDb(pub(crate) UniquePtr<Policy>);

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
        let ([one, many], keys) = ([reader(), reader()], [slices(keys.slices), slices(keys.slices)]);
        let [of_one, of_many] = keys;
        vec![
            ("one-by-one", Box::new(move || one.count_matches(&of_one))),
            (
                "slices",
                Box::new(move || many.count_matches_in_batches(&of_many)),
            ),
        ]
    }
}
