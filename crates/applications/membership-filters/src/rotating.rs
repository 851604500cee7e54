//! A filter whose keys age: generations of another filter.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::mem;

use crate::backend::{Backend, Exclusive, Merge, StoredSize};
use crate::blocked::{Blocked, Parameters};
use crate::contents::{Reader, Writer};
use crate::error::Error;
use crate::filter::Filter;
use crate::hash::Xxph3;
use crate::stats::{Load, Stats};
use crate::stored::{invalid, of_field, zero};

/// A filter that forgets old keys.
///
/// Take it for "seen in the last 24 hours", for example.
///
/// It has some generations of a [`BlockedBloomFilter`](crate::BlockedBloomFilter). [`insert`](Filter::insert) puts a key into the newest,
/// [`contains`](Filter::contains) queries all, and [`rotate`](Filter::rotate) empties the oldest, which becomes the newest.
/// The program decides when: every hour, or after so many keys. With n generations, a key is certainly found until the
/// nth rotation after its last insertion, and then forgotten. So 25 generations that rotate every hour contain the keys
/// of the last 24 hours, and some of the hour before.
///
/// *Capacity* is that of a generation: the keys between two rotations. *The rate* is that of all generations together, when
/// all are full. *Memory* is that of n Bloom filters for the capacity at 1 / n of the rate. A query reads a cache line of
/// each generation, so use few; with fewer, a key may stay longer beyond its time.
///
/// [`merge`](Filter::merge) joins generations by their positions, the newest with the newest: rotate both filters at the
/// same times, or a key of the other filter may be forgotten one rotation early.
///
/// Threads share the filter in an `RwLock`. A `Slot` (feature `slot`) replaces it by a larger one, into which keys are
/// inserted and which rotates meanwhile. Commit the larger one only after n rotations: before, it lacks older keys. Another
/// filter that can be merged has generations as a [`Filter`] of [`Rotating<B>`](Rotating).
///
/// ```
/// use membership_filters::{RotatingFilter, Xxph3};
///
/// // A generation an hour, of a million keys: one false "seen" in a hundred.
/// let mut seen = RotatingFilter::with_capacity(25, 1_000_000, 0.01)?;
/// assert!(seen.insert("alice")); // certainly not seen
/// assert!(!seen.insert("alice"));
/// for _hour in 0..24 {
///     seen.rotate();
///     assert!(seen.contains("alice"));
/// }
/// seen.rotate();
/// assert!(!seen.contains("alice"));
/// assert_eq!(RotatingFilter::from_bytes(&seen.to_bytes(), Xxph3)?, seen);
/// # Ok::<(), membership_filters::Error>(())
/// ```
pub type RotatingFilter<F = Xxph3> = Filter<Rotating<Blocked>, F>;

/// The backend of [`RotatingFilter`]: generations of another backend, at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rotating<B> {
    newest: B,
    /// From newer to older.
    older: VecDeque<B>,
}

/// The size of a [`RotatingFilter`], or of generations of another filter with other parameters.
///
/// ```
/// use membership_filters::{Generations, RotatingFilter, Utf8};
///
/// let size = Generations::new(7, 1_000, 0.01)?;
/// let days = RotatingFilter::new(Utf8, &size)?;
/// assert_eq!(days.memory_bytes(), 7 * size.each.memory_bytes());
/// # Ok::<(), membership_filters::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Generations<P = Parameters> {
    /// The number of generations, 1 to 65,536.
    pub count: u32,
    /// The size of each.
    pub each: P,
}

const MAX_GENERATIONS: u32 = 1 << 16;

/// The number of bytes between the common header and the generations.
const FIELDS_LEN: u64 = 16;

/// Returns the rate of each generation for this rate of all together.
fn rate_of_each(count: u32, rate: f64) -> Result<f64, Error> {
    Error::check_rate(rate)?;
    if !(1..=MAX_GENERATIONS).contains(&count) {
        let range = format_args!("between 1 and {MAX_GENERATIONS}");
        return Err(Error::argument("the number of generations", range, count));
    }
    Ok(-libm::expm1(libm::log1p(-rate) / f64::from(count)))
}

