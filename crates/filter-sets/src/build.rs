//! Builds filters and sets from any number of keys in bounded memory.

use std::cell::RefCell;
use std::path::Path;

use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};

use crate::error::{Error, ErrorKind};
use crate::filling::{Filling, Plan};
use crate::folder::{Lock, name_of, save};
use crate::format::{Format, Hasher, Size};
use crate::journal::{Journal, Sum, digest, digest_of};
use crate::manifest::{MAX_SHARDS, Manifest, Shard, ShardFunction};
use crate::spill::{Spilled, Values};

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
        let (memory, shards) = (self.memory, self.shards);
        let values: Box<dyn Values> = match hasher.is_narrow() {
            true => Box::new(Spilled::<u64>::new(memory, shards, folder)),
            false => Box::new(Spilled::<u128>::new(memory, shards, folder)),
        };
        Ok(Building {
            builder: self.clone(),
            function: ShardFunction::default(),
            hasher,
            values,
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

    fn check_memory(&self, needed: u64, keys: u64) -> Result<(), Error> {
        // The other half may hold keys.
        let most = self.memory / 2;
        if needed <= most {
            return Ok(());
        }
        let enough = u64::from(self.shards)
            .saturating_mul(needed)
            .div_ceil(most / 5 * 4);
        Err(Error::input(format_args!(
            "a filter of {keys} keys takes {needed} bytes to build, more than half of the memory of {}: use --shards \
             {enough}, or --memory {}",
            self.memory,
            needed.saturating_mul(2)
        )))
    }
}

/// A filter or a set that takes keys.
pub struct Building {
    builder: Builder,
    function: ShardFunction,
    hasher: Hasher,
    values: Box<dyn Values>,
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
        self.values.push(shard, self.hasher.hash(key))
    }

    /// Builds one filter of all keys and writes it to a file, which appears, or is replaced, when it is complete. Returns
    /// its description.
    ///
    /// # Errors
    ///
    /// [`Input`](ErrorKind::Input) if the memory does not suffice, [`Stopped`](ErrorKind::Stopped),
    /// [`Write`](ErrorKind::Write).
    pub fn write_file(self, path: &Path, progress: Progress<'_>) -> Result<Shard, Error> {
        let mut described = Err(Error::input("there is no shard"));
        self.each_shard(
            progress,
            |_| None,
            |_, shard, filter| {
                let Some(filter) = filter else { return Ok(()) };
                save(path, |file| filter.write(file))?;
                let file = path
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                described = Ok(Shard { file, ..shard });
                Ok(())
            },
        )?;
        described
    }

    /// Builds the shards and writes them and the manifest. The folder holds the old set or the new one at any time: the
    /// manifest is replaced once all shards are on the disk; then the old shards are removed. Returns the manifest.
    ///
    /// After a build that was killed, the keys must come again. A shard that it had written, and whose keys are the same, is
    /// not built again; what else it left is removed.
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
        let journal = RefCell::new(Journal::open(folder)?);
        let left = |keys| journal.borrow().find(keys);
        self.each_shard(progress, left, |keys, shard, filter| {
            if let Some(filter) = filter {
                save(&folder.join(&shard.file), |file| filter.write(file))?;
                journal.borrow_mut().note(keys, &shard)?;
            }
            shards.push(shard);
            Ok(())
        })?;
        let manifest = Manifest::new(&format, items, shards);
        lock.publish(&manifest)?;
        Ok(manifest)
    }

    /// Builds the filter of each shard in order, and passes the digest of its keys, its description and the filter. A shard
    /// that `left` finds by the digest is passed without a filter.
    fn each_shard(
        mut self,
        progress: Progress<'_>,
        left: impl Fn(u64) -> Option<Shard>,
        mut write: impl FnMut(u64, Shard, Option<&dyn Filling>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let go_on = |keys| match progress(keys) {
            true => Ok(()),
            false => Err(Error::new(ErrorKind::Stopped, "stopped")),
        };
        self.values.finish()?;
        let Builder {
            format,
            items,
            size,
            shards,
            ..
        } = &self.builder;
        let mut counts = vec![0; *shards as usize];
        let mut digests = Vec::new();
        for (number, count) in (0..).zip(&mut counts) {
            let mut of_keys = digest_of(&format!("{format:?} {size:?} {items:?} {number} {shards}"));
            self.values.each(number, &mut |values| {
                *count += values.len() as u64;
                of_keys = digest(of_keys, values);
                go_on(0)
            })?;
            digests.push(of_keys);
        }
        // LevelDB's rates take some milliseconds to compute.
        let plans = counts.par_iter().map(|&keys| format.plan(keys, *items, *size));
        let plans: Vec<Plan> = plans.collect::<Result<_, Error>>()?;
        // Before the first one is built.
        for (plan, &keys) in plans.iter().zip(&counts) {
            self.builder.check_memory(plan.memory, keys)?;
        }
        for (((number, plan), keys), digest) in (0..).zip(plans).zip(counts).zip(digests) {
            if let Some(shard) = left(digest).filter(|shard| shard.keys == keys) {
                go_on(keys)?;
                write(digest, shard, None)?;
                continue;
            }
            let mut filter = (plan.make)().map_err(Error::input)?;
            self.values.each(number, &mut |values| {
                go_on(values.len() as u64)?;
                filter.add(values).map_err(Error::input)
            })?;
            filter.finish().map_err(Error::input)?;
            write(digest, describe(number, keys, &*filter)?, Some(&*filter))?;
        }
        Ok(())
    }
}

/// Describes a filter as a shard. The file is named after its number and its contents, so that no other contents ever have
/// the name.
fn describe(number: u32, keys: u64, filter: &dyn Filling) -> Result<Shard, Error> {
    let mut sum = Sum::default();
    filter.write(&mut sum).map_err(Error::input)?;
    let (bytes, sha256) = (sum.bytes, sum.sha256());
    Ok(Shard {
        file: name_of(number, &sha256),
        bytes,
        keys,
        sha256,
        rate: filter.rate(),
    })
}
