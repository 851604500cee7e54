//! A funnel with a field that changes its bytes, so that two of the same type can differ.

use membership_filters::{Encoding, Funnel, Hashing, KeyBytes, Murmur3};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Salted(pub(crate) u32);

impl Hashing for Salted {
    type Function = Murmur3;

    fn encoding(&self) -> Encoding {
        Encoding::custom(&format!("salt {}", self.0))
    }
}

impl Funnel<str> for Salted {
    fn with_bytes<R>(&self, key: &str, then: impl FnOnce(&[u8]) -> R) -> R {
        let mut bytes = KeyBytes::new();
        bytes.put_i32(self.0.cast_signed());
        bytes.put_str(key);
        then(&bytes)
    }
}
