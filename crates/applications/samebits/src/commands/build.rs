//! `build`: builds a filter, or a set of filters in shards, of the keys in files.

use std::cell::Cell;
use std::io::{self, IsTerminal as _};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

use filter_sets::{Builder, DEFAULT_MEMORY, Error, FileBuilding, SetBuilding, Size, StoredFormat};
use key_input::{Batch, KeyForm, KeyKind, Keys, sources};
use terminal::bar::Terminal;
use terminal::failure::Failure;
use terminal::number::{self, counted};
use terminal::progress::{Progress as _, go_on};

use super::numbers::{bytes, count, keys, missed_rate, next_size_up, rate, share};
use super::{check_new, encoding, failure, note, print_json, refuse_stdout, wrong};

/// The length in bytes from which on a batch of keys is full.
const BATCH: usize = 1 << 17;

/// The number of batches that wait to be inserted.
const BATCHES: usize = 4;

/// Build a filter of the keys in files, one a line, in any format.
///
/// A key is the bytes of a line without its end, which is a line feed or a carriage return and a line feed. An empty
/// line is the empty key. A line with a zero byte is refused: --type binary and --null read such keys. Repeated keys count once. Neither the order of the keys nor the memory changes a byte of the
/// result.
///
/// Without --shards, the file has a header that describes the filter, then the filter's stored bytes; with --raw, the
/// stored bytes alone. With --shards, PATH is a folder with a manifest.json and a file for each shard, which FORMAT.md
/// of filter-sets describes. An existing set is replaced at once when the new one is on the disk; until then, or if the
/// program is stopped or killed, it stays. Restart a build that was killed.
///
/// Hash values that do not fit into half of the memory go to unnamed files in the folder of PATH. The other half is for
/// the filter that is being built, and limits the length of a key. A larger filter needs --shards.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  {program} build --keys users.txt --rate 1% --out users.bloom\n  \
        cut -f1 log.tsv | {program} build --rate 0.1% --format ribbon --out ids.filter\n  \
        {program} build --keys part-* --rate 1% --shards 64 --memory 2GiB --out users.set\n  \
        {program} build --keys ids.txt --format spark-v1 --type long --capacity 1M --bits 8M --raw --out ids.spark\n  \
        {program} build --keys users.txt --format redisbloom --commands users --out users.resp\n\n\
        Exit codes: 0 done; 1 the result cannot be written; 2 the input or the arguments are wrong; 130 stopped."
)]
pub struct Arguments {
    /// Files with a key a line, also compressed by gzip or Zstandard; - or none is standard input
    #[arg(long, value_name = "FILE", num_args = 1..)]
    keys: Vec<PathBuf>,
    #[command(flatten)]
    form: KeyForm,
    /// The file to write, not standard output; with --shards, the folder
    #[arg(long, value_name = "PATH")]
    out: PathBuf,
    /// False-positive rate: 0.01 or 1%; the default is 1%
    #[arg(long, value_name = "P", value_parser = rate, conflicts_with_all = ["bits_per_key", "bits"])]
    rate: Option<f64>,
    /// Bits per key, in place of a rate
    #[arg(long, value_name = "B", conflicts_with = "bits")]
    bits_per_key: Option<f64>,
    /// The format, by its stored or its short name; an unknown name lists all
    #[arg(long, value_name = "NAME", value_parser = StoredFormat::named, default_value = "guava")]
    format: StoredFormat,
    /// Make a folder with this many shards
    #[arg(long, value_name = "N")]
    shards: Option<u32>,
    /// Build only the shard of this number, counted from 0, into the folder; every key must belong to it. The program
    /// that builds all shards writes the manifest
    #[arg(long, value_name = "I", requires = "shards")]
    shard: Option<u32>,
    /// Write the stored bytes alone, for an engine, Java or Spark. Truncation is then not detected
    #[arg(long, conflicts_with = "shards")]
    raw: bool,
    /// Write the commands that load the filter into Redis under this key, for `redis-cli --pipe`, and replace an
    /// existing one; redisbloom only. If redis-cli reports errors, the old filter stays. With --shards, PATH is a new
    /// folder with a file for each shard N, which loads it under KEY:{N}: a cluster spreads them over its slots
    #[arg(long, value_name = "KEY", conflicts_with_all = ["shard", "raw"])]
    commands: Option<String>,
    /// Most memory to use: 512MiB, 2GiB
    #[arg(long, value_name = "BYTES", value_parser = bytes, default_value_t = DEFAULT_MEMORY)]
    memory: u64,
    /// Size the filter, or each shard, for this many keys in place of the actual number: filters that are merged need
    /// equal sizes. Not for policies
    #[arg(long, alias = "items", value_name = "N", value_parser = keys)]
    capacity: Option<u64>,
    /// Bits of the whole filter, in place of a rate; Spark only
    #[arg(long, value_name = "B", value_parser = count)]
    bits: Option<u64>,
    /// Seed of the hash; spark-v2 only
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    seed: Option<i32>,
    /// Replace an existing file. (A set is replaced without it.)
    #[arg(long, visible_alias = "force")]
    replace: bool,
    /// Print the description of the filter or the manifest of the set as JSON
    #[arg(long)]
    json: bool,
}

