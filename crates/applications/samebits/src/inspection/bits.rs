//! The bits of filters of any format.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use filter_policy::MATCHES_EVERYTHING;
use filter_policy::leveldb::is_coprime_size;
use filter_policy::view::{FilterKind, FilterView};
use filter_policy::{AnyFormat, formats};
use serde::Serialize;
use statistics::significant;

use super::findings::Unread;

/// The filter that RocksDB writes if it cannot build one (`FinishAlwaysTrue` in `table/block_based/filter_policy.cc`).
const ROCKSDB_MATCHES_EVERYTHING: [u8; 6] = [0; 6];

/// Totals over the bits of some filters.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct BitTotals {
    /// The number of bits of Bloom filters.
    pub(crate) bits: u64,
    /// The number of ones in Bloom filters.
    pub(crate) ones: u64,
    /// The number of bits of Ribbon and binary fuse filters, which are excluded from `ones`: half of them are ones
    /// whatever the keys.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) ribbon_bits: u64,
    /// The probe counts that occur.
    pub(crate) probes: BTreeSet<u32>,
    /// The number of filters that let every key pass ([`MATCHES_EVERYTHING`]). Their bits are not counted.
    pub(crate) matching_everything: u64,
    /// The number of filters in LevelDB's format whose size lets more absent keys pass
    /// ([`is_coprime_size`]).
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) bad_sizes: u64,
    /// The sum of the expected false-positive rates, each times its filter's bits.
    #[serde(skip)]
    weighted_rates: f64,
    /// The share of ones; `None` without bits of Bloom filters.
    pub(crate) fill: Option<f64>,
    /// The probability that an absent key matches, averaged over the bits; `None` without bits.
    pub(crate) false_positive_rate: Option<f64>,
}

impl BitTotals {
    /// Adds a filter that is not empty. Returns the name of its format if the policy's name
    /// does not identify it, or the reason why it was not counted.
    pub(super) fn add_filter(
        &mut self,
        format: &'static dyn AnyFormat,
        bytes: &[u8],
    ) -> Result<Option<&'static str>, Unread> {
        let is_of_rocksdb = format.shares_layout(formats::FAST_LOCAL_BLOOM);
        if bytes == MATCHES_EVERYTHING || is_of_rocksdb && bytes == ROCKSDB_MATCHES_EVERYTHING {
            self.matching_everything += 1;
            return Ok(None);
        }
        let view = FilterView::new(format, bytes);
        match (view.kind(), view.ones().zip(view.probe_count())) {
            (FilterKind::Empty, _) if is_of_rocksdb => return Ok(None),
            (FilterKind::Empty, _) => {
                let reason = "a length that must be 0 or at least 2 bytes, got 1";
                return Err(Unread::Damaged(reason.to_owned()));
            }
            (FilterKind::Filter(_), None) => self.ribbon_bits += view.bits(),
            (_, Some((ones, probes @ 1..))) => {
                self.bits += view.bits();
                self.ones += ones;
                self.probes.insert(probes);
                let is_bad = format.kind() == formats::LEVEL_DB.kind() && !is_coprime_size(view.bits() / 8);
                self.bad_sizes += u64::from(is_bad);
            }
            // Of another writer.
            _ => return Err(Unread::Other(format.damage(bytes).to_string())),
        }
        self.weighted_rates += expected_rate(&view) * view.bits() as f64;
        self.derive();
        Ok(match view.kind() {
            FilterKind::Filter(format) if is_of_rocksdb || view.probe_count().is_none() => Some(format),
            _ => None,
        })
    }

    /// Adds the bits of other filters.
    pub(crate) fn add(&mut self, other: &Self) {
        self.bits += other.bits;
        self.ones += other.ones;
        self.ribbon_bits += other.ribbon_bits;
        self.probes.extend(&other.probes);
        self.matching_everything += other.matching_everything;
        self.bad_sizes += other.bad_sizes;
        self.weighted_rates += other.weighted_rates;
        self.derive();
    }

    fn derive(&mut self) {
        if self.bits > 0 {
            self.fill = Some(significant::round(self.ones as f64 / self.bits as f64));
        }
        if self.all_bits() > 0 {
            let rate = self.weighted_rates / self.all_bits() as f64;
            self.false_positive_rate = Some(significant::round(rate));
        }
    }

    /// Returns the number of bits of all filters.
    pub(crate) fn all_bits(&self) -> u64 {
        self.bits + self.ribbon_bits
    }
}

/// Returns the expected rate of a filter. A table of LevelDB has a filter for each of its thousands of blocks, of few
/// sizes, and rates of probes that are not independent take some milliseconds: they are computed once.
fn expected_rate(view: &FilterView<'_>) -> f64 {
    type Shape = (&'static str, u64, u64, u32);
    static KNOWN: Mutex<BTreeMap<Shape, f64>> = Mutex::new(BTreeMap::new());
    let dependent = [formats::LEVEL_DB, formats::BASHO, formats::LEGACY_BLOOM].map(|format| format.kind());
    let shape = match view.kind() {
        FilterKind::Filter(kind) if dependent.contains(&kind) => view
            .estimated_len()
            .zip(view.probe_count())
            .map(|(len, probes)| (kind, view.bits(), len, probes)),
        _ => None,
    };
    let Some(shape) = shape else {
        return view.expected_rate();
    };
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    *known.entry(shape).or_insert_with(|| view.expected_rate())
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference on")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use filter_policy::BitsPerKey;

    use super::*;

    #[test]
    fn bad_sizes_are_counted() {
        let mut bits = BitTotals::default();
        for (bytes, bad) in [(41, 1), (42, 1), (52, 2)] {
            let mut filter = vec![0; bytes];
            filter[bytes - 1] = 6;
            bits.add_filter(formats::LEVEL_DB, &filter).unwrap();
            assert_eq!(bits.bad_sizes, bad, "{bytes} bytes");
        }
    }

    #[test]
    fn filters_of_every_policy_are_counted() {
        let keys: Vec<[u8; 4]> = (0..1000_u32).map(u32::to_le_bytes).collect();
        let keys: Vec<&[u8]> = keys.iter().map(|key| &key[..]).collect();
        for known in formats::ALL {
            let mut filter = Vec::new();
            let policy = known.policy(BitsPerKey::whole(10));
            policy.append_filter(&keys, &mut filter).unwrap();
            let mut bits = BitTotals::default();
            let counted = bits.add_filter(*known, &filter);
            assert!(
                counted.is_ok() && bits.all_bits() > 5000,
                "{} is not counted, {counted:?}",
                known.name()
            );
        }
    }
}
