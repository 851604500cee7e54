//! The error type of builders and sizing functions.

/// The reason why a filter could not be built or a size could not be computed.
///
/// Querying stored filters never fails: any bytes have an answer.
///
/// | error | what to do |
/// |---|---|
/// | [`Policy`](Self::Policy) | see the reason; an engine stores `MATCHES_EVERYTHING` |
/// | [`BitsPerKeyNotANumber`](Self::BitsPerKeyNotANumber), [`BitsPerKeyOutOfRange`](Self::BitsPerKeyOutOfRange), [`OutOfDomain`](Self::OutOfDomain) | correct the argument |
/// | [`FilterTooLarge`](Self::FilterTooLarge), [`FilterBlockTooLarge`](Self::FilterBlockTooLarge) | fewer keys a filter, or fewer bits per key |
/// | [`BufferTooShort`](Self::BufferTooShort) | `max_filter_len` bytes are always enough |
/// | [`TooFewAnswers`](Self::TooFewAnswers) | `Answers::words_for` words are enough |
/// | [`AllocationFailed`](Self::AllocationFailed) | an engine stores `MATCHES_EVERYTHING` and goes on |
/// | [`RateUnreachable`](Self::RateUnreachable) | another format, or the rate that it names |
/// | [`KeyBeforeBlock`](Self::KeyBeforeBlock), [`BlockOffsetWentBack`](Self::BlockOffsetWentBack) | call the filter block's builder in file order |
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A policy's own reason why it cannot build a filter.
    #[error("{reason}")]
    Policy {
        /// The reason, as a sentence without a full stop.
        reason: &'static str,
    },
    /// The text is not a number of bits per key.
    #[error("bits per key must be a number such as 10 or 9.6")]
    BitsPerKeyNotANumber,
    /// The bits per key are not a number from 0 to 4,294,967,295.
    #[error("bits per key must be between 0 and {}, got {given}", u32::MAX)]
    BitsPerKeyOutOfRange {
        /// The value given.
        given: f64,
    },
    /// The filter would be larger than its format or this platform allows.
    #[error("filter must have at most {most} keys at {bits_per_key} bits per key, got {keys}")]
    FilterTooLarge {
        /// The number of keys.
        keys: u64,
        /// The highest number of keys at these bits per key.
        most: u64,
        /// The number of bits per key.
        bits_per_key: f64,
    },
    /// The caller's slice cannot hold the filter.
    #[error("buffer must be at least {needed} bytes, got {given}")]
    BufferTooShort {
        /// The length of the filter in bytes.
        needed: usize,
        /// The length of the slice in bytes.
        given: usize,
    },
    /// The caller's slice has too few words for the answers.
    #[error("answers must be at least {needed} words of 64 bits, got {given}")]
    TooFewAnswers {
        /// The number of words that the answers need.
        needed: usize,
        /// The number of words in the slice.
        given: usize,
    },
    /// The allocator refused the memory.
    #[error("cannot allocate {bytes} bytes")]
    AllocationFailed {
        /// The number of bytes requested.
        bytes: usize,
    },
    /// An argument of a sizing function lies outside its domain.
    #[error("{what} must be {allowed}, got {given}")]
    OutOfDomain {
        /// The name of the argument, in words.
        what: &'static str,
        /// The value given.
        given: f64,
        /// The allowed values, in words.
        allowed: &'static str,
    },
    /// No number of bits per key reaches the rate in this format.
    #[error(
        "false-positive rate must be at least {lowest:.3e} for this format and number of keys, got {given:e}"
    )]
    RateUnreachable {
        /// The requested false-positive rate.
        given: f64,
        /// The lowest rate that the format reaches for this number of keys.
        lowest: f64,
    },
    /// A key was added to a filter block before any data block was started.
    #[error("start_block must be called before add_key")]
    KeyBeforeBlock,
    /// A data block was started at a lower offset than the previous data block.
    #[error("data block offset must be at least {last}, the offset of the previous block, got {given}")]
    BlockOffsetWentBack {
        /// The offset that the caller gave.
        given: u64,
        /// The offset of the previous data block.
        last: u64,
    },
    /// The filter block would be too large for its 32-bit offsets.
    #[error("filter block must be at most {} bytes, got {bytes}", u32::MAX)]
    FilterBlockTooLarge {
        /// The length of the filter block in bytes.
        bytes: u64,
    },
}
