//! A connection that lets a test act while an operation goes on.

use std::cell::Cell;

use redis::{Connection, ConnectionLike, RedisResult, Value};

/// A connection with an action before each request, or before each command.
pub(crate) struct Hooked<C, F> {
    pub(crate) connection: C,
    /// Sends the commands of a pipeline one after another.
    pub(crate) one_by_one: bool,
    pub(crate) act: F,
}

/// Returns a connection that counts its round trips.
pub(crate) fn counting(connection: Connection, trips: &Cell<usize>) -> impl ConnectionLike {
    Hooked {
        connection,
        one_by_one: false,
        act: |_: &mut Connection| trips.set(trips.get() + 1),
    }
}

impl<C: ConnectionLike, F: FnMut(&mut C)> ConnectionLike for Hooked<C, F> {
    fn req_packed_command(&mut self, command: &[u8]) -> RedisResult<Value> {
        (self.act)(&mut self.connection);
        self.connection.req_packed_command(command)
    }

    fn req_packed_commands(
        &mut self,
        commands: &[u8],
        offset: usize,
        count: usize,
    ) -> RedisResult<Vec<Value>> {
        if !self.one_by_one {
            (self.act)(&mut self.connection);
            return self.connection.req_packed_commands(commands, offset, count);
        }
        assert_eq!(offset, 0, "not a transaction");
        let commands = commands_of(commands);
        assert_eq!(commands.len(), count);
        let mut replies = Vec::new();
        for command in commands {
            (self.act)(&mut self.connection);
            replies.extend(self.connection.req_packed_commands(&command, 0, 1)?);
        }
        Ok(replies)
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

/// Returns the commands of a pipeline.
pub(crate) fn commands_of(packed: &[u8]) -> Vec<Vec<u8>> {
    /// Returns the number after the first character of a line, and the rest after the line.
    fn number(packed: &[u8]) -> (usize, &[u8]) {
        let end = packed.iter().position(|&byte| byte == b'\r').unwrap();
        let number = core::str::from_utf8(&packed[1..end]).unwrap();
        (number.parse().unwrap(), &packed[end + 2..])
    }
    let (mut commands, mut rest) = (Vec::new(), packed);
    while !rest.is_empty() {
        let start = rest;
        let arguments;
        (arguments, rest) = number(rest);
        for _ in 0..arguments {
            let (length, argument) = number(rest);
            rest = &argument[length + 2..];
        }
        commands.push(start[..start.len() - rest.len()].to_vec());
    }
    commands
}
