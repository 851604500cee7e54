//! `query`: looks up keys in a filter or a set.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use filter_sets::{Access, Filter, FilterSet, Format, Opening};
use key_input::{KeyForm, KeyKind, Keys, sources};
use membership_filters::{Hashing as _, Xxph3, envelope};
use terminal::failure::Failure;
use terminal::interrupt::Interrupt;

use super::numbers::share;
use super::{check_format, encoding, failure, note, wrong};
use crate::inspection::{is_named_like_a_table, lookup, shown};

/// The number of keys that are looked up together at most.
const TOGETHER: usize = 4096;

/// The length in bytes of the longest key.
const LONGEST: u64 = 512 << 20;

/// Query a filter or a set for the keys on standard input or in files, one a line.
///
/// Prints `maybe` or `no` for each key, in order: `no` is certain. Answers come as soon as their lines are complete, so
/// that a program can query through a pipe.
///
/// PATH is a file with a filter, or the folder of a set: both state format and type, and contradicting options are
/// refused. Stored bytes alone never state the type, so that --type is needed. They identify the format if they are streams of Guava or Spark or
/// filters of membership-filters, but not if they are filters of policies. In a table of LevelDB or RocksDB, each key
/// is looked up in the filter that answers for it, or in every filter if the table does not show that the database
/// orders keys by their bytes. (`inspect` looks up a value in a Parquet file.)
///
/// Keys are read as by build. In a table, --type long is a key of eight bytes, the lowest first; other numbers are binary.
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("kind", |kind| kind.help(
        "The kind of key that a line stands for: only for stored bytes alone and tables [default for tables: line]"
    )),
    after_help = "Examples:\n  {program} query users.bloom < keys.txt\n  {program} query --map users.set < keys.txt\n  \
        {program} query ids.spark --type long < ids.txt\n  {program} query raw.filter --format ribbon --type line < keys.txt\n\n\
        Exit codes: 0 done; 1 the set or the table is damaged; 2 the table is not read, or the input or the arguments are wrong; 130 stopped."
)]
pub struct Arguments {
    /// A file with a filter, the folder of a set, or a table (.ldb, .sst)
    path: PathBuf,
    /// The format of the filter, as for build: only for stored bytes alone
    #[arg(long, value_name = "NAME", value_parser = Format::named)]
    format: Option<Format>,
    /// Files with a key a line, also compressed by gzip or Zstandard; - or none is standard input
    #[arg(long, value_name = "FILE", num_args = 1..)]
    keys: Vec<PathBuf>,
    #[command(flatten)]
    form: KeyForm,
    /// Map the files into memory in place of reading them. Truncating a mapped file crashes this program with SIGBUS
    #[arg(long)]
    map: bool,
    /// Do not compare the checksums of filters, which saves reading them completely. Damage may then deny keys
    #[arg(long)]
    no_verify: bool,
}

/// The lookup of many keys in the opened filter, set or table.
type Contains = Box<dyn Fn(&[Vec<u8>]) -> Vec<bool>>;

/// Answers for the keys.
///
/// # Errors
///
/// If the filter or the set cannot be opened, or a line is no item.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { path, format, .. } = arguments;
    let access = [Access::Read, Access::Map][usize::from(arguments.map)];
    let opening = Opening {
        access,
        verify: !arguments.no_verify,
    };
    let (contains, kind): (Contains, _) = if path.is_dir() {
        let set = FilterSet::open(path, opening).map_err(failure)?;
        let generation = set.generation();
        let manifest = generation.manifest();
        check_format(path, format.as_ref(), manifest)?;
        let kind = check_kind(arguments, &manifest.key_kind)?;
        (Box::new(move |keys| set.contains_many(keys)), kind)
    } else if format.is_none() && is_named_like_a_table(path) {
        let may_hold = lookup::open(path).map_err(|error| {
            let failure = if error.is_damage() {
                Failure::internal
            } else {
                Failure::input
            };
            failure(format!("{}: {error}", shown(path)))
        })?;
        if let Some(all) = &may_hold.all {
            let text = format!(
                "the table does not show which of its filters answers for a key, so each key is looked up in all {}: an absent key matches with a probability of {}",
                all.count,
                share(all.rate)
            );
            note(path.display(), text);
        }
        let kind = arguments.form.kind.unwrap_or(KeyKind::Line);
        if kind == KeyKind::Long {
            let text = "--type long looks for keys of eight bytes, the lowest first; databases store numbers in many forms, and \
                        \"no\" is certain of this one alone: give other bytes, such as the highest first, as --type binary";
            note(path.display(), text);
        }
        let answers = move |keys: &[Vec<u8>]| keys.iter().map(|key| (may_hold.answer)(key)).collect();
        (Box::new(answers), kind)
    } else {
        let known = format.clone().or_else(|| Format::of_file(path));
        let encoding = encoding(arguments.form.kind.unwrap_or(KeyKind::Line));
        let given = known.map(|format| format.encoding(encoding));
        let filter = Filter::open(path, given.as_ref(), opening).map_err(failure)?;
        let kind = match filter.header() {
            Some(header) => check_kind(arguments, &header.key_kind)?,
            None => arguments.form.kind.ok_or_else(|| {
                let reason = "its bytes do not state the kind of key: give the --type that it was built with, line, long, \
                              string or binary";
                wrong(path, reason)
            })?,
        };
        if filter.header().is_none() && is_of_program(path) {
            let text = "a program wrote this filter, which does not state its kind of key: --type long is for integers, the \
                        others are for text and bytes; only that program can query tuples";
            note(path.display(), text);
        }
        (Box::new(move |keys| filter.contains_many(keys)), kind)
    };
    let interrupt = Interrupt::listen()?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    let form = KeyForm {
        kind: Some(kind),
        ..arguments.form.clone()
    };
    let mut batch = Vec::new();
    for path in sources(&arguments.keys)? {
        let mut keys = Keys::open(path, &form, LONGEST, &interrupt)?;
        loop {
            let read = keys.next_batch(TOGETHER, &mut batch);
            // Keys before a wrong line are answered, too.
            for answer in contains(&batch) {
                out.write_all(if answer { b"maybe\n" } else { b"no\n" })?;
            }
            out.flush()?;
            read?;
            if batch.is_empty() {
                break;
            }
        }
    }
    Ok(())
}

/// Returns true if the filter has the fast hash of `membership-filters`, which does not distinguish integers and
/// tuples from bytes.
fn is_of_program(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(envelope::HEADER_LEN).read_to_end(&mut head));
    read.is_ok() && envelope::hash_id(&head).is_ok_and(|id| id == Xxph3.hash_id())
}

/// Checks that the arguments do not contradict the kind of key that the file states, and returns it.
fn check_kind(arguments: &Arguments, stated: &str) -> Result<KeyKind, Failure> {
    match (arguments.form.kind, KeyKind::named(stated)) {
        (Some(given), Some(known)) if given != known => {
            let given = given.name();
            let reason = format_args!(
                "the type must be {stated:?} as in the file, got {given:?}: leave the option out"
            );
            Err(wrong(&arguments.path, reason))
        }
        (given, known) => given.or(known).ok_or_else(|| {
            Failure::input(format_args!(
                "the stated type {stated:?} is not known: give --type line, long, string or binary"
            ))
        }),
    }
}
