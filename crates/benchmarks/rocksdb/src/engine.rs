//! RocksDB as a contender.

use bench_kit::policies::{Batched, Forms, Made, Maker};
use bench_rocksdb::{Policy, Reader, UniquePtr, slices, version};

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

    fn filter<'a>(&'a self, keys: &[&[u8]]) -> Box<dyn Made + 'a> {
        let filter = self.0.create_filter(&slices(keys));
        let readers = [(); 2].map(|()| self.0.reader(&filter).expect("RocksDB reads its own filter"));
        Box::new(OfRocksDb(filter.len(), readers))
    }
}

/// The length of a filter, and a reader for each form.
struct OfRocksDb(usize, [UniquePtr<Reader>; 2]);

impl Made for OfRocksDb {
    fn bytes(&self) -> usize {
        self.0
    }

    fn asks<'a>(&'a self, keys: Batched<'a>) -> Forms<'a> {
        let [one, many] = [(); 2].map(|()| slices(keys.slices));
        let [for_one, for_many] = &self.1;
        vec![
            ("one-by-one", Box::new(move || for_one.count_matches(&one))),
            (
                "slices",
                Box::new(move || for_many.count_matches_in_batches(&many)),
            ),
        ]
    }
}
