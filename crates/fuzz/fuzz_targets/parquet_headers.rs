//! The header of a Parquet Bloom filter, and the bit set after it.
#![no_main]

use filter_formats::parquet::{Header, PhysicalValue, SplitBlockFilter};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Ok((header, length)) = Header::read(data) {
        let encoded = header.encode();
        let encoded = encoded.as_ref();
        let (again, used) = Header::read(encoded).expect("what was written is read");
        assert_eq!((again, used), (header, encoded.len()));
        assert!(length <= data.len());
    }
    match SplitBlockFilter::read(data) {
        Ok(filter) => {
            let _ = filter.may_match_value(PhysicalValue::Int64(7));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
