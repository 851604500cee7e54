//! Tests that split-block filters of arrow-rs and of this project have the same bytes and answers.

use filter_policy::parquet::{
    Header, PhysicalValue, SplitBlockFilter, SplitBlockFilterMut, bitset_len_for_rate,
};
use parquet::bloom_filter::Sbbf;
use parquet::data_type::{AsBytes, ByteArray, FixedLenByteArray};
use proptest::collection::vec;
use proptest::prelude::*;

/// Returns the stored form of a filter, with its header.
fn stored(bitset: &[u8]) -> Vec<u8> {
    let header = Header::new(bitset.len()).unwrap().encode();
    [header.as_ref(), bitset].concat()
}

pub(crate) fn written(theirs: &Sbbf) -> Vec<u8> {
    let mut bytes = Vec::new();
    theirs.write(&mut bytes).unwrap();
    bytes
}

/// Returns the value as arrow-rs takes it.
fn theirs(value: PhysicalValue<'_>) -> Box<dyn AsBytes> {
    match value {
        PhysicalValue::Int32(value) => Box::new(value),
        PhysicalValue::Int64(value) => Box::new(value),
        PhysicalValue::Float(value) => Box::new(value),
        PhysicalValue::Double(value) => Box::new(value),
        PhysicalValue::ByteArray(value) => Box::new(ByteArray::from(value.to_vec())),
        PhysicalValue::FixedLenByteArray(value) => Box::new(FixedLenByteArray::from(value.to_vec())),
        other => panic!("{other:?} is not drawn"),
    }
}

/// Draws values of every type that filters support, including zeros and NaNs of all kinds. The bytes of values are never
/// freed.
fn value() -> impl Strategy<Value = PhysicalValue<'static>> {
    prop_oneof![
        any::<i32>().prop_map(PhysicalValue::Int32),
        any::<i64>().prop_map(PhysicalValue::Int64),
        any::<u32>().prop_map(|bits| PhysicalValue::Float(f32::from_bits(bits))),
        any::<u64>().prop_map(|bits| PhysicalValue::Double(f64::from_bits(bits))),
        Just(PhysicalValue::Float(-0.0)),
        Just(PhysicalValue::Double(-0.0)),
        Just(PhysicalValue::Double(f64::NAN)),
        vec(any::<u8>(), 0..70).prop_map(|bytes| PhysicalValue::ByteArray(bytes.leak())),
        vec(any::<u8>(), 1..20).prop_map(|bytes| PhysicalValue::FixedLenByteArray(bytes.leak())),
    ]
}

proptest! {
    /// Compares sizes, bytes, reading, answers and folding.
    #[test]
    fn filters_are_the_same(
        values in vec(value(), 0..300),
        others in vec(value(), 0..100),
        expected in 1..5000_u64,
        rate in 1e-4..0.6_f64,
        target in 1e-4..0.9_f64,
    ) {
        let mut filter = Sbbf::new_with_ndv_fpp(expected, rate).unwrap();
        let len = filter.num_blocks() * 32;
        // Theirs is a power of two, but by a formula that may state too few bits.
        let enough = bitset_len_for_rate(expected, rate).unwrap().next_power_of_two() as usize;
        prop_assert!(len == enough || 2 * len == enough, "{} bytes, {}", len, enough);
        let mut bitset = vec![0; len];
        let mut ours = SplitBlockFilterMut::new(&mut bitset).unwrap();
        for &value in &values {
            filter.insert(&*theirs(value));
            ours.insert_raw_hash(value.hash());
        }
        let bytes = written(&filter);
        prop_assert!(stored(&bitset) == bytes);

        let read = SplitBlockFilter::read(&bytes).unwrap();
        let by_theirs = Sbbf::from_bytes(&stored(read.bitset())).unwrap();
        for &value in values.iter().chain(&others) {
            let answer = filter.check(&*theirs(value));
            prop_assert_eq!(read.may_match_raw_hash(value.hash()), answer, "{:?}", value);
            prop_assert_eq!(by_theirs.check(&*theirs(value)), answer);
            // `may_match_value` matches at least as much, because it looks for equal values.
            prop_assert!(!answer || read.may_match_value(value));
        }

        filter.fold_to_target_fpp(target);
        let ours = SplitBlockFilterMut::new(&mut bitset).unwrap();
        let folded = ours.fold_to_len(filter.num_blocks() * 32).unwrap();
        prop_assert!(stored(&folded) == written(&filter), "{} bytes", folded.len());
    }

    /// Both readers read the same filter; ours refuses more damage.
    #[test]
    fn damaged_filters_are_read_alike(
        blocks in 1..4_usize,
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        cut in prop_oneof![Just(0), 0..40_usize],
    ) {
        let mut bytes = stored(&vec![0x5a; 32 * blocks]);
        bytes[at.index(16)] = byte;
        bytes.truncate(bytes.len() - cut);
        if let Ok(ours) = SplitBlockFilter::read(&bytes) {
            let theirs = Sbbf::from_bytes(&bytes).map(|theirs| written(&theirs));
            // arrow-rs accepts no bytes after the filter.
            if bytes.ends_with(ours.bitset()) && let Ok(theirs) = theirs {
                prop_assert_eq!(theirs, stored(ours.bitset()));
            }
        }
    }
}
