//! The stream: a header of six bytes, then the words, all big-endian. `FORMAT.md` describes it.

use alloc::vec::Vec;

use crate::error::ReadError;
use crate::filter::BloomFilter;
use crate::header::{MAX_WORDS, StreamHeader, WORD};
use crate::strategy::Strategy;

impl StreamHeader {
    /// The strategy and the number of words, if a filter can have these values.
    ///
    /// # Errors
    ///
    /// [`ReadError::UnknownStrategy`], [`ReadError::NoProbes`] or [`ReadError::WordCount`].
    pub fn validate(self) -> Result<(Strategy, u32), ReadError> {
        let strategy =
            Strategy::from_ordinal(self.ordinal.cast_unsigned()).ok_or(ReadError::UnknownStrategy(self))?;
        if self.probes == 0 {
            return Err(ReadError::NoProbes(self));
        }
        match u32::try_from(self.words) {
            Ok(words @ 1..=MAX_WORDS) => Ok((strategy, words)),
            _ => Err(ReadError::WordCount(self)),
        }
    }
}

impl<F> BloomFilter<F> {
    /// The stream as one buffer: the bytes that Guava's `writeTo` writes.
    ///
    /// ```
    /// use guava_bloom::{BloomFilter, Parameters, Utf8};
    ///
    /// let mut filter = BloomFilter::new(Utf8, &Parameters::new(1, 0.01)?)?;
    /// filter.put("key0");
    /// let bytes = filter.to_bytes();
    /// assert_eq!(bytes, b"\x01\x07\0\0\0\x01\0\0\0\0\0\x15\x55\0");
    ///
    /// let (same, used) = BloomFilter::from_bytes(&bytes, Utf8)?;
    /// assert_eq!((same, used), (filter, bytes.len()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(StreamHeader::LEN + self.words().len() * WORD);
        bytes.extend_from_slice(&self.stream_header().to_bytes());
        bytes.extend(self.words().iter().flat_map(|word| word.to_be_bytes()));
        bytes
    }

    /// The filter at the front of these bytes, and how many of them it takes; what follows is not looked at.
    ///
    /// # Errors
    ///
    /// [`ReadError`] names what is wrong with the header, or how many bytes are missing.
    pub fn from_bytes(bytes: &[u8], funnel: F) -> Result<(Self, usize), ReadError> {
        let Some((header, rest)) = bytes.split_first_chunk::<{ StreamHeader::LEN }>() else {
            return Err(ReadError::HeaderCut { found: bytes.len() });
        };
        let header = StreamHeader::from_bytes(*header);
        let (strategy, count) = header.validate()?;
        let stored = usize::try_from(count)
            .ok()
            .and_then(|count| count.checked_mul(WORD))
            .and_then(|len| rest.get(..len))
            .ok_or(ReadError::WordsCut {
                header,
                found: rest.len() as u64,
            })?;
        let mut words = Vec::new();
        words
            .try_reserve_exact(stored.len() / WORD)
            .map_err(|_| ReadError::OutOfMemory { header })?;
        extend_from_big_endian(&mut words, stored);
        let filter = Self::from_parts(funnel, strategy, header.probes, words)
            .map_err(|_| ReadError::WordCount(header))?;
        Ok((filter, StreamHeader::LEN + stored.len()))
    }
}

/// Appends the words of these bytes, whose number is a multiple of 8.
fn extend_from_big_endian(words: &mut Vec<u64>, bytes: &[u8]) {
    let (whole, _) = bytes.as_chunks::<WORD>();
    words.extend(whole.iter().map(|&word| u64::from_be_bytes(word)));
}

#[cfg(feature = "std")]
pub(crate) mod io {
    use alloc::vec;
    use alloc::vec::Vec;
    use std::io::{self, ErrorKind, Read, Write};

    use super::extend_from_big_endian;
    use crate::error::ReadError;
    use crate::filter::BloomFilter;
    use crate::header::{StreamHeader, WORD};

