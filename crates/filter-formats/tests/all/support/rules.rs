//! LevelDB's filters, written a second time: one bit at a time, in 64-bit arithmetic.

use filter_policy::{BitsPerKey, leveldb};

/// Returns the bit positions of a hash value.
pub(crate) fn positions(hash: u32, bits: u64, probes: u8) -> impl Iterator<Item = usize> {
    let stride = u64::from(hash >> 17) | u64::from(hash) << 15 & 0xffff_ffff;
    (0..u64::from(probes)).map(move |i| {
        let position = ((u64::from(hash) + i * stride) & 0xffff_ffff) % bits;
        usize::try_from(position).expect("a position in memory")
    })
}

/// Returns the filter of these hash values.
pub(crate) fn filter(bits_per_key: BitsPerKey, hashes: impl ExactSizeIterator<Item = u32>) -> Vec<u8> {
    let mut filter = vec![0; leveldb::filter_len(bits_per_key, hashes.len()).expect("a filter in memory")];
    let (last, bit_array) = filter.split_last_mut().expect("at least nine bytes");
    *last = leveldb::probe_count(bits_per_key);
    let bits = bit_array.len() as u64 * 8;
    for position in hashes.flat_map(|hash| positions(hash, bits, leveldb::probe_count(bits_per_key))) {
        bit_array[position / 8] |= 1 << (position % 8);
    }
    filter
}

/// Returns true if a filter, of any bytes, may hold a key of this hash value.
pub(crate) fn answer(filter: &[u8], hash: u32) -> bool {
    match filter {
        [] | [_] => false,
        [.., probes] if *probes > 30 => true,
        [bit_array @ .., probes] => positions(hash, bit_array.len() as u64 * 8, *probes)
            .all(|position| bit_array[position / 8] >> (position % 8) & 1 == 1),
    }
}
