//! Inserting into a filter that lies in one string, or in several.

use guava_bloom::Hash128;
use redis::{Cmd, cmd};

use super::bits::{Bitmap, Placed, commands_for, exists, per_trip, push_set, read_bits};
use super::generation::{Token, Watch, follower_expiry, next};
use super::scripts::{CLOSE, MARK, OPEN, eval};
use super::{Batch, Replies};
use crate::call::Line;
use crate::error::{Error, Trouble};
use crate::options::{Commands, Expiry, Missing, Options};

/// Inserts elements; says of each whether it was new.
pub(crate) async fn insert(
    line: &Line,
    bitmap: &Bitmap,
    hashes: &[Hash128],
    expiry: Option<Expiry>,
    options: &Options,
) -> Result<Vec<bool>, Error> {
    let watch = (options.follow_rebuilds).then(|| Watch::new(bitmap.anchor()));
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
    confirm(line, options).await?;
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
    let insert = Insert::new(bitmap, hashes, expiry, options)?;
    let mut batch = insert.batch();
    if let Some(watch) = watch {
        // After the bits, so that a rebuild that is not seen began after them.
        batch.push(watch.look());
    }
    match line.send(batch).await {
        Ok(mut replies) => {
            let new = insert.read(&mut replies, bitmap)?;
            let under_way = match watch {
                Some(watch) => watch.read(replies.bytes()?.as_deref())?,
                None => None,
            };
            Ok((new, under_way))
        }
        // The cluster client passes on the first error alone, which in a guarded transaction may be the refusal that is
        // meant to happen.
        Err(error) if insert.guarded && error.trouble() == Some(Trouble::WrongType) => {
            for part in &insert.placed.parts {
                if line.send(Batch::of(exists(part.key))).await?.count()? == 0 {
                    return Err(bitmap.missing());
                }
            }
            Err(error)
        }
        Err(error) => Err(error),
    }
}

/// Waits for replicas, if the caller wants it.
pub(crate) async fn confirm(line: &Line, options: &Options) -> Result<(), Error> {
    let Some(replicas) = options.replicas else {
        return Ok(());
    };
    let mut command = cmd("WAIT");
    // A time-out of 0 would mean "for ever".
    let millis = u64::try_from(replicas.timeout.as_millis()).unwrap_or(u64::MAX);
    command
        .arg(replicas.count)
        .arg(millis.clamp(1, i64::MAX as u64 / 2));
    let reached = line.send(Batch::of(command)).await?.count()?;
    let reached = u32::try_from(reached).unwrap_or(u32::MAX);
    if reached < replicas.count {
        return Err(Error::Replication {
            wanted: replicas.count,
            reached,
        });
    }
    Ok(())
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
}

impl<'a> Insert<'a> {
    fn new(
        bitmap: &'a Bitmap,
        hashes: &[Hash128],
        expiry: Option<Expiry>,
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
        })
    }

    fn batch(&self) -> Batch {
        let several = self.guarded || self.checked || self.expiry.is_some();
        let mut batch = if several && self.commands.transactions {
            Batch::atomic()
        } else {
            Batch::new()
        };
        for part in &self.placed.parts {
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
        batch
    }

    fn closes(&self) -> bool {
        self.guarded || (self.expiry.is_some() && self.commands.scripts)
    }

    fn close(&self, key: &[u8]) -> Cmd {
        let mut close = eval(CLOSE, &[key]);
        close.arg(MARK);
        match self.expiry {
            Some((millis, fixed)) => close.arg(millis).arg(u8::from(fixed)),
            None => close.arg("").arg("0"),
        };
        close
    }

    fn read(&self, replies: &mut Replies, bitmap: &Bitmap) -> Result<Vec<bool>, Error> {
        let mut new = vec![false; self.placed.elements];
        let mut missing = false;
        for part in &self.placed.parts {
            let there = !(self.guarded || self.checked) || replies.count()? == 1;
            missing |= !there;
            if there || self.checked {
                let bits = read_bits(replies, self.commands, part.offsets.len())?;
                for (&at, bit) in part.order.iter().zip(bits) {
                    new[at / self.placed.probes] |= !bit;
                }
            } else {
                replies.skip(commands_for(self.commands, part.offsets.len()));
            }
            if self.closes() || self.expiry.is_some() {
                replies.count()?;
            }
        }
        if missing {
            return Err(bitmap.missing());
        }
        Ok(new)
    }
}
