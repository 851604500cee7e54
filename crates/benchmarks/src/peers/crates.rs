//! Filters of other crates, each in newly allocated memory. Crates that take hash values get XXH3, the usual choice.

use core::hint::black_box;

use fastbloom::BloomFilter;
use filter_policy::{BinaryFusePolicy, BitsPerKey, SplitBlockPolicy, formats};
use sbbf_rs_safe::Filter as SplitBlocks;
use terminal::failure::Failure;
use xorf::{BinaryFuse8, BinaryFuse16};
use xxhash_rust::xxh3::xxh3_64;

use crate::keys::{Batched, KeyLengths};
use crate::ours::policies::Ours;
use crate::record::Batch;
use crate::suites::policy::{self, BITS_PER_KEY, Contender, Forms, Maker, Plan, SUITE, count};
use crate::turns::Run;

/// The keys of a filter that is compared with one crate's.
const SIZES: [usize; 3] = [1_000, 100_000, 1_000_000];

/// A filter of another crate.
pub struct Peer<M, B, H> {
    /// The crate.
    pub package: &'static str,
    /// Builds a filter.
    pub make: M,
    /// Returns the bytes of a filter.
    pub bytes: B,
    /// Returns true if a filter may have a key.
    pub has: H,
}

impl<F: 'static, M, B, H> Maker for Peer<M, B, H>
where
    M: Fn(&[&[u8]]) -> F,
    B: Fn(&F) -> usize,
    H: Fn(&F, &[u8]) -> bool,
{
    fn version(&self) -> String {
        crate::version(self.package)
    }

    fn builds<'a>(&'a self, size: usize, keys: Batched<'a>) -> Forms<'a> {
        let build = |keys| (self.bytes)(black_box(&(self.make)(keys))) as u64;
        let run = move || keys.slices.chunks_exact(size).map(build).sum();
        vec![("slices", Box::new(run))]
    }

    fn queries<'a>(&'a self, stored: &[&[u8]], keys: Batched<'a>) -> Forms<'a> {
        let filter = (self.make)(stored);
        let run = move || {
            let filter = black_box(&filter);
            count(keys.slices, |key| (self.has)(filter, key))
        };
        vec![("one-by-one", Box::new(run))]
    }
}

/// Returns what builds filters of `keys` keys with at most this rate; `None` for crates that are not here.
pub fn at_rate(package: &str, keys: usize, rate: f64) -> Option<Box<dyn Maker>> {
    Some(match package {
        "sbbf-rs" => {
            let bits_per_key = formats::SPLIT_BLOCK.bits_per_key_for_rate(keys as u64, rate);
            sbbf_rs(bits_per_key.ok()?.get())
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
        _ => return None,
    })
}

/// Measures split blocks beside those of `sbbf-rs`, which are as long. The hash functions differ: XXPH3 and XXH3.
///
/// # Errors
///
/// If the user requested a stop.
pub fn split_blocks(run: &Run<'_>) -> Result<Vec<Batch>, Failure> {
    let bits_per_key = BitsPerKey::whole(BITS_PER_KEY);
    let contenders = [
        ("sbbf-rs", sbbf_rs(bits_per_key.get())),
        Ours::by_default(SplitBlockPolicy::new(bits_per_key)),
    ];
    let lengths = [KeyLengths::Fixed, KeyLengths::Urls];
    policy::each_size(run, &SIZES, &lengths, |plan| {
        measure(run, &contenders, plan, BITS_PER_KEY)
    })
}

/// Measures binary fuse filters beside those of `xorf`, which have the same fingerprints of 8 bits.
///
/// # Errors
///
/// If the user requested a stop.
pub fn binary_fuse(run: &Run<'_>) -> Result<Vec<Batch>, Failure> {
    const WIDTH: u32 = 8;
    let policy = BinaryFusePolicy::with_width(WIDTH).map_err(Failure::internal)?;
    let xorf = xorf(|filter: &BinaryFuse8| filter.fingerprints.len());
    let contenders = [("xorf", xorf), Ours::by_default(policy)];
    let lengths = [KeyLengths::Fixed, KeyLengths::Urls, KeyLengths::Mixed];
    policy::each_size(run, &SIZES, &lengths, |plan| {
        measure(run, &contenders, plan, WIDTH)
    })
}

/// Measures contenders whose filters may have other bytes, with so many bits for each key or fingerprint.
fn measure(run: &Run<'_>, contenders: &[Contender], plan: Plan, bits: u32) -> Result<Vec<Batch>, Failure> {
    policy::measure(run, contenders, plan, false, |name, version, task, form| {
        let lengths = plan.lengths.name();
        Some(SUITE.case(name, task, &[&form, &version, &lengths, &plan.size, &bits]))
    })
}

/// Split blocks of the crate `sbbf-rs`.
fn sbbf_rs(bits_per_key: f64) -> Box<dyn Maker> {
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

#[cfg(test)]
mod tests {
    use terminal::progress::Silent;

    use super::*;

    #[test]
    fn filters_beside_one_crate_are_queried_in_every_form() {
        let run = Run {
            is_quick: true,
            progress: &Silent,
        };
        for measure in [split_blocks, binary_fuse] {
            let rows = SUITE.rows(&measure(&run).unwrap()).unwrap();
            for form in ["one-by-one", "typed", "prepared", "slices"] {
                let is_ours = |row: &&crate::record::Row| {
                    row.case.contender == "default" && row.case.get("form") == form
                };
                assert!(
                    rows.iter().any(|row| is_ours(&row) && row.ratio > Some(0.0)),
                    "{form}"
                );
            }
        }
    }
}
