//! Ribbon and binary fuse filters beside a page without access rights: every kernel stays within the bytes and gives the
//! portable code's answers.

use filter_kernels::fuse::{self, Fingerprints, packed_len};
use filter_kernels::ribbon::{self, Solution};
use filter_kernels::{Kernel, KernelToken, Keys, WideSource};

use super::arch::Guarded;
use super::slices::fill;

/// The number of keys: one of each length, in all classes of lengths, and more than a tile.
const KEYS: usize = 150;

/// Asks for keys of all lengths, one by one, many in a call and by hash values, on every kernel.
fn check(
    what: &str,
    one: impl Fn(KernelToken, &[u8]) -> bool,
    many: impl Fn(KernelToken, WideSource<'_>, &mut [u64]),
    hash: fn(&[u8]) -> u64,
) {
    let mut bytes = [0; 2 * KEYS];
    fill(&mut bytes, 0);
    let keys: Vec<&[u8]> = (0..KEYS).map(|len| &bytes[len..2 * len]).collect();
    let hashes: Vec<u64> = keys.iter().map(|key| hash(key)).collect();
    let mut expected = [0; KEYS.div_ceil(64)];
    for (i, key) in keys.iter().enumerate() {
        expected[i / 64] |= u64::from(one(KernelToken::of(Kernel::Scalar), key)) << (i % 64);
    }
    for kernel in Kernel::available() {
        let token = KernelToken::of(kernel);
        for (i, key) in keys.iter().enumerate() {
            assert_eq!(
                one(token, key),
                expected[i / 64] >> (i % 64) & 1 == 1,
                "{what}, {kernel}, {i}"
            );
        }
        for source in [WideSource::Keys(Keys::Slices(&keys)), WideSource::Hashes(&hashes)] {
            let mut answers = [u64::MAX; KEYS.div_ceil(64)];
            many(token, source, &mut answers);
            assert_eq!(answers, expected, "{what}, {kernel}");
        }
    }
}

#[test]
fn solutions_of_all_numbers_of_columns() {
    let mut memory = Guarded::new(5 * 33 * 16);
    for blocks in 2..=5 {
        // Up to 32 columns, in all blocks and in those from the third on.
        for words in (0..=32 * blocks).filter(|words| words % blocks < 3) {
            for end in [true, false] {
                let bytes: &mut [u8] = memory.at(end, words * 16);
                fill(bytes, words);
                let solution = Solution::new(bytes, 1, blocks as u32).unwrap();
                check(
                    &format!("{blocks} blocks, {words} words"),
                    |kernel, key| ribbon::key_may_match(kernel, solution, key),
                    |kernel, source, answers| ribbon::may_match_many(kernel, solution, source, answers),
                    |key| hashzoo::xxph3_64(key, 0),
                );
            }
        }
    }
}

#[test]
fn fingerprints_of_all_widths() {
    let mut memory = Guarded::new(1 << 16);
    for width in [4, 8, 10, 12, 16] {
        for (segments, log2_len) in [(1, 0), (1, 2), (3, 5), (20, 7)] {
            let shape = fuse::Shape {
                seed: 7,
                segments,
                log2_len,
            };
            // One byte follows the fingerprints, at least.
            let len = usize::try_from(packed_len(shape, width).unwrap()).unwrap() + 1;
            for end in [true, false] {
                let bytes: &mut [u8] = memory.at(end, len);
                fill(bytes, len);
                let fingerprints = Fingerprints::new(bytes, shape, width).unwrap();
                check(
                    &format!("{width} bits, {segments} segments of 2^{log2_len}"),
                    |kernel, key| fuse::key_may_match(kernel, fingerprints, key),
                    |kernel, source, answers| fuse::may_match_many(kernel, fingerprints, source, answers),
                    |key| hashzoo::xxh3_64(key, 0),
                );
            }
        }
    }
}
