//! What is measured, and how each is built and asked.

use std::collections::HashSet;
use std::fmt::Display;

use guava_bloom::{BloomFilter, Bytes, ConcurrentBloomFilter, Parameters};
use membership_filters::{
    CounterWidth, CountingBloomFilter, CuckooFilter, CuckooParameters, GrowingBloomFilter, GrowingParameters,
};

use crate::phones::{Phones, digits};

/// The share of the keys that the growing filter is made for at first.
const GROWING_FROM: u64 = 10;

/// The keys that go in, and those that stay out.
#[derive(Debug)]
pub struct Keys {
    members: Vec<u64>,
    others: Vec<u64>,
}

impl Keys {
    /// Of the phone numbers in the order of this seed the first `keys`, and the `absent` behind them.
    pub fn new(keys: u64, absent: u64, seed: u64) -> Self {
        let phones = Phones::new(seed);
        Self {
            members: (0..keys).map(|index| phones.number(index)).collect(),
            others: (keys..keys + absent).map(|index| phones.number(index)).collect(),
        }
    }

    /// How many go in.
    pub fn keys(&self) -> u64 {
        self.members.len() as u64
    }

    /// How many are asked for that did not.
    pub fn absent(&self) -> u64 {
        self.others.len() as u64
    }

    fn members(&self) -> impl Iterator<Item = u64> {
        self.members.iter().copied()
    }

    fn others(&self) -> impl Iterator<Item = u64> {
        self.others.iter().copied()
    }
}

/// Bytes that the allocator gave and has not got back.
pub trait Meter {
    /// Now.
    fn current(&self) -> usize;
    /// Most since the last reset.
    fn peak(&self) -> usize;
    /// Forgets the peak.
    fn reset_peak(&self);
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Structure {
    /// `guava_bloom::BloomFilter`.
    Bloom,
    /// `guava_bloom::ConcurrentBloomFilter`.
    ConcurrentBloom,
    /// `CountingBloomFilter`, counters of 4 bits.
    Counting,
    /// `CuckooFilter`.
    Cuckoo,
    /// `GrowingBloomFilter`, made for a tenth of the keys at first.
    Growing,
    /// `HashSet<u64>`.
    HashSetU64,
    /// `HashSet<String>`.
    HashSetString,
}

impl Structure {
    /// The filters.
    pub const FILTERS: [Self; 5] = [
        Self::Bloom,
        Self::ConcurrentBloom,
        Self::Counting,
        Self::Cuckoo,
        Self::Growing,
    ];
    /// The sets, which make no mistakes.
    pub const SETS: [Self; 2] = [Self::HashSetU64, Self::HashSetString];

