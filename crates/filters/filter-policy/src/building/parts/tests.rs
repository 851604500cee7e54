//! Filters that are built in parts have the bytes of those that are not.

use alloc::vec;
use alloc::vec::Vec;

use super::*;
use crate::formats::bloom64::{bits as bloom64, large as large_bloom64};
use crate::formats::split_block::bits::{Xxh64, Xxph3};
use crate::formats::split_block::build as split_block;
use crate::formats::split_block::large as large_split_block;
use crate::parquet::SplitBlockFilterMut;
use crate::simd::{Kernel, KernelToken, Keys, Source};
use crate::splitmix::SplitMix64;

/// Runs of 4 hash values or 8 positions, and of more in filters of more than 1 KiB.
const SMALL: PartSizes = PartSizes {
    least: 0,
    part: 64,
    most: 16,
};

/// Lengths around those of batches.
const LENS: [usize; 9] = [0, 1, 63, 64, 65, 1023, 1024, 1025, 4000];

/// Bytes in which no bit array ends at a part, and others.
const BYTES: [usize; 6] = [32, 64, 96, 1024, 1056, 4000];

fn mix(seed: u64) -> u64 {
    SplitMix64::new(seed).next()
}

fn kernels() -> [KernelToken; 2] {
    [KernelToken::best(), KernelToken::of(Kernel::Scalar)]
}

/// Calls with random values, with values in falling order, and with a single value in many copies.
fn each_input(mut call: impl FnMut(&[u64])) {
    for len in LENS {
        let random: Vec<u64> = (0..len as u64).map(mix).collect();
        let mut falling = random.clone();
        falling.sort_unstable_by(|one, other| other.cmp(one));
        call(&random);
        call(&falling);
        let copies = vec![mix(7); len.saturating_sub(1)];
        call(&[random.first().copied().as_slice(), &copies].concat());
    }
}

#[test]
fn split_blocks_in_parts_have_the_same_bytes() {
    let mut built = 0;
    for (bytes, kernel) in BYTES
        .iter()
        .flat_map(|bytes| kernels().map(|kernel| (*bytes, kernel)))
    {
        each_input(|hashes| {
            let keys: Vec<[u8; 8]> = hashes.iter().map(|hash| hash.to_le_bytes()).collect();
            let slices: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
            for source in [Source::Hashes(hashes), Source::Keys(Keys::Slices(&slices))] {
                let (mut expected, mut blocks) = (vec![[1; 32]; bytes / 32], vec![[1; 32]; bytes / 32]);
                split_block::insert::<Xxh64>(kernel, &mut expected, source);
                if large_split_block::insert::<Xxh64>(SMALL, kernel, &mut blocks, source) {
                    assert!(blocks == expected, "{bytes} bytes, {} keys", hashes.len());
                    built += 1;
                } else {
                    assert!(blocks.iter().all(|block| *block == [1; 32]));
                }
                let (mut expected, mut blocks) = (vec![[0; 32]; bytes / 32], vec![[0; 32]; bytes / 32]);
                split_block::insert::<Xxph3>(kernel, &mut expected, source);
                if large_split_block::insert::<Xxph3>(SMALL, kernel, &mut blocks, source) {
                    assert!(blocks == expected, "{bytes} bytes, {} keys", hashes.len());
                }
            }
        });
    }
    assert!(built > 400, "{built}");
}

#[test]
fn bloom64_in_parts_has_the_same_bytes() {
    let mut built = 0;
    for (bytes, kernel) in BYTES
        .iter()
        .flat_map(|bytes| kernels().map(|kernel| (*bytes + 1, kernel)))
    {
        each_input(|hashes| {
            for probes in [1, 7, 30] {
                let (mut expected, mut bits) = (vec![1; bytes], vec![1; bytes]);
                let source = Source::Hashes(hashes);
                bloom64::insert(kernel, &mut expected, probes, source);
                if large_bloom64::insert(SMALL, kernel, &mut bits, probes, source) {
                    assert!(bits == expected, "{bytes} bytes, {} keys", hashes.len());
                    built += 1;
                } else {
                    assert!(bits.iter().all(|byte| *byte == 1));
                }
            }
        });
    }
    assert!(built > 400, "{built}");
}

#[test]
fn words_have_the_bits_of_bytes() {
    for bytes in [64, 96, 4000] {
        let positions: Vec<u64> = (0..4000).map(|seed| mix(seed) % (8 * bytes as u64)).collect();
        let (mut expected, mut words) = (vec![1_u8; bytes], vec![0x0101_0101_0101_0101_u64; bytes / 8]);
        let mut building = BitsInParts::new(SMALL, &mut words, positions.len()).unwrap();
        for &position in &positions {
            let byte = usize::try_from(position / 8).unwrap();
            *expected.get_mut(byte).unwrap() |= 1 << (position % 8);
            building.set(position);
        }
        building.finish();
        let words: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
        assert!(words == expected, "{bytes} bytes");
    }
}

#[test]
fn sorted_hash_values_need_no_parts() {
    let hashes: Vec<u64> = (0..4000).map(|i| i << 50).collect();
    let insert = |hashes| {
        let mut blocks = vec![[0; 32]; 32];
        large_split_block::insert::<Xxh64>(SMALL, KernelToken::best(), &mut blocks, Source::Hashes(hashes))
    };
    assert!(!insert(&hashes));
    let falling: Vec<u64> = hashes.iter().rev().copied().collect();
    assert!(insert(&falling));
}

#[test]
fn runs_take_half_of_the_filter() {
    let least = PartSizes::BEST.least;
    let parts = |bytes, entries| Parts::<u64>::new(PartSizes::BEST, bytes, entries);
    assert!(parts(least - 1, usize::MAX).is_none());
    // Fewer than two entries for each cache line.
    assert!(parts(least, least / 32 - 1).is_none());
    for bytes in [least, least + 32, 3 * least] {
        let parts = parts(bytes, bytes / 32).unwrap();
        let used = size_of_val(&parts.entries[..]) + size_of_val(&parts.lens[..]);
        assert!(used <= bytes / 2 + bytes / 100, "{bytes}: {used}");
        assert_eq!(
            (parts.entries.capacity(), parts.lens.capacity()),
            (parts.entries.len(), parts.lens.len())
        );
        // Each part fits into the second cache, and its run too.
        assert_eq!(
            (1 << parts.shift(), parts.count()),
            (256 << 10, bytes.div_ceil(256 << 10))
        );
    }
    // No more parts than the second cache has lines for.
    let parts = Parts::<u8>::new(
        PartSizes {
            least: 0,
            part: 64,
            most: 8,
        },
        64 * 9,
        usize::MAX,
    )
    .unwrap();
    assert_eq!((1 << parts.shift(), parts.count()), (128, 5));
}

/// The default sizes, through the methods that users call.
#[test]
fn a_filter_above_the_limit_has_the_same_bytes() {
    let bytes = PartSizes::BEST.least;
    let hashes = || (0..bytes as u64 / 32).map(mix);
    let (mut expected, mut bits) = (vec![0; bytes], vec![0; bytes]);
    let mut filter = SplitBlockFilterMut::new(&mut expected).unwrap();
    hashes().for_each(|hash| filter.insert_raw_hash(hash));
    SplitBlockFilterMut::new(&mut bits)
        .unwrap()
        .insert_raw_hashes(hashes());
    assert!(bits == expected);
}
