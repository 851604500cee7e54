//! Guava's funnels, which determine the bytes of an element that are hashed.
//!
//! Knows nothing of filters.

use alloc::vec::Vec;

use hashzoo::Murmur3X64_128;

use crate::hash::Hash128;

/// A receiver of the bytes of an element: Guava's `PrimitiveSink`. Numbers are encoded little-endian.
///
/// ```
/// use guava_bloom::Sink;
///
/// let mut bytes = Vec::new();
/// bytes.put_i32(1);
/// bytes.put_str("Ada");
/// assert_eq!(bytes, b"\x01\0\0\0Ada");
/// ```
pub trait Sink {
    /// Takes bytes unchanged.
    fn put_bytes(&mut self, bytes: &[u8]);

    /// Takes a byte, as `putByte` does.
    #[inline]
    fn put_u8(&mut self, byte: u8) {
        self.put_bytes(&[byte]);
    }

    /// Takes a truth value as a byte, 1 for true, as `putBoolean` does.
    #[inline]
    fn put_bool(&mut self, value: bool) {
        self.put_u8(value.into());
    }

    /// Takes a number of two bytes, as `putShort` does.
    #[inline]
    fn put_i16(&mut self, value: i16) {
        self.put_bytes(&value.to_le_bytes());
    }

    /// Takes a UTF-16 code unit, two bytes, as `putChar` does.
    #[inline]
    fn put_utf16_unit(&mut self, unit: u16) {
        self.put_bytes(&unit.to_le_bytes());
    }

    /// Takes a number of four bytes, as `putInt` does.
    #[inline]
    fn put_i32(&mut self, value: i32) {
        self.put_bytes(&value.to_le_bytes());
    }

    /// Takes a number of eight bytes, as `putLong` does.
    #[inline]
    fn put_i64(&mut self, value: i64) {
        self.put_bytes(&value.to_le_bytes());
    }

    /// Takes a number of four bytes, as `putFloat` does. A NaN keeps its payload.
    #[inline]
    fn put_f32(&mut self, value: f32) {
        self.put_bytes(&value.to_le_bytes());
    }

    /// Takes a number of eight bytes, as `putDouble` does. A NaN keeps its payload.
    #[inline]
    fn put_f64(&mut self, value: f64) {
        self.put_bytes(&value.to_le_bytes());
    }

    /// Takes the bytes of a text without its length, as `putString(text, UTF_8)` does.
    #[inline]
    fn put_str(&mut self, text: &str) {
        self.put_bytes(text.as_bytes());
    }

    /// Takes UTF-16 code units, two bytes each, as `putUnencodedChars` does.
    fn put_utf16_units(&mut self, units: impl IntoIterator<Item = u16>)
    where
        Self: Sized,
    {
        let mut buffer = [0; PIECE];
        let mut units = units.into_iter();
        loop {
            let (places, _) = buffer.as_chunks_mut();
            let mut filled = 0;
            for (place, unit) in places.iter_mut().zip(&mut units) {
                *place = unit.to_le_bytes();
                filled += place.len();
            }
            self.put_bytes(buffer.get(..filled).unwrap_or_default());
            if filled < PIECE {
                return;
            }
        }
    }

    /// Takes a Java string as UTF-8, as `putString(text, UTF_8)` does: a pair of surrogates becomes one character, and
    /// an unpaired surrogate becomes `?`, as in Java's encoder.
    fn put_utf16_as_utf8(&mut self, units: &[u16])
    where
        Self: Sized,
    {
        for character in char::decode_utf16(units.iter().copied()) {
            let mut buffer = [0; 4];
            self.put_str(character.unwrap_or('?').encode_utf8(&mut buffer));
        }
    }
}

/// The size in bytes of the buffer between a text and the hash.
const PIECE: usize = 128;

impl Sink for Vec<u8> {
    fn put_bytes(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// A sink that hashes the bytes.
#[derive(Debug, Clone)]
struct Hasher(Murmur3X64_128);

impl Sink for Hasher {
    #[inline]
    fn put_bytes(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }
}

/// A rule that turns elements of type `T` into bytes to hash: Guava's `Funnel`. Two programs can share a filter only if
/// their funnels give the same bytes for the same element.
///
/// A custom type needs only the method that puts its fields into the sink:
///
/// ```
/// use guava_bloom::{BloomFilter, Funnel, Parameters, Sink};
///
/// struct Person {
///     id: i32,
///     name: String,
/// }
///
/// #[derive(Debug, Clone, Copy, PartialEq)]
/// struct PersonFunnel;
///
/// impl Funnel<Person> for PersonFunnel {
///     fn funnel<S: Sink>(&self, person: &Person, into: &mut S) {
///         into.put_i32(person.id);
///         into.put_str(&person.name);
///     }
/// }
///
/// let mut people = BloomFilter::new(PersonFunnel, &Parameters::new(100, 0.01)?)?;
/// let ada = Person { id: 1, name: "Ada".to_owned() };
/// assert!(people.insert(&ada));
/// assert!(people.might_contain(&ada));
/// # Ok::<(), guava_bloom::Error>(())
/// ```
pub trait Funnel<T: ?Sized> {
    /// Puts the bytes that make up the element into the sink.
    fn funnel<S: Sink>(&self, from: &T, into: &mut S);

    /// Returns the hash of these bytes. A funnel that has them in one slice may override this with `Hash128::of`, which
    /// returns the same value.
    #[inline]
    fn hash(&self, from: &T) -> Hash128 {
        let mut hasher = Hasher(Murmur3X64_128::new(0));
        self.funnel(from, &mut hasher);
        hasher.0.finish().into()
    }
}

/// A Java string as its UTF-16 code units, for strings with unpaired surrogates, which a Rust string cannot hold.
///
/// [`Utf8`] and [`Utf16Units`] accept it as well as Rust's strings.
///
/// ```
/// use guava_bloom::{Funnel, Hash128, Utf8, Utf16, Utf16Units};
///
/// let lone_surrogate = Utf16(&[0x61, 0xd800]);
/// assert_eq!(Utf8.hash(&lone_surrogate), Hash128::of(b"a?"));
/// assert_eq!(Utf16Units.hash(&lone_surrogate), Hash128::of(b"\x61\0\0\xd8"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Utf16<'a>(pub &'a [u16]);

/// The funnel for strings as UTF-8: Guava's `Funnels.stringFunnel(StandardCharsets.UTF_8)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Utf8;

impl<T: AsRef<str> + ?Sized> Funnel<T> for Utf8 {
    #[inline]
    fn funnel<S: Sink>(&self, from: &T, into: &mut S) {
        into.put_str(from.as_ref());
    }

    #[inline]
    fn hash(&self, from: &T) -> Hash128 {
        Hash128::of(from.as_ref().as_bytes())
    }
}

impl Funnel<Utf16<'_>> for Utf8 {
    fn funnel<S: Sink>(&self, from: &Utf16<'_>, into: &mut S) {
        into.put_utf16_as_utf8(from.0);
    }
}

/// The funnel for strings as UTF-16 code units, two bytes each: Guava's `Funnels.unencodedCharsFunnel()`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Utf16Units;

impl<T: AsRef<str> + ?Sized> Funnel<T> for Utf16Units {
    #[inline]
    fn funnel<S: Sink>(&self, from: &T, into: &mut S) {
        into.put_utf16_units(from.as_ref().encode_utf16());
    }
}

impl Funnel<Utf16<'_>> for Utf16Units {
    #[inline]
    fn funnel<S: Sink>(&self, from: &Utf16<'_>, into: &mut S) {
        into.put_utf16_units(from.0.iter().copied());
    }
}

