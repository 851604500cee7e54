//! Merges streams of filters without holding the filters in memory.
//!
//! Knows nothing of elements or funnels: a stream does not name its funnel.

use alloc::vec;
use alloc::vec::Vec;
use std::io::{Read, Write};

use crate::envelope::{PIECE_WORDS, Reader, Source as _, Stream};
use crate::error::{Error, ErrorKind};
use crate::header::{StreamHeader, WORD};

/// Merges streams of filters and writes the stream of one filter with the elements of all. Returns their common header.
/// Needs the feature `std`.
///
/// The streams are read side by side, so this needs twice 64 KiB of memory plus the readers, however large the filters
/// are. Readers need not be buffered. Merging is associative and idempotent, so more files than a process may open can
/// be merged in stages. To merge filters that follow one another in one pipe, call
/// [`BloomFilter::read_from`](crate::BloomFilter::read_from) and [`BloomFilter::merge`](crate::BloomFilter::merge).
/// Bytes after a filter stay in its reader. Does not flush.
///
/// The filters must have equal funnels. This cannot be checked, because streams do not name their funnels.
///
/// ```
/// use guava_bloom::{BloomFilter, Parameters, Utf8, merge_streams};
///
/// let parameters = Parameters::new(1000, 0.01)?;
/// let mut whole = BloomFilter::new(Utf8, &parameters)?;
/// let mut streams = Vec::new();
/// for fruit in ["apple", "pear", "plum"] {
///     let mut part = BloomFilter::new(Utf8, &parameters)?;
///     part.insert(fruit);
///     whole.insert(fruit);
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
/// [`Error::stream`] returns the number of the stream at fault, from 0: [`ErrorKind::Incompatible`] for a header that
/// differs from that of stream 0, and the errors of [`BloomFilter::from_bytes`](crate::BloomFilter::from_bytes).
/// [`ErrorKind::InvalidArgument`] means that there was no stream, and [`ErrorKind::Write`] that the writer failed. All
/// headers are compared before the first byte is written; a later error leaves an incomplete filter in the writer.
pub fn merge_streams<R: Read>(
    streams: impl IntoIterator<Item = R>,
    mut writer: impl Write,
) -> Result<StreamHeader, Error> {
    let unwritten = |error| Error::io(ErrorKind::Write, "writing the merged filter", error);
    let mut streams: Vec<Stream<R>> = streams.into_iter().map(Stream).collect();
    let mut first = None;
    for (number, stream) in streams.iter_mut().enumerate() {
        let mut header = || {
            let header = StreamHeader::from_bytes(Reader::plain(stream).array()?);
            header.validate()?;
            let first = *first.get_or_insert(header);
            if header == first {
                return Ok(());
            }
            let range = format_args!("that of stream 0, {first}");
            Err(Error::new(ErrorKind::Incompatible, "the header", range, header))
        };
        header().map_err(|error| error.of_stream(number))?;
    }
    let header = first.ok_or_else(|| {
        Error::new(
            ErrorKind::InvalidArgument,
            "the number of streams",
            "at least 1",
            0,
        )
    })?;
    writer.write_all(&header.to_bytes()).map_err(unwritten)?;

    let total = header.stream_len() - StreamHeader::LEN as u64;
    let mut done = 0;
    let piece_len = usize::try_from(total).map_or(PIECE_WORDS * WORD, |total| total.min(PIECE_WORDS * WORD));
    let mut merged = vec![0; piece_len];
    let mut buffer = vec![0; piece_len];
    while done < total {
        let len = usize::try_from(total - done).map_or(piece_len, |left| left.min(piece_len));
        let merged = merged.get_mut(..len).unwrap_or_default();
        let piece = buffer.get_mut(..len).unwrap_or_default();
        merged.fill(0);
        for (number, stream) in streams.iter_mut().enumerate() {
            let found = stream.fill(piece).map_err(|error| error.of_stream(number))?;
            if found < len {
                let least = header.stream_len();
                let range = format_args!("at least {least}");
                let got = StreamHeader::LEN as u64 + done + found as u64;
                let cut = Error::new(ErrorKind::Truncated, "the length in bytes", range, got);
                return Err(cut.of_stream(number));
            }
            for (bits, &more) in merged.iter_mut().zip(&*piece) {
                *bits |= more;
            }
        }
        writer.write_all(merged).map_err(unwritten)?;
        done += len as u64;
    }
    Ok(header)
}