    /// Name in the records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bloom => "bloom",
            Self::ConcurrentBloom => "concurrent-bloom",
            Self::Counting => "counting",
            Self::Cuckoo => "cuckoo",
            Self::Growing => "growing",
            Self::HashSetU64 => "hash-set-u64",
            Self::HashSetString => "hash-set-string",
        }
    }

    /// Builds it, asks for all keys and for the others. `rate` is the false-positive probability of a filter.
    ///
    /// # Errors
    ///
    /// When it cannot be built, and when a key that is in it is not found: what forgets is not worth measuring.
    pub fn measure(self, rate: f64, keys: &Keys, meter: &impl Meter) -> Result<Measured, String> {
        match self {
            Self::Bloom => {
                let built = build(keys, meter, || {
                    let parameters = Parameters::new(keys.keys(), rate).map_err(text)?;
                    let mut filter = BloomFilter::new(Bytes, &parameters).map_err(text)?;
                    for number in keys.members() {
                        filter.put(&digits(number));
                    }
                    Ok(filter)
                })?;
                let reported = built.structure.bit_size() / 8;
                built.ask(Some(reported), |filter, key| filter.might_contain(&digits(key)))
            }
            Self::ConcurrentBloom => {
                let built = build(keys, meter, || {
                    let parameters = Parameters::new(keys.keys(), rate).map_err(text)?;
                    let filter = ConcurrentBloomFilter::new(Bytes, &parameters).map_err(text)?;
                    for number in keys.members() {
                        filter.put(&digits(number));
                    }
                    Ok(filter)
                })?;
                let reported = built.structure.bit_size() / 8;
                built.ask(Some(reported), |filter, key| filter.might_contain(&digits(key)))
            }
            Self::Counting => {
                let built = build(keys, meter, || {
                    let parameters = Parameters::new(keys.keys(), rate).map_err(text)?;
                    let width = CounterWidth::new(4).map_err(text)?;
                    let mut filter = CountingBloomFilter::new(Bytes, &parameters, width).map_err(text)?;
                    for number in keys.members() {
                        filter.insert(&digits(number));
                    }
                    Ok(filter)
                })?;
                let reported = built.structure.stats().memory_bytes;
                built.ask(Some(reported), |filter, key| filter.might_contain(&digits(key)))
            }
            Self::Cuckoo => {
                let built = build(keys, meter, || {
                    let parameters = CuckooParameters::new(keys.keys(), rate).map_err(text)?;
                    let mut filter = CuckooFilter::new(Bytes, &parameters).map_err(text)?;
                    for number in keys.members() {
                        filter.insert(&digits(number)).map_err(text)?;
                    }
                    Ok(filter)
                })?;
                let reported = built.structure.stats().memory_bytes;
                built.ask(Some(reported), |filter, key| filter.might_contain(&digits(key)))
            }
            Self::Growing => {
                let built = build(keys, meter, || {
                    let parameters =
                        GrowingParameters::new(keys.keys() / GROWING_FROM, rate).map_err(text)?;
                    let mut filter = GrowingBloomFilter::new(Bytes, &parameters).map_err(text)?;
                    for number in keys.members() {
                        filter.insert(&digits(number)).map_err(text)?;
                    }
                    Ok(filter)
                })?;
                let reported = built.structure.stats().memory_bytes;
                built.ask(Some(reported), |filter, key| filter.might_contain(&digits(key)))
            }
            // One by one, as if nobody knew how many there will be.
            Self::HashSetU64 => {
                let built = build(keys, meter, || {
                    let mut set = HashSet::new();
                    for number in keys.members() {
                        set.insert(number);
                    }
                    Ok(set)
                })?;
                built.ask(None, |set, key| set.contains(&key))
            }
            Self::HashSetString => {
                let built = build(keys, meter, || {
                    let mut set = HashSet::new();
                    for number in keys.members() {
                        set.insert(number.to_string());
                    }
                    Ok(set)
                })?;
                built.ask(None, |set, key| {
                    str::from_utf8(&digits(key)).is_ok_and(|text| set.contains(text))
                })
            }
        }
    }
}

/// What a structure takes, and how often it is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measured {
    /// Bytes by its own account.
    pub reported_bytes: Option<u64>,
    /// Bytes that it holds.
    pub allocated_bytes: u64,
    /// Most bytes held while it was built.
    pub peak_bytes: u64,
    /// How many of the absent keys were said to be in.
    pub false_positives: u64,
}

/// A structure with everything in it.
struct Built<'a, S> {
    structure: S,
    allocated: usize,
    peak: usize,
    keys: &'a Keys,
}

fn build<'a, S>(
    keys: &'a Keys,
    meter: &impl Meter,
    make: impl FnOnce() -> Result<S, String>,
) -> Result<Built<'a, S>, String> {
    let before = meter.current();
    meter.reset_peak();
    let structure = make()?;
    Ok(Built {
        structure,
        allocated: meter.current().saturating_sub(before),
        peak: meter.peak().saturating_sub(before),
        keys,
    })
}

impl<S> Built<'_, S> {
    fn ask(
        &self,
        reported_bytes: Option<u64>,
        contains: impl Fn(&S, u64) -> bool,
    ) -> Result<Measured, String> {
        if let Some(lost) = self.keys.members().find(|&key| !contains(&self.structure, key)) {
            return Err(format!("{lost} was put in and is not found"));
        }
        let wrong = (self.keys.others()).filter(|&key| contains(&self.structure, key));
        Ok(Measured {
            reported_bytes,
            allocated_bytes: self.allocated as u64,
            peak_bytes: self.peak as u64,
            false_positives: wrong.count() as u64,
        })
    }
}

fn text(error: impl Display) -> String {
    error.to_string()
}
