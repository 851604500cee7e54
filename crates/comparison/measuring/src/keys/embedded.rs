//! The datasets embedded in the program, and the manifest that describes them.

use std::fmt::Display;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::{Dataset, Recipe};
use crate::keys::KeySet;
use crate::name_errors;
use crate::record::{DatasetKind, DatasetSummary};
use terminal::failure::Failure;
use terminal::progress::Silent;

/// `bench-data/datasets.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The embedded datasets, in the order in which they are measured.
    #[serde(rename = "dataset")]
    pub datasets: Vec<ManifestEntry>,
}

/// The manifest's entry for a dataset.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestEntry {
    /// Name in the records.
    pub name: String,
    /// The kind of source.
    pub kind: DatasetKind,
    /// The recipe of generated keys.
    pub recipe: Option<Recipe>,
    /// Name of the generator behind the recipe.
    pub generator: Option<String>,
    /// The seed that `bytes` and `sha256` are for.
    pub seed: Option<u64>,
    /// Number of keys, all distinct.
    pub count: usize,
    /// Bytes of all keys, without line ends.
    pub bytes: usize,
    /// SHA-256 of the keys in order, each followed by a line feed, lower-case hex.
    pub sha256: String,
    /// The source of the keys, in one line.
    pub source: String,
    /// A description of the keys, in a few words.
    pub keys_are: String,
    /// Name of the structured set most like the keys, if there is one.
    pub nearest_structured: Option<String>,
    /// A longer description of the keys.
    pub description: String,
}

static MANIFEST: LazyLock<Manifest> = LazyLock::new(|| {
    toml::from_str(include_str!("../../embedded/datasets.toml"))
        .expect("the manifest inside the program is well formed")
});

impl Manifest {
    /// Returns the entries of the manifest inside the program.
    pub fn embedded() -> &'static [ManifestEntry] {
        &MANIFEST.datasets
    }

    /// Returns the entry of a dataset of a run; `None` for the user's own keys.
    pub fn of(dataset: &DatasetSummary) -> Option<&'static ManifestEntry> {
        let is_it = |entry: &&ManifestEntry| dataset.kind != DatasetKind::File && entry.name == dataset.name;
        Self::embedded().iter().find(is_it)
    }

    /// Returns the entry of the embedded dataset `name`, in any case.
    ///
    /// # Errors
    ///
    /// Returns an error if no dataset has that name.
    pub fn find(name: &str) -> Result<&'static ManifestEntry, Failure> {
        let mut entries = Self::embedded().iter();
        let found = entries.find(|entry| entry.name.eq_ignore_ascii_case(name));
        found.ok_or_else(|| name_errors::unknown("dataset", name, embedded_names()))
    }
}

impl ManifestEntry {
    /// Checks a dataset against the entry; bytes and checksum only if the seed is the manifest's.
    ///
    /// # Errors
    ///
    /// Returns an error that names the first fact in which they differ.
    pub fn verify(&self, dataset: &Dataset) -> Result<(), Failure> {
        let is_other_seed = self.seed.is_some_and(|seed| seed != dataset.seed);
        let facts: [(&str, &dyn Display, &dyn Display); 3] = [
            ("count", &self.count, &dataset.keys.len()),
            ("bytes", &self.bytes, &dataset.keys.total_bytes()),
            ("sha256", &self.sha256, &dataset.summary.sha256),
        ];
        for (field, expected, got) in facts.into_iter().take(if is_other_seed { 1 } else { 3 }) {
            if expected.to_string() != got.to_string() {
                return Err(Failure::internal(format!(
                    "dataset {}: {field} must be {expected} as in the manifest, got {got}",
                    self.name
                )));
            }
        }
        Ok(())
    }
}

/// Returns the names of the embedded datasets, in the order in which they are measured.
pub fn embedded_names() -> impl Iterator<Item = &'static str> {
    Manifest::embedded().iter().map(|entry| entry.name.as_str())
}

/// Loads the embedded dataset `name` (in any case), drawn from `seed` if it is generated, and verifies the keys.
///
/// # Errors
///
/// Returns an error if no dataset has that name, or its keys are not those of the manifest.
pub fn load_embedded(name: &str, seed: u64) -> Result<Dataset, Failure> {
    let entry = Manifest::find(name)?;
    let (keys, duplicates_dropped) = keys(entry, seed)?;
    let mut dataset = Dataset::of(&entry.name, keys);
    (dataset.seed, dataset.recipe) = (seed, entry.recipe);
    dataset.summary = DatasetSummary {
        kind: entry.kind,
        source: entry.source.clone(),
        duplicates_dropped,
        ..dataset.summary
    };
    entry.verify(&dataset)?;
    Ok(dataset)
}

/// Returns the keys of `entry`, drawn from `seed` or read from its file, and the number of duplicates dropped.
fn keys(entry: &ManifestEntry, seed: u64) -> Result<(KeySet, u64), Failure> {
    if let Some(recipe) = entry.recipe {
        return Ok((recipe.keys(seed, entry.count), 0));
    }
    let bytes = match entry.name.as_str() {
        "app-accounts" => include_bytes!("../../embedded/app-accounts.txt"),
        name => {
            return Err(Failure::internal(format!(
                "dataset {name}: neither a recipe nor a file inside the program"
            )));
        }
    };
    let lines = KeySet::from_lines(bytes, &Silent)?;
    Ok((lines.keys, lines.duplicates))
}
