//! The state of a filter, from its counts of set bits.

use membership_filters::Modulus;
use membership_filters::guava::Strategy;

use crate::error::Error;

/// The state of a filter at one moment.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let mut connection = redis::Client::open("redis://127.0.0.1/")?.get_connection()?;
/// let filter = bloom_redis::FixedFilter::new("users", bloom_redis::Schema::whole_words(3_000, 0.03)?)?;
/// let stats = filter.stats().query(&mut connection)?;
/// println!("{:?} keys, rate {:.2e}", stats.estimated_len(), stats.expected_rate());
/// # Ok(())
/// # }
/// ```
///
/// The server counts the bits, which occupies it for some 100 ms per 512 MB.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stats {
    pub(crate) probe_count: u32,
    /// The bits and set bits of each bitmap.
    pub(crate) bitmaps: Vec<(u64, u64)>,
    pub(crate) bytes: u64,
}

impl Stats {
    /// Adds a bitmap of so many bits.
    pub(crate) fn add(&mut self, bits: u64, probe_count: u32, bytes: u64, ones: u64) -> Result<(), Error> {
        if ones > bits.next_multiple_of(8) {
            return Err(Error::reply(format_args!("a count of ones in {bits} bits"), ones));
        }
        self.bytes += bytes;
        self.probe_count = probe_count;
        self.bitmaps.push((bits, ones));
        Ok(())
    }

    /// Returns the number of bitmaps, which is 1 except for a growing filter.
    #[must_use]
    pub const fn bitmaps(&self) -> u64 {
        self.bitmaps.len() as u64
    }

    /// Returns the number of bits of all bitmaps.
    #[must_use]
    pub fn bits(&self) -> u64 {
        self.bitmaps.iter().map(|(bits, _)| bits).sum()
    }

    /// Returns the number of set bits.
    #[must_use]
    pub fn ones(&self) -> u64 {
        self.bitmaps.iter().map(|(_, ones)| ones).sum()
    }

    /// Returns the share of bits that are set, 0 to 1.
    #[must_use]
    pub fn fill(&self) -> f64 {
        ratio(self.ones(), self.bits())
    }

    /// Returns the bytes of the strings on the server. A string ends at the last byte that was ever written.
    #[must_use]
    pub const fn memory_bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the estimated false-positive rate: that of the probes of one bitmap for the keys that its ones suggest
    /// ([`Strategy::rate`], which takes some milliseconds), and for several bitmaps the probability that any of
    /// them errs.
    #[must_use]
    pub fn expected_rate(&self) -> f64 {
        let rate = |&(bits, ones): &(u64, u64)| match estimated_len(bits, ones, self.probe_count) {
            Some(len) => {
                let len = len.max(ones.min(1) as f64);
                let rate = |bits| Strategy::Murmur128Mitz64.rate(bits, len, self.probe_count);
                Modulus::new(bits).map_or(1.0, rate)
            }
            None => 1.0,
        };
        1.0 - self
            .bitmaps
            .iter()
            .map(|bitmap| 1.0 - rate(bitmap))
            .product::<f64>()
    }

    /// Returns an estimate of the number of different keys: -m/k ln(1 - ones/m), summed over the bitmaps (Swamidass
    /// and Baldi, *Mathematical Correction for Fingerprint Similarity Measures*, 2007). `None` if all bits of a bitmap
    /// are set.
    #[must_use]
    pub fn estimated_len(&self) -> Option<u64> {
        let len = |&(bits, ones): &(u64, u64)| estimated_len(bits, ones, self.probe_count);
        let sum: Option<f64> = self.bitmaps.iter().map(len).sum();
        sum.map(|len| libm::round(len) as u64)
    }
}

fn estimated_len(bits: u64, ones: u64, probe_count: u32) -> Option<f64> {
    let len = -(bits as f64) / f64::from(probe_count) * libm::log1p(-ratio(ones, bits));
    (ones < bits).then_some(len)
}

fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bitmaps: &[(u64, u64)]) -> Stats {
        Stats {
            probe_count: 2,
            bitmaps: bitmaps.to_vec(),
            ..Stats::default()
        }
    }

    #[test]
    fn rates_of_several_bitmaps_add_up() {
        let one = of(&[(100, 50)]);
        assert_eq!(one.fill(), 0.5);
        let rate = one.expected_rate();
        assert!((rate - 0.25).abs() < 0.02, "{rate}");
        // 100 / 2 * ln 2
        assert_eq!(one.estimated_len(), Some(35));
        let two = of(&[(100, 50), (100, 50)]);
        assert_eq!(two.fill(), 0.5);
        assert!((two.expected_rate() - (1.0 - (1.0 - rate) * (1.0 - rate))).abs() < 1e-12);
    }

    #[test]
    fn a_full_filter_has_no_estimate() {
        let full = of(&[(64, 64), (64, 0)]);
        assert_eq!(full.estimated_len(), None);
        assert_eq!(full.expected_rate(), 1.0);
        let empty = of(&[(64, 0)]);
        assert_eq!(empty.estimated_len(), Some(0));
        assert_eq!(empty.expected_rate(), 0.0);
    }
}
