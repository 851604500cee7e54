//! Commands of one round trip, and their replies.

use std::sync::LazyLock;

#[cfg(feature = "tokio")]
use redis::Pipeline;
use redis::{Cmd, FromRedisValue, RedisError, Value};

use crate::bitfield::BitField;
use crate::error::{Error, ErrorKind};

/// Commands that are sent together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Batch {
    /// Transactions, or one group that is none.
    groups: Vec<Vec<Command>>,
    atomic: bool,
    /// Follows the commands, outside of their transaction, in which it would not wait.
    wait: Option<Command>,
}

#[derive(Debug, Clone)]
enum Command {
    Any(Cmd),
    Bits(BitField),
}

/// What stands around a transaction.
static AROUND: LazyLock<[Command; 2]> = LazyLock::new(|| ["MULTI", "EXEC"].map(redis::cmd).map(Command::Any));

impl Command {
    fn to_cmd(&self) -> Cmd {
        match self {
            Self::Any(command) => command.clone(),
            Self::Bits(command) => command.to_cmd(),
        }
    }

    /// Bytes that it takes, more or less.
    fn len(&self) -> usize {
        /// Of a short command.
        const SHORT: usize = 256;
        match self {
            Self::Any(_) => SHORT,
            Self::Bits(command) => command.max_bytes(),
        }
    }
}

impl Batch {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A batch that the server does as a whole, between `MULTI` and `EXEC`, if it may.
    pub(crate) fn atomic(atomic: bool) -> Self {
        Self {
            atomic,
            ..Self::default()
        }
    }

    /// One command.
    pub(crate) fn of(command: &Cmd) -> Self {
        let mut batch = Self::new();
        batch.push(command);
        batch
    }

    /// The commands that more are added to.
    fn last(&mut self) -> &mut Vec<Command> {
        if self.groups.is_empty() {
            self.groups.push(Vec::new());
        }
        let last = self.groups.len() - 1;
        &mut self.groups[last]
    }

    pub(crate) fn push(&mut self, command: &Cmd) {
        self.last().push(Command::Any(command.clone()));
    }

    /// Adds a command of this name, whose arguments follow.
    pub(crate) fn add(&mut self, name: &str) -> &mut Cmd {
        let commands = self.last();
        commands.push(Command::Any(redis::cmd(name)));
        let Some(Command::Any(command)) = commands.last_mut() else {
            unreachable!("it was pushed just now")
        };
        command
    }

    pub(crate) fn push_bits(&mut self, command: BitField) {
        self.last().push(Command::Bits(command));
    }

    /// Both in one.
    pub(crate) fn then(mut self, more: Self) -> Self {
        self.last().extend(more.groups.into_iter().flatten());
        self
    }

    /// The same followed by another transaction, if they are transactions.
    pub(crate) fn and_then(mut self, more: Self) -> Self {
        self.groups.extend(more.groups);
        self
    }

    /// The same followed by a `WAIT`, whose reply comes last.
    ///
    /// It is for what its own connection wrote before it; over another it could reach another master, and count replicas that
    /// have none of it. So it goes with the commands, and nobody may take them apart.
    pub(crate) fn and_wait(self, wait: Option<Cmd>) -> Self {
        let wait = wait.map(Command::Any);
        Self { wait, ..self }
    }

    pub(crate) const fn waits(&self) -> bool {
        self.wait.is_some()
    }

    pub(crate) const fn is_atomic(&self) -> bool {
        self.atomic
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.groups.iter().all(Vec::is_empty)
    }

    /// How many commands each transaction has.
    pub(crate) fn transactions(&self) -> impl Iterator<Item = usize> {
        self.groups.iter().map(Vec::len).filter(|_| self.atomic)
    }

    /// All that is sent, which is as many as the replies.
    fn sent(&self) -> impl Iterator<Item = &Command> {
        let [multi, exec] = AROUND.each_ref().map(|command| self.atomic.then_some(command));
        let groups = (self.groups.iter()).flat_map(move |group| multi.into_iter().chain(group).chain(exec));
        groups.chain(&self.wait)
    }

    /// Replies of the server.
    pub(crate) fn replies(&self) -> usize {
        self.sent().count()
    }

    /// The commands one by one.
    pub(crate) fn commands(&self) -> impl Iterator<Item = Cmd> {
        self.groups.iter().flatten().map(Command::to_cmd)
    }

    /// As asynchronous connections take it. An atomic pipeline of the client's would be one transaction that ends with `EXEC`.
    #[cfg(feature = "tokio")]
    pub(crate) fn pipeline(&self) -> Pipeline {
        let mut pipeline = Pipeline::with_capacity(self.replies());
        for command in self.sent() {
            pipeline.add_command(command.to_cmd());
        }
        pipeline
    }

    /// As it is sent, which blocking connections take.
    pub(crate) fn packed(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.sent().map(Command::len).sum());
        for command in self.sent() {
            match command {
                Command::Any(command) => command.write_packed_command(&mut bytes),
                Command::Bits(command) => command.write_packed(&mut bytes),
            }
        }
        bytes
    }

    /// The command, if it is only one and no transaction: clusters route such by their own rules.
    pub(crate) fn single(&self) -> Option<Cmd> {
        let mut sent = self.sent();
        match (sent.next(), sent.next()) {
            (Some(command), None) => Some(command.to_cmd()),
            _ => None,
        }
    }
}

