//! A filter that the server keeps for its `BF.*` commands, and the mark that proves which load it is of.
//!
//! The mark is written with the last step of a load, and holds the load's random number: if two reads give the same
//! mark, no other load ended between them. The filter itself is proven by its number of keys, and by [`CANARIES`] keys,
//! which are inserted before it takes its place, and which another filter contains with the probability of its rate
//! each. A chain that is full would open a further link for them: of that, the canaries are keys that it contains by
//! chance.

use core::time::Duration;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, PoisonError};

use membership_filters::RedisBloomFilter;
use redis::{RedisError, Value, cmd};

use super::scripts::{REPLACE, eval};
use crate::answer::Answer;
use crate::batch::{Batch, bit, unexpected};
use crate::call::Line;
use crate::error::{Details, Error, is_missing_command, is_missing_key};
use crate::options::millis;
use membership_filters::redisbloom::companion_key;

/// The number of keys in one round trip.
const KEYS_PER_TRIP: usize = 1 << 14;
/// The time for which a part of a filter waits for the next one during a load.
const LEASE: Duration = Duration::from_secs(600);
/// The number of attempts of a query or a dump that loads interrupt.
const ATTEMPTS: usize = 4;
/// The number of keys that prove a filter, and the most that are tried.
const CANARIES: usize = 8;
const TRIES: u64 = 1 << 20;
/// The start of marks. Those of the first version have canaries by chance alone, which a filter with much room lacks.
const VERSION: &str = "2 ";

#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) key: Vec<u8>,
    mark_key: Vec<u8>,
    /// The mark that was read last. Queries check that it still is the server's.
    known: Mutex<Option<Mark>>,
}

impl Loaded {
    pub(crate) fn new(key: Vec<u8>) -> Self {
        Self {
            mark_key: companion_key("loaded", &key),
            key,
            known: Mutex::default(),
        }
    }

    pub(crate) async fn load(&self, line: &Line, filter: &RedisBloomFilter) -> Result<(), Error> {
        let load = RandomState::new().hash_one(&self.key);
        let next = companion_key(&format!("loading:{load}"), &self.key);
        // A cluster refuses keys in several slots before the chunks are sent, not after.
        let slots = eval("return 0", &[&next, &self.key, &self.mark_key]);
        let reply = line.run(&slots).await.and_then(|mut replies| replies.value());
        reply.map_err(|error| error.of_slots(&self.key))?;
        let canaries = self.canaries(load, filter)?;
        for (iterator, chunk) in filter.chunks() {
            let mut batch = Batch::new();
            batch.add("BF.LOADCHUNK").arg(&next).arg(iterator).arg(chunk);
            batch.add("PEXPIRE").arg(&next).arg(millis(LEASE)?);
            let mut replies = line.send(batch).await?;
            replies.value().map_err(|error| self.explain(error))?;
            if replies.count()? == 0 {
                return Err(Error::missing(&next));
            }
        }
        let mark = self.insert_canaries(line, &next, filter, load, &canaries).await?;
        let replace = eval(&REPLACE, &[&next, &self.key, &self.mark_key])
            .arg(mark)
            .take();
        match line.run(&replace).await?.count()? {
            0 => Err(Error::missing(&next)),
            _ => Ok(()),
        }
    }

    pub(crate) async fn dump(&self, line: &Line) -> Result<RedisBloomFilter, Error> {
        for _ in 0..ATTEMPTS {
            let mark = self.read_mark(line).await?;
            let mut chunks = vec![self.chunk(line, 0).await?];
            while let Some(&(last, _)) = chunks.last()
                && last != 0
            {
                chunks.push(self.chunk(line, last).await?);
            }
            let again = self.chunk(line, 0).await?;
            if chunks.first() == Some(&again) && mark == self.read_mark(line).await? {
                let chunks = chunks.iter().map(|(iterator, chunk)| (*iterator, &chunk[..]));
                let filter = RedisBloomFilter::from_chunks(chunks);
                return filter.map_err(|error| Error::Malformed(Details::of_key(&self.key, error)));
            }
        }
        let what = "keys were inserted, or the filter was replaced, while it was read";
        Err(Error::Unavailable(Details::of_key(&self.key, what)))
    }

    pub(crate) async fn write_mark(&self, line: &Line) -> Result<(), Error> {
        let filter = self.dump(line).await?;
        let load = RandomState::new().hash_one(&self.key);
        let canaries = self.canaries(load, &filter)?;
        let mark = self.insert_canaries(line, &self.key, &filter, load, &canaries);
        let set = cmd("SET").arg(&self.mark_key).arg(mark.await?).take();
        line.run(&set).await?.checked().map(drop)
    }

