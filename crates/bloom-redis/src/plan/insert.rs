//! Inserts into a filter in one or several strings.

use guava_bloom::Hash128;
use redis::{Cmd, Value, cmd};

use super::acknowledged::Acknowledged;
use super::bitmap::{Bitmap, Part, Piece, Placed, per_trip};
use super::bits::{commands_for, push_bits, read_zeros};
use super::generation::{self, Token, Watch, or_empty};
use super::scripts::{CLOSE, MARK, OPEN, SET, eval};
use crate::batch::{Batch, Replies, bit, length, unexpected};
use crate::bitfield::Access;
use crate::call::Line;
use crate::error::{Error, ErrorKind, is_redirection};
use crate::names::companion;
use crate::options::{Commands, Expiry, Lifetime, Missing, Options};

/// Inserts elements. Returns whether each was new.
pub(crate) async fn insert(
    line: &Line,
    bitmap: &Bitmap,
    hashes: &[Hash128],
    lifetime: Lifetime,
    options: &Options,
) -> Result<Vec<bool>, Error> {
    // A spread filter is never rebuilt.
    let watch = (options.follow_rebuilds && !bitmap.spread).then(|| Watch::new(bitmap.anchor()));
    let reported = options.reported();
    let mut new = Vec::with_capacity(hashes.len());
    let mut acknowledged = Acknowledged::new(options);
    for trip in hashes.chunks(per_trip(&bitmap.schema, options)) {
        let (mut gone, ack) = (None, &mut acknowledged);
        loop {
            let wrote = insert_once(line, bitmap, trip, lifetime, watch.as_ref(), options, ack);
            let (some, under_way) = wrote.await?;
            if gone.is_none() {
                new.extend(some);
            }
            let Some(token) = under_way.filter(|&token| gone != Some(token)) else {
                break;
            };
            let (next, orphan) = (
                generation::next(bitmap, token),
                Expiry::AfterFirst(generation::ORPHAN),
            );
            let wrote = insert_once(line, &next, trip, orphan.lifetime()?, None, &reported, ack);
            gone = generation::gone(token, wrote.await)?;
            if gone.is_none() {
                break;
            }
        }
    }
    acknowledged.check()?;
    Ok(new)
}

/// Inserts elements in one round trip. Returns whether each was new, and the rebuild under way.
async fn insert_once(
    line: &Line,
    bitmap: &Bitmap,
    hashes: &[Hash128],
    lifetime: Lifetime,
    watch: Option<&Watch>,
    options: &Options,
    acknowledged: &mut Acknowledged,
) -> Result<(Vec<bool>, Option<Token>), Error> {
    let at_once = per_transaction(bitmap);
    let inserts = (hashes.chunks(at_once).enumerate())
        .map(|(number, hashes)| Insert::new(bitmap, hashes, number * at_once, lifetime, watch, options))
        .collect::<Vec<Insert<'_>>>();
    let mut done = Done {
        new: vec![false; hashes.len()],
        refused: None,
        started: Vec::new(),
        under_way: None,
        acknowledged,
    };
    let divided =
        (inserts.iter()).flat_map(|insert| insert.placed.slots.iter().map(move |parts| (insert, &parts[..])));
    let divided: Vec<(&Insert<'_>, &[Part<'_>])> = divided.collect();
    // One batch for a filter in one key, one per slot otherwise.
    let slots = divided.chunks(if inserts.len() > 1 { divided.len() } else { 1 });
    let batches = slots.clone().map(|inserts| {
        let each = inserts.iter().map(|(insert, parts)| insert.batch(parts));
        let all = each.reduce(Batch::and_then).unwrap_or_default();
        all.and_wait(done.acknowledged.wait())
    });
    let sent = line.send_each(batches.collect()).await;
    for (inserts, replies) in slots.zip(sent) {
        match replies {
            Ok(mut replies) => {
                for (insert, parts) in inserts {
                    insert.read(parts, &mut replies, &mut done)?;
                }
                done.acknowledged.read(&mut replies)?;
            }
            Err(error) => {
                for (insert, parts) in inserts {
                    insert.send_again(line, parts, &error, &mut done).await?;
                }
            }
        }
    }
    for key in done.started {
        line.ask(cmd("UNLINK").arg(key)).await?.checked()?;
    }
    match done.refused {
        Some(error) => Err(error),
        None => Ok((done.new, done.under_way)),
    }
}

