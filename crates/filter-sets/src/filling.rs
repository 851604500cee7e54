//! Filters while they are filled with hash values.

use std::io::{self, Write};

use filter_formats::policies::AnyPolicy;
use filter_policy::{FilterPolicy as _, HashFunction, HashValue, KeyHashes};

/// The errors are texts: the caller knows the file.
pub(crate) type Text<T> = Result<T, String>;

pub(crate) fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// A filter that is ready to be made.
pub(crate) struct Plan {
    /// The memory in bytes that building takes at most, hash values included.
    pub(crate) memory: u64,
    pub(crate) make: Box<dyn Fn() -> Text<Box<dyn Filling>> + Send>,
}

/// A filter that takes hash values, and is written when it has all of them.
pub(crate) trait Filling {
    fn add(&mut self, hashes: &[u128]) -> Text<()>;

    fn finish(&mut self) -> Text<()> {
        Ok(())
    }

    /// Writes the stored form.
    fn write(&self, writer: &mut dyn Write) -> io::Result<()>;

    /// Returns the expected false-positive rate; `None` if the format has no formula.
    fn rate(&self) -> Option<f64>;
}

/// The filter of a policy, which is made of all hash values.
pub(crate) struct OfPolicy<H> {
    policy: AnyPolicy,
    function: HashFunction,
    rate: Option<f64>,
    hash: fn(u128) -> H,
    hashes: Vec<H>,
    filter: Vec<u8>,
}

impl<H: HashValue> OfPolicy<H> {
    /// Makes room for this many hash values, and for their filter.
    pub(crate) fn start(
        policy: AnyPolicy,
        function: HashFunction,
        keys: u64,
        rate: Option<f64>,
        hash: fn(u128) -> H,
    ) -> Text<Box<dyn Filling>>
    where
        H: 'static,
    {
        let count = usize::try_from(keys).map_err(text)?;
        let len = policy.max_filter_len(count).map_err(text)?;
        let (mut hashes, mut filter) = (Vec::new(), Vec::new());
        // Exactly as much: a vector that grows would take twice the memory.
        let room = hashes.try_reserve_exact(count);
        room.and_then(|()| filter.try_reserve_exact(len)).map_err(text)?;
        filter.resize(len, 0);
        Ok(Box::new(Self {
            policy,
            function,
            rate,
            hash,
            hashes,
            filter,
        }))
    }
}

impl<H: HashValue> Filling for OfPolicy<H> {
    fn add(&mut self, hashes: &[u128]) -> Text<()> {
        self.hashes.extend(hashes.iter().map(|&hash| (self.hash)(hash)));
        Ok(())
    }

    fn finish(&mut self) -> Text<()> {
        let hashes = KeyHashes::new(self.function, &self.hashes);
        let filter = self.policy.create_from_hashes(hashes, &mut self.filter);
        let len = filter.map_err(text)?.len();
        self.filter.truncate(len);
        Ok(())
    }

    fn write(&self, writer: &mut dyn Write) -> io::Result<()> {
        writer.write_all(&self.filter)
    }

    fn rate(&self) -> Option<f64> {
        self.rate
    }
}
