//! Builds filters and sets from any number of keys in bounded memory.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::thread::{self, ScopedJoinHandle};

use membership_filters::Encoding;
use rayon::ThreadPool;
use rayon::iter::{IntoParallelIterator as _, IntoParallelRefIterator as _, ParallelIterator as _};
use sha2::{Digest as _, Sha256};

use crate::bytes::Sum;
use crate::error::{Error, ensure};
use crate::filled::Unfinished;
use crate::filter::StoredFilter;
use crate::folder::{Lock, write_filter};
use crate::format::{GoOn, Hasher, Plan, Rate, Size, StoredFormat};
use crate::formats::{formats, names};
use crate::header::{Header, check_key_kind};
use crate::key::{KeyBytes, SetKey, encoding_of, kind_of};
use crate::manifest::{Manifest, SHARD_SEED, ShardFunction};
use crate::shard::{MAX_SHARDS, Shard};
use crate::spill::{Spilled, Values, threads};

/// The default memory for building: 1 GiB.
pub const DEFAULT_MEMORY: u64 = 1 << 30;

/// The least memory: 16 MiB.
pub const MIN_MEMORY: u64 = 16 << 20;

/// A callback that receives the number of keys that a step has processed. It returns false to stop the building.
pub type Progress<'a> = &'a dyn Fn(u64) -> bool;

/// The parameters of a filter or a set.
///
/// A key counts once, however often it is inserted. Neither the order of the keys nor the memory changes a byte of the
/// result, unless [`keep_order`](Self::keep_order) is called.
#[derive(Debug, Clone)]
pub struct Builder {
    format: StoredFormat,
    size: Size,
    key_kind: String,
    capacity: Option<u64>,
    memory: u64,
    replace: bool,
    keeps_order: bool,
}

impl Builder {
    /// Makes the parameters of filters of this format and size, with [`DEFAULT_MEMORY`]. The kind of key is that of the
    /// format's [encoding](StoredFormat::encoding): `long`, `int` or `utf-16`, and `line` for others.
    pub fn new(format: StoredFormat, size: Size) -> Self {
        Self {
            key_kind: kind_of(format.encoding).to_owned(),
            format,
            size,
            capacity: None,
            memory: DEFAULT_MEMORY,
            replace: true,
            keeps_order: false,
        }
    }

    /// Builds a single filter from its keys in the order in which each came first, as far as half of the
    /// [memory](Self::memory) holds their hash values; otherwise the order is that of the hash values. The bytes of Ribbon
    /// and cuckoo filters and of RedisBloom's depend on it: in the order of the keys they are those that RocksDB and
    /// Redis write.
    #[must_use]
    pub const fn keep_order(mut self) -> Self {
        self.keeps_order = true;
        self
    }

    /// Sets whether the file of a single filter replaces an existing one, which is the default. Otherwise finishing
    /// fails if there is a file, even one that was created after the start.
    #[must_use]
    pub const fn replace(mut self, replace: bool) -> Self {
        self.replace = replace;
        self
    }

    /// Sets the kind of key that files and manifests state, for programs that read keys as text: `line`, `long`,
    /// `int`, `string`, `binary`, or, for keys of bytes, what this program chooses. `long`, `int` and `utf-16` also set the format's
    /// [encoding](StoredFormat::encoding) to integers of 64 or 32 bits, or to UTF-16 units.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) unless it has 1 to [`Header::MAX_KEY_KIND`] visible characters
    /// of ASCII, or if the format has an encoding of other keys.
    pub fn key_kind(mut self, kind: &str) -> Result<Self, Error> {
        check_key_kind(kind)?;
        let (encoding, expected) = (self.format.encoding, kind_of(self.format.encoding));
        let of_kind = encoding_of(kind).unwrap_or(match expected {
            "line" => encoding,
            _ => Encoding::BYTES,
        });
        ensure([of_kind, Encoding::BYTES].contains(&encoding), || {
            format!("the kind of keys that are {encoding} must be {expected:?}, got {kind:?}")
        })?;
        self.format = self.format.encoding(of_kind);
        kind.clone_into(&mut self.key_kind);
        Ok(self)
    }

