//! The stored forms: the bytes of the first release, and, by checksums, filters of many shapes: a second implementation of
//! `FORMAT.md`, as slow and plain as the text, gave those before it was removed, when headers did not name the keys'
//! encoding.

use membership_filters::envelope::Stored;
use membership_filters::{
    BlockedBloomFilter, Bytes, CuckooFilter, CuckooParameters, Hash128, Hashed, Xxph3, envelope,
};

use super::support::hashes::Hashes;
use super::support::samples::{blocked_xxph3, golden, read, samples};

#[test]
fn the_bytes_are_those_of_the_first_release() {
    let known = [
        include_str!("../data/bloom.hex"),
        include_str!("../data/counting.hex"),
        include_str!("../data/cuckoo.hex"),
        include_str!("../data/cuckoo_full.hex"),
        include_str!("../data/blocked.hex"),
        include_str!("../data/spark.hex"),
        include_str!("../data/redisbloom.hex"),
        include_str!("../data/rotating.hex"),
    ];
    for (known, bytes) in known.into_iter().zip(samples()) {
        assert_eq!(bytes, golden(known));
        assert_eq!(read(&bytes).unwrap(), bytes);
    }
    let bytes = blocked_xxph3().to_bytes();
    assert_eq!(bytes, golden(include_str!("../data/blocked_xxph3.hex")));
    assert!(BlockedBloomFilter::from_bytes(&bytes, Xxph3).unwrap() == blocked_xxph3());
    // A writer with too little room.
    for room in [0, 9, 30, 50] {
        assert!(envelope::write_to(&blocked_xxph3(), &mut vec![0; room][..]).is_err());
    }
}

#[track_caller]
fn check_bytes(filter: &impl Stored, checksum: u64) {
    let mut contents = envelope::to_bytes(filter);
    contents.truncate(contents.len() - 8);
    contents[8..16].copy_from_slice(&[1, 1, 0, 0, 0, 0, 0, 0]);
    assert_eq!(Hash128::of(&contents).h1, checksum);
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
        let parameters = CuckooParameters::with_buckets(buckets, bits).unwrap();
        let mut filter = CuckooFilter::new(Bytes, &parameters.seed(seed)).unwrap();
        // More keys than fit, with removals in between, and some keys twice.
        let hashes: Vec<Hashed<Bytes>> = Hashes::from_seed(seed).take(6 * buckets as usize).collect();
        for (i, hash) in hashes.iter().enumerate() {
            let _full = filter.insert_hashed(hash);
            if i % 5 == 0 {
                filter.remove_hashed(&hashes[i / 2]).unwrap();
                let _full = filter.insert_hashed(hash);
            }
        }
        check_bytes(&filter, checksum);
    }
}
