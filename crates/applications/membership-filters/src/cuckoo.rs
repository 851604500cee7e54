//! The cuckoo filter: fingerprints in buckets, with two possible buckets for each key.
//!
//! Source: Fan, Andersen, Kaminsky, Mitzenmacher, "Cuckoo Filter: Practically Better Than Bloom" (CoNEXT 2014).

use crate::backend::{Backend, Counted, Exclusive, Remove, StoredSize};
use crate::contents::{Reader, Writer};
use crate::error::{Error, Violation};
use crate::filter::Filter;
use crate::hash::{Hash128, Xxph3};
use crate::packed::PackedIntegers;
use crate::random::{SplitMix64, mix, scale};
use crate::stats::Stats;
use crate::stored::{invalid, of_field, within, zero};

mod parameters;

pub use parameters::CuckooParameters;
use parameters::SLOTS_PER_BUCKET;

/// The number of fingerprints that an insertion moves before it gives up. With the paper's 500 (section 5.1) tables of
/// a million buckets stop at a load of 95 to 96 %; with 2000 they fill to 97 %, near the 98 % at which four slots in
/// each of two buckets must fail.
const MAX_KICKS: usize = 2000;

/// The number of keys of a batch whose buckets are fetched ahead.
const AHEAD: usize = 256;

/// The number of moves of a key that are fetched ahead. Few keys need more, too few to overlap their waits.
const MAX_FETCHED: usize = 64;

/// The maximum number of copies of a key: its two buckets have no more slots.
const MAX_COPIES: u8 = 2 * SLOTS_PER_BUCKET;

/// Marks a free slot; no fingerprint has this value.
const FREE: u64 = 0;

/// The number of bytes between the common header and the slots.
const FIELDS_LEN: u64 = 32;

/// A set that may seem to contain an absent key, and from which keys can be removed.
///
/// Take it where keys come and go and their largest number is known.
///
/// Each key stores a fingerprint of a few bits in one of two buckets. An insertion that finds both full moves other
/// fingerprints between their own two buckets to make room.
///
/// *No false negatives*: a key that was inserted more often than removed is contained, as long as only inserted
/// keys are removed: see [`remove`](Filter::remove).
///
/// *Full*: the table has a fixed number of slots. Insertions may fail from a load of about 95 %, in tables of fewer
/// than 2,000 slots somewhat earlier, and hardly ever before the [`capacity`](CuckooParameters::capacity) is reached. A
/// failed insertion returns an error and changes nothing.
///
/// *Copies*: a key inserted again takes another slot, and must be removed as often. At most eight copies fit into
/// both buckets together. To insert each key once, query [`contains`](Filter::contains) first, but only if
/// keys are never removed: the answer may come from another key, and removing that one would remove both.
///
/// Insert every key that may be removed later, also if it looks present already: to skip the insertion then
/// (`if !filter.contains(key)`) and to remove the key later removes another one.
///
/// The same insertions and removals in the same order under the same parameters give the same bytes on every platform.
///
/// ```
/// use membership_filters::CuckooFilter;
///
/// let mut sessions = CuckooFilter::with_capacity(10_000, 0.001)?;
/// sessions.insert("alice")?;
/// sessions.insert("bob")?;
/// assert!(sessions.remove("alice"));
/// assert!(!sessions.contains("alice"));
/// assert!(sessions.contains("bob"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type CuckooFilter<F = Xxph3> = Filter<Cuckoo, F>;

/// The backend of [`CuckooFilter`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cuckoo {
    parameters: CuckooParameters,
    /// Bucket *b* has the slots `4 b` to `4 b + 3`.
    slots: PackedIntegers,
    len: u64,
}

/// The fingerprint and the buckets of a key.
struct Place {
    /// Never [`FREE`].
    fingerprint: u64,
    /// One even, one odd.
    buckets: [u64; 2],
}

