//! LevelDB's filter block: queried at any offset, and listed with its damage.

use filter_policy::filter_block::FilterBlockReader;
use filter_policy::{BitsPerKey, BloomFilterPolicy};

/// Queries a filter block; the first eight bytes are the offset of a data block.
pub fn read(data: &[u8]) {
    let Some((offset, block)) = data.split_first_chunk() else {
        return;
    };
    let policy = BloomFilterPolicy::with_leveldb_hash(BitsPerKey::whole(10));
    let reader = FilterBlockReader::new(policy, block);
    let _ = reader.may_match(u64::from_le_bytes(*offset), b"key");
    for filter in reader.filters() {
        assert!(filter.bytes.is_none_or(|bytes| bytes.len() <= block.len()));
    }
    for damage in reader.damage() {
        assert!(!damage.to_string().is_empty());
    }
}
