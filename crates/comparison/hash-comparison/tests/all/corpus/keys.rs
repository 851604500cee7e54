//! A key file in any form: the number of distinct keys and duplicates is that of the keys,
//! also in batches. The fuzz target `keys` includes this file.

use hash_comparison::keys::{KeySet, MAX_KEY_BYTES};
use hash_comparison::{KeyForm, KeyKind};
use key_input::{Batch, Delimiter, Keys};
use terminal::progress::Silent;

pub(crate) fn read(data: &[u8]) {
    let Some((&first, data)) = data.split_first() else {
        return;
    };
    let form = KeyForm {
        kind: [
            None,
            Some(KeyKind::Long),
            Some(KeyKind::Binary),
            Some(KeyKind::String),
        ][usize::from(first >> 6)],
        null: first & 1 != 0,
        column: (first & 2 != 0).then(|| "1".to_owned()),
        delimiter: (first & 4 != 0).then_some(Delimiter::Tab),
    };
    let open = || Keys::of("keys", data, &form, MAX_KEY_BYTES, &Silent);
    let Ok(read) = open().and_then(|mut keys| KeySet::read(&mut keys, &Silent)) else {
        return;
    };
    let (mut keys, mut one_by_one) = (open().unwrap(), open().unwrap());
    let mut batch = Batch::new(64);
    let mut count = 0;
    while let Some(key) = keys.next_key().unwrap() {
        batch.push(key);
        keys.add_lines(&mut batch);
        for key in batch.iter() {
            assert_eq!(one_by_one.next_key().unwrap(), Some(key));
        }
        count += batch.len() as u64;
        batch.clear();
    }
    assert_eq!(read.keys.len() as u64 + read.duplicates, count);
    assert_eq!(one_by_one.next_key().unwrap(), None);
}
