//! Creation and expiry of filters.

use redis::Value;

use super::bitmap::Bitmap;
use super::scripts::{EXPIRE, eval};
use crate::batch::{Batch, exists};
use crate::call::Line;
use crate::error::Error;
use crate::names::slots;
use crate::options::{Expiry, Options};

/// Creates strings of zeros at the keys that do not exist. Returns true if there were any.
pub(crate) async fn create(line: &Line, bitmap: &Bitmap, expiry: Expiry) -> Result<bool, Error> {
    let lifetime = expiry.lifetime()?;
    let batches = slots(&bitmap.keys, bitmap.spread).into_iter().map(|keys| {
        let mut batch = Batch::new();
        for key in keys {
            let set = batch.add("SET").arg(key).arg(&[0_u8][..]).arg("NX");
            lifetime.push_to_set(set);
        }
        batch
    });
    let mut replies = line.send_all(batches.collect()).await?;
    let mut created = false;
    for _ in &bitmap.keys {
        created |= replies.value()? != Value::Nil;
    }
    Ok(created)
}

/// Sets the time to live of a filter that must exist.
pub(crate) async fn expire(
    line: &Line,
    bitmap: &Bitmap,
    expiry: Expiry,
    options: &Options,
) -> Result<(), Error> {
    let lifetime = expiry.lifetime()?;
    let slots = slots(&bitmap.keys, bitmap.spread);
    let batches = slots.iter().map(|keys| {
        let mut batch = Batch::new();
        for &key in keys {
            if options.commands.scripts {
                batch.push(lifetime.push_to(&mut eval(&EXPIRE, &[key])));
                continue;
            }
            batch.push(&exists(key));
            if let Some(command) = lifetime.command(key) {
                batch.push(&command);
            }
        }
        batch
    });
    let mut replies = line.send_all(batches.collect()).await?;
    let plain = usize::from(!options.commands.scripts && !lifetime.is_kept());
    for key in slots.into_iter().flatten() {
        let there = replies.count()? > 0;
        replies.take(plain).checked()?;
        if !there {
            return Err(Error::missing(key));
        }
    }
    Ok(())
}
