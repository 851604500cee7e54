//! Keys from files and standard input: lines as they are, or items as lines write them.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Write as _};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use membership_filters::Encoding;
use terminal::failure::{Failure, escaped};
use terminal::interrupt::Interrupt;
use terminal::lines;

/// The length of the buffer of a file.
const BUFFER: usize = 1 << 20;

/// The largest number of keys in a batch.
const TOGETHER: usize = 4096;

/// The kind of key, which decides what bytes a line stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Items {
    /// The bytes of the line
    Line,
    /// A decimal number of 64 bits with a sign, as Spark, Guava (longFunnel) and Parquet (INT64) hash it: eight bytes,
    /// the lowest first
    Long,
    /// The bytes of the line, which must be UTF-8
    String,
    /// The bytes that the line gives as hexadecimal digits
    Binary,
}

impl Items {
    /// Returns the name on the command line and in manifests.
    pub(crate) fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Returns the encoding that stored filters name.
    pub(crate) fn encoding(self) -> Encoding {
        match self {
            Self::Long => Encoding::INT64,
            _ => Encoding::BYTES,
        }
    }

    /// Returns the kind that a manifest names.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::from_str(name, false).ok()
    }

    /// Returns the bytes of the key that a line stands for; `bytes` is where they go if they are not in the line.
    fn key<'a>(self, line: &'a [u8], bytes: &'a mut Vec<u8>) -> Result<&'a [u8], String> {
        // Shows what is wrong, and what is around it.
        let wrong = |rule: &str, at: usize| {
            let start = at.saturating_sub(20);
            let end = line.len().min(start + 40);
            let [before, after] =
                [start > 0, end < line.len()].map(|is_cut| ["", "..."][usize::from(is_cut)]);
            let shown = line[start..end].escape_ascii();
            Err(format!("must be {rule}, got \"{before}{shown}{after}\""))
        };
        let first = |is_wrong: fn(&u8) -> bool| line.iter().position(is_wrong).unwrap_or(line.len());
        match self {
            Self::Line => return Ok(line),
            Self::String => {
                // The marks of other encodings would make other keys.
                let rule = "UTF-8 without a byte order mark and zero bytes";
                return match str::from_utf8(line) {
                    Err(error) => wrong(rule, error.valid_up_to()),
                    Ok(text) if text.starts_with('\u{feff}') => wrong(rule, 0),
                    Ok(_) => match line.iter().position(|&byte| byte == 0) {
                        Some(at) => wrong(rule, at),
                        None => Ok(line),
                    },
                };
            }
            Self::Long => {
                let number = str::from_utf8(line)
                    .ok()
                    .and_then(|text| text.parse::<i64>().ok());
                let Some(number) = number else {
                    let rule = "a number between -9223372036854775808 and 9223372036854775807";
                    return wrong(rule, first(|byte| !byte.is_ascii_digit() && *byte != b'-'));
                };
                bytes.clear();
                bytes.extend_from_slice(&number.to_le_bytes());
            }
            Self::Binary => {
                bytes.resize(line.len() / 2, 0);
                if hex::decode_to_slice(line, bytes).is_err() {
                    let at = first(|byte| !byte.is_ascii_hexdigit());
                    return wrong("pairs of hexadecimal digits", at);
                }
            }
        }
        Ok(bytes)
    }
}

/// A source of lines, whose ends [`lines::key`] describes. Nothing comes after a final line feed.
pub(crate) struct Lines<'a> {
    name: String,
    reader: BufReader<Waiting<'a>>,
    /// The number of bytes of the reader's buffer that the last line took.
    taken: usize,
    /// A line that is longer than the buffer's rest.
    long: Vec<u8>,
    limit: u64,
    number: u64,
    /// The number of carriage returns that belonged to ends of lines.
    carriage_returns: u64,
}

impl<'a> Lines<'a> {
    /// Opens a file; `-` is standard input. Lines may have up to `limit` bytes.
    ///
    /// # Errors
    ///
    /// If there is no such file.
    pub(crate) fn open(path: &Path, limit: u64, interrupt: &'a Interrupt) -> Result<Self, Failure> {
        let (name, file): (_, Box<dyn Source>) = if path == Path::new("-") {
            ("standard input".to_owned(), Box::new(io::stdin().lock()))
        } else {
            let name = escaped(&path.display().to_string());
            let file = File::open(path).map_err(|error| Failure::input(format_args!("{name}: {error}")))?;
            (name, Box::new(file))
        };
        Ok(Self {
            name,
            reader: BufReader::with_capacity(BUFFER, Waiting { file, interrupt }),
            taken: 0,
            long: Vec::new(),
            limit,
            number: 0,
            carriage_returns: 0,
        })
    }

