//! The errors outside the callbacks, which themselves have an answer in every case.

use core::fmt;

/// The reason why a policy could not be handed to LevelDB.
///
/// | error | what to do |
/// |---|---|
/// | [`NulInName`](Self::NulInName) | give the policy a name without a NUL |
/// | [`NoMemory`](Self::NoMemory) | open the database without filters, or later |
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The policy's name holds a NUL, at which it would end for C.
    NulInName {
        /// The name.
        name: String,
        /// The position of the first NUL in the name, in bytes.
        position: usize,
    },
    /// The allocator refused the memory for a policy.
    NoMemory,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NulInName { name, position } => {
                write!(
                    f,
                    "policy name must have no NUL, got {name:?} with one at byte {position}"
                )
            }
            Self::NoMemory => write!(f, "cannot allocate memory for a policy"),
        }
    }
}

impl core::error::Error for Error {}
