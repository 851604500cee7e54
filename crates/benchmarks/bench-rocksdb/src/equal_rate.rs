//! Bits and times of every filter at the same false-positive rates.

use bench_kit::policies::ours::Ours;
use bench_kit::policies::peer::Peer;
use bench_kit::policies::{self, Batched, Contender, Forms, KeyLengths, Maker, Plan, keys};
use bench_kit::record::Batch;
use bench_kit::suites::policy::EQUAL_RATE;
use engine_tests::rocksdb::{Policy, UniquePtr, slices, version};
use fastbloom::BloomFilter;
use filter_policy::{AnyFormat, formats, policies as registered};
use sbbf_rs_safe::Filter as SplitBlocks;
use xorf::{BinaryFuse8, BinaryFuse16};
use xxhash_rust::xxh3::xxh3_64;

/// The rates that the filters must not exceed.
const RATES: [f64; 2] = [0.001, 0.01];
/// The keys of a filter.
const SIZES: [usize; 6] = [64, 3000, 12_850, 100_000, 1_000_000, 20_000_000];
/// Absent keys that are queried for a rate: at 0.1 % the statistical error is 3 % of the rate.
const QUERIES: usize = 1_000_000;

/// Returns what builds a contender's filters of `keys` keys with at most this rate; `None` if it cannot. Crates that
/// take hash values get XXH3, the usual choice.
fn maker(name: &str, keys: usize, rate: f64) -> Option<Box<dyn Maker>> {
    let bits = |format: &'static dyn AnyFormat| format.bits_per_key_for_rate(keys as u64, rate).ok();
    Some(match name {
        "rocksdb" => Box::new(RocksDb(Policy::bloom(bits(formats::FAST_LOCAL_BLOOM)?.get(), 5))),
        "rocksdb-ribbon" => Box::new(RocksDb(Policy::ribbon(bits(formats::RIBBON)?.get()))),
        "sbbf-rs" => {
            let bits_per_key = bits(formats::SPLIT_BLOCK)?.get();
            Box::new(Peer {
                package: "sbbf-rs",
                make: move |keys: &[&[u8]]| {
                    let bits = (bits_per_key * keys.len() as f64) as usize;
                    let mut blocks = SplitBlocks::new(1, bits.next_multiple_of(8));
                    keys.iter().for_each(|key| {
                        blocks.insert_hash(xxh3_64(key));
                    });
                    blocks
                },
                bytes: |blocks: &SplitBlocks| blocks.as_bytes().len(),
                has: |blocks: &SplitBlocks, key: &[u8]| blocks.contains_hash(xxh3_64(key)),
            })
        }
        // It chooses the probe count. The seed, random by default, is fixed.
        "fastbloom" => Box::new(Peer {
            package: "fastbloom",
            make: move |keys: &[&[u8]]| {
                let empty = BloomFilter::with_false_pos(rate).seed(&1);
                let mut filter = empty.expected_items(keys.len());
                keys.iter().for_each(|key| {
                    filter.insert_hash(xxh3_64(key));
                });
                filter
            },
            bytes: |filter: &BloomFilter| filter.as_slice().len() * 8,
            has: |filter: &BloomFilter, key: &[u8]| filter.contains_hash(xxh3_64(key)),
        }),
        "xorf" if rate >= 1.0 / 256.0 => xorf(|filter: &BinaryFuse8| filter.fingerprints.len()),
        "xorf" => xorf(|filter: &BinaryFuse16| filter.fingerprints.len() * 2),
        policy => {
            let bits = bits(registered::listed(policy)?)?;
            Box::new(Ours::fresh(registered::by_name(policy, bits).ok()?))
        }
    })
}

