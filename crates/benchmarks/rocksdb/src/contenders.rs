//! The contenders, which build and query filters.

use bench_kit::policies::ours::Ours;
use bench_kit::policies::{
    self, BITS_PER_KEY, Batched, Contender, Forms, KeyLengths, Made, Maker, of_fastbloom, peers,
};
use bench_kit::record::Batch;
use bench_rocksdb::{Policy, Reader, UniquePtr, slices, version};
use filter_formats::BloomFilter64Policy;
use filter_formats::rocksdb::{FastLocalBloomPolicy, RibbonPolicy};
use filter_policy::kernels::Kernel;
use filter_policy::{BitsPerKey, HashedPolicy as _};

/// The keys of a filter.
const SIZES: [usize; 5] = [32, 512, 4096, 100_000, 1_000_000];

const BITS: BitsPerKey = BitsPerKey::whole(BITS_PER_KEY);
const FAST_LOCAL: FastLocalBloomPolicy = FastLocalBloomPolicy::new(BITS);

/// Measures every size and key length.
pub(crate) fn measure(is_quick: bool) -> Vec<Batch> {
    policies::measure_all(&contenders(), &SIZES, KeyLengths::Mixed, is_quick)
}

fn contenders() -> Vec<Contender> {
    let bits = f64::from(BITS_PER_KEY);
    let hash: peers::Hash = |key| FAST_LOCAL.hash_key(key);
    let mut contenders = vec![
        Contender::same("rocksdb", RocksDb(Policy::bloom(bits, 5))),
        Contender::own("rocksdb-ribbon", RocksDb(Policy::ribbon(bits))),
        Contender::own("ribbon", Ours::new(RibbonPolicy::new(BITS))),
        Contender::own("bloom64", Ours::new(BloomFilter64Policy::new(BITS))),
        Contender::own("sbbf-xxh3", peers::sbbf(bits, peers::XXH3)),
        Contender::own("sbbf-xxph3", peers::sbbf(bits, hash)),
    ];
    let ours = |kernel: Kernel| Contender::same(kernel.name(), Ours::new(FAST_LOCAL.on_kernel(kernel)));
    contenders.extend(Kernel::available().map(ours));
    contenders.extend(of_fastbloom(hash));
    contenders
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contender_takes_part() {
        policies::check(&contenders(), KeyLengths::Fixed);
    }
}
