//! One filter from the work of many processes: mappers make partial filters of the keys they are given, reducers make one of
//! their results, byte for byte the filter that one process makes of all keys. Its size must be told to every mapper:
//! `--insertions` counts the keys of all of them.
//!
//! ```text
//! split -n l/4 keys.txt part.
//! for part in part.??; do
//!     map_reduce map --insertions 1000000 --fpp 0.01 < $part > $part.filter &
//! done; wait
//! map_reduce reduce --out keys.filter part.??.filter
//! ```
//!
//! With `--base64` a filter is one line of text, a constant key, a tab and the stream in base64, which every engine that
//! pipes lines can carry. `reduce` without files reads such lines, with `--base64` it also writes one, so that it serves as
//! combiner as well. Hadoop Streaming:
//!
//! ```text
//! hadoop jar hadoop-streaming.jar -D mapreduce.job.reduces=1 -files map_reduce -input keys -output merged \
//!     -mapper './map_reduce map --insertions 1000000 --fpp 0.01 --base64' \
//!     -combiner './map_reduce reduce --base64' -reducer './map_reduce reduce --base64'
//! hadoop fs -cat 'merged/part-*' | map_reduce reduce --out keys.filter
//! ```
//!
//! Spark; `repartition`, because `coalesce(1)` would run the mappers one after the other too:
//!
//! ```text
//! keys.pipe("./map_reduce map --insertions 1000000 --fpp 0.01 --base64")
//!     .repartition(1)
//!     .pipe("./map_reduce reduce --base64")
//!     .saveAsTextFile("merged")
//! ```
//!
//! A key is a line without its end (LF, or CR and LF), hashed as UTF-8, as `Funnels.stringFunnel(UTF_8)` has it.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, BufRead as _, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use base64::prelude::BASE64_STANDARD;
use base64::read::DecoderReader;
use base64::write::EncoderWriter;
use clap::{Args, Parser, ValueEnum};
use guava_bloom::{BloomFilter, MergeError, Parameters, Strategy, Utf8, merge_streams};
use tempfile::NamedTempFile;

/// The key of every line: equal keys come to one reducer.
const KEY: &str = "filter";

#[derive(Parser)]
#[command(about = "Builds one Guava Bloom filter in many processes")]
enum Arguments {
    /// Keys from standard input, a line each; a partial filter to standard output
    Map(Map),
    /// Partial filters from files, or as lines from standard input; one filter
    Reduce(Reduce),
}

