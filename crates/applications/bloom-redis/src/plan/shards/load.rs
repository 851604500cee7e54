//! Loads the shards of a folder, and makes them the current generation.
//!
//! A shard's string has its full length from the first write on, with a number after it that this loader drew. The mark
//! before that number, which makes it a shard, comes last. A string that was lost in between and begun again by a later
//! write lacks the number, and a mark by one loader does not fit the number of another.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::time::Duration;

use filter_sets::{ENDS, Manifest, Shard};
use redis::{Cmd, cmd};
use sha2::{Digest as _, Sha256};

use super::nodes::{Batches, nodes_of};
use super::record::{Part, Past, SetGeneration, TAIL, record_key};
use crate::batch::{Batch, Replies};
use crate::call::Line;
use crate::error::{Details, Error};
use crate::options::millis;
use crate::plan::scripts::{SWAP, eval};

const PIECE: usize = 1 << 20;

const TOGETHER: usize = 4;

/// The bytes whose ones the server counts at a time: some milliseconds of its time.
const COUNTED: u64 = 8 << 20;

/// The time after which what an abandoned load left is gone.
const UNFINISHED: Duration = Duration::from_secs(24 * 3600);

/// The number of attempts at a load whose keys are lost meanwhile.
const ATTEMPTS: u32 = 3;

/// The way in which a set is loaded.
pub struct Loading<'a> {
    pub(crate) grace: Duration,
    pub(crate) progress: Box<dyn FnMut(u64, u64) + Send + 'a>,
}

/// The result of a load.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Loaded {
    /// The generation that is current now.
    pub generation: String,
    /// The number of shards that were loaded; others were there already.
    pub shards: usize,
    /// The bytes of these shards.
    pub bytes: u64,
}

impl Default for Loading<'_> {
    /// The old generation stays for five minutes.
    fn default() -> Self {
        Self {
            grace: Duration::from_secs(300),
            progress: Box::new(|_, _| ()),
        }
    }
}

impl<'a> Loading<'a> {
    /// Sets the time for which the old generation stays, for queries that are under way.
    #[must_use]
    pub fn grace(self, grace: Duration) -> Self {
        Self { grace, ..self }
    }

    /// Sets a callback that receives the numbers of bytes loaded and of all bytes.
    #[must_use]
    pub fn progress(self, progress: impl FnMut(u64, u64) + Send + 'a) -> Self {
        Self {
            progress: Box::new(progress),
            ..self
        }
    }
}

pub(crate) async fn load(
    line: &Line,
    name: &[u8],
    folder: &Path,
    mut loading: Loading<'_>,
) -> Result<Loaded, Error> {
    let grace = millis(loading.grace)?;
    let manifest = Manifest::read(folder)?;
    let ends = (0..manifest.shards.len()).map(|number| ends_of(&manifest, number, folder));
    let ends = ends.collect::<Result<_, Error>>()?;
    // A foreign value is not replaced.
    let current = SetGeneration::read(line, name).await?;
    check_kind(name, &manifest, current.as_ref())?;
    let is_current = current.as_ref().map(SetGeneration::past);
    let set = SetGeneration::new(name, manifest, ends, is_current.clone());
    let set = set.map_err(|reason| {
        let what = format_args!("{}: {reason}", folder.display());
        Error::InvalidArgument(Details::of_key(&record_key(name), what))
    })?;
    let parts = set.parts();
    let keys = LoadedKeys::of(line, name, &set.past()).await?;

    let mut loaded = Loaded {
        generation: set.id().to_owned(),
        shards: 0,
        bytes: 0,
    };
    let mut attempts = 0;
    loop {
        let is_there = keys.prove(parts, false).await?;
        let mut done: u64 = (parts.iter().zip(&is_there))
            .map(|(part, there)| if *there { part.bytes } else { 0 })
            .sum();
        let all = set.manifest().stored_len();
        (loading.progress)(done, all);
        for (number, part) in (parts.iter().enumerate()).filter(|(number, _)| !is_there[*number]) {
            let shard = &set.manifest().shards[number];
            let file = set.manifest().open_file(number, folder)?;
            let mut tell = |bytes| {
                done += bytes;
                (loading.progress)(done, all);
            };
            let wrote = write(line, part, shard, file, &mut tell).await;
            wrote.map_err(|error| error.about(&part.key))?;
            loaded.shards += 1;
            loaded.bytes += part.bytes;
        }
        // From now on they stay; one that was lost meanwhile is loaded again.
        let kept = keys.prove(parts, true).await?;
        match kept.iter().position(|kept| !kept) {
            None => break,
            Some(lost) if attempts == ATTEMPTS => return Err(Error::missing(&parts[lost].key)),
            Some(_) => attempts += 1,
        }
    }
    if is_current.as_ref() != Some(&set.past()) {
        swap(line, name, &set, grace).await?;
        // A loader that replaced this very generation before may have let its keys expire meanwhile.
        keys.prove(parts, true).await?;
    }
    Ok(loaded)
}

