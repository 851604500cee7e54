//! Where keys come from: embedded, generated from a seed, or the user's own file.

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

use crate::record::DatasetKind;

/// Seed of a run that names none; the manifest's checksums are for it.
pub const DEFAULT_SEED: u64 = 1;

/// A dataset ready to be measured.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// Name in the records.
    pub name: String,
    /// Where the keys come from.
    pub kind: DatasetKind,
    /// Recipe, package or path, for the records.
    pub source: String,
    /// Distinct keys, in their own order.
    pub keys: KeySet,
    /// SHA-256 of the keys in order, each followed by a line feed, lower-case hex.
    pub sha256: String,
    /// Lines dropped because an equal one came before.
    pub duplicates_dropped: u64,
    /// The seed behind generated keys, shuffles and samples.
    pub seed: u64,
    /// How the keys were drawn, so that the drawing can go on; `None` when they were not drawn.
    pub recipe: Option<Recipe>,
}

impl Dataset {
    /// Lengths of the shortest and the longest key, bytes; zeros when there is no key.
    pub fn length_range(&self) -> (usize, usize) {
        let lengths = || self.keys.iter().map(<[u8]>::len);
        (lengths().min().unwrap_or(0), lengths().max().unwrap_or(0))
    }

    /// Mean length of a key, bytes; zero when there is no key.
    pub fn mean_length(&self) -> f64 {
        self.keys.total_bytes() as f64 / self.keys.len().max(1) as f64
    }
}

/// SHA-256 of the keys in order, each followed by a line feed, lower-case hex.
pub fn sha256(keys: &KeySet) -> String {
    let mut hasher = Sha256::new();
    for key in keys.iter() {
        hasher.update(key);
        hasher.update(b"\n");
    }
    hex::encode(hasher.finalize())
}
