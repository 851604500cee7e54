//! Zstandard's frames one after the other, with their checksums.

use std::error::Error;
use std::io::{self, BufRead, ErrorKind, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use crate::signature::compression;

/// Passes over the frames to skip at the start of a source. Returns the first bytes of the frame after them, and the rest.
pub(crate) fn after_skipped<R: Read>(mut source: R) -> io::Result<(Vec<u8>, R)> {
    loop {
        let mut head = Vec::new();
        source.by_ref().take(8).read_to_end(&mut head)?;
        match head[..] {
            [0x50..=0x5f, _, _, _, a, b, c, d] if compression(&head).is_some() => {
                pass(&mut source, u32::from_le_bytes([a, b, c, d]))?;
            }
            _ => return Ok((head, source)),
        }
    }
}

fn pass(source: &mut impl Read, len: u32) -> io::Result<()> {
    let passed = io::copy(&mut source.take(len.into()), &mut io::sink())?;
    if passed < len.into() {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}

/// The contents of all frames of a source. A window takes at most 128 MiB, which is what `ruzstd` allows.
pub(crate) struct Frames<R> {
    source: R,
    decoder: FrameDecoder,
    is_within: bool,
}

impl<R: BufRead> Frames<R> {
    pub(crate) fn new(source: R) -> Self {
        let decoder = FrameDecoder::new();
        Self {
            source,
            decoder,
            is_within: false,
        }
    }

    /// Begins the next frame that has contents. Returns false at the end of the source.
    fn begin(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.reset(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => pass(&mut self.source, length)?,
                Err(error) => return Err(readable(&error)),
            }
        }
        Ok(false)
    }
}

/// Returns the decoder's error in words: that of the source if there is one.
fn readable(error: &FrameDecoderError) -> io::Error {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        match error.downcast_ref::<io::Error>() {
            Some(error) if error.kind() == ErrorKind::UnexpectedEof => return error.kind().into(),
            Some(error) => return io::Error::other(error.to_string()),
            None => cause = error.source(),
        }
    }
    io::Error::other(match error {
        FrameDecoderError::WindowSizeTooBig { .. } => {
            "its window must have at most 128 MiB (decompress it first if that is wanted)"
        }
        FrameDecoderError::DictNotProvided { .. } => "it must have no dictionary (decompress it first)",
        _ => "it is damaged",
    })
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.is_within {
                if !self.begin()? {
                    return Ok(0);
                }
                self.is_within = true;
            }
            let decoder = &mut self.decoder;
            while decoder.can_collect() == 0 && !decoder.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                decoder
                    .decode_blocks(&mut self.source, one)
                    .map_err(|error| readable(&error))?;
            }
            let read = decoder.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            let stored = decoder.get_checksum_from_data();
            if stored.is_some() && stored != decoder.get_calculated_checksum() {
                return Err(io::Error::other(
                    "the checksum of its contents must be that of the file",
                ));
            }
            self.is_within = false;
        }
    }
}