/// The replies to a batch, in the order of its commands.
#[derive(Debug, Default)]
pub(crate) struct Replies(std::vec::IntoIter<Value>);

impl Replies {
    /// What the transactions, if there are any, replied with, and what followed them.
    pub(crate) fn new(values: Vec<Value>, transactions: usize) -> Result<Self, Error> {
        let mut values = values.into_iter();
        if transactions > 0 {
            let mut replies = Vec::new();
            for _ in 0..transactions {
                match values.next() {
                    Some(Value::Array(some)) if replies.is_empty() => replies = some,
                    Some(Value::Array(some)) => replies.extend(some),
                    Some(Value::ServerError(error)) => return Err(RedisError::from(error).into()),
                    other => return Err(unexpected("the replies of a transaction", other.as_ref())),
                }
            }
            replies.extend(values);
            values = replies.into_iter();
        }
        Ok(Self(values))
    }

    /// The replies to several batches, one after another.
    pub(crate) fn concat(mut batches: Vec<Self>) -> Self {
        if batches.len() > 1 {
            let all: Vec<Value> = batches.into_iter().flat_map(|replies| replies.0).collect();
            return Self(all.into_iter());
        }
        batches.pop().unwrap_or_default()
    }

    /// The next reply.
    ///
    /// # Errors
    ///
    /// What the server said of the command if it failed.
    pub(crate) fn value(&mut self) -> Result<Value, Error> {
        match self.0.next() {
            Some(Value::ServerError(error)) => Err(RedisError::from(error).into()),
            Some(value) => Ok(value),
            None => Err(unexpected("another reply", None)),
        }
    }

    /// The next replies apart from those that follow, failed or not.
    pub(crate) fn take(&mut self, count: usize) -> Self {
        Self(self.0.by_ref().take(count).collect::<Vec<Value>>().into_iter())
    }

    /// The parts of the next reply, an array; `None` if there is nothing.
    pub(crate) fn parts(&mut self) -> Result<Option<Self>, Error> {
        match self.value()? {
            Value::Nil => Ok(None),
            Value::Array(parts) => Ok(Some(Self(parts.into_iter()))),
            other => Err(unexpected("an array", Some(&other))),
        }
    }

    /// Passes over replies, whatever they are.
    pub(crate) fn skip(&mut self, count: usize) {
        self.0.by_ref().take(count).for_each(drop);
    }

    /// All of them, if no command failed.
    pub(crate) fn checked(self) -> Result<Self, Error> {
        for value in self.0.as_slice() {
            if let Value::ServerError(error) = value {
                return Err(RedisError::from(error.clone()).into());
            }
        }
        Ok(self)
    }

    /// The next reply, a whole number that is not negative.
    pub(crate) fn count(&mut self) -> Result<u64, Error> {
        let value = self.value()?;
        match value {
            Value::Int(number) => u64::try_from(number).ok(),
            _ => None,
        }
        .ok_or_else(|| unexpected("a number", Some(&value)))
    }

    /// The next reply as the client reads such a value.
    pub(crate) fn read<T: FromRedisValue>(&mut self, expected: &'static str) -> Result<T, Error> {
        let value = self.value()?;
        redis::from_redis_value_ref(&value).map_err(|_| unexpected(expected, Some(&value)))
    }

    /// The next reply, bytes or nothing.
    pub(crate) fn bytes(&mut self) -> Result<Option<Vec<u8>>, Error> {
        match self.value()? {
            Value::Nil => Ok(None),
            Value::BulkString(bytes) => Ok(Some(bytes)),
            other => Err(unexpected("a string", Some(&other))),
        }
    }

    /// The next reply, an array.
    pub(crate) fn array(&mut self) -> Result<Vec<Value>, Error> {
        match self.value()? {
            Value::Array(values) => Ok(values),
            other => Err(unexpected("an array", Some(&other))),
        }
    }
}

/// A reply that is a bit.
pub(crate) fn bit(value: &Value) -> Result<bool, Error> {
    match value {
        Value::Int(0) => Ok(false),
        Value::Int(1) => Ok(true),
        other => Err(unexpected("a bit", Some(other))),
    }
}

/// Asks whether a key is there.
pub(crate) fn exists(key: &[u8]) -> Cmd {
    redis::cmd("EXISTS").arg(key).take()
}

/// The error for a reply that the command does not have.
pub(crate) fn unexpected(expected: &'static str, found: Option<&Value>) -> Error {
    /// Longest part of a reply that an error repeats.
    const SHOWN: usize = 200;
    let mut found = found.map_or_else(|| String::from("nothing"), |value| format!("{value:?}"));
    if let Some((cut, _)) = found.char_indices().nth(SHOWN) {
        found.truncate(cut);
    }
    Error::new(ErrorKind::UnexpectedReply, "the reply", expected, found)
}
