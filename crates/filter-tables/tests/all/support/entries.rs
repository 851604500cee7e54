//! Writes the entries of blocks, valid or damaged.

use filter_tables::BlockHandle;

pub(crate) fn varint(mut value: u64) -> Vec<u8> {
    let mut encoded = Vec::new();
    while value > 0x7f {
        encoded.push(u8::try_from(value & 0x7f).unwrap() | 0x80);
        value >>= 7;
    }
    encoded.push(u8::try_from(value).unwrap());
    encoded
}

pub(crate) fn encode(handle: BlockHandle) -> Vec<u8> {
    [varint(handle.offset), varint(handle.size)].concat()
}

/// Encodes an entry: the number of bytes shared with the key before, the rest of the key, the value.
pub(crate) fn entry(shared: usize, suffix: &[u8], value: &[u8]) -> Vec<u8> {
    let lengths = [shared, suffix.len(), value.len()].map(|length| varint(length as u64));
    [&lengths.concat(), suffix, value].concat()
}

/// Encodes a block of these entries, with keys shortened by the bytes shared with the key before.
pub(crate) fn entries(pairs: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut block = Vec::new();
    let mut last: &[u8] = &[];
    for (key, value) in pairs {
        let shared = key.iter().zip(last).take_while(|(a, b)| a == b).count();
        block.extend(entry(shared, &key[shared..], value));
        last = key;
    }
    with_restarts(block, &[0])
}

pub(crate) fn with_restarts(mut block: Vec<u8>, restarts: &[u32]) -> Vec<u8> {
    block.extend(restarts.iter().flat_map(|restart| restart.to_le_bytes()));
    block.extend(u32::try_from(restarts.len()).unwrap().to_le_bytes());
    block
}
