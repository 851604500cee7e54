//! What callers may rely on where something goes wrong or lies at an edge.

use filter_policy::{
    BitsPerKey, BloomFilterPolicy, Error, FilterBuilder, FilterKind, FilterPolicy, FilterView, LevelDbHash,
    Murmur2,
};

const TEN: BitsPerKey = BitsPerKey::whole(10);

/// An iterator over 0, 1, 2, ... whose announced length is a lie.
struct Liar {
    announced: usize,
    left: u32,
}

impl Iterator for Liar {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.left = self.left.checked_sub(1)?;
        Some(self.left.wrapping_mul(0x9e37_79b9))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.announced, Some(self.announced))
    }
}

impl ExactSizeIterator for Liar {}

#[test]
fn a_wrong_length_costs_no_key() {
    let policy = BloomFilterPolicy::bloom_filter2(TEN);
    for (announced, left) in [(0, 1000), (1, 1000), (999, 1000), (1001, 1000), (1000, 0), (0, 0)] {
        let mut buffer = vec![0; 5_000];
        let filter = policy
            .build_hashes_in(Liar { announced, left }, &mut buffer)
            .unwrap();
        assert_eq!(filter.len(), policy.filter_len(announced).unwrap());
        let view = FilterView::new(filter);
        assert!(
            Liar { announced, left }.all(|hash| view.may_match_hash(hash)),
            "{announced} for {left}"
        );

        #[cfg(feature = "alloc")]
        {
            let mut appended = b"prefix".to_vec();
            policy
                .append_hashes(Liar { announced, left }, &mut appended)
                .unwrap();
            assert_eq!(appended.strip_prefix(b"prefix"), Some(&*filter));
        }
    }
    let error = policy
        .build_hashes_in(
            Liar {
                announced: usize::MAX,
                left: 3,
            },
            &mut [0; 64],
        )
        .unwrap_err();
    assert!(matches!(error, Error::FilterTooLarge { .. }), "{error}");
}

#[test]
fn a_short_slice_is_an_error_and_stays_as_it_is() {
    let policy = BloomFilterPolicy::bloom_filter2(TEN);
    for given in 0..9 {
        let mut buffer = vec![0xaa; given];
        let error = policy.build_in(["key"], &mut buffer).unwrap_err();
        assert_eq!(error, Error::BufferTooShort { needed: 9, given });
        assert_eq!(
            error.to_string(),
            format!("the filter takes 9 bytes, the buffer has {given}")
        );
        assert_eq!(policy.create_filter(&[b"key"], &mut buffer).unwrap_err(), error);
        assert_eq!(FilterBuilder::new(TEN, 1, &mut buffer).unwrap_err(), error);
        assert!(buffer.iter().all(|&byte| byte == 0xaa));
    }
}

#[test]
fn a_filter_of_no_keys_matches_nothing() {
    let none: [&[u8]; 0] = [];
    for bits in [0, 1, 10, 1000] {
        let policy = BloomFilterPolicy::leveldb_builtin(BitsPerKey::whole(bits));
        let mut buffer = [0xaa; 9];
        let filter = policy.build_in(none, &mut buffer).unwrap();
        assert_eq!(filter[..8], [0; 8]);
        assert_eq!(filter[8], policy.bits_per_key().probe_count());
        assert!(!policy.key_may_match(b"", filter) && !policy.key_may_match(b"key", filter));
        let view = FilterView::new(filter);
        assert_eq!(
            (view.ones(), view.false_positive_rate(), view.estimated_keys()),
            (0, 0.0, Some(0.0))
        );
    }
}

#[test]
fn equal_keys_set_the_same_bits_in_a_filter_as_large_as_for_different_ones() {
    let mut buffer = [0; 200];
    let filter = BloomFilterPolicy::bloom_filter2(TEN)
        .build_in([b"same"; 100], &mut buffer)
        .unwrap();
    let view = FilterView::new(filter);
    assert_eq!(view.bits(), 1000);
    assert!(view.ones() <= 6);
}

#[test]
fn signed_and_unsigned_tails_part_at_bytes_above_0x7f() {
    let unsigned = BloomFilterPolicy::bloom_filter2(TEN);
    let signed = BloomFilterPolicy::bloom_filter2_signed_tail(TEN);
    let mut buffers = [[0; 9]; 2];
    let [a, b] = &mut buffers;
    // The high byte lies in the first word, or there is none: no difference.
    for key in [&b"\xe4\xb8\xad\xe4"[..], b"ascii", b"\xff\xff\xff\xffabc", b""] {
        assert_eq!(
            unsigned.build_in([key], a).unwrap(),
            signed.build_in([key], b).unwrap()
        );
    }
    assert_ne!(
        unsigned.build_in([b"\xff"], a).unwrap(),
        signed.build_in([b"\xff"], b).unwrap()
    );
}

