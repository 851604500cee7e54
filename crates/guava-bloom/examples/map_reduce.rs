//! Builds one filter in many processes: mappers build partial filters of their keys, and reducers merge them into one,
//! byte for byte the filter that one process would build. Every mapper needs the same size: `--insertions` counts all
//! keys.
//!
//! ```text
//! split -n l/4 keys.txt part.
//! for part in part.??; do
//!     map_reduce map --insertions 1000000 --fpp 0.01 < $part > $part.filter &
//! done; wait
//! map_reduce reduce --out keys.filter part.??.filter
//! ```
//!
//! With `--base64` a filter is one line of text (a constant key, a tab, and the stream in base64) for engines that pipe
//! lines. `reduce` without files reads such lines. With `--base64` it also writes one, so it can be a combiner too.
//! Hadoop Streaming:
//!
//! ```text
//! hadoop jar hadoop-streaming.jar -D mapreduce.job.reduces=1 -files map_reduce -input keys -output merged \
//!     -mapper './map_reduce map --insertions 1000000 --fpp 0.01 --base64' \
//!     -combiner './map_reduce reduce --base64' -reducer './map_reduce reduce --base64'
//! hadoop fs -cat 'merged/part-*' | map_reduce reduce --out keys.filter
//! ```
//!
//! Spark, with `repartition` because `coalesce(1)` would run the mappers one after the other:
//!
//! ```text
//! keys.pipe("./map_reduce map --insertions 1000000 --fpp 0.01 --base64")
//!     .repartition(1)
//!     .pipe("./map_reduce reduce --base64")
//!     .saveAsTextFile("merged")
//! ```
//!
//! A key is a line of at most 2^28 bytes without its LF or CRLF, hashed as UTF-8 like `Funnels.stringFunnel(UTF_8)`.

mod input;
mod keys;
mod output;

