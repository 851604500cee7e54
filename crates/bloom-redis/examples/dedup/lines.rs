//! Lines of a stream, as many at a time as have arrived.

use std::io::{self, ErrorKind, Read};

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
    reader: R,
    /// What was read and not yet given away: `buffer[start..filled]`.
    buffer: Vec<u8>,
    start: usize,
    filled: usize,
    /// Lines that were given away.
    given: u64,
    at_end: bool,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader,
            buffer: vec![0; PIECE],
            start: 0,
            filled: 0,
            given: 0,
            at_end: false,
        }
    }

    /// The lines that have arrived, at least one, and what is wrong with the line after them; `None` at the end.
    pub(crate) fn next_block(&mut self) -> Option<(Vec<&str>, Option<Fault>)> {
        let end = match self.read_lines() {
            Ok(0) => return None,
            Ok(end) => end,
            Err(fault) => {
                self.at_end = true;
                return Some((Vec::new(), Some(fault)));
            }
        };
        let (block, terminated) = match self.buffer[self.start..end].strip_suffix(b"\n") {
            Some(block) => (block, true),
            None => (&self.buffer[self.start..end], false),
        };
        self.start = end;
        let mut lines = Vec::new();
        let mut pieces = block.split(|&byte| byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            let ended = terminated || pieces.peek().is_some();
            let line = if ended {
                piece.strip_suffix(b"\r").unwrap_or(piece)
            } else {
                piece
            };
            self.given += 1;
            match core::str::from_utf8(line) {
                Ok(text) => lines.push(text),
                Err(error) => {
                    // Nothing behind it is read.
                    (self.at_end, self.filled) = (true, end);
                    let line = self.given;
                    return Some((lines, Some(Fault::NotText { line, error })));
                }
            }
        }
        Some((lines, None))
    }

    /// Reads until there is a line; where the last one that is complete ends in the buffer, or 0 at the end.
    fn read_lines(&mut self) -> Result<usize, Fault> {
        self.buffer.copy_within(self.start..self.filled, 0);
        self.filled -= self.start;
        self.start = 0;
        loop {
            if self.at_end {
                return Ok(self.filled);
            }
            if self.filled == self.buffer.len() {
                if self.filled >= LONGEST {
                    return Err(Fault::TooLong { line: self.given + 1 });
                }
                self.buffer.resize(2 * self.filled, 0);
            }
            let searched = self.filled;
            match self.reader.read(&mut self.buffer[self.filled..]) {
                Ok(0) => self.at_end = true,
                Ok(read) => self.filled += read,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Fault::Unreadable(error)),
            }
            let arrived = &self.buffer[searched..self.filled];
            if let Some(last) = arrived.iter().rposition(|&byte| byte == b'\n') {
                return Ok(searched + last + 1);
            }
        }
    }
}
