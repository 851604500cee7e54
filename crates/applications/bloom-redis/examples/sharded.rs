//! A set of shards in a Redis Cluster: a filter of the `BF` commands for each shard, queried through its mark. The guide
//! `redisbloom.md` has all steps.
//!
//! ```text
//! sharded redis://127.0.0.1:7101 mark users.1/4
//! sharded redis://127.0.0.1:7101 load users.2/4 users.set
//! printf 'user-7\nnobody\n' | sharded redis://127.0.0.1:7101 query users.2/4 users.1/4
//! ```
//!
//! `mark` gives each shard its mark, after the commands of `samebits build --commands` have loaded it. `load` loads the
//! shards of a set of text keys from its folder, which `samebits build --format redisbloom --shards 4` writes without
//! `--commands`, and marks them. `query` reads keys from standard input and answers from the first of these generations
//! whose shards all have their marks.
//!
//! `Shards` is the part to copy.

use std::error::Error as StdError;
use std::fmt::Display;
use std::fs;
use std::io::{Read, Write, stdin, stdout};
use std::path::Path;

use bloom_redis::{Answer, Error, RedisBloom};
use filter_sets::{Header, MAX_SHARDS, Manifest, Shard, ShardFunction};
use membership_filters::RedisBloomFilter;
use redis::ConnectionLike;
use redis::cluster::ClusterClient;
use sha2::{Digest as _, Sha256};

/// The filters of one generation of a set, in the order of its shards.
struct Shards(Vec<RedisBloom>);

impl Shards {
    /// Returns the filters of the generation with this name. A name ends with the number of shards, as in `users.1/4`,
    /// so that a reader that expects another number finds no filter. With that name, `samebits build --commands` loads
    /// shard N under `users.1/4:{N}`.
    fn named(name: &str) -> Option<Self> {
        let (_, count) = name.rsplit_once('/')?;
        let count: u32 = count.parse().ok()?;
        if !(1..=MAX_SHARDS).contains(&count) {
            return None;
        }
        let filter = |number| RedisBloom::new(format!("{name}:{{{number}}}"));
        Some(Self((0..count).map(filter).collect()))
    }

    /// Gives each filter its mark. Call it only when its commands have loaded it: the call reads the filter, but cannot
    /// know whether it has all keys.
    fn mark(&self, connection: &mut dyn ConnectionLike) -> Result<(), Error> {
        let mark = |filter: &RedisBloom| filter.write_mark().query(connection);
        self.0.iter().try_for_each(mark)
    }

    /// Loads each filter from the set in this folder, together with its mark. The keys must be text, and the shard
    /// function the default one.
    fn load(&self, folder: &Path, connection: &mut dyn ConnectionLike) -> Result<(), Box<dyn StdError>> {
        let manifest = Manifest::read(folder)?;
        self.check(&manifest)?;
        for (filter, shard) in self.0.iter().zip(&manifest.shards) {
            filter.load(&read(folder, shard)?).query(connection)?;
        }
        Ok(())
    }

    /// Checks that queries will find the keys of the set. They know only its name, so they use the default shard
    /// function and the bytes of text.
    fn check(&self, manifest: &Manifest) -> Result<(), String> {
        let (count, found) = (self.0.len(), manifest.shards.len());
        ensure(found == count, || {
            format!("the set must have {count} shards as its name says, got {found}")
        })?;
        let (format, kind) = (&manifest.format, &manifest.key_kind);
        ensure(format == "redisbloom", || {
            format!("the format of the set must be redisbloom, got {format}")
        })?;
        ensure(["line", "string"].contains(&&**kind), || {
            format!("the kind of key of the set must be line or string, got {kind}")
        })?;
        let (function, default) = (&manifest.shard_function, ShardFunction::default());
        ensure(*function == default, || {
            let (default, got) = (default.seed(), function.seed());
            format!("the seed of the set's shard function must be {default}, got {got}")
        })
    }