    /// Sizes each filter, or each shard, for this many keys in place of those that are inserted: filters that are
    /// merged later need equal sizes. Only for formats that are not policies: filters of policies are sized by their
    /// keys, and building one fails at the start.
    #[must_use]
    pub const fn capacity(mut self, keys: u64) -> Self {
        self.capacity = Some(keys);
        self
    }

    /// Sets the most memory in bytes that building uses, apart from some megabytes for the program itself.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) for less than [`MIN_MEMORY`].
    pub fn memory(mut self, bytes: u64) -> Result<Self, Error> {
        let reason = || format!("the memory must be at least {MIN_MEMORY} bytes, got {bytes}");
        ensure(bytes >= MIN_MEMORY, reason)?;
        self.memory = bytes;
        Ok(self)
    }

    /// Starts to build one filter in memory, to query, clone, merge or write it. Hash values that do not fit into memory
    /// go to unnamed files in the [folder for temporary files](std::env::temp_dir).
    ///
    /// ```
    /// use filter_sets::{Builder, Size, StoredFilter, StoredFormat};
    ///
    /// let mut building = Builder::new(StoredFormat::named("split-block")?, Size::Rate(0.01)).in_memory()?;
    /// for fruit in ["apple", "banana"] {
    ///     building.insert(fruit)?;
    /// }
    /// let filter = building.finish(&|_| true)?;
    /// assert!(filter.contains("apple"));
    /// assert_eq!(filter.key_count(), Some(2));
    ///
    /// // As a file would have it.
    /// let read = StoredFilter::from_bytes(None, filter.to_bytes())?;
    /// assert!(read.contains("banana"));
    /// # Ok::<(), filter_sets::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) if the size does not suit the format.
    pub fn in_memory(&self) -> Result<MemoryBuilding, Error> {
        let keys = self.start(&std::env::temp_dir(), 1)?;
        Ok(MemoryBuilding { keys })
    }

    /// Starts to build one filter in a file with a header. Hash values that do not fit into memory go to unnamed files
    /// in the same folder.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) if the size does not suit the format.
    pub fn file(&self, path: impl AsRef<Path>) -> Result<FileBuilding, Error> {
        self.one(path.as_ref(), FileForm::Sealed)
    }

    /// Starts to build one filter in a file that has the stored bytes alone, for engines and other programs. Such a
    /// file does not show whether it is whole, nor, for a policy, the format.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) if the size does not suit the format.
    pub fn raw_file(&self, path: impl AsRef<Path>) -> Result<FileBuilding, Error> {
        self.one(path.as_ref(), FileForm::Raw)
    }

    /// Starts to build one filter in a file of commands for `redis-cli --pipe`, which load it into Redis under this
    /// key. Until all of them ran, the server answers from the old filter.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) if the size does not suit the format, or no commands load it.
    pub fn commands_file(&self, path: impl AsRef<Path>, key: &[u8]) -> Result<FileBuilding, Error> {
        self.check_commands()?;
        self.one(path.as_ref(), FileForm::Commands(key.to_vec()))
    }

    /// Starts to build a folder of commands that load a filter for each shard into Redis. The file
    /// `shard-NNNNN-of-NNNNN.resp` loads shard N under `KEY:{N}`, so that a cluster spreads the shards over its slots.
    /// The [`ShardFunction`] gives the shard of a key.
    ///
    /// # Errors
    ///
    /// The errors of [`commands_file`](Self::commands_file) and [`set`](Self::set);
    /// [`InvalidArgument`](Error::InvalidArgument) for a key with a brace. The folder must be empty or missing.
    pub fn commands_folder(
        &self,
        folder: impl AsRef<Path>,
        key: &[u8],
        shards: u32,
    ) -> Result<SetBuilding, Error> {
        self.check_commands()?;
        ensure(!key.contains(&b'{'), || {
            let key = key.escape_ascii();
            format!(
                "the key of shards must have no brace, which would put all of them into one slot of a cluster, got {key}"
            )
        })?;
        self.shards(folder.as_ref(), shards, Some(key.to_vec()))
    }

