//! Arbitrary replies of a server. The fuzz target `redis_replies` includes this file.

use std::time::Duration;

use bloom_redis::redis::{self, ConnectionLike, RedisResult, Value};
use bloom_redis::{Expiry, FixedFilter, GrowingFilter, Schema};
use membership_filters::Bytes;

/// A connection that returns one reply after the other, whatever the command.
struct Server<'a>(redis::Parser, &'a [u8]);

impl Server<'_> {
    fn reply(&mut self) -> RedisResult<Value> {
        self.0.parse_value(&mut self.1)
    }
}

impl ConnectionLike for Server<'_> {
    fn req_packed_command(&mut self, _: &[u8]) -> RedisResult<Value> {
        self.reply()
    }

    fn req_packed_commands(&mut self, _: &[u8], _: usize, count: usize) -> RedisResult<Vec<Value>> {
        (0..count).map(|_| self.reply()).collect()
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

/// Calls an operation, which the first byte chooses; the rest are replies in the server's protocol.
pub(crate) fn read(data: &[u8]) {
    let Some((&choice, replies)) = data.split_first() else {
        return;
    };
    let schema = Schema::whole_words(100, 0.01).unwrap();
    let fixed = FixedFilter::new("a", schema).unwrap();
    let growing = GrowingFilter::new("a", schema).unwrap();
    let server = &mut Server(redis::Parser::new(), replies);
    let keys = ["x", "y", "z"];
    let minute = Duration::from_secs(60);
    let error = match choice % 16 {
        0 => fixed.contains("x").query(server).err(),
        1 => fixed.contains_many(keys).query(server).err(),
        2 => fixed.insert_many(keys).query(server).err(),
        3 => fixed.create(Expiry::Never).query(server).err(),
        4 => fixed.stats().query(server).err(),
        5 => fixed.download(Bytes).query(server).err(),
        6 => growing.write_marks().query(server).err(),
        7 => growing.contains_many(keys).query(server).err(),
        8 => growing.insert_many(keys).query(server).err(),
        9 => growing.stats().query(server).err(),
        10 => fixed.delete().query(server).err(),
        11 => fixed.abandon_rebuild().query(server).err(),
        12 => fixed.write_marks().query(server).err(),
        13 => fixed
            .rebuild(minute)
            .query(server)
            .and_then(|rebuild| rebuild.commit(Expiry::Never).query(server))
            .err(),
        14 => growing.clear().query(server).err(),
        _ => growing.create().query(server).err(),
    };
    if let Some(error) = error {
        assert!(!error.to_string().is_empty());
    }
}
