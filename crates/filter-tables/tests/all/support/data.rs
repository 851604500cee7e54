//! The data files, which the tests of `filter-formats` read as well.

use std::path::Path;

/// Returns the bytes of a file below `tests/data`.
pub(crate) fn bytes(file: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../filter-formats/tests/data")
        .join(file);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