use std::fs::File;
use std::io::{self, BufWriter, Read as _, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use base64::write::EncoderWriter;
use clap::{Args, Parser};
use guava_bloom::{BloomFilter, ErrorKind, Parameters, Utf8, merge_streams};

use self::input::{Failure, open};
use self::keys::{Mitz, insert_lines};
use self::output::Output;

/// The key of every line. Equal keys go to one reducer.
const KEY: &str = "filter";

/// The longest line in bytes, so that an endless line does not fill the memory: filters of up to 768 MiB. Larger
/// filters need files.
const LONGEST_LINE: usize = 1 << 30;

const MORE: &str = "more bytes follow the filter";

#[derive(Parser)]
#[command(about = "Builds one Guava Bloom filter in many processes")]
enum Arguments {
    /// Build a partial filter from keys, one per line of standard input, and write it to standard output
    Map(Map),
    /// Merge partial filters from files, or from lines of standard input, into one filter
    Reduce(Reduce),
}

#[derive(Args)]
struct Map {
    /// Expected insertions of all mappers together
    #[arg(long, allow_negative_numbers = true)]
    insertions: u64,
    /// False-positive rate, above 0 and below 1
    #[arg(long, allow_negative_numbers = true)]
    fpp: f64,
    #[arg(long, value_enum, default_value = "mitz64")]
    strategy: Mitz,
    /// Write a line of text
    #[arg(long)]
    base64: bool,
}

#[derive(Args)]
struct Reduce {
    /// File of the result: a new name, or an empty file or a filter, which is replaced when the result is complete
    /// [default: standard output]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Write a line of text, or nothing if there is no partial filter
    #[arg(long)]
    base64: bool,
    /// Files of partial filters, which are all open at once
    partials: Vec<PathBuf>,
}

fn unwritten(error: io::Error) -> Failure {
    Failure::system("writing the filter", error)
}

fn main() -> ExitCode {
    input::exit(match Arguments::parse() {
        Arguments::Map(arguments) => map(&arguments),
        Arguments::Reduce(arguments) if arguments.partials.is_empty() => reduce_lines(&arguments),
        Arguments::Reduce(arguments) => reduce_files(&arguments),
    })
}

fn map(arguments: &Map) -> Result<(), Failure> {
    let parameters = Parameters::new(arguments.insertions, arguments.fpp)?;
    let mut filter = BloomFilter::new(Utf8, &parameters.with_strategy(arguments.strategy.into()))?;
    insert_lines(&mut filter)?;
    write_to(None, arguments.base64, |out| {
        filter.write_to(out).map_err(unwritten)
    })
}

/// Merges filters from lines, one after the other, with two of them in memory.
fn reduce_lines(arguments: &Reduce) -> Result<(), Failure> {
    let mut lines = open(None)?;
    lines.longest = LONGEST_LINE;
    let mut merged: Option<BloomFilter<Utf8>> = None;
    while let Some(line) = lines.read()? {
        let added = match (filter_of(line), &mut merged) {
            (Ok(Some(filter)), Some(merged)) => merged.merge(&filter).map_err(|error| error.to_string()),
            (Ok(Some(filter)), None) => {
                merged = Some(filter);
                Ok(())
            }
            (Ok(None), _) => Ok(()),
            (Err(error), _) => Err(error),
        };
        added.map_err(|error| Failure::input(lines.place(), error))?;
    }
    match merged {
        Some(merged) => write_to(arguments.out.as_deref(), arguments.base64, |out| {
            merged.write_to(out).map_err(unwritten)
        }),
        // A reducer may get no filter at all.
        None if arguments.base64 && arguments.out.is_none() => Ok(()),
        None => Err(Failure::input("standard input", "there is no partial filter")),
    }
}

/// Merges all files side by side, with a piece of each in memory.
fn reduce_files(arguments: &Reduce) -> Result<(), Failure> {
    let paths = &arguments.partials;
    let files = paths
        .iter()
        .map(|path| File::open(path).map_err(|error| Failure::input(path.display(), error)))
        .collect::<Result<Vec<File>, Failure>>()?;
    write_to(arguments.out.as_deref(), arguments.base64, |out| {
        merge_streams(&files, out).map_err(|error| match (error.kind(), error.stream()) {
            (ErrorKind::Write, _) => Failure::System(error.to_string()),
            (_, Some(stream)) => Failure::input(paths[stream].display(), error),
            (_, None) => Failure::Input(error.to_string()),
        })?;
        for (path, mut file) in paths.iter().zip(&files) {
            // A second filter after the first, as from `cat`, would be ignored.
            match file.read(&mut [0]) {
                Ok(0) => {}
                Ok(_) => return Err(Failure::input(path.display(), MORE)),
                Err(error) => return Err(Failure::input(path.display(), error)),
            }
        }
        Ok(())
    })
}

/// Writes a filter, as bytes or as a line, to a file that appears when it is complete, or to standard output.
fn write_to(
    path: Option<&Path>,
    as_line: bool,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let write = |out: &mut dyn Write| {
        let mut out = BufWriter::new(out);
        if as_line {
            write_line(&mut out, write)?;
        } else {
            write(&mut out)?;
        }
        out.flush().map_err(unwritten)
    };
    match path {
        Some(path) => Output::to(path)?.write(write),
        None => write(&mut io::stdout().lock()),
    }
}

/// Writes a filter as a line.
fn write_line(
    mut out: &mut dyn Write,
    write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    write!(out, "{KEY}\t").map_err(unwritten)?;
    let mut encoder = EncoderWriter::new(&mut out, &BASE64_STANDARD);
    write(&mut encoder)?;
    encoder.finish().map_err(unwritten)?;
    drop(encoder);
    writeln!(out).map_err(unwritten)
}

/// Parses the filter of a line, its last field that is not empty: a line may lack the key, and engines take such a line
/// for a key and add a tab.
fn filter_of(line: &[u8]) -> Result<Option<BloomFilter<Utf8>>, String> {
    let mut fields = line.split(|&byte| byte == b'\t').map(<[u8]>::trim_ascii);
    let Some(field) = fields.rfind(|field| !field.is_empty()) else {
        return Ok(None);
    };
    let bytes = BASE64_STANDARD.decode(field).map_err(|error| error.to_string())?;
    let filter = BloomFilter::from_bytes(&bytes, Utf8).map_err(|error| error.to_string())?;
    Ok(Some(filter))
}
