//! One filter asked for many values.

use core::num::NonZeroU64;

use filter_policy::{FilterView, Positions, ProbeSequence};

use crate::measure::remainder::Remainder;

/// Values whose positions are looked up together: their states fit the first-level cache.
const TOGETHER: usize = 1024;

/// So many bits that positions are what remainders are taken of.
const WITHOUT_REMAINDER: NonZeroU64 = NonZeroU64::new(1 << 32).unwrap();

/// How many of `values` the filter may hold.
///
/// Asked for one value after the other, a processor would guess wrong where each of them ends, at its first bit that is
/// zero, and wait for that bit. So the first bit of many values is looked up, then the second of those that are left, and
/// what is left moves together without a branch. Then dividing by the number of bits is what takes longest.
pub(super) fn matches(view: &FilterView<'_>, values: &[u32]) -> u64 {
    let (Ok(bits @ 1..), Some(probes @ 1..)) = (u32::try_from(view.bits()), view.probe_count()) else {
        // No Bloom filter, or one of half a gigabyte.
        return values.iter().filter(|&&value| view.may_match_hash(value)).count() as u64;
    };
    let (sequence, remainder) = (ProbeSequence::new(WITHOUT_REMAINDER, probes), Remainder::by(bits));
    let bit_array = view.bit_array();
    let next_is_set = |positions: &mut Positions| {
        // There are as many positions as probes.
        let position = remainder.of(positions.next().unwrap_or_default());
        usize::from(bit_array[(position / 8) as usize] >> (position % 8) & 1)
    };
    let mut left: Vec<Positions> = vec![sequence.positions(0); TOGETHER.min(values.len())];
    let mut matches = 0;
    for values in values.chunks(TOGETHER) {
        let mut kept = 0;
        for &value in values {
            let mut positions = sequence.positions(value);
            let set = next_is_set(&mut positions);
            left[kept] = positions;
            kept += set;
        }
        for _ in 1..probes {
            let all = core::mem::take(&mut kept);
            for index in 0..all {
                let mut positions = left[index].clone();
                let set = next_is_set(&mut positions);
                left[kept] = positions;
                kept += set;
            }
        }
        matches += kept as u64;
    }
    matches
}

#[cfg(test)]
mod tests {
    use filter_policy::{BitsPerKey, BloomFilterPolicy};
    use proptest::prelude::*;

    use super::*;

    fn one_by_one(view: &FilterView<'_>, values: &[u32]) -> u64 {
        values.iter().filter(|&&value| view.may_match_hash(value)).count() as u64
    }

    proptest! {
        #![proptest_config(crate::property::config())]

        #[test]
        fn many_are_answered_as_each_alone(
            built in prop::collection::vec(any::<u32>(), 1..40),
            others in prop::collection::vec(any::<u32>(), 0..40),
            // With these, full chunks and one that is not.
            copies in prop::sample::select(vec![1_u32, 2, 80]),
            bits_per_key in prop::sample::select(vec![1_u32, 3, 10, 20, 60]),
        ) {
            let mut filter = Vec::new();
            BloomFilterPolicy::bloom_filter2(BitsPerKey::whole(bits_per_key))
                .append_hashes(built.iter().copied(), &mut filter)
                .unwrap();
            let view = FilterView::new(&filter);
            let asked: Vec<u32> = (0..copies)
                .flat_map(|copy| built.iter().chain(&others).map(move |value| value.rotate_left(copy)))
                .collect();
            prop_assert_eq!(matches(&view, &asked), one_by_one(&view, &asked));
            prop_assert_eq!(matches(&view, &built), built.len() as u64);
        }

        #[test]
        fn any_bytes_are_a_filter(filter in prop::collection::vec(any::<u8>(), 0..12), probes in 0_u8..40) {
            let values: Vec<u32> = (0..100_u32).map(|value| value.wrapping_mul(0x9e37_79b9)).collect();
            for filter in [filter.clone(), [&filter[..], &[probes]].concat()] {
                let view = FilterView::new(&filter);
                prop_assert_eq!(matches(&view, &values), one_by_one(&view, &values));
            }
        }
    }
}
