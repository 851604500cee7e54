//! Collects hash values into batches: builders take values one at a time, the loops that set bits take slices.

/// The number of values in a batch: small enough for the stack, large enough for kernels that process eight at a time.
const BATCH: usize = 64;

/// Passes the values to `take` in batches and returns their number.
pub(crate) fn for_each_batch<H: Copy + Default>(
    mut hashes: impl Iterator<Item = H>,
    mut take: impl FnMut(&[H]),
) -> usize {
    let mut batch = [H::default(); BATCH];
    let mut before = 0_usize;
    loop {
        let mut filled = 0;
        for (slot, hash) in batch.iter_mut().zip(&mut hashes) {
            *slot = hash;
            filled += 1;
        }
        take(batch.get(..filled).unwrap_or_default());
        before = before.saturating_add(filled);
        if filled < BATCH {
            return before;
        }
    }
}

#[cfg(test)]
mod tests {
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
}
