//! The manifest of a set, which `FORMAT.md` describes. It is read from bytes that may be anything.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{BufReader, Read as _};
use std::path::Path;

use hashzoo::xxh3_64;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::error::{Error, ensure};
use crate::format::StoredFormat;
use crate::header::{Header, check_key_kind};
use crate::shard::{MANIFEST, MAX_SHARDS, Shard};

/// The value of [`Manifest::schema`].
pub(crate) const SCHEMA: &str = "filter-set/2";

/// The name of the only hash function of shards.
const HASH: &str = "xxh3-64";

/// The seed of the shard function: none of the formats uses it, and numbers of JSON hold it exactly.
pub const SHARD_SEED: u64 = 0x7368_6172_6473;

/// The length in bytes of the longest manifest: that of the most shards, generously.
const MAX_LEN: u64 = 32 << 20;

/// The description of a set of shards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of this description.
    pub(crate) schema: String,
    /// The SHA-256 of all that follows, in lower-case hexadecimal digits.
    checksum: String,
    /// The name of the format of all shards.
    pub format: String,
    /// The kind of key; see [`Builder::key_kind`](crate::Builder::key_kind).
    pub key_kind: String,
    /// The function that assigns a key to a shard.
    pub shard_function: ShardFunction,
    /// The shards, in the order of their numbers.
    pub shards: Vec<Shard>,
}

/// The function that assigns a key to a shard: the hash times the number of shards, divided by 2^64.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardFunction {
    hash: String,
    seed: u64,
}

/// The field of every version.
#[derive(Deserialize)]
struct Version {
    schema: Option<String>,
}

impl Version {
    fn check(&self) -> Result<(), Error> {
        let got = self.schema.as_deref();
        ensure(got == Some(SCHEMA), || {
            format!("the schema must be {SCHEMA}, got {:?}", got.unwrap_or("none"))
        })
    }
}

impl Default for ShardFunction {
    fn default() -> Self {
        Self {
            hash: HASH.to_owned(),
            seed: SHARD_SEED,
        }
    }
}

impl ShardFunction {
    /// Returns the seed of the hash.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the shard of a key among this many.
    ///
    /// ```
    /// use filter_sets::ShardFunction;
    ///
    /// let function = ShardFunction::default();
    /// assert_eq!(function.shard_of(b"apple", 1), 0);
    /// assert!(function.shard_of(b"apple", 16) < 16);
    /// ```
    #[inline]
    pub fn shard_of(&self, key: &[u8], shards: u32) -> u32 {
        shard_of(self.seed, key, shards)
    }
}

/// Returns the shard of a key among this many, by the hash under this seed.
#[inline]
pub(crate) fn shard_of(seed: u64, key: &[u8], shards: u32) -> u32 {
    ((u128::from(xxh3_64(key, seed)) * u128::from(shards)) >> 64) as u32
}

impl Manifest {
    /// Makes the manifest of these shards. `first` is the header of the first one.
    pub(crate) fn new(first: &Header, shards: Vec<Shard>) -> Self {
        let mut manifest = Self {
            schema: SCHEMA.to_owned(),
            checksum: String::new(),
            format: first.format.clone(),
            key_kind: first.key_kind.clone(),
            shard_function: ShardFunction {
                seed: first.seed,
                ..ShardFunction::default()
            },
            shards,
        };
        manifest.checksum = manifest.sum();
        manifest
    }

    /// Returns the header of the file of a shard.
    ///
    /// # Panics
    ///
    /// If there is no shard of this number.
    pub fn header(&self, shard: usize) -> Header {
        // At most `MAX_SHARDS`.
        let (number, shard) = (shard as u32, &self.shards[shard]);
        Header {
            format: self.format.clone(),
            key_kind: self.key_kind.clone(),
            seed: self.shard_function.seed,
            shard: number,
            shards: self.shards.len() as u32,
            bytes: shard.bytes,
            keys: shard.keys,
            sha256: shard.sha256.clone(),
            rate: shard.rate,
            capacity: None,
            wanted_rate: None,
        }
    }

    /// Returns the checksum of all other fields.
    fn sum(&self) -> String {
        let Self {
            schema,
            format,
            key_kind,
            shard_function,
            shards,
            ..
        } = self;
        let ShardFunction { hash, seed } = shard_function;
        let count = shards.len();
        let mut sum = Sha256::new();
        sum.update(format!(
            "{schema}\n{format}\n{key_kind}\n{hash}\n{seed}\n{count}\n"
        ));
        for Shard {
            file,
            bytes,
            keys,
            sha256,
            rate,
        } in shards
        {
            let rate = rate.map_or_else(|| "null".to_owned(), |rate| format!("{:016x}", rate.to_bits()));
            sum.update(format!("{file} {bytes} {keys} {sha256} {rate}\n"));
        }
        hex::encode(sum.finalize())
    }

