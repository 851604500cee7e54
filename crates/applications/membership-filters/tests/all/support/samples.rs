//! Stored filters of each kind, and the filters that the list makes.

use std::fs;
use std::path::PathBuf;

use hashzoo::murmur3_x64_128;
use membership_filters::kinds::{self, AnyFilter, AnyKind, Size};
use membership_filters::{Encoding, Error, HashId, Hashing as _};

/// Returns the hash of bytes.
pub(crate) fn hash_id(kind: &dyn AnyKind) -> HashId {
    kind.hash_id(Encoding::BYTES, 0).unwrap()
}

/// Makes an empty filter, if the kind has one of this size.
pub(crate) fn made(kind: &dyn AnyKind, capacity: u64, rate: f64) -> Result<Box<dyn AnyFilter>, Error> {
    kind.plan(hash_id(kind), capacity, Size::Rate(rate))?.make()
}

/// Inserts keys one by one, until one is refused.
pub(crate) fn insert<K: AsRef<[u8]>>(filter: &mut dyn AnyFilter, keys: &[K]) -> Result<(), Error> {
    let hash = filter.hash_id();
    let mut keys = keys.iter().map(|key| hash.hash_bytes(key.as_ref()));
    keys.try_for_each(|hash| filter.insert_hashes(&mut [hash].into_iter()))
}

/// A stored filter of the data.
pub(crate) struct Sample {
    /// `KIND`, or `KIND.WHAT`.
    pub(crate) name: String,
    pub(crate) kind: &'static dyn AnyKind,
    pub(crate) bytes: Vec<u8>,
}

/// Returns the stored filters of the data, in the order of their names.
pub(crate) fn samples() -> Vec<Sample> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/kinds");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let kind = kinds::named(name.split('.').next().unwrap()).unwrap();
        let bytes = golden(&fs::read_to_string(&path).unwrap());
        Sample { name, kind, bytes }
    };
    paths.into_iter().map(read).collect()
}

/// Returns the bytes of the sample with this name.
pub(crate) fn sample(name: &str) -> Vec<u8> {
    let mut samples = samples().into_iter();
    samples.find(|sample| sample.name == name).unwrap().bytes
}

/// Returns the bytes of these digits.
pub(crate) fn golden(digits: &str) -> Vec<u8> {
    hex::decode(digits.split_whitespace().collect::<String>()).unwrap()
}

/// Corrects the checksum, so that the code after the check is reached.
pub(crate) fn resign(bytes: &mut [u8]) {
    let Some(body) = bytes.len().checked_sub(8) else {
        return;
    };
    let (checksum, _) = murmur3_x64_128(&bytes[..body], 0);
    bytes[body..].copy_from_slice(&checksum.to_le_bytes());
}

/// Opens a stored filter of this kind.
pub(crate) fn open(kind: &dyn AnyKind, bytes: &[u8]) -> Result<Box<dyn AnyFilter>, Error> {
    let found = kind.recognise(bytes, bytes.len() as u64);
    kind.open(found.map_or(hash_id(kind), |found| found.hash), bytes)
}

/// Returns the name of the error's variant.
pub(crate) fn variant(error: &Error) -> String {
    let text = format!("{error:?}");
    text.split(['(', ' ']).next().unwrap_or_default().to_owned()
}