/// Builds the filter or the set.
///
/// # Errors
///
/// If the arguments are wrong, keys cannot be read, or the result cannot be written.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut format = arguments.format.clone();
    if let Some(seed) = arguments.seed {
        format = format.seed(seed).map_err(failure)?;
    }
    let kind = arguments.form.kind.unwrap_or(KeyKind::Line);
    let format = format.encoding(encoding(kind));
    let size = match (arguments.bits, arguments.bits_per_key) {
        (Some(bits), _) => Size::Bits(bits),
        (None, Some(bits)) => Size::BitsPerKey(bits),
        (None, None) => Size::Rate(arguments.rate.unwrap_or(0.01)),
    };
    let mut builder = Builder::new(format.clone(), size)
        .replace(arguments.replace)
        .memory(arguments.memory)
        .and_then(|builder| builder.key_kind(&kind.name()))
        .map_err(failure)?;
    if let Some(keys) = arguments.capacity {
        builder = builder.capacity(keys);
    }
    let terminal = Terminal::listen()?;
    let out = &arguments.out;
    refuse_stdout(out)?;
    let is_out = |keys: &&PathBuf| {
        keys.canonicalize()
            .is_ok_and(|keys| out.canonicalize().is_ok_and(|out| out == keys))
    };
    if let Some(keys) = arguments.keys.iter().find(is_out) {
        let reason = "is a file of keys, and is not replaced; give another path";
        return Err(wrong(keys, reason));
    }
    let mut building = Building::start(builder, arguments)?;
    insert_all(arguments, &terminal, &mut building)?;
    let built = Cell::new(0);
    let progress = |keys| {
        built.set(built.get() + keys);
        terminal.count("building", "keys", built.get());
        !terminal.cancelled()
    };
    let (keys, stored, rate) = match building {
        Building::Set(set) => {
            let set = set.finish(&progress).map_err(failure)?;
            if arguments.json {
                print_json(&mut io::stdout(), &set)?;
            }
            (set.len(), set.stored_len(), set.expected_rate())
        }
        Building::File(file) => {
            let filter = file.finish(&progress).map_err(failure)?;
            if arguments.json {
                // Its entry in a manifest, and the format.
                let mut described = serde_json::to_value(&filter).map_err(Failure::internal)?;
                described["format"] = format.name().into();
                print_json(&mut io::stdout(), &described)?;
            }
            (filter.keys, filter.bytes, filter.rate)
        }
    };
    terminal.finish();
    note_rates(arguments, &format, size, (keys, stored, rate));
    if !arguments.json && io::stderr().is_terminal() {
        let rate = rate.map_or_else(String::new, |rate| format!(", {} expected", share(rate)));
        let (keys, bytes) = (counted(keys, "key"), number::bytes(stored));
        note(out.display(), format_args!("{keys}, {bytes}{rate}"));
    }
    Ok(())
}

/// Notes what a user may not expect of a filter or set with so many keys and bytes: too many keys for its capacity, another
/// rate than was wanted, or fewer bits.
fn note_rates(
    arguments: &Arguments,
    format: &StoredFormat,
    size: Size,
    (keys, stored, rate): (u64, u64, Option<f64>),
) {
    // Only a set divides its keys.
    let shards = arguments.shards.filter(|_| arguments.shard.is_none());
    let shards = shards.unwrap_or(1);
    if let (Some(capacity), Size::Rate(wanted), Some(rate)) = (arguments.capacity, size, rate)
        && keys / u64::from(shards) > capacity
        && rate > 1.5 * wanted
    {
        let (keys, rate, wanted) = (counted(keys, "key"), share(rate), share(wanted));
        let text = format!("{keys} are too many for --capacity {capacity}: {rate} expected, not {wanted}");
        note(arguments.out.display(), text);
    }
    let each = (keys / u64::from(shards)).max(1);
    // The rate of one filter of a policy follows from its size, and LevelDB's takes long to compute.
    let expected = match rate {
        Some(rate) if shards == 1 && !format.takes_keys() => Ok(rate),
        _ => format.sizing(each, size).map(|sizing| sizing.rate),
    };
    if let (None, Size::Rate(wanted), Ok(expected)) = (arguments.capacity, size, expected)
        && expected > 1.25 * wanted
        && let Some(capacity) = format.capacity_for_rate(each, wanted)
    {
        note(
            format.short_names()[0],
            missed_rate(each, wanted, expected, capacity),
        );
    }
    if let Size::BitsPerKey(requested) = size {
        let sizing = format.sizing((keys / u64::from(shards)).max(1), size).ok();
        if let Some(next) = sizing.and_then(|sizing| sizing.next_bits_per_key) {
            let text = next_size_up(requested, stored as f64 * 8.0 / keys as f64, next);
            note(format.short_names()[0], text);
        }
    }
}

