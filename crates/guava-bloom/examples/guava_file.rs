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

mod input;

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use guava_bloom::{
    BloomFilter, Funnel as _, Hash128, Parameters, ProbeCountRule, Strategy, StreamHeader, Utf8,
};
use tempfile::Builder;

use self::input::{Failure, Lines, open};

/// The longest key in bytes.
const LONGEST: usize = 1 << 28;

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

fn main() -> ExitCode {
    input::exit(match Arguments::parse().command {
        Command::Build {
            insertions,
            fpp,
            strategy,
            guava,
            out,
        } => build(insertions, fpp, strategy, guava, &out),
        Command::Query { file } => query(&file),
    })
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
    write(&filter, out, present.as_ref()).map_err(|error| Failure::system(out.display(), error))
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
    let mut lines = open(None)?;
    lines.longest = LONGEST;
    let mut hashes = Vec::new();
    loop {
        let next = next_hash(&mut lines);
        if let Ok(Some(hash)) = next {
            hashes.push(hash);
            if lines.reader.buffer().contains(&b'\n') {
                continue;
            }
        }
        // Lines before a wrong line are answered.
        each(&hashes)?;
        hashes.clear();
        if next?.is_none() {
            return Ok(());
        }
    }
}

fn next_hash(lines: &mut Lines) -> Result<Option<Hash128>, Failure> {
    let Some(line) = lines.read()? else {
        return Ok(None);
    };
    match str::from_utf8(line) {
        Ok(text) => Ok(Some(Utf8.hash(text))),
        Err(error) => {
            let what = format!("the line is not UTF-8: {error}");
            Err(Failure::input(lines.place(), what))
        }
    }
}