impl<F> CuckooFilter<F> {
    /// Returns the parameters that the filter was made with.
    pub const fn parameters(&self) -> &CuckooParameters {
        &self.backend.parameters
    }
}

impl Backend for Cuckoo {
    const NAME: &'static str = "CuckooFilter";

    const MAGIC: [u8; 8] = *b"MFcuckoo";

    const REMOVE: Option<fn(&mut Self, Hash128) -> bool> = Some(Remove::remove);

    const MERGE: Result<fn(&mut Self, &Self), &'static str> =
        Err("cuckoo filters, which move their fingerprints");

    type Hash = Hash128;

    type Funnel = Option<Xxph3>;

    type Parameters = CuckooParameters;

    fn sized(capacity: u64, rate: f64) -> Result<CuckooParameters, Error> {
        CuckooParameters::new(capacity, rate)
    }

    fn size(parameters: &CuckooParameters) -> Result<StoredSize, Error> {
        Ok(StoredSize {
            contents_len: FIELDS_LEN + parameters.memory_bytes(),
            memory_bytes: parameters.memory_bytes(),
            probe_count: None,
        })
    }

    fn rate(parameters: &CuckooParameters, keys: u64) -> f64 {
        parameters.rate_at(keys)
    }

    fn new(parameters: &CuckooParameters) -> Result<Self, Error> {
        Ok(Self {
            parameters: *parameters,
            slots: PackedIntegers::zeroed(parameters.slots(), parameters.fingerprint_bits().into())?,
            len: 0,
        })
    }

    #[inline]
    fn contains(&self, hash: Hash128) -> bool {
        let place = self.place(hash);
        let is_in = |&bucket: &u64| self.bucket(bucket).contains(&place.fingerprint);
        place.buckets.iter().any(is_in)
    }

    fn bits(&self) -> u64 {
        self.parameters.slots() * u64::from(self.parameters.fingerprint_bits())
    }

    fn stats(&self) -> Stats {
        Stats {
            len: Some(self.len),
            is_estimate: false,
            places: self.parameters.slots(),
            taken: self.len,
            memory_bytes: self.parameters.memory_bytes(),
            probe_count: None,
            is_probe_count_chosen: false,
            expected_rate: self.parameters.rate_at(self.len),
        }
    }

    fn contents_len(&self) -> u64 {
        FIELDS_LEN + self.parameters.memory_bytes()
    }

    fn write<E>(&self, writer: &mut Writer<'_, E>) -> Result<(), E> {
        writer.bytes(&[self.parameters.fingerprint_bits(), SLOTS_PER_BUCKET])?;
        writer.bytes(&[0; 6])?;
        writer.u64(self.parameters.seed)?;
        writer.u64(self.parameters.buckets())?;
        writer.u64(self.len)?;
        writer.words(self.slots.words())
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Error> {
        let [bits, slots_per_bucket, reserved @ ..] = reader.array::<8>()?;
        zero(&reserved)?;
        if slots_per_bucket != SLOTS_PER_BUCKET {
            return Err(invalid("slots per bucket", SLOTS_PER_BUCKET, slots_per_bucket));
        }
        let seed = reader.u64()?;
        let buckets = reader.u64()?;
        let items = reader.u64()?;
        if buckets == 0 || buckets % 2 != 0 {
            return Err(invalid("buckets", "an even number, at least 2", buckets));
        }
        let parameters = CuckooParameters::with_buckets(buckets, bits)
            .map_err(of_field)?
            .seed(seed);
        let words = reader.words(parameters.memory_bytes() / 8)?;
        reader.verify()?;
        let slots = PackedIntegers::from_words(words, parameters.slots(), bits.into())
            .ok_or_else(|| invalid("padding after the last slot", 0, 1))?;
        let taken = slots.iter().filter(|&fingerprint| fingerprint != FREE).count() as u64;
        within("items", items, taken, taken)?;
        Ok(Self {
            parameters,
            slots,
            len: items,
        })
    }
}

impl Exclusive for Cuckoo {
    type New = Result<bool, Error>;

