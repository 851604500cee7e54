//! A set of shards, opened for queries, and exchanged while readers go on.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arc_swap::ArcSwap;

use crate::bytes::Opening;
use crate::error::{Error, ensure};
use crate::file::StoredFile;
use crate::filter::{StoredFilter, slices};
use crate::key::SetKey;
use crate::manifest::Manifest;

/// The number of times that a reader begins again because the set was replaced while it was opened.
const ATTEMPTS: u32 = 20;

/// A set of shards in a folder. Threads share it.
///
/// ```
/// use filter_sets::{Builder, FilterSet, StoredFormat, Opening, Size};
///
/// # let folder = tempfile::tempdir()?;
/// # let folder = folder.path().join("users");
/// let builder = Builder::new(StoredFormat::named("bloom64")?, Size::Rate(0.01));
/// let build = |ids: std::ops::Range<u32>| -> Result<(), filter_sets::Error> {
///     let mut building = builder.set(&folder, 4)?;
///     for id in ids {
///         building.insert(&format!("user-{id}"))?;
///     }
///     building.finish(&|_| true).map(|_| ())
/// };
/// build(0..1_000)?;
///
/// let set = FilterSet::open(&folder, Opening::default())?;
/// assert!(set.contains("user-7"));
/// assert_eq!(set.contains_many(["user-7", "user-999"]), [true, true]);
///
/// // A new generation, while other threads query the old one.
/// build(0..2_000)?;
/// assert!(set.reload()?);
/// assert!(set.contains("user-1999"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct FilterSet {
    folder: PathBuf,
    opening: Opening,
    current: ArcSwap<Generation>,
}

/// The state of a set at one time: a manifest and its shards. It stays as it is, even if the folder changes.
#[derive(Debug)]
pub struct Generation {
    manifest: Manifest,
    shards: Vec<StoredFilter>,
}

impl FilterSet {
    /// Opens the set of a folder: reads the manifest, then every shard.
    ///
    /// # Errors
    ///
    /// [`NotFound`](Error::NotFound) for a folder without a manifest, [`Damaged`](Error::Damaged) if the
    /// manifest or a shard is not what it should be. The text names the file.
    pub fn open(folder: impl AsRef<Path>, opening: Opening) -> Result<Self, Error> {
        let folder = folder.as_ref();
        let generation = Generation::open(folder, opening)?;
        Ok(Self {
            folder: folder.to_path_buf(),
            opening,
            current: ArcSwap::from_pointee(generation),
        })
    }

    /// Opens the current contents of the folder and answers from it afterwards; calls under way finish with the old
    /// shards. Returns false if the manifest has not changed.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open), and [`Incompatible`](Error::Incompatible) for a set with another kind of
    /// key, which would deny keys in the form of this one. The set then answers as before.
    pub fn reload(&self) -> Result<bool, Error> {
        let current = self.generation();
        if Manifest::read(&self.folder)? == current.manifest {
            return Ok(false);
        }
        let generation = Generation::open(&self.folder, self.opening)?;
        let (kind, got) = (&current.manifest.key_kind, &generation.manifest.key_kind);
        ensure(kind == got, || {
            format!("the kind of key must be {kind:?} as in the set that is open, got {got:?}: open it anew")
        })
        .map_err(|error| Error::incompatible(&self.folder, error))?;
        self.current.store(Arc::new(generation));
        Ok(true)
    }

    /// Returns the current state, for several queries of the same one.
    pub fn generation(&self) -> Arc<Generation> {
        self.current.load_full()
    }

    /// Returns true if the set may contain the key. False is certain for a key in the [form](SetKey) in which keys were
    /// inserted; one in another form may be contained.
    #[must_use]
    pub fn contains<'k>(&self, key: impl Into<SetKey<'k>>) -> bool {
        self.current.load().contains(key)
    }

    /// Returns true for each key that the set may contain, in the order of the keys. The keys of a shard are queried
    /// together.
    #[must_use]
    pub fn contains_many<'k, K: Into<SetKey<'k>>>(&self, keys: impl IntoIterator<Item = K>) -> Vec<bool> {
        self.current.load().contains_many(keys)
    }
}

impl Manifest {
    /// Opens a shard of the set in this folder.
    ///
    /// # Errors
    ///
    /// [`Damaged`](Error::Damaged) if it is not what the manifest says, and the errors of the system.
    ///
    /// # Panics
    ///
    /// If there is no shard of this number.
    pub fn open_shard(
        &self,
        shard: usize,
        folder: impl AsRef<Path>,
        opening: Opening,
    ) -> Result<StoredFilter, Error> {
        let (path, header) = (folder.as_ref().join(&self.shards[shard].file), self.header(shard));
        let contents = StoredFile::open_shard(&path, &header)?.contents(opening)?;
        StoredFilter::with_header(header, contents).map_err(|error| match error {
            Error::OutOfMemory { .. } => Error::of_contents(Some(&path), error),
            _ => Error::damaged(Some(&path), error),
        })
    }
}

impl Generation {
    fn open(folder: &Path, opening: Opening) -> Result<Self, Error> {
        let mut attempts = 0;
        loop {
            let manifest = Manifest::read(folder)?;
            match Self::of(folder, &manifest, opening) {
                Ok(shards) => return Ok(Self { manifest, shards }),
                // A builder removes the old shards once the new manifest is there.
                Err(error) => {
                    attempts += 1;
                    if attempts == ATTEMPTS || Manifest::read(folder)? == manifest {
                        return Err(error);
                    }
                }
            }
        }
    }

    fn of(folder: &Path, manifest: &Manifest, opening: Opening) -> Result<Vec<StoredFilter>, Error> {
        (0..manifest.shards.len())
            .map(|shard| manifest.open_shard(shard, folder, opening))
            .collect()
    }

    /// Returns the manifest.
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the shards, in the order of the manifest.
    pub fn shards(&self) -> &[StoredFilter] {
        &self.shards
    }

    /// Returns true if the set may contain the key. False is certain for a key in the [form](SetKey) in which keys were
    /// inserted; one in another form may be contained.
    #[must_use]
    pub fn contains<'k>(&self, key: impl Into<SetKey<'k>>) -> bool {
        // All shards have keys in one form.
        let key = self.shards[0].queried(key.into());
        key.is_none_or(|key| self.shards[self.manifest.shard_of(key.as_ref())].own_contains(key.as_ref()))
    }

    /// Returns true for each key that the set may contain, in the order of the keys. The keys of a shard are queried
    /// together.
    #[must_use]
    pub fn contains_many<'k, K: Into<SetKey<'k>>>(&self, keys: impl IntoIterator<Item = K>) -> Vec<bool> {
        if let [only] = &self.shards[..] {
            return only.contains_many(keys);
        }
        let of_form = |key: K| self.shards[0].queried(key.into());
        let queried: Vec<_> = keys.into_iter().map(of_form).collect();
        let keys = slices(&queried);
        let shards = keys.iter().map(|key| self.manifest.shard_of(key));
        let mut order: Vec<(usize, usize)> = shards.zip(0..).collect();
        order.sort_unstable();
        let mut answers: Vec<_> = queried.iter().map(Option::is_none).collect();
        for of_shard in order.chunk_by(|one, another| one.0 == another.0) {
            let of_one: Vec<&[u8]> = of_shard.iter().map(|&(_, index)| keys[index]).collect();
            let shard = &self.shards[of_shard[0].0];
            for (&(_, index), answer) in of_shard.iter().zip(shard.own_contains_many(&of_one)) {
                answers[index] |= answer;
            }
        }
        answers
    }
}
