//! Repeats.

use super::*;

#[test]
fn only_what_follows_at_once_is_a_repeat() {
    // Zero is an ordinary value.
    assert!(without_repeats([0_u32, 0, 1, 0, 0, 2].into_iter()).eq([0, 1, 0, 2]));
}
