//! A funnel with a field that changes its bytes, so that two of the same type can differ.

use membership_filters::{Encoding, Funnel, Hashing, Murmur3, Sink};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Salted(pub(crate) u32);

impl Hashing for Salted {
    type Function = Murmur3;

    fn encoding(&self) -> Encoding {
        Encoding::custom(&format!("salt {}", self.0))
    }
}

impl Funnel<str> for Salted {
    fn funnel<S: Sink>(&self, from: &str, into: &mut S) {
        into.put_i32(self.0.cast_signed());
        into.put_str(from);
    }
}
