//! Builds and queries Parquet's filters with arrow-rs (the crate `parquet`) and with ours on every kernel, all with the
//! same bytes. The program ends if a contender differs from arrow-rs in its answers.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use bench_kit::policies::ours::Ours;
use bench_kit::policies::peer::Peer;
use bench_kit::policies::{self, BITS_PER_KEY, Contender, KeyLengths, Maker};
use bench_kit::program;
use bench_kit::record::Batch;
use bench_kit::suites::policy::SUITE;
use filter_policy::parquet::ParquetPolicy;
use filter_policy::{BitsPerKey, FilterPolicy as _};
use parquet::bloom_filter::Sbbf;
use terminal::failure::Failure;

/// The keys of a filter.
const SIZES: [usize; 6] = [32, 512, 4096, 100_000, 1_000_000, 20_000_000];

const SPLIT_BLOCKS: ParquetPolicy = ParquetPolicy::new(BitsPerKey::whole(BITS_PER_KEY));

fn contenders() -> Vec<Contender> {
    let engine: Contender = ("arrow-rs", Box::new(arrow_rs()));
    [engine]
        .into_iter()
        .chain(Ours::on_all_kernels(SPLIT_BLOCKS))
        .collect()
}

/// As many zeros as the largest filter has.
static ZEROS: [u8; 1 << 25] = [0; 1 << 25];

/// Filters of the crate `parquet`, as long as ours.
fn arrow_rs() -> impl Maker {
    Peer {
        package: "parquet",
        make: |keys: &[&[u8]]| {
            let bytes = SPLIT_BLOCKS.max_filter_len(keys.len());
            let mut filter = Sbbf::new(&ZEROS[..bytes.expect("the filter is small")]);
            keys.iter().for_each(|key| filter.insert(*key));
            filter
        },
        bytes: |filter: &Sbbf| filter.num_blocks() * 32,
        has: |filter: &Sbbf, key: &[u8]| filter.check(key),
    }
}

fn measure(is_quick: bool) -> Result<Vec<Batch>, Failure> {
    let contenders = contenders();
    let measure = |plan| policies::measure_equal(&contenders, plan);
    let lengths = [KeyLengths::Fixed, KeyLengths::Urls];
    Ok(policies::each_size(&SIZES, lengths, is_quick, measure))
}

fn main() -> ExitCode {
    program::run(&[("policy", &SUITE, measure)])
}

#[cfg(test)]
mod tests {
    use bench_kit::policies::Plan;

    use super::*;

    /// Contenders that do other work than arrow-rs would end this.
    #[test]
    fn every_contender_takes_part() {
        let contenders = contenders();
        let batches = policies::measure_equal(
            &contenders,
            Plan {
                size: 600,
                lengths: KeyLengths::Urls,
                rounds: 2,
            },
        );
        let rows = SUITE.rows(&batches).unwrap();
        // Ours have three forms of both queries.
        assert_eq!(rows.len(), 3 + (contenders.len() - 1) * (1 + 2 * 3));
        assert!(
            rows.iter()
                .all(|row| row.value > 0.0 && !row.case.get("version").is_empty())
        );
    }
}
