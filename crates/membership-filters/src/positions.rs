//! The positions of an element in a Bloom filter, without repetition.

pub(crate) struct DistinctPositions {
    positions: [u64; u8::MAX as usize],
    count: usize,
}

impl DistinctPositions {
    pub(crate) fn new(all: impl Iterator<Item = u64>) -> Self {
        let mut distinct = Self {
            positions: [0; u8::MAX as usize],
            count: 0,
        };
        for position in all {
            if !distinct.as_slice().contains(&position) {
                distinct.positions[distinct.count] = position;
                distinct.count += 1;
            }
        }
        distinct
    }

    pub(crate) fn as_slice(&self) -> &[u64] {
        &self.positions[..self.count]
    }
}
