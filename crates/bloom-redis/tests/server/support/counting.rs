//! A connection that counts round trips.

use redis::{ConnectionLike, RedisResult, Value};

/// A connection that counts how many times it waits for replies.
pub(crate) struct Counting {
    connection: redis::Connection,
    trips: usize,
}

impl Counting {
    pub(crate) fn new(connection: redis::Connection) -> Self {
        Self { connection, trips: 0 }
    }

    /// Returns the round trips since the last call.
    pub(crate) fn trips(&mut self) -> usize {
        std::mem::take(&mut self.trips)
    }
}

impl ConnectionLike for Counting {
    fn req_packed_command(&mut self, command: &[u8]) -> RedisResult<Value> {
        self.trips += 1;
        self.connection.req_packed_command(command)
    }

    fn req_packed_commands(
        &mut self,
        commands: &[u8],
        offset: usize,
        count: usize,
    ) -> RedisResult<Vec<Value>> {
        self.trips += 1;
        self.connection.req_packed_commands(commands, offset, count)
    }

    fn get_db(&self) -> i64 {
        self.connection.get_db()
    }

    fn check_connection(&mut self) -> bool {
        self.connection.check_connection()
    }

    fn is_open(&self) -> bool {
        self.connection.is_open()
    }
}
