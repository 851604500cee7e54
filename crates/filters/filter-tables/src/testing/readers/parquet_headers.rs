//! The header of a Parquet Bloom filter, and the bit set after it.

use filter_policy::parquet::{Header, PhysicalValue, SplitBlockFilter};

/// Reads a header, which must be read back as it is written, and a filter.
pub fn read(data: &[u8]) {
    if let Ok((header, length)) = Header::read(data) {
        let encoded = header.encode();
        let encoded = encoded.as_ref();
        assert_eq!(Header::read(encoded), Ok((header, encoded.len())));
        assert!(length <= data.len());
    }
    match SplitBlockFilter::read(data) {
        Ok(filter) => {
            let _ = filter.may_match_value(PhysicalValue::Int64(7));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
