//! `query`: looks up keys in filters, sets and tables.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use filter_sets::{Access, FilterSet, Header, MANIFEST, Opening, StoredFilter, StoredFormat};
use key_input::{KeyForm, KeyKind, Keys, sources};
use membership_filters::{Hashing as _, Xxph3, envelope};
use terminal::bar::Terminal;
use terminal::failure::{Failure, escaped};

use super::numbers::share;
use super::{check_format, emptied, encoding, failure, folder_refused, note, wrong};
use crate::inspection::{Given, Unread, is_named_like_a_table, lookup, parquet};

/// The number of keys that are looked up together at most.
const TOGETHER: usize = 4096;

/// The length in bytes of the longest key.
const LONGEST: u64 = 512 << 20;

/// The names of the kinds of keys.
const KINDS: &str = "line, long, int, string, binary or utf-16";

/// Query filters, sets or tables for the keys in files, one a line.
///
/// Prints `maybe` or `no` for each key, in order: `no` is certain. Answers come as soon as their lines are complete, so
/// that a program can query through a pipe. For several paths, prints a line for each path and key: the path, a tab and
/// the answer, for the first key in all paths, then for the next. All paths must have keys of the same type. Control
/// characters in paths are escaped.
///
/// PATH is a file with a filter, or the folder of a set: both state format and type, and contradicting options are
/// refused, as is a type that this program does not know. A filter without keys answers whatever the type. Stored bytes
/// alone never state the type, so that --type is needed. They identify the format if they are streams of Guava or Spark
/// or filters of membership-filters, but not if they are filters of policies. In a table of LevelDB or RocksDB, each key
/// is looked up in the filter that answers for it, or in every filter if the table does not show that the database
/// orders keys by their bytes. (`inspect` looks up a value in a Parquet file.) A filter without a set bit whose header
/// states keys is noted on standard error, and answers `maybe` for every key.
///
/// `no` of a table is about this table alone: its database may have the key in another one or in a log. Where filters have
/// prefixes of keys alone, a key is looked up by its prefix if RocksDB's own extractor made it, which a note reports.
///
/// Keys are read as by build. In a table, --type long is a key of eight bytes, the lowest first; other numbers are binary.
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("kind", |kind| kind.help(
        "The kind of key that a line stands for: only for stored bytes alone and tables [default for tables: line]"
    )),
    after_help = "Examples:\n  {program} query users.bloom < keys.txt\n  {program} query --map users.set < keys.txt\n  \
        {program} query monday.bloom tuesday.bloom < keys.txt\n  {program} query /var/lib/app/db/*.sst < keys.txt\n  \
        {program} query ids.spark --type long < ids.txt\n  {program} query raw.filter --format ribbon --type line < keys.txt\n\n\
        Exit codes: 0 done; 1 a set or a table is damaged; 2 a path is not read, or the input or the arguments are \
        wrong; 130 stopped."
)]
pub struct Arguments {
    /// Files with a filter, folders of sets, or tables (.ldb, .sst)
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// The format of the filters, as for build: only for stored bytes alone
    #[arg(long, value_name = "NAME", value_parser = StoredFormat::named)]
    format: Option<StoredFormat>,
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

/// The lookup of many keys in an opened filter, set or table: whether each may be there.
type Lookup = Box<dyn Fn(&[Vec<u8>]) -> Vec<bool>>;

/// An opened path.
struct Opened {
    lookup: Lookup,
    /// None if the kind of key makes no difference, because there are no keys.
    kind: Option<KeyKind>,
}

impl Opened {
    fn new(kind: Option<KeyKind>, lookup: impl Fn(&[Vec<u8>]) -> Vec<bool> + 'static) -> Self {
        let lookup = Box::new(lookup);
        Self { lookup, kind }
    }
}

/// Answers for the keys.
///
/// # Errors
///
/// If a path cannot be opened or has keys of another kind, or a line is no item.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut all: Vec<Opened> = Vec::new();
    for path in &arguments.paths {
        let opened = open(path, arguments)?;
        let mut stated = all.iter().zip(&arguments.paths);
        let first = stated.find_map(|(first, like)| Some((first.kind?, like.display())));
        if let (Some((first, like)), Some(kind)) = (first, opened.kind)
            && first != kind
        {
            let [first, kind] = [first, kind].map(KeyKind::name);
            let reason = format_args!(
                "the type of its keys must be {first:?} as in {like}, got {kind:?}: query it alone, or give the --type of a table"
            );
            return Err(wrong(path, reason));
        }
        all.push(opened);
    }
    let labels: Vec<String> = match &arguments.paths[..] {
        [_] => vec![String::new()],
        paths => paths.iter().map(|path| format!("{}\t", label(path))).collect(),
    };
    let terminal = Terminal::listen()?;
    let mut out = io::BufWriter::new(io::stdout().lock());
    let form = KeyForm {
        kind: all.iter().find_map(|opened| opened.kind).or(arguments.form.kind),
        ..arguments.form.clone()
    };
    let mut batch = Vec::new();
    for path in sources(&arguments.keys)? {
        let mut keys = Keys::open(path, &form, LONGEST, &terminal)?;
        loop {
            let read = keys.next_batch(TOGETHER, &mut batch);
            // Keys before a wrong line are answered, too.
            let answers: Vec<_> = all.iter().map(|opened| (opened.lookup)(&batch)).collect();
            for key in 0..batch.len() {
                for (label, answers) in labels.iter().zip(&answers) {
                    let answer = if answers[key] { "maybe" } else { "no" };
                    for text in [label, answer, "\n"] {
                        out.write_all(text.as_bytes())?;
                    }
                }
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

/// Returns a path in one line without control characters.
fn label(path: &Path) -> String {
    escaped(&path.to_string_lossy()).replace('\n', "\\u{a}")
}

fn open(path: &Path, arguments: &Arguments) -> Result<Opened, Failure> {
    let format = arguments.format.as_ref();
    let access = [Access::Read, Access::Map][usize::from(arguments.map)];
    let opening = Opening {
        access,
        verify: !arguments.no_verify,
    };
    let given = Given::open(path);
    if path.is_dir() && !path.join(MANIFEST).try_exists().unwrap_or(true) {
        Err(folder_refused(path, &format!("a set, with {MANIFEST}"), "query"))
    } else if path.is_dir() {
        open_set(path, arguments, opening)
    } else if format.is_none() && !given.is_filter && parquet::is_parquet(&given) {
        let reason = "a Parquet file has filters by column: use the command inspect with --column and --key";
        Err(wrong(path, reason))
    } else if format.is_none() && is_named_like_a_table(path) {
        open_table(path, arguments, given)
    } else {
        open_filter(path, arguments, given, opening)
    }
}

fn open_set(path: &Path, arguments: &Arguments, opening: Opening) -> Result<Opened, Failure> {
    let set = FilterSet::open(path, opening).map_err(failure)?;
    let generation = set.generation();
    let manifest = generation.manifest();
    check_format(path, arguments.format.as_ref(), manifest)?;
    let shards = generation.shards();
    if manifest.key_kind == Header::UNDECIDED && shards.iter().all(StoredFilter::is_empty) {
        return Ok(Opened::new(None, |keys| vec![false; keys.len()]));
    }
    let kind = check_kind(path, arguments, &manifest.key_kind, shards[0].format())?;
    let notes: Vec<_> = shards.iter().map(emptied).collect();
    for (text, shard) in notes.iter().zip(&manifest.shards) {
        text.iter()
            .for_each(|text| note(path.join(&shard.file).display(), text));
    }
    Ok(Opened::new(Some(kind), move |keys| {
        let manifest = generation.manifest();
        let mut answers = generation.contains_many(keys);
        for (answer, key) in answers.iter_mut().zip(keys) {
            *answer |= notes[manifest.shard_of(key)].is_some();
        }
        answers
    }))
}

fn open_table(path: &Path, arguments: &Arguments, mut given: Given) -> Result<Opened, Failure> {
    let refused = |unread: Unread| unread.failure(path);
    let file = given.table().map_err(|error| refused(error.into()))?;
    let may_hold = lookup::open(&file).map_err(refused)?;
    if let Some(extractor) = &may_hold.extractor {
        let text = format!(
            "filters have prefixes only ({extractor}): a key is looked up by its prefix, and \"maybe\" is the answer for all keys with a stored one"
        );
        note(path.display(), text);
    }
    if let Some(all) = &may_hold.all {
        let text = format!(
            "the table does not show which of its filters answers for a key, so each key is looked up in all {}: an absent key matches with a probability of {}",
            all.count,
            share(all.rate)
        );
        note(path.display(), text);
    }
    let kind = kind_in_tables(path, arguments);
    let answers = move |keys: &[Vec<u8>]| keys.iter().map(|key| (may_hold.answer)(key)).collect();
    Ok(Opened::new(Some(kind), answers))
}

fn open_filter(
    path: &Path,
    arguments: &Arguments,
    mut given: Given,
    opening: Opening,
) -> Result<Opened, Failure> {
    let format = arguments.format.as_ref();
    let file = given.stored().map_err(failure)?;
    let start = file.header().map_or(0, |_| Header::LEN);
    let is_of_program = is_of_program(file.head().get(start..).unwrap_or_default());
    let given = encoding(arguments.form.kind.unwrap_or(KeyKind::Line));
    let known = format.or(file.format()).cloned();
    let known = known.map(|format| format.encoding(given));
    let mut filter = file.filter(known.as_ref(), opening).map_err(failure)?;
    let emptied = emptied(&filter);
    let (kind, is_stated) = match filter.key_kind() {
        Some(Header::UNDECIDED) if filter.is_empty() => {
            return Ok(Opened::new(None, |keys| vec![false; keys.len()]));
        }
        Some(Header::UNDECIDED | Header::UNSTATED) | None => {
            let reason = format_args!(
                "its bytes do not state the kind of key: give the --type that it was built with, {KINDS}"
            );
            (arguments.form.kind.ok_or_else(|| wrong(path, reason))?, false)
        }
        Some(stated) => (check_kind(path, arguments, stated, filter.format())?, true),
    };
    // A header that states no kind does not state the encoding either.
    if filter.format().key_encoding() != encoding(kind) {
        let format = filter.format().clone().encoding(encoding(kind));
        filter = StoredFilter::from_bytes(Some(&format), filter.stored_bytes())
            .map_err(|error| wrong(path, error))?;
    }
    if !is_stated && is_of_program {
        let text = "a program wrote this filter, which does not state its kind of key: --type long is for integers, the \
                    others are for text and bytes; only that program can query tuples";
        note(path.display(), text);
    }
    if let Some(text) = emptied {
        note(path.display(), text);
        return Ok(Opened::new(Some(kind), |keys| vec![true; keys.len()]));
    }
    Ok(Opened::new(Some(kind), move |keys| filter.contains_many(keys)))
}

/// Returns the kind of key to look up in tables, which do not state it.
fn kind_in_tables(path: &Path, arguments: &Arguments) -> KeyKind {
    let kind = arguments.form.kind.unwrap_or(KeyKind::Line);
    if let KeyKind::Long | KeyKind::Int = kind {
        let (name, bytes) = (kind.name(), if kind == KeyKind::Int { "four" } else { "eight" });
        let text = format!(
            "--type {name} looks for keys of {bytes} bytes, the lowest first; databases store numbers in many forms, and \
             \"no\" is certain of this one alone: give other bytes, such as the highest first, as --type binary"
        );
        note(path.display(), text);
    }
    kind
}

/// Returns true if a filter with these first bytes has the fast hash of `membership-filters`, which does not distinguish
/// integers and tuples from bytes.
fn is_of_program(head: &[u8]) -> bool {
    envelope::hash_id(head).is_ok_and(|id| id == Xxph3.hash_id())
}

/// Returns the kind of key that the file states of a filter of this format. The program must know it, and neither the
/// arguments nor the bytes may contradict it.
fn check_kind(
    path: &Path,
    arguments: &Arguments,
    stated: &str,
    format: &StoredFormat,
) -> Result<KeyKind, Failure> {
    let known = KeyKind::named(stated).ok_or_else(|| {
        let reason = format_args!(
            "the type of its keys must be {KINDS}, got {stated:?}: query it with the program that built it"
        );
        wrong(path, reason)
    })?;
    if let Some(given) = arguments.form.kind.filter(|given| *given != known) {
        let given = given.name();
        let reason =
            format_args!("the type must be {stated:?} as in the file, got {given:?}: leave the option out");
        return Err(wrong(path, reason));
    }
    let (expected, got) = (encoding(known), format.key_encoding());
    if expected != got {
        let reason = format_args!("the keys must be {expected} as in the header, got {got} in the filter");
        return Err(wrong(path, reason));
    }
    Ok(known)
}
