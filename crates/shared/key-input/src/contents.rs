//! The contents of a source: bytes as they are, or decoded.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufReader, Chain, Cursor, ErrorKind as Io, Read};
use std::path::Path;
use std::rc::Rc;

use terminal::failure::Failure;
use terminal::progress::Progress;
use terminal::system;

use crate::KeyForm;
use crate::gzip::Members;
use crate::signature::{Compression, LZ4, compression, is_undecided};
use crate::zstandard::{Frames, after_skipped};

/// The length of the buffer of contents.
const BUFFER: usize = 1 << 20;
/// The length of the first read, and of the buffer of compressed bytes. (The buffer of standard input has 8 KiB, and must
/// be empty when the system reports whether more bytes wait.)
const START: usize = 1 << 16;

/// The contents of a compressed source may have this many bytes, and [`MAX_RATIO`] bytes more for each of its own. Keys in
/// text are far from both; what is made to fill memory and disks exceeds them.
const ALLOWANCE: u64 = 64 << 20;
const MAX_RATIO: u64 = 500;

/// Buffered contents.
pub(crate) type Contents<'a> = BufReader<Box<dyn Read + 'a>>;

/// Opens a file; `-` is standard input. Reports a compression to `progress`.
pub(crate) fn open<'a>(
    path: &Path,
    form: &KeyForm,
    progress: &'a dyn Progress,
) -> Result<Contents<'a>, Failure> {
    let file: Box<dyn Source> = if path == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        Box::new(File::open(path).map_err(|error| unreadable(&name(path), &error))?)
    };
    of(&name(path), Waiting { file, progress }, form, progress)
}

/// Returns the contents of the bytes of a source. They begin with the first line as a whole, if it is not long, so that
/// its form can be found.
pub(crate) fn of<'a>(
    name: &str,
    source: impl Read + 'a,
    form: &KeyForm,
    progress: &dyn Progress,
) -> Result<Contents<'a>, Failure> {
    let unreadable = |error: io::Error| failure(name, &error, progress);
    let start = begun(source, is_undecided).map_err(unreadable)?;
    let mut found = compression(start.get_ref().0.get_ref());
    let mut all: Box<dyn Read> = Box::new(start);
    if found == Some(Compression::Zstandard) {
        let (frame, rest) = after_skipped(BufReader::new(all)).map_err(unreadable)?;
        found = found.filter(|_| !frame.starts_with(LZ4));
        all = Box::new(Cursor::new(frame).chain(rest));
    }
    let bytes: Box<dyn Read> = match found {
        None => all,
        Some(compression) => {
            let taken = Rc::new(Cell::new(0));
            let counted = Counted {
                source: all,
                count: Rc::clone(&taken),
            };
            let buffered = BufReader::with_capacity(START, counted);
            let (what, decoder): (_, Box<dyn Read>) = match compression {
                Compression::Gzip => ("gzip", Box::new(Members::new(buffered))),
                Compression::Zstandard => ("Zstandard", Box::new(Frames::new(buffered))),
            };
            progress.note(&format!("{name}: compressed by {what}, read as its contents"));
            let given = 0;
            Box::new(Bounded {
                decoder,
                taken,
                given,
            })
        }
    };
    let bytes = begun(bytes, |start| form.first(start).is_none()).map_err(unreadable)?;
    Ok(BufReader::with_capacity(BUFFER, Box::new(bytes)))
}

/// Reads the start of a source, while it is too short. Returns the start and the rest. Does not wait for more: a person
/// may write the first line and wait for an answer.
fn begun<R: Read>(mut source: R, is_short: impl Fn(&[u8]) -> bool) -> io::Result<Chain<Cursor<Vec<u8>>, R>> {
    let (mut start, mut read) = (vec![0; START], 0);
    while read < START && is_short(&start[..read]) {
        match source.read(&mut start[read..])? {
            0 => break,
            more => read += more,
        }
    }
    start.truncate(read);
    Ok(Cursor::new(start).chain(source))
}

/// Returns the name of a source in messages.
pub(crate) fn name(path: &Path) -> String {
    if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

/// Returns the failure for an error of a source, which may be that `progress` requests a stop.
pub(crate) fn failure(name: &str, error: &io::Error, progress: &dyn Progress) -> Failure {
    if progress.cancelled() {
        Failure::Interrupted
    } else {
        unreadable(name, error)
    }
}

fn unreadable(name: &str, error: &io::Error) -> Failure {
    let advice = match error.kind() {
        Io::NotFound | Io::NotADirectory => "check the path",
        Io::PermissionDenied => "allow reading it, or give another file",
        Io::IsADirectory => "give a file with one key per line",
        _ => "give another file, or a copy of it",
    };
    let reason = system::text(error);
    Failure::input(format_args!("{name}: cannot read the keys: {reason}; {advice}"))
}

#[cfg(unix)]
trait Source: Read + std::os::fd::AsFd {}
#[cfg(unix)]
impl<T: Read + std::os::fd::AsFd> Source for T {}
#[cfg(not(unix))]
trait Source: Read {}
#[cfg(not(unix))]
impl<T: Read> Source for T {}

/// A file whose reading ends when a stop is requested, also while it waits for bytes. (The system resumes an interrupted
/// `read`, and another thread may get the signal.)
struct Waiting<'a> {
    file: Box<dyn Source>,
    progress: &'a dyn Progress,
}

impl Read for Waiting<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        {
            use rustix::event::{PollFd, PollFlags, Timespec, poll};
            use rustix::io::Errno;

            const TENTH: Timespec = Timespec {
                tv_sec: 0,
                tv_nsec: 100_000_000,
            };
            let mut files = [PollFd::new(&self.file, PollFlags::IN)];
            while !self.progress.cancelled()
                && matches!(poll(&mut files, Some(&TENTH)), Ok(0) | Err(Errno::INTR))
            {}
        }
        if self.progress.cancelled() {
            // Not `Interrupted`, after which decoders read again.
            return Err(io::Error::other("stopped on request"));
        }
        self.file.read(buffer)
    }
}

/// A source that counts its bytes.
struct Counted<R> {
    source: R,
    count: Rc<Cell<u64>>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.count.set(self.count.get() + read as u64);
        Ok(read)
    }
}

/// Contents that end with an error if they are far larger than the bytes that were taken for them.
struct Bounded<'a> {
    decoder: Box<dyn Read + 'a>,
    taken: Rc<Cell<u64>>,
    given: u64,
}

impl Read for Bounded<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.decoder.read(buffer)?;
        self.given += read as u64;
        if self.given > ALLOWANCE + MAX_RATIO * self.taken.get() {
            return Err(io::Error::other(format!(
                "its contents must not exceed {} MiB plus {MAX_RATIO} times its size (decompress it first if that is wanted)",
                ALLOWANCE >> 20
            )));
        }
        Ok(read)
    }
}
