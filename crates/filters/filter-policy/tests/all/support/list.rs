//! A format of another crate.

use filter_policy::kernels::{KernelToken, Lookup, Source, StoredBits};
use filter_policy::{BitsPerKey, Error, Facts, Format, HashFunctionId, Prepared, building};

/// A filter that is the list of hash values, of a function that is not in the name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct List {
    seed: u64,
    function: HashFunctionId,
    is_broken: bool,
}

impl List {
    pub(crate) fn new(seed: u64) -> Self {
        let function = HashFunctionId::new("test.List", |key| hash(seed, key));
        let is_broken = false;
        Self {
            seed,
            function,
            is_broken,
        }
    }

    /// Writes one answer too many, if it gets many keys.
    pub(crate) fn broken() -> Self {
        let is_broken = true;
        Self {
            is_broken,
            ..Self::new(7)
        }
    }
}

fn hash(seed: u64, key: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    key.iter().fold(seed, step)
}

/// The stored hash values, the seed, and whether there is one answer too many.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Values<'f>(&'f [u8], u64, bool);

impl StoredBits for Values<'_> {
    type Hash = u64;

    fn may_match(self, _: KernelToken, hash: u64) -> bool {
        self.0.as_chunks().0.contains(&hash.to_le_bytes())
    }

    fn may_match_many(self, kernel: KernelToken, source: Source<'_, u64>, answers: &mut [u64]) {
        let Self(_, seed, is_broken) = self;
        let hashes = building::hashes(source, |key| hash(seed, key)).unwrap();
        for (word, hashes) in answers.iter_mut().zip(hashes.chunks(64)) {
            let bits = hashes
                .iter()
                .rev()
                .map(|&hash| u64::from(self.may_match(kernel, hash)));
            *word = bits.fold(0, |word, bit| word << 1 | bit);
        }
        if let (Some(last), true) = (answers.last_mut(), is_broken) {
            *last |= 1 << (hashes.len() % 64);
        }
    }
}

impl Format for List {
    type Hash = u64;
    type Filter<'f> = Values<'f>;

    fn name(&self) -> &str {
        "test.List"
    }

    fn facts(&self) -> Facts {
        Facts::new("List", &["list"])
    }

    fn with_bits_per_key(self, _: BitsPerKey) -> Self {
        self
    }

    fn rate(&self, _: u64) -> Result<f64, Error> {
        Ok(0.0)
    }

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        None
    }

    fn hash_function(&self) -> HashFunctionId {
        self.function
    }

    fn hash(&self, key: &[u8]) -> u64 {
        hash(self.seed, key)
    }

    fn max_len(&self, keys: usize) -> Result<usize, Error> {
        Ok(8 * keys)
    }

    fn build(&self, _: KernelToken, source: Source<'_, u64>, out: &mut [u8]) -> Result<usize, Error> {
        let hashes = building::hashes(source, |key| self.hash(key))?;
        let filter = building::room(out, 8 * hashes.len())?;
        for (place, hash) in filter.as_chunks_mut().0.iter_mut().zip(hashes) {
            *place = hash.to_le_bytes();
        }
        Ok(filter.len())
    }

    fn read<'f>(&self, filter: &'f [u8]) -> Option<Values<'f>> {
        (!filter.is_empty() && filter.len().is_multiple_of(8)).then_some(Values(
            filter,
            self.seed,
            self.is_broken,
        ))
    }

    fn other(filter: &[u8]) -> Prepared {
        Prepared::same_for_all(!filter.is_empty())
    }

    fn prepare(&self, kernel: KernelToken, filter: Values<'_>) -> Prepared {
        let Values(bits, seed, is_broken) = filter;
        let numbers = [seed, is_broken.into(), 0];
        let lookup: Lookup = |&[seed, ..], bits, key| {
            Values(bits, seed, false).may_match(KernelToken::best(), hash(seed, key))
        };
        Prepared::new::<Self>(kernel, self.function, Some(lookup), bits, numbers)
    }

    fn restore(_: KernelToken, bits: &[u8], [seed, is_broken, _]: [u64; 3]) -> Values<'_> {
        Values(bits, seed, is_broken == 1)
    }
}
