//! Stored forms of filters of many shapes, by checksums: a second implementation of `FORMAT.md`, as slow and plain as the
//! text, gave them before it was removed, when headers did not name the keys' encoding.

use membership_filters::{
    BlockedBloomFilter, BlockedParameters, CounterWidth, CountingBloomFilter, CuckooFilter, CuckooParameters,
    GrowingBloomFilter, GrowingParameters, GrowthRule,
};
use membership_filters::{Bytes, Hash128, Hashed, Parameters, Strategy};

use super::support::hashes::Hashes;

#[track_caller]
fn check(stored: &[u8], checksum: u64) {
    let mut contents = stored[..stored.len() - 8].to_vec();
    contents[8..16].copy_from_slice(&[1, 1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(Hash128::of(&contents).h1, checksum);
}

#[test]
fn blocked() {
    for (blocks, checksum) in [
        (1, 0xa231_f592_e37e_e49e),
        (2, 0x1ee7_a147_dfbe_28f8),
        (7, 0xb066_a5b6_7495_5f1c),
        (1000, 0x6db1_8dca_b24c_7ddb),
        (65_537, 0x88f0_6031_3145_282b),
    ] {
        let parameters = BlockedParameters::with_blocks(blocks).unwrap();
        let mut filter = BlockedBloomFilter::new(Bytes, &parameters).unwrap();
        for hash in Hashes::from_seed(blocks.into()).take(40) {
            filter.insert_hash(&hash).unwrap();
        }
        check(&filter.to_bytes(), checksum);
    }
}

#[test]
fn counting() {
    use Strategy::{Murmur128Mitz32, Murmur128Mitz64};
    for (strategy, bits, checksum) in [
        (Murmur128Mitz64, 2, 0xf1c5_a4cb_6c9f_a593),
        (Murmur128Mitz64, 3, 0xe69b_ae2c_1752_2413),
        (Murmur128Mitz64, 4, 0x3311_54c5_3af9_9167),
        (Murmur128Mitz64, 8, 0x5aea_c010_4c43_8a3a),
        (Murmur128Mitz64, 16, 0xbb66_ad08_e2ec_81c2),
        (Murmur128Mitz32, 5, 0x4999_d639_11d4_ba2e),
        (Murmur128Mitz32, 11, 0xcc8a_8bc6_d522_b983),
    ] {
        let parameters = Parameters::new(30, 0.02).unwrap().with_strategy(strategy);
        let width = CounterWidth::new(bits).unwrap();
        let mut filter = CountingBloomFilter::new(Bytes, &parameters, width).unwrap();
        for (i, hash) in Hashes::from_seed(1).take(60).enumerate() {
            filter.insert_hash(&hash).unwrap();
            if i % 3 == 0 {
                filter.remove_hash(&hash).unwrap();
            }
        }
        check(&filter.to_bytes(), checksum);
    }
}

#[test]
fn cuckoo() {
    for (buckets, bits, seed, checksum) in [
        (2, 4, 0, 0xae32_73f8_c376_c461),
        (10, 5, 1, 0x1144_6640_165b_9a25),
        (14, 13, u64::MAX, 0x398e_d1d1_15d8_2696),
        (100, 32, 77, 0x6c38_cff4_0e1c_50ea),
        (1000, 12, 5, 0x140e_04b2_e736_a625),
    ] {
        let parameters = CuckooParameters::with_buckets(buckets, bits)
            .unwrap()
            .with_seed(seed);
        let mut filter = CuckooFilter::new(Bytes, &parameters).unwrap();
        // More elements than fit, with removals in between, and some elements twice.
        let hashes: Vec<Hashed<Bytes>> = Hashes::from_seed(seed).take(6 * buckets as usize).collect();
        for (i, &hash) in hashes.iter().enumerate() {
            let _full = filter.insert_hash(&hash);
            if i % 5 == 0 {
                filter.remove_hash(&hashes[i / 2]).unwrap();
                let _full = filter.insert_hash(&hash);
            }
        }
        check(&filter.to_bytes(), checksum);
    }
}

#[test]
fn growing() {
    let tightening = |growth, ratio| GrowthRule::Tightening { growth, ratio };
    for (capacity, fpp, rule, checksum) in [
        (20, 0.1, tightening(3, 0.5), 0x3dcc_39c7_c7a0_cf07),
        (1, 0.01, tightening(3, 0.5), 0xc5f6_16ea_bb07_418b),
        (500, 0.05, GrowthRule::default(), 0x8b51_1e1c_cdfa_21d3),
        (20, 0.02, GrowthRule::SameSize, 0x3b00_f9c4_a9c6_a89f),
    ] {
        let parameters = GrowingParameters::with_rule(capacity, fpp, rule).unwrap();
        let mut filter = GrowingBloomFilter::new(Bytes, &parameters).unwrap();
        for hash in Hashes::from_seed(capacity).take(2_000) {
            filter.insert_hash(&hash).unwrap();
        }
        check(&filter.to_bytes(), checksum);
    }
}