#[derive(Args)]
struct Map {
    /// Expected insertions of all mappers together
    #[arg(long, allow_negative_numbers = true)]
    insertions: i128,
    /// False-positive probability, above 0 and below 1
    #[arg(long, allow_negative_numbers = true)]
    fpp: f64,
    #[arg(long, value_enum, default_value = "mitz64")]
    strategy: Mitz,
    /// Write a line of text
    #[arg(long)]
    base64: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Mitz {
    Mitz32,
    Mitz64,
}

#[derive(Args)]
struct Reduce {
    /// File of the result, replaced when it is complete [default: standard output]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Write a line of text; of no partial filter at all, write nothing
    #[arg(long)]
    base64: bool,
    /// Files of partial filters, open all at once
    partials: Vec<PathBuf>,
}

/// What to tell on standard error, and the exit code.
struct Failure(String, u8);

/// Something is wrong with what we were given.
fn input(message: impl Display) -> Failure {
    Failure(message.to_string(), 2)
}

fn output(error: impl Display) -> Failure {
    Failure(format!("writing the filter: {error}"), 1)
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse() {
        Arguments::Map(arguments) => map(&arguments),
        Arguments::Reduce(arguments) if arguments.partials.is_empty() => reduce_lines(&arguments),
        Arguments::Reduce(arguments) => reduce_files(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(message, code)) => {
            eprintln!("{message}");
            ExitCode::from(code)
        }
    }
}

fn map(arguments: &Map) -> Result<(), Failure> {
    let strategy = match arguments.strategy {
        Mitz::Mitz32 => Strategy::Murmur128Mitz32,
        Mitz::Mitz64 => Strategy::Murmur128Mitz64,
    };
    let parameters = Parameters::new(arguments.insertions, arguments.fpp).map_err(input)?;
    let mut filter = BloomFilter::new(Utf8, &parameters.with_strategy(strategy)).map_err(input)?;
    for_each_line(|number, line| {
        let key = str::from_utf8(line).map_err(|error| input(format!("line {number}: {error}")))?;
        filter.put(key);
        Ok(())
    })?;
    write_to(None, arguments.base64, |out| filter.write_to(out).map_err(output))
}

/// One filter after the other: two of them are in memory.
fn reduce_lines(arguments: &Reduce) -> Result<(), Failure> {
    let mut merged: Option<BloomFilter<Utf8>> = None;
    for_each_line(|number, line| {
        let wrong = |error: &dyn Display| input(format!("line {number}: {error}"));
        // A line need not have a key.
        let value = line.rsplit(|&byte| byte == b'\t').next().unwrap_or(line);
        if value.is_empty() {
            return Ok(());
        }
        let mut decoder = DecoderReader::new(value, &BASE64_STANDARD);
        let filter = BloomFilter::read_from(&mut decoder, Utf8).map_err(|error| wrong(&error))?;
        must_end(decoder).map_err(|error| wrong(&error))?;
        match &mut merged {
            Some(merged) => merged.put_all(&filter).map_err(|error| wrong(&error)),
            None => {
                merged = Some(filter);
                Ok(())
            }
        }
    })?;
    match merged {
        Some(merged) => write_to(arguments.out.as_deref(), arguments.base64, |out| {
            merged.write_to(out).map_err(output)
        }),
        // A reducer that no filter came to.
        None if arguments.base64 && arguments.out.is_none() => Ok(()),
        None => Err(input(format!("standard input: {}", MergeError::NoStreams))),
    }
}

/// All files side by side, a piece of each in memory.
fn reduce_files(arguments: &Reduce) -> Result<(), Failure> {
    let paths = &arguments.partials;
    let wrong = |path: &Path, error: &dyn Display| input(format!("{}: {error}", path.display()));
    let files = paths
        .iter()
        .map(|path| File::open(path).map_err(|error| wrong(path, &error)))
        .collect::<Result<Vec<File>, Failure>>()?;
    write_to(arguments.out.as_deref(), arguments.base64, |out| {
        merge_streams(&files, out).map_err(|error| match &error {
            MergeError::Read { stream, error } => wrong(&paths[*stream], error),
            MergeError::Headers { stream, .. } => wrong(
                &paths[*stream],
                &format!("{error}; stream 0 is {}", paths[0].display()),
            ),
            MergeError::Write(error) => output(error),
            _ => input(&error),
        })?;
        for (path, file) in paths.iter().zip(&files) {
            must_end(file).map_err(|error| wrong(path, &error))?;
        }
        Ok(())
    })
}

/// A second filter behind the first, as from `cat`, would be left out.
fn must_end(mut reader: impl Read) -> Result<(), String> {
    match reader.read(&mut [0]) {
        Ok(0) => Ok(()),
        Ok(_) => Err("more bytes follow the filter".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// The lines of standard input without their ends, counted from 1.
fn for_each_line(mut take: impl FnMut(u64, &[u8]) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut lines = io::stdin().lock();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = lines
            .read_until(b'\n', &mut line)
            .map_err(|error| input(format!("standard input: {error}")))?;
        if read == 0 {
            break;
        }
        let bare = line.strip_suffix(b"\n").unwrap_or(&line);
        take(number, bare.strip_suffix(b"\r").unwrap_or(bare))?;
    }
    Ok(())
}

/// Writes a filter as bytes or as a line, to a file that appears when it is complete, or to standard output.
fn write_to(
    path: Option<&Path>,
    as_line: bool,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let Some(path) = path else {
        return write_as(io::stdout().lock(), as_line, write);
    };
    let mut file = beside(path).map_err(output)?;
    write_as(&mut file, as_line, write)?;
    file.persist(path).map_err(output)?;
    Ok(())
}

/// A file in the folder of this one, with the permissions of any new file; by itself it would be its owner's alone.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    builder.tempfile_in(folder.unwrap_or(Path::new(".")))
}

fn write_as(
    out: impl Write,
    as_line: bool,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut out = BufWriter::new(out);
    if as_line {
        write!(out, "{KEY}\t").map_err(output)?;
        let mut encoder = EncoderWriter::new(&mut out, &BASE64_STANDARD);
        write(&mut encoder)?;
        encoder.finish().map_err(output)?;
        drop(encoder);
        writeln!(out).map_err(output)?;
    } else {
        write(&mut out)?;
    }
    out.flush().map_err(output)
}