    fn check_commands(&self) -> Result<(), Error> {
        if self.format.has_commands() {
            return Ok(());
        }
        let with = names(formats().filter(|format| format.has_commands()));
        let reason = format_args!("no commands load it into Redis; {with} has them");
        Err(self.format.wrong(Error::argument(reason)))
    }

    /// Starts to build one shard of a set that many machines build. Its file goes into the set's folder, which must be
    /// there, under the name that [`set`](Self::set) gives it. The program that builds all shards locks the folder and
    /// writes the manifest: `FORMAT.md` describes it, `examples/build_on_spark.py` does it.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) if the size does not suit the format, or there is no shard of
    /// this number.
    pub fn shard(&self, folder: impl AsRef<Path>, number: u32, shards: u32) -> Result<FileBuilding, Error> {
        check_shards(shards)?;
        let reason = || format!("the number of the shard must be below {shards}, got {number}");
        ensure(number < shards, reason)?;
        self.one(folder.as_ref(), FileForm::Shard(number, shards))
    }

    fn one(&self, path: &Path, form: FileForm) -> Result<FileBuilding, Error> {
        let folder = match form {
            FileForm::Shard(..) => Some(path),
            _ => path.parent().filter(|folder| !folder.as_os_str().is_empty()),
        };
        Ok(FileBuilding {
            keys: self.start(folder.unwrap_or(Path::new(".")), 1)?,
            path: path.to_path_buf(),
            form,
        })
    }

    /// Starts to build a set of shards in this folder, which is created if it does not exist, and locks it.
    ///
    /// # Errors
    ///
    /// [`Locked`](Error::Locked) if another process builds there; [`InvalidArgument`](Error::InvalidArgument)
    /// if the folder holds anything but a set or what a killed build left, the size does not suit the format, or the
    /// number of shards is not 1 to [`MAX_SHARDS`]; [`Write`](Error::Write) if it cannot be made.
    pub fn set(&self, folder: impl AsRef<Path>, shards: u32) -> Result<SetBuilding, Error> {
        self.shards(folder.as_ref(), shards, None)
    }

    fn shards(&self, folder: &Path, shards: u32, commands: Option<Vec<u8>>) -> Result<SetBuilding, Error> {
        check_shards(shards)?;
        let lock = Lock::take(folder, commands.is_some())?;
        let keys = self.start(&lock.folder, shards)?;
        Ok(SetBuilding { keys, lock, commands })
    }

    fn start(&self, folder: &Path, shards: u32) -> Result<KeyCollector, Error> {
        let (longest, name) = (Header::MAX_FORMAT, self.format.name());
        let reason = || format!("the format's name must have at most {longest} bytes, got {name:?}");
        ensure(name.len() <= longest, reason)?;
        // Refuses parameters that suit no number of keys before a key is read.
        let plan = |keys| self.format.plan(keys, self.capacity, self.size).map(drop);
        match self.capacity {
            Some(keys) => plan(keys)?,
            // Rates of a few keys, and of very many, take longest to compute.
            None => plan(1_000).or_else(|error| match plan(1).or_else(|_| plan(1_000_000)) {
                Ok(()) => Ok(()),
                Err(_) => Err(error),
            })?,
        }
        let hasher = self.format.hasher();
        let hasher = hasher.map_err(|reason| self.format.wrong(reason))?;
        let values: Box<dyn Values> = match (hasher.is_narrow, shards) {
            (true, 1) => Box::new(Spilled::<u64>::new(self.memory, folder, self.keeps_order)),
            (true, _) => Box::new(Spilled::<(u32, u64)>::new(self.memory, folder, false)),
            (false, 1) => Box::new(Spilled::<u128>::new(self.memory, folder, self.keeps_order)),
            (false, _) => Box::new(Spilled::<(u32, u128)>::new(self.memory, folder, false)),
        };
        Ok(KeyCollector {
            builder: self.clone(),
            shards,
            function: ShardFunction::default(),
            hasher,
            values,
        })
    }

