//! A connection that counts round trips.

use bloom_redis::redis::{Cmd, Connection, ConnectionLike, RedisResult, Value};

/// Passes everything on, and counts how many times it waits for replies.
pub struct Link {
    connection: Connection,
    trips: u64,
}

impl Link {
    /// Over this connection.
    pub const fn new(connection: Connection) -> Self {
        Self { connection, trips: 0 }
    }

    /// Round trips until now.
    pub const fn trips(&self) -> u64 {
        self.trips
    }
}

impl core::fmt::Debug for Link {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Link")
            .field("trips", &self.trips)
            .finish_non_exhaustive()
    }
}

impl ConnectionLike for Link {
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

    fn req_command(&mut self, command: &Cmd) -> RedisResult<Value> {
        self.trips += 1;
        self.connection.req_command(command)
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
