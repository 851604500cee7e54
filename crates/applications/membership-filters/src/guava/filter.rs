//! The filters, and Guava's stream: a header of six bytes, then the words, all big-endian. `FORMAT.md` describes it.

use alloc::vec::Vec;

#[cfg(target_has_atomic = "64")]
use crate::atomic_bits::AtomicU64;
use crate::bits::{Bits, Word};
use crate::bloom::{Bloom, Variety};
use crate::contents::{Reader, Writer};
use crate::error::Error;
use crate::filter::Filter;
#[cfg(target_has_atomic = "64")]
use crate::filter::Shared;
use crate::guava::header::StreamHeader;
use crate::guava::parameters::Parameters;
use crate::guava::strategy::Strategy;
use crate::kinds::kind::{Kind, Stream};
use crate::steps::Rule;

/// Guava's `BloomFilter`: a compact set that never misses an inserted key, but may seem to contain an absent one.
///
/// Take it where Java reads the filter, or where memory matters at rates of 0.1 % and below. Very small filters miss their
/// rate: one for two keys at 0.001 errs in about 1.6 % of cases.
///
/// A negative answer is certain. A positive answer may be false, at the rate of the parameters while the
/// filter holds no more keys than planned. The same calls with the same parameters give the same bits as in Java.
///
/// ```
/// use membership_filters::Utf8;
/// use membership_filters::guava::BloomFilter;
///
/// let mut seen = BloomFilter::with_capacity(Utf8, 1000, 0.01)?;
/// assert!(seen.insert("apple")); // bits changed: it was absent
/// assert!(seen.contains("apple"));
/// assert!(!seen.contains("banana"));
///
/// let mut small = BloomFilter::with_capacity(Utf8, 1, 0.01)?;
/// small.insert("key0");
/// let bytes = small.to_guava(); // writeTo
/// assert_eq!(bytes, b"\x01\x07\0\0\0\x01\0\0\0\0\0\x15\x55\0");
/// assert_eq!(BloomFilter::from_guava(&bytes, Utf8)?, small);
/// # Ok::<(), membership_filters::Error>(())
/// ```
pub type BloomFilter<F> = Filter<Bloom<Strategy>, F>;

/// A [`BloomFilter`] that many threads share: they insert through a shared reference, without locks.
///
/// Take it where several threads add keys to a filter that Java reads.
///
/// The bits equal those of a [`BloomFilter`] with the same keys, whatever the order and the number of threads. Threads may rely
/// on what [`ConcurrentBlockedBloomFilter`](crate::ConcurrentBlockedBloomFilter#what-threads-may-rely-on) promises.
/// Available on targets with 64-bit atomic operations.
///
/// ```
/// use membership_filters::Utf8;
/// use membership_filters::guava::{BloomFilter, ConcurrentBloomFilter};
/// use std::thread;
///
/// let seen = ConcurrentBloomFilter::with_capacity(Utf8, 1000, 0.01)?;
/// thread::scope(|scope| {
///     for part in [["apple", "pear"], ["pear", "plum"]] {
///         let seen = &seen;
///         scope.spawn(move || part.map(|fruit| seen.insert(fruit)));
///     }
/// });
/// assert!(seen.contains("plum"));
///
/// let mut alone = BloomFilter::with_capacity(Utf8, 1000, 0.01)?;
/// alone.insert_many(["apple", "pear", "plum"]);
/// assert_eq!(seen.into_sequential(), alone);
/// # Ok::<(), membership_filters::Error>(())
/// ```
#[cfg(target_has_atomic = "64")]
pub type ConcurrentBloomFilter<F> = Filter<Bloom<Strategy, AtomicU64>, F, Shared>;

