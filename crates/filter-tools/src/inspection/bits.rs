//! The bits of filters, whatever their format.

use std::collections::BTreeSet;

use filter_policy::policies::FilterLayout;
use filter_policy::{
    BloomFilter64View, FilterKind, FilterView, MATCHES_EVERYTHING, RocksDbFilterKind, RocksDbFilterView,
};
use serde::Serialize;
use statistics::significant;

/// What RocksDB writes where it cannot make a filter (`FinishAlwaysTrue` in `table/block_based/filter_policy.cc`).
const ROCKSDB_MATCHES_EVERYTHING: [u8; 6] = [0; 6];

/// The bits of some filters together.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Bits {
    /// The number of bits of Bloom filters.
    pub(crate) bits: u64,
    /// How many of them are ones.
    pub(crate) ones: u64,
    /// The number of bits of Ribbon filters, of which half are ones whatever they hold.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) ribbon_bits: u64,
    /// The probe counts that occur.
    pub(crate) probes: BTreeSet<u8>,
    /// The filters that let every key pass, [`MATCHES_EVERYTHING`]: none of the bits are theirs.
    pub(crate) matching_everything: u64,
    /// Sum of the expected false-positive rates, each times its filter's bits.
    #[serde(skip)]
    weighted_rates: f64,
    /// The share of ones.
    fill: Option<f64>,
    /// The probability that an absent key matches, on average over the bits.
    false_positive_rate: Option<f64>,
}

impl Bits {
    /// Adds a filter that is not empty; what is wrong with it, in words.
    pub(super) fn add_filter(&mut self, layout: FilterLayout, bytes: &[u8]) -> Result<(), String> {
        if bytes == MATCHES_EVERYTHING {
            self.matching_everything += 1;
            return Ok(());
        }
        let last = bytes.last().copied().unwrap_or_default();
        match layout {
            FilterLayout::LevelDb => {
                let view = FilterView::new(bytes);
                match (view.kind(), view.probe_count()) {
                    (FilterKind::Bloom, Some(probes @ 1..)) => {
                        self.add_bloom(view.bits(), view.ones(), probes, view.false_positive_rate());
                    }
                    (FilterKind::TooShort, _) => return Err(TOO_SHORT.to_owned()),
                    _ => return Err(format!("the probe count {last}, allowed are 1 to 30")),
                }
            }
            FilterLayout::BloomFilter64 => {
                let view = BloomFilter64View::new(bytes);
                match (view.kind(), view.probe_count()) {
                    (_, Some(probes)) => {
                        self.add_bloom(view.bits(), view.ones(), probes, view.false_positive_rate());
                    }
                    (FilterKind::TooShort, _) => return Err(TOO_SHORT.to_owned()),
                    _ => return Err(format!("the last byte {last:#04x}, allowed are 0x81 to 0x9e")),
                }
            }
            FilterLayout::RocksDb => self.add_rocksdb(bytes)?,
            layout => return Err(format!("the layout {layout:?}, which is not counted")),
        }
        Ok(())
    }

    /// Adds a filter of RocksDB's; what is wrong with it, in words.
    pub(super) fn add_rocksdb(&mut self, bytes: &[u8]) -> Result<(), String> {
        if bytes == ROCKSDB_MATCHES_EVERYTHING || bytes == MATCHES_EVERYTHING {
            self.matching_everything += 1;
            return Ok(());
        }
        let view = RocksDbFilterView::new(bytes);
        match (view.kind(), view.probe_count(), view.ones()) {
            (RocksDbFilterKind::Empty, ..) => {}
            (RocksDbFilterKind::Ribbon, ..) => {
                self.ribbon_bits += view.bits();
                self.weighted_rates += view.false_positive_rate() * view.bits() as f64;
            }
            (_, Some(probes), Some(ones)) => {
                self.add_bloom(view.bits(), ones, probes, view.false_positive_rate());
            }
            _ => return Err("a tail of no kind that is known".to_owned()),
        }
        Ok(())
    }

    fn add_bloom(&mut self, bits: u64, ones: u64, probes: u8, rate: f64) {
        self.bits += bits;
        self.ones += ones;
        self.probes.insert(probes);
        self.weighted_rates += rate * bits as f64;
    }

    /// Adds the bits of other filters.
    pub(crate) fn add(&mut self, other: &Self) {
        self.bits += other.bits;
        self.ones += other.ones;
        self.ribbon_bits += other.ribbon_bits;
        self.probes.extend(&other.probes);
        self.matching_everything += other.matching_everything;
        self.weighted_rates += other.weighted_rates;
        self.derive();
    }

    pub(super) fn derive(&mut self) {
        if self.bits > 0 {
            self.fill = Some(significant::round(self.ones as f64 / self.bits as f64));
        }
        if self.all_bits() > 0 {
            let rate = self.weighted_rates / self.all_bits() as f64;
            self.false_positive_rate = Some(significant::round(rate));
        }
    }

    /// The bits of Bloom and Ribbon filters.
    pub(crate) fn all_bits(&self) -> u64 {
        self.bits + self.ribbon_bits
    }

    /// The share of ones; `None` without a bit of a Bloom filter.
    pub(crate) fn fill(&self) -> Option<f64> {
        self.fill
    }

    /// The probability that an absent key matches, on average over the bits; `None` without a bit.
    pub(crate) fn false_positive_rate(&self) -> Option<f64> {
        self.false_positive_rate
    }
}

/// What is wrong with a filter of one byte.
const TOO_SHORT: &str = "1 byte, allowed are 0 and at least 2";

/// What a filter of RocksDB's is, in a word; `None` of an empty one.
pub(super) fn kind_of(view: &RocksDbFilterView<'_>) -> Option<&'static str> {
    match view.kind() {
        RocksDbFilterKind::LegacyBloom => Some("legacy Bloom"),
        RocksDbFilterKind::FastLocalBloom => Some("FastLocalBloom"),
        RocksDbFilterKind::Ribbon => Some("Ribbon"),
        _ => None,
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference on")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}
