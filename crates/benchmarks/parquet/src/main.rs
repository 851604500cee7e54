//! Builds and queries Parquet's filters with arrow-rs (the crate `parquet`) and with ours, with the same bytes; and
//! other filters of the same size: `sbbf-rs`, `fastbloom`, our FastLocalBloom and `BloomFilter64.Xxph3`.
//!
//! The program ends if a contender in Parquet's format differs from arrow-rs in its answers. Split blocks run on every
//! kernel, the other policies on the best kernel.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use bench_kit::policies::ours::Ours;
use bench_kit::policies::peers::{self, Peer};
use bench_kit::policies::{self, BITS_PER_KEY, Contender, KeyLengths, Maker, of_fastbloom};
use bench_kit::program;
use bench_kit::suites::policy::SUITE;
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

fn contenders() -> Vec<Contender> {
    let mut contenders = vec![Contender::same("arrow-rs", arrow_rs())];
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

/// As many zeros as the largest filter has.
static ZEROS: [u8; 1 << 25] = [0; 1 << 25];

/// Filters of the crate `parquet`, as long as ours.
fn arrow_rs() -> impl Maker {
    Peer {
        package: "parquet",
        make: |keys: &[&[u8]]| {
            let bytes = SPLIT_BLOCKS
                .max_filter_len(keys.len())
                .expect("the filter is small");
            let mut filter = Sbbf::new(&ZEROS[..bytes]);
            keys.iter().for_each(|key| filter.insert(*key));
            filter
        },
        bytes: |filter: &Sbbf| filter.num_blocks() * 32,
        has: |filter: &Sbbf, key: &[u8]| filter.check(key),
    }
}

fn main() -> ExitCode {
    program::run(&[("policy", &SUITE, |is_quick| {
        Ok(policies::measure_all(
            &contenders(),
            &SIZES,
            KeyLengths::Urls,
            is_quick,
        ))
    })])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contender_takes_part() {
        policies::check(&contenders(), KeyLengths::Urls);
    }
}