    /// Reads the manifest of a folder and checks that it is consistent.
    ///
    /// # Errors
    ///
    /// [`NotFound`](Error::NotFound) if there is none, [`Damaged`](Error::Damaged) if it is no manifest.
    pub fn read(folder: impl AsRef<Path>) -> Result<Self, Error> {
        let path = folder.as_ref().join(MANIFEST);
        let reading = |error| Error::reading(&path)(error);
        // Opening a pipe would wait for its writer.
        let is_file = fs::metadata(&path).map_err(reading)?.is_file();
        ensure(is_file, || "must be a plain file".to_owned())
            .map_err(|error| Error::damaged(Some(&path), error))?;
        let file = File::open(&path).map_err(reading)?;
        let mut bytes = Vec::new();
        file.take(MAX_LEN + 1).read_to_end(&mut bytes).map_err(reading)?;
        Self::parse(&bytes).map_err(|error| Error::damaged(Some(&path), error))
    }

    /// Checks that the folder has a manifest of this version, without keeping any of it: it may be damaged.
    pub(crate) fn check_schema(folder: &Path) -> Result<(), Error> {
        let path = folder.join(MANIFEST);
        let file = File::open(&path).map_err(Error::reading(&path))?;
        let version = serde_json::from_reader(BufReader::new(file.take(MAX_LEN)));
        let checked = version
            .map_err(Error::argument)
            .and_then(|version: Version| version.check());
        checked.map_err(|error| Error::damaged(Some(&path), error))
    }

    /// Reads a manifest and checks that it is consistent.
    ///
    /// # Errors
    ///
    /// [`Damaged`](Error::Damaged) if it is no consistent manifest; the text says why.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Self::parse(bytes).map_err(|error| Error::damaged(None, error))
    }

    fn parse(bytes: &[u8]) -> Result<Self, Error> {
        ensure(bytes.len() as u64 <= MAX_LEN, || {
            format!("must have at most {MAX_LEN} bytes")
        })?;
        // First the version: another version has other fields.
        let version: Version = serde_json::from_slice(bytes).map_err(Error::argument)?;
        version.check()?;
        let manifest: Self = serde_json::from_slice(bytes).map_err(Error::argument)?;
        manifest.check()?;
        Ok(manifest)
    }

    fn check(&self) -> Result<(), Error> {
        StoredFormat::named(&self.format)?;
        check_key_kind(&self.key_kind)?;
        let (hash, count) = (&self.shard_function.hash, self.shards.len());
        ensure(hash == HASH, || {
            format!("the hash of the shard function must be {HASH}, got {hash:?}")
        })?;
        ensure((1..=MAX_SHARDS as usize).contains(&count), || {
            format!("there must be 1 to {MAX_SHARDS} shards, got {count}")
        })?;
        let mut names = HashSet::new();
        let (mut bytes, mut keys) = (0_u64, 0_u64);
        for (number, shard) in self.shards.iter().enumerate() {
            let of_shard = |error| Error::argument(format_args!("shard {number}: {error}"));
            shard.check().map_err(of_shard)?;
            let file = &shard.file;
            ensure(names.insert(file), || {
                format!("shard {number}: the file {file:?} belongs to another shard already")
            })?;
            let sums = bytes.checked_add(shard.bytes).zip(keys.checked_add(shard.keys));
            let too_many = || Error::argument("the shards must have fewer than 2^64 bytes and keys in all");
            (bytes, keys) = sums.ok_or_else(too_many)?;
        }
        let (got, expected) = (&self.checksum, self.sum());
        ensure(*got == expected, || {
            format!(
                "the checksum of the contents must be {expected}, got {got}: they are not what the builder wrote"
            )
        })
    }

    /// Returns the number of different keys.
    pub fn len(&self) -> u64 {
        self.shards.iter().map(|shard| shard.keys).sum()
    }

    /// Returns true if the set has no key.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the length of all stored filters in bytes.
    pub fn stored_len(&self) -> u64 {
        self.shards.iter().map(|shard| shard.bytes).sum()
    }

    /// Returns the expected false-positive rate of absent keys; none if the format has no formula. It is the mean of
    /// the shards' rates, because a key is looked up in one shard alone.
    pub fn expected_rate(&self) -> Option<f64> {
        let rates: Option<Vec<f64>> = self.shards.iter().map(|shard| shard.rate).collect();
        rates.map(|rates| rates.iter().sum::<f64>() / self.shards.len() as f64)
    }

    /// Returns the shard of a key.
    #[inline]
    pub fn shard_of(&self, key: &[u8]) -> usize {
        // At most `MAX_SHARDS`.
        self.shard_function.shard_of(key, self.shards.len() as u32) as usize
    }
}
