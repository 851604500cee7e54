//! Inserting into a filter that lies in one string, or in several.

use guava_bloom::Hash128;
use redis::{Cmd, Value, cmd};

use super::acknowledged::Acknowledged;
use super::batch::{bit, unexpected};
use super::bits::{Bitmap, Part, Placed, commands_for, exists, per_trip, push_set, read_zeros};
use super::generation::{Token, Watch, follower_expiry, next};
use super::scripts::{CLOSE, MARK, OPEN, SET, eval};
use super::{Batch, Replies};
use crate::call::Line;
use crate::error::Error;
use crate::options::{Commands, Expiry, Missing, Options};
use crate::trouble::{Trouble, is_redirection};

/// Inserts elements; says of each whether it was new.
pub(crate) async fn insert(
    line: &Line,
    bitmap: &Bitmap,
    hashes: &[Hash128],
    expiry: Option<Expiry>,
    options: &Options,
) -> Result<Vec<bool>, Error> {
    // A filter that is spread is never rebuilt.
    let watch = (options.follow_rebuilds && !bitmap.spread).then(|| Watch::new(bitmap.anchor()));
    let watch = watch.as_ref();
    let mut new = Vec::with_capacity(hashes.len());
    let mut acknowledged = Acknowledged::new(options);
    let ack = &mut acknowledged;
    for hashes in hashes.chunks(per_trip(bitmap, options)) {
        let (some, mut under_way) = insert_once(line, bitmap, hashes, expiry, watch, options, ack).await?;
        new.extend(some);
        // A rebuild goes on: its generation gets the elements too. If that generation is gone meanwhile, it may have
        // become the filter, which then lacks them.
        while let Some(token) = under_way {
            match insert_into_generation(line, bitmap, token, hashes, options, ack).await {
                Err(Error::Missing { .. }) => {
                    let (_, again) = insert_once(line, bitmap, hashes, expiry, watch, options, ack).await?;
                    under_way = again.filter(|again| *again != token);
                }
                done => {
                    done?;
                    break;
                }
            }
        }
    }
    acknowledged.check()?;
    Ok(new)
}

/// Inserts elements into a generation that must be there.
async fn insert_into_generation(
    line: &Line,
    live: &Bitmap,
    token: Token,
    hashes: &[Hash128],
    options: &Options,
    acknowledged: &mut Acknowledged,
) -> Result<(), Error> {
    let options = Options {
        missing: Missing::Reported,
        ..*options
    };
    let expiry = Some(follower_expiry());
    let next = next(live, token);
    insert_once(line, &next, hashes, expiry, None, &options, acknowledged)
        .await
        .map(|_| ())
}

/// Inserts elements in one round trip; says of each whether it was new, and which rebuild is under way.
async fn insert_once(
    line: &Line,
    bitmap: &Bitmap,
    hashes: &[Hash128],
    expiry: Option<Expiry>,
    watch: Option<&Watch>,
    options: &Options,
    acknowledged: &mut Acknowledged,
) -> Result<(Vec<bool>, Option<Token>), Error> {
    let insert = Insert::new(bitmap, hashes, expiry, watch, options)?;
    let batches = insert
        .placed
        .by_slot()
        .map(|parts| insert.batch(parts).and_wait(acknowledged.wait()));
    let sent = line.send_each(batches.collect()).await;
    let mut done = Done {
        new: vec![false; hashes.len()],
        missing: false,
        under_way: None,
        acknowledged,
    };
    for (parts, replies) in insert.placed.by_slot().zip(sent) {
        match replies {
            Ok(mut replies) => {
                insert.read(parts, &mut replies, &mut done)?;
                done.acknowledged.read(&mut replies)?;
            }
            Err(error) => insert.send_again(line, parts, error, &mut done).await?,
        }
    }
    if done.missing {
        return Err(bitmap.missing());
    }
    Ok((done.new, done.under_way))
}

