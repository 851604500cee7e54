//! The errors outside the callbacks, which themselves have an answer in every case.

/// The reason why a policy could not be handed to LevelDB.
///
/// | error | what to do |
/// |---|---|
/// | [`NulInName`](Self::NulInName) | give the policy a name without a NUL |
/// | [`NoMemory`](Self::NoMemory) | open the database without filters, or later |
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The policy's name holds a NUL, at which it would end for C.
    #[error("policy name must have no NUL, got {name:?} with one at byte {position}")]
    NulInName {
        /// The name.
        name: String,
        /// The position of the first NUL in the name, in bytes.
        position: usize,
    },
    /// The allocator refused the memory for a policy.
    #[error("cannot allocate memory for a policy")]
    NoMemory,
}
