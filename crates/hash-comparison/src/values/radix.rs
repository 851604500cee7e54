//! Radix sort of many 32-bit values, in linear time.

/// Bits of a digit: the counters of all three digits fit the first-level cache.
const DIGIT: u32 = 11;
const BUCKETS: usize = 1 << DIGIT;
/// The start of each digit, the least significant first.
const SHIFTS: [u32; 3] = [0, DIGIT, 2 * DIGIT];
/// Fewer values are sorted by comparison: counting digits would cost more.
const FEW: usize = 1024;

/// Sorts `values`. Large arrays need a second array of the same size meanwhile.
///
/// Least significant digit first, three passes of 11 bits. Ten million values take about a third of the time that
/// sorting by comparison does.
pub(crate) fn sort(values: &mut Vec<u32>) {
    if values.len() < FEW {
        values.sort_unstable();
        return;
    }
    let digit = |value: u32, shift: u32| (value >> shift) as usize % BUCKETS;
    // Moving values changes no count, so one pass counts all digits.
    let mut places = [[0_usize; BUCKETS]; SHIFTS.len()];
    for &value in &*values {
        for (places, shift) in places.iter_mut().zip(SHIFTS) {
            places[digit(value, shift)] += 1;
        }
    }
    let mut other = vec![0; values.len()];
    for (places, shift) in places.iter_mut().zip(SHIFTS) {
        // Narrow functions have digits that are the same in every value.
        if places[digit(values[0], shift)] == values.len() {
            continue;
        }
        let mut before = 0;
        for place in places.iter_mut() {
            before += std::mem::replace(place, before);
        }
        for &value in &*values {
            let place = &mut places[digit(value, shift)];
            other[*place] = value;
            *place += 1;
        }
        std::mem::swap(values, &mut other);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(crate::property::config())]

        #[test]
        fn as_by_comparison(
            seeds in prop::collection::vec(prop_oneof![0_u32..40, any::<u32>(), Just(u32::MAX)], 1..60),
            count in 0_usize..3 * FEW,
            mask in prop::sample::select(vec![u32::MAX, 0x7ff, 0x003f_f800, 0xffc0_0000, 0x1fff, 0]),
        ) {
            let mut values: Vec<u32> = (0..count)
                .map(|index| seeds[index % seeds.len()].rotate_left((index / seeds.len()) as u32) & mask)
                .collect();
            let mut expected = values.clone();
            expected.sort_unstable();
            sort(&mut values);
            prop_assert_eq!(values, expected);
        }
    }
}
