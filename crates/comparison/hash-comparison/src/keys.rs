//! Sources of keys: embedded, generated from a seed, or the user's own file.

mod embedded;
mod file;
mod key_set;
mod printed;
mod recipe;
mod shuffle;
pub mod structured;

use sha2::{Digest as _, Sha256};

pub use embedded::{Manifest, ManifestEntry, embedded_names, load_embedded};
pub use file::{file_names, load_file};
pub use key_set::*;
pub use printed::printed;
pub use recipe::Recipe;
pub use shuffle::shuffled;

use crate::record::{DatasetKind, DatasetSummary};
use terminal::progress::{Cancelled, Progress, Silent, go_on};

/// The default seed of a run, which the manifest's checksums are for.
pub const DEFAULT_SEED: u64 = 1;

/// Keys read or hashed between two checks for a stop: milliseconds, or with a slow function half a second.
pub(crate) const KEYS_UNWATCHED: usize = 1 << 10;

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
    for (index, key) in keys.iter().enumerate() {
        if index % KEYS_UNWATCHED == 0 {
            go_on(progress)?;
        }
        hasher.update(key);
        hasher.update(b"\n");
    }
    Ok(hex::encode(hasher.finalize()))
}