    /// States in the header of a single filter what it was made for.
    fn stated_in(&self, header: Header) -> Header {
        let capacity = self.capacity.unwrap_or(header.keys);
        header.made_for(capacity, self.size)
    }
}

fn check_shards(shards: u32) -> Result<(), Error> {
    let reason = || format!("the number of shards must be between 1 and {MAX_SHARDS}, got {shards}");
    ensure((1..=MAX_SHARDS).contains(&shards), reason)
}

/// Adds to a header what follows from the bits.
fn sealed(header: Header, filter: &Unfinished) -> Result<Header, Error> {
    let mut sum = Sum::default();
    filter.write(&mut sum).map_err(Error::argument)?;
    Ok(Header {
        bytes: sum.bytes,
        sha256: sum.sha256(),
        rate: Some(header.rate.unwrap_or_else(|| filter.rate())),
        ..header
    })
}

/// The form in which a filter is written.
enum FileForm {
    Sealed,
    Raw,
    /// The key in Redis under which commands load the filter.
    Commands(Vec<u8>),
    /// A shard's number, and the number of shards.
    Shard(u32, u32),
}

/// A filter in memory that is being built.
pub struct MemoryBuilding {
    keys: KeyCollector,
}

impl MemoryBuilding {
    /// Inserts a key.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) if the filter has keys of another [form](SetKey);
    /// [`Write`](Error::Write) if the disk is full.
    #[inline]
    pub fn insert<'k>(&mut self, key: impl Into<SetKey<'k>>) -> Result<(), Error> {
        self.keys.encode(key.into(), |keys, key| keys.insert(0, key))
    }

    /// Builds the filter of all keys. Its bytes are those of the [file](Builder::file) that they give.
    ///
    /// # Errors
    ///
    /// [`MemoryTooSmall`](Error::MemoryTooSmall); [`Stopped`](Error::Stopped); [`Write`](Error::Write).
    pub fn finish(self, progress: Progress<'_>) -> Result<StoredFilter, Error> {
        let builder = self.keys.builder.clone();
        let mut built = Err(Error::argument("there is no filter"));
        self.keys.build(0, 1, progress, |header, filter| {
            built = StoredFilter::built(builder.format.clone(), builder.stated_in(header), filter);
            Ok(())
        })?;
        built
    }
}

/// A filter in a file that is being built.
pub struct FileBuilding {
    keys: KeyCollector,
    /// The file; of a shard, the folder.
    path: PathBuf,
    form: FileForm,
}

