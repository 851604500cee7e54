//! Parquet's filters by arrow-rs, which is the crate `parquet`.

use filter_policy::parquet::ParquetPolicy;
use filter_policy::{BitsPerKey, FilterPolicy as _};
use parquet::bloom_filter::Sbbf;
use terminal::failure::Failure;

use super::crates::Peer;
use crate::keys::KeyLengths;
use crate::ours::policies::Ours;
use crate::record::Batch;
use crate::suites::policy::{self, BITS_PER_KEY, Contender};
use crate::turns::Run;

/// The keys of a filter.
const SIZES: [usize; 6] = [32, 512, 4096, 100_000, 1_000_000, 20_000_000];

/// The policy of this project with the same bytes.
const SPLIT_BLOCKS: ParquetPolicy = ParquetPolicy::new(BitsPerKey::whole(BITS_PER_KEY));

/// As many zeros as the largest filter has.
static ZEROS: [u8; 1 << 25] = [0; 1 << 25];

/// Measures the filters of arrow-rs, and those of this project with the same bytes.
///
/// # Errors
///
/// If the user requested a stop, or a contender does other work than arrow-rs.
pub fn policy(run: &Run<'_>) -> Result<Vec<Batch>, Failure> {
    let contenders = policies();
    let measure = |plan| policy::measure_equal(run, &contenders, plan);
    policy::each_size(run, &SIZES, &[KeyLengths::Fixed, KeyLengths::Urls], measure)
}

fn policies() -> Vec<Contender> {
    // Filters as long as ours.
    let arrow_rs = Peer {
        package: "parquet",
        make: |keys: &[&[u8]]| {
            let bytes = SPLIT_BLOCKS.max_filter_len(keys.len());
            let mut filter = Sbbf::new(&ZEROS[..bytes.expect("the filter is small")]);
            keys.iter().for_each(|key| filter.insert(*key));
            filter
        },
        bytes: |filter: &Sbbf| filter.num_blocks() * 32,
        has: |filter: &Sbbf, key: &[u8]| filter.check(key),
    };
    let peer: Contender = ("arrow-rs", Box::new(arrow_rs));
    [peer]
        .into_iter()
        .chain([Ours::by_default(SPLIT_BLOCKS)])
        .chain(Ours::on_all_kernels(SPLIT_BLOCKS))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suites::policy::tests::check_all_take_part;

    #[test]
    fn every_contender_takes_part() {
        check_all_take_part(&policies(), 1, KeyLengths::Urls);
    }
}