impl Variety for Strategy {
    const NAMES: [&'static str; 2] = ["guava::BloomFilter", "guava::ConcurrentBloomFilter"];

    const MAGIC: [u8; 8] = *b"GBfilter";

    const VARIETIES: &'static str = "strategies";

    type Funnel = Option<()>;

    type Parameters = Parameters;

    fn sized(capacity: u64, rate: f64) -> Result<Parameters, Error> {
        Parameters::new(capacity, rate)
    }

    fn shape(parameters: &Parameters) -> (Self, usize, u32) {
        let (strategy, probes) = (parameters.chosen_strategy(), parameters.probe_count());
        (strategy, parameters.word_count(), probes)
    }

    #[inline]
    fn rule(self) -> Rule {
        match self {
            Self::Murmur128Mitz32 => Rule::Mitz32,
            Self::Murmur128Mitz64 => Rule::Mitz64,
        }
    }

    fn header_len(self) -> usize {
        StreamHeader::LEN
    }

    fn write<W, E>(self, probe_count: u32, words: &[W], writer: &mut Writer<'_, E>) -> Result<(), E> {
        writer.bytes(&StreamHeader::new(self, probe_count, words).to_bytes())
    }

    fn read(reader: &mut Reader<'_>) -> Result<(Self, u64, u32), Error> {
        let head = reader.array()?;
        let header = StreamHeader::from_bytes(head);
        let (strategy, words) = header.validate().map_err(|error| match (error, head) {
            // Other heads are Guava's, damaged.
            (Error::InvalidField(violation), [2..=u8::MAX, ..] | [_, 0, ..]) => {
                Error::InvalidField(reader.with_form(violation, &head))
            }
            (error, _) => error,
        })?;
        Ok((strategy, words.into(), header.probe_count.into()))
    }
}

/// Guava's stream, whose length follows from its first bytes.
pub(crate) const STREAM: Kind<Bloom<Strategy>> = Kind {
    stream: Some(Stream {
        text: "Guava's stream, which `guava::BloomFilter::from_guava` reads",
        may_begin: |head, len| len.is_some_and(|len| is_whole(head, len)),
        recognise: |head, len, is_envelope| (!is_envelope && is_whole(head, len)).then_some((0, true)),
    }),
    reads_envelope: false,
    ..Kind::enveloped(&["guava"])
};

pub(crate) const ENVELOPE: Kind<Bloom<Strategy>> = Kind::enveloped(&["guava-envelope"]);

fn is_whole(head: &[u8], len: u64) -> bool {
    let header = head.first_chunk().copied().map(StreamHeader::from_bytes);
    header.is_some_and(|header| header.validate().is_ok() && header.stream_len() == len)
}

/// Both filters of Guava.
impl<W: Word, F, A> Filter<Bloom<Strategy, W>, F, A> {
    /// Creates an empty filter for this many keys at this false-positive rate: [`new`](Self::new) with [`Parameters::new`].
    pub fn with_capacity(funnel: F, capacity: u64, rate: f64) -> Result<Self, Error> {
        Self::new(funnel, &Parameters::new(capacity, rate)?)
    }

    /// Returns the strategy.
    #[inline]
    pub const fn strategy(&self) -> Strategy {
        self.backend.variety
    }

    /// Returns the header of this filter's stream.
    pub(crate) fn stream_header(&self) -> StreamHeader {
        StreamHeader::new(self.strategy(), self.probe_count(), self.backend.bits.words())
    }
}

impl<F> BloomFilter<F> {
    /// Creates a filter from the header and the words of another, as returned by [`into_parts`](Self::into_parts).
    ///
    /// The funnel must be that of the other filter, and the words must have been filled under the strategy and the probe
    /// count of the header: nothing checks this, and the filter denies keys otherwise.
    ///
    /// # Errors
    ///
    /// [`InvalidField`](crate::Error::InvalidField) if no filter has this header, and
    /// [`InvalidArgument`](crate::Error::InvalidArgument) if it is the header of another number of words.
    pub fn from_parts(funnel: F, header: StreamHeader, words: Vec<u64>) -> Result<Self, Error> {
        let (strategy, count) = header.validate()?;
        if words.len() as u64 != u64::from(count) {
            let (thing, range) = ("the word count", format_args!("{count} by the header"));
            return Err(Error::argument(thing, range, words.len()));
        }
        let bloom = Bloom::of(strategy, Bits::from_words(words)?, header.probe_count.into());
        Ok(Self::of(bloom, funnel))
    }

    /// Returns the header of the filter's stream, which has its strategy and its probe count, and the words, as in
    /// [`words`](Self::words).
    #[must_use]
    pub fn into_parts(self) -> (StreamHeader, Vec<u64>) {
        (self.stream_header(), self.backend.bits.into_words())
    }
}