/// What an insert brought so far.
struct Done<'a> {
    /// Of each element, whether it was new.
    new: Vec<bool>,
    /// Whether a part was missing.
    missing: bool,
    under_way: Option<Token>,
    acknowledged: &'a mut Acknowledged,
}

/// The commands of an insert.
struct Insert<'a> {
    placed: Placed<'a>,
    /// Time to live in ms, and whether one that is there stays.
    expiry: Option<(u64, bool)>,
    commands: Commands,
    /// Whether a missing filter is reported.
    reported: bool,
    /// Whether a script sets the bits: it does in one step what else takes a transaction.
    scripted: bool,
    /// Whether scripts in the transaction refuse a missing filter.
    guarded: bool,
    /// Whether it can only be told.
    checked: bool,
    watch: Option<&'a Watch>,
}

impl<'a> Insert<'a> {
    fn new(
        bitmap: &'a Bitmap,
        hashes: &[Hash128],
        expiry: Option<Expiry>,
        watch: Option<&'a Watch>,
        options: &Options,
    ) -> Result<Self, Error> {
        let commands = options.commands;
        let reported = options.missing == Missing::Reported;
        let scripted = commands.scripts && !commands.transactions && (reported || expiry.is_some());
        let guarded = reported && commands.scripts && commands.transactions;
        Ok(Self {
            placed: Placed::new(bitmap, hashes),
            expiry: match expiry {
                Some(expiry) => Some((expiry.millis()?, expiry.is_fixed())),
                None => None,
            },
            commands,
            reported,
            scripted,
            guarded,
            checked: reported && !commands.scripts,
            watch,
        })
    }

    /// The commands for parts in one slot.
    fn batch(&self, parts: &[Part<'_>]) -> Batch {
        // With a second key in it, a pipeline could be done by halves while its slot moves to another node.
        let several = self.guarded || self.checked || self.expiry.is_some() || self.watch.is_some();
        let mut batch = if several && self.commands.transactions {
            Batch::atomic()
        } else {
            Batch::new()
        };
        if let Some(watch) = self.looks_first() {
            batch.push(watch.look());
        }
        for part in parts {
            if self.scripted {
                batch.push(self.set(part));
                continue;
            }
            if self.guarded {
                let mut open = eval(&OPEN, &[part.key]);
                open.arg(MARK);
                batch.push(open);
            } else if self.checked {
                batch.push(exists(part.key));
            }
            push_set(&mut batch, self.commands, part.key, &part.offsets);
            if self.closes() {
                batch.push(self.close(part.key));
            } else if let Some((millis, fixed)) = self.expiry {
                let mut expire = cmd("PEXPIRE");
                expire.arg(part.key).arg(millis);
                if fixed {
                    expire.arg("NX");
                }
                batch.push(expire);
            }
        }
        if let Some(watch) = self.watch {
            // After the bits, so that a rebuild that is not seen began after them.
            batch.push(watch.look());
        }
        batch
    }

    /// A cluster client that is sent to another node for one key of a pipeline repeats it there as a whole, and that node
    /// takes the first command for a key that it does not have yet: one that writes would begin a second bitmap.
    fn looks_first(&self) -> Option<&'a Watch> {
        self.watch
            .filter(|_| !self.commands.transactions && !self.checked)
    }

    fn closes(&self) -> bool {
        self.guarded || (self.expiry.is_some() && self.commands.scripts)
    }

    /// All bits of a part, and its time to live, in one command.
    fn set(&self, part: &Part<'_>) -> Cmd {
        let mut set = eval(&SET, &[part.key]);
        set.arg(u8::from(self.reported));
        self.push_expiry(&mut set);
        for offset in &part.offsets {
            set.arg(offset);
        }
        set
    }

    fn close(&self, key: &[u8]) -> Cmd {
        let mut close = eval(&CLOSE, &[key]);
        close.arg(MARK);
        self.push_expiry(&mut close);
        close
    }

