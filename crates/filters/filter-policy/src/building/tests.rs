//! Repeats.

use super::*;

#[test]
fn only_what_follows_at_once_is_a_repeat() {
    // Zero is an ordinary value.
    assert_eq!(repeats(Source::Hashes(&[0_u32, 0, 1, 0, 0, 2]), |_| 0), 2);
}
