//! Builds and queries Parquet's filters with arrow-rs (the crate `parquet`) and with ours, with the same bytes; and
//! other filters of the same size: `sbbf-rs`, `fastbloom`, our FastLocalBloom and `BloomFilter64.Xxph3`.
//!
//! The program ends if a contender in Parquet's format differs from arrow-rs in its answers. Split blocks run on every
//! kernel, the other policies on the best kernel.
#![forbid(unsafe_code)]

mod scans;

use std::io::{self, Write};
use std::process::ExitCode;

use bench_kit::policies::ours::{Ours, count};
use bench_kit::policies::{
    self, BITS_PER_KEY, Batched, Contender, Forms, KeyLengths, Made, Maker, of_fastbloom, peers,
};
use bench_kit::suites::point_reads;
use bench_kit::suites::policy::PARQUET;
use bench_kit::{program, version};
use filter_formats::BloomFilter64Policy;
use filter_formats::parquet::SplitBlockBloomPolicy;
use filter_formats::rocksdb::FastLocalBloomPolicy;
use filter_policy::kernels::Kernel;
use filter_policy::{BitsPerKey, FilterPolicy as _};
use parquet::bloom_filter::Sbbf;

/// The keys of a filter.
const SIZES: [usize; 6] = [32, 512, 4096, 100_000, 1_000_000, 20_000_000];

const BITS: BitsPerKey = BitsPerKey::whole(BITS_PER_KEY);
const SPLIT_BLOCKS: SplitBlockBloomPolicy = SplitBlockBloomPolicy::new(BITS);

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

fn contenders() -> Vec<Contender> {
    let mut contenders = vec![Contender::same("arrow-rs", ArrowRs)];
    let ours = |kernel: Kernel| Contender::same(kernel.name(), Ours::new(SPLIT_BLOCKS.on_kernel(kernel)));
    contenders.extend(Kernel::available().map(ours));
    contenders.push(Contender::own(
        "fast-local",
        Ours::new(FastLocalBloomPolicy::new(BITS)),
    ));
    contenders.push(Contender::own(
        "bloom64",
        Ours::new(BloomFilter64Policy::new(BITS)),
    ));
    contenders.push(Contender::own("sbbf-xxh3", peers::sbbf(BITS.get(), peers::XXH3)));
    contenders.extend(of_fastbloom(peers::XXH3));
    contenders
}

/// Filters of the crate `parquet`, as long as ours.
struct ArrowRs;

fn zeros(keys: usize) -> Vec<u8> {
    vec![0; SPLIT_BLOCKS.max_filter_len(keys).expect("the filter is small")]
}

fn built(zeros: &[u8], keys: &[&[u8]]) -> Sbbf {
    let mut filter = Sbbf::new(zeros);
    keys.iter().for_each(|key| filter.insert(*key));
    filter
}

impl Maker for ArrowRs {
    fn version(&self) -> String {
        version("parquet")
    }

    fn builds<'a>(&'a self, size: usize, keys: Batched<'a>) -> Forms<'a> {
        let zeros = zeros(size);
        let run = move || {
            let first_byte = |keys| {
                let mut first = FirstByte(None);
                let written = built(&zeros, keys).write_bitset(&mut first);
                written.expect("nothing is written anywhere");
                u64::from(first.0.unwrap_or_default())
            };
            keys.slices.chunks_exact(size).map(first_byte).sum()
        };
        vec![("slices", Box::new(run))]
    }

    fn filter<'a>(&'a self, keys: &[&[u8]]) -> Box<dyn Made + 'a> {
        Box::new(OfArrowRs(built(&zeros(keys.len()), keys)))
    }
}

struct OfArrowRs(Sbbf);

impl Made for OfArrowRs {
    fn bytes(&self) -> usize {
        self.0.num_blocks() * 32
    }

    fn asks<'a>(&'a self, keys: Batched<'a>) -> Forms<'a> {
        vec![(
            "one-by-one",
            Box::new(move || count(keys.slices, |key| self.0.check(key))),
        )]
    }
}

fn main() -> ExitCode {
    program::run(&[
        ("policy", |arguments| {
            let batches = policies::measure_all(&contenders(), &SIZES, KeyLengths::Urls, arguments.quick);
            arguments.write(&PARQUET, &batches)
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
    fn every_contender_takes_part() {
        policies::check(&contenders(), KeyLengths::Urls);
    }
}