    fn push_expiry(&self, command: &mut Cmd) {
        match self.expiry {
            Some((millis, fixed)) => command.arg(millis).arg(u8::from(fixed)),
            None => command.arg("").arg("0"),
        };
    }

    fn read(&self, parts: &[Part<'_>], replies: &mut Replies, done: &mut Done<'_>) -> Result<(), Error> {
        if self.looks_first().is_some() {
            replies.skip(1);
        }
        for part in parts {
            if self.scripted {
                self.read_set(part, replies, done)?;
                continue;
            }
            let there = !(self.guarded || self.checked) || replies.count()? == 1;
            done.missing |= !there;
            if there || self.checked {
                read_zeros(replies, self.commands, part.offsets.len(), |at| {
                    done.new[part.element(at, self.placed.probes)] = true;
                })?;
            } else {
                replies.skip(commands_for(self.commands, part.offsets.len()));
            }
            if self.closes() || self.expiry.is_some() {
                replies.count()?;
            }
        }
        if let Some(watch) = self.watch {
            done.under_way = watch.read(replies.bytes()?.as_deref())?;
        }
        Ok(())
    }

    /// Reads the reply to [`set`](Self::set).
    fn read_set(&self, part: &Part<'_>, replies: &mut Replies, done: &mut Done<'_>) -> Result<(), Error> {
        match replies.value()? {
            Value::Nil => done.missing = true,
            Value::Array(bits) if bits.len() == part.offsets.len() => {
                for (at, value) in bits.iter().enumerate() {
                    if !bit(value)? {
                        done.new[part.element(at, self.placed.probes)] = true;
                    }
                }
            }
            other => return Err(unexpected("the bits as they were", Some(&other))),
        }
        Ok(())
    }

    /// What follows an error in place of replies: the error, unless more can be told or done.
    async fn send_again(
        &self,
        line: &Line,
        parts: &[Part<'_>],
        error: Error,
        done: &mut Done<'_>,
    ) -> Result<(), Error> {
        match &error {
            // The transaction was refused as a whole, since its keys are between two nodes of a cluster.
            Error::Server { source, .. } if is_redirection(source) => {
                if !self.commands.scripts {
                    return self.send_singly(line, parts, done).await;
                }
                for part in parts {
                    let set = Batch::of(self.set(part)).and_wait(done.acknowledged.wait());
                    let mut replies = line.send(set).await?;
                    self.read_set(part, &mut replies, done)?;
                    done.acknowledged.read(&mut replies)?;
                }
                if let Some(watch) = self.watch {
                    let told = line.send(Batch::of(watch.look())).await?.bytes()?;
                    done.under_way = watch.read(told.as_deref())?;
                }
                Ok(())
            }
            // The cluster client passes on the first error alone, which in a guarded transaction may be the refusal that is
            // meant to happen.
            Error::Server {
                trouble: Trouble::WrongType,
                ..
            } if self.guarded => {
                for part in parts {
                    if line.send(Batch::of(exists(part.key))).await?.count()? == 0 {
                        done.missing = true;
                        return Ok(());
                    }
                }
                Err(error)
            }
            _ => Err(error),
        }
    }

    /// The same without a transaction, which finds its way command by command.
    async fn send_singly(&self, line: &Line, parts: &[Part<'_>], done: &mut Done<'_>) -> Result<(), Error> {
        let plain = Self {
            placed: Placed {
                parts: Vec::new(),
                ..self.placed
            },
            commands: Commands {
                transactions: false,
                ..self.commands
            },
            ..*self
        };
        let mut replies = Vec::new();
        // Not as a pipeline: a cluster client may repeat it, and what it set the first time would not be new the second.
        for command in plain.batch(parts).commands() {
            let batch = Batch::of(command).and_wait(done.acknowledged.wait());
            let mut sent = line.send(batch).await?;
            replies.push(sent.take(1));
            done.acknowledged.read(&mut sent)?;
        }
        plain.read(parts, &mut Replies::concat(replies), done)
    }
}
