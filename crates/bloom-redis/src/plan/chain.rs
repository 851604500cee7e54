//! Bitmaps behind a cursor, of which the last grows another.

use core::time::Duration;

use guava_bloom::Hash128;
use redis::{Cmd, ErrorKind, RedisError, ServerErrorKind, cmd};

use super::acknowledged::Acknowledged;
use super::batch::unexpected;
use super::bits::{ATTEMPTS, Bitmap, in_place_of};
use super::generation::{ORPHAN, Token, Watch, next_key};
use super::scripts::{self, Digested};
use super::{Batch, Replies, chain_by_commands};
use crate::answer::Answer;
use crate::call::Line;
use crate::error::Error;
use crate::names::companion;
use crate::options::{Commands, Expiry, Missing, Options};
use crate::schema::Schema;

/// Most bitmaps of a filter. Every one is asked in every query, so that a filter of so many is long past its use; and a
/// cursor that holds anything else cannot occupy the server.
pub(crate) const MOST_BITMAPS: u64 = 1_000;

/// A growing filter's keys and size.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chain {
    pub(crate) cursor: Vec<u8>,
    /// What the keys of the bitmaps begin with; a number follows.
    pub(crate) base: Vec<u8>,
    /// The key of the parameter record. Where there is one, there is a cursor.
    pub(crate) record: Vec<u8>,
    pub(crate) schema: Schema,
    /// Whether the bitmaps are meant to lie in several slots of a cluster.
    pub(crate) spread: bool,
}

impl Chain {
    /// The key of a bitmap.
    pub(crate) fn key(&self, number: u64) -> Vec<u8> {
        [&self.base, number.to_string().as_bytes()].concat()
    }

    pub(crate) fn bitmap(&self, number: u64) -> Bitmap {
        Bitmap {
            spread: self.spread,
            ..Bitmap::whole(self.key(number), self.schema)
        }
    }

    /// The key of the kept count.
    pub(super) fn counter(&self) -> Vec<u8> {
        companion("ones", &self.cursor)
    }

    /// Whether scripts do the work: they take all keys in one slot.
    pub(super) fn by_script(&self, options: &Options) -> bool {
        options.commands.scripts && !self.spread
    }

    /// The filter of a rebuild.
    pub(crate) fn next(&self, token: Token) -> Self {
        Self {
            cursor: next_key(&self.cursor, token),
            base: next_key(&self.base, token),
            // There is none.
            record: next_key(&self.record, token),
            ..self.clone()
        }
    }

    pub(super) fn missing(&self) -> Error {
        Error::Missing { key: self.key(0) }
    }

    pub(super) fn replaced(&self) -> Error {
        Error::Replaced {
            key: self.cursor.clone(),
        }
    }

    pub(super) async fn run(
        &self,
        script: &Digested,
        line: &Line,
        keys: &[&[u8]],
        options: &Options,
        wait: Option<Cmd>,
        arguments: impl Fn(&mut Cmd),
    ) -> Result<Replies, Error> {
        let replies = script
            .run(line, wait, |command| {
                command.arg(1 + keys.len()).arg(self.cursor.as_slice());
                for &key in keys {
                    command.arg(key);
                }
                command.arg(self.base.as_slice()).arg(MOST_BITMAPS);
                command.arg(u8::from(options.missing == Missing::Reported));
                command.arg(self.record.as_slice());
                arguments(command);
            })
            .await;
        match replies {
            Err(Error::Server { source, .. }) if source.kind() == ErrorKind::Extension => {
                Err(match source.code() {
                    Some("BADCURSOR") => self.bad_cursor(source.detail().unwrap_or_default().as_bytes()),
                    Some("FULL") => Error::Full {
                        bitmaps: MOST_BITMAPS,
                    },
                    _ => source.into(),
                })
            }
            replies => replies,
        }
    }

    fn bad_cursor(&self, found: &[u8]) -> Error {
        Error::Malformed {
            key: self.cursor.clone(),
            expected: "the number of a bitmap, below 1,000",
            found: found.escape_ascii().to_string(),
        }
    }

    fn push_offsets(&self, command: &mut Cmd, hashes: &[Hash128]) {
        for position in hashes.iter().flat_map(|&hash| self.schema.positions(hash)) {
            command.arg(position);
        }
    }

    fn per_trip(&self, options: &Options) -> usize {
        (options.bits_per_trip.get() / usize::from(self.schema.probes())).max(1)
    }
}