/// Checks that a set has the kind of key of the current one: clients that query in the old form would get wrong denials.
fn check_kind(name: &[u8], manifest: &Manifest, current: Option<&SetGeneration>) -> Result<(), Error> {
    let got = &manifest.key_kind;
    match current.map(|set| &set.manifest().key_kind) {
        Some(kind) if kind != got => {
            let what = format_args!(
                "the kind of key must be {kind:?} as in the current set, got {got:?}: use another name"
            );
            Err(Error::Mismatch(Details::of_key(&record_key(name), what)))
        }
        _ => Ok(()),
    }
}

/// Names the new generation, and lets the keys of the old one expire; those of the new one if it is refused.
async fn swap(line: &Line, name: &[u8], set: &SetGeneration, grace: u64) -> Result<(), Error> {
    let replaced = match replace(line, name, set).await {
        Ok(replaced) => replaced,
        // It is not named. Its keys never expire any more, and nothing else would name them later.
        Err(error @ (Error::Mismatch(_) | Error::Malformed(_))) => {
            retire(line, name, &[set.past()], grace).await?;
            return Err(error);
        }
        Err(error) => return Err(error),
    };
    // And what the old one replaced, if the loader ended before it did this.
    let mut old: Vec<Past> = replaced.iter().map(SetGeneration::past).collect();
    old.extend(replaced.iter().filter_map(|set| set.replaced().cloned()));
    old.retain(|past| past.generation != set.id());
    retire(line, name, &old, grace).await
}

/// Names the new generation, unless the current one has keys of another kind. Returns the one that it replaced.
async fn replace(line: &Line, name: &[u8], set: &SetGeneration) -> Result<Option<SetGeneration>, Error> {
    loop {
        let text = SetGeneration::read_text(line, name).await?;
        let current = SetGeneration::from_text(name, &text)?;
        check_kind(name, set.manifest(), current.as_ref())?;
        let mut swap = eval(&SWAP, &[&record_key(name)]);
        swap.arg(set.text()).arg(text);
        // Otherwise another loader ended meanwhile, perhaps of another kind.
        if line.run(&swap).await?.count()? == 1 {
            return Ok(current);
        }
    }
}

/// Lets the keys of generations expire, but not those of the current one.
async fn retire(line: &Line, name: &[u8], old: &[Past], grace: u64) -> Result<(), Error> {
    let current = async || match SetGeneration::read(line, name).await {
        Ok(current) => Ok(current.map(|set| set.past())),
        // A foreign value names none.
        Err(Error::Malformed(_)) => Ok(None),
        Err(error) => Err(error),
    };
    let before = current().await?;
    for past in old.iter().filter(|past| before.as_ref() != Some(past)) {
        LoadedKeys::of(line, name, past)
            .await?
            .expire(Some(grace))
            .await?;
    }
    // Another loader may have made it the current one again.
    if let Some(current) = current().await?.filter(|current| old.contains(current)) {
        LoadedKeys::of(line, name, &current).await?.expire(None).await?;
    }
    Ok(())
}

struct LoadedKeys<'a> {
    line: &'a Line,
    keys: Vec<Vec<u8>>,
    nodes: Option<Vec<u32>>,
}

impl<'a> LoadedKeys<'a> {
    async fn of(line: &'a Line, name: &[u8], past: &Past) -> Result<Self, Error> {
        let keys: Vec<Vec<u8>> = past.keys(name).collect();
        let nodes = nodes_of(line, keys.iter().map(|key| &key[..])).await?;
        Ok(Self { line, keys, nodes })
    }

    /// Sends commands for each key. Returns the replies in the order of the keys.
    async fn each(&self, commands: impl Fn(&mut Batch, usize)) -> Result<Replies, Error> {
        let mut batches = Batches::default();
        for number in 0..self.keys.len() {
            let node = self.nodes.as_ref().map(|nodes| nodes[number]);
            commands(batches.of(node), number);
        }
        self.line.send_all(batches.0).await
    }

    /// Returns true for each shard that is there as a whole. With `keep`, it then never expires.
    async fn prove(&self, parts: &[Part], keep: bool) -> Result<Vec<bool>, Error> {
        let commands = |batch: &mut Batch, number: usize| {
            let part = &parts[number];
            if keep {
                batch.add("PERSIST").arg(&part.key);
            }
            batch.add("STRLEN").arg(&part.key);
            let get = batch.add("GETRANGE").arg(&part.key);
            get.arg(part.bytes).arg(part.bytes + TAIL);
        };
        let mut replies = self.each(commands).await?;
        let mut proved = |part: &Part| {
            let mut count = || replies.count().map_err(|error| error.about(&part.key));
            if keep {
                count()?;
            }
            let len = count()?;
            if len > part.bytes + TAIL {
                return Err(Error::of_length(&part.key, part.bytes + TAIL, len));
            }
            Ok(part.is_proved_by(&replies.bytes()?.unwrap_or_default()))
        };
        parts.iter().map(&mut proved).collect()
    }

