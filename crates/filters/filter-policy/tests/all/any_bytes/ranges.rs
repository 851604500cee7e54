//! Any bytes as keys of a range filter, which are compared with a sorted list, and as the filter itself. The fuzz target
//! `ranges` and the replay of its inputs include this file.

use std::ops::Bound;

use filter_policy::FilterPolicy as _;
use filter_policy::range::RangePolicy;

/// Returns true if a key of the sorted keys is between the bounds.
pub(crate) fn has_key(keys: &[Vec<u8>], lower: Bound<&[u8]>, upper: Bound<&[u8]>) -> bool {
    let first = keys.partition_point(|key| match lower {
        Bound::Included(lower) => key.as_slice() < lower,
        Bound::Excluded(lower) => key.as_slice() <= lower,
        Bound::Unbounded => false,
    });
    keys.get(first).is_some_and(|key| match upper {
        Bound::Included(upper) => key.as_slice() <= upper,
        Bound::Excluded(upper) => key.as_slice() < upper,
        Bound::Unbounded => true,
    })
}

/// The first byte is the number of bits per key, the second the share of keys among the pieces that follow, which end in
/// `fe`. The others are bounds.
pub(crate) fn read(data: &[u8]) {
    let &[bits, share, ref rest @ ..] = data else {
        return;
    };
    let pieces: Vec<&[u8]> = rest.split(|&byte| byte == 0xfe).take(300).collect();
    let (keys, bounds) = pieces.split_at(pieces.len() * usize::from(share) / 256);
    let policy = RangePolicy::new((f64::from(bits) / 8.0).try_into().unwrap());
    let filter = policy.build(keys).unwrap();
    let mut keys: Vec<Vec<u8>> = keys.iter().map(|key| key.to_vec()).collect();
    keys.sort();
    keys.dedup();
    for (i, pair) in bounds.windows(2).enumerate() {
        let &[lower, upper] = pair else {
            return;
        };
        let lower = [Bound::Included(lower), Bound::Excluded(lower), Bound::Unbounded][i % 3];
        let upper = [Bound::Excluded(upper), Bound::Included(upper)][i % 2];
        let found = policy.range_may_match(lower, upper, &filter);
        assert!(
            found || !has_key(&keys, lower, upper),
            "{lower:x?} to {upper:x?} in {keys:x?}"
        );
        policy.range_may_match(lower, upper, rest);
        policy.prefix_may_match(pair[0], rest);
    }
    for key in &keys {
        let starts = [0, key.len() / 2, key.len()].map(|end| &key[..end]);
        assert!(policy.key_may_match(key, &filter), "{key:x?} in {keys:x?}");
        assert!(
            starts.iter().all(|start| policy.prefix_may_match(start, &filter)),
            "{key:x?} in {keys:x?}"
        );
    }
}