    /// Words that are converted, written or read at a time.
    pub(crate) const PIECE_WORDS: usize = 8192;

    impl StreamHeader {
        /// Reads a header, as it is, and leaves the reader at the words.
        ///
        /// # Errors
        ///
        /// [`ReadError::HeaderCut`] or [`ReadError::Io`].
        pub fn read_from(mut reader: impl Read) -> Result<Self, ReadError> {
            let mut header = [0; Self::LEN];
            let found = fill(&mut reader, &mut header)?;
            if found < header.len() {
                return Err(ReadError::HeaderCut { found });
            }
            Ok(Self::from_bytes(header))
        }
    }

    impl<F> BloomFilter<F> {
        /// Writes the stream, byte for byte Guava's `writeTo`, in pieces of 64 KiB. Does not flush.
        ///
        /// # Errors
        ///
        /// Those of the writer.
        pub fn write_to(&self, writer: impl Write) -> io::Result<()> {
            write(writer, self.stream_header(), self.words(), |&word| word)
        }

        /// Reads the filter that a reader is at, as Guava's `readFrom` does: exactly its bytes, so that what follows in
        /// the reader is left there. The reader need not be buffered: it is asked for pieces of up to 64 KiB.
        ///
        /// Memory is taken as bytes arrive. A stream that claims to be larger than it is takes a buffer of at most 64 KiB
        /// and less than twice what was there, plus what was there once more while it is moved to a larger place.
        ///
        /// # Errors
        ///
        /// [`ReadError`] names what is wrong with the header, or how many bytes are missing, or what the reader
        /// reported.
        pub fn read_from(mut reader: impl Read, funnel: F) -> Result<Self, ReadError> {
            let header = StreamHeader::read_from(&mut reader)?;
            let (strategy, count) = header.validate()?;
            let out_of_memory = || ReadError::OutOfMemory { header };
            let mut missing = usize::try_from(count).map_err(|_| out_of_memory())?;
            let mut words = Vec::new();
            let mut buffer = vec![0; missing.min(PIECE_WORDS) * WORD];
            while missing > 0 {
                let wanted = missing.min(PIECE_WORDS);
                let piece = buffer.get_mut(..wanted * WORD).unwrap_or_default();
                let found = fill(&mut reader, piece)?;
                if found < piece.len() {
                    return Err(ReadError::WordsCut {
                        header,
                        found: (words.len() * WORD + found) as u64,
                    });
                }
                if words.capacity() - words.len() < wanted {
                    // As much again as is there, and never more than the filter takes.
                    words
                        .try_reserve_exact(missing.min(words.len().max(wanted)))
                        .map_err(|_| out_of_memory())?;
                }
                extend_from_big_endian(&mut words, piece);
                missing -= wanted;
            }
            Self::from_parts(funnel, strategy, header.probes, words).map_err(|_| ReadError::WordCount(header))
        }
    }

    /// Writes a stream in pieces, from words of whatever kind.
    pub(crate) fn write<W>(
        mut writer: impl Write,
        header: StreamHeader,
        words: &[W],
        value: impl Fn(&W) -> u64,
    ) -> io::Result<()> {
        writer.write_all(&header.to_bytes())?;
        let mut buffer = vec![0; words.len().min(PIECE_WORDS) * WORD];
        for piece in words.chunks(PIECE_WORDS) {
            let (places, _) = buffer.as_chunks_mut::<WORD>();
            for (place, word) in places.iter_mut().zip(piece) {
                *place = value(word).to_be_bytes();
            }
            let filled = buffer.get(..piece.len() * WORD).unwrap_or_default();
            writer.write_all(filled)?;
        }
        Ok(())
    }

    /// Reads until the buffer is full or the reader at its end; how many bytes were read.
    pub(crate) fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> Result<usize, ReadError> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match reader.read(rest) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(ReadError::Io(error)),
            }
        }
        Ok(filled)
    }
}