    /// Sets the time to live of each key that has none, or removes it.
    async fn expire(&self, millis: Option<u64>) -> Result<(), Error> {
        let commands = |batch: &mut Batch, number: usize| {
            let key = &self.keys[number];
            match millis {
                Some(millis) => batch.add("PEXPIRE").arg(key).arg(millis),
                None => batch.add("PERSIST").arg(key),
            };
        };
        self.each(commands).await?.checked().map(drop)
    }
}

/// Writes a shard, piece by piece, and its mark once the server has all of it.
async fn write(
    line: &Line,
    part: &Part,
    shard: &Shard,
    mut file: File,
    tell: &mut impl FnMut(u64),
) -> Result<(), Error> {
    let all = part.bytes + TAIL;
    let drawn = draw();
    let mut batch = Batch::new();
    batch.push(&set_range(&part.key, all - drawn.len() as u64, &drawn));
    batch.add("PEXPIRE").arg(&part.key).arg(millis(UNFINISHED)?);
    let mut replies = line.send(batch).await?;
    expect_len(part, all, replies.count()?)?;
    replies.count()?;

    let (mut sum, mut ones) = (Sha256::new(), Vec::new());
    let mut piece = Vec::with_capacity(PIECE);
    let mut at = 0;
    while at < part.bytes {
        let mut batch = Batch::new();
        let start = at;
        for _ in 0..TOGETHER {
            piece.clear();
            let read = (&mut file).take(PIECE as u64).read_to_end(&mut piece);
            read.map_err(|error| reading(shard, &error))?;
            if piece.is_empty() {
                break;
            }
            sum.update(&piece);
            let counted = (at / COUNTED) as usize;
            ones.resize(counted + 1, 0_u64);
            ones[counted] += piece.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>();
            batch.push(&set_range(&part.key, at, &piece));
            at += piece.len() as u64;
        }
        if batch.is_empty() || at > part.bytes {
            return Err(changed(shard));
        }
        let count = batch.replies();
        let mut replies = line.send(batch).await?;
        for _ in 0..count {
            expect_len(part, all, replies.count()?)?;
        }
        tell(at - start);
    }
    if hex::encode(sum.finalize()) != shard.sha256 {
        return Err(changed(shard));
    }

    // A piece that a failing node acknowledged and its successor never had.
    for (start, ones) in (0..).step_by(COUNTED as usize).zip(ones) {
        let end = part.bytes.min(start + COUNTED);
        let mut count = cmd("BITCOUNT");
        count.arg(&part.key).arg(start).arg(end - 1);
        if line.run(&count).await?.count()? != ones {
            return Err(Error::missing(&part.key));
        }
    }
    let mark = set_range(&part.key, part.bytes, &part.mark(drawn));
    expect_len(part, all, line.run(&mark).await?.count()?)
}

fn set_range(key: &[u8], at: u64, bytes: &[u8]) -> Cmd {
    cmd("SETRANGE").arg(key).arg(at).arg(bytes).take()
}

/// Checks the length after a write. A shorter string was lost meanwhile, and begun again by this write.
fn expect_len(part: &Part, all: u64, len: u64) -> Result<(), Error> {
    match len {
        _ if len == all => Ok(()),
        _ if len < all => Err(Error::missing(&part.key)),
        _ => Err(Error::of_length(&part.key, all, len)),
    }
}

/// Returns a number that no other loader has.
fn draw<const N: usize>() -> [u8; N] {
    use std::hash::{BuildHasher as _, RandomState};
    core::array::from_fn(|at| RandomState::new().hash_one(at) as u8)
}

fn reading(shard: &Shard, error: &std::io::Error) -> Error {
    Error::argument(&shard.file, "readable", error)
}

fn changed(shard: &Shard) -> Error {
    let range = "the shard that the manifest describes";
    Error::Malformed(Details::new(&shard.file, range, "other bytes"))
}

/// Returns the first and the last bytes of a shard, in hexadecimal digits.
fn ends_of(manifest: &Manifest, number: usize, folder: &Path) -> Result<String, Error> {
    let shard = &manifest.shards[number];
    let mut file = manifest.open_file(number, folder)?;
    let each = shard.bytes.min(ENDS as u64);
    let mut ends = vec![0; 2 * each as usize];
    let (head, tail) = ends.split_at_mut(each as usize);
    let read = file
        .read_exact(head)
        .and_then(|()| file.seek(SeekFrom::End(-(each as i64))))
        .and_then(|_| file.read_exact(tail));
    read.map_err(|error| reading(shard, &error))?;
    Ok(hex::encode(ends))
}
