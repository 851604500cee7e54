//! Commands of one round trip, and their replies.

#[cfg(feature = "tokio")]
use redis::Pipeline;
use redis::{Cmd, RedisError, Value};

use crate::bitfield::BitField;
use crate::error::Error;

/// Commands that are sent together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Batch {
    commands: Vec<Command>,
}

#[derive(Debug, Clone)]
enum Command {
    Any(Cmd),
    Bits(BitField),
}

impl Command {
    fn to_cmd(&self) -> Cmd {
        match self {
            Self::Any(command) => command.clone(),
            Self::Bits(command) => command.to_cmd(),
        }
    }
}

impl Batch {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    pub(crate) fn of(command: &Cmd) -> Self {
        let mut batch = Self::new();
        batch.push(command);
        batch
    }

    pub(crate) fn push(&mut self, command: &Cmd) {
        self.commands.push(Command::Any(command.clone()));
    }

    /// Adds a command by name and returns it, so that the caller can add arguments.
    pub(crate) fn add(&mut self, name: &str) -> &mut Cmd {
        self.commands.push(Command::Any(redis::cmd(name)));
        let Some(Command::Any(command)) = self.commands.last_mut() else {
            unreachable!("it was pushed just now")
        };
        command
    }

    pub(crate) fn push_bits(&mut self, command: BitField) {
        self.commands.push(Command::Bits(command));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Returns the number of commands, each of which gets one reply.
    pub(crate) const fn replies(&self) -> usize {
        self.commands.len()
    }

    pub(crate) fn commands(&self) -> impl Iterator<Item = Cmd> {
        self.commands.iter().map(Command::to_cmd)
    }

    /// Builds a pipeline for an asynchronous connection.
    #[cfg(feature = "tokio")]
    pub(crate) fn pipeline(&self) -> Pipeline {
        let mut pipeline = Pipeline::with_capacity(self.replies());
        for command in self.commands() {
            pipeline.add_command(command);
        }
        pipeline
    }

    /// Encodes the commands for a blocking connection.
    pub(crate) fn packed(&self) -> Vec<u8> {
        /// The bytes of one bit's arguments and its share of the key, generously; a short command is as long as four.
        const BIT: usize = 64;
        let bits = self.commands.iter().map(|command| match command {
            Command::Any(_) => 4,
            Command::Bits(command) => command.offsets.len(),
        });
        let mut bytes = Vec::with_capacity(BIT * bits.sum::<usize>());
        for command in &self.commands {
            match command {
                Command::Any(command) => command.write_packed_command(&mut bytes),
                Command::Bits(command) => command.write_packed(&mut bytes),
            }
        }
        bytes
    }

    /// Returns the command if it is the only one. Cluster clients route single commands
    /// themselves.
    pub(crate) fn single(&self) -> Option<Cmd> {
        match &self.commands[..] {
            [command] => Some(command.to_cmd()),
            _ => None,
        }
    }
}

/// The replies to a batch, in the order of its commands.
#[derive(Debug, Default)]
pub(crate) struct Replies(std::vec::IntoIter<Value>);

impl Replies {
    pub(crate) fn new(values: Vec<Value>) -> Self {
        Self(values.into_iter())
    }

    /// Returns the next reply, or the server's error if the command failed.
    pub(crate) fn value(&mut self) -> Result<Value, Error> {
        match self.0.next() {
            Some(Value::ServerError(error)) => Err(RedisError::from(error).into()),
            Some(Value::SimpleString(text)) if text == "QUEUED" => {
                let got = "one inside `MULTI`, which executes the commands at `EXEC`";
                Err(Error::argument("the connection", "outside of a transaction", got))
            }
            Some(value) => Ok(value),
            None => Err(unexpected("another reply", None)),
        }
    }

    /// Splits off the next `count` replies, including errors.
    pub(crate) fn take(&mut self, count: usize) -> Self {
        Self(self.0.by_ref().take(count).collect::<Vec<Value>>().into_iter())
    }

    /// Returns the replies if no command failed, or else the first error.
    pub(crate) fn checked(self) -> Result<Self, Error> {
        let mut values = Self(self.0.as_slice().to_vec().into_iter());
        while !values.0.as_slice().is_empty() {
            values.value()?;
        }
        Ok(self)
    }

    /// Reads the next reply, a non-negative integer.
    pub(crate) fn count(&mut self) -> Result<u64, Error> {
        let value = self.value()?;
        match value {
            Value::Int(number) => u64::try_from(number).ok(),
            _ => None,
        }
        .ok_or_else(|| unexpected("a number", Some(&value)))
    }

    /// Reads the next reply, a string or nil.
    pub(crate) fn bytes(&mut self) -> Result<Option<Vec<u8>>, Error> {
        match self.value()? {
            Value::Nil => Ok(None),
            Value::BulkString(bytes) => Ok(Some(bytes)),
            other => Err(unexpected("a string", Some(&other))),
        }
    }

    pub(crate) fn array(&mut self) -> Result<Vec<Value>, Error> {
        match self.value()? {
            Value::Array(values) => Ok(values),
            other => Err(unexpected("an array", Some(&other))),
        }
    }
}

pub(crate) fn bit(value: &Value) -> Result<bool, Error> {
    match value {
        Value::Int(0) => Ok(false),
        Value::Int(1) => Ok(true),
        other => Err(unexpected("a bit", Some(other))),
    }
}

/// Reads a reply with one character per key.
pub(crate) fn characters<T>(
    reply: Value,
    keys: usize,
    read: impl Fn(u8) -> Option<T>,
) -> Result<Vec<T>, Error> {
    let answers: Option<Vec<T>> = match &reply {
        Value::BulkString(text) => text.iter().map(|&character| read(character)).collect(),
        _ => None,
    };
    answers
        .filter(|answers| answers.len() == keys)
        .ok_or_else(|| unexpected("a character a key", Some(&reply)))
}

/// Reads a reply to inserts: whether each key was new.
pub(crate) fn news(reply: Value, keys: usize) -> Result<Vec<bool>, Error> {
    characters(reply, keys, |character| match character {
        b'0' => Some(false),
        b'1' => Some(true),
        _ => None,
    })
}

/// Returns the command for the length of a string, 0 if there is none.
pub(crate) fn length(key: &[u8]) -> Cmd {
    redis::cmd("STRLEN").arg(key).take()
}

/// Returns the error for a reply that the command cannot have.
pub(crate) fn unexpected(expected: &'static str, found: Option<&Value>) -> Error {
    /// The longest part of a reply that an error repeats, in characters.
    const SHOWN: usize = 200;
    let mut found = found.map_or_else(|| String::from("nothing"), |value| format!("{value:?}"));
    if let Some((cut, _)) = found.char_indices().nth(SHOWN) {
        found.truncate(cut);
    }
    Error::reply(expected, found)
}