/// Inserts the keys of all sources: a thread inserts a batch while the next one is read.
fn insert_all(arguments: &Arguments, terminal: &Terminal, building: &mut Building) -> Result<(), Failure> {
    let building = Mutex::new(building);
    let lock = || building.lock().unwrap_or_else(PoisonError::into_inner);
    // A batch would hold such a key once more.
    let insert_long = |key: &[u8]| lock().insert(std::iter::once(key)).map_err(failure);
    thread::scope(|scope| {
        let (batches, waiting) = mpsc::sync_channel(BATCHES);
        let (done, empty) = mpsc::channel::<Batch>();
        let inserting = thread::Builder::new().spawn_scoped(scope, move || {
            waiting.into_iter().try_for_each(|mut batch: Batch| {
                lock().insert(batch.iter())?;
                batch.clear();
                // Nobody takes it at the end.
                let _ = done.send(batch);
                Ok::<_, Error>(())
            })
        });
        let Ok(inserting) = inserting else {
            // The system refuses threads.
            return read_all(arguments, terminal, insert_long, |batch| {
                lock().insert(batch.iter()).map_err(failure)?;
                batch.clear();
                Ok(true)
            });
        };
        let read = read_all(arguments, terminal, insert_long, |batch| {
            let next = empty.try_recv().unwrap_or(Batch::new(BATCH));
            // The thread ends before the keys do if one is refused.
            Ok(batches.send(std::mem::replace(batch, next)).is_ok())
        });
        drop(batches);
        // A key that is refused comes before the one that cannot be read.
        let inserted = inserting
            .join()
            .map_err(|_| Failure::internal("inserting keys failed"))?;
        inserted.map_err(failure).and(read)
    })
}

/// Reads the keys of all sources and passes them in batches, until `take` returns false, or alone if they are long.
fn read_all(
    arguments: &Arguments,
    terminal: &Terminal,
    take_long: impl Fn(&[u8]) -> Result<(), Failure>,
    mut take: impl FnMut(&mut Batch) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let (mut batch, mut read, mut shown) = (Batch::new(BATCH), 0, 0);
    for path in sources(&arguments.keys)? {
        let mut keys = Keys::open(path, &arguments.form, arguments.memory / 2, terminal)?;
        loop {
            let key = match keys.next_key() {
                Ok(Some(key)) => key,
                Ok(None) => break,
                Err(error) => {
                    take(&mut batch)?;
                    return Err(error);
                }
            };
            let before = batch.len();
            if key.len() > BATCH {
                take_long(key)?;
                read += 1;
            } else {
                batch.push(key);
                keys.add_lines(&mut batch);
            }
            read += (batch.len() - before) as u64;
            if batch.is_full() && !take(&mut batch)? {
                return Ok(());
            }
            if read - shown >= 1 << 14 {
                shown = read;
                terminal.count("reading", "keys", read);
                go_on(terminal)?;
            }
        }
    }
    take(&mut batch).map(drop)
}

enum Building {
    File(FileBuilding),
    Set(SetBuilding),
}

impl Building {
    fn start(builder: Builder, arguments: &Arguments) -> Result<Self, Failure> {
        let out = &arguments.out;
        let building = match (arguments.shards, arguments.shard) {
            (Some(shards), None) => {
                let set = match &arguments.commands {
                    Some(key) => builder.commands_folder(out, key.as_bytes(), shards),
                    None => builder.set(out, shards),
                };
                set.map(Building::Set)
            }
            (Some(shards), Some(shard)) => builder.shard(out, shard, shards).map(Building::File),
            (None, _) => {
                check_new(out, arguments.replace)?;
                let file = match &arguments.commands {
                    Some(key) => builder.commands_file(out, key.as_bytes()),
                    None if arguments.raw => builder.raw_file(out),
                    None => builder.file(out),
                };
                file.map(Building::File)
            }
        };
        building.map_err(failure)
    }

    fn insert<'k>(&mut self, mut keys: impl Iterator<Item = &'k [u8]>) -> Result<(), Error> {
        match self {
            Self::File(file) => keys.try_for_each(|key| file.insert(key)),
            Self::Set(set) => keys.try_for_each(|key| set.insert(key)),
        }
    }
}
