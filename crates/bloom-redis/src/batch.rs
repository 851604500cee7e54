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
    atomic: bool,
    /// Where another transaction begins, if there are several.
    begin: Vec<usize>,
    /// Follows the commands, outside of their transaction, in which it would not wait.
    wait: Option<Cmd>,
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

    /// Bytes that it takes, more or less.
    fn len(&self) -> usize {
        /// Of a short command.
        const SHORT: usize = 256;
        match self {
            Self::Any(_) => SHORT,
            Self::Bits(command) => command.most_bytes(),
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

    pub(crate) fn push(&mut self, command: &Cmd) {
        self.commands.push(Command::Any(command.clone()));
    }

    /// Adds a command of this name, whose arguments follow.
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

    /// Both in one.
    pub(crate) fn then(mut self, more: Self) -> Self {
        self.commands.extend(more.commands);
        self
    }

    /// The same followed by another transaction, if they are transactions.
    pub(crate) fn and_then(mut self, more: Self) -> Self {
        self.begin.push(self.commands.len());
        self.then(more)
    }

    /// The same followed by a `WAIT`, whose reply comes last.
    ///
    /// It is for what its own connection wrote before it; over another it could reach another master, and count replicas that
    /// have none of it. So it goes with the commands, and nobody may take them apart.
    pub(crate) fn and_wait(self, wait: Option<Cmd>) -> Self {
        Self { wait, ..self }
    }

    pub(crate) const fn waits(&self) -> bool {
        self.wait.is_some()
    }

    /// Commands, without those that begin and end a transaction.
    pub(crate) fn len(&self) -> usize {
        self.commands.len()
    }

    /// Replies of the server.
    pub(crate) fn replies(&self) -> usize {
        self.len() + usize::from(self.waits()) + 2 * self.transactions().count()
    }

    pub(crate) const fn is_atomic(&self) -> bool {
        self.atomic
    }

    /// How many commands each transaction has.
    pub(crate) fn transactions(&self) -> impl Iterator<Item = usize> {
        let all = if self.atomic { Some(self.len()) } else { None };
        let ends = self.begin.iter().copied().chain(all).filter(|_| self.atomic);
        ends.scan(0, |first, end| {
            let commands = end - *first;
            *first = end;
            Some(commands)
        })
    }

    /// The commands of each transaction, or all.
    fn divided(&self) -> impl Iterator<Item = &[Command]> {
        let mut rest = &self.commands[..];
        let plain = (!self.atomic).then_some(self.len());
        self.transactions().chain(plain).map(move |commands| {
            let (first, others) = rest.split_at(commands);
            rest = others;
            first
        })
    }

    /// The commands one by one.
    pub(crate) fn commands(&self) -> impl Iterator<Item = Cmd> {
        self.commands.iter().map(Command::to_cmd)
    }

    /// As asynchronous connections take it.
    #[cfg(feature = "tokio")]
    pub(crate) fn pipeline(&self) -> Pipeline {
        let mut pipeline = Pipeline::with_capacity(self.replies());
        for commands in self.divided() {
            // By hand: an atomic pipeline of the client's is one transaction and ends with `EXEC`.
            if self.atomic {
                pipeline.cmd("MULTI");
            }
            for command in commands {
                pipeline.add_command(command.to_cmd());
            }
            if self.atomic {
                pipeline.cmd("EXEC");
            }
        }
        if let Some(wait) = &self.wait {
            pipeline.add_command(wait.clone());
        }
        pipeline
    }

    /// As it is sent, which blocking connections take.
    pub(crate) fn packed(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.commands.iter().map(Command::len).sum());
        for commands in self.divided() {
            if self.atomic {
                redis::cmd("MULTI").write_packed_command(&mut bytes);
            }
            for command in commands {
                match command {
                    Command::Any(command) => command.write_packed_command(&mut bytes),
                    Command::Bits(command) => command.write_packed(&mut bytes),
                }
            }
            if self.atomic {
                redis::cmd("EXEC").write_packed_command(&mut bytes);
            }
        }
        if let Some(wait) = &self.wait {
            wait.write_packed_command(&mut bytes);
        }
        bytes
    }

    /// The command, if it is only one and no transaction: clusters route such by their own rules.
    pub(crate) fn single(&self) -> Option<Cmd> {
        match &self.commands[..] {
            [command] if !self.atomic && !self.waits() => Some(command.to_cmd()),
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
    Error::Reply { expected, found }
}
