//! Builds and queries Parquet's filters with arrow-rs (the crate `parquet`) and with ours, with the same bytes; and
//! other filters of the same size: `sbbf-rs`, `fastbloom`, our FastLocalBloom and `BloomFilter64.Xxph3`.
//!
//! The program ends if a contender in Parquet's format differs from arrow-rs in its answers. Split blocks run on every
//! kernel, the other policies on the best kernel.
#![forbid(unsafe_code)]

mod scans;

use core::hint::black_box;
use std::io::{self, Write};
use std::process::ExitCode;

use bench_kit::policies::ours::{contender, count, that_ask, that_build};
use bench_kit::policies::{self, BITS_PER_KEY, Batched, Contender, fastbloom, sbbf};
use bench_kit::suites::point_reads;
use bench_kit::suites::policy::PARQUET;
use bench_kit::turns::Work;
use bench_kit::{program, version};
use filter_formats::BloomFilter64Policy;
use filter_formats::parquet::{SplitBlockBloomPolicy, SplitBlockFilter, SplitBlockFilterMut};
use filter_formats::rocksdb::FastLocalBloomPolicy;
use filter_policy::kernels::Kernel;
use filter_policy::{BitsPerKey, FilterPolicy, HashedPolicy};
use parquet::bloom_filter::Sbbf;

/// The keys of a filter.
const SIZES: [usize; 6] = [32, 512, 4096, 100_000, 1_000_000, 20_000_000];

const BITS: BitsPerKey = BitsPerKey::whole(BITS_PER_KEY);
const SPLIT_BLOCKS: SplitBlockBloomPolicy = SplitBlockBloomPolicy::new(BITS);
const FAST_LOCAL: FastLocalBloomPolicy = FastLocalBloomPolicy::new(BITS);
const BLOOM64: BloomFilter64Policy = BloomFilter64Policy::new(BITS);

/// Returns the filter length for `keys` keys, equal for arrow-rs and ours.
fn len(keys: usize) -> usize {
    SPLIT_BLOCKS.max_filter_len(keys).expect("the filter is small")
}

/// A writer that keeps only the first byte.
struct FirstByte(Option<u8>);

impl Write for FirstByte {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.or(bytes.first().copied());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn arrow_rs(zeros: &[u8], keys: &[&[u8]]) -> Sbbf {
    let mut filter = Sbbf::new(zeros);
    keys.iter().for_each(|key| filter.insert(*key));
    filter
}

fn theirs<'a>(form: &'static str, run: impl FnMut() -> u64 + 'a) -> Contender<'a> {
    Contender::engine(("arrow-rs", form), version("parquet"), Work::Same, run)
}

/// The filters that a task queries, all of the same keys.
struct Filters {
    arrow_rs: Sbbf,
    split_blocks: Vec<u8>,
    fast_local: Vec<u8>,
    bloom64: Vec<u8>,
}

struct Parquet;

impl policies::Engine for Parquet {
    type Filters = Filters;

    const LENGTHS: [policies::KeyLengths; 2] = [policies::KeyLengths::Fixed, policies::KeyLengths::Urls];

    fn that_build<'a>(&self, size: usize, keys: Batched<'a>) -> Vec<Contender<'a>> {
        let zeros = vec![0; len(size)];
        let engine = move || {
            let build = |keys| {
                let mut first = FirstByte(None);
                let written = arrow_rs(&zeros, keys).write_bitset(&mut first);
                written.expect("nothing is written anywhere");
                u64::from(first.0.unwrap_or_default())
            };
            keys.slices.chunks_exact(size).map(build).sum()
        };
        let mut contenders = vec![theirs("slices", engine)];
        for kernel in Kernel::available() {
            let policy = SPLIT_BLOCKS.on_kernel(kernel);
            contenders.extend(that_build(kernel.name(), Work::Same, policy, size, keys));
        }
        let hashes: Vec<u64> = keys.slices.iter().map(|key| SPLIT_BLOCKS.hash_key(key)).collect();
        let mut bitset = vec![0; len(size)];
        let by_hashes = move || {
            let mut build = |hashes: &[u64]| {
                bitset.fill(0);
                let mut filter = SplitBlockFilterMut::new(&mut bitset).expect("there are whole blocks");
                hashes.iter().for_each(|&hash| filter.insert_hash(hash));
                u64::from(black_box(&bitset)[0])
            };
            hashes.chunks_exact(size).map(&mut build).sum()
        };
        let best = Kernel::best().name();
        contenders.push(contender(best, "hashed", Work::Same, by_hashes));
        contenders.extend(that_build("fast-local", Work::Own, FAST_LOCAL, size, keys));
        contenders.extend(that_build("bloom64", Work::Own, BLOOM64, size, keys));
        contenders.extend(sbbf::that_build(size, keys, None));
        contenders.extend(fastbloom::that_build(size, keys, sbbf::HASH));
        contenders
    }

    fn filters(&self, stored: &[&[u8]]) -> Filters {
        let built = "the filter is small";
        Filters {
            arrow_rs: arrow_rs(&vec![0; len(stored.len())], stored),
            split_blocks: SPLIT_BLOCKS.build(stored).expect(built),
            fast_local: FAST_LOCAL.build(stored).expect(built),
            bloom64: BLOOM64.build(stored).expect(built),
        }
    }

    fn that_ask<'a>(&self, filters: &'a Filters, stored: &[&[u8]], keys: Batched<'a>) -> Vec<Contender<'a>> {
        let Filters {
            arrow_rs,
            split_blocks,
            fast_local,
            bloom64,
        } = filters;
        let engine = move || count(keys.slices, |key| arrow_rs.check(key));
        let mut contenders = vec![theirs("one-by-one", engine)];
        for kernel in Kernel::available() {
            let policy = SPLIT_BLOCKS.on_kernel(kernel);
            contenders.extend(that_ask(kernel.name(), Work::Same, policy, split_blocks, keys));
        }
        let hashes: Vec<u64> = keys.slices.iter().map(|key| SPLIT_BLOCKS.hash_key(key)).collect();
        let by_hashes = move || {
            let filter = SplitBlockFilter::new(black_box(split_blocks)).expect("there are whole blocks");
            hashes.iter().filter(|&&hash| filter.may_match_hash(hash)).count() as u64
        };
        let best = Kernel::best().name();
        contenders.push(contender(best, "hashed", Work::Same, by_hashes));
        contenders.extend(that_ask("fast-local", Work::Own, FAST_LOCAL, fast_local, keys));
        contenders.extend(that_ask("bloom64", Work::Own, BLOOM64, bloom64, keys));
        contenders.extend(sbbf::that_ask(stored, keys, None));
        contenders.extend(fastbloom::that_ask(stored, keys, sbbf::HASH));
        contenders
    }
}

fn main() -> ExitCode {
    program::run(&[
        ("policy", |arguments| {
            arguments.write(
                &PARQUET,
                &policies::measure_all(&Parquet, &SIZES, arguments.quick),
            )
        }),
        ("scans", |arguments| {
            arguments.write(&point_reads::SUITE, &scans::measure(arguments.quick)?)
        }),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contender_takes_part_in_every_round() {
        let batches = policies::measure(&Parquet, 600, policies::KeyLengths::Urls, 2);
        let expected = [
            ("arrow-rs", 2, 2),
            ("fast-local", 2, 6),
            ("bloom64", 2, 6),
            ("sbbf-xxh3", 4, 4),
            ("fastbloom-hashes", 2, 2),
            ("fastbloom-default", 2, 2),
            (Kernel::best().name(), 4, 8),
        ];
        policies::check_turns(&batches, &expected);
    }
}
