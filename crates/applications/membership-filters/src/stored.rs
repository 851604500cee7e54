//! Code shared by the filters: checks of stored fields, and the methods that all have. `FORMAT.md` describes the formats.

use core::fmt;

use crate::error::{Error, ErrorKind, Outcome};

/// The error for a field with a value that no filter has.
pub(crate) fn invalid(field: &str, allowed: impl fmt::Display, found: impl fmt::Display) -> Error {
    Error::new(ErrorKind::InvalidField, field, allowed, found)
}

/// Converts an error about arguments into one about stored fields.
pub(crate) fn of_field(error: Error) -> Error {
    match error.kind() {
        ErrorKind::InvalidArgument => error.with_kind(ErrorKind::InvalidField),
        _ => error,
    }
}

/// Checks that reserved bytes, which a later version may use, are zero.
pub(crate) fn zero(reserved: &[u8]) -> Result<(), Error> {
    match reserved.iter().find(|&&byte| byte != 0) {
        None => Ok(()),
        Some(byte) => Err(invalid("a reserved byte", 0, byte)),
    }
}

/// Checks that a stored value is in the range that the contents allow.
pub(crate) fn within(field: &str, stated: u64, least: u64, most: u64) -> Result<(), Error> {
    if (least..=most).contains(&stated) {
        return Ok(());
    }
    let allowed = format_args!("between {least} and {most} by the contents");
    Err(invalid(field, allowed, stated))
}

/// The number of keys hashed at a time: enough to wait for memory rarely, few enough for the stack.
const TOGETHER: usize = 512;

/// Hashes keys into a buffer on the stack, and passes the hashes on in order. Stops at an error.
pub(crate) fn in_batches<C, K, H: Copy + Default, R: Outcome>(
    mut filter: C,
    keys: impl IntoIterator<Item = K>,
    hash: impl Fn(&C, K) -> H,
    mut then: impl FnMut(&mut C, &[H]) -> R,
) -> R {
    let (mut keys, mut hashes) = (keys.into_iter(), [H::default(); TOGETHER]);
    loop {
        let mut count = 0;
        for (place, key) in hashes.iter_mut().zip(&mut keys) {
            *place = hash(&filter, key);
            count += 1;
        }
        let done = then(&mut filter, hashes.get(..count).unwrap_or_default());
        if count < TOGETHER || done.is_error() {
            return done;
        }
    }
}

/// What an insertion returns, as a result.
pub(crate) trait Inserted<T> {
    fn result(self) -> Result<T, Error>;
}

impl<T> Inserted<T> for T {
    #[inline]
    fn result(self) -> Result<T, Error> {
        Ok(self)
    }
}

impl<T> Inserted<T> for Result<T, Error> {
    #[inline]
    fn result(self) -> Self {
        self
    }
}

