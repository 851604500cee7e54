//! A rebuild of a filter beside the one in use.

use core::time::Duration;
use std::sync::Arc;

use membership_filters::Hashing;
use membership_filters::guava::BloomFilter;

use crate::call::Call;
use crate::options::Expiry;
use crate::plan::bitmap::{Bitmap, hashes};

/// A new generation of a filter, to be filled while the current one stays in use.
///
/// A Bloom filter cannot delete keys; to drop deleted ones, rebuild the filter from its source. Fill the
/// generation, then [`commit`](Self::commit) it, which makes it the filter in one step.
///
/// Keys that others insert meanwhile go into both generations. No key is lost if you read the source after the rebuild began,
/// and writers change the source before the filter. The generation has a lease: when nothing was inserted for that
/// long, the generation is deleted and the rebuild is over.
///
/// Dropping this value sends nothing: the rebuild stays under way until its lease ends, and no other can begin before.
/// [`abandon`](Self::abandon) ends it at once;
/// [`FixedFilter::abandon_rebuild`](crate::FixedFilter::abandon_rebuild) does the same without this value.
///
/// ```no_run
/// use std::time::Duration;
///
/// use bloom_redis::{Expiry, FixedFilter, Schema};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut connection = redis::Client::open("redis://127.0.0.1/")?.get_connection()?;
/// let filter = FixedFilter::new("users", Schema::fixed(1_000_000, 0.01)?)?;
/// let rebuild = filter.rebuild(Duration::from_secs(600)).query(&mut connection)?;
/// for page in [["ann", "bob"], ["cid", "dan"]] {
///     rebuild.insert_many(page).query(&mut connection)?;
/// }
/// rebuild.commit(Expiry::Keep).query(&mut connection)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Rebuild {
    live: Arc<Bitmap>,
    next: Arc<Bitmap>,
    lease: Duration,
}

impl Rebuild {
    pub(crate) fn begin(live: Arc<Bitmap>, lease: Duration) -> Call<'static, Self> {
        Call::new(&live.clone().key, move |line| async move {
            let next = Arc::new(live.begin(&line, lease).await?);
            Ok(Self { live, next, lease })
        })
    }

    /// Inserts keys into the new generation, in round trips of bounded size, and renews the lease. Returns whether
    /// each was new to the generation.
    ///
    /// The call fails with [`Missing`](crate::Error::Missing) when the lease ended.
    pub fn insert_many(&self, keys: impl IntoIterator<Item: AsRef<[u8]>>) -> Call<'static, Vec<bool>> {
        let (this, hashes) = (self.clone(), hashes(keys));
        Call::new(&self.live.key, move |line| async move {
            let new = this.next.insert_alone(&line, &hashes).await?;
            this.live.renew(&line, &this.next, this.lease).await?;
            Ok(new)
        })
    }

    /// Adds the bits of a filter in memory to those of the new generation, in chunks of 1 MiB.
    ///
    /// The call fails with [`Mismatch`](crate::Error::Mismatch) when the filters differ in hash, bits, probe count or strategy, and with
    /// [`Missing`](crate::Error::Missing) when the lease ended.
    pub fn upload<'a, F: Hashing + Sync>(&self, filter: &'a BloomFilter<F>) -> Call<'a, ()> {
        let this = self.clone();
        Call::new(&self.live.key, move |line| async move {
            this.live.check_shape(filter)?;
            this.live
                .upload(&line, &this.next, filter.words(), this.lease)
                .await
        })
    }

    /// Makes the new generation the filter. The old one is freed in the background; with [`Expiry::Keep`] the new one
    /// gets its remaining time to live.
    ///
    /// The call fails with [`Missing`](crate::Error::Missing) when the lease ended; the filter is then as it was.
    pub fn commit(self, expiry: Expiry) -> Call<'static, ()> {
        Call::new(&self.live.clone().key, move |line| async move {
            self.live.commit(&line, &self.next, expiry).await
        })
    }

    /// Removes the new generation. The filter stays as it is.
    pub fn abandon(self) -> Call<'static, ()> {
        Call::new(&self.live.clone().key, move |line| async move {
            self.live.abandon(&line, &self.next).await
        })
    }

    pub(crate) fn replace<'a, F: Hashing + Sync>(
        live: Arc<Bitmap>,
        filter: &'a BloomFilter<F>,
        expiry: Expiry,
    ) -> Call<'a, ()> {
        /// The time allowed for a chunk to arrive.
        const LEASE: Duration = Duration::from_secs(60);
        Call::new(&live.clone().key, move |line| async move {
            live.check_shape(filter)?;
            let next = live.begin(&line, LEASE).await?;
            let done = match live.upload(&line, &next, filter.words(), LEASE).await {
                Ok(()) => live.commit(&line, &next, expiry).await,
                failed => failed,
            };
            if done.is_err() {
                // If this fails, the lease still ends the rebuild. The caller needs the first error.
                let _ = live.abandon(&line, &next).await;
            }
            done
        })
    }
}