impl FileBuilding {
    /// Inserts a key.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) if the filter has keys of another [form](SetKey), or the key belongs
    /// to another shard than the one that is built; [`Write`](Error::Write) if the disk is full.
    #[inline]
    pub fn insert<'k>(&mut self, key: impl Into<SetKey<'k>>) -> Result<(), Error> {
        self.keys.encode(key.into(), |keys, key| {
            if let FileForm::Shard(number, shards) = self.form {
                let of = keys.function.shard_of(key, shards);
                let reason = || {
                    let key = key.escape_ascii();
                    format!("the key \"{key}\" must be one of shard {number}, got one of shard {of}")
                };
                ensure(of == number, reason)?;
            }
            keys.insert(0, key)
        })
    }

    /// Builds the filter of all keys and writes its file, which appears, or is replaced, when it is complete. Returns
    /// its description.
    ///
    /// # Errors
    ///
    /// [`MemoryTooSmall`](Error::MemoryTooSmall); [`InvalidArgument`](Error::InvalidArgument) if there is a
    /// file that [`Builder::replace`] keeps; [`Stopped`](Error::Stopped); [`Write`](Error::Write).
    pub fn finish(self, progress: Progress<'_>) -> Result<Shard, Error> {
        let Self { keys, path, form } = self;
        let (number, shards) = match form {
            FileForm::Shard(number, shards) => (number, shards),
            _ => (0, 1),
        };
        let builder = keys.builder.clone();
        let Builder { replace, format, .. } = &builder;
        let mut written = Err(Error::argument("there is no filter"));
        keys.build(number, shards, progress, |header, filter| {
            let header = match form {
                // It follows from the manifest.
                FileForm::Shard(..) => header,
                _ => builder.stated_in(header),
            };
            let header = sealed(header, &filter)?;
            let mut entry = header.entry();
            let (path, replace) = match form {
                FileForm::Shard(..) => (path.join(&entry.file), true),
                _ => (path.clone(), *replace),
            };
            let mut short = None;
            if matches!(form, FileForm::Raw) && header.bytes < 64 {
                let mut stored = Vec::new();
                filter.write(&mut stored).map_err(Error::argument)?;
                let stored = format.bare(stored);
                (entry.bytes, entry.sha256) = (stored.len() as u64, hex::encode(Sha256::digest(&stored)));
                short = Some(stored);
            }
            let write = |file: &mut dyn Write| match (&form, &short) {
                (_, Some(stored)) => file.write_all(stored),
                (FileForm::Commands(key), None) => filter.write_commands(key, file),
                _ => filter.write(file),
            };
            let is_sealed = matches!(form, FileForm::Sealed | FileForm::Shard(..));
            write_filter(&path, replace, is_sealed.then_some(&header), write)?;
            let name = path.file_name().unwrap_or_default();
            entry.file = name.to_string_lossy().into_owned();
            written = Ok(entry);
            Ok(())
        })?;
        written
    }
}

/// A set of shards that is being built. Its folder is locked.
pub struct SetBuilding {
    keys: KeyCollector,
    lock: Lock,
    /// The key in Redis, if the files are commands.
    commands: Option<Vec<u8>>,
}

impl SetBuilding {
    /// Inserts a key.
    ///
    /// # Errors
    ///
    /// [`InvalidArgument`](Error::InvalidArgument) if the set has keys of another [form](SetKey);
    /// [`Write`](Error::Write) if the disk is full.
    #[inline]
    pub fn insert<'k>(&mut self, key: impl Into<SetKey<'k>>) -> Result<(), Error> {
        self.keys.encode(key.into(), |keys, key| {
            let shard = match keys.shards {
                1 => 0,
                shards => keys.function.shard_of(key, shards),
            };
            keys.insert(shard, key)
        })
    }

    /// Builds the shards and writes them and the manifest. The folder contains the old set or the new one at any time:
    /// the manifest is replaced once all shards are on the disk; then the old shards are removed. Returns the manifest,
    /// which a folder of commands does not hold.
    ///
    /// Files that a killed build left are removed.
    ///
    /// # Errors
    ///
    /// [`MemoryTooSmall`](Error::MemoryTooSmall), [`Stopped`](Error::Stopped), [`Write`](Error::Write). The
    /// old set, if there is one, is then still there.
    pub fn finish(self, progress: Progress<'_>) -> Result<Manifest, Error> {
        let Self { keys, lock, commands } = self;
        let (count, mut shards, mut first) = (keys.shards, Vec::with_capacity(keys.shards as usize), None);
        keys.build(0, count, progress, |header, filter| {
            let header = sealed(header, &filter)?;
            let mut shard = header.entry();
            match &commands {
                None => lock.write(&shard, Some(&header), &|file| filter.write(file))?,
                Some(key) => {
                    let number = header.shard;
                    shard.file = format!("shard-{number:05}-of-{count:05}.resp");
                    let key = [key, format!(":{{{number}}}").as_bytes()].concat();
                    lock.write(&shard, None, &|file| filter.write_commands(&key, file))?;
                }
            }
            shards.push(shard);
            first.get_or_insert(header);
            Ok(())
        })?;
        let first = first.ok_or_else(|| Error::argument("there is no shard"))?;
        let manifest = Manifest::new(&first, shards);
        lock.publish(&manifest)?;
        Ok(manifest)
    }
}

