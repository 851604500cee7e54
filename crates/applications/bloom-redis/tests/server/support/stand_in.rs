//! A stand-in for a server with `BF.*` commands, which no package has that the tests can install. It takes the commands that
//! the crate sends and replies in the form of RedisBloom's documentation; the filters behind it are this project's own. So it
//! checks the protocol and what becomes of lost filters, not the server's bits: those are compared with recorded chains.

use std::collections::{HashMap, HashSet};

use membership_filters::RedisBloomFilter;
use redis::{ConnectionLike, RedisResult, Value, parse_redis_value};

use super::hooked::split;

/// The number of bytes of a header before its links, and of each of these.
const FIELDS: usize = 20;
const LINK: usize = 53;

#[derive(Default)]
pub(crate) struct StandIn {
    strings: HashMap<Vec<u8>, Vec<u8>>,
    /// The bytes of all chunks; those that were not loaded are zero.
    filters: HashMap<Vec<u8>, Vec<u8>>,
    /// The commands until the connection is lost, if it will be.
    pub(crate) left: Option<usize>,
}

fn header_len(filter: &[u8]) -> usize {
    let links = u32::from_le_bytes(filter[8..12].try_into().unwrap());
    FIELDS + LINK * links as usize
}

fn error(text: &str) -> Value {
    parse_redis_value(format!("-{text}\r\n").as_bytes()).unwrap()
}

fn text(bytes: &[u8]) -> &str {
    core::str::from_utf8(bytes).unwrap()
}

impl StandIn {
    fn filter(&self, key: &[u8]) -> Option<RedisBloomFilter> {
        self.filters
            .get(key)
            .map(|bytes| RedisBloomFilter::from_redisbloom(bytes).unwrap())
    }

    fn delete(&mut self, key: &[u8]) {
        self.strings.remove(key);
        self.filters.remove(key);
    }

    fn run(&mut self, arguments: &[Vec<u8>]) -> Value {
        let rest = &arguments[1..];
        match (text(&arguments[0]), rest) {
            ("GET", [key]) => self
                .strings
                .get(key)
                .map_or(Value::Nil, |value| Value::BulkString(value.clone())),
            ("SET", [key, value]) => {
                self.strings.insert(key.clone(), value.clone());
                Value::Okay
            }
            ("DEL", [key]) => {
                self.delete(key);
                Value::Int(1)
            }
            ("FLUSHALL", []) => {
                self.strings.clear();
                self.filters.clear();
                Value::Okay
            }
            ("PEXPIRE", [key, _]) => Value::Int(self.filters.contains_key(key).into()),
            ("BF.LOADCHUNK", [key, iterator, chunk]) => {
                self.load(key, text(iterator).parse().unwrap(), chunk)
            }
            ("BF.SCANDUMP", [key, iterator]) => self.dump(key, text(iterator).parse().unwrap()),
            ("BF.INFO", [key]) => self.info(key),
            ("BF.MEXISTS", [key, keys @ ..]) if !keys.is_empty() => {
                let filter = self.filter(key);
                let found = |key: &Vec<u8>| filter.as_ref().is_some_and(|filter| filter.contains(key));
                Value::Array(keys.iter().map(|key| Value::Int(found(key).into())).collect())
            }
            ("BF.INSERT", [key, create, items, keys @ ..])
                if [create, items] == [b"NOCREATE", &b"ITEMS"[..]] =>
            {
                self.insert(key, keys)
            }
            ("EVAL", [script, ..]) if script == b"return 0" => Value::Int(0),
            // The scripts; those of `commands` are known by the number of their keys.
            ("EVAL", [_, count, loading, taken, iterator, chunk]) if count == b"2" => {
                if iterator == b"1" {
                    self.delete(loading);
                    self.strings.remove(taken);
                }
                let reply = self.load(loading, text(iterator).parse().unwrap(), chunk);
                if reply == Value::Okay {
                    let taken = self.strings.entry(taken.clone()).or_default();
                    taken.extend([&iterator[..], b" "].concat());
                }
                reply
            }
            ("EVAL", [_, count, loading, taken, key, mark, parts]) if count == b"4" => {
                let there = self.strings.remove(taken).unwrap_or_default();
                let there: HashSet<&str> = text(&there).split_whitespace().collect();
                match self.filters.remove(loading) {
                    Some(filter) if there.len() == text(parts).parse::<usize>().unwrap() => {
                        self.filters.insert(key.clone(), filter);
                        self.strings.remove(mark);
                        Value::Int(1)
                    }
                    _ => error("ERR not all chunks of the filter were loaded"),
                }
            }
            ("EVAL", [_, _, next, key, mark_key, mark]) => match self.filters.remove(next) {
                None => Value::Int(0),
                Some(filter) => {
                    self.filters.insert(key.clone(), filter);
                    self.strings.insert(mark_key.clone(), mark.clone());
                    Value::Int(1)
                }
            },
            (name, _) => error(&format!("ERR unknown command '{name}'")),
        }
    }