/// Asks for elements.
pub(crate) async fn contains(
    line: &Line,
    chain: &Chain,
    hashes: &[Hash128],
    options: &Options,
) -> Result<Vec<Answer>, Error> {
    let mut answers = Vec::with_capacity(hashes.len());
    for trip in hashes.chunks(chain.per_trip(options)) {
        let some = if chain.by_script(options) {
            contains_by_script(line, chain, trip, options).await
        } else {
            chain_by_commands::contains(line, chain, trip, options).await
        };
        match some {
            Ok(some) => answers.extend(some),
            // One time-out is enough.
            Err(error) => {
                answers.resize(hashes.len(), in_place_of(error, options)?);
                break;
            }
        }
    }
    Ok(answers)
}

async fn contains_by_script(
    line: &Line,
    chain: &Chain,
    hashes: &[Hash128],
    options: &Options,
) -> Result<Vec<Answer>, Error> {
    let mut replies = chain
        .run(&scripts::CONTAINS, line, &[], options, None, |command| {
            command.arg(chain.schema.probes());
            chain.push_offsets(command, hashes);
        })
        .await?;
    characters(&mut replies, hashes.len(), |character| match character {
        b'0' => Some(Answer::Absent),
        b'1' => Some(Answer::MayContain),
        b'?' => Some(Answer::Missing),
        _ => None,
    })?
    .ok_or_else(|| unexpected("answers", None))
}

/// A reply with a character for each element.
fn characters<T>(
    replies: &mut Replies,
    elements: usize,
    read: impl Fn(u8) -> Option<T>,
) -> Result<Option<Vec<T>>, Error> {
    let Some(text) = replies.bytes()? else {
        return Ok(None);
    };
    text.iter()
        .map(|&character| read(character))
        .collect::<Option<Vec<T>>>()
        .filter(|answers| answers.len() == elements)
        .map(Some)
        .ok_or_else(|| unexpected("a character an element", Some(&redis::Value::BulkString(text))))
}

/// Inserts elements; says of each whether it was new.
pub(crate) async fn insert(
    line: &Line,
    chain: &Chain,
    hashes: &[Hash128],
    options: &Options,
) -> Result<Vec<bool>, Error> {
    let mut new = Vec::with_capacity(hashes.len());
    let mut acknowledged = Acknowledged::new(options);
    for hashes in hashes.chunks(chain.per_trip(options)) {
        new.extend(if chain.by_script(options) || chain.spread {
            insert_followed(line, chain, hashes, options, &mut acknowledged).await?
        } else {
            insert_watched(line, chain, hashes, options, &mut acknowledged).await?
        });
    }
    acknowledged.check()?;
    Ok(new)
}

/// Without scripts a rebuild may take the filter's place between two commands, and what was set then is in neither.
async fn insert_watched(
    line: &Line,
    chain: &Chain,
    hashes: &[Hash128],
    options: &Options,
    acknowledged: &mut Acknowledged,
) -> Result<Vec<bool>, Error> {
    let mut new = vec![false; hashes.len()];
    let mut generation = chain_by_commands::generation(line, chain).await?;
    for _ in 0..ATTEMPTS {
        let some = insert_followed(line, chain, hashes, options, acknowledged).await?;
        for (new, some) in new.iter_mut().zip(some) {
            *new |= some;
        }
        let now = chain_by_commands::generation(line, chain).await?;
        if now == generation {
            return Ok(new);
        }
        generation = now;
    }
    Err(chain.replaced())
}

/// As for the other designs: what is inserted during a rebuild goes into its generation too.
async fn insert_followed(
    line: &Line,
    chain: &Chain,
    hashes: &[Hash128],
    options: &Options,
    acknowledged: &mut Acknowledged,
) -> Result<Vec<bool>, Error> {
    let (new, mut under_way) = insert_once(line, chain, hashes, None, options, acknowledged).await?;
    while let Some(token) = under_way {
        let next = chain.next(token);
        match insert_into_generation(line, &next, hashes, ORPHAN, options, acknowledged).await {
            Err(Error::Missing { .. }) => {
                let (_, again) = insert_once(line, chain, hashes, None, options, acknowledged).await?;
                under_way = again.filter(|&again| again != token);
            }
            done => {
                done?;
                break;
            }
        }
    }
    Ok(new)
}

