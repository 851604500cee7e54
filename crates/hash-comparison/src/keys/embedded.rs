//! The datasets embedded in the program, and the manifest that describes them.

use std::fmt::Display;
use std::sync::LazyLock;

use serde::Deserialize;

use super::{Dataset, Recipe, sha256};
use crate::keys::KeySet;
use crate::names;
use crate::record::DatasetKind;
use records::error::Error;
use records::progress::Silent;

/// `bench-data/datasets.toml`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The embedded datasets, in the order in which they are measured.
    #[serde(rename = "dataset")]
    pub datasets: Vec<ManifestEntry>,
}

/// The manifest's entry for a dataset.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
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

/// The keys of the datasets that are files inside the program, by name.
const FILES: &[(&str, &[u8])] = &[("app-accounts", include_bytes!("../../embedded/app-accounts.txt"))];

impl Manifest {
    /// Returns the manifest inside the program.
    pub fn embedded() -> &'static Self {
        &MANIFEST
    }
}

/// Returns the names of the embedded datasets, in the order in which they are measured.
pub fn embedded_names() -> impl Iterator<Item = &'static str> {
    Manifest::embedded()
        .datasets
        .iter()
        .map(|entry| entry.name.as_str())
}

/// Loads the embedded dataset `name` (in any case), drawn from `seed` if it is generated, and verifies the keys.
///
/// # Errors
///
/// Returns an error if no dataset has that name, or its keys are not those of the manifest.
pub fn load_embedded(name: &str, seed: u64) -> Result<Dataset, Error> {
    let entry = Manifest::embedded()
        .datasets
        .iter()
        .find(|entry| entry.name.eq_ignore_ascii_case(name))
        .ok_or_else(|| names::unknown("dataset", name, embedded_names()))?;
    let (keys, duplicates_dropped) = keys(entry, seed)?;
    let dataset = Dataset {
        name: entry.name.clone(),
        kind: entry.kind,
        source: entry.source.clone(),
        sha256: sha256(&keys),
        keys,
        duplicates_dropped,
        seed,
        recipe: entry.recipe,
    };
    verify(entry, &dataset)?;
    Ok(dataset)
}

/// Returns the keys of `entry`, drawn from `seed` or read from its file, and the number of duplicates dropped.
fn keys(entry: &ManifestEntry, seed: u64) -> Result<(KeySet, u64), Error> {
    if let Some(recipe) = entry.recipe {
        return Ok((recipe.keys(seed, entry.count), 0));
    }
    let (_, bytes) = FILES
        .iter()
        .find(|(name, _)| *name == entry.name)
        .ok_or_else(|| {
            Error::internal(format!(
                "dataset {}: the manifest gives no recipe, and no file of this name is inside the program",
                entry.name
            ))
        })?;
    KeySet::from_lines(bytes.to_vec(), &Silent)
}

/// Checks a dataset against its manifest entry; bytes and checksum only if the seed is the manifest's.
fn verify(entry: &ManifestEntry, dataset: &Dataset) -> Result<(), Error> {
    let check = |field, expected: &dyn Display, got: &dyn Display| {
        let (expected, got, name) = (expected.to_string(), got.to_string(), &entry.name);
        if expected == got {
            return Ok(());
        }
        Err(Error::internal(format!(
            "dataset {name}: {field} must be {expected} as in the manifest, got {got}"
        )))
    };
    check("count", &entry.count, &dataset.keys.len())?;
    if entry.seed.is_some_and(|seed| seed != dataset.seed) {
        return Ok(());
    }
    check("bytes", &entry.bytes, &dataset.keys.total_bytes())?;
    check("sha256", &entry.sha256, &dataset.sha256)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_dataset_is_what_the_manifest_says() {
        let names: Vec<&str> = embedded_names().collect();
        assert_eq!(names, ["random-strings", "video-ids", "app-accounts"]);
        for name in names {
            let dataset = load_embedded(name, 1).unwrap();
            assert_eq!(dataset.name, name);
            assert_eq!(dataset.duplicates_dropped, 0);
            assert_eq!(dataset.recipe.is_some(), dataset.kind == DatasetKind::Generated);
        }
    }

    #[test]
    fn generated_entries_name_recipe_generator_and_seed_and_only_they_do() {
        for entry in &Manifest::embedded().datasets {
            let generated = entry.kind == DatasetKind::Generated;
            assert_eq!(entry.recipe.is_some(), generated, "{}", entry.name);
            assert_eq!(entry.generator.as_deref(), generated.then_some("SplitMix64"));
            assert_eq!(entry.seed.is_some(), generated);
        }
    }

    #[test]
    fn an_entry_with_neither_recipe_nor_file_has_no_keys() {
        let entry = ManifestEntry {
            name: "words".to_owned(),
            ..Manifest::embedded().datasets[2].clone()
        };
        assert!(entry.recipe.is_none());
        let error = keys(&entry, 1).unwrap_err();
        assert_eq!(
            error.to_string(),
            "dataset words: the manifest gives no recipe, and no file of this name is inside the program"
        );
    }

    #[test]
    fn every_file_inside_the_program_is_in_the_manifest() {
        for (name, _) in FILES {
            let entry = Manifest::embedded()
                .datasets
                .iter()
                .find(|entry| entry.name == *name);
            assert!(
                entry.is_some_and(|entry| entry.kind == DatasetKind::Embedded),
                "{name}"
            );
        }
    }

    #[test]
    fn another_seed_gives_other_keys_of_the_same_count() {
        let one = load_embedded("video-ids", 1).unwrap();
        let two = load_embedded("VIDEO-ids", 2).unwrap();
        assert_eq!(one.keys.len(), two.keys.len());
        assert_ne!(one.sha256, two.sha256);
        assert_eq!(two.seed, 2);
    }

    #[test]
    fn what_differs_from_the_manifest_is_refused() {
        let dataset = load_embedded("app-accounts", 1).unwrap();
        let entry = Manifest::embedded().datasets[2].clone();
        let wrong = [
            (
                "count",
                ManifestEntry {
                    count: 3,
                    ..entry.clone()
                },
            ),
            (
                "bytes",
                ManifestEntry {
                    bytes: 3,
                    ..entry.clone()
                },
            ),
            (
                "sha256",
                ManifestEntry {
                    sha256: "00".into(),
                    ..entry
                },
            ),
        ];
        for (field, entry) in wrong {
            let error = verify(&entry, &dataset).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("dataset app-accounts: {field} must be ")),
                "{error}"
            );
        }
    }

    #[test]
    fn an_unknown_name_brings_the_nearest() {
        let error = load_embedded("app-acounts", 1).unwrap_err().to_string();
        assert!(
            error.contains("\"app-acounts\"; the nearest is app-accounts"),
            "{error}"
        );
    }

    #[test]
    fn lengths_are_those_of_the_list() {
        let dataset = load_embedded("app-accounts", 1).unwrap();
        assert_eq!(dataset.length_range(), (2, 28));
        assert!((dataset.mean_length() - 8.009_470_9).abs() < 1e-6);
    }
}
