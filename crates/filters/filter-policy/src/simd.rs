//! Code for vectors: the kernels, their lanes, how one is chosen, and the functions that hash keys in lanes. It knows no
//! format.

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
pub(crate) mod aarch64;
pub(crate) mod bits;
pub(crate) mod choose;
pub(crate) mod compile;
pub(crate) mod hash;
pub(crate) mod kernel;
pub(crate) mod keys;
pub(crate) mod lanes;
pub(crate) mod modulus;
pub(crate) mod source;
pub(crate) mod stored_bits;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod tiles;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86_64;

pub(crate) use bits::MAX_PROBES;
pub use choose::KernelToken;
pub use compile::Lookup;
pub use kernel::Kernel;
pub use keys::{Keys, PackedKeys};
pub(crate) use source::LaneSource;
pub use source::{LaneHash, Source};
pub use stored_bits::StoredBits;
