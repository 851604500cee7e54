//! How a growing filter begins: created, emptied, or with the bitmaps of a rebuild.

use redis::cmd;

use super::Batch;
use super::bits::exists;
use super::chain::{Chain, allocate, read_cursor};
use super::generation::{Token, Watch, record_key};
use super::scripts;
use crate::call::Line;
use crate::error::Error;
use crate::options::{Missing, Options};

/// Puts a rebuild in the filter's place.
pub(crate) async fn exchange(
    line: &Line,
    live: &Chain,
    token: Token,
    options: &Options,
) -> Result<(), Error> {
    let next = live.next(token);
    let watch = Watch::new(&live.cursor);
    let record = record_key(&live.cursor);
    let counter = live.counter();
    let keys = [watch.pointer.as_slice(), &record, &live.cursor, &counter];
    let options = Options {
        missing: Missing::Reported,
        ..*options
    };
    let mut replies = next
        .run(&scripts::EXCHANGE, line, &keys, &options, None, |command| {
            command.arg(live.base.as_slice()).arg(token.0);
            command.arg(live.schema.bits());
        })
        .await?;
    match replies.count()? {
        0 => Err(next.missing()),
        _ => Ok(()),
    }
}

/// Creates the current bitmap if it is not there; whether it was not.
pub(crate) async fn create(line: &Line, chain: &Chain, options: &Options) -> Result<bool, Error> {
    let current = read_cursor(line, chain).await?;
    let key = chain.key(current);
    // By itself, so that it is found while its slot moves between nodes.
    if line.send(Batch::of(exists(&key))).await?.count()? == 1 {
        return Ok(false);
    }
    if chain.by_script(options) {
        let mut replies = chain
            .run(
                &scripts::CREATE,
                line,
                &[&chain.counter()],
                options,
                None,
                |command| {
                    command.arg(chain.schema.bits());
                },
            )
            .await?;
        return Ok(replies.count()? == 1);
    }
    line.send(Batch::of(allocate(chain, current, options.commands)))
        .await?
        .checked()?;
    write_first_cursor(line, chain).await?;
    Ok(true)
}

/// Writes the cursor of a filter with one bitmap, which the published program leaves out: with one, a filter whose cursor is
/// missing has lost it. A cursor that is there stays.
async fn write_first_cursor(line: &Line, chain: &Chain) -> Result<(), Error> {
    if line.send(Batch::of(exists(&chain.key(1)))).await?.count()? == 0 {
        let mut set = cmd("SET");
        set.arg(chain.cursor.as_slice()).arg("0").arg("NX");
        line.send(Batch::of(set)).await?.checked()?;
    }
    Ok(())
}

/// What comes before the first parameter record of a filter: a cursor, so that one that is missing later was lost.
pub(crate) async fn prepare_record(line: &Line, chain: &Chain) -> Result<(), Error> {
    if line.send(Batch::of(exists(&chain.record))).await?.count()? == 0 {
        write_first_cursor(line, chain).await?;
    }
    Ok(())
}

/// Removes all bitmaps, and begins anew with an empty one.
pub(crate) async fn reset(line: &Line, chain: &Chain, options: &Options) -> Result<(), Error> {
    if chain.by_script(options) {
        let counter = chain.counter();
        chain
            .run(&scripts::RESET, line, &[&counter], options, None, |command| {
                command.arg(chain.schema.bits());
            })
            .await?;
        return Ok(());
    }
    let current = read_cursor(line, chain).await?;
    let mut unlink = cmd("UNLINK");
    for number in 0..=current {
        unlink.arg(chain.key(number));
    }
    unlink.arg(chain.counter());
    let mut rewind = cmd("SET");
    rewind.arg(chain.cursor.as_slice()).arg("0");
    if chain.spread {
        for command in [unlink, rewind, allocate(chain, 0, options.commands)] {
            line.send(Batch::of(command)).await?.checked()?;
        }
        return Ok(());
    }
    let mut batch = if options.commands.transactions {
        Batch::atomic()
    } else {
        Batch::new()
    };
    batch.push(unlink);
    batch.push(rewind);
    batch.push(allocate(chain, 0, options.commands));
    line.send(batch).await?.checked().map(|_| ())
}
