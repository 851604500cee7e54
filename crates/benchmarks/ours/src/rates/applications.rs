//! Filters for applications: Guava's, counting, cuckoo and growing ones.

use guava_bloom::{BloomFilter, Hash128, Parameters, Strategy, StreamHeader};
use membership_filters::{
    CounterWidth, CountingBloomFilter, CuckooFilter, CuckooParameters, GrowingBloomFilter, GrowingParameters,
    InsertError,
};

use super::filters::{Contestant, Prospect, best_ideal, ideal, rate_for, words};
use super::keys::Key;

/// Guava's filter under one of its strategies.
pub(super) struct Guava(pub(super) Strategy);

impl Contestant for Guava {
    type Value = Hash128;
    type Filter = BloomFilter<()>;

    fn value(&self, key: &Key) -> Hash128 {
        Hash128::of(key.bytes())
    }

    fn build(&self, bits_per_key: u32, members: &[Hash128]) -> Result<BloomFilter<()>, String> {
        let parameters = Parameters::new(members.len() as u64, rate_for(bits_per_key)?).map_err(words)?;
        let mut filter = BloomFilter::new((), &parameters.with_strategy(self.0)).map_err(words)?;
        for &hash in members {
            filter.put_hash(hash);
        }
        Ok(filter)
    }

    fn bytes(&self, filter: &BloomFilter<()>) -> u64 {
        StreamHeader::LEN as u64 + filter.words().len() as u64 * 8
    }

    fn matching(&self, filter: &BloomFilter<()>, values: &[Hash128]) -> u64 {
        let matches = |hash: &&Hash128| filter.might_contain_hash(**hash);
        values.iter().filter(matches).count() as u64
    }

    fn prospect(&self, filter: &BloomFilter<()>, _: u32, keys: u64) -> Result<Prospect, String> {
        let ideal = ideal(filter.bit_size(), keys, filter.probes())?;
        Ok(Prospect {
            ideal,
            expected: ideal,
        })
    }
}

/// The counting filter with four bits a counter.
pub(super) struct Counting;

impl Contestant for Counting {
    type Value = Hash128;
    type Filter = CountingBloomFilter<()>;

    fn value(&self, key: &Key) -> Hash128 {
        Hash128::of(key.bytes())
    }

    fn build(&self, bits_per_key: u32, members: &[Hash128]) -> Result<Self::Filter, String> {
        let parameters = Parameters::new(members.len() as u64, rate_for(bits_per_key)?).map_err(words)?;
        let mut filter = CountingBloomFilter::new((), &parameters, CounterWidth::FOUR).map_err(words)?;
        for &hash in members {
            filter.insert_hash(hash);
        }
        Ok(filter)
    }

    fn bytes(&self, filter: &Self::Filter) -> u64 {
        filter.stored_bytes()
    }

    fn matching(&self, filter: &Self::Filter, values: &[Hash128]) -> u64 {
        let matches = |hash: &&Hash128| filter.might_contain_hash(**hash);
        values.iter().filter(matches).count() as u64
    }

    fn prospect(&self, filter: &Self::Filter, _: u32, keys: u64) -> Result<Prospect, String> {
        let ideal = ideal(filter.counters(), keys, filter.probes())?;
        Ok(Prospect {
            ideal,
            expected: ideal,
        })
    }
}

/// The cuckoo filter.
pub(super) struct Cuckoo;

impl Contestant for Cuckoo {
    type Value = Hash128;
    type Filter = CuckooFilter<()>;

    fn value(&self, key: &Key) -> Hash128 {
        Hash128::of(key.bytes())
    }

    fn build(&self, bits_per_key: u32, members: &[Hash128]) -> Result<Self::Filter, String> {
        let rate = rate_for(bits_per_key)?;
        let parameters = CuckooParameters::new(members.len() as u64, rate).map_err(words)?;
        let mut filter = CuckooFilter::new((), &parameters).map_err(words)?;
        for &hash in members {
            match filter.insert_hash(hash) {
                // With narrow fingerprints one filter in thousands refuses a key, which it then goes without: that
                // leaves the rate as it is.
                Ok(()) | Err(InsertError::Full { .. } | InsertError::TooManyCopies { .. }) => {}
                Err(error) => return Err(words(error)),
            }
        }
        Ok(filter)
    }

    fn bytes(&self, filter: &Self::Filter) -> u64 {
        filter.stored_bytes()
    }

    fn matching(&self, filter: &Self::Filter, values: &[Hash128]) -> u64 {
        let matches = |hash: &&Hash128| filter.might_contain_hash(**hash);
        values.iter().filter(matches).count() as u64
    }

    fn prospect(&self, filter: &Self::Filter, bits_per_key: u32, keys: u64) -> Result<Prospect, String> {
        Ok(Prospect {
            ideal: best_ideal(bits_per_key, keys)?,
            expected: filter.parameters().fpp_of(keys),
        })
    }
}

/// The growing filter, made for a tenth of the keys at first.
pub(super) struct Growing;

impl Contestant for Growing {
    type Value = Hash128;
    type Filter = GrowingBloomFilter<()>;

    fn value(&self, key: &Key) -> Hash128 {
        Hash128::of(key.bytes())
    }

    fn build(&self, bits_per_key: u32, members: &[Hash128]) -> Result<Self::Filter, String> {
        let first = members.len() as u64 / 10;
        let parameters = GrowingParameters::new(first, rate_for(bits_per_key)?).map_err(words)?;
        let mut filter = GrowingBloomFilter::new((), &parameters).map_err(words)?;
        for &hash in members {
            filter.insert_hash(hash).map_err(words)?;
        }
        Ok(filter)
    }

    fn bytes(&self, filter: &Self::Filter) -> u64 {
        filter.stored_bytes()
    }

    fn matching(&self, filter: &Self::Filter, values: &[Hash128]) -> u64 {
        let matches = |hash: &&Hash128| filter.might_contain_hash(**hash);
        values.iter().filter(matches).count() as u64
    }

    fn prospect(&self, filter: &Self::Filter, bits_per_key: u32, keys: u64) -> Result<Prospect, String> {
        Ok(Prospect {
            ideal: best_ideal(bits_per_key, keys)?,
            expected: filter.parameters().fpp(),
        })
    }
}
