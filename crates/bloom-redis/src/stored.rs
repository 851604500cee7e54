//! What can be done with a filter of one bitmap, in one key or in several: all of the fixed and the split design but their
//! names.

use core::time::Duration;
use std::sync::Arc;

use guava_bloom::{BloomFilter, Strategy};
use redis::{Value, cmd};

use crate::answer::Answer;
use crate::batch::Batch;
use crate::call::Call;
use crate::error::Error;
use crate::names::slots;
use crate::options::{Expiry, Options};
use crate::plan::bitmap::{Bitmap, hashes};
use crate::plan::{bits, insert, tally, transfer};
use crate::rebuild::Rebuild;
use crate::statistics::Statistics;

/// A filter of one bitmap, and how to talk to its server.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Stored {
    pub(crate) bitmap: Arc<Bitmap>,
    pub(crate) options: Options,
}

impl Stored {
    /// Creates strings of zeroes where there is nothing; whether there was nothing at one of the keys.
    pub(crate) fn create(self, expiry: Option<Expiry>) -> Call<'static, bool> {
        Call::new(move |line| async move {
            let millis = expiry.map(Expiry::millis).transpose()?;
            let Bitmap { keys, spread, .. } = &*self.bitmap;
            let batches = slots(keys, *spread).into_iter().map(|keys| {
                let mut batch = Batch::new();
                for key in keys {
                    let set = batch.add("SET").arg(key).arg(&[0_u8][..]).arg("NX");
                    set.arg(millis.map(|millis| ("PX", millis)));
                }
                batch
            });
            let mut replies = line.send_all(batches.collect()).await?;
            let mut created = false;
            for _ in keys {
                created |= replies.value()? != Value::Nil;
            }
            Ok(created)
        })
    }

    pub(crate) fn contains_many(
        self,
        elements: impl IntoIterator<Item: AsRef<[u8]>>,
    ) -> Call<'static, Vec<Answer>> {
        let hashes = hashes(elements);
        Call::new(
            move |line| async move { bits::contains(&line, &self.bitmap, &hashes, &self.options).await },
        )
    }

    pub(crate) fn insert_many(
        self,
        elements: impl IntoIterator<Item: AsRef<[u8]>>,
        expiry: Option<Expiry>,
    ) -> Call<'static, Vec<bool>> {
        let hashes = hashes(elements);
        Call::new(move |line| async move {
            insert::insert(&line, &self.bitmap, &hashes, expiry, &self.options).await
        })
    }

    pub(crate) fn statistics(self) -> Call<'static, Statistics> {
        Call::new(move |line| async move {
            let bitmaps = core::slice::from_ref(&*self.bitmap);
            tally::statistics(&line, self.bitmap.anchor(), bitmaps, &self.options).await
        })
    }

    pub(crate) fn rebuild(self, lease: Duration) -> Call<'static, Rebuild> {
        Rebuild::begin(self.bitmap, lease, self.options)
    }

    pub(crate) fn upload<F: Sync>(self, filter: &BloomFilter<F>, expiry: Option<Expiry>) -> Call<'_, ()> {
        Rebuild::replace(self.bitmap, filter, expiry, self.options)
    }

    /// A filter in memory with the bits of this one.
    pub(crate) fn download<F: Send + 'static>(self, funnel: F) -> Call<'static, BloomFilter<F>> {
        Call::new(move |line| async move {
            let words = transfer::read(&line, &self.bitmap, &self.options).await?;
            let probes = self.bitmap.schema.probes();
            BloomFilter::from_parts(funnel, Strategy::Murmur128Mitz64, probes, words).map_err(|error| {
                Error::Incompatible {
                    what: "the filter",
                    here: error.to_string(),
                    there: String::from("a filter of Guava's"),
                }
            })
        })
    }

    pub(crate) fn merge(self, from: Vec<Arc<Bitmap>>) -> Call<'static, ()> {
        Call::new(move |line| async move { transfer::merge(&line, &self.bitmap, &from, &self.options).await })
    }

    /// Removes the keys; whether one was there.
    pub(crate) fn delete(self) -> Call<'static, bool> {
        Call::new(move |line| async move {
            let mut unlink = cmd("UNLINK");
            Ok(line.ask(unlink.arg(&self.bitmap.keys)).await?.count()? > 0)
        })
    }
}
