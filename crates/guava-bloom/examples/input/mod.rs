//! Lines of a file or of standard input, and how a program ends that cannot go on.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read, Write as _};
use std::path::Path;
use std::process::ExitCode;

/// Longest line, bytes, unless a program takes longer ones: a file without line ends must not fill the memory.
const LONGEST: usize = 64 * 1024;

/// Bytes that are asked for at a time.
const PIECE: usize = 1 << 18;

/// Why a program stops.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The arguments or the input are wrong: exit code 2.
    Input(String),
    /// The system failed: exit code 1.
    System(String),
    /// Nobody reads on, as behind `head`: that is an end like any other.
    Enough,
}

/// What standard output says.
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
    /// Wrong input; `place` is a file, or a file and a line.
    pub(crate) fn input(place: impl Display, what: impl Display) -> Self {
        Self::Input(format!("{place}: {what}"))
    }

    /// A failure of the system.
    pub(crate) fn system(place: impl Display, what: impl Display) -> Self {
        Self::System(format!("{place}: {what}"))
    }
}

/// Says on standard error what went wrong, if something did.
pub(crate) fn exit(result: Result<(), Failure>) -> ExitCode {
    let (message, code) = match result {
        Ok(()) | Err(Failure::Enough) => return ExitCode::SUCCESS,
        Err(Failure::Input(message)) => (message, 2),
        Err(Failure::System(message)) => (message, 1),
    };
    // Nobody is left to be told when standard error is closed.
    let _ = writeln!(io::stderr(), "error: {message}");
    ExitCode::from(code)
}

/// Reads lines of bytes and knows where they are.
pub(crate) struct Lines {
    pub(crate) reader: BufReader<Box<dyn Read>>,
    pub(crate) longest: usize,
    name: String,
    number: u64,
    line: Vec<u8>,
}

/// The lines of a file, or of standard input without one.
pub(crate) fn open(path: Option<&Path>) -> Result<Lines, Failure> {
    let Some(path) = path else {
        return Ok(Lines::new("standard input", io::stdin().lock()));
    };
    let file = File::open(path).map_err(|error| Failure::input(path.display(), error))?;
    Ok(Lines::new(path.display(), file))
}

impl Lines {
    /// `name` is what messages call the reader.
    pub(crate) fn new(name: impl Display, reader: impl Read + 'static) -> Self {
        Self {
            reader: BufReader::with_capacity(PIECE, Box::new(reader)),
            longest: LONGEST,
            name: name.to_string(),
            number: 0,
            line: Vec::new(),
        }
    }

    /// The next line without its end, LF or CR LF, or `None` behind the last.
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

    /// Where the line is that was read last: `urls.txt:12`.
    pub(crate) fn place(&self) -> String {
        format!("{}:{}", self.name, self.number)
    }
}