/// Inserts elements into a generation that must be there, which then lives for the lease at least.
pub(crate) async fn insert_into_generation(
    line: &Line,
    next: &Chain,
    hashes: &[Hash128],
    lease: Duration,
    options: &Options,
    acknowledged: &mut Acknowledged,
) -> Result<Vec<bool>, Error> {
    let options = Options {
        missing: Missing::Reported,
        ..*options
    };
    let millis = Some(Expiry::Sliding(lease).millis()?);
    let mut new = Vec::with_capacity(hashes.len());
    for hashes in hashes.chunks(next.per_trip(&options)) {
        let (some, _) = insert_once(line, next, hashes, millis, &options, acknowledged).await?;
        new.extend(some);
    }
    Ok(new)
}

/// Inserts elements in one round trip, if scripts are allowed; says of each whether it was new, and which rebuild is
/// under way.
async fn insert_once(
    line: &Line,
    chain: &Chain,
    hashes: &[Hash128],
    millis: Option<u64>,
    options: &Options,
    acknowledged: &mut Acknowledged,
) -> Result<(Vec<bool>, Option<Token>), Error> {
    let watch = Watch::new(&chain.cursor);
    if !chain.by_script(options) {
        let mut new = Vec::with_capacity(hashes.len());
        for &hash in hashes {
            new.push(chain_by_commands::insert(line, chain, hash, millis, options, acknowledged).await?);
        }
        if chain.spread || !options.follow_rebuilds {
            return Ok((new, None));
        }
        let told = line.send(Batch::of(watch.look())).await?.bytes()?;
        return Ok((new, watch.read(told.as_deref())?));
    }
    let mut keys: Vec<&[u8]> = vec![&watch.pointer];
    let counter = chain.counter();
    // A generation of a rebuild has a lease, and its count none.
    if options.keep_count && millis.is_none() {
        keys.push(&counter);
    }
    for _ in 0..ATTEMPTS {
        let mut replies = chain
            .run(
                &scripts::INSERT,
                line,
                &keys,
                options,
                acknowledged.wait(),
                |command| {
                    command.arg(chain.schema.probes()).arg(chain.schema.bits());
                    match millis {
                        Some(millis) => command.arg(millis),
                        None => command.arg(""),
                    };
                    chain.push_offsets(command, hashes);
                },
            )
            .await?;
        if let Some(mut told) = replies.parts()? {
            acknowledged.read(&mut replies)?;
            let new = characters(&mut told, hashes.len(), |character| match character {
                b'0' => Some(false),
                b'1' => Some(true),
                _ => None,
            })?
            .ok_or_else(|| unexpected("answers", None))?;
            let under_way = watch.read(told.bytes()?.as_deref())?;
            return Ok((new, under_way.filter(|_| options.follow_rebuilds)));
        }
        if chain_by_commands::is_missing(line, chain, options).await? {
            return Err(chain.missing());
        }
        // It has come back meanwhile; or the script ran on a node that does not have all bitmaps yet, while their slot moves.
    }
    Err(RedisError::from((
        ErrorKind::Server(ServerErrorKind::TryAgain),
        "the filter's slot is moving between nodes",
    ))
    .into())
}

/// The number of the current bitmap; 0 if there is no cursor.
pub(crate) async fn read_cursor(line: &Line, chain: &Chain) -> Result<u64, Error> {
    let mut get = cmd("GET");
    get.arg(chain.cursor.as_slice());
    parse_cursor(chain, line.send(Batch::of(get)).await?.bytes()?.as_deref())
}

pub(super) fn parse_cursor(chain: &Chain, text: Option<&[u8]>) -> Result<u64, Error> {
    let Some(text) = text else {
        return Ok(0);
    };
    core::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse().ok())
        .filter(|&number| number < MOST_BITMAPS)
        .ok_or_else(|| chain.bad_cursor(&text[..text.len().min(40)]))
}

/// Gives a bitmap its full length, as published. Its last bit stays what it is where the command for that is allowed: others may
/// write already.
pub(super) fn allocate(chain: &Chain, number: u64, commands: Commands) -> Cmd {
    let (key, last) = (chain.key(number), chain.schema.bits() - 1);
    if commands.bitfield {
        let mut command = cmd("BITFIELD");
        command.arg(key).arg("INCRBY").arg("u1").arg(last).arg("0");
        return command;
    }
    let mut command = cmd("SETBIT");
    command.arg(key).arg(last).arg("0");
    command
}