    type Done = Result<(), Error>;

    #[inline]
    fn insert(&mut self, hash: Hash128) -> Result<bool, Error> {
        let place = self.place(hash);
        let held = self.held(&place);
        let copies = held.iter().filter(|&&held| held == place.fingerprint).count();
        if let Some(free) = position(&held, FREE) {
            self.slots.set(place.slot(free), place.fingerprint);
        } else if copies == usize::from(MAX_COPIES) {
            return Err(Error::TooManyCopies);
        } else if !self.make_room(&place, hash) {
            let range = "able to take another key";
            let slots = self.parameters.slots();
            let got = format_args!("{} of {slots} taken", self.len);
            return Err(Error::Full(Violation::new("the slots", range, got)));
        }
        self.len += 1;
        Ok(copies == 0)
    }

    fn insert_batch(&mut self, hashes: &[Hash128]) -> Result<(), Error> {
        for hashes in hashes.chunks(AHEAD) {
            if !self.slots.are_near() {
                self.fetch(hashes);
            }
            hashes.iter().try_for_each(|&hash| self.insert(hash).map(drop))?;
        }
        Ok(())
    }

    #[inline]
    fn new_result(new: Result<bool, Error>) -> Result<bool, Error> {
        new
    }

    fn done(result: Result<(), Error>) -> Result<(), Error> {
        result
    }

    fn clear(&mut self) {
        self.slots.clear();
        self.len = 0;
    }
}

impl Remove for Cuckoo {
    #[inline]
    fn remove(&mut self, hash: Hash128) -> bool {
        let place = self.place(hash);
        let found = position(&self.held(&place), place.fingerprint);
        if let Some(index) = found {
            self.slots.set(place.slot(index), FREE);
            self.len -= 1;
        }
        found.is_some()
    }
}

impl Counted for Cuckoo {
    fn count(&self) -> u64 {
        self.len
    }
}

impl Cuckoo {
    #[inline]
    fn place(&self, hash: Hash128) -> Place {
        let fingerprint = 1 + scale(hash.h2, self.slots.max());
        let bucket = scale(hash.h1, self.parameters.buckets());
        Place {
            fingerprint,
            buckets: [bucket, self.other_bucket(bucket, fingerprint)],
        }
    }

    /// Returns the other of the two buckets in which a fingerprint may lie.
    ///
    /// The paper uses `bucket XOR hash(fingerprint)`, which requires the number of buckets to be a power of two. This
    /// code uses `hash(fingerprint) - bucket` modulo the number of buckets, which leads back as well and works for any
    /// even number (after Lang, Neumann, Kemper, Boncz, "Performance-Optimal Filtering: Bloom Overtakes Cuckoo at High
    /// Throughput", VLDB 2019, who add both and negate). The hash is odd, so one bucket is even and the other odd: they
    /// always differ.
    #[inline]
    fn other_bucket(&self, bucket: u64, fingerprint: u64) -> u64 {
        let buckets = self.parameters.buckets();
        let odd = 2 * scale(mix(fingerprint), buckets / 2) + 1;
        if odd >= bucket {
            odd - bucket
        } else {
            odd + buckets - bucket
        }
    }

    /// Returns the fingerprints of a bucket.
    #[inline]
    fn bucket(&self, bucket: u64) -> [u64; 4] {
        self.slots.four(slot_of(bucket, 0))
    }

    /// Returns the fingerprints of both buckets of a key.
    #[inline]
    fn held(&self, place: &Place) -> [u64; MAX_COPIES as usize] {
        let [[a, b, c, d], [e, f, g, h]] = place.buckets.map(|bucket| self.bucket(bucket));
        [a, b, c, d, e, f, g, h]
    }

