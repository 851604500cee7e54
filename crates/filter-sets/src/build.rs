//! Builds filters and sets from any number of keys in bounded memory.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use filter_policy::KeyHashes;
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use sha2::{Digest as _, Sha256};

use crate::elements::Elements;
use crate::error::{Error, ErrorKind};
use crate::folder::{Lock, name_of, save};
use crate::format::{Format, Hasher, Plan, Size};
use crate::manifest::{MANIFEST, MAX_SHARDS, Manifest, Shard, ShardFunction};
use crate::spill::{Record, Sorted, Sorter};

/// The memory that building takes unless told otherwise: 1 GiB.
pub const DEFAULT_MEMORY: u64 = 1 << 30;

/// The least memory: 16 MiB.
pub const MIN_MEMORY: u64 = 16 << 20;

/// A function that hears how many keys a step has processed. It returns false to stop the building.
pub type Progress<'a> = &'a dyn Fn(u64) -> bool;

/// The parameters of a filter or a set.
///
/// Keys are counted once, however often they come, and their order changes no byte; neither does the memory.
#[derive(Debug, Clone)]
pub struct Builder {
    format: Format,
    size: Size,
    items: Option<u64>,
    shards: u32,
    memory: u64,
}

impl Builder {
    /// Makes the parameters of one filter of this format and size, with [`DEFAULT_MEMORY`].
    pub const fn new(format: Format, size: Size) -> Self {
        Self {
            format,
            size,
            items: None,
            shards: 1,
            memory: DEFAULT_MEMORY,
        }
    }

    /// Sizes each filter for this many keys, whatever it holds: filters that are merged later need equal sizes. The
    /// formats of policies are always sized by their keys.
    #[must_use]
    pub const fn items(mut self, items: u64) -> Self {
        self.items = Some(items);
        self
    }

    /// Sets the number of shards.
    ///
    /// # Errors
    ///
    /// [`Input`](ErrorKind::Input) for none or more than [`MAX_SHARDS`].
    pub fn shards(mut self, shards: u32) -> Result<Self, Error> {
        if !(1..=MAX_SHARDS).contains(&shards) {
            return Err(Error::input(format_args!(
                "the number of shards must be between 1 and {MAX_SHARDS}, got {shards}"
            )));
        }
        self.shards = shards;
        Ok(self)
    }

    /// Sets the memory in bytes that building takes at most, apart from some megabytes for the program itself.
    ///
    /// # Errors
    ///
    /// [`Input`](ErrorKind::Input) for less than [`MIN_MEMORY`].
    pub fn memory(mut self, bytes: u64) -> Result<Self, Error> {
        if bytes < MIN_MEMORY {
            return Err(Error::input(format_args!(
                "the memory must be at least {MIN_MEMORY} bytes, got {bytes}"
            )));
        }
        self.memory = bytes;
        Ok(self)
    }

    /// Starts to take keys. What does not fit into memory goes to files without names in this folder.
    ///
    /// # Errors
    ///
    /// [`Input`](ErrorKind::Input) if the size does not suit the format.
    pub fn start(&self, folder: &Path) -> Result<Building, Error> {
        // Tells wrong parameters before a key is read.
        self.format
            .plan(self.items.unwrap_or(1_000), self.items, self.size)?;
        let hasher = self.format.hasher()?;
        let sorter = match hasher.is_narrow() {
            true => AnySorter::Narrow(Sorter::new(self.memory, self.shards, folder)),
            false => AnySorter::Wide(Sorter::new(self.memory, self.shards, folder)),
        };
        Ok(Building {
            builder: self.clone(),
            function: ShardFunction::default(),
            hasher,
            sorter,
            spilled_in: folder.to_path_buf(),
            lock: None,
        })
    }

    /// Starts to take keys for a set in this folder, which is made if it is not there, and locks it.
    ///
    /// # Errors
    ///
    /// [`Locked`](ErrorKind::Locked) if another process builds there; [`Input`](ErrorKind::Input) if the folder holds
    /// anything but a set or what a killed build left, or the size does not suit the format; [`Write`](ErrorKind::Write)
    /// if it cannot be made.
    pub fn start_set(&self, folder: &Path) -> Result<Building, Error> {
        let lock = Lock::take(folder)?;
        let mut building = self.start(folder)?;
        building.lock = Some(lock);
        Ok(building)
    }
}

enum AnySorter {
    Narrow(Sorter<u64>),
    Wide(Sorter<u128>),
}