/// The keys of one filter, or of all shards of a set.
struct KeyCollector {
    builder: Builder,
    shards: u32,
    function: ShardFunction,
    hasher: Hasher,
    values: Box<dyn Values>,
}

impl KeyCollector {
    /// Passes the bytes of a key to `insert`. Returns an error if keys have another form.
    #[inline]
    fn encode(
        &mut self,
        key: SetKey<'_>,
        insert: impl FnOnce(&mut Self, &[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        match key {
            // This is the most frequent case, and goes without a `KeyBytes` in memory, which would take longer than the hash.
            SetKey::Bytes(key) if self.builder.format.encoding == Encoding::BYTES => insert(self, key),
            _ => {
                let key = self.encoded(key)?;
                insert(self, key.as_ref())
            }
        }
    }

    #[inline(never)]
    fn encoded<'k>(&self, key: SetKey<'k>) -> Result<KeyBytes<'k>, Error> {
        key.inserted(self.builder.format.encoding)
            .map_err(|reason| self.builder.format.wrong(reason))
    }

    #[inline]
    fn insert(&mut self, shard: u32, key: &[u8]) -> Result<(), Error> {
        let hash = (self.hasher.hash)(key).ok_or_else(|| {
            let key = key.escape_ascii();
            let reason = format_args!("the key \"{key}\" has no hash value");
            self.builder.format.wrong(Error::argument(reason))
        })?;
        self.values.push(shard, hash)
    }

    /// Checks that there is the memory that is needed now, and advises how many shards need no more than there is.
    fn check_memory(&self, needed: u64, in_shards: u64, keys: u64) -> Result<(), Error> {
        let memory = self.builder.memory;
        // The other half may contain keys.
        let most = memory / 2;
        if needed <= most {
            return Ok(());
        }
        let shards = u64::from(self.shards)
            .saturating_mul(in_shards)
            .div_ceil(most / 5 * 4);
        // Only shards that are sized by their keys are smaller if there are more of them.
        let is_by_keys = matches!(self.builder.size, Size::Rate(_) | Size::BitsPerKey(_));
        let is_help = is_by_keys && self.builder.capacity.is_none() && shards <= u64::from(MAX_SHARDS);
        Err(Error::MemoryTooSmall {
            keys,
            given: memory,
            memory: needed.saturating_mul(2),
            shards: is_help.then_some(shards as u32),
        })
    }

    /// Returns the number of keys in each shard.
    fn count(&self, go_on: GoOn<'_>) -> Result<Vec<u64>, Error> {
        if let Some(all) = self.values.in_memory() {
            go_on(0)?;
            return Ok(vec![all.len() as u64]);
        }
        let (mut counts, mut count) = (Vec::with_capacity(self.shards as usize), 0);
        self.values.pass(self.shards, &mut |values| {
            match values {
                Some(values) => count += values.len() as u64,
                None => counts.push(std::mem::take(&mut count)),
            }
            go_on(0)
        })?;
        Ok(counts)
    }

