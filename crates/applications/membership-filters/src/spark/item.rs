//! The keys of Spark's filters, and their funnel.

use alloc::string::String;
use alloc::vec::Vec;

use crate::funnel::sliced;
use crate::hash::{Encoding, Hash128, Hashing, SparkMurmur3, spark_hash};
use crate::key::{Key, Utf16};

/// A key of Spark's filters: an integer, which is widened to a `long`; a string, as UTF-8; or bytes.
///
/// A string and its UTF-8 bytes are the same key. A number and its decimal text are not.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no key of Spark's filters",
    note = "keys are text, bytes, and the integers `i8` to `i64`, as in Spark: convert other integers first, such as `u64` by \
            `cast_signed()`, and make text or bytes of a tuple"
)]
pub trait Item: Key {}

impl<T: Item + ?Sized> Item for &T {}
impl<const N: usize> Item for [u8; N] {}
impl Item for Utf16<'_> {}

macro_rules! items {
    ($($item:ty)*) => {$(
        impl Item for $item {}
    )*};
}

items!(i8 i16 i32 i64 [u8] Vec<u8> str String);

/// The funnel of Spark's filters: its hash under a seed. A filter with another seed answers that it might contain a key that
/// is hashed under this one, and refuses to insert it.
///
/// ```
/// use membership_filters::{Hash128, spark::ItemBytes};
///
/// // Two hashes of 32 bits: the second half is that under the first.
/// let hash = Hash128::of_key(&ItemBytes { seed: 0 }, "hello");
/// assert_eq!(hash.h1 as u32, 0xb21f6e00);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ItemBytes {
    /// The seed; Spark's default is 0.
    pub seed: i32,
}

impl Hashing for ItemBytes {
    type Function = SparkMurmur3;

    fn encoding(&self) -> Encoding {
        Encoding::BYTES.seeded(self.seed)
    }

    #[inline]
    fn hash_bytes(&self, bytes: &[u8]) -> Hash128 {
        spark_hash(bytes, self.seed)
    }
}

sliced!(ItemBytes, [T: Item + ?Sized] T, |from, then| from.with_bytes(|bytes: &[u8]| then.take(bytes)));
