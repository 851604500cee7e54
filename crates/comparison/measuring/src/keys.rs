//! Sources of keys: embedded, generated from a seed, or the user's own file.

mod embedded;
mod printed;
mod recipe;
mod shuffle;
pub mod structured;

use std::hash::{BuildHasher as _, RandomState};
use std::path::PathBuf;

use hashbrown::HashTable;
use sha2::{Digest as _, Sha256};

pub use embedded::{Manifest, ManifestEntry, embedded_names, load_embedded};
pub use printed::printed;
pub use recipe::Recipe;
pub use shuffle::shuffled;

use crate::record::{DatasetKind, DatasetSummary};
use key_input::{KeyForm, Keys};
use terminal::failure::Failure;
use terminal::progress::{Cancelled, Progress, Silent, go_on};

/// The default seed of a run, which the manifest's checksums are for.
pub const DEFAULT_SEED: u64 = 1;

/// Keys read between two checks for a stop.
const KEYS_UNWATCHED: usize = 1 << 12;

/// Work between two checks for a stop, in bytes that are hashed: with a slow function milliseconds.
const BYTES_UNWATCHED: usize = 1 << 16;

/// The work on a key apart from its bytes.
const BYTES_OF_CALL: usize = 64;

/// A dataset ready to be measured.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// The dataset in the records.
    pub summary: DatasetSummary,
    /// Distinct keys, in their own order.
    pub keys: KeySet,
    /// The seed behind generated keys, shuffles and samples.
    pub seed: u64,
    /// The recipe of generated keys, from which more keys can be drawn; `None` for other keys.
    pub recipe: Option<Recipe>,
}

impl Dataset {
    /// Creates a dataset of these keys, with the kind of the user's own keys, no source, and the default seed.
    pub fn of(name: &str, keys: KeySet) -> Self {
        let sha256 = sha256(&keys, &Silent).expect("nothing stops it");
        Self::with_sha256(name, keys, sha256)
    }

    /// Creates a dataset as [`of`](Self::of) does of keys with this [`sha256`].
    fn with_sha256(name: &str, keys: KeySet, sha256: String) -> Self {
        let lengths = || keys.iter().map(|key| key.len() as u64);
        let (count, bytes) = (keys.len() as u64, keys.total_bytes() as u64);
        let summary = DatasetSummary {
            name: name.to_owned(),
            kind: DatasetKind::File,
            source: String::new(),
            encoding: None,
            keys: count,
            bytes,
            min_len: lengths().min().unwrap_or(0),
            max_len: lengths().max().unwrap_or(0),
            mean_len: bytes as f64 / count.max(1) as f64,
            sha256,
            duplicates_dropped: 0,
        };
        Self {
            summary,
            keys,
            seed: DEFAULT_SEED,
            recipe: None,
        }
    }
}

/// Returns the SHA-256 of the keys in order, each followed by a line feed, in lower-case hex, unless `progress` requests a stop.
pub fn sha256(keys: &KeySet, progress: &dyn Progress) -> Result<String, Cancelled> {
    let mut hasher = Sha256::new();
    for key in keys.watched(progress) {
        hasher.update(key?);
        hasher.update(b"\n");
    }
    Ok(hex::encode(hasher.finalize()))
}

/// Loads the distinct keys in the file `path`, which are written in this form, as a dataset of this name; `seed` is for
/// shuffles and samples. The path `-` is standard input.
///
/// # Errors
///
/// Returns an error if the file is missing, unreadable, empty or too large, if a key is not of the form, or if
/// `progress` requests a stop.
pub fn load_file(
    (name, path): &(String, PathBuf),
    form: &KeyForm,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Dataset, Failure> {
    let bytes = path.metadata().map_or(0, |metadata| metadata.len());
    // Columns, digits and repeated lines may have far fewer bytes than their file, but reading only shows a file of lines late.
    if *form == KeyForm::default() && bytes > MAX_BYTES {
        let reason = format!("must have at most {MAX_BYTES} bytes (4 GiB), got {bytes}: split the file");
        return Err(Failure::input(reason).about(path));
    }
    let mut source = Keys::open(path, form, MAX_KEY_BYTES, progress)?;
    let read = KeySet::read(&mut source, progress)?;
    if read.keys.is_empty() {
        let reason = "no keys: the source is empty; give one key per line";
        return Err(Failure::input(format!("{}: {reason}", source.name())));
    }
    let sha256 = sha256(&read.keys, progress)?;
    let mut dataset = Dataset::with_sha256(name, read.keys, sha256);
    dataset.seed = seed;
    dataset.summary = DatasetSummary {
        source: source.name().to_owned(),
        encoding: source.warning().map(str::to_owned),
        duplicates_dropped: read.duplicates,
        ..dataset.summary
    };
    Ok(dataset)
}

/// Keys back to back in one buffer, in a fixed order.
///
/// [`read`](Self::read) drops duplicates; [`push`](Self::push) keeps them.
///
/// ```
/// use measuring::keys::KeySet;
/// use terminal::progress::Silent;
///
/// let lines = KeySet::from_lines(b"one\ntwo\r\n\none", &Silent)?;
/// assert_eq!(lines.keys.iter().collect::<Vec<_>>(), [&b"one"[..], b"two", b""]);
/// assert_eq!(lines.duplicates, 1);
/// # Ok::<(), terminal::failure::Failure>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeySet {
    bytes: Vec<u8>,
    /// The end of each key, which is the start of the next key.
    ends: Vec<u32>,
}