    /// Returns the numbers of a load's canaries: new keys if the last link has room for them, otherwise keys that the
    /// filter contains.
    fn canaries(&self, load: u64, filter: &RedisBloomFilter) -> Result<Vec<u64>, Error> {
        let info = filter.info();
        let has_room = info.capacity.saturating_sub(info.len) >= CANARIES as u64;
        if !has_room && info.expansion.is_none() {
            let what = "a chain that does not scale must have room for 8 further keys, which prove that it is the one that was \
                        loaded: choose a larger capacity";
            return Err(Error::Full(Details::of_key(&self.key, what)));
        }
        let contained = |number: &u64| has_room || filter.contains(canary(load, *number).as_bytes());
        let numbers: Vec<u64> = (0..TRIES).filter(contained).take(CANARIES).collect();
        Ok(match numbers.len() {
            CANARIES => numbers,
            _ => (0..).take(CANARIES).collect(),
        })
    }

    /// Inserts canaries into the filter under this key. Those that it contains change nothing; if one of these is new on
    /// the server, another filter is there by now. Returns the mark.
    async fn insert_canaries(
        &self,
        line: &Line,
        key: &[u8],
        filter: &RedisBloomFilter,
        load: u64,
        numbers: &[u64],
    ) -> Result<String, Error> {
        let canaries: Vec<String> = numbers.iter().map(|&number| canary(load, number)).collect();
        let mut insert = cmd("BF.INSERT");
        insert.arg(key).arg(&["NOCREATE", "ITEMS"]).arg(&canaries);
        let reply = line.run(&insert).await.and_then(|mut replies| replies.value());
        let new = truths(&reply.map_err(|error| self.explain(error))?, CANARIES)?;
        let is_other = |(is_new, canary): (&bool, &String)| *is_new && filter.contains(canary.as_bytes());
        if new.iter().zip(&canaries).any(is_other) {
            let what = "the filter was replaced while it was marked";
            return Err(Error::Unavailable(Details::of_key(&self.key, what)));
        }
        let len = filter.len() + new.iter().filter(|&&is_new| is_new).count() as u64;
        let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
        Ok(format!("{VERSION}{load} {len} {}", numbers.join(" ")))
    }

    async fn chunk(&self, line: &Line, iterator: i64) -> Result<(i64, Vec<u8>), Error> {
        let dump = cmd("BF.SCANDUMP").arg(&self.key).arg(iterator).take();
        let reply = line.run(&dump).await.and_then(|mut replies| replies.value());
        let reply = reply.map_err(|error| self.explain(error))?;
        redis::from_redis_value_ref(&reply).map_err(|_| unexpected("an iterator and a chunk", Some(&reply)))
    }

    pub(crate) async fn contains(&self, line: &Line, keys: &[Vec<u8>]) -> Result<Vec<Answer>, Error> {
        let mut answers = Vec::with_capacity(keys.len());
        for part in keys.chunks(KEYS_PER_TRIP) {
            let found = self.proven(line, "BF.MEXISTS", &[], part).await?;
            answers.extend((0..part.len()).map(|index| match &found {
                None => Answer::Missing,
                Some(found) if found[index] => Answer::Maybe,
                Some(_) => Answer::Absent,
            }));
        }
        Ok(answers)
    }

    pub(crate) async fn insert(&self, line: &Line, keys: &[Vec<u8>]) -> Result<Vec<bool>, Error> {
        let mut new = Vec::with_capacity(keys.len());
        for part in keys.chunks(KEYS_PER_TRIP) {
            let options = ["NOCREATE", "ITEMS"];
            let inserted = self.proven(line, "BF.INSERT", &options, part).await?;
            new.extend(inserted.ok_or_else(|| Error::missing(&self.key))?);
        }
        Ok(new)
    }