/// Filters of the crate `xorf` with fingerprints of one width.
fn xorf<F: TryFrom<Vec<u64>> + xorf::Filter<u64> + 'static>(bytes: fn(&F) -> usize) -> Box<dyn Maker> {
    Box::new(Peer {
        package: "xorf",
        make: |keys: &[&[u8]]| {
            let hashes: Vec<u64> = keys.iter().map(|key| xxh3_64(key)).collect();
            F::try_from(hashes).ok().expect("hash values differ")
        },
        bytes,
        has: |filter: &F, key: &[u8]| filter.contains(&xxh3_64(key)),
    })
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

/// Measures every contender.
pub(crate) fn measure(is_quick: bool) -> Vec<Batch> {
    let queries = if is_quick { QUERIES / 10 } else { QUERIES };
    let lengths = [KeyLengths::Urls, KeyLengths::Fixed];
    policies::each_size(&SIZES, lengths, is_quick, |plan| measure_size(plan, queries))
}

fn measure_size(plan: Plan, queries: usize) -> Vec<Batch> {
    let Plan { size, lengths, .. } = plan;
    // All rates take turns, so that a slow moment of the machine slows all of them alike.
    let contenders = (EQUAL_RATE.contenders)();
    let mut makers: Vec<Contender<(&str, f64)>> = Vec::new();
    for rate in RATES {
        let maker = |(name, _): &(&'static str, _)| Some(((*name, rate), maker(name, size, rate)?));
        makers.extend(contenders.iter().filter_map(maker));
    }
    let case = |(name, rate): &(&str, f64), version: &str, task: &str| {
        EQUAL_RATE.case(name, task, &[&version, &lengths.name(), &size, rate])
    };
    let mut batches = Vec::new();
    let stored = keys::stored(size, lengths);
    let stored = stored.slices();
    let others = keys::random(queries, 4, lengths);
    let others = others.slices();
    // Each of the filters that the keys fill is queried for its share of the others.
    let filled = stored.len() / size;
    let share = others.len() / filled;
    for (contender, maker) in &makers {
        let case = |task| case(contender, &maker.version(), task);
        let bytes = first(maker.builds(size, batched(&stored[..size])));
        batches.push(case("size").batch(1, size as u64, bytes));
        let filters = stored.chunks_exact(size).zip(others.chunks_exact(share));
        let matches = |(stored, others): (&[&[u8]], &[&[u8]])| {
            let present = &stored[..size.min(QUERIES / 10)];
            let found = first(maker.queries(stored, batched(present)));
            assert_eq!(found, present.len() as u64, "{contender:?} denies stored keys");
            first(maker.queries(stored, batched(others)))
        };
        let matches = filters.map(matches).sum();
        batches.push(case("rate").batch(1, (filled * share) as u64, matches));
    }
    // A round of the largest filters takes a minute.
    let rounds = if size > 1_000_000 { 1 } else { plan.rounds };
    let plan = Plan { rounds, ..plan };
    let named = |contender: &(&str, f64), version: &str, task: &str, form: &str| {
        // Policies of this project answer single keys after preparing the filter.
        let is_ours = registered::listed(contender.0).is_some();
        let task = match form {
            "slices" if task == "absent" => "many",
            "slices" if task == "build" => task,
            "one-by-one" if !is_ours => task,
            "prepared" => task,
            _ => return None,
        };
        Some(case(contender, version, task))
    };
    batches.extend(policies::measure(&makers, plan, false, named));
    batches
}

const fn batched<'a>(slices: &'a [&'a [u8]]) -> Batched<'a> {
    Batched { slices, arrays: None }
}

/// Runs the first of equal loops.
fn first(forms: Forms<'_>) -> u64 {
    forms.into_iter().next().map_or(0, |(_, mut run)| run())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contender_keeps_every_rate() {
        let lengths = KeyLengths::Fixed;
        let batches = measure_size(
            Plan {
                size: 3000,
                lengths,
                rounds: 7,
            },
            QUERIES / 10,
        );
        let rows = EQUAL_RATE.rows(&batches).unwrap();
        let rates = rows.iter().filter(|row| row.case.task == "rate");
        assert_eq!(
            rates.clone().count(),
            RATES.len() * (EQUAL_RATE.contenders)().len()
        );
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