    /// Plans the filter for each of these numbers of keys before the first is built. Many shards have few different ones.
    fn plans(
        &self,
        counts: &[u64],
        pool: Option<&ThreadPool>,
    ) -> Result<HashMap<u64, Plan<Unfinished>>, Error> {
        let Builder {
            format,
            capacity,
            size,
            ..
        } = &self.builder;
        let mut different = counts.to_vec();
        different.sort_unstable();
        different.dedup();
        let is_in_memory = self.values.in_memory().is_some();
        let plan = |keys| {
            let plan = format.plan(keys, *capacity, *size)?;
            let memory = if is_in_memory {
                plan.memory_at_once
            } else {
                plan.memory
            };
            self.check_memory(memory, plan.memory, keys)?;
            Ok((keys, plan))
        };
        match pool {
            Some(pool) => pool.install(|| different.into_par_iter().map(plan).collect()),
            None => different.into_iter().map(plan).collect(),
        }
    }

    /// Builds the filter of each shard in order, the first of which has this number among so many, and passes the filter
    /// and its header, which lacks what follows from the bits.
    fn build(
        mut self,
        first: u32,
        of: u32,
        progress: Progress<'_>,
        mut write: impl FnMut(Header, Unfinished) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let go_on = |keys| match progress(keys) {
            true => Ok(()),
            false => Err(Error::Stopped),
        };
        self.values.finish()?;
        let counts = self.count(&go_on)?;
        let are_different = counts.windows(2).any(|pair| pair[0] != pair[1]);
        let pool = are_different.then(threads).flatten();
        let mut plans = self.plans(&counts, pool.as_ref())?;
        let all = self.values.in_memory();
        let Builder { format, key_kind, .. } = &self.builder;
        let rates = plans
            .iter_mut()
            .filter_map(|(&keys, plan)| Some((keys, plan.rate.take()?)));
        let rates: Vec<_> = rates.collect();
        let compute = || -> Result<HashMap<u64, f64>, Error> {
            let rate =
                |(keys, rate): &(u64, Rate)| Ok((*keys, rate().map_err(|reason| format.wrong(reason))?));
            match &pool {
                Some(pool) => pool.install(|| rates.par_iter().map(rate).collect()),
                None => rates.iter().map(rate).collect(),
            }
        };
        thread::scope(|scope| {
            // LevelDB's rates take as long as the bits of millions of keys.
            let mut computing = thread::Builder::new().spawn_scoped(scope, compute).ok();
            let mut rates = None;
            let mut shard = 0;
            let mut finish = |filter| {
                let rates = match &mut rates {
                    Some(rates) => rates,
                    // The system may have refused the thread.
                    none => none.insert(match computing.take().map(ScopedJoinHandle::join) {
                        Some(Ok(rates)) => rates?,
                        _ => compute()?,
                    }),
                };
                let keys = counts[shard as usize];
                let header = Header {
                    format: format.name().to_owned(),
                    key_kind: key_kind.clone(),
                    seed: SHARD_SEED,
                    shard: first + shard,
                    shards: of,
                    bytes: 0,
                    keys,
                    sha256: String::new(),
                    rate: rates.get(&keys).copied(),
                    capacity: None,
                    wanted_rate: None,
                };
                shard += 1;
                write(header, filter)
            };
            let mut plans = counts.iter().map(|keys| &plans[keys]);
            let mut start = || {
                let plan = plans.next().ok_or_else(|| Error::argument("there is no shard"))?;
                Ok::<_, Error>(((plan.make)()?, plan.memory_at_once))
            };
            if let Some(all) = all {
                let (mut filter, memory) = start()?;
                filter.fill(all, (self.builder.memory / 2).saturating_sub(memory), &go_on)?;
                return finish(filter);
            }
            let mut started = None;
            self.values.pass(self.shards, &mut |values| {
                let mut filter = match started.take() {
                    Some(filter) => filter,
                    None => start()?.0,
                };
                if let Some(values) = values {
                    go_on(values.len() as u64)?;
                    return started.insert(filter).add(values);
                }
                filter.finish()?;
                finish(filter)
            })
        })
    }
}
