//! A set of shards in a Redis Cluster: a filter of the `BF` commands for each shard, loaded by the commands that
//! `filters build --commands` writes, and queried through its mark. The guide `redisbloom.md` does all steps.
//!
//! ```text
//! sharded redis://127.0.0.1:7101 mark users.1/4
//! printf 'user-7\nnobody\n' | sharded redis://127.0.0.1:7101 query users.2/4 users.1/4
//! ```
//!
//! `mark` gives each loaded shard its mark. `query` reads keys from standard input and answers from the first of these
//! generations whose shards all have their marks.
//!
//! `Shards` is the part to copy.

use std::error::Error as StdError;
use std::io::{Read as _, stdin};

use bloom_redis::{Answer, Error, RedisBloom};
use filter_sets::ShardFunction;
use redis::ConnectionLike;
use redis::cluster::ClusterClient;

/// The filters of one generation of a set, in the order of its shards.
struct Shards(Vec<RedisBloom>);

impl Shards {
    /// Returns the filters of the generation with this name. A name ends with the number of shards, as in `users.1/4`,
    /// so that a reader that expects another number finds no filter. With that name, `filters build --commands` loads
    /// shard N under `users.1/4:{N}`.
    fn named(name: &str) -> Option<Self> {
        let (_, count) = name.rsplit_once('/')?;
        let count: u32 = count.parse().ok().filter(|&count| count > 0)?;
        let filter = |number| RedisBloom::new(format!("{name}:{{{number}}}"));
        Some(Self((0..count).map(filter).collect()))
    }

    /// Gives each filter its mark, after its commands have loaded it. The call reads the filters.
    fn mark(&self, connection: &mut dyn ConnectionLike) -> Result<(), Error> {
        let mark = |filter: &RedisBloom| filter.write_mark().query(connection);
        self.0.iter().try_for_each(mark)
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

fn main() -> Result<(), Box<dyn StdError>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, action, names @ ..] = &arguments[..] else {
        return Err("the arguments must be a URL, `mark` or `query`, and names like users.1/4".into());
    };
    let generation = |name: &String| {
        Shards::named(name)
            .ok_or_else(|| format!("{name}: the name must end with a number of shards, like users.1/4"))
    };
    let generations: Vec<Shards> = names.iter().map(generation).collect::<Result<_, _>>()?;
    // By default, the client waits for minutes when a node is gone.
    let client = ClusterClient::builder([url.as_str()])
        .retries(4)
        .max_retry_wait(500);
    let connection = &mut client.build()?.get_connection()?;
    match action.as_str() {
        "mark" => {
            for shards in &generations {
                shards.mark(connection)?;
            }
        }
        "query" => {
            let mut current = None;
            for shards in &generations {
                if current.is_none() && shards.is_complete(connection)? {
                    current = Some(shards);
                }
            }
            // A program that runs on keeps the generation that it had.
            let current = current
                .or(generations.last())
                .ok_or("there must be a generation")?;
            let mut text = String::new();
            stdin().read_to_string(&mut text)?;
            let keys: Vec<&str> = text.lines().collect();
            for (key, answer) in keys.iter().zip(current.contains_many(&keys, connection)?) {
                println!("{key}: {answer:?}");
            }
        }
        _ => return Err("the action must be mark or query".into()),
    }
    Ok(())
}