/// The number of bits in one transaction. The server keeps the arguments of a transaction until its end: with 7,000
/// bits, it took a quarter longer per bit than with 700 (Redis 7.0).
const BITS_PER_TRANSACTION: usize = 1 << 10;

/// Returns the number of elements in one transaction. Elements are never divided, so that only one of two concurrent
/// inserts of an element finds it new. A filter in several keys cannot be divided, since its bits are not in the order
/// of elements.
fn per_transaction(bitmap: &Bitmap) -> usize {
    if bitmap.keys.len() > 1 {
        return usize::MAX;
    }
    (BITS_PER_TRANSACTION / usize::from(bitmap.schema.probe_count())).max(1)
}

struct Done<'a> {
    new: Vec<bool>,
    /// The first part that is missing or has another length.
    refused: Option<Error>,
    /// The strings that the insert started in place of lost ones, because it could not be refused.
    started: Vec<Vec<u8>>,
    /// The first rebuild that was seen under way. If it has ended meanwhile, the insert is repeated.
    under_way: Option<Token>,
    acknowledged: &'a mut Acknowledged,
}

impl Done<'_> {
    fn saw(&mut self, watch: &Watch, replies: &mut Replies) -> Result<(), Error> {
        let under_way = watch.read(replies.bytes()?.as_deref())?;
        self.under_way = self.under_way.or(under_way);
        Ok(())
    }

    /// Interprets the length of a string. Returns whether the insert took place there.
    fn found(&mut self, piece: Piece<'_>, length: u64) -> bool {
        let refused = match piece.is_there(length) {
            Ok(true) => return true,
            Ok(false) => Error::missing(piece.key),
            Err(error) => error,
        };
        self.refused.get_or_insert(refused);
        false
    }
}

struct Insert<'a> {
    placed: Placed<'a>,
    first: usize,
    lifetime: Lifetime,
    commands: Commands,
    /// Set if a missing filter is reported.
    reported: bool,
    /// Set if a script sets the bits, in one step instead of a transaction.
    scripted: bool,
    /// Set if scripts in the transaction refuse a missing filter.
    guarded: bool,
    /// Set if a missing filter can be noticed but not refused.
    checked: bool,
    watch: Option<&'a Watch>,
}

impl<'a> Insert<'a> {
    fn new(
        bitmap: &'a Bitmap,
        hashes: &[Hash128],
        first: usize,
        lifetime: Lifetime,
        watch: Option<&'a Watch>,
        options: &Options,
    ) -> Self {
        let commands = options.commands;
        let reported = options.missing == Missing::Reported;
        let scripted = commands.scripts && !commands.transactions && (reported || !lifetime.is_kept());
        let guarded = reported && commands.scripts && commands.transactions;
        Self {
            placed: Placed::new(bitmap, hashes),
            first,
            lifetime,
            commands,
            reported,
            scripted,
            guarded,
            checked: reported && !commands.scripts,
            watch,
        }
    }

    fn batch(&self, parts: &[Part<'_>]) -> Batch {
        // A pipeline with a second key could be executed in part while its slot moves to another node.
        let several = self.guarded || self.checked || !self.lifetime.is_kept() || self.watch.is_some();
        let mut batch = Batch::atomic(several && self.commands.transactions);
        if let Some(watch) = self.looks_first() {
            batch.push(&watch.look());
        }
        for part in parts {
            if self.scripted {
                batch.push(&self.set(part));
                continue;
            }
            let key = part.piece.key;
            let aside = companion("aside", key);
            if self.guarded {
                batch.push(eval(&OPEN, &[key, &aside]).arg(MARK).arg(part.piece.bytes));
            } else if self.checked {
                batch.push(&length(key));
            }
            push_bits(&mut batch, self.commands, Access::Set, key, &part.offsets);
            if self.closes() {
                let keys = &[key, &aside][..if self.guarded { 2 } else { 1 }];
                let mut close = eval(&CLOSE, keys);
                batch.push(self.lifetime.push_to(close.arg(MARK)));
            } else if let Some(command) = self.lifetime.command(key) {
                batch.push(&command);
            }
            if self.checked {
                batch.push(&length(key));
            }
        }
        if let Some(watch) = self.watch {
            // Read after the bits, so that a rebuild that is not seen began after them.
            batch.push(&watch.look());
        }
        batch
    }

    /// Returns the watch if it is read before the bits too. Without a transaction, a rebuild may end between the bits
    /// and the read after them, and only an earlier read reveals it. Moreover, a cluster client that is redirected for
    /// one key repeats the whole pipeline on the other node, which accepts the first command even for a key that it
    /// does not have yet: if that command wrote, it would begin a second bitmap.
    fn looks_first(&self) -> Option<&'a Watch> {
        self.watch.filter(|_| !self.commands.transactions)
    }