    /// Prefetches the buckets that insertions of at most [`AHEAD`] keys will look at: those of the keys, then those to
    /// which full ones move fingerprints, one move of all keys at a time. Keys that find room are in their slots
    /// meanwhile, because sorted keys have their first buckets in common. An earlier move may change those of a later
    /// key, which then waits for its bucket.
    fn fetch(&mut self, hashes: &[Hash128]) {
        for &hash in hashes {
            for bucket in self.place(hash).buckets {
                self.slots.prefetch(slot_of(bucket, 0));
            }
        }
        let (mut moves, mut count) = ([(SplitMix64::new(0), 0); AHEAD], 0);
        let (mut taken, mut stored) = ([0; AHEAD], 0);
        for &hash in hashes {
            let place = self.place(hash);
            if let Some(free) = position(&self.held(&place), FREE) {
                taken[stored] = place.slot(free);
                self.slots.set(taken[stored], place.fingerprint);
                stored += 1;
            } else {
                moves[count] = self.first_move(&place, hash);
                count += 1;
            }
        }
        for _ in 0..MAX_FETCHED {
            let mut left = 0;
            for index in 0..count {
                let (mut random, bucket) = moves[index];
                let held = self.bucket(bucket);
                if position(&held, FREE).is_none() {
                    let bucket = self.other_bucket(bucket, held[usize::from(random.quarter())]);
                    self.slots.prefetch(slot_of(bucket, 0));
                    moves[left] = (random, bucket);
                    left += 1;
                }
            }
            count = left;
        }
        for &slot in &taken[..stored] {
            self.slots.set(slot, FREE);
        }
    }

    /// Returns what chooses the fingerprints to move for a key whose buckets are both full, and the bucket of the first.
    fn first_move(&self, place: &Place, hash: Hash128) -> (SplitMix64, u64) {
        // Seeded only by parameters and key, so that failed insertions and storing the filter do not change later
        // choices.
        let mut random = SplitMix64::new(self.parameters.seed ^ hash.h1);
        let [first, second] = place.buckets;
        let bucket = if random.next() >> 63 == 0 { first } else { second };
        (random, bucket)
    }

    /// Stores a fingerprint whose buckets are both full, by moving others to their other buckets. If that does not end,
    /// returns false, with all fingerprints back in place.
    fn make_room(&mut self, place: &Place, hash: Hash128) -> bool {
        let (mut random, mut bucket) = self.first_move(place, hash);
        let mut fingerprint = place.fingerprint;
        let mut kicked = [0; MAX_KICKS];
        for kick in &mut kicked {
            *kick = random.quarter();
            fingerprint = self.slots.replace(slot_of(bucket, *kick), fingerprint);
            bucket = self.other_bucket(bucket, fingerprint);
            if let Some(free) = position(&self.bucket(bucket), FREE) {
                self.slots.set(slot_of(bucket, free), fingerprint);
                return true;
            }
        }
        for &kick in kicked.iter().rev() {
            bucket = self.other_bucket(bucket, fingerprint);
            fingerprint = self.slots.replace(slot_of(bucket, kick), fingerprint);
        }
        debug_assert_eq!(fingerprint, place.fingerprint);
        false
    }
}

impl Place {
    /// Returns the slot with this index among those of both buckets.
    #[inline]
    fn slot(&self, index: u8) -> u64 {
        let [first, second] = self.buckets;
        match index.checked_sub(SLOTS_PER_BUCKET) {
            Some(index) => slot_of(second, index),
            None => slot_of(first, index),
        }
    }
}

/// Returns the index of the first slot that holds this fingerprint.
#[inline]
fn position(held: &[u64], fingerprint: u64) -> Option<u8> {
    (0..)
        .zip(held)
        .find_map(|(index, &held)| (held == fingerprint).then_some(index))
}

#[inline]
fn slot_of(bucket: u64, index: u8) -> u64 {
    bucket * u64::from(SLOTS_PER_BUCKET) + u64::from(index)
}
