//! Any bytes as a filter: checks the view's description of them, and that every policy answers accordingly.

use filter_policy::AnyFormat;
use filter_policy::formats;
use filter_policy::policies::AnyPolicy;
use filter_policy::view::{FilterKind, FilterView};
use filter_policy::{BitsPerKey, MATCHES_EVERYTHING};
use proptest::collection::vec;
use proptest::prelude::*;

pub(crate) fn any_bits_per_key() -> impl Strategy<Value = BitsPerKey> {
    prop_oneof![
        (0..=110_u32).prop_map(BitsPerKey::whole),
        (0.0..=60.0_f64).prop_map(|bits| BitsPerKey::fractional(bits).unwrap()),
    ]
}

/// Generates bytes of any length with tails of every kind, of which most are of no writer.
pub(crate) fn any_filter() -> impl Strategy<Value = Vec<u8>> {
    let width = prop_oneof![Just(8_u8), Just(10), any::<u8>()];
    let tail = prop_oneof![
        vec(any::<u8>(), 0..6),
        (0..=31_u8, 0..=1_u8).prop_map(|(probes, rest)| vec![0xff, 0, probes, rest, 0]),
        (any::<u8>(), 0..=9_u8).prop_map(|(seed, blocks)| vec![0xfe, seed, blocks, 0, 0]),
        (1..=127_u8, 0..=9_u8).prop_map(|(probes, lines)| vec![probes, lines, 0, 0, 0]),
        (0..=0x9f_u8).prop_map(|last| vec![0xff, 0xff, 0xff, 0xff, last]),
        (any::<u64>(), 0..4_u32, 0..6_u8, width).prop_map(|(seed, segments, log2_len, width)| {
            [
                &seed.to_le_bytes()[..],
                &segments.to_le_bytes(),
                &[log2_len, width],
            ]
            .concat()
        }),
    ];
    let bits = prop_oneof![
        vec(any::<u8>(), 0..400),
        (0..9_usize).prop_map(|blocks| vec![0xff; 32 * blocks]),
    ];
    (bits, tail).prop_map(|(bits, tail)| [bits, tail].concat())
}

/// Every policy, with its format.
pub(crate) struct Readers(Vec<(&'static dyn AnyFormat, AnyPolicy)>);

impl Readers {
    pub(crate) fn all() -> Self {
        let build = |known: &&'static dyn AnyFormat| (*known, known.policy(BitsPerKey::whole(10)));
        Self(formats::ALL.iter().map(build).collect())
    }

    /// Checks the view once, and every policy with these keys.
    pub(crate) fn check(&self, filter: &[u8], keys: &[&[u8]]) {
        let mut of_rocksdb = vec![None; keys.len()];
        for (format, policy) in &self.0 {
            let view = FilterView::new(*format, filter);
            let rate = view.expected_rate();
            for (key, of_rocksdb) in keys.iter().zip(&mut of_rocksdb) {
                let answer = policy.key_may_match(key, filter);
                let at = || format!("{}: {key:x?} in {filter:x?}, {view:?}", policy.name());
                check_view(&view, rate, answer, filter, &at);
                if format.shares_layout(formats::FAST_LOCAL_BLOOM) {
                    // The bytes determine the kind, and each policy reads all kinds.
                    assert_eq!(*of_rocksdb.get_or_insert(answer), answer, "{}", at());
                }
            }
        }
    }
}

fn check_view(view: &FilterView<'_>, rate: f64, answer: bool, filter: &[u8], at: &dyn Fn() -> String) {
    let bits = view.bits();
    assert!((0.0..=1.0).contains(&rate), "{}", at());
    // Each key sets a bit, and a full line gives no estimate.
    let most = bits.saturating_mul(64);
    assert!(view.estimated_len().is_none_or(|keys| keys <= most), "{}", at());
    assert!(filter.starts_with(view.bit_array()), "{}", at());
    assert_eq!(bits, 8 * view.bit_array().len() as u64, "{}", at());
    let Some((ones, probes)) = view.ones().zip(view.probe_count()) else {
        let nothing = (view.probe_count(), view.ones(), view.fill(), view.estimated_len());
        assert_eq!(nothing, (None, None, None, None), "{}", at());
        match view.kind() {
            FilterKind::Empty => assert!(
                !answer && filter.len() < 6 && rate == 0.0 && bits == 0,
                "{}",
                at()
            ),
            FilterKind::Reserved => assert!(answer && rate == 1.0 && bits == 0, "{}", at()),
            _ => {}
        }
        return;
    };
    let set = view.bit_array().iter().map(|byte| u64::from(byte.count_ones()));
    assert_eq!(ones, set.sum::<u64>(), "{}", at());
    assert_eq!(view.fill(), Some(ones as f64 / bits as f64), "{}", at());
    assert!(answer || probes > 0 && ones < bits, "{}", at());
    assert!(!answer || probes == 0 || ones > 0, "{}", at());
    if view.kind() == FilterKind::Filter(formats::LEVEL_DB.kind()) {
        assert_eq!(
            filter.split_last(),
            Some((&(probes as u8), view.bit_array())),
            "{}",
            at()
        );
    }
    if filter == MATCHES_EVERYTHING {
        assert!(answer, "{}", at());
    }
}
