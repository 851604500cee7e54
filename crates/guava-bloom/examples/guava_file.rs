//! Builds and queries filters in files that Guava reads and writes.
//!
//! ```text
//! cargo run --release -p guava-bloom --example guava_file -- \
//!     build --insertions N --fpp P [--strategy mitz32|mitz64] [--guava 31|33.4] --out FILE < keys
//! cargo run --release -p guava-bloom --example guava_file -- query FILE < keys
//! ```
//!
//! Keys are lines of UTF-8 on standard input, at most 2^28 bytes long, without the LF or CRLF at the end. An empty line
//! is the empty key. The funnel is `Funnels.stringFunnel(StandardCharsets.UTF_8)`. `query` answers every line with
//! `true` or `false` as soon as it arrives.
//!
//! Exit codes: 0 done; 2 an argument, a key or the file is wrong, and standard error says which; 1 the system failed.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _, StdinLock, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use guava_bloom::{
    BloomFilter, Funnel as _, Hash128, Parameters, ProbeCountRule, Strategy, StreamHeader, Utf8,
};
use tempfile::Builder;

/// The longest key in bytes, so that a stream without line ends does not fill the memory.
const LONGEST: usize = 1 << 28;

/// The bytes of one read.
const PIECE: usize = 1 << 18;

/// Builds and queries Bloom filters in files that Guava reads and writes.
#[derive(Parser)]
#[command(after_help = "Keys are lines of UTF-8 on standard input.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Inserts the lines of standard input into a new filter and writes it.
    Build {
        /// The expected number of different keys; 0 counts as 1.
        #[arg(long, allow_negative_numbers = true)]
        insertions: u64,
        /// The false-positive rate, above 0 and below 1.
        #[arg(long, default_value_t = guava_bloom::DEFAULT_FALSE_POSITIVE_RATE, allow_negative_numbers = true)]
        fpp: f64,
        /// The strategy that derives bit positions from the hash.
        #[arg(long, value_enum, default_value_t = Mitz::Mitz64)]
        strategy: Mitz,
        /// The release of Guava whose probe count the filter gets; they differ for filters of few keys.
        #[arg(long, value_enum, default_value_t = Guava::Newer)]
        guava: Guava,
        /// The file to write: a new name, or an empty file or a filter, which is replaced.
        #[arg(long)]
        out: PathBuf,
    },
    /// Answers each line of standard input with `true` or `false`.
    Query {
        /// A filter written by this program or by Guava's `writeTo`.
        file: PathBuf,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Guava {
    /// Guava up to at least 32.1.2.
    #[value(name = "31", alias = "32")]
    Older,
    /// Guava from 33.4.0 on.
    #[value(name = "33.4")]
    Newer,
}

/// The strategy that derives bit positions from the hash.
#[derive(Clone, Copy, ValueEnum)]
enum Mitz {
    /// MURMUR128_MITZ_32, the strategy of Guava before version 17.
    Mitz32,
    /// MURMUR128_MITZ_64, Guava's default.
    Mitz64,
}

impl From<Mitz> for Strategy {
    fn from(mitz: Mitz) -> Self {
        match mitz {
            Mitz::Mitz32 => Self::Murmur128Mitz32,
            Mitz::Mitz64 => Self::Murmur128Mitz64,
        }
    }
}

/// A reason to stop.
enum Failure {
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
            io::ErrorKind::BrokenPipe => Self::Enough,
            _ => Self::System(format!("standard output: {error}")),
        }
    }
}

impl From<guava_bloom::Error> for Failure {
    fn from(error: guava_bloom::Error) -> Self {
        Self::Input(error.to_string())
    }
}

impl Failure {
    /// Returns the failure for wrong input; `place` is a file, or a line of standard input.
    fn input(place: impl Display, what: impl Display) -> Self {
        Self::Input(format!("{place}: {what}"))
    }
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Build {
            insertions,
            fpp,
            strategy,
            guava,
            out,
        } => build(insertions, fpp, strategy, guava, &out),
        Command::Query { file } => query(&file),
    };
    let (message, code) = match done {
        Ok(()) | Err(Failure::Enough) => return ExitCode::SUCCESS,
        Err(Failure::Input(message)) => (message, 2),
        Err(Failure::System(message)) => (message, 1),
    };
    // If standard error is closed, there is nowhere to report this.
    let _ = writeln!(io::stderr(), "error: {message}");
    ExitCode::from(code)
}

fn build(insertions: u64, fpp: f64, strategy: Mitz, guava: Guava, out: &Path) -> Result<(), Failure> {
    let rule = match guava {
        Guava::Older => ProbeCountRule::FromBitsPerInsertion,
        Guava::Newer => ProbeCountRule::FromFalsePositiveRate,
    };
    let parameters = Parameters::with_rule(insertions, fpp, rule)?;
    let present = replaceable(out).map_err(|error| Failure::input(out.display(), error))?;
    let mut filter = BloomFilter::new(Utf8, &parameters.with_strategy(strategy.into()))?;
    for_each_block(|hashes| {
        filter.insert_hashes(hashes);
        Ok(())
    })?;
    write(&filter, out, present.as_ref())
        .map_err(|error| Failure::System(format!("{}: {error}", out.display())))
}