    fn closes(&self) -> bool {
        self.guarded || (!self.lifetime.is_kept() && self.commands.scripts)
    }

    /// Returns the script that sets all bits of a part and its time to live.
    fn set(&self, part: &Part<'_>) -> Cmd {
        let mut set = eval(&SET, &[part.piece.key]);
        set.arg(or_empty(self.reported.then_some(part.piece.bytes)));
        self.lifetime.push_to(&mut set).arg(&part.offsets).take()
    }

    fn read(&self, parts: &[Part<'_>], replies: &mut Replies, done: &mut Done<'_>) -> Result<(), Error> {
        if let Some(watch) = self.looks_first() {
            done.saw(watch, replies)?;
        }
        for part in parts {
            if self.scripted {
                self.read_set(part, replies, done)?;
                continue;
            }
            let before = if self.guarded || self.checked {
                replies.count()?
            } else {
                part.piece.bytes
            };
            if done.found(part.piece, before) || self.checked {
                read_zeros(replies, self.commands, part.offsets.len(), |at| {
                    done.new[self.first + part.element(at, self.placed.probes)] = true;
                })?;
            } else {
                replies.take(commands_for(self.commands, part.offsets.len()));
            }
            if self.closes() || !self.lifetime.is_kept() {
                replies.count()?;
            }
            // No insert gives a string the length of a filter's.
            if self.checked && replies.count()? != part.piece.bytes && [0, part.piece.bytes].contains(&before)
            {
                done.found(part.piece, 0);
                done.started.push(part.piece.key.to_vec());
            }
        }
        if let Some(watch) = self.watch {
            done.saw(watch, replies)?;
        }
        Ok(())
    }

    fn read_set(&self, part: &Part<'_>, replies: &mut Replies, done: &mut Done<'_>) -> Result<(), Error> {
        match replies.value()? {
            Value::Int(length) => {
                done.found(part.piece, length.try_into().unwrap_or(0));
            }
            Value::Array(bits) if bits.len() == part.offsets.len() => {
                for (at, value) in bits.iter().enumerate() {
                    if !bit(value)? {
                        done.new[self.first + part.element(at, self.placed.probes)] = true;
                    }
                }
            }
            other => return Err(unexpected("the bits as they were", Some(&other))),
        }
        Ok(())
    }

    /// Handles an error in place of replies. Repeats the insert if a slot is moving, notices a missing filter, and
    /// returns any other error.
    async fn send_again(
        &self,
        line: &Line,
        parts: &[Part<'_>],
        error: &Error,
        done: &mut Done<'_>,
    ) -> Result<(), Error> {
        // The transaction was refused as a whole, because its slot is moving between two nodes.
        if error.redis().is_some_and(is_redirection) {
            return self.send_singly(line, parts, done).await;
        }
        // The cluster client returns only the first error, which in a guarded transaction may be the intended refusal
        // of a missing filter.
        if error.kind() == ErrorKind::WrongType && self.guarded {
            for part in parts {
                let length = line.ask(&length(part.piece.key)).await?.count()?;
                if !done.found(part.piece, length) {
                    return Ok(());
                }
            }
        }
        Err(error.clone())
    }

    /// Repeats the insert without a transaction, so that each command finds its node: by scripts that set the bits, or
    /// by plain commands.
    async fn send_singly(&self, line: &Line, parts: &[Part<'_>], done: &mut Done<'_>) -> Result<(), Error> {
        let singly = Self {
            placed: Placed {
                slots: Vec::new(),
                ..self.placed
            },
            commands: Commands {
                transactions: false,
                ..self.commands
            },
            scripted: self.commands.scripts,
            ..*self
        };
        let mut replies = Vec::new();
        // Not as a pipeline: a cluster client may repeat it, and elements set the first time would not be new the
        // second time.
        for command in singly.batch(parts).commands() {
            let batch = Batch::of(&command).and_wait(done.acknowledged.wait());
            let mut sent = line.send(batch).await?;
            replies.push(sent.take(1));
            done.acknowledged.read(&mut sent)?;
        }
        singly.read(parts, &mut Replies::concat(replies), done)
    }
}
