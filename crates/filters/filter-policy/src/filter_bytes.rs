//! The part of a buffer that a filter was written to.

use core::fmt;
use core::ops::Deref;

/// A filter at the start of the caller's buffer, as policies return it: the part that was written, and nothing after it.
///
/// Store these bytes. The whole buffer is another filter if it is longer, and denies stored keys. A call that drops the
/// result is a warning of the compiler:
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// use filter_policy::{BloomFilterPolicy, FilterPolicy};
///
/// let mut buffer = [0; 64];
/// BloomFilterPolicy::new(10.into()).create_filter(&[b"apple"], &mut buffer)?;
/// # Ok::<(), filter_policy::Error>(())
/// ```
#[must_use = "only the part of the buffer that was written is the filter"]
pub struct FilterBytes<'out>(&'out mut [u8]);

impl<'out> From<&'out mut [u8]> for FilterBytes<'out> {
    /// Takes the part of a buffer that a policy has written.
    fn from(written: &'out mut [u8]) -> Self {
        Self(written)
    }
}

impl Deref for FilterBytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0
    }
}

impl AsRef<[u8]> for FilterBytes<'_> {
    fn as_ref(&self) -> &[u8] {
        self.0
    }
}

impl<B: AsRef<[u8]>> PartialEq<B> for FilterBytes<'_> {
    fn eq(&self, other: &B) -> bool {
        *self.0 == *other.as_ref()
    }
}

impl fmt::Debug for FilterBytes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