impl Generations {
    /// Returns the size of this many generations, each for this many keys. The rate is that of all generations together,
    /// when they are full.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) for a number of generations that is not 1 to 65,536, and the errors
    /// of [`Parameters::new`].
    pub fn new(count: u32, capacity: u64, rate: f64) -> Result<Self, Error> {
        let each = Parameters::new(capacity, rate_of_each(count, rate)?)?;
        Ok(Self { count, each })
    }
}

impl RotatingFilter {
    /// Creates a filter of this many generations, each for this many keys. The rate is that of all generations together,
    /// when they are full.
    pub fn with_capacity(generations: u32, capacity: u64, rate: f64) -> Result<Self, Error> {
        Self::new(Xxph3, &Generations::new(generations, capacity, rate)?)
    }
}

impl<B: Exclusive, F> Filter<Rotating<B>, F> {
    /// Removes the keys of the oldest generation, which becomes the newest. Takes the time to clear its memory.
    pub fn rotate(&mut self) {
        self.backend.rotate();
    }

    /// Returns the number of generations.
    pub fn generations(&self) -> usize {
        1 + self.backend.older.len()
    }
}

impl<B> Rotating<B> {
    /// Returns the generations, the newest first.
    fn all(&self) -> impl Iterator<Item = &B> {
        [&self.newest].into_iter().chain(&self.older)
    }
}

impl<B: Exclusive> Rotating<B> {
    fn rotate(&mut self) {
        let Self { newest, older } = self;
        if let Some(oldest) = older.pop_back() {
            older.push_front(mem::replace(newest, oldest));
        }
        newest.clear();
    }
}

impl<B: Merge> Rotating<B> {
    fn add(&mut self, other: &Self) {
        let ours = [&mut self.newest].into_iter().chain(&mut self.older);
        for ((ours, theirs), merge) in ours.zip(other.all()).zip(core::iter::repeat(B::MERGE).flatten()) {
            merge(ours, theirs);
        }
    }
}

impl<B: Merge> Backend for Rotating<B> {
    const NAME: &'static str = "RotatingFilter";

    const MAGIC: [u8; 8] = *b"MFrotate";