/// A filter or a set that takes keys.
pub struct Building {
    builder: Builder,
    function: ShardFunction,
    hasher: Hasher,
    sorter: AnySorter,
    spilled_in: PathBuf,
    lock: Option<Lock>,
}

impl Building {
    /// Takes a key.
    ///
    /// # Errors
    ///
    /// [`Write`](ErrorKind::Write) if the disk is full.
    #[inline]
    pub fn insert(&mut self, key: &[u8]) -> Result<(), Error> {
        let shard = match self.builder.shards {
            1 => 0,
            shards => self.function.shard_of(key, shards),
        };
        let hash = self.hasher.hash(key);
        match &mut self.sorter {
            AnySorter::Narrow(sorter) => sorter.push(shard, hash),
            AnySorter::Wide(sorter) => sorter.push(shard, hash),
        }
    }

    /// Builds one filter of all keys and writes it to a file, which appears, or is replaced, when it is complete. Returns
    /// its description.
    ///
    /// # Errors
    ///
    /// [`Input`](ErrorKind::Input) if the memory does not suffice, [`Stopped`](ErrorKind::Stopped),
    /// [`Write`](ErrorKind::Write).
    pub fn write_file(self, path: &Path, progress: Progress<'_>) -> Result<Shard, Error> {
        let mut described = None;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let write = |number, built: Built| {
            let shard = built.describe(number, Some(&name))?;
            save(path, |file| built.write(file))?;
            described = Some(shard);
            Ok(())
        };
        self.each_shard(progress, write)?;
        described.ok_or_else(|| Error::input("there is no shard"))
    }

    /// Builds the shards and writes them and the manifest. The folder holds the old set or the new one at any time: the
    /// manifest is replaced once all shards are on the disk; then the old shards are removed. Returns the manifest.
    ///
    /// A build that was killed begins again; the next one removes what it left.
    ///
    /// # Errors
    ///
    /// [`Input`](ErrorKind::Input) if the memory does not suffice, [`Stopped`](ErrorKind::Stopped),
    /// [`Write`](ErrorKind::Write). The old set, if there is one, is then still there.
    pub fn write_set(
        mut self,
        folder: &Path,
        items: &str,
        progress: Progress<'_>,
    ) -> Result<Manifest, Error> {
        let lock = match self.lock.take() {
            Some(lock) => lock,
            None => Lock::take(folder)?,
        };
        let format = self.builder.format.clone();
        let mut shards = Vec::new();
        self.each_shard(progress, |number, built| {
            let shard = built.describe(number, None)?;
            save(&folder.join(&shard.file), |file| built.write(file))?;
            shards.push(shard);
            Ok(())
        })?;
        let manifest = Manifest::new(&format, items, shards);
        let path = folder.join(MANIFEST);
        let mut text = serde_json::to_string_pretty(&manifest).map_err(Error::input)?;
        text.push('\n');
        save(&path, |file| file.write_all(text.as_bytes()))?;
        lock.keep();
        Ok(manifest)
    }

    fn each_shard(
        self,
        progress: Progress<'_>,
        write: impl FnMut(u32, Built) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let steps = Steps {
            builder: self.builder,
            spilled_in: self.spilled_in,
            progress,
        };
        match self.sorter {
            AnySorter::Narrow(sorter) => steps.each_shard(sorter.finish(steps.builder.memory)?, write),
            AnySorter::Wide(sorter) => steps.each_shard(sorter.finish(steps.builder.memory)?, write),
        }
    }
}

/// The building of filters once all keys are known.
struct Steps<'a> {
    builder: Builder,
    spilled_in: PathBuf,
    progress: Progress<'a>,
}