    /// Returns the next line without its end. At the end of the source, reports on standard error how many carriage
    /// returns were dropped.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, a line is too long, or Ctrl-C came.
    fn next_line(&mut self) -> Result<Option<&[u8]>, Failure> {
        self.reader.consume(self.taken);
        self.taken = 0;
        self.number += 1;
        self.long.clear();
        loop {
            let buffer = match self.reader.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(Failure::Interrupted),
                Err(error) => return Err(Failure::input(format_args!("{}: {error}", self.name))),
            };
            if self.number == 1
                && self.long.is_empty()
                && let Some(warning) = lines::encoding(buffer)
            {
                let _ = writeln!(io::stderr(), "{}: {warning}", self.name);
            }
            if buffer.is_empty() {
                if self.long.is_empty() {
                    self.report();
                    return Ok(None);
                }
                return Ok(Some(&self.long));
            }
            let end = memchr::memchr(b'\n', buffer);
            let read = end.map_or(buffer.len(), |end| end + 1);
            if end.is_some() && self.long.is_empty() {
                self.taken = read;
                let line = &self.reader.buffer()[..read];
                return Ok(Some(lines::key(line, &mut self.carriage_returns)));
            }
            let part = &buffer[..read];
            // The end may take two.
            if (self.long.len() + part.len()) as u64 > self.limit.saturating_add(2) {
                let limit = self.limit;
                return Err(self.wrong(format_args!("must have at most {limit} bytes; see --memory")));
            }
            self.long.extend_from_slice(part);
            self.reader.consume(read);
            if end.is_some() {
                return Ok(Some(lines::key(&self.long, &mut self.carriage_returns)));
            }
        }
    }

    fn report(&mut self) {
        if let Some(note) = lines::note(&self.name, std::mem::take(&mut self.carriage_returns)) {
            // If standard error is closed, there is nowhere to report this.
            let _ = writeln!(io::stderr(), "{note}");
        }
    }

    /// Passes the key of the next line to `then`; `bytes` is for keys that are not in the line.
    fn next_key<T>(
        &mut self,
        items: Items,
        bytes: &mut Vec<u8>,
        then: impl FnOnce(&[u8]) -> T,
    ) -> Result<Option<T>, Failure> {
        let Some(line) = self.next_line()? else {
            return Ok(None);
        };
        match items.key(line, bytes) {
            Ok(key) => Ok(Some(then(key))),
            Err(reason) => Err(self.wrong(reason)),
        }
    }

    /// Replaces the batch by the next keys: only those whose lines are in memory, but at least one. An empty batch is the
    /// end.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, a line is too long or no item, or Ctrl-C came. The batch then has the keys before.
    pub(crate) fn next_batch(&mut self, items: Items, batch: &mut Vec<Vec<u8>>) -> Result<(), Failure> {
        batch.clear();
        let mut bytes = Vec::new();
        while let Some(()) = self.next_key(items, &mut bytes, |key| batch.push(key.to_vec()))? {
            if batch.len() == TOGETHER || !self.has_more() {
                break;
            }
        }
        Ok(())
    }

    /// Returns true if the next line is in memory as a whole.
    fn has_more(&self) -> bool {
        let rest = self.reader.buffer().get(self.taken..).unwrap_or_default();
        memchr::memchr(b'\n', rest).is_some()
    }

    /// Returns the failure for the last line.
    fn wrong(&self, reason: impl std::fmt::Display) -> Failure {
        Failure::input(format_args!("{}, line {}: {reason}", self.name, self.number))
    }
}

/// Passes the keys of all files; without files, those of standard input.
///
/// # Errors
///
/// The errors of [`Lines`], and one for a line that is no item.
pub(crate) fn each(
    paths: &[PathBuf],
    items: Items,
    limit: u64,
    interrupt: &Interrupt,
    mut take: impl FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let stdin = [PathBuf::from("-")];
    let mut bytes = Vec::new();
    for path in if paths.is_empty() { &stdin } else { paths } {
        let mut lines = Lines::open(path, limit, interrupt)?;
        while let Some(taken) = lines.next_key(items, &mut bytes, &mut take)? {
            taken?;
        }
    }
    Ok(())
}

#[cfg(unix)]
trait Source: Read + std::os::fd::AsFd {}
#[cfg(unix)]
impl<T: Read + std::os::fd::AsFd> Source for T {}
#[cfg(not(unix))]
trait Source: Read {}
#[cfg(not(unix))]
impl<T: Read> Source for T {}

/// A file whose reading ends with Ctrl-C, also while it waits for bytes. (The system resumes an interrupted `read`, but
/// not an interrupted `poll`.)
struct Waiting<'a> {
    file: Box<dyn Source + 'a>,
    interrupt: &'a Interrupt,
}

impl Read for Waiting<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        {
            use rustix::event::{PollFd, PollFlags, poll};

            let mut files = [PollFd::new(&self.file, PollFlags::IN)];
            while !self.interrupt.requested() && poll(&mut files, None) == Err(rustix::io::Errno::INTR) {}
        }
        if self.interrupt.requested() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        self.file.read(buffer)
    }
}
