//! Lines of a stream, as many at a time as have arrived.

use std::io::{self, BufRead as _, BufReader, Read};

/// Bytes that are asked for at a time.
const PIECE: usize = 1 << 18;

/// The longest line that is taken for a key, so that a stream without line ends does not fill the memory.
const LONGEST: usize = 1 << 28;

/// What is wrong with the input.
#[derive(Debug)]
pub(crate) enum Fault {
    /// This line, counted from 1, is not UTF-8.
    NotText { line: u64, error: core::str::Utf8Error },
    /// This line is longer than a key may be.
    TooLong { line: u64 },
    /// It cannot be read.
    Unreadable(io::Error),
}

impl core::fmt::Display for Fault {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::NotText { line, error } => write!(f, "line {line} of standard input is not UTF-8: {error}"),
            Self::TooLong { line } => {
                write!(f, "line {line} of standard input is longer than {LONGEST} bytes")
            }
            Self::Unreadable(error) => write!(f, "standard input: {error}"),
        }
    }
}

/// Reads lines. A line ends with LF, or with CR and LF; the last one need not end.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    block: Vec<u8>,
    /// Lines that were given away.
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

    /// The lines that have arrived, at least one, and what is wrong with the line after them; `None` at the end.
    pub(crate) fn next_block(&mut self) -> Option<(Vec<&str>, Option<Fault>)> {
        self.block.clear();
        let mut line = (&mut self.reader).take(LONGEST as u64 + 1);
        if let Err(error) = line.read_until(b'\n', &mut self.block) {
            return Some((Vec::new(), Some(Fault::Unreadable(error))));
        }
        if self.block.len() > LONGEST {
            let line = self.given + 1;
            return Some((Vec::new(), Some(Fault::TooLong { line })));
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
                    let line = self.given;
                    return Some((lines, Some(Fault::NotText { line, error })));
                }
            }
        }
        (!lines.is_empty()).then_some((lines, None))
    }
}
