//! Operations on a filter of one bitmap, in one key or in several: the common part of the fixed and the split design.

use std::sync::Arc;

use crate::call::{Call, Line};
use crate::error::Error;
use crate::options::{Expiry, Options};
use crate::plan::bitmap::Bitmap;

/// A filter of one bitmap, with its options.
#[derive(Clone, PartialEq)]
pub(crate) struct Stored {
    pub(crate) bitmap: Arc<Bitmap>,
    pub(crate) options: Options,
    /// The change that inserts make to the time to live.
    pub(crate) expiry: Expiry,
}

impl Stored {
    /// Returns an operation on this filter.
    pub(crate) fn call<T, F>(&self, work: impl FnOnce(Line, Self) -> F) -> Call<'static, T>
    where
        F: Future<Output = Result<T, Error>> + Send + 'static,
    {
        Call::new(|line| work(line, self.clone()))
    }
}

/// Implements the operations of a filter that has `stored`.
macro_rules! operations {
    ($filter:ident) => {
        /// Shows the parameters, and the first key.
        impl core::fmt::Debug for $filter {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                let Stored {
                    bitmap,
                    options,
                    expiry,
                } = &self.stored;
                f.debug_struct(stringify!($filter))
                    .field("key", &crate::names::display(bitmap.anchor()))
                    .field("schema", &bitmap.schema)
                    .field("options", options)
                    .field("expiry", expiry)
                    .finish_non_exhaustive()
            }
        }

        impl $filter {
            /// Returns the same filter with other options.
            #[must_use]
            pub fn with_options(mut self, options: crate::Options) -> Self {
                self.stored.options = options;
                self
            }

            /// Returns the size of the filter.
            #[must_use]
            pub fn schema(&self) -> &crate::Schema {
                &self.stored.bitmap.schema
            }

            /// Creates an empty filter with this time to live, unless there is one already; returns whether it was
            /// created. A filter must be created before the first insert unless a missing filter counts as empty
            /// ([`Missing::Empty`](crate::Missing::Empty)). [`Expiry::At`] needs Redis 6.2.
            ///
            /// Its strings get their full length: that of the bits and of a byte of zeros. No insert makes a string so
            /// long, so that a string of another length is not taken for the filter. The call fails with
            /// [`Malformed`](crate::ErrorKind::Malformed) when there is one, and with
            /// [`Missing`](crate::ErrorKind::Missing) when parts are lost and others are left:
            /// [`delete`](Self::delete), [`rebuild`](Self::rebuild) or [`upload`](Self::upload) the filter then.
            pub fn create(&self, expiry: Expiry) -> Call<'static, bool> {
                (self.stored).call(move |line, of| async move {
                    plan::lifetime::create(&line, &of.bitmap, expiry).await
                })
            }

            /// Sets the time to live of the filter.
            ///
            /// The call fails with [`Missing`](crate::ErrorKind::Missing) when the filter is not on the server.
            pub fn expire(&self, expiry: Expiry) -> Call<'static, ()> {
                self.stored.call(move |line, of| async move {
                    plan::lifetime::expire(&line, &of.bitmap, expiry, &of.options).await
                })
            }

            /// Queries one element, in one round trip.
            pub fn might_contain(&self, element: impl AsRef<[u8]>) -> Call<'static, Answer> {
                self.might_contain_many([element]).one()
            }

            /// Queries many elements, in one round trip for each
            /// [`bits_per_trip`](crate::Options::bits_per_trip) bits. The answers are in the order of the elements.
            pub fn might_contain_many(
                &self,
                elements: impl IntoIterator<Item: AsRef<[u8]>>,
            ) -> Call<'static, Vec<Answer>> {
                let hashes = hashes(elements);
                self.stored.call(move |line, of| async move {
                    plan::bits::contains(&line, &of.bitmap, &hashes, &of.options).await
                })
            }

            /// Inserts an element, in one round trip. Returns whether it was new; if so, it was certainly never
            /// inserted before.
            pub fn insert(&self, element: impl AsRef<[u8]>) -> Call<'static, bool> {
                self.insert_many([element]).one()
            }

            /// Inserts elements, in one round trip for each [`bits_per_trip`](crate::Options::bits_per_trip) bits.
            /// Returns whether each was new; an element that comes twice is new once.
            pub fn insert_many(
                &self,
                elements: impl IntoIterator<Item: AsRef<[u8]>>,
            ) -> Call<'static, Vec<bool>> {
                let hashes = hashes(elements);
                self.stored.call(move |line, of| async move {
                    plan::insert::insert(
                        &line,
                        &of.bitmap,
                        &hashes,
                        of.expiry.lifetime()?,
                        &of.options,
                    )
                    .await
                })
            }

            /// Returns statistics of the filter. The server counts the bits.
            pub fn statistics(&self) -> Call<'static, Statistics> {
                self.stored.call(|line, of| async move {
                    let bitmaps = core::slice::from_ref(&*of.bitmap);
                    plan::tally::statistics(&line, of.bitmap.anchor(), bitmaps, &of.options).await
                })
            }

            /// Begins a rebuild; see [`Rebuild`]. The new generation is deleted if nothing is inserted into it for the
            /// duration of the lease.
            ///
            /// The call fails with [`RebuildUnderWay`](crate::ErrorKind::RebuildUnderWay) when there is one already;
            /// [`abandon_rebuild`](Self::abandon_rebuild) ends one whose program has died.
            pub fn rebuild(&self, lease: core::time::Duration) -> Call<'static, Rebuild> {
                Rebuild::begin(self.stored.bitmap.clone(), lease, self.stored.options)
            }

            /// Abandons the rebuild under way, whoever began it; returns whether there was one. The filter stays
            /// unchanged, and later calls of the rebuild fail with [`Missing`](crate::ErrorKind::Missing).
            pub fn abandon_rebuild(&self) -> Call<'static, bool> {
                self.stored.call(|line, of| async move {
                    let name = |token| plan::generation::next(&of.bitmap, token).keys;
                    plan::generation::abandon_any(&line, of.bitmap.anchor(), name).await
                })
            }

            /// Replaces the filter on the server by one that was filled in memory: uploads it in chunks, then swaps the
            /// two in one step. This is the fastest way to load many elements. [`Schema`](crate::Schema) and
            /// [`Parameters`](guava_bloom::Parameters) convert into each other.
            ///
            /// The number of bits must be a multiple of 64, as in Guava ([`Schema::whole_words`](crate::Schema::whole_words)). The
            /// call fails with [`Incompatible`](crate::ErrorKind::Incompatible) otherwise, and when bits, probe count
            /// or strategy differ.
            pub fn upload<'a, F: Sync>(
                &self,
                filter: &'a guava_bloom::BloomFilter<F>,
                expiry: Expiry,
            ) -> Call<'a, ()> {
                Rebuild::replace(
                    self.stored.bitmap.clone(),
                    filter,
                    expiry,
                    self.stored.options,
                )
            }

            /// Downloads the filter's bits into memory, in chunks of 1 MiB. Elements inserted meanwhile may or may not
            /// be included.
            ///
            /// The call fails with [`Incompatible`](crate::ErrorKind::Incompatible) when the number of bits is not a
            /// multiple of 64; see [`upload`](Self::upload).
            pub fn download<F: Send + 'static>(
                &self,
                funnel: F,
            ) -> Call<'static, guava_bloom::BloomFilter<F>> {
                self.stored.call(|line, of| async move {
                    plan::transfer::download(&line, &of.bitmap, &of.options, funnel).await
                })
            }

            /// Merges other filters into this one on the server, which executes nothing else meanwhile. This needs
            /// scripts. In a cluster, all their keys must be in one slot.
            ///
            /// The call fails with [`Incompatible`](crate::ErrorKind::Incompatible) when they differ in bits, probe count or
            /// parts.
            pub fn merge<'f>(&self, from: impl IntoIterator<Item = &'f Self>) -> Call<'static, ()> {
                let from = from.into_iter().map(|filter| filter.stored.bitmap.clone());
                let from: Vec<_> = from.collect();
                self.stored.call(|line, of| async move {
                    plan::transfer::merge(&line, &of.bitmap, &from, &of.options).await
                })
            }

            /// Deletes the filter. Returns whether it existed. Its memory is freed in the background.
            pub fn delete(&self) -> Call<'static, bool> {
                self.stored.call(|line, of| async move {
                    let mut unlink = redis::cmd("UNLINK");
                    Ok(line.ask(unlink.arg(&of.bitmap.keys)).await?.count()? > 0)
                })
            }
        }
    };
}
pub(crate) use operations;
