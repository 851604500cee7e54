//! Inserting into a filter that lies in one string, or in several.

use guava_bloom::Hash128;
use redis::{Cmd, Value, cmd};

use super::batch::{bit, unexpected};
use super::bits::{Bitmap, Part, Placed, commands_for, exists, per_trip, push_set, read_bits};
use super::generation::{Token, Watch, follower_expiry, next};
use super::scripts::{CLOSE, MARK, OPEN, SET, eval};
use super::{Batch, Replies};
use crate::call::Line;
use crate::error::Error;
use crate::names::slots;
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
    let mut new = Vec::with_capacity(hashes.len());
    for hashes in hashes.chunks(per_trip(bitmap, options)) {
        let once = |bitmap, expiry, watch| insert_once(line, bitmap, hashes, expiry, watch, options);
        let (some, mut under_way) = once(bitmap, expiry, watch.as_ref()).await?;
        new.extend(some);
        // A rebuild goes on: its generation gets the elements too. If that generation is gone meanwhile, it may have
        // become the filter, which then lacks them.
        while let Some(token) = under_way {
            match insert_into_generation(line, bitmap, token, hashes, options).await {
                Err(Error::Missing { .. }) => {
                    let (_, again) = once(bitmap, expiry, watch.as_ref()).await?;
                    under_way = again.filter(|again| *again != token);
                }
                done => {
                    done?;
                    break;
                }
            }
        }
    }
    if options.replicas.is_some() {
        confirm(line, &slots(&bitmap.keys, bitmap.spread), options).await?;
    }
    Ok(new)
}

/// Inserts elements into a generation that must be there.
async fn insert_into_generation(
    line: &Line,
    live: &Bitmap,
    token: Token,
    hashes: &[Hash128],
    options: &Options,
) -> Result<(), Error> {
    let options = Options {
        missing: Missing::Reported,
        ..*options
    };
    let expiry = Some(follower_expiry());
    insert_once(line, &next(live, token), hashes, expiry, None, &options)
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
) -> Result<(Vec<bool>, Option<Token>), Error> {
    let insert = Insert::new(bitmap, hashes, expiry, watch, options)?;
    let batches = insert.placed.by_slot().map(|parts| insert.batch(parts)).collect();
    let sent = line.send_each(batches).await;
    let mut done = Done {
        new: vec![false; hashes.len()],
        missing: false,
        under_way: None,
    };
    for (parts, replies) in insert.placed.by_slot().zip(sent) {
        match replies {
            Ok(replies) => insert.read(parts, replies, &mut done)?,
            Err(error) => insert.send_again(line, parts, error, &mut done).await?,
        }
    }
    if done.missing {
        return Err(bitmap.missing());
    }
    Ok((done.new, done.under_way))
}

/// Waits for replicas, if the caller wants it, with what was written to slots of a cluster: their keys.
pub(crate) async fn confirm(line: &Line, slots: &[Vec<&[u8]>], options: &Options) -> Result<(), Error> {
    let Some(replicas) = options.replicas else {
        return Ok(());
    };
    // A time-out of 0 would mean "for ever".
    let millis = u64::try_from(replicas.timeout.as_millis()).unwrap_or(u64::MAX);
    let batches = slots.iter().filter_map(|keys| keys.first()).map(|key| {
        // `WAIT` is for what the same connection wrote: in a cluster, that to the node of the key before it.
        let mut batch = Batch::of(exists(key));
        let mut wait = cmd("WAIT");
        wait.arg(replicas.count).arg(millis.clamp(1, i64::MAX as u64 / 2));
        batch.push(wait);
        batch
    });
    let mut replies = line.send_all(batches.collect()).await?;
    for _ in slots {
        replies.count()?;
        let reached = u32::try_from(replies.count()?).unwrap_or(u32::MAX);
        if reached < replicas.count {
            return Err(Error::Replication {
                wanted: replicas.count,
                reached,
            });
        }
    }
    Ok(())
}

/// What an insert brought so far.
struct Done {
    /// Of each element, whether it was new.
    new: Vec<bool>,
    /// Whether a part was missing.
    missing: bool,
    under_way: Option<Token>,
}

/// The commands of an insert.
struct Insert<'a> {
    placed: Placed<'a>,
    /// Time to live in ms, and whether one that is there stays.
    expiry: Option<(u64, bool)>,
    commands: Commands,
    /// Whether a missing filter is refused on the server.
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
        let guarded = reported && commands.scripts && commands.transactions;
        Ok(Self {
            placed: Placed::new(bitmap, hashes),
            expiry: match expiry {
                Some(expiry) => Some((expiry.millis()?, expiry.is_fixed())),
                None => None,
            },
            commands,
            guarded,
            checked: reported && !guarded,
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
            if self.guarded {
                let mut open = eval(OPEN, &[part.key]);
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

    fn close(&self, key: &[u8]) -> Cmd {
        let mut close = eval(CLOSE, &[key]);
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

    fn read(&self, parts: &[Part<'_>], mut replies: Replies, done: &mut Done) -> Result<(), Error> {
        if self.looks_first().is_some() {
            replies.skip(1);
        }
        for part in parts {
            let there = !(self.guarded || self.checked) || replies.count()? == 1;
            done.missing |= !there;
            if there || self.checked {
                let bits = read_bits(&mut replies, self.commands, part.offsets.len())?;
                self.note(part, bits, done);
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

    fn note(&self, part: &Part<'_>, before: impl IntoIterator<Item = bool>, done: &mut Done) {
        for (&at, bit) in part.order.iter().zip(before) {
            done.new[at / self.placed.probes] |= !bit;
        }
    }

    /// What follows an error in place of replies: the error, unless more can be told or done.
    async fn send_again(
        &self,
        line: &Line,
        parts: &[Part<'_>],
        error: Error,
        done: &mut Done,
    ) -> Result<(), Error> {
        match &error {
            // The transaction was refused as a whole, since its keys are between two nodes of a cluster.
            Error::Server { source, .. } if is_redirection(source) => {
                if !self.commands.scripts {
                    return self.send_singly(line, parts, done).await;
                }
                for part in parts {
                    self.send_by_script(line, part, done).await?;
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
    async fn send_singly(&self, line: &Line, parts: &[Part<'_>], done: &mut Done) -> Result<(), Error> {
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
            replies.push(line.send(Batch::of(command)).await?);
        }
        plain.read(parts, Replies::concat(replies), done)
    }

    /// One part in one command.
    async fn send_by_script(&self, line: &Line, part: &Part<'_>, done: &mut Done) -> Result<(), Error> {
        let mut set = eval(SET, &[part.key]);
        set.arg(u8::from(self.guarded || self.checked));
        self.push_expiry(&mut set);
        for offset in &part.offsets {
            set.arg(offset);
        }
        let mut replies = line.send(Batch::of(set)).await?;
        match replies.value()? {
            Value::Nil => done.missing = true,
            Value::Array(bits) if bits.len() == part.offsets.len() => {
                let before: Vec<bool> = bits.iter().map(bit).collect::<Result<_, Error>>()?;
                self.note(part, before, done);
            }
            other => return Err(unexpected("the bits as they were", Some(&other))),
        }
        Ok(())
    }
}
