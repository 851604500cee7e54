//! Many keys in one call: what the types promise, and the choice of a kernel.

use filter_policy::{
    Error, Kernel, KeyBatch, KeyHasher, LaneHash, LevelDbHash, Murmur2, Murmur2SignedTail, PackedKeys,
    PreparedFilter,
};

#[test]
fn too_few_words_for_the_answers_are_an_error() {
    for filter in [&b""[..], &[0xff, 6], &[0, 31]] {
        let prepared = PreparedFilter::new(filter);
        let mut answers = [7; 2];
        let error = prepared.may_match_hashes(&[0; 129], &mut answers).unwrap_err();
        assert_eq!(error, Error::TooFewAnswers { needed: 3, given: 2 });
        assert_eq!(
            error.to_string(),
            "the answers take 3 words of 64 bits, the slice has 2"
        );
        let keys: [&[u8]; 129] = [b"key"; 129];
        assert_eq!(
            prepared.may_match_many(&LevelDbHash, &keys, &mut answers),
            Err(error)
        );
        assert_eq!(answers, [7; 2]);
    }
}

#[test]
fn filters_that_are_none_answer_for_all() {
    for (filter, answer) in [
        (&b""[..], false),
        (&[6], false),
        (&[0, 31], true),
        (&[0, 255], true),
    ] {
        for kernel in Kernel::ALL {
            let prepared = PreparedFilter::on_kernel(filter, kernel);
            assert_eq!(prepared.may_match(&LevelDbHash, b"key"), answer);
            assert_eq!(prepared.may_match_hash(5), answer);
            let mut answers = [7; 3];
            prepared.may_match_hashes(&[1; 70], &mut answers).unwrap();
            let expected = if answer {
                [u64::MAX, 0b11_1111, 7]
            } else {
                [0, 0, 7]
            };
            assert_eq!(answers, expected);
        }
    }
}

#[test]
fn lane_hashes_are_those_of_the_hashers() {
    let key = b"\xff\x80key";
    for (function, hash) in [
        (LevelDbHash.lane_hash(), LevelDbHash.hash(key)),
        (Murmur2::with_seed(7).lane_hash(), Murmur2::with_seed(7).hash(key)),
        (Murmur2SignedTail.lane_hash(), Murmur2SignedTail.hash(key)),
    ] {
        assert_eq!(function.map(|function: LaneHash| function.hash(key)), Some(hash));
    }
}

#[test]
fn batches_know_their_keys() {
    let packed = PackedKeys::new(b"aabbcc", 2).unwrap();
    assert_eq!((packed.len(), packed.key_len(), packed.is_empty()), (3, 2, false));
    assert_eq!(packed.get(2), Some(&b"cc"[..]));
    assert_eq!((packed.get(3), packed.get(usize::MAX)), (None, None));
    assert!(packed.iter().eq([b"aa", b"bb", b"cc"]));
    assert!(PackedKeys::new(b"", 0).is_none());
    assert!(PackedKeys::new(b"", 3).unwrap().is_empty());
    assert_eq!(KeyBatch::from(packed).len(), 3);
    let none: &[&[u8]] = &[];
    assert!(KeyBatch::from(none).is_empty());
}

/// The fastest that the processor has and the environment allows.
#[test]
fn kernels_are_chosen() {
    let available: Vec<Kernel> = Kernel::available().collect();
    assert_eq!(available.first(), Some(&Kernel::Scalar));
    assert_eq!(available.last(), Some(&Kernel::best()));
    if let Ok(allowed) = std::env::var("FILTER_POLICY_KERNEL") {
        let most = Kernel::ALL.iter().position(|kernel| kernel.name() == allowed);
        let most = most.unwrap_or_else(|| panic!("FILTER_POLICY_KERNEL is {allowed:?}, which is no kernel"));
        if cfg!(feature = "std") {
            assert!(
                available
                    .iter()
                    .all(|kernel| Kernel::ALL[..=most].contains(kernel))
            );
        }
    }
    assert_eq!(
        Kernel::ALL.map(|kernel| format!("{kernel:>7}")),
        [" scalar", "   avx2", " avx512"]
    );
}
