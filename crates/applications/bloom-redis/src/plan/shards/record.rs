//! The small key of a set, which names its current generation and contains what queries need. `SETS.md` describes it.

use filter_sets::{ENDS, Format, Manifest, Outline, Shard};
use redis::{Cmd, cmd};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::call::Line;
use crate::error::{Details, Error};

/// The value of the field `schema`.
const SCHEMA: &str = "bloom-redis-set/2";

/// The length of a generation's identity, which comes first in the small key, before a line feed and the JSON.
const ID_LEN: usize = 32;

/// The longest small key that is read: that of the most shards, generously.
const MAX_LEN: usize = 32 << 20;

/// The bytes after a shard's: the mark, and the number that the loader drew.
pub(crate) const TAIL: u64 = 2 * HALF as u64;
const HALF: usize = 16;

/// The largest string of Redis, 512 MiB.
const MAX_STRING: u64 = 512 << 20;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    schema: String,
    replaced: Option<Past>,
    ends: Vec<String>,
    manifest: serde_json::Value,
}

/// The parts of the names of a generation's keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Past {
    pub(crate) generation: String,
    pub(crate) shards: u32,
}

/// A generation of a set in Redis: the manifest of the folder from which it was loaded, and what queries need.
#[derive(Debug)]
pub struct SetGeneration {
    id: String,
    manifest: Manifest,
    shards: Vec<Part>,
    replaced: Option<Past>,
    text: String,
}

#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) key: Vec<u8>,
    /// The length of the stored filter; the string is [`TAIL`] bytes longer.
    pub(crate) bytes: u64,
    pub(crate) outline: Outline,
    check: [u8; HALF],
}

impl Part {
    /// Returns what follows the stored filter if the loader drew these numbers.
    pub(crate) fn mark(&self, drawn: [u8; HALF]) -> [u8; HALF] {
        core::array::from_fn(|at| self.check[at] ^ drawn[at])
    }

    /// Returns true if these bytes after the stored filter prove that it is there, from its first byte to its last.
    pub(crate) fn is_proved_by(&self, tail: &[u8]) -> bool {
        let (halves, rest) = tail.as_chunks::<HALF>();
        matches!(halves, [mark, drawn] if rest.is_empty() && self.mark(*drawn) == *mark)
    }
}

impl Past {
    pub(crate) fn keys(&self, name: &[u8]) -> impl Iterator<Item = Vec<u8>> {
        (0..self.shards).map(|number| shard_key(name, &self.generation, number))
    }
}

pub(crate) fn record_key(name: &[u8]) -> Vec<u8> {
    [b"bf-set:", name].concat()
}

/// The generation and the number come first: they have no colon, so that no two keys of different sets are the same.
fn shard_key(name: &[u8], generation: &str, number: u32) -> Vec<u8> {
    [format!("bf-shard:{generation}:{number}:").as_bytes(), name].concat()
}

impl SetGeneration {
    /// Makes the generation of a manifest whose shards have these first and last bytes, in hexadecimal digits.
    pub(crate) fn new(
        name: &[u8],
        manifest: Manifest,
        ends: Vec<String>,
        replaced: Option<Past>,
    ) -> Result<Self, String> {
        let id = id_of(&manifest);
        let format = Format::named(&manifest.format).map_err(|error| error.to_string())?;
        if ends.len() != manifest.shards.len() {
            let (shards, got) = (manifest.shards.len(), ends.len());
            return Err(format!("the ends must be those of {shards} shards, got {got}"));
        }
        let parts = (0..)
            .zip(manifest.shards.iter().zip(&ends))
            .map(|(number, (shard, ends))| {
                let key = shard_key(name, &id, number);
                part(key, &manifest, shard, &format, ends)
                    .map_err(|reason| format!("shard {number}: {reason}"))
            });
        let shards = parts.collect::<Result<_, _>>()?;
        let text = Text {
            schema: SCHEMA.to_owned(),
            replaced: replaced.clone(),
            ends,
            manifest: serde_json::to_value(&manifest).map_err(|error| error.to_string())?,
        };
        let text = serde_json::to_string(&text).map_err(|error| error.to_string())?;
        let text = format!("{id}\n{text}");
        Ok(Self {
            id,
            manifest,
            shards,
            replaced,
            text,
        })
    }

