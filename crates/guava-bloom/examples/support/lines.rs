//! The lines of a stream as hashes, as many at a time as have arrived.

use std::io::{self, ErrorKind, Read};

use guava_bloom::{BloomFilter, Funnel, Hash128, Utf8};

use super::Failure;

/// Bytes that are asked for at a time.
const PIECE: usize = 1 << 18;

/// Lines of up to so many bytes are taken; a stream without line ends must not fill the memory.
const LONGEST: usize = 1 << 28;

/// The bytes of such a line with CR and LF.
const MOST: usize = LONGEST + 2;

/// Puts the lines of standard input into a filter.
pub(crate) fn put_lines(filter: &mut BloomFilter<Utf8>) -> Result<(), Failure> {
    let mut lines = HashedLines::new(io::stdin().lock());
    let mut changed = Vec::new();
    while let Some((hashes, failure)) = lines.next_block() {
        changed.resize(hashes.len(), false);
        filter.put_hashes(hashes, &mut changed);
        if let Some(failure) = failure {
            return Err(failure);
        }
    }
    Ok(())
}

/// Reads lines and hashes them.
pub(crate) struct HashedLines<R> {
    reader: R,
    /// What was read and not yet cut into lines: `buffer[..filled]`.
    buffer: Vec<u8>,
    filled: usize,
    /// How many of these bytes, from the first, are known to hold no line end.
    searched: usize,
    hashes: Vec<Hash128>,
    /// Lines before the buffer.
    lines: u64,
    at_end: bool,
}

impl<R: Read> HashedLines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self {
            reader,
            buffer: vec![0; PIECE],
            filled: 0,
            searched: 0,
            hashes: Vec::new(),
            lines: 0,
            at_end: false,
        }
    }

    /// The hashes of the next lines, and what is wrong with the line after them; `None` at the end.
    pub(crate) fn next_block(&mut self) -> Option<(&[Hash128], Option<Failure>)> {
        self.hashes.clear();
        while self.hashes.is_empty() {
            if self.at_end {
                return None;
            }
            if let Err(failure) = self.read().and_then(|()| self.cut()) {
                self.at_end = true;
                return Some((&self.hashes, Some(failure)));
            }
        }
        Some((&self.hashes, None))
    }

    /// Reads what there is, once.
    fn read(&mut self) -> Result<(), Failure> {
        if self.filled == self.buffer.len() {
            if self.filled >= MOST {
                return Err(Failure::Input(format!(
                    "line {} of standard input is longer than {LONGEST} bytes",
                    self.lines + 1
                )));
            }
            self.buffer.resize(MOST.min(2 * self.filled), 0);
        }
        let room = self.buffer.get_mut(self.filled..).unwrap_or_default();
        loop {
            match self.reader.read(room) {
                Ok(read) => {
                    self.filled += read;
                    self.at_end = read == 0;
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Failure::Input(format!("standard input: {error}"))),
            }
        }
    }

    /// Hashes the lines that are complete, and at the end the one that has no line end.
    fn cut(&mut self) -> Result<(), Failure> {
        let mut rest = self.buffer.get(..self.filled).unwrap_or_default();
        while let Some(length) = find_line_end(rest, self.searched) {
            self.searched = 0;
            let (line, after) = rest.split_at(length);
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            self.lines += 1;
            self.hashes.push(hash(line, self.lines)?);
            rest = after.get(1..).unwrap_or_default();
        }
        if self.at_end && !rest.is_empty() {
            self.lines += 1;
            self.hashes.push(hash(rest, self.lines)?);
            rest = &[];
        }
        let left = rest.len();
        self.buffer.copy_within(self.filled - left..self.filled, 0);
        self.filled = left;
        self.searched = left;
        Ok(())
    }
}

/// Where the first line end is, at `from` or behind.
fn find_line_end(bytes: &[u8], from: usize) -> Option<usize> {
    let behind = bytes.get(from..)?;
    Some(from + behind.iter().position(|&byte| byte == b'\n')?)
}

fn hash(line: &[u8], number: u64) -> Result<Hash128, Failure> {
    match str::from_utf8(line) {
        Ok(text) => Ok(Utf8.hash(text)),
        Err(error) => Err(Failure::Input(format!(
            "line {number} of standard input is not UTF-8: {error}"
        ))),
    }
}