impl Steps<'_> {
    fn each_shard<R: Record>(
        &self,
        sorted: Sorted<R>,
        mut write: impl FnMut(u32, Built) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Builder {
            format, items, size, ..
        } = &self.builder;
        let shards = 0..self.builder.shards;
        let counts: Result<Vec<u64>, Error> = shards
            .map(|number| sorted.count(number, &self.spilled_in))
            .collect();
        let counts = counts?;
        // LevelDB's rates take some milliseconds to compute.
        let plans = counts.par_iter().map(|&keys| format.plan(keys, *items, *size));
        let plans: Vec<Plan> = plans.collect::<Result<_, Error>>()?;
        // Before the first one is built.
        for (plan, &keys) in plans.iter().zip(&counts) {
            let (Plan::Policy { memory, .. } | Plan::Elements { memory, .. }) = plan;
            self.check_memory(*memory, keys)?;
        }
        for ((number, plan), keys) in (0..).zip(plans).zip(counts) {
            let filter = self.build(&sorted, number, plan, keys)?;
            write(number, Built { keys, filter })?;
        }
        Ok(())
    }

    fn build<R: Record>(
        &self,
        sorted: &Sorted<R>,
        number: u32,
        plan: Plan,
        keys: u64,
    ) -> Result<Stored, Error> {
        let each = |take: &mut dyn FnMut(&[R]) -> Result<(), Error>| {
            sorted.each(number, &self.spilled_in, |values| {
                if !(self.progress)(values.len() as u64) {
                    return Err(Error::new(ErrorKind::Stopped, "stopped"));
                }
                take(values)
            })
        };
        Ok(match plan {
            Plan::Elements { make, .. } => {
                let mut filter = make().map_err(Error::input)?;
                let mut hashes = Vec::new();
                each(&mut |values| {
                    hashes.clear();
                    hashes.extend(values.iter().map(|value| value.value()));
                    filter.insert(&hashes).map_err(Error::input)
                })?;
                Stored::Elements(filter)
            }
            Plan::Policy { policy, rate, .. } => {
                let (mut bits32, mut bits64) = (Vec::new(), Vec::new());
                let has_32_bits = size_of::<R>() == size_of::<u128>();
                // Exactly as many: a vector that grows would take twice the memory.
                let count = usize::try_from(keys).unwrap_or(usize::MAX);
                let reserved = match has_32_bits {
                    true => bits32.try_reserve_exact(count),
                    false => bits64.try_reserve_exact(count),
                };
                let mut bytes = Vec::new();
                let len = policy.max_filter_len(count).map_err(Error::input)?;
                if reserved.and_then(|()| bytes.try_reserve_exact(len)).is_err() {
                    return Err(Error::input(format_args!("no memory for {keys} keys")));
                }
                each(&mut |values| {
                    match has_32_bits {
                        true => bits32.extend(values.iter().map(|value| (value.value() >> 64) as u32)),
                        false => bits64.extend(values.iter().map(|value| value.value() as u64)),
                    }
                    Ok(())
                })?;
                bytes.resize(len, 0);
                let hashes = match has_32_bits {
                    true => KeyHashes::Bits32(&bits32),
                    false => KeyHashes::Bits64(&bits64),
                };
                let len = policy
                    .create_from_hashes(hashes, &mut bytes)
                    .map_err(Error::input)?
                    .len();
                bytes.truncate(len);
                Stored::Policy { bytes, rate }
            }
        })
    }

    fn check_memory(&self, needed: u64, keys: u64) -> Result<(), Error> {
        let Builder { shards, memory, .. } = self.builder;
        // The other half may hold keys.
        let most = memory / 2;
        if needed <= most {
            return Ok(());
        }
        let enough = u64::from(shards).saturating_mul(needed).div_ceil(most * 4 / 5);
        Err(Error::input(format_args!(
            "a filter of {keys} keys takes {needed} bytes to build, more than half of the memory of {memory}: use --shards \
             {enough}, or --memory {}",
            needed.saturating_mul(2)
        )))
    }
}

/// A filter that is ready to be written.
struct Built {
    keys: u64,
    filter: Stored,
}

enum Stored {
    Policy { bytes: Vec<u8>, rate: Option<f64> },
    Elements(Box<dyn Elements>),
}

impl Built {
    fn write(&self, writer: &mut dyn Write) -> io::Result<()> {
        match &self.filter {
            Stored::Policy { bytes, .. } => writer.write_all(bytes),
            Stored::Elements(filter) => filter.write(writer),
        }
    }

    /// Describes the filter as a shard; without a name, the file is named after its number and its contents, so that no
    /// other contents ever have the name.
    fn describe(&self, number: u32, name: Option<&str>) -> Result<Shard, Error> {
        /// Counts and hashes what is written.
        struct Sum(u64, Sha256);

        impl Write for Sum {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                self.0 += bytes.len() as u64;
                self.1.update(bytes);
                Ok(bytes.len())
            }

            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }

        let mut sum = Sum(0, Sha256::new());
        self.write(&mut sum).map_err(Error::input)?;
        let sha256 = hex::encode(sum.1.finalize());
        let file = match name {
            Some(name) => name.to_owned(),
            None => name_of(number, &sha256),
        };
        let rate = match &self.filter {
            Stored::Policy { rate, .. } => *rate,
            Stored::Elements(filter) => Some(filter.rate()),
        };
        Ok(Shard {
            file,
            bytes: sum.0,
            keys: self.keys,
            sha256,
            rate,
        })
    }
}
