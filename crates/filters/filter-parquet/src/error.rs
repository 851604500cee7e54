//! Errors of reading a Parquet file.

/// The paths that follow from the schema have at most so many bytes for a byte of the footer: names that many columns
/// share would otherwise need the square of its length.
pub(crate) const PATH_BYTES: usize = 64;

/// The reason why a Parquet file or a filter of it was not read; `E` is the error type of the reader.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error<E> {
    /// The reader could not determine the size.
    #[error("cannot determine the size of the file: {0}")]
    Size(#[source] E),
    /// The reader could not provide the bytes.
    #[error("cannot read {len} bytes at offset {offset}: {source}")]
    Read {
        /// The offset in the file.
        offset: u64,
        /// The number of bytes requested.
        len: usize,
        /// The reader's error.
        source: E,
    },
    /// No memory is left for this many bytes.
    #[error("cannot allocate {bytes} bytes")]
    AllocationFailed {
        /// The number of bytes.
        bytes: usize,
    },
    /// The file does not end like a Parquet file.
    #[error("not a Parquet file")]
    NotParquet,
    /// The file begins like a Parquet file, but does not end like one.
    #[error(
        "begins with PAR1 or PARE like a Parquet file, but does not end so: it was cut, or is not complete yet"
    )]
    Cut,
    /// The whole footer is encrypted.
    #[error("the footer is encrypted, and is not read")]
    EncryptedFooter,
    /// The footer would begin before the file.
    #[error("the footer must fit into the file of {size} bytes, got {len} bytes")]
    FooterLength {
        /// The stated length.
        len: u32,
        /// The size of the file.
        size: u64,
    },
    /// The footer cannot be read.
    #[error(transparent)]
    Footer(#[from] FooterError),
    /// The filter belongs to an encrypted column.
    #[error("encrypted")]
    Encrypted,
    /// The filter would begin after the file.
    #[error("the filter's offset must be between 0 and {size}, the length of the file, got {offset}")]
    FilterOffset {
        /// The stated offset.
        offset: u64,
        /// The size of the file.
        size: u64,
    },
    /// The header of a filter is damaged, or names what this crate does not know.
    #[error("the filter at offset {offset}: {source}")]
    FilterHeader {
        /// The offset of the filter.
        offset: u64,
        /// The error of the header.
        source: filter_policy::Error,
    },
    /// A filter would end after the file.
    #[error("the filter at offset {offset}: it must end in the file, got {needed} bytes of {rest}")]
    FilterEnd {
        /// The offset of the filter.
        offset: u64,
        /// The length of the filter with its header.
        needed: u64,
        /// The number of bytes up to the end of the file.
        rest: u64,
    },
    /// The header of a filter contradicts the footer.
    #[error(
        "the filter at offset {offset}: its length must be {stated} bytes as in the footer, got {needed}"
    )]
    FilterLength {
        /// The offset of the filter.
        offset: u64,
        /// The length that the footer states.
        stated: i64,
        /// The length of the filter with its header.
        needed: u64,
    },
    /// Two filters share bytes of the file.
    #[error("the filter at offset {offset}: it overlaps the one at offset {other}, and is not read")]
    Overlap {
        /// The offset of the filter.
        offset: u64,
        /// The offset of the other filter.
        other: u64,
    },
}

impl<E> Error<E> {
    /// Returns true if bytes of the file contradict each other. Otherwise the file may be intact, but was not read: it is
    /// encrypted or of another writer, or the system refused it.
    pub const fn is_damage(&self) -> bool {
        use filter_policy::Error::UnknownToParquet;

        match self {
            Self::FilterHeader { source, .. } => !matches!(source, UnknownToParquet { .. }),
            Self::Footer(error) => matches!(error, FooterError::Damaged { .. }),
            Self::FooterLength { .. }
            | Self::FilterOffset { .. }
            | Self::FilterEnd { .. }
            | Self::FilterLength { .. }
            | Self::Overlap { .. } => true,
            Self::Size(_)
            | Self::Read { .. }
            | Self::AllocationFailed { .. }
            | Self::NotParquet
            | Self::Cut
            | Self::EncryptedFooter
            | Self::Encrypted => false,
        }
    }
}

/// The reason why a footer cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FooterError {
    /// The footer is not what the format says.
    #[error("the footer is damaged at byte {at} of {len}: {reason}")]
    Damaged {
        /// The place in the footer.
        at: usize,
        /// The length of the footer.
        len: usize,
        /// A description of the damage.
        reason: &'static str,
    },
    /// The columns have no paths of their own, and those that follow from the schema need too much memory.
    #[error(
        "the paths of columns must have at most {allowed} bytes, {} times those of the footer",
        PATH_BYTES
    )]
    LongPaths {
        /// The number of bytes that are allowed.
        allowed: usize,
    },
}
