//! Filters in files that Guava reads and writes, from the lines of standard input.
//!
//! ```text
//! cargo run --release -p guava-bloom --example guava_file -- \
//!     build --insertions N --fpp P [--strategy mitz32|mitz64] [--guava 31|33.4] --out FILE < keys
//! cargo run --release -p guava-bloom --example guava_file -- query FILE < keys
//! ```
//!
//! Keys are lines of UTF-8; a line ends with LF, or CR and LF, which are not part of the key; an empty line is the empty
//! key. The funnel is `Funnels.stringFunnel(StandardCharsets.UTF_8)`. `query` answers every line with `true` or `false`,
//! as soon as it has arrived.
//!
//! Exit codes: 0 done; 2 the arguments, the keys or the file are wrong, and standard error says which; 1 writing failed.

mod lines;

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use guava_bloom::{BloomFilter, Parameters, ProbeCountRule, Strategy, Utf8};
use lines::HashedLines;

/// Builds and asks Bloom filters in files that Guava reads and writes.
#[derive(Parser)]
#[command(after_help = "Keys are lines of UTF-8 on standard input.")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Puts the lines of standard input into a new filter and writes it.
    Build {
        /// How many different keys are expected; 0 counts as 1.
        #[arg(long, allow_negative_numbers = true)]
        insertions: i128,
        /// The false-positive probability, above 0 and below 1.
        #[arg(long, default_value_t = guava_bloom::DEFAULT_FPP, allow_negative_numbers = true)]
        fpp: f64,
        /// How bit positions follow from the hash.
        #[arg(long, value_enum, default_value_t = Mitz::Mitz64)]
        strategy: Mitz,
        /// Whose number of probes the filter gets: it is another for a few keys.
        #[arg(long, value_enum, default_value_t = Guava::Newer)]
        guava: Guava,
        /// The file to write; it must not exist.
        #[arg(long)]
        out: PathBuf,
    },
    /// Answers each line of standard input with `true` or `false`.
    Query {
        /// A filter that this program or Guava's `writeTo` wrote.
        file: PathBuf,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Mitz {
    /// MURMUR128_MITZ_32, of Guava before version 17.
    Mitz32,
    /// MURMUR128_MITZ_64, Guava's default.
    Mitz64,
}

#[derive(Clone, Copy, ValueEnum)]
enum Guava {
    /// Guava before 33.4.
    #[value(name = "31", alias = "32")]
    Older,
    /// Guava from 33.4 on.
    #[value(name = "33.4")]
    Newer,
}

/// Why the program ends early.
pub(crate) enum Failure {
    /// The arguments, the keys or the file are wrong.
    Input(String),
    /// The program could not write what it should.
    Output(String),
    /// Whoever read standard output has seen enough.
    OutputClosed,
}

impl Failure {
    fn of_file(path: &Path, error: impl std::fmt::Display) -> Self {
        Self::Input(format!("{}: {error}", path.display()))
    }

    fn of_standard_output(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::OutputClosed
        } else {
            Self::Output(format!("standard output: {error}"))
        }
    }
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Build {
            insertions,
            fpp,
            strategy,
            guava,
            out,
        } => build(insertions, fpp, strategy, guava, &out),
        Command::Query { file } => query(&file),
    };
    let (message, code) = match result {
        Ok(()) | Err(Failure::OutputClosed) => return ExitCode::SUCCESS,
        Err(Failure::Input(message)) => (message, 2),
        Err(Failure::Output(message)) => (message, 1),
    };
    // Nobody is left to be told when standard error is closed.
    let _ = writeln!(io::stderr(), "error: {message}");
    ExitCode::from(code)
}

fn build(insertions: i128, fpp: f64, strategy: Mitz, guava: Guava, out: &Path) -> Result<(), Failure> {
    let rule = match guava {
        Guava::Older => ProbeCountRule::FromBitsPerInsertion,
        Guava::Newer => ProbeCountRule::FromFpp,
    };
    let strategy = match strategy {
        Mitz::Mitz32 => Strategy::Murmur128Mitz32,
        Mitz::Mitz64 => Strategy::Murmur128Mitz64,
    };
    let wrong = |error: guava_bloom::ParameterError| Failure::Input(error.to_string());
    let parameters = Parameters::with_rule(insertions, fpp, rule).map_err(wrong)?;
    let exists = || Failure::of_file(out, "the file is there already; choose a name that is not in use");
    // Said again when the file is put in place, but by then the keys are read.
    if out.symlink_metadata().is_ok() {
        return Err(exists());
    }
    let folder = match out.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    // As other programs create files: what the user's mask leaves of it.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder
        .tempfile_in(folder)
        .map_err(|error| Failure::of_file(out, error))?;

    let mut filter = BloomFilter::new(Utf8, &parameters.with_strategy(strategy)).map_err(wrong)?;
    let mut lines = HashedLines::new(io::stdin().lock());
    let mut changed = Vec::new();
    while let Some((hashes, failure)) = lines.next_block() {
        changed.resize(hashes.len(), false);
        filter.put_hashes(hashes, &mut changed);
        if let Some(failure) = failure {
            return Err(failure);
        }
    }

    let unwritten = |error: io::Error| Failure::Output(format!("{}: {error}", out.display()));
    filter.write_to(file.as_file_mut()).map_err(unwritten)?;
    file.as_file().sync_all().map_err(unwritten)?;
    match file.persist_noclobber(out) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(exists()),
        Err(error) => Err(unwritten(error.error)),
    }
}

fn query(path: &Path) -> Result<(), Failure> {
    let mut file = File::open(path).map_err(|error| Failure::of_file(path, error))?;
    let filter = BloomFilter::read_from(&mut file, Utf8).map_err(|error| Failure::of_file(path, error))?;
    let behind =
        io::copy(&mut file.take(1), &mut io::sink()).map_err(|error| Failure::of_file(path, error))?;
    if behind > 0 {
        // Guava reads such a stream and leaves the rest.
        let _ = writeln!(
            io::stderr(),
            "note: {}: the file goes on behind its filter of {} bytes; the rest is not looked at",
            path.display(),
            filter.stream_len()
        );
    }

    let mut lines = HashedLines::new(io::stdin().lock());
    let mut answers = Vec::new();
    let mut text = Vec::new();
    let mut output = io::stdout().lock();
    while let Some((hashes, failure)) = lines.next_block() {
        answers.resize(hashes.len(), false);
        filter.might_contain_hashes(hashes, &mut answers);
        text.clear();
        for &answer in &answers {
            text.extend_from_slice(if answer { b"true\n" } else { b"false\n" });
        }
        output
            .write_all(&text)
            .and_then(|()| output.flush())
            .map_err(Failure::of_standard_output)?;
        if let Some(failure) = failure {
            return Err(failure);
        }
    }
    Ok(())
}
