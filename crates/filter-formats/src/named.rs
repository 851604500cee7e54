//! A row of the list of policies.

use alloc::boxed::Box;

use filter_policy::{BitsPerKey, FilterPolicy};

use crate::view::Format;

/// A boxed policy of any type.
pub type AnyPolicy = Box<dyn FilterPolicy + Send + Sync>;

/// A row of the list of policies: the names, the stored format, and what builds it.
#[derive(Debug, Clone, Copy)]
pub struct NamedPolicy {
    pub(crate) name: &'static str,
    pub(crate) short_names: &'static [&'static str],
    pub(crate) format: Format,
    pub(crate) building: u64,
    pub(crate) new: fn(BitsPerKey) -> AnyPolicy,
}

impl NamedPolicy {
    /// Returns the policy's [`name`](FilterPolicy::name).
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the names by which people choose the policy, at least one. Messages show the first.
    pub const fn short_names(&self) -> &'static [&'static str] {
        self.short_names
    }

    /// Returns the format of the policy's filters.
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Returns the bytes of memory for each key that building takes beside the hash values and the filter.
    pub const fn building_bytes_per_key(&self) -> u64 {
        self.building
    }

    /// Makes the policy with this many bits per key.
    pub fn policy(&self, bits_per_key: BitsPerKey) -> AnyPolicy {
        (self.new)(bits_per_key)
    }
}
