//! The journal of a set while it is built: which keys the shards on the disk hold, so that a build that was killed goes on.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Write};
use std::path::Path;

use hashzoo::xxh3_64;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::bytes::Opened;
use crate::error::Error;
use crate::header::Header;
use crate::shard::Shard;

/// The name of the file in the set's folder; it goes with the build.
pub(crate) const JOURNAL: &str = "building.jsonl";

/// A line of the journal.
#[derive(Serialize, Deserialize)]
struct Entry {
    keys: u64,
    shard: Shard,
}

/// The shards that an earlier build left, by the digest of their keys.
pub(crate) struct Journal<'a> {
    folder: &'a Path,
    left: HashMap<u64, Shard>,
    file: File,
}

impl<'a> Journal<'a> {
    /// Opens the journal of a folder that is locked.
    pub(crate) fn open(folder: &'a Path) -> Result<Self, Error> {
        let path = folder.join(JOURNAL);
        // A line that was cut, or anything else, is no entry; neither is a shard that no manifest may name.
        let mut left = HashMap::new();
        if let Ok(file) = File::open(&path) {
            for line in BufReader::new(file).split(b'\n').map_while(Result::ok) {
                if let Ok(Entry { keys, shard }) = serde_json::from_slice(&line)
                    && shard.check().is_ok()
                {
                    left.insert(keys, shard);
                }
            }
        }
        let mut file = File::options()
            .append(true)
            .create(true)
            .open(&path)
            .map_err(Error::writing(&path))?;
        // Ends a line that was cut.
        file.write_all(b"\n").map_err(Error::writing(&path))?;
        Ok(Self { folder, left, file })
    }

    /// Takes the shard of the keys with this digest if it is on the disk, unchanged. The header is its own, without a filter.
    pub(crate) fn take(&mut self, keys: u64, header: &Header) -> Option<Shard> {
        let shard = self.left.remove(&keys)?;
        let opened = Opened::open(&self.folder.join(&shard.file), Some(&header.of(&shard)));
        let mut sum = Sum::default();
        io::copy(&mut opened.ok()?.file, &mut sum).ok()?;
        (sum.sha256() == shard.sha256).then_some(shard)
    }

    /// Notes that the shard of these keys is on the disk.
    pub(crate) fn note(&mut self, keys: u64, shard: &Shard) -> Result<(), Error> {
        let shard = shard.clone();
        let entry = Entry { keys, shard };
        let mut line = serde_json::to_string(&entry).map_err(Error::input)?;
        line.push('\n');
        let path = self.folder.join(JOURNAL);
        self.file
            .write_all(line.as_bytes())
            .map_err(Error::writing(&path))
    }
}

/// Returns the digest of a shard without keys yet, made with these parameters.
pub(crate) fn digest_of(parameters: &str) -> u64 {
    let version = env!("CARGO_PKG_VERSION");
    xxh3_64(format!("{version} {parameters}").as_bytes(), 0)
}

/// Adds hash values to a digest.
pub(crate) fn digest(before: u64, values: &[u128]) -> u64 {
    if values.is_empty() {
        return before;
    }
    let mut bytes = vec![[0; 16]; values.len()];
    for (bytes, value) in bytes.iter_mut().zip(values) {
        *bytes = value.to_le_bytes();
    }
    xxh3_64(bytes.as_flattened(), before)
}

/// Counts and hashes what is written.
#[derive(Default)]
pub(crate) struct Sum {
    pub(crate) bytes: u64,
    hash: Sha256,
}

impl Sum {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.hash.update(bytes);
    }

    /// Returns the SHA-256 in hexadecimal digits.
    pub(crate) fn sha256(self) -> String {
        hex::encode(self.hash.finalize())
    }
}

impl Write for Sum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