/// Returns what has this name, if anything: a device or a pipe, an empty file or another filter. Refuses any other file,
/// which the user may not want to lose.
fn replaceable(path: &Path) -> io::Result<Option<fs::Metadata>> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        // A dangling link is also "not found".
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => return Ok(None),
        Err(error) => return Err(error),
    };
    if metadata.is_dir() {
        return Err(io::Error::other("this is a folder; choose another name"));
    }
    let mut header = [0; StreamHeader::LEN];
    if metadata.is_file() && metadata.len() > 0 {
        let is_filter = File::open(path)?.read_exact(&mut header).is_ok() && {
            let header = StreamHeader::from_bytes(header);
            header.validate().is_ok() && header.stream_len() == metadata.len()
        };
        if !is_filter {
            return Err(io::Error::other(
                "the file exists and is not a filter; choose another name",
            ));
        }
    }
    Ok(Some(metadata))
}

/// Writes a file that appears, or is replaced, when it is complete; devices and pipes are written to directly.
fn write(filter: &BloomFilter<Utf8>, path: &Path, present: Option<&fs::Metadata>) -> io::Result<()> {
    if present.is_some_and(|metadata| !metadata.is_file()) {
        return filter.write_to(File::options().write(true).open(path)?);
    }
    let mut builder = Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // A link stays, and the file that it names is replaced.
    let place = present.map_or_else(|| Ok(path.to_owned()), |_| path.canonicalize())?;
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
    filter.write_to(&mut file)?;
    file.as_file().sync_all()?;
    match present {
        Some(metadata) => {
            file.as_file().set_permissions(metadata.permissions())?;
            file.persist(place)
        }
        None => file.persist_noclobber(place),
    }
    .map(drop)
    .map_err(|error| error.error)
}

fn query(path: &Path) -> Result<(), Failure> {
    let wrong = |error: &dyn Display| Failure::input(path.display(), error);
    let mut file = File::open(path).map_err(|error| wrong(&error))?;
    let filter = BloomFilter::read_from(&mut file, Utf8).map_err(|error| wrong(&error))?;
    let behind = io::copy(&mut file.take(1), &mut io::sink()).map_err(|error| wrong(&error))?;
    if behind > 0 {
        // Guava reads such a stream and leaves the rest.
        let _ = writeln!(
            io::stderr(),
            "note: {}: the filter takes {} bytes; the rest of the file is ignored",
            path.display(),
            filter.stream_len()
        );
    }

    let mut text = Vec::new();
    let mut output = io::stdout().lock();
    for_each_block(|hashes| {
        text.clear();
        for answer in filter.might_contain_hashes(hashes) {
            text.extend_from_slice(if answer { b"true\n" } else { b"false\n" });
        }
        output.write_all(&text)?;
        Ok(output.flush()?)
    })
}

/// Calls `each` with the hashes of all lines, in blocks of those that arrived together.
fn for_each_block(mut each: impl FnMut(&[Hash128]) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut input = BufReader::with_capacity(PIECE, io::stdin().lock());
    let (mut hashes, mut line) = (Vec::new(), Vec::new());
    for number in 1_u64.. {
        let next = next_hash(&mut input, &mut line, number);
        if let Ok(Some(hash)) = next {
            hashes.push(hash);
            if input.buffer().contains(&b'\n') {
                continue;
            }
        }
        // Lines before a wrong line are answered.
        each(&hashes)?;
        hashes.clear();
        if next?.is_none() {
            break;
        }
    }
    Ok(())
}

/// Hashes the next line without its LF or CRLF; `None` after the last.
fn next_hash(
    input: &mut BufReader<StdinLock<'_>>,
    line: &mut Vec<u8>,
    number: u64,
) -> Result<Option<Hash128>, Failure> {
    let wrong = |what: &dyn Display| Failure::input(format_args!("standard input:{number}"), what);
    line.clear();
    let read = input.take(LONGEST as u64 + 2).read_until(b'\n', line);
    if read.map_err(|error| Failure::System(format!("standard input: {error}")))? == 0 {
        return Ok(None);
    }
    // A carriage return without a line feed is part of the key.
    if line.pop_if(|byte| *byte == b'\n').is_some() {
        line.pop_if(|byte| *byte == b'\r');
    }
    if line.len() > LONGEST {
        return Err(wrong(&format_args!("the line is longer than {LONGEST} bytes")));
    }
    match str::from_utf8(line) {
        Ok(text) => Ok(Some(Utf8.hash(text))),
        Err(error) => Err(wrong(&format_args!("the line is not UTF-8: {error}"))),
    }
}