    /// Reads the small key's value, which may be anything; `None` if it is empty.
    pub(crate) fn from_text(name: &[u8], text: &[u8]) -> Result<Option<Self>, Error> {
        if text.is_empty() {
            return Ok(None);
        }
        let key = record_key(name);
        let malformed = |reason: String| {
            let what = format_args!("the value must be the record of a set: {reason}");
            Error::Malformed(Details::of_key(&key, what))
        };
        if text.len() > MAX_LEN {
            return Err(malformed(format!("it has more than {MAX_LEN} bytes")));
        }
        let (first, json) = text.split_at_checked(ID_LEN + 1).unwrap_or_default();
        if first.last() != Some(&b'\n') {
            return Err(malformed(format!("it must begin with a line of {ID_LEN} digits")));
        }
        let text: Text = serde_json::from_slice(json).map_err(|error| malformed(error.to_string()))?;
        if text.schema != SCHEMA {
            return Err(malformed(format!(
                "the schema must be {SCHEMA}, got {:?}",
                text.schema
            )));
        }
        let is_name = |past: &Past| past.generation.len() == ID_LEN && past.shards <= filter_sets::MAX_SHARDS;
        if !text.replaced.iter().all(is_name) {
            return Err(malformed("what it replaced is no generation".to_owned()));
        }
        let manifest = text.manifest.to_string();
        let manifest =
            Manifest::from_bytes(manifest.as_bytes()).map_err(|error| malformed(error.to_string()))?;
        let generation = Self::new(name, manifest, text.ends, text.replaced).map_err(malformed)?;
        if generation.id.as_bytes() != &first[..ID_LEN] {
            let (id, got) = (&generation.id, first[..ID_LEN].escape_ascii());
            return Err(malformed(format!("the generation must be {id}, got {got}")));
        }
        Ok(Some(generation))
    }

    /// Reads the small key; `None` if there is none.
    pub(crate) async fn read(line: &Line, name: &[u8]) -> Result<Option<Self>, Error> {
        Self::from_text(name, &Self::read_text(line, name).await?)
    }

    /// Reads the small key's value; empty if there is none.
    pub(crate) async fn read_text(line: &Line, name: &[u8]) -> Result<Vec<u8>, Error> {
        // A value of another program may be of any length.
        let mut command = cmd("GETRANGE");
        command.arg(record_key(name)).arg(0).arg(MAX_LEN);
        Ok(line.run(&command).await?.bytes()?.unwrap_or_default())
    }

    /// Returns the identity: 32 hexadecimal digits that follow from the format and the shards' checksums.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the manifest of the folder.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    pub(crate) fn parts(&self) -> &[Part] {
        &self.shards
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn replaced(&self) -> Option<&Past> {
        self.replaced.as_ref()
    }

    /// Returns the generation as one that another replaces.
    pub(crate) fn past(&self) -> Past {
        Past {
            generation: self.id.clone(),
            // At most `MAX_SHARDS`.
            shards: self.shards.len() as u32,
        }
    }
}

/// Returns the command that reads which generation is the current one.
pub(crate) fn generation_command(record: &[u8]) -> Cmd {
    cmd("GETRANGE").arg(record).arg(0).arg(ID_LEN - 1).take()
}

fn id_of(manifest: &Manifest) -> String {
    let mut sum = Sha256::new();
    let seed = manifest.shard_function.seed();
    sum.update(format!("{SCHEMA}\n{}\n{seed}\n", manifest.format));
    for shard in &manifest.shards {
        sum.update(format!("{} {}\n", shard.bytes, shard.sha256));
    }
    hex::encode(&sum.finalize()[..16])
}

fn part(
    key: Vec<u8>,
    manifest: &Manifest,
    shard: &Shard,
    format: &Format,
    ends: &str,
) -> Result<Part, String> {
    if shard.bytes.saturating_add(TAIL) > MAX_STRING {
        let most = MAX_STRING - TAIL;
        // A tenth more, because shards differ in size.
        let shards = manifest.stored_len().div_ceil(most / 10 * 9);
        return Err(format!(
            "{} bytes are more than the {most} that a string of Redis holds: build the set with {shards} shards or more",
            shard.bytes
        ));
    }
    let ends = hex::decode(ends).map_err(|error| format!("the ends: {error}"))?;
    // The first bytes, then the last; of a short filter all, twice.
    let each = shard.bytes.min(ENDS as u64) as usize;
    if ends.len() != 2 * each {
        return Err(format!(
            "the ends must have {} bytes, got {}",
            2 * each,
            ends.len()
        ));
    }
    let outline = format.outline(shard.bytes, &ends[..each], &ends[each..]);
    let check = hex::decode(&shard.sha256).ok();
    let check = check.and_then(|sum| sum.first_chunk().copied());
    Ok(Part {
        key,
        bytes: shard.bytes,
        outline: outline.map_err(|error| error.to_string())?,
        check: check.ok_or("sha256 must be hexadecimal digits")?,
    })
}