    fn load(&mut self, key: &[u8], iterator: i64, chunk: &[u8]) -> Value {
        if iterator == 1 {
            if self.filters.contains_key(key) {
                return error("ERR received bad data");
            }
            let mut all = chunk.to_vec();
            for link in chunk[FIELDS..].chunks(LINK) {
                all.resize(
                    all.len() + u64::from_le_bytes(link[..8].try_into().unwrap()) as usize,
                    0,
                );
            }
            self.filters.insert(key.to_vec(), all);
            return Value::Okay;
        }
        let Some(filter) = self.filters.get_mut(key) else {
            return error("ERR not found");
        };
        let end = header_len(filter) + iterator as usize - 1;
        filter[end - chunk.len()..end].copy_from_slice(chunk);
        Value::Okay
    }

    fn dump(&self, key: &[u8], iterator: i64) -> Value {
        let Some(filter) = self.filter(key) else {
            return error("ERR not found");
        };
        let mut chunks = filter.chunks().skip_while(|&(next, _)| next <= iterator);
        let (next, chunk) = chunks.next().unwrap_or_default();
        Value::Array(vec![Value::Int(next), Value::BulkString(chunk)])
    }

    fn info(&self, key: &[u8]) -> Value {
        let Some(filter) = self.filter(key) else {
            return error("ERR not found");
        };
        let info = filter.info();
        let numbers = [
            ("Capacity", info.capacity),
            ("Size", info.size),
            ("Number of filters", info.links),
            ("Number of items inserted", info.len),
        ];
        let pairs =
            numbers.map(|(name, number)| [Value::SimpleString(name.into()), Value::Int(number as i64)]);
        Value::Array(pairs.into_iter().flatten().collect())
    }

    fn insert(&mut self, key: &[u8], keys: &[Vec<u8>]) -> Value {
        let Some(mut filter) = self.filter(key) else {
            return error("ERR not found");
        };
        let insert = |key: &Vec<u8>| match filter.insert(key) {
            Ok(is_new) => Value::Int(is_new.into()),
            Err(_) => error("ERR non scaling filter is full"),
        };
        let replies = keys.iter().map(insert).collect();
        self.filters.insert(key.to_vec(), filter.to_redisbloom());
        Value::Array(replies)
    }
}

impl ConnectionLike for StandIn {
    fn req_packed_command(&mut self, command: &[u8]) -> RedisResult<Value> {
        if let Some(left) = &mut self.left {
            *left = left
                .checked_sub(1)
                .ok_or(std::io::Error::from(std::io::ErrorKind::BrokenPipe))?;
        }
        let Value::Array(arguments) = parse_redis_value(command)? else {
            panic!("a command is an array")
        };
        let arguments: Vec<Vec<u8>> = arguments
            .iter()
            .map(|one| redis::from_redis_value_ref(one).unwrap())
            .collect();
        self.run(&arguments).extract_error()
    }

    fn req_packed_commands(&mut self, commands: &[u8], _: usize, _: usize) -> RedisResult<Vec<Value>> {
        let replies = split(commands)
            .into_iter()
            .map(|command| match self.req_packed_command(&command) {
                Err(error) if error.is_io_error() => Err(error),
                Err(error) => Ok(self::error(&format!(
                    "{} {}",
                    error.code().unwrap_or_default(),
                    error.detail().unwrap_or_default()
                ))),
                reply => reply,
            });
        replies.collect()
    }

    fn get_db(&self) -> i64 {
        0
    }

    fn check_connection(&mut self) -> bool {
        true
    }

    fn is_open(&self) -> bool {
        true
    }
}
