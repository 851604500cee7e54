//! A Bloom filter in LevelDB's layout with a 64-bit hash and probes that are as good as independent.

mod policy;
mod probes;
mod view;

pub use policy::BloomFilter64Policy;
pub(crate) use probes::probes_for;
pub use view::{BloomFilter64View, HashedKey64};
