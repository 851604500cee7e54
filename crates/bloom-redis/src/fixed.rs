//! The fixed design: one bitmap, whose published length is not rounded to whole words.

use std::sync::Arc;

use crate::answer::Answer;
use crate::call::Call;
use crate::error::Error;
use crate::options::{Expiry, Options};
use crate::plan;
use crate::plan::bitmap::{Bitmap, hashes};
use crate::rebuild::Rebuild;
use crate::schema::{MARKED_BITS, Schema};
use crate::statistics::Statistics;
use crate::stored::{Stored, operations};

/// A filter in one bitmap: the published fixed design, for example for one filter per topic and day.
///
/// Filter `NAME` is the string `bf:NAME`. The offsets of an element are those of Guava's MURMUR128_MITZ_64 over its
/// bytes, modulo the bitmap's length. They equal those of the published program.
///
/// ```no_run
/// use std::time::Duration;
///
/// use bloom_redis::{Answer, Expiry, FixedFilter, Missing, Options, Schema};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut connection = redis::Client::open("redis://127.0.0.1/")?.get_connection()?;
/// // One filter per topic and day, which expires a day after the last insert.
/// let read = FixedFilter::new("topic_read:8839540:20190609", Schema::fixed(3_000, 0.03)?)?
///     .with_options(Options::default().missing(Missing::Empty))
///     .with_expiry(Expiry::After(Duration::from_secs(86_400)));
///
/// read.insert("76930242").query(&mut connection)?;
/// assert_eq!(read.might_contain("76930242").query(&mut connection)?, Answer::MightContain);
/// let tomorrow = read.named("topic_read:8839540:20190610");
/// assert_eq!(tomorrow.might_contain("76930242").query(&mut connection)?, Answer::Absent);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq)]
pub struct FixedFilter {
    prefix: Vec<u8>,
    name: Vec<u8>,
    stored: Stored,
}

operations!(FixedFilter);

impl FixedFilter {
    /// The published prefix.
    pub const PREFIX: &'static str = "bf:";

    /// Returns the filter of this name under the published prefix, with default options. The schema is usually
    /// [`Schema::fixed`]; with [`Schema::whole_words`] the bitmap can be exchanged with Guava's filters.
    ///
    /// # Errors
    ///
    /// [`TooLarge`](crate::ErrorKind::TooLarge) if the schema has more than 2^32 - 64 bits, the limit of a Redis
    /// string less the byte after the bits. Use a [`SplitFilter`](crate::SplitFilter) then.
    pub fn new(name: impl AsRef<[u8]>, schema: Schema) -> Result<Self, Error> {
        schema.check(MARKED_BITS)?;
        let stored = Stored {
            bitmap: Arc::new(Bitmap::whole(Vec::new(), schema, true)),
            options: Options::default(),
            expiry: Expiry::Keep,
        };
        let filter = Self {
            prefix: Self::PREFIX.into(),
            name: Vec::new(),
            stored,
        };
        Ok(filter.named(name))
    }

    /// Returns the same filter under another name.
    #[must_use]
    pub fn named(&self, name: impl AsRef<[u8]>) -> Self {
        let (prefix, name) = (self.prefix.clone(), name.as_ref().to_vec());
        let bitmap = Bitmap::whole([&prefix[..], &name].concat(), *self.schema(), true);
        let stored = Stored {
            bitmap: Arc::new(bitmap),
            ..self.stored
        };
        Self { prefix, name, stored }
    }

    /// Returns the same filter under another prefix, which may hold any bytes. A prefix with a hash tag (`{orders}:`)
    /// keeps all filters in one slot of a cluster; without a hash tag, filters are spread by their names.
    #[must_use]
    pub fn with_prefix(mut self, prefix: impl Into<Vec<u8>>) -> Self {
        self.prefix = prefix.into();
        let name = core::mem::take(&mut self.name);
        self.named(name)
    }

    /// Returns the same filter with this time to live, which each insert sets in one step with the bits;
    /// [`Expiry::Keep`] by default.
    #[must_use]
    pub fn with_expiry(mut self, expiry: Expiry) -> Self {
        self.stored.expiry = expiry;
        self
    }

    /// Returns the filter's key.
    ///
    /// In a cluster, operations on a key with a brace but no hash tag fail, because its companion keys lie in another
    /// slot.
    #[must_use]
    pub fn key(&self) -> &[u8] {
        self.stored.bitmap.anchor()
    }

    /// Returns the offsets of an element's bits, in the order in which they are tested.
    pub fn offsets(&self, element: impl AsRef<[u8]>) -> Vec<u64> {
        let hash = guava_bloom::Hash128::of(element.as_ref());
        self.schema().positions(hash).collect()
    }

    /// Gives the string of a filter that a published program made, or an insert with
    /// [`Missing::Empty`](crate::Missing::Empty), the full length that [`create`](Self::create) gives, which marks it as
    /// complete: by default a string of another length is an error. The published program goes on with it as before.
    /// This needs scripts.
    ///
    /// The call fails with [`Missing`](crate::ErrorKind::Missing) when there is no string, and with
    /// [`Malformed`](crate::ErrorKind::Malformed) when it is longer.
    pub fn write_marks(&self) -> Call<'static, ()> {
        self.stored
            .call(|line, of| async move { plan::lifetime::write_mark(&line, &of.bitmap, &of.options).await })
    }
}