    /// Returns true if every shard has its mark, so that readers can change over to this generation.
    fn is_complete(&self, connection: &mut dyn ConnectionLike) -> Result<bool, Error> {
        for filter in &self.0 {
            if filter.contains("").query(connection)? == Answer::Missing {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Queries keys, those of a shard together. The answers are in the order of the keys. `Answer::Missing` says that the
    /// shard of the key is lost: load and mark it again. Treat an error like `Answer::Missing`: its key may be stored.
    fn contains_many(
        &self,
        keys: &[&str],
        connection: &mut dyn ConnectionLike,
    ) -> Result<Vec<Answer>, Error> {
        let (function, count) = (ShardFunction::default(), self.0.len());
        let mut of_shards = vec![Vec::new(); count];
        for (index, key) in keys.iter().enumerate() {
            of_shards[function.shard_of(key.as_bytes(), count as u32) as usize].push(index);
        }
        let mut answers = vec![Answer::Missing; keys.len()];
        for (filter, indices) in self.0.iter().zip(of_shards) {
            let of_shard = indices.iter().map(|&index| keys[index]);
            let found = filter.contains_many(of_shard).query(connection)?;
            for (index, answer) in indices.into_iter().zip(found) {
                answers[index] = answer;
            }
        }
        Ok(answers)
    }
}

/// Reads the filter of a shard. The checksum is compared with that of the bytes from which the filter is made.
fn read(folder: &Path, shard: &Shard) -> Result<RedisBloomFilter, Box<dyn StdError>> {
    let path = folder.join(&shard.file);
    let wrong = |reason: &dyn Display| format!("{}: {reason}", path.display());
    let file = fs::read(&path).map_err(|error| wrong(&error))?;
    let (len, least) = (file.len(), Header::LEN);
    let short = || {
        wrong(&format_args!(
            "the length in bytes must be at least {least}, got {len}"
        ))
    };
    let stored = file.get(Header::LEN..).ok_or_else(short)?;
    let (expected, found) = (&shard.sha256, hex::encode(Sha256::digest(stored)));
    ensure(found == *expected, || {
        wrong(&format_args!(
            "the checksum must be {expected} as in the manifest, got {found}"
        ))
    })?;
    Ok(RedisBloomFilter::from_redisbloom(stored).map_err(|error| wrong(&error))?)
}

fn ensure(holds: bool, reason: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(reason()) }
}

fn main() -> Result<(), Box<dyn StdError>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    run(&arguments, &mut stdin(), &mut stdout())
}

/// Does what the arguments say. Keys are read from `input`.
pub(crate) fn run(
    arguments: &[&str],
    input: &mut dyn Read,
    output: &mut dyn Write,
) -> Result<(), Box<dyn StdError>> {
    let [url, action @ ..] = arguments else {
        return Err("the arguments must be a URL and an action".into());
    };
    // By default, the client waits for minutes when a node is gone.
    let client = ClusterClient::builder([*url]).retries(4).max_retry_wait(500);
    let connection = &mut client.build()?.get_connection()?;
    match action {
        ["mark", name] => generation(name)?.mark(connection)?,
        ["load", name, folder] => generation(name)?.load(Path::new(folder), connection)?,
        ["query", names @ .., oldest] => {
            // A program that runs on keeps the generation that it had until a newer one is complete.
            let mut current = generation(oldest)?;
            for name in names.iter().rev() {
                let newer = generation(name)?;
                if newer.is_complete(connection)? {
                    current = newer;
                }
            }
            let mut text = String::new();
            input.read_to_string(&mut text)?;
            let keys: Vec<&str> = text.lines().collect();
            for (key, answer) in keys.iter().zip(current.contains_many(&keys, connection)?) {
                writeln!(output, "{key}: {answer:?}")?;
            }
        }
        _ => return Err("the action must be `mark NAME`, `load NAME FOLDER` or `query NAME...`".into()),
    }
    Ok(())
}

fn generation(name: &str) -> Result<Shards, String> {
    let wrong =
        || format!("the name must end with / and 1 to {MAX_SHARDS} shards, as in users.1/4, got {name}");
    Shards::named(name).ok_or_else(wrong)
}
