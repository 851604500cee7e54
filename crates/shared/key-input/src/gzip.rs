//! The members of gzip one after the other.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// The contents of all members of a source. Zero bytes after a member are skipped, as `gzip` does: they fill a block.
pub(crate) struct Members<R>(Option<GzDecoder<R>>);

impl<R: BufRead> Members<R> {
    pub(crate) fn new(source: R) -> Self {
        Self(Some(GzDecoder::new(source)))
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let read = member.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let source = member.get_mut();
            let is_over = loop {
                let rest = source.fill_buf()?;
                let zeros = rest.iter().take_while(|byte| **byte == 0).count();
                if zeros == 0 {
                    break rest.is_empty();
                }
                source.consume(zeros);
            };
            let ended = self.0.take().filter(|_| !is_over);
            self.0 = ended.map(|member| GzDecoder::new(member.into_inner()));
        }
        Ok(0)
    }
}
