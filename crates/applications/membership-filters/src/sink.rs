//! Receivers of the bytes of keys: Guava's `PrimitiveSink`.

use alloc::vec::Vec;

/// Methods that take numbers.
macro_rules! numbers {
    ($($(#[$doc:meta])* $put:ident of $number:ty;)*) => {$(
        $(#[$doc])*
        #[inline]
        fn $put(&mut self, value: $number) {
            self.put_bytes(&value.to_le_bytes());
        }
    )*};
}

/// A receiver of the bytes of a key: Guava's `PrimitiveSink`. Numbers are encoded little-endian.
///
/// ```
/// use membership_filters::Sink;
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
