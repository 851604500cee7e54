//! A key file: every distinct line is a key.
#![no_main]

use hash_comparison::keys::KeySet;
use libfuzzer_sys::fuzz_target;
use terminal::progress::Silent;

fuzz_target!(|data: &[u8]| {
    let lines = data.iter().filter(|&&byte| byte == b'\n').count()
        + usize::from(!data.is_empty() && !data.ends_with(b"\n"));
    let read = KeySet::from_lines(data.to_vec(), &Silent).unwrap();
    assert_eq!(read.keys.len() as u64 + read.duplicates, lines as u64);
    assert!(read.carriage_returns <= lines as u64);
    assert!(read.keys.iter().all(|key| !key.contains(&b'\n')));
});