/// The result of [`KeySet::read`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distinct {
    /// The distinct keys.
    pub keys: KeySet,
    /// The number of duplicates dropped.
    pub duplicates: u64,
}

/// The maximum size of a [`KeySet`] in bytes: positions are 32 bits wide.
pub const MAX_BYTES: u64 = u32::MAX as u64;

/// Returns the error for more than [`MAX_BYTES`] bytes.
fn too_large(bytes: u64) -> Failure {
    Failure::input(format!(
        "the keys must have at most {MAX_BYTES} bytes (4 GiB), got {bytes}: split the file"
    ))
}

/// The maximum size of a key in bytes.
pub const MAX_KEY_BYTES: u64 = 1 << 26;

/// A key in the table of those read: half of its hash, so that the table grows without looking at keys, and its index.
type Seen = (u32, u32);

impl KeySet {
    /// Returns the distinct lines of `data` in their order, as [`read`](Self::read) does.
    pub fn from_lines(data: &[u8], progress: &dyn Progress) -> Result<Distinct, Failure> {
        let mut keys = Keys::of("the keys", data, &KeyForm::default(), MAX_KEY_BYTES, progress)?;
        Self::read(&mut keys, progress)
    }

    /// Reads all keys. The first of equal keys stays. `progress` is checked for a stop every few milliseconds.
    ///
    /// # Errors
    ///
    /// Returns an error if a key cannot be read, the distinct keys have more than [`MAX_BYTES`] bytes or do not fit
    /// into memory, or `progress` requests a stop.
    pub fn read(source: &mut Keys<'_>, progress: &dyn Progress) -> Result<Distinct, Failure> {
        let mut keys = Self::default();
        let mut seen: HashTable<Seen> = HashTable::new();
        // A secret hash: nobody can choose keys that take the same place. The result does not depend on it.
        let secret = RandomState::new();
        let mut duplicates = 0;
        // The table takes the place of a key from the low bits, and compares high ones first.
        let spread = |half: u32| u64::from(half) << 32 | u64::from(half);
        while let Some(key) = source.next_key()? {
            if (keys.len() + duplicates as usize).is_multiple_of(KEYS_UNWATCHED) {
                go_on(progress)?;
            }
            let half = secret.hash_one(key) as u32;
            let same = |&(other, index): &Seen| other == half && keys.get(index as usize) == key;
            if seen.find(spread(half), same).is_some() {
                duplicates += 1;
                continue;
            }
            let bytes = (keys.bytes.len() + key.len()) as u64;
            if bytes > MAX_BYTES {
                return Err(too_large(bytes));
            }
            let spread_again = |&(half, _): &Seen| spread(half);
            let has_room = keys.bytes.try_reserve(key.len()).is_ok()
                && keys.ends.try_reserve(1).is_ok()
                && seen.try_reserve(1, spread_again).is_ok();
            if !has_room {
                return Err(Failure::input("the keys do not fit into memory: split the file"));
            }
            seen.insert_unique(spread(half), (half, keys.len() as u32), spread_again);
            keys.push(key);
        }
        keys.bytes.shrink_to_fit();
        keys.ends.shrink_to_fit();
        Ok(Distinct { keys, duplicates })
    }

    /// Appends a key.
    ///
    /// # Panics
    ///
    /// Panics if the set would be larger than [`MAX_BYTES`].
    pub fn push(&mut self, key: &[u8]) {
        self.bytes.extend_from_slice(key);
        let end = u32::try_from(self.bytes.len()).expect("a key set holds at most 4 GiB");
        self.ends.push(end);
    }

    /// Returns the number of keys.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if there are no keys.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the total number of bytes of all keys.
    pub fn total_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the key at `index`.
    ///
    /// # Panics
    ///
    /// Panics if `index` is not below [`len`](Self::len).
    pub fn get(&self, index: usize) -> &[u8] {
        let start = if index == 0 {
            0
        } else {
            self.ends[index - 1] as usize
        };
        &self.bytes[start..self.ends[index] as usize]
    }

    /// Returns the keys in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// Returns the keys in order, and an error where `progress` requests a stop.
    pub(crate) fn watched(
        &self,
        progress: &dyn Progress,
    ) -> impl ExactSizeIterator<Item = Result<&[u8], Cancelled>> {
        let mut unwatched = 0;
        self.iter().map(move |key| {
            unwatched += BYTES_OF_CALL + key.len();
            if unwatched >= BYTES_UNWATCHED {
                unwatched = 0;
                go_on(progress)?;
            }
            Ok(key)
        })
    }
}

impl<K: AsRef<[u8]>> FromIterator<K> for KeySet {
    /// Collects all keys in order, including equal keys.
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> Self {
        let mut set = Self::default();
        for key in keys {
            set.push(key.as_ref());
        }
        set
    }
}
