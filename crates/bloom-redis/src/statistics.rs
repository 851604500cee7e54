//! What is in a filter, from its counts of set bits.

/// Figures of a filter at one moment.
///
/// The server counts the bits, which occupies it for some 100 ms per 512 MB.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    pub(crate) probes: u8,
    /// Bits and set bits of each bitmap; the parts of a split one are one.
    pub(crate) bitmaps: Vec<(u64, u64)>,
    pub(crate) bytes: u64,
    pub(crate) swaps: u64,
    pub(crate) rebuilt_at: Option<u64>,
}

impl Statistics {
    /// Bitmaps: one, or as many as a growing filter has.
    #[must_use]
    pub const fn bitmaps(&self) -> usize {
        self.bitmaps.len()
    }

    /// Bits of all bitmaps.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.bitmaps.iter().map(|(bits, _)| bits).sum()
    }

    /// Bits that are set.
    #[must_use]
    pub fn ones(&self) -> u64 {
        self.bitmaps.iter().map(|(_, ones)| ones).sum()
    }

    /// Share of the bits that are set, 0 to 1.
    #[must_use]
    pub fn fill(&self) -> f64 {
        ratio(self.ones(), self.bits())
    }

    /// Bytes of the strings on the server. A string ends at its last byte that was ever touched.
    #[must_use]
    pub const fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Estimated false-positive rate: (ones / bits)^k of a bitmap; the chance that any of several errs.
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        let right: f64 = (self.bitmaps.iter())
            .map(|&(bits, ones)| 1.0 - libm::pow(ratio(ones, bits), f64::from(self.probes)))
            .product();
        1.0 - right
    }

    /// Estimated number of distinct elements: -m/k ln(1 - ones/m), summed over the bitmaps (Swamidass and Baldi,
    /// *Mathematical Correction for Fingerprint Similarity Measures*, 2007). `None` if all bits of one are set.
    #[must_use]
    pub fn estimated_items(&self) -> Option<f64> {
        (self.bitmaps.iter())
            .map(|&(bits, ones)| {
                (ones < bits)
                    .then(|| -(bits as f64) / f64::from(self.probes) * libm::log1p(-ratio(ones, bits)))
            })
            .sum()
    }

    /// How many times a rebuild took the filter's place.
    #[must_use]
    pub const fn rebuilds(&self) -> u64 {
        self.swaps
    }

    /// When the last rebuild took its place: seconds since 1970 by the server's clock.
    #[must_use]
    pub const fn last_rebuild(&self) -> Option<u64> {
        self.rebuilt_at
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bitmaps: &[(u64, u64)]) -> Statistics {
        Statistics {
            probes: 2,
            bitmaps: bitmaps.to_vec(),
            bytes: 0,
            swaps: 0,
            rebuilt_at: None,
        }
    }

    #[test]
    fn rates_of_several_bitmaps_add_up() {
        let one = of(&[(100, 50)]);
        assert_eq!((one.fill(), one.false_positive_rate()), (0.5, 0.25));
        // 100 / 2 * ln 2
        assert!((one.estimated_items().unwrap() - 34.657_359).abs() < 1e-6);
        let two = of(&[(100, 50), (100, 50)]);
        assert_eq!((two.fill(), two.false_positive_rate()), (0.5, 1.0 - 0.75 * 0.75));
    }

    #[test]
    fn a_full_filter_has_no_estimate() {
        let full = of(&[(64, 64), (64, 0)]);
        assert_eq!(full.estimated_items(), None);
        assert_eq!(full.false_positive_rate(), 1.0);
        let empty = of(&[(64, 0)]);
        assert_eq!(empty.estimated_items().map(f64::abs), Some(0.0));
        assert_eq!(empty.false_positive_rate(), 0.0);
    }
}
