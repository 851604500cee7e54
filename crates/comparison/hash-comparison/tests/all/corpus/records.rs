//! Edited records of a comparison: `run.json`, and every file of rows. The fuzz target `records` includes this
//! file.

use std::path::Path;
use std::sync::LazyLock;

use hash_comparison::questions::{FILES, Records};
use hash_comparison::record::Run;

/// The description of the reference run.
static RUN: LazyLock<Run> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../../../../reports/reference/run.json")).unwrap()
});

/// Reads records; the first byte chooses the file.
pub(crate) fn read(data: &[u8]) {
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
}
