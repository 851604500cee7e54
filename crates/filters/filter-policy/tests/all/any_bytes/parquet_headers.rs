//! Any bytes as a filter of Parquet's: a header, and the bit set after it. The fuzz target `parquet_headers` and the replay
//! of its inputs include this file.

use filter_policy::formats;
use filter_policy::parquet::{Header, PhysicalValue, SplitBlockFilter};
use filter_policy::view::FilterView;

/// Reads a header, which must be read back as it is written, and a filter.
pub(crate) fn read(data: &[u8]) {
    if let Ok((header, length)) = Header::read(data) {
        let encoded = header.encode();
        let encoded = encoded.as_ref();
        assert_eq!(Header::read(encoded), Ok((header, encoded.len())));
        assert!(length <= data.len());
    }
    match SplitBlockFilter::read(data) {
        Ok(filter) => {
            let (header, len) = Header::read(data).unwrap();
            let bitset = filter.bitset();
            assert_eq!(bitset.len() as u64, u64::from(header.bitset_len()));
            assert!(len <= Header::MAX_BYTES && data[len..].starts_with(bitset));
            let rate = FilterView::new(formats::SPLIT_BLOCK, bitset).expected_rate();
            assert!((0.0..=1.0).contains(&rate));
            let _ = filter.may_match_value(PhysicalValue::Int64(7));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