/// The methods of all filters around keys and their hashes, made of the field `funnel`, `insert_raw`, `contains_raw`, and
/// `insert_batch` and `contains_batch` for many. `$of` makes of a hash what these take. An insertion returns `$new`, and one of many keys `$done`. The
/// last argument is `mut` unless threads share the filter.
macro_rules! filter {
    ([$($f:ident)?] $filter:ty, $funnel:ty, $of:expr, $new:ty, $done:ty $(, $mutable:tt)?) => {
        impl<$($f)?> $filter {
            /// Returns the funnel.
            #[inline]
            pub const fn funnel(&self) -> &$funnel {
                &self.funnel
            }

            /// Returns the hash of a key, for filters whose funnels are equal to this one's.
            #[inline]
            #[must_use]
            pub fn hash<T: ?Sized>(&self, key: &T) -> crate::funnel::Hashed<$funnel>
            where
                $funnel: crate::funnel::Funnel<T> + Clone,
            {
                crate::funnel::Hashed::new(self.funnel().clone(), key)
            }

            /// Inserts a key. True means that it was certainly absent.
            #[inline]
            pub fn insert<T: ?Sized>(&$($mutable)? self, key: &T) -> $new
            where
                $funnel: crate::funnel::Funnel<T>,
            {
                self.insert_raw($of(crate::hash::Hash128::of_key(self.funnel(), key)))
            }

            /// Inserts keys in order. In filters that are larger than the processor's caches this takes a fraction of the time of
            /// single calls. If the filter refuses a key, those before it are inserted, and none after it.
            pub fn insert_many<'k, T: ?Sized + 'k>(&$($mutable)? self, keys: impl IntoIterator<Item = &'k T>) -> $done
            where
                $funnel: crate::funnel::Funnel<T>,
            {
                let hash = |this: &&$($mutable)? Self, key| $of(crate::hash::Hash128::of_key(this.funnel(), key));
                crate::stored::in_batches(self, keys, hash, |this, hashes| this.insert_batch(hashes))
            }

            /// Inserts a key that is hashed already, like [`insert`](Self::insert).
            ///
            /// # Errors
            ///
            /// The errors of [`insert`](Self::insert), and [`Incompatible`](crate::ErrorKind::Incompatible) if the hash was made
            /// with a funnel that is not equal to this filter's. Nothing is inserted then.
            #[inline]
            pub fn insert_hashed(&$($mutable)? self, hash: &crate::funnel::Hashed<$funnel>) -> Result<bool, crate::error::Error>
            where
                $funnel: PartialEq,
            {
                let hash = self.own(hash)?;
                crate::stored::Inserted::result(self.insert_raw($of(hash)))
            }

            /// Inserts keys that are hashed already, like [`insert_many`](Self::insert_many).
            ///
            /// # Errors
            ///
            /// The error of [`insert_hashed`](Self::insert_hashed), before the first key is inserted.
            pub fn insert_many_hashed(&$($mutable)? self, hashes: &[crate::funnel::Hashed<$funnel>]) -> Result<(), crate::error::Error>
            where
                $funnel: PartialEq,
            {
                hashes.iter().try_for_each(|hash| self.own(hash).map(drop))?;
                let hash = |_: &&$($mutable)? Self, hash: &crate::funnel::Hashed<$funnel>| $of(hash.hash());
                let done = crate::stored::in_batches(self, hashes, hash, |this, hashes| this.insert_batch(hashes));
                crate::stored::Inserted::result(done)
            }

            /// Returns whether the key might be in the filter. False is certain; true is wrong with the probability
            /// [`expected_rate`](Self::expected_rate).
            #[inline]
            #[must_use]
            pub fn contains<T: ?Sized>(&self, key: &T) -> bool
            where
                $funnel: crate::funnel::Funnel<T>,
            {
                self.contains_raw($of(crate::hash::Hash128::of_key(self.funnel(), key)))
            }

            /// Returns for each key whether it might be in the filter, in order. In filters that are larger than the processor's
            /// caches this takes a fraction of the time of single calls.
            #[must_use]
            pub fn contains_many<'k, T: ?Sized + 'k>(&self, keys: impl IntoIterator<Item = &'k T>) -> alloc::vec::Vec<bool>
            where
                $funnel: crate::funnel::Funnel<T>,
            {
                let keys = keys.into_iter();
                let mut answers = alloc::vec::Vec::with_capacity(keys.size_hint().0);
                let hash = |this: &&Self, key| $of(crate::hash::Hash128::of_key(this.funnel(), key));
                crate::stored::in_batches(self, keys, hash, |this, hashes| this.contains_batch(hashes, &mut answers));
                answers
            }

            /// Returns whether a key that is hashed already might be in the filter. The answer is true for a hash that was made
            /// with a funnel that is not equal to this filter's.
            #[inline]
            #[must_use]
            pub fn contains_hashed(&self, hash: &crate::funnel::Hashed<$funnel>) -> bool
            where
                $funnel: PartialEq,
            {
                self.own(hash).map_or(true, |hash| self.contains_raw($of(hash)))
            }

            /// Returns for each key that is hashed already what [`contains_hashed`](Self::contains_hashed) would return.
            #[must_use]
            pub fn contains_many_hashed(&self, hashes: &[crate::funnel::Hashed<$funnel>]) -> alloc::vec::Vec<bool>
            where
                $funnel: PartialEq,
            {
                let mut answers = alloc::vec::Vec::with_capacity(hashes.len());
                let hash = |_: &&Self, hash: &crate::funnel::Hashed<$funnel>| $of(hash.hash());
                crate::stored::in_batches(self, hashes, hash, |this, hashes| this.contains_batch(hashes, &mut answers));
                // No pass at all for funnels without fields, which are always equal.
                for (answer, hash) in answers.iter_mut().zip(hashes) {
                    *answer |= self.own(hash).is_err();
                }
                answers
            }

            /// Returns the hash without its funnel, if that is this filter's.
            #[inline]
            fn own(&self, hash: &crate::funnel::Hashed<$funnel>) -> Result<crate::hash::Hash128, crate::error::Error>
            where
                $funnel: PartialEq,
            {
                hash.under(self.funnel()).ok_or_else(crate::error::Error::other_funnel)
            }

            /// Returns the probability that an absent key seems to be in the filter now; see [`stats`](Self::stats).
            pub fn expected_rate(&self) -> f64 {
                self.stats().expected_rate
            }

            /// Returns the memory of the filter's bits in bytes.
            pub fn memory_bytes(&self) -> u64 {
                self.bits().div_ceil(64) * 8
            }
        }
    };
}
pub(crate) use filter;

/// The envelope and the methods around it, made of `form_len`, `put` and `read` for what is in it. Reading takes `$argument`, and
/// makes the funnel of it. The header has the hash of `$header`, if that is given, in place of the filter's funnel.
macro_rules! stored {
    ([$($generics:tt)*] $filter:ty, $magic:literal, $funnel_type:ty, ($($argument:ident: $type:ty)?), $funnel:expr $(, $header:expr)?) => {
        impl<$($generics)*> crate::envelope::Stored for $filter {
            type Funnel = $funnel_type;

            const MAGIC: [u8; 8] = *$magic;

            fn funnel(&self) -> &$funnel_type {
                let [.., funnel] = [&self.funnel $(, &const { $header })?];
                funnel
            }

            fn stored_len(&self) -> u64 {
                self.form_len()
            }

            fn write_contents<E>(&self, writer: &mut crate::envelope::Writer<'_, E>) -> Result<(), E> {
                self.put(writer)
            }

            fn read_contents(
                reader: &mut crate::envelope::Reader<'_>,
                funnel: $funnel_type,
            ) -> Result<Self, crate::error::Error> {
                Self::read(reader, funnel)
            }
        }

        impl<$($generics)*> $filter {
            /// Returns the stored form, with a checksum, as [`format`](crate::format) describes it.
            #[must_use]
            pub fn to_bytes(&self) -> alloc::vec::Vec<u8> {
                crate::envelope::to_bytes(self)
            }

            /// Reads the filter from its stored form; trailing bytes are an error.
            ///
            /// # Errors
            ///
            /// [`WrongFormat`](crate::ErrorKind::WrongFormat) names the form that the bytes seem to have instead;
            /// [`Incompatible`](crate::ErrorKind::Incompatible) says that the filter was written with a funnel of another hash;
            /// [`Error`](crate::Error) otherwise names the fault in the bytes.
            pub fn from_bytes(bytes: &[u8] $(, $argument: $type)?) -> Result<Self, crate::error::Error> {
                crate::envelope::from_bytes(bytes, $funnel)
            }

            /// Writes the stored form piece by piece. Does not flush. Needs the feature `std`.
            ///
            /// # Errors
            ///
            /// The errors of the writer.
            #[cfg(feature = "std")]
            pub fn write_to(&self, writer: impl std::io::Write) -> std::io::Result<()> {
                crate::envelope::write_to(self, writer)
            }

            /// Reads the stored form and nothing after it. The first fields are read one by one: wrap a file in a
            /// `BufReader`. Needs the feature `std`.
            ///
            /// # Errors
            ///
            /// The errors of [`from_bytes`](Self::from_bytes), or that of the reader.
            #[cfg(feature = "std")]
            pub fn read_from(reader: impl std::io::Read $(, $argument: $type)?) -> Result<Self, crate::error::Error> {
                crate::envelope::read_from(reader, $funnel)
            }

            /// Writes the stored form to a file, which appears, or replaces another, when it is complete. Needs the feature
            /// `save`.
            ///
            /// # Errors
            ///
            /// [`Write`](crate::ErrorKind::Write), with the name of the file.
            #[cfg(feature = "save")]
            pub fn save(&self, path: impl AsRef<std::path::Path>) -> Result<(), crate::error::Error> {
                crate::envelope::save(self, path.as_ref())
            }

            /// Reads a file that holds the stored form. Needs the feature `std`.
            ///
            /// # Errors
            ///
            /// [`NotFound`](crate::ErrorKind::NotFound) and the errors of [`from_bytes`](Self::from_bytes), with the name of the
            /// file.
            #[cfg(feature = "std")]
            pub fn open(path: impl AsRef<std::path::Path> $(, $argument: $type)?) -> Result<Self, crate::error::Error> {
                crate::envelope::open(path.as_ref(), $funnel)
            }

            /// Returns the length of the stored form in bytes.
            pub fn stored_len(&self) -> u64 {
                crate::envelope::Stored::stored_len(self)
            }
        }
    };
}
pub(crate) use stored;

/// The methods around the form of another program, which is what the envelope holds. Reading takes `$argument`, and makes the
/// funnel of it.
macro_rules! foreign {
    (
        [$($generics:tt)*] $filter:ty, ($($argument:ident: $type:ty)?), $funnel:expr,
        $what:literal, $to:ident, $from:ident, $write:ident, $read:ident
    ) => {
        impl<$($generics)*> $filter {
            #[doc = concat!("Returns ", $what, ".")]
            #[must_use]
            pub fn $to(&self) -> alloc::vec::Vec<u8> {
                crate::envelope::collected(self, crate::envelope::write_bare)
            }

            #[doc = concat!("Reads ", $what, "; trailing bytes are an error.")]
            /// Damaged bits go unnoticed, and so does another hash than the writer's: the form of [`to_bytes`](Self::to_bytes) has
            /// a checksum and names the hash.
            ///
            /// # Errors
            ///
            /// [`Error`](crate::Error) names the fault in the header, or the number of missing bytes. Bytes that begin like another
            /// form are named.
            pub fn $from(mut bytes: &[u8] $(, $argument: $type)?) -> Result<Self, crate::error::Error> {
                let mut reader = crate::envelope::Reader::plain(&mut bytes);
                let filter = Self::read(&mut reader, $funnel)?;
                reader.end()?;
                Ok(filter)
            }

            #[doc = concat!("Writes ", $what, ", in pieces of 64 KiB, without a copy of the filter. Does not flush.")]
            /// Needs the feature `std`.
            ///
            /// Of a filter for many threads, it has all, some or none of the bits of keys that others insert meanwhile.
            ///
            /// # Errors
            ///
            /// The errors of the writer.
            #[cfg(feature = "std")]
            pub fn $write(&self, mut writer: impl std::io::Write) -> std::io::Result<()> {
                crate::envelope::write_bare(self, &mut |bytes| writer.write_all(bytes))
            }

            #[doc = concat!("Reads ", $what, ", and nothing after it.")]
            /// The first fields are read one by one: wrap a file in a `BufReader`. Needs the feature `std`.
            ///
            /// Memory is allocated as bytes arrive: at most a buffer of 64 KiB and three times the bytes read, whatever
            /// they claim.
            ///
            /// # Errors
            ///
            /// The errors of the reader, and those of reading a slice.
            #[cfg(feature = "std")]
            pub fn $read(reader: impl std::io::Read $(, $argument: $type)?) -> Result<Self, crate::error::Error> {
                let mut stream = crate::envelope::Stream(reader);
                Self::read(&mut crate::envelope::Reader::plain(&mut stream), $funnel)
            }
        }
    };
}
pub(crate) use foreign;

/// The removal of hashed keys, for filters with a method `remove_raw`.
macro_rules! removal {
    ($filter:ident) => {
        impl<F> $filter<F> {
            /// Removes a key that is hashed already, like [`remove`](Self::remove).
            ///
            /// # Errors
            ///
            /// [`Incompatible`](crate::ErrorKind::Incompatible) if the hash was made with a funnel that is not equal to this
            /// filter's. Nothing is removed then, and the key may be in the filter.
            pub fn remove_hashed(
                &mut self,
                hash: &crate::funnel::Hashed<F>,
            ) -> Result<bool, crate::error::Error>
            where
                F: PartialEq,
            {
                let hash = self.own(hash)?;
                Ok(self.remove_raw(hash))
            }
        }
    };
}
pub(crate) use removal;

/// The constructor by capacity and rate.
macro_rules! with_capacity {
    ([$($f:ident)?] $filter:ty, ($($funnel:ident: $type:ty)?), |$capacity:ident, $rate:ident| $new:expr) => {
        impl<$($f)?> $filter {
            /// Creates an empty filter for this many keys at this false-positive rate: [`new`](Self::new) with the `new` of the
            /// parameters, and with the fast hash unless a funnel is given or the format has its own.
            ///
            /// # Errors
            ///
            /// The errors of both.
            pub fn with_capacity($($funnel: $type,)? $capacity: u64, $rate: f64) -> Result<Self, crate::error::Error> {
                $new
            }
        }
    };
}
pub(crate) use with_capacity;
