//! The calculator: derives number of keys, false-positive rate, bits per key, memory and probe count from each other,
//! for every filter of this project.
//!
//! A filter has two degrees of freedom: the number of keys, and one setting (bits per key in the formats of storage
//! engines, the false-positive rate in the others). So a [`Question`] states at most two of them. A probe count in
//! addition affects only the textbook's formula, since every format has its own rule for it.

mod filter;
mod solve;
mod textbook;

pub use filter::{Answer, Filter, Shape};
pub use solve::{NoAnswer, answer};

use filter_formats::sizing::Textbook;
use records::number::grouped;

/// The largest number of bits per key.
const MAX_BITS_PER_KEY: f64 = 1e6;
/// The number of keys if a question gives none.
pub const ASSUMED_KEYS: u64 = 1_000_000;
/// The false-positive rate if a question does not determine it.
pub const ASSUMED_RATE: f64 = 0.01;

/// The known parameters of a filter; the rest is calculated.
///
/// ```
/// use filter_tools::sizing::{Filter, Question, answer};
///
/// // Ten million keys at one in ten thousand: 22.85 MiB in Guava's format.
/// let question = Question { keys: Some(10_000_000), rate: Some(0.0001), ..Question::default() }.checked()?;
/// let guava = answer(Filter::Guava, &question)?;
/// assert_eq!((guava.bytes, guava.probes), (23_962_654, Some(13)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Question {
    /// The number of distinct keys.
    pub keys: Option<u64>,
    /// The false-positive rate, above 0 and below 1.
    pub rate: Option<f64>,
    /// The bits per key, above 0.
    pub bits_per_key: Option<f64>,
    /// The largest size of the stored filter in bytes.
    pub memory: Option<u64>,
    /// The probe count k, at least 1.
    pub probes: Option<u32>,
}

/// A question that is valid and has its defaults filled in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Checked(pub(crate) Question);

impl Question {
    /// The largest number of keys. Beyond it, integers are not exact in the formulas.
    pub const MAX_KEYS: u64 = 1 << 53;

    /// Checks the question and fills in the defaults.
    ///
    /// # Errors
    ///
    /// Describes a number that is out of range, or parameters that contradict each other.
    pub fn checked(self) -> Result<Checked, String> {
        let refuse = |what: &str, given: Option<String>, allowed: &str| match given {
            None => Ok(()),
            Some(given) => Err(format!("{what} must be {allowed}, got {given}")),
        };
        let keys = self.keys.filter(|keys| !(1..=Self::MAX_KEYS).contains(keys));
        refuse(
            "the number of keys",
            keys.map(grouped),
            "between 1 and 9,007,199,254,740,992",
        )?;
        let rate = self.rate.filter(|&rate| !(rate > 0.0 && rate < 1.0));
        let allowed = "above 0 and below 1 (or above 0 % and below 100 %)";
        refuse("the false-positive rate", rate.map(plainly), allowed)?;
        let bits = (self.bits_per_key).filter(|&bits| !(bits > 0.0 && bits <= MAX_BITS_PER_KEY));
        let allowed = "above 0 and at most 1,000,000";
        refuse("the number of bits per key", bits.map(plainly), allowed)?;
        if let (Some(rate), Some(probes @ 1..=255)) = (self.rate, self.probes)
            && let Ok(lowest) = Textbook::with_probe_count(probes).rate_at(MAX_BITS_PER_KEY)
            && rate < lowest
        {
            return Err(format!(
                "the false-positive rate with a probe count of {probes} must be at least {} and below 1: less would take \
                 more than {} bits per key; got {}",
                plainly(lowest),
                grouped(MAX_BITS_PER_KEY as u64),
                plainly(rate)
            ));
        }
        let bytes = self.memory.filter(|&bytes| bytes == 0);
        refuse(
            "the memory",
            bytes.map(|_| "0 bytes".to_owned()),
            "at least 1 byte",
        )?;
        let probes = self.probes.filter(|probes| !(1..=255).contains(probes));
        refuse(
            "the probe count",
            probes.map(|probes| probes.to_string()),
            "between 1 and 255",
        )?;
        let given = [
            ("the number of keys", self.keys.is_some()),
            ("the false-positive rate", self.rate.is_some()),
            ("the bits per key", self.bits_per_key.is_some()),
            ("the memory", self.memory.is_some()),
        ];
        let given: Vec<&str> = given
            .iter()
            .filter(|(_, is)| *is)
            .map(|(name, _)| *name)
            .collect();
        let per_key = [self.rate.is_some(), self.bits_per_key.is_some()];
        if given.len() > 2 || per_key == [true, true] {
            return Err(format!(
                "{} are given, but each follows from the others: give two at most, and not both the rate and the bits per key",
                given.join(", ")
            ));
        }
        if given.is_empty() && self.probes.is_none() {
            return Err("nothing is given: say at least one of number of keys, false-positive rate, bits per key, memory and \
                 probe count"
                .to_owned());
        }
        let mut whole = self;
        if whole.keys.is_none() && whole.memory.is_none() {
            whole.keys = Some(ASSUMED_KEYS);
        }
        let is_fixed = whole.rate.is_some() || whole.bits_per_key.is_some() || whole.probes.is_some();
        if !(is_fixed || whole.keys.is_some() && whole.memory.is_some()) {
            whole.rate = Some(ASSUMED_RATE);
        }
        Ok(Checked(whole))
    }
}

/// Formats a number, very large and very small ones with an exponent.
fn plainly(number: f64) -> String {
    let is_long = number != 0.0 && !(1e-9..1e15).contains(&number.abs());
    if is_long {
        format!("{number:e}")
    } else {
        number.to_string()
    }
}

impl Checked {
    /// Returns the question with its defaults.
    pub fn question(&self) -> &Question {
        &self.0
    }
}

#[cfg(test)]
mod tests;
