//! Answers lines of standard input as soon as they arrive, and reports failures.

use std::fmt::Display;
use std::io::{self, BufRead as _, BufReader, Read as _, StdinLock, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use bloom_redis::ErrorKind;

/// The time-outs for connecting and for each reply.
pub(crate) const CONNECT: Duration = Duration::from_secs(5);
pub(crate) const ANSWER: Duration = Duration::from_secs(30);

/// The bytes of one read.
const PIECE: usize = 1 << 18;

/// The most lines that are answered together.
const TOGETHER: usize = 4096;

/// The longest line in bytes, so that a stream without line ends does not fill the memory.
const LONGEST: usize = 1 << 28;

/// A reason to stop: the exit code, and what standard error says.
pub(crate) type Failure = (u8, String);

/// Returns the failure for wrong arguments, input or values on the server.
pub(crate) fn wrong(what: impl Display) -> Failure {
    (2, what.to_string())
}

/// Returns true if the user can mend a failure of this kind.
pub(crate) fn is_wrong(kind: ErrorKind) -> bool {
    use ErrorKind::{InvalidArgument, Malformed, Mismatch, Server};
    [Malformed, InvalidArgument, Mismatch, Server].contains(&kind)
}

/// Reports a failure on standard error. Returns the exit code.
pub(crate) fn exit(done: Result<(), Failure>) -> ExitCode {
    let Err((code, message)) = done else {
        return ExitCode::SUCCESS;
    };
    // If standard error is closed, there is nowhere to report this.
    let _ = writeln!(io::stderr(), "error: {message}");
    ExitCode::from(code)
}

/// Writes the answers to all lines of standard input, each with its line feed.
pub(crate) fn answer(mut each: impl FnMut(Vec<Vec<u8>>) -> Result<String, Failure>) -> Result<(), Failure> {
    let mut input = BufReader::with_capacity(PIECE, io::stdin().lock());
    let mut output = io::stdout().lock();
    loop {
        let lines = arrived(&mut input)?;
        if lines.is_empty() {
            return Ok(());
        }
        let answers = each(lines)?;
        let written = output.write_all(answers.as_bytes()).and_then(|()| output.flush());
        match written {
            // Nobody reads the answers any more, which is not an error.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            written => written.map_err(|error| (1, format!("standard output: {error}")))?,
        }
    }
}

/// Waits for a line, and returns the lines that have arrived; none at the end.
fn arrived(input: &mut BufReader<StdinLock<'_>>) -> Result<Vec<Vec<u8>>, Failure> {
    let mut lines = Vec::new();
    while lines.is_empty() || lines.len() < TOGETHER && input.buffer().contains(&b'\n') {
        let mut line = Vec::new();
        let read = input.take(LONGEST as u64 + 1).read_until(b'\n', &mut line);
        if read.map_err(|error| (1, format!("standard input: {error}")))? == 0 {
            break;
        }
        if line.len() > LONGEST {
            return Err(wrong(format_args!(
                "a line of standard input is longer than {LONGEST} bytes"
            )));
        }
        lines.push(line);
    }
    Ok(lines)
}
