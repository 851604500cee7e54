//! Weaknesses shared by several functions, one sentence each.

pub(crate) const ONLY_31_BITS: &str = "Only 31 bits.";
pub(crate) const LEADING_ZEROS: &str = "Zero bytes in front of a key do not count.";
pub(crate) const POOR_LOW_BITS: &str = "Output bit j depends only on bits 0 to j of the bytes: keys that \
    differ in higher bits alone share their low bits.";
pub(crate) const POOR_HIGH_BITS: &str = "On short keys the high bits are poor: tables that take them suffer.";
pub(crate) const LINEAR_BUT_FOR_A_CONSTANT: &str = "Every step is linear over GF(2) but for a constant, so \
    differences between keys of one length do not depend on the keys.";
pub(crate) const EASY_COLLISIONS: &str =
    "Colliding keys are easy to construct: not for keys that an attacker chooses.";
pub(crate) const EASY_COLLISIONS_FOR_A_SEED: &str =
    "Colliding keys are easy to construct for a known seed: not for keys that an attacker chooses.";
pub(crate) const COLLISIONS_UNDER_EVERY_SEED: &str = "Keys that collide under every seed are known (Aumasson and Bernstein, \
    2012): not for keys that an attacker chooses.";
pub(crate) const PUBLIC_KEY: &str =
    "The key is public here: against keys that an attacker chooses it must be random and secret.";
pub(crate) const FEWER_ROUNDS: &str = "Fewer rounds than the 2-4 that the designers recommend.";
