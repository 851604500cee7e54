//! Filters that were built apart, made one without being held in memory.
//!
//! Knows nothing of elements or funnels: a stream does not say its funnel.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use std::io::{self, Read, Write};

use crate::error::ReadError;
use crate::header::{StreamHeader, WORD};
use crate::serial::io::{PIECE_WORDS, fill};

/// Merges streams of filters by OR: the writer gets the stream of the one filter to which all their elements were put.
/// Returns the header that all of them have. Needs the feature `std`.
///
/// The streams are read side by side: memory is twice 64 KiB and the readers themselves, however large the filters are.
/// Readers need not be buffered. Merging is associative and merging again changes nothing, so that more files than a
/// process may hold open are merged in stages; filters that come one after the other, as in one pipe, are merged by
/// [`BloomFilter::read_from`](crate::BloomFilter::read_from) and [`BloomFilter::put_all`](crate::BloomFilter::put_all).
/// What follows a filter in its reader is left there. Does not flush.
///
/// The streams must stem from equal funnels. They do not say so, so that cannot be checked.
///
/// ```
/// use guava_bloom::{BloomFilter, Parameters, Utf8, merge_streams};
///
/// let parameters = Parameters::new(1000, 0.01)?;
/// let mut whole = BloomFilter::new(Utf8, &parameters)?;
/// let mut streams = Vec::new();
/// for fruit in ["apple", "pear", "plum"] {
///     let mut part = BloomFilter::new(Utf8, &parameters)?;
///     part.put(fruit);
///     whole.put(fruit);
///     streams.push(part.to_bytes());
/// }
///
/// let mut merged = Vec::new();
/// merge_streams(streams.iter().map(Vec::as_slice), &mut merged)?;
/// assert_eq!(merged, whole.to_bytes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`MergeError`] names the stream, counted from 0, and what is wrong with it. All headers are read and compared before the
/// first byte is written; an error behind them leaves a part of the result in the writer, which is then no filter.
pub fn merge_streams<R: Read>(
    streams: impl IntoIterator<Item = R>,
    mut writer: impl Write,
) -> Result<StreamHeader, MergeError> {
    let mut streams: Vec<R> = streams.into_iter().collect();
    let mut first = None;
    for (stream, reader) in streams.iter_mut().enumerate() {
        let found = StreamHeader::read_from(reader)
            .and_then(|header| header.validate().map(|_| header))
            .map_err(|error| MergeError::Read { stream, error })?;
        let first = *first.get_or_insert(found);
        if found != first {
            return Err(MergeError::Headers { stream, first, found });
        }
    }
    let header = first.ok_or(MergeError::NoStreams)?;
    writer.write_all(&header.to_bytes()).map_err(MergeError::Write)?;

    let total = u64::from(header.words.unsigned_abs()) * WORD as u64;
    let mut done = 0;
    let piece_len = usize::try_from(total).map_or(PIECE_WORDS * WORD, |total| total.min(PIECE_WORDS * WORD));
    let mut merged = vec![0; piece_len];
    let mut buffer = vec![0; piece_len];
    while done < total {
        let len = usize::try_from(total - done).map_or(piece_len, |left| left.min(piece_len));
        let merged = merged.get_mut(..len).unwrap_or_default();
        let piece = buffer.get_mut(..len).unwrap_or_default();
        merged.fill(0);
        for (stream, reader) in streams.iter_mut().enumerate() {
            let found = fill(reader, piece).map_err(|error| MergeError::Read { stream, error })?;
            if found < len {
                let found = done + found as u64;
                return Err(MergeError::Read {
                    stream,
                    error: ReadError::WordsCut { header, found },
                });
            }
            for (bits, &more) in merged.iter_mut().zip(&*piece) {
                *bits |= more;
            }
        }
        writer.write_all(merged).map_err(MergeError::Write)?;
        done += len as u64;
    }
    Ok(header)
}

/// Why streams were not merged. Streams are counted from 0, in the order in which they were given.
#[derive(Debug)]
#[non_exhaustive]
pub enum MergeError {
    /// No stream was given, so the result would have no size.
    NoStreams,
    /// A stream is not a filter, ends early, or its reader failed.
    Read {
        /// Which stream.
        stream: usize,
        /// What is wrong with it.
        error: ReadError,
    },
    /// A stream's header is not that of the first: filters of other sizes, probe counts or strategies share no bits.
    Headers {
        /// Which stream.
        stream: usize,
        /// The header of stream 0.
        first: StreamHeader,
        /// The header of this stream.
        found: StreamHeader,
    },
    /// The writer failed.
    Write(io::Error),
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoStreams => f.write_str("no filters to merge were given, at least 1 is needed"),
            Self::Read { stream, error } => write!(f, "stream {stream} (counted from 0): {error}"),
            Self::Headers { stream, first, found } => write!(
                f,
                "stream {stream} (counted from 0) cannot be merged: its header says {found}, that of stream 0 says {first}"
            ),
            Self::Write(error) => write!(f, "writing the merged filter failed: {error}"),
        }
    }
}

impl core::error::Error for MergeError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Read { error, .. } => Some(error),
            Self::Write(error) => Some(error),
            _ => None,
        }
    }
}
