//! Batches and repeats.

use super::*;

#[test]
fn values_come_once_and_in_order() {
    for count in [0_u64, 1, 63, 64, 65, 128, 1000] {
        let mut expected = 0..count;
        let handed_on = for_each_batch(0..count, |batch| {
            assert!(batch.iter().copied().eq(expected.by_ref().take(batch.len())));
        });
        assert_eq!((handed_on as u64, expected.next()), (count, None));
    }
}

#[test]
fn only_what_follows_at_once_is_a_repeat() {
    // Zero is an ordinary value.
    assert!(without_repeats([0_u32, 0, 1, 0, 0, 2].into_iter()).eq([0, 1, 0, 2]));
}
