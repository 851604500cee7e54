//! Code shared by the filters: checks of stored fields, and public methods. `FORMAT.md` describes the formats.

use core::fmt;

use crate::error::{Error, ErrorKind};

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

/// The methods around the funnel and hashed keys, for filters with a method `contains_raw`.
macro_rules! keyed {
    ($filter:ident) => {
        impl<F> $filter<F> {
            /// Returns the hash of a key, for filters whose funnels are equal to this one's.
            #[inline]
            #[must_use]
            pub fn hash<T: ?Sized>(&self, key: &T) -> crate::funnel::Hashed<F>
            where
                F: crate::funnel::Funnel<T> + Clone,
            {
                crate::funnel::Hashed::new(self.funnel.clone(), key)
            }

            /// Returns whether a key that is hashed already seems to be in the filter. The answer is true for a hash that was
            /// made with a funnel that is not equal to this filter's.
            #[inline]
            #[must_use]
            pub fn contains_hashed(&self, hash: &crate::funnel::Hashed<F>) -> bool
            where
                F: PartialEq,
            {
                hash.under(&self.funnel)
                    .is_none_or(|hash| self.contains_raw(hash))
            }

            /// Returns the hash without its funnel, if that is this filter's.
            #[inline]
            pub(crate) fn own(
                &self,
                hash: &crate::funnel::Hashed<F>,
            ) -> Result<crate::hash::Hash128, crate::error::Error>
            where
                F: PartialEq,
            {
                hash.under(&self.funnel)
                    .ok_or_else(crate::error::Error::other_funnel)
            }

            /// Returns the funnel that the filter was made with.
            pub const fn funnel(&self) -> &F {
                &self.funnel
            }
        }
    };
}
pub(crate) use keyed;

/// The methods that every filter has: the query of a key, the insertion of a hash, which `$insert` does and which returns
/// `$new`, and those around the stored form.
macro_rules! common {
    ($filter:ident, |$this:ident, $hash:ident| -> $new:ty { $($insert:tt)* }) => {
        crate::stored::keyed!($filter);

        impl<F> $filter<F> {
            /// Inserts a key that is hashed already, like [`insert`](Self::insert).
            ///
            /// # Errors
            ///
            /// The errors of [`insert`](Self::insert), and [`Incompatible`](crate::ErrorKind::Incompatible) if the hash was made
            /// with a funnel that is not equal to this filter's. Nothing is inserted then.
            #[inline]
            pub fn insert_hashed(
                &mut self,
                hash: &crate::funnel::Hashed<F>,
            ) -> Result<$new, crate::error::Error>
            where
                F: PartialEq,
            {
                let ($hash, $this) = (self.own(hash)?, self);
                $($insert)*
            }

            /// Returns true if the key seems to be in the filter. True is wrong with about the probability that
            /// [`stats`](Self::stats) gives; false is certain.
            #[inline]
            #[must_use]
            pub fn contains<T: ?Sized>(&self, item: &T) -> bool
            where
                F: crate::funnel::Funnel<T>,
            {
                self.contains_raw(crate::hash::Hash128::of_key(&self.funnel, item))
            }
        }

        impl<F: crate::funnel::Hashing> $filter<F> {
            /// Returns the stored form, as [`format`](crate::format) describes it.
            #[must_use]
            pub fn to_bytes(&self) -> alloc::vec::Vec<u8> {
                crate::envelope::to_bytes(self)
            }

            /// Reads the filter from its stored form; trailing bytes are an error.
            ///
            /// # Errors
            ///
            /// [`Incompatible`](crate::ErrorKind::Incompatible) if the filter was written with a funnel of another hash;
            /// [`Error`](crate::Error) otherwise names the fault in the bytes.
            pub fn from_bytes(bytes: &[u8], funnel: F) -> Result<Self, crate::error::Error> {
                crate::envelope::from_bytes(bytes, funnel)
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
            /// [`Error`](crate::Error) names the fault in the bytes, or the error of the reader.
            #[cfg(feature = "std")]
            pub fn read_from(reader: impl std::io::Read, funnel: F) -> Result<Self, crate::error::Error> {
                crate::envelope::read_from(reader, funnel)
            }

            /// Returns the length of the stored form in bytes.
            pub fn stored_len(&self) -> u64 {
                crate::envelope::Stored::stored_len(self)
            }
        }
    };
}
pub(crate) use common;

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
