//! Edited records of a comparison: `run.json`, and every file of rows.
#![no_main]

use std::path::Path;
use std::sync::LazyLock;

use hash_comparison::questions::{FILES, Records};
use hash_comparison::record::Run;
use libfuzzer_sys::fuzz_target;

/// The description of the reference run.
static RUN: LazyLock<Run> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../../reports/reference/run.json")).unwrap());

// The first byte chooses the file.
fuzz_target!(|data: &[u8]| {
    let Some((&choice, bytes)) = data.split_first() else {
        return;
    };
    let Some(file) = FILES.get(usize::from(choice)) else {
        let _ = serde_json::from_slice::<Run>(bytes);
        return;
    };
    let mut records = Records::of(RUN.clone());
    match (file.parse)(&mut records, Path::new(file.name), bytes) {
        // Records that were read are written so that they read back the same.
        Ok(()) => {
            let written = (file.bytes)(&records);
            let mut again = Records::of(RUN.clone());
            (file.parse)(&mut again, Path::new(file.name), &written).unwrap();
            assert_eq!((file.bytes)(&again), written);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
