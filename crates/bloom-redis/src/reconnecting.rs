//! A blocking connection that reconnects.

use core::time::Duration;

use redis::{Cmd, Connection, ConnectionLike, ErrorKind, RedisResult, Value};

/// A blocking connection that connects when it is first used and reconnects after a failure, with time-outs for both:
/// the counterpart of `redis::aio::ConnectionManager` for blocking connections.
///
/// Nothing is sent twice: the operation that fails reports the error, because it may have been executed, and the next
/// operation reconnects. While the server is down, every operation fails after one attempt to connect.
///
/// ```no_run
/// use core::time::Duration;
///
/// use bloom_redis::{FixedFilter, Reconnecting, Schema};
///
/// # fn main() -> Result<(), Box<dyn core::error::Error>> {
/// let client = redis::Client::open("redis://127.0.0.1/")?;
/// let mut connection = Reconnecting::new(client, Duration::from_secs(1), Duration::from_millis(200));
/// let filter = FixedFilter::new("topic", Schema::fixed(3_000, 0.03)?)?;
/// let answer = filter.might_contain("76930242").query(&mut connection);
/// # let _ = answer;
/// # Ok(())
/// # }
/// ```
pub struct Reconnecting {
    client: redis::Client,
    connect: Duration,
    command: Duration,
    connection: Option<Connection>,
}

impl Reconnecting {
    /// Returns a connection to this server. `connect` is the time-out for connecting, `command` that for each request
    /// and each reply; values below 1 ms count as 1 ms.
    pub fn new(client: redis::Client, connect: Duration, command: Duration) -> Self {
        /// The smallest time-out. The operating system takes zero for "for ever", or refuses it.
        const LEAST: Duration = Duration::from_millis(1);
        Self {
            client,
            connect: connect.max(LEAST),
            command: command.max(LEAST),
            connection: None,
        }
    }

    fn with<T>(&mut self, act: impl FnOnce(&mut Connection) -> RedisResult<T>) -> RedisResult<T> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                let connection = self.client.get_connection_with_timeout(self.connect)?;
                connection.set_read_timeout(Some(self.command))?;
                connection.set_write_timeout(Some(self.command))?;
                connection
            }
        };
        let done = act(&mut connection);
        let broken = |error: &redis::RedisError| {
            // Time-outs count too: the next reply would be the late one.
            error.kind() == ErrorKind::Io || error.is_unrecoverable_error()
        };
        if !done.as_ref().is_err_and(broken) {
            self.connection = Some(connection);
        }
        done
    }
}

impl core::fmt::Debug for Reconnecting {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Reconnecting")
            .field("address", self.client.get_connection_info().addr())
            .field("connected", &self.connection.is_some())
            .finish_non_exhaustive()
    }
}

impl ConnectionLike for Reconnecting {
    fn req_packed_command(&mut self, command: &[u8]) -> RedisResult<Value> {
        self.with(|connection| connection.req_packed_command(command))
    }

    fn req_packed_commands(
        &mut self,
        commands: &[u8],
        offset: usize,
        count: usize,
    ) -> RedisResult<Vec<Value>> {
        self.with(|connection| connection.req_packed_commands(commands, offset, count))
    }

    fn req_command(&mut self, command: &Cmd) -> RedisResult<Value> {
        self.with(|connection| connection.req_command(command))
    }

    fn get_db(&self) -> i64 {
        self.client.get_db()
    }

    fn check_connection(&mut self) -> bool {
        self.with(|connection| redis::cmd("PING").query::<String>(connection))
            .is_ok()
    }

    /// Always returns true, because a closed connection is opened again.
    fn is_open(&self) -> bool {
        true
    }
}
