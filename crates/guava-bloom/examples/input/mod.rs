//! Reads lines of a file or of standard input, and reports failures.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read, Write as _};
use std::path::Path;
use std::process::ExitCode;

/// The default length limit of a line in bytes, so that a file without line ends does not fill the memory.
const LONGEST: usize = 64 * 1024;

/// The bytes of one read.
const PIECE: usize = 1 << 18;

/// A reason to stop.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The arguments or the input are wrong: exit code 2.
    Input(String),
    /// The system failed: exit code 1.
    System(String),
    /// Nobody reads the output any more, for example after `head`; not an error.
    Enough,
}

/// Converts an error of standard output.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe => Self::Enough,
            _ => Self::system("standard output", error),
        }
    }
}

impl From<guava_bloom::Error> for Failure {
    fn from(error: guava_bloom::Error) -> Self {
        Self::Input(error.to_string())
    }
}

impl Failure {
    /// Returns the failure for wrong input; `place` is a file, or a file and a line.
    pub(crate) fn input(place: impl Display, what: impl Display) -> Self {
        Self::Input(format!("{place}: {what}"))
    }

    pub(crate) fn system(place: impl Display, what: impl Display) -> Self {
        Self::System(format!("{place}: {what}"))
    }
}

/// Reports a failure on standard error. Returns the exit code.
pub(crate) fn exit(result: Result<(), Failure>) -> ExitCode {
    let (message, code) = match result {
        Ok(()) | Err(Failure::Enough) => return ExitCode::SUCCESS,
        Err(Failure::Input(message)) => (message, 2),
        Err(Failure::System(message)) => (message, 1),
    };
    // If standard error is closed, there is nowhere to report this.
    let _ = writeln!(io::stderr(), "error: {message}");
    ExitCode::from(code)
}

/// A reader of lines of bytes that knows the line number.
pub(crate) struct Lines {
    pub(crate) reader: BufReader<Box<dyn Read>>,
    pub(crate) longest: usize,
    name: String,
    number: u64,
    line: Vec<u8>,
}

/// Opens a file, or standard input if there is no path.
pub(crate) fn open(path: Option<&Path>) -> Result<Lines, Failure> {
    let Some(path) = path else {
        return Ok(Lines::new("standard input", io::stdin().lock()));
    };
    let file = File::open(path).map_err(|error| Failure::input(path.display(), error))?;
    Ok(Lines::new(path.display(), file))
}

impl Lines {
    /// Reads lines from `reader`, which messages call `name`.
    pub(crate) fn new(name: impl Display, reader: impl Read + 'static) -> Self {
        Self {
            reader: BufReader::with_capacity(PIECE, Box::new(reader)),
            longest: LONGEST,
            name: name.to_string(),
            number: 0,
            line: Vec::new(),
        }
    }

    /// Reads the next line without its LF or CRLF; `None` after the last.
    pub(crate) fn read(&mut self) -> Result<Option<&[u8]>, Failure> {
        self.line.clear();
        let read = (&mut self.reader)
            .take(self.longest as u64 + 2)
            .read_until(b'\n', &mut self.line)
            .map_err(|error| match error.kind() {
                ErrorKind::IsADirectory => Failure::input(&self.name, error),
                _ => Failure::system(&self.name, error),
            })?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
            if self.line.last() == Some(&b'\r') {
                self.line.pop();
            }
        }
        if self.line.len() > self.longest {
            return Err(Failure::input(
                self.place(),
                format!("the line is longer than {} bytes", self.longest),
            ));
        }
        Ok(Some(&self.line))
    }

    /// Returns the place of the line read last, such as `urls.txt:12`.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.name, self.number)
    }
}