macro_rules! number_funnels {
    ($($(#[$doc:meta])* $funnel:ident of $number:ident by $put:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
        pub struct $funnel;

        impl Funnel<$number> for $funnel {
            #[inline]
            fn funnel<S: Sink>(&self, from: &$number, into: &mut S) {
                into.$put(*from);
            }

            #[inline]
            fn hash(&self, from: &$number) -> Hash128 {
                Hash128::of(&from.to_le_bytes())
            }
        }

        impl Funnel<&$number> for $funnel {
            #[inline]
            fn funnel<S: Sink>(&self, from: &&$number, into: &mut S) {
                self.funnel(*from, into);
            }

            #[inline]
            fn hash(&self, from: &&$number) -> Hash128 {
                self.hash(*from)
            }
        }
    )*};
}

number_funnels! {
    /// The funnel for Java's `int`: Guava's `Funnels.integerFunnel()`.
    Integer of i32 by put_i32;
    /// The funnel for Java's `long`: Guava's `Funnels.longFunnel()`.
    Long of i64 by put_i64;
}

/// The funnel for bytes: Guava's `Funnels.byteArrayFunnel()`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bytes;

impl<T: AsRef<[u8]> + ?Sized> Funnel<T> for Bytes {
    #[inline]
    fn funnel<S: Sink>(&self, from: &T, into: &mut S) {
        into.put_bytes(from.as_ref());
    }

    #[inline]
    fn hash(&self, from: &T) -> Hash128 {
        Hash128::of(from.as_ref())
    }
}

/// The funnel for sequences, with another funnel for the elements: Guava's `Funnels.sequentialFunnel(elementFunnel)`.
///
/// Nothing separates the elements: under [`Utf8`], `["ab", "c"]` and `["a", "bc"]` are the same.
///
/// ```
/// use guava_bloom::{Funnel, Hash128, Sequence, Utf8};
///
/// assert_eq!(Sequence(Utf8).hash(&["ab", "c"]), Hash128::of(b"abc"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sequence<F>(pub F);

impl<F> Sequence<F> {
    /// Returns the hash of a sequence that is not in one slice, for `insert_hash` and `might_contain_hash`.
    ///
    /// ```
    /// use guava_bloom::{Funnel, Integer, Sequence};
    /// use std::collections::BTreeSet;
    ///
    /// let numbers = BTreeSet::from([1, 2, 3]);
    /// assert_eq!(Sequence(Integer).hash_all(&numbers), Sequence(Integer).hash(&[1, 2, 3]));
    /// ```
    pub fn hash_all<'a, T>(&self, elements: impl IntoIterator<Item = &'a T>) -> Hash128
    where
        T: ?Sized + 'a,
        F: Funnel<T>,
    {
        let mut hasher = Hasher(Murmur3X64_128::new(0));
        for element in elements {
            self.0.funnel(element, &mut hasher);
        }
        hasher.0.finish().into()
    }
}

impl<T, F: Funnel<T>> Funnel<[T]> for Sequence<F> {
    fn funnel<S: Sink>(&self, from: &[T], into: &mut S) {
        for element in from {
            self.0.funnel(element, into);
        }
    }
}

impl<T, F: Funnel<T>, const N: usize> Funnel<[T; N]> for Sequence<F> {
    fn funnel<S: Sink>(&self, from: &[T; N], into: &mut S) {
        self.funnel(from.as_slice(), into);
    }
}

impl<T, F: Funnel<T>> Funnel<Vec<T>> for Sequence<F> {
    fn funnel<S: Sink>(&self, from: &Vec<T>, into: &mut S) {
        self.funnel(from.as_slice(), into);
    }
}

impl<T, F: Funnel<T>> Funnel<&[T]> for Sequence<F> {
    fn funnel<S: Sink>(&self, from: &&[T], into: &mut S) {
        self.funnel(*from, into);
    }
}