    /// Sends a command for keys. Returns its replies if the filter was all the time the one whose load wrote the mark.
    async fn proven(
        &self,
        line: &Line,
        name: &str,
        options: &[&str],
        keys: &[Vec<u8>],
    ) -> Result<Option<Vec<bool>>, Error> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // The replies of an attempt under a mark that was not known: what it inserted is not new any more.
        let mut first: Option<(Vec<u8>, Vec<bool>)> = None;
        for _ in 0..ATTEMPTS {
            let Some(mark) = known.take() else {
                known = self.read_mark(line).await?;
                if known.is_none() {
                    return Ok(None);
                }
                continue;
            };
            let mut batch = Batch::new();
            batch.add("GET").arg(&self.mark_key);
            batch.add(name).arg(&self.key).arg(options).arg(keys);
            batch.add("BF.MEXISTS").arg(&self.key).arg(&mark.canaries);
            batch.add("BF.INFO").arg(&self.key);
            batch.add("GET").arg(&self.mark_key);
            // Clients of clusters return the error of one command for all.
            let mut replies = match line.send(batch).await.map_err(|error| self.explain(error)) {
                Err(Error::Missing { .. }) => return Ok(None),
                replies => replies?,
            };
            let before = replies.bytes()?;
            let [answers, canaries, info] = [(); 3].map(|()| replies.value());
            let after = replies.bytes()?;
            if [&before, &after]
                .iter()
                .any(|text| text.as_ref() != Some(&mark.text))
            {
                let answers = answers.ok().and_then(|answers| truths(&answers, keys.len()).ok());
                first = before.filter(|text| after.as_ref() == Some(text)).zip(answers);
                continue;
            }
            let info = match info.map_err(|error| self.explain(error)) {
                Err(Error::Missing { .. }) => return Ok(None),
                info => info?,
            };
            let canaries = truths(&canaries?, mark.canaries.len())?;
            if !canaries.iter().all(|&is_there| is_there) || inserted(&info)? < mark.len {
                return Ok(None);
            }
            let mut answers = truths(&answers.map_err(|error| self.explain(error))?, keys.len())?;
            if let Some((_, first)) = first.filter(|(text, _)| *text == mark.text) {
                answers
                    .iter_mut()
                    .zip(first)
                    .for_each(|(answer, first)| *answer |= first);
            }
            *self.known.lock().unwrap_or_else(PoisonError::into_inner) = Some(mark);
            return Ok(Some(answers));
        }
        Ok(None)
    }

    async fn read_mark(&self, line: &Line) -> Result<Option<Mark>, Error> {
        let Some(text) = line.run(cmd("GET").arg(&self.mark_key)).await?.bytes()? else {
            return Ok(None);
        };
        // A mark that cannot be read, of an earlier version for example, proves nothing.
        Ok(Mark::read(&text))
    }

    /// Explains the error of a server that has no such filter, or no such command.
    fn explain(&self, error: Error) -> Error {
        if error.redis().is_some_and(is_missing_key) {
            return Error::missing(&self.key);
        }
        if error.redis().is_some_and(is_missing_command) {
            let what = "the server must have RedisBloom's filter behind BF.LOADCHUNK, BF.INFO and BF.MEXISTS, as Redis 8, Redis \
                        Stack and the module RedisBloom do; other servers, such as Dragonfly, have another filter behind BF.* or \
                        none; a `FixedFilter` needs none of these commands";
            return Error::Server(Details::of_key(&self.key, what));
        }
        error
    }
}

/// The mark that proves a filter: the numbers of its load, its keys and the canaries.
#[derive(Debug, Clone, PartialEq)]
struct Mark {
    text: Vec<u8>,
    len: u64,
    canaries: Vec<String>,
}

impl Mark {
    fn read(text: &[u8]) -> Option<Self> {
        let words = core::str::from_utf8(text).ok()?.strip_prefix(VERSION)?;
        let numbers: Option<Vec<u64>> = words.split(' ').map(|word| word.parse().ok()).collect();
        let numbers = numbers?;
        let [load, len, ref numbers @ ..] = numbers[..] else {
            return None;
        };
        (numbers.len() == CANARIES).then(|| Self {
            text: text.to_vec(),
            len,
            canaries: numbers.iter().map(|&number| canary(load, number)).collect(),
        })
    }
}

fn canary(load: u64, number: u64) -> String {
    format!("{load}:{number}")
}

/// Reads a reply of a truth value for each key.
fn truths(reply: &Value, keys: usize) -> Result<Vec<bool>, Error> {
    let all: &[Value] = match reply {
        Value::Array(all) => all,
        _ => &[],
    };
    let truth = |value: &Value| match value {
        Value::Boolean(truth) => Ok(*truth),
        Value::ServerError(error) => Err(RedisError::from(error.clone()).into()),
        other => bit(other),
    };
    if all.len() != keys && !matches!(all.last(), Some(Value::ServerError(_))) {
        return Err(unexpected("an answer for each key", Some(reply)));
    }
    all.iter().map(truth).collect()
}

/// Reads the number of keys in a reply to `BF.INFO`.
fn inserted(info: &Value) -> Result<u64, Error> {
    let pairs: HashMap<String, Value> = redis::from_redis_value_ref(info).unwrap_or_default();
    let number = match pairs.get("Number of items inserted") {
        Some(Value::Int(number)) => u64::try_from(*number).ok(),
        _ => None,
    };
    number.ok_or_else(|| unexpected("the number of items inserted", Some(info)))
}
