//! Reads lines in blocks of as many as have arrived.

use std::io::{BufRead as _, BufReader, Read};

use crate::Failure;

/// The bytes of one read.
const PIECE: usize = 1 << 18;

/// The longest line in bytes, so that a stream without line ends does not fill the memory.
const LONGEST: usize = 1 << 28;

/// A reader of lines. A line ends with LF or CRLF, which the last line may lack.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    block: Vec<u8>,
    /// The number of lines returned so far.
    given: u64,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader: BufReader::with_capacity(PIECE, reader),
            block: Vec::new(),
            given: 0,
        }
    }

    /// Returns the lines that have arrived, and the failure of the line after them, if any. Waits for a line; `None` at
    /// the end.
    pub(crate) fn next_block(&mut self) -> Option<(Vec<&str>, Option<Failure>)> {
        self.block.clear();
        let mut line = (&mut self.reader).take(LONGEST as u64 + 1);
        if let Err(error) = line.read_until(b'\n', &mut self.block) {
            let failure = Failure::System(format!("standard input: {error}"));
            return Some((Vec::new(), Some(failure)));
        }
        if self.block.len() > LONGEST {
            let line = self.given + 1;
            let message = format!("line {line} of standard input is longer than {LONGEST} bytes");
            return Some((Vec::new(), Some(Failure::Input(message))));
        }
        let arrived = self.reader.buffer();
        if let Some(last) = arrived.iter().rposition(|&byte| byte == b'\n') {
            self.block.extend_from_slice(&arrived[..=last]);
            self.reader.consume(last + 1);
        }
        let mut lines = Vec::new();
        for piece in self.block.split_inclusive(|&byte| byte == b'\n') {
            // A carriage return without a line feed is part of the key.
            let line = match piece.strip_suffix(b"\n") {
                Some(line) => line.strip_suffix(b"\r").unwrap_or(line),
                None => piece,
            };
            self.given += 1;
            match core::str::from_utf8(line) {
                Ok(text) => lines.push(text),
                Err(error) => {
                    let message = format!("line {} of standard input is not UTF-8: {error}", self.given);
                    return Some((lines, Some(Failure::Input(message))));
                }
            }
        }
        (!lines.is_empty()).then_some((lines, None))
    }
}
