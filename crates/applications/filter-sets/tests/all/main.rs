//! Builds and queries filters and sets; reads folders that are no sets.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod building;
mod changes;
mod formats;
mod hostile;
mod memory;
mod reseal;
mod small;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use filter_sets::{Builder, FileBuilding, Manifest, Shard, Size, StoredFormat};

fn format(name: &str) -> StoredFormat {
    StoredFormat::named(name).unwrap()
}

/// Returns a name of each format.
fn names() -> impl Iterator<Item = &'static str> {
    StoredFormat::all().map(|format| format.short_names()[0])
}

/// Returns keys of 4 to 12 bytes.
fn keys(numbers: std::ops::Range<u32>) -> Vec<Vec<u8>> {
    let key = |i: u32| format!("key{i:0width$}", width = 1 + i as usize % 9).into_bytes();
    numbers.map(key).collect()
}

/// Builds a set of so many shards of these keys.
fn build(builder: &Builder, shards: u32, folder: &Path, keys: &[Vec<u8>]) -> Manifest {
    let mut building = builder.set(folder, shards).unwrap();
    keys.iter().for_each(|key| building.insert(key).unwrap());
    building.finish(&|_| true).unwrap()
}

fn build_file(mut building: FileBuilding, keys: &[Vec<u8>]) -> Shard {
    keys.iter().for_each(|key| building.insert(key).unwrap());
    building.finish(&|_| true).unwrap()
}

fn builder(name: &str) -> Builder {
    Builder::new(format(name), Size::Rate(0.01))
}

/// Returns the files of a folder.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect()
}
