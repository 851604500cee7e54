//! Predicts which entry the engine finds when it looks for a filter by name. Knows names and their order, but no files.
//!
//! rusty-leveldb 4.0.2 (`read_filter_block` in `table_reader.rs`) seeks `filter.` and the policy's name in the
//! metaindex and takes the entry where the seek stops, whatever that entry's name. It seeks in the order of *internal*
//! keys, although names are not such keys: `cmp_internal_key` in `key_types.rs` compares the names without their last
//! eight bytes by the database's comparator, and if those are equal, the last eight bytes except the first of them as a
//! number, larger first.

use std::cmp::Ordering;

use rusty_leveldb::Cmp;

/// The size of the tag at the end of an internal key, which the engine cuts off a name.
const TAG_LEN: usize = 8;

/// The place where the engine's seek stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// After the last entry: the engine reads the table without filters.
    Nothing,
    /// At the name that was looked up.
    Own,
    /// At the entry with this index, which has another name.
    Foreign(usize),
    /// Nowhere: the engine panics at the entry with this index, which is too short for an internal key.
    TooShort(usize),
}

/// Looks for `sought` among the keys of a metaindex, like the engine.
///
/// The engine's binary search relies on keys in ascending order. If they are not, it can stop in several places, and
/// this function reports a foreign name at any of them.
pub(crate) fn seek<K: AsRef<[u8]>>(comparator: &dyn Cmp, keys: &[K], sought: &[u8]) -> Found {
    if let Some(short) = keys.iter().position(|key| key.as_ref().len() < TAG_LEN) {
        return Found::TooShort(short);
    }
    let order = |a: &[u8], b: &[u8]| internal_order(comparator, a, b);
    let ascending = keys.is_sorted_by(|a, b| order(a.as_ref(), b.as_ref()).is_lt());
    let mut found = Found::Nothing;
    for (number, key) in keys.iter().enumerate() {
        let key = key.as_ref();
        if order(key, sought).is_lt() {
            continue;
        }
        if key != sought {
            return Found::Foreign(number);
        }
        found = Found::Own;
        if ascending {
            break;
        }
    }
    found
}

/// Compares internal keys like the engine. Both have at least [`TAG_LEN`] bytes.
fn internal_order(comparator: &dyn Cmp, a: &[u8], b: &[u8]) -> Ordering {
    let (Some((a, a_tag)), Some((b, b_tag))) = (a.split_last_chunk(), b.split_last_chunk()) else {
        return a.cmp(b);
    };
    // The lowest byte of the tag is the kind of entry, which does not affect the order.
    let sequence = |tag: &[u8; TAG_LEN]| u64::from_le_bytes(*tag) >> 8;
    comparator
        .cmp(a, b)
        .then_with(|| sequence(b_tag).cmp(&sequence(a_tag)))
}

#[cfg(test)]
mod tests {
    use rusty_leveldb::DefaultCmp;

    use super::*;

    fn find(keys: &[&str], sought: &str) -> Found {
        seek(&DefaultCmp, keys, sought.as_bytes())
    }

    #[test]
    fn several_entries() {
        assert_eq!(find(&[], "filter.AAAAAAAAAA"), Found::Nothing);
        let keys = ["filter.AAAAAAAAAA", "filter.BBBBBBBBBB", "filter.CCCCCCCCCC"];
        assert_eq!(find(&keys, keys[0]), Found::Own);
        assert_eq!(find(&keys, keys[1]), Found::Own);
        assert_eq!(find(&keys, keys[2]), Found::Own);
        assert_eq!(find(&keys, "filter.ABBBBBBBBB"), Found::Foreign(1));
        assert_eq!(find(&keys, "filter.DDDDDDDDDD"), Found::Nothing);
        // Not in order: the binary search may jump over our entry and stop after it.
        let mixed = [keys[1], keys[0], keys[2]];
        assert_eq!(find(&mixed, keys[1]), Found::Foreign(2));
        assert_eq!(find(&mixed, keys[2]), Found::Own);
        assert_eq!(find(&[keys[1], keys[1]], keys[1]), Found::Own);
        assert_eq!(find(&mixed, "filter.DDDDDDDDDD"), Found::Nothing);
        assert_eq!(find(&[keys[0], "short", keys[2]], keys[0]), Found::TooShort(1));
    }
}
