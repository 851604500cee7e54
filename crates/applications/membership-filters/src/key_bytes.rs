//! A buffer for the bytes of a key: Guava's `PrimitiveSink`.

use alloc::vec::Vec;
use core::ops::Deref;

/// The length of the longest keys that need no memory from the heap.
const SHORT: usize = 128;

/// Methods that take numbers.
macro_rules! numbers {
    ($($(#[$doc:meta])* $put:ident of $number:ty;)*) => {$(
        $(#[$doc])*
        #[inline]
        pub fn $put(&mut self, value: $number) {
            self.put_bytes(&value.to_le_bytes());
        }
    )*};
}

/// The bytes of a key that a [`Funnel`](crate::Funnel) puts together: Guava's `PrimitiveSink`. Numbers are encoded
/// little-endian. Keys of up to 128 bytes need no memory from the heap.
///
/// ```
/// use membership_filters::KeyBytes;
///
/// let mut bytes = KeyBytes::new();
/// bytes.put_i32(1);
/// bytes.put_str("Ada");
/// assert_eq!(*bytes, *b"\x01\0\0\0Ada");
/// ```
#[derive(Debug, Clone)]
pub struct KeyBytes {
    short: [u8; SHORT],
    /// All bytes, if they do not fit into `short`.
    long: Vec<u8>,
    len: usize,
}

impl KeyBytes {
    /// Returns a buffer without bytes.
    #[inline]
    #[must_use]
    pub const fn new() -> Self {
        Self {
            short: [0; SHORT],
            long: Vec::new(),
            len: 0,
        }
    }

    /// Takes bytes unchanged.
    #[inline]
    pub fn put_bytes(&mut self, bytes: &[u8]) {
        let end = self.len + bytes.len();
        match self.short.get_mut(self.len..end) {
            Some(places) => places.copy_from_slice(bytes),
            None => self.put_long(bytes),
        }
        self.len = end;
    }

    #[cold]
    fn put_long(&mut self, bytes: &[u8]) {
        if self.long.is_empty() {
            let short = self.short.get(..self.len).unwrap_or_default();
            // Room for most keys, so that memory is allocated once.
            self.long.reserve(8 * SHORT);
            self.long.extend_from_slice(short);
        }
        self.long.extend_from_slice(bytes);
    }

    /// Takes a byte, as `putByte` does.
    #[inline]
    pub fn put_u8(&mut self, byte: u8) {
        self.put_bytes(&[byte]);
    }

    /// Takes a truth value as a byte, 1 for true, as `putBoolean` does.
    #[inline]
    pub fn put_bool(&mut self, value: bool) {
        self.put_u8(value.into());
    }

    numbers! {
        /// Takes a number of two bytes, as `putShort` does.
        put_i16 of i16;
        /// Takes a UTF-16 code unit, two bytes, as `putChar` does.
        put_utf16_unit of u16;
        /// Takes a number of four bytes, as `putInt` does.
        put_i32 of i32;
        /// Takes a number of eight bytes, as `putLong` does.
        put_i64 of i64;
        /// Takes the four bytes of a number, as `putFloat` does. Numbers with different bits are different keys: 0.0 is not
        /// -0.0, and a NaN is another NaN only with the same sign and payload. If your keys are numbers and not bits, put
        /// `value + 0.0`, which turns -0.0 into 0.0, and `f32::NAN` for every NaN.
        put_f32_bits of f32;
        /// Takes the eight bytes of a number, as `putDouble` does, by the rule of [`put_f32_bits`](Self::put_f32_bits).
        put_f64_bits of f64;
    }

    /// Takes the bytes of a text without its length, as `putString(text, UTF_8)` does.
    #[inline]
    pub fn put_str(&mut self, text: &str) {
        self.put_bytes(text.as_bytes());
    }

    /// Takes UTF-16 code units, two bytes each, as `putUnencodedChars` does.
    #[inline]
    pub fn put_utf16_units(&mut self, units: impl IntoIterator<Item = u16>) {
        let mut units = units.into_iter();
        self.fill(&mut units);
        while let Some(unit) = units.next() {
            let mut piece = Self::new();
            piece.put_utf16_unit(unit);
            piece.fill(&mut units);
            self.put_bytes(&piece);
        }
    }

    /// Takes as many units as need no memory from the heap.
    #[inline]
    fn fill(&mut self, units: &mut impl Iterator<Item = u16>) {
        let mut len = self.len;
        let (places, _) = self.short.get_mut(len..).unwrap_or_default().as_chunks_mut();
        for (place, unit) in places.iter_mut().zip(units) {
            *place = unit.to_le_bytes();
            len += place.len();
        }
        self.len = len;
    }

    /// Takes a Java string as UTF-8, as `putString(text, UTF_8)` does: a pair of surrogates becomes one character, and
    /// an unpaired surrogate becomes `?`, as in Java's encoder.
    pub(crate) fn put_utf16_as_utf8(&mut self, units: &[u16]) {
        for character in char::decode_utf16(units.iter().copied()) {
            let mut buffer = [0; 4];
            self.put_str(character.unwrap_or('?').encode_utf8(&mut buffer));
        }
    }
}

impl Default for KeyBytes {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for KeyBytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.short.get(..self.len).unwrap_or(&self.long)
    }
}
