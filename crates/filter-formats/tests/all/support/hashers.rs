//! Hash functions of another crate, for LevelDB's layout.

use filter_policy::hashers::KeyHasher;

/// A function that kernels do not know, with a seed that its name does not tell.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seeded(pub(crate) u32);

impl KeyHasher for Seeded {
    fn hash(&self, key: &[u8]) -> u32 {
        let step = |hash: u32, &byte: &u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        key.iter().fold(self.0, step)
    }

    fn policy_name(&self) -> &str {
        "test.Seeded"
    }
}