    const MERGE: Result<fn(&mut Self, &Self), &'static str> = match B::MERGE {
        Ok(_) => Ok(Self::add),
        Err(reason) => Err(reason),
    };

    const ROTATE: Option<fn(&mut Self)> = Some(Self::rotate);

    type Hash = B::Hash;

    type Funnel = Option<()>;

    type Parameters = Generations<B::Parameters>;

    /// Two generations.
    fn sized(capacity: u64, rate: f64) -> Result<Self::Parameters, Error> {
        let (count, rate) = (2, rate_of_each(2, rate)?);
        let each = B::sized(capacity, rate)?;
        Ok(Generations { count, each })
    }

    fn size(parameters: &Self::Parameters) -> Result<StoredSize, Error> {
        rate_of_each(parameters.count, 0.5)?;
        let (count, each) = (u64::from(parameters.count), B::size(&parameters.each)?);
        Ok(StoredSize {
            contents_len: FIELDS_LEN + count * each.contents_len,
            memory_bytes: count * each.memory_bytes,
            ..each
        })
    }

    /// All keys are in the newest generation.
    fn rate(parameters: &Self::Parameters, keys: u64) -> f64 {
        B::rate(&parameters.each, keys)
    }

    fn new(Generations { count, each }: &Self::Parameters) -> Result<Self, Error> {
        rate_of_each(*count, 0.5)?;
        let newest = B::new(each)?;
        let older = (1..*count).map(|_| B::new(each)).collect::<Result<_, _>>()?;
        Ok(Self { newest, older })
    }

    fn contains(&self, hash: B::Hash) -> bool {
        self.all().any(|each| each.contains(hash))
    }

    fn contains_batch(&self, hashes: &[B::Hash], answers: &mut Vec<bool>) {
        let (first, mut found) = (answers.len(), Vec::with_capacity(hashes.len()));
        self.newest.contains_batch(hashes, answers);
        for each in &self.older {
            found.clear();
            each.contains_batch(hashes, &mut found);
            for (answer, found) in answers.iter_mut().skip(first).zip(&found) {
                *answer |= found;
            }
        }
    }

    fn bits(&self) -> u64 {
        self.all().map(B::bits).sum()
    }

    /// A key counts once for each generation that has it.
    fn stats(&self) -> Stats {
        let mut all = self.newest.stats();
        for each in self.older.iter().map(B::stats) {
            all.len = all.len.zip(each.len).map(|(len, more)| len.saturating_add(more));
            all.places += each.places;
            all.taken += each.taken;
            all.memory_bytes += each.memory_bytes;
            all.expected_rate += (1.0 - all.expected_rate) * each.expected_rate;
        }
        all
    }

    fn load(&self) -> Option<Load> {
        let both = |one: Load, other: Load| Load {
            len: one.len.zip(other.len).map(|(len, more)| len.saturating_add(more)),
            rate: one.rate + (1.0 - one.rate) * other.rate,
        };
        self.all()
            .map(B::load)
            .reduce(|one, other| Some(both(one?, other?)))?
    }

    /// It is highest if all keys are in one generation.
    fn rate_at(&self, keys: u64) -> f64 {
        self.newest.rate_at(keys)
    }

    fn check_compatible(&self, other: &Self) -> Result<(), Error> {
        Error::check_equal(
            "numbers of generations",
            &self.all().count(),
            &other.all().count(),
        )?;
        self.newest.check_compatible(&other.newest)
    }

    fn contents_len(&self) -> u64 {
        FIELDS_LEN + self.all().map(B::contents_len).sum::<u64>()
    }

    fn write<E>(&self, writer: &mut Writer<'_, E>) -> Result<(), E> {
        writer.bytes(&B::MAGIC)?;
        // A number of 32 bits, then reserved bytes.
        writer.u64(1 + self.older.len() as u64)?;
        self.all().try_for_each(|each| each.write(writer))
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let kind = reader.array()?;
        if kind != B::MAGIC {
            let [range, got] = [B::MAGIC, kind].map(|magic| alloc::format!("\"{}\"", magic.escape_ascii()));
            return Err(invalid("the kind of the generations", range, got));
        }
        let count = u32::from_le_bytes(reader.array()?);
        zero(&reader.array::<4>()?)?;
        if !(1..=MAX_GENERATIONS).contains(&count) {
            let range = format_args!("between 1 and {MAX_GENERATIONS}");
            return Err(invalid("the number of generations", range, count));
        }
        let newest = reader.part(B::read)?;
        let mut older = VecDeque::new();
        for _ in 1..count {
            let each = reader.part(B::read)?;
            newest.check_compatible(&each).map_err(of_field)?;
            older.push_back(each);
        }
        Ok(Self { newest, older })
    }
}

impl<B: Merge<New = bool, Done = ()>> Exclusive for Rotating<B> {
    type New = bool;

    type Done = ();

    /// True means that no generation had the key.
    fn insert(&mut self, hash: B::Hash) -> bool {
        self.newest.insert(hash) && !self.older.iter().any(|each| each.contains(hash))
    }

    fn insert_batch(&mut self, hashes: &[B::Hash]) -> Result<(), Error> {
        self.newest.insert_batch(hashes)
    }

    #[inline]
    fn new_result(new: bool) -> Result<bool, Error> {
        Ok(new)
    }

    fn done(_: Result<(), Error>) {}

    fn clear(&mut self) {
        self.newest.clear();
        self.older.iter_mut().for_each(B::clear);
    }
}

/// Generations of one age become one.
impl<B: Merge<New = bool, Done = ()>> Merge for Rotating<B> {}