#[test]
fn reading_follows_the_rules_at_every_edge() {
    let expectations: [(&[u8], FilterKind, bool); 9] = [
        (&[], FilterKind::TooShort, false),
        (&[0xff], FilterKind::TooShort, false),
        (&[6], FilterKind::TooShort, false),
        (&[0, 0], FilterKind::Bloom, true),
        (&[0, 1], FilterKind::Bloom, false),
        (&[0xff, 30], FilterKind::Bloom, true),
        (&[0, 30], FilterKind::Bloom, false),
        (&[0, 31], FilterKind::Reserved, true),
        (&[0, 0xff], FilterKind::Reserved, true),
    ];
    for (filter, kind, answer) in expectations {
        let view = FilterView::new(filter);
        assert_eq!(
            (view.kind(), view.may_match_hash(12_345)),
            (kind, answer),
            "{filter:x?}"
        );
        assert_eq!(
            BloomFilterPolicy::leveldb_builtin(TEN).key_may_match(b"key", filter),
            answer,
            "{filter:x?}"
        );
    }
    // Without probes everything matches, so nothing can be said of the keys; nor with every bit set.
    assert_eq!(FilterView::new(&[0, 0]).false_positive_rate(), 1.0);
    assert_eq!(FilterView::new(&[0, 0]).estimated_keys(), None);
    assert_eq!(FilterView::new(&[0xff, 6]).estimated_keys(), None);
}

#[test]
fn filters_of_2_to_the_32_bits_and_more_use_the_first_2_to_the_32() {
    // All zero but for the bits of one hash value, so that few of the pages are ever touched.
    let hash = 0xffff_fff3_u32;
    for bytes in [1_usize << 29, (1 << 29) + 8] {
        let mut filter = vec![0_u8; bytes + 1];
        filter[bytes] = 2;
        for position in [hash, hash.wrapping_add(hash.rotate_right(17))] {
            filter[position as usize / 8] |= 1 << (position % 8);
        }
        let view = FilterView::new(&filter);
        assert!(view.may_match_hash(hash));
        assert!(!view.may_match_hash(hash - 1));
    }
}

#[test]
fn names_tell_the_seed() {
    assert_eq!(
        BloomFilterPolicy::bloom_filter2_with_seed(5381, TEN).name(),
        "BloomFilter2"
    );
    assert_eq!(
        BloomFilterPolicy::bloom_filter2_with_seed(0, TEN).name(),
        "BloomFilter2.Seed00000000"
    );
    assert_eq!(
        BloomFilterPolicy::bloom_filter2_with_seed(0x9747_b28c, TEN).name(),
        "BloomFilter2.Seed9747b28c"
    );
}

#[test]
fn policies_can_be_constants_and_shared() {
    const fn is_shareable<T: Send + Sync + Copy + 'static>(_: &T) {}
    static POLICY: BloomFilterPolicy<LevelDbHash> = BloomFilterPolicy::leveldb_builtin(TEN);
    const SEEDED: BloomFilterPolicy<Murmur2> = BloomFilterPolicy::bloom_filter2_with_seed(1, TEN);
    is_shareable(&POLICY);
    is_shareable(&SEEDED);
    assert_eq!(SEEDED.hasher().seed(), 1);
}

#[cfg(feature = "alloc")]
mod with_an_allocator {
    use super::*;

    #[test]
    fn a_failed_build_leaves_the_vector_as_it_was() {
        let mut out = b"what was there".to_vec();
        let huge = BloomFilterPolicy::bloom_filter2(BitsPerKey::MAX);

        let error = huge
            .append_hashes(
                Liar {
                    announced: usize::MAX,
                    left: 3,
                },
                &mut out,
            )
            .unwrap_err();
        assert!(matches!(error, Error::FilterTooLarge { .. }), "{error}");

        // Addressable, but more than any allocator has.
        let announced = 1 << 28;
        let error = huge
            .append_hashes(Liar { announced, left: 3 }, &mut out)
            .unwrap_err();
        let bytes = huge.filter_len(announced).unwrap();
        assert_eq!(error, Error::AllocationFailed { bytes });
        assert_eq!(error.to_string(), format!("no memory for {bytes} bytes"));
        assert_eq!(out, b"what was there");
    }

    /// A policy that refuses to write.
    struct Failing;

    impl FilterPolicy for Failing {
        fn name(&self) -> &str {
            "Failing"
        }
        fn max_filter_len(&self, _: usize) -> Result<usize, Error> {
            Ok(100)
        }
        fn create_filter<'out>(&self, _: &[&[u8]], out: &'out mut [u8]) -> Result<&'out mut [u8], Error> {
            out.fill(0xaa);
            Err(Error::BufferTooShort {
                needed: 101,
                given: 100,
            })
        }
        fn key_may_match(&self, _: &[u8], _: &[u8]) -> bool {
            true
        }
    }

    #[test]
    fn a_failed_create_leaves_the_vector_as_it_was() {
        let mut out = b"what was there".to_vec();
        assert!(Failing.append_filter(&[b"key"], &mut out).is_err());
        assert_eq!(out, b"what was there");
    }

    #[test]
    fn a_length_that_is_only_bounded_is_not_believed() {
        let policy = BloomFilterPolicy::bloom_filter2(TEN);
        let mut out = Vec::new();
        // The hint's upper bound is usize::MAX.
        let keys =
            core::iter::repeat_n("key", 3).chain(core::iter::repeat("key").skip(1).take_while(|_| false));
        assert_eq!(keys.size_hint(), (3, None));
        policy.append(keys, &mut out).unwrap();
        assert_eq!(out, policy.build(["key"; 3]).unwrap());
    }
}
