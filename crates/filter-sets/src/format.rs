//! The stored formats by name: what a key becomes in each, and how large a filter is.

use filter_formats::BinaryFusePolicy;
use filter_formats::policies::{self, AnyPolicy, NamedPolicy};
use filter_formats::view::{FilterKind, FilterLayout, FilterView};
use filter_policy::{BitsPerKey, FilterPolicy as _, KeyHash};
use hashzoo::xxh3_64;
use membership_filters::{
    BlockedBloomFilter, BlockedParameters, CounterWidth, CountingBloomFilter, CuckooFilter, CuckooParameters,
    GrowingBloomFilter, GrowingParameters,
};
use membership_filters::{
    BloomFilter, Bytes, Encoding, Hash128, HashId, Hashing as _, Parameters, StreamHeader, envelope, spark,
};

use crate::elements::{Elements, hash_pair, hash128, text};
use crate::error::Error;
use crate::filling::{OfPolicy, Plan};

/// The seed of [`identity`], which no format and no shard function uses.
const IDENTITY_SEED: u64 = 0x6b65_7973;

/// Further short names of policies.
const ALIASES: [(&str, &str); 2] = [("fast-local-bloom", "rocksdb"), ("parquet", "split-block")];

/// The names of the formats that are no policies.
const STREAMS: [(&str, Kind); 9] = [
    ("guava", Kind::Guava),
    ("guava-envelope", Kind::GuavaEnvelope),
    ("spark-v1", Kind::Spark(spark::Version::V1)),
    ("spark-v2", Kind::Spark(spark::Version::V2 { seed: 0 })),
    ("spark", Kind::Spark(spark::Version::V2 { seed: 0 })),
    ("blocked", Kind::Blocked),
    ("counting", Kind::Counting),
    ("cuckoo", Kind::Cuckoo),
    ("growing", Kind::Growing),
];

/// The first bytes of the envelopes.
const MAGICS: [(&[u8; 8], &str); 5] = [
    (b"GBfilter", "guava-envelope"),
    (b"MFblocks", "blocked"),
    (b"MFcounts", "counting"),
    (b"MFcuckoo", "cuckoo"),
    (b"MFgrowth", "growing"),
];

/// A stored format of this project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Format {
    name: String,
    pub(crate) kind: Kind,
    encoding: Encoding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Policy,
    Guava,
    GuavaEnvelope,
    Spark(spark::Version),
    Blocked,
    Counting,
    Cuckoo,
    Growing,
}

/// The size of a filter, from which a builder derives it and its probes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Size {
    /// The smallest filter whose expected false-positive rate is at most this. (Spark's and Guava's formulas decide for
    /// theirs.)
    Rate(f64),
    /// This many bits for each key.
    BitsPerKey(f64),
    /// This many bits in all; only Spark's filters.
    Bits(u64),
}

/// The function that makes hash values of keys.
pub(crate) enum Hasher {
    Policy(AnyPolicy),
    Spark(i32),
    Bits128,
}

impl Format {
    /// Returns the format with this name: the name under which engines store a policy's filters, a short name, or the
    /// name of a stream.
    ///
    /// ```
    /// use filter_sets::Format;
    ///
    /// assert_eq!(Format::named("leveldb")?.name(), "leveldb.BuiltinBloomFilter2");
    /// assert_eq!(Format::named("spark")?.name(), "spark-v2");
    /// assert!(Format::named("bloom").unwrap_err().to_string().contains("leveldb, murmur2"));
    /// # Ok::<(), filter_sets::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Input`](crate::ErrorKind::Input) lists the names.
    pub fn named(name: &str) -> Result<Self, Error> {
        if let Some((_, kind)) = STREAMS.into_iter().find(|(known, _)| *known == name) {
            let name = if name == "spark" { "spark-v2" } else { name };
            return Ok(Self::new(name, kind));
        }
        let alias = ALIASES.iter().find(|(alias, _)| *alias == name);
        let short = alias.map_or(name, |(_, short)| short);
        let known = policies::ALL.iter().find(|policy| policy.short_name() == short);
        let policy = known.map_or(name, |known| known.name());
        match policies::by_name(policy, BitsPerKey::whole(10)) {
            Ok(_) => Ok(Self::new(policy, Kind::Policy)),
            Err(_) => Err(Error::input(format_args!(
                "the format must be one of {}, or a policy's name as engines store it, got {name:?}",
                Self::short_names().collect::<Vec<_>>().join(", ")
            ))),
        }
    }

    /// Returns the short names of all formats.
    pub fn short_names() -> impl Iterator<Item = &'static str> {
        let policies = policies::ALL.iter().map(NamedPolicy::short_name);
        let aliases = ALIASES.iter().map(|(alias, _)| *alias);
        policies
            .chain(aliases)
            .chain(STREAMS.iter().map(|(name, _)| *name))
    }

    /// Returns the format of a file of this length that begins with these bytes, if they tell it: streams of Guava and
    /// Spark, and the filters of `membership-filters`, with the encoding of their keys. 16 bytes suffice.
    pub fn of_prefix(head: &[u8], len: u64) -> Option<Self> {
        // Its header is long enough to tell a stream that was cut.
        if let Ok(header) = spark::StreamHeader::from_prefix(head) {
            let name = ["spark-v1", "spark-v2"][usize::from(header.version != spark::Version::V1)];
            return Some(Self::new(name, Kind::Spark(header.version)));
        }
        if let Some((_, name)) = MAGICS.iter().find(|(magic, _)| head.starts_with(*magic)) {
            let named = Self::named(name).ok()?;
            let id = envelope::hash_id(head);
            return Some(id.map_or(named.clone(), |id| named.with_encoding(id.encoding())));
        }
        let header = StreamHeader::from_bytes(*head.first_chunk()?);
        let is_guava = header.validate().is_ok() && header.stream_len() == len;
        is_guava.then(|| Self::new("guava", Kind::Guava))
    }

    /// Returns the format that the last bytes of a filter tell if it is not this policy's: those of a binary fuse filter fit
    /// no other length.
    pub(crate) fn other_by_end(&self, bytes: &[u8]) -> Option<Self> {
        let fuse = FilterLayout::BINARY_FUSE;
        let is_other = self.kind == Kind::Policy && policies::layout_of(self.name.as_bytes()) != Some(fuse);
        let is_fuse = FilterView::new(fuse, bytes).kind() == FilterKind::BINARY_FUSE;
        (is_other && is_fuse).then(|| Self::new(BinaryFusePolicy::NAME, Kind::Policy))
    }

    /// Returns true if these bytes, which tell another format, cannot be of this one. (The first bytes of a policy's filter
    /// may by chance be those of a short header.)
    pub(crate) fn contradicts(&self, told: &Self, bytes: &[u8]) -> bool {
        let is_whole = || match told.kind {
            Kind::Spark(_) => spark::StreamHeader::from_prefix(bytes)
                .is_ok_and(|header| header.stream_len() == bytes.len() as u64),
            _ => true,
        };
        // Others read their own headers.
        self.kind == Kind::Policy && is_whole()
    }

    fn new(name: &str, kind: Kind) -> Self {
        let (name, encoding) = (name.to_owned(), Encoding::BYTES);
        Self { name, kind, encoding }
    }

    /// Returns the format with the name that a header states, of a filter that begins with these bytes: they tell the
    /// encoding of the keys.
    pub(crate) fn stated(name: &str, head: &[u8]) -> Result<Self, Error> {
        let named = Self::named(name)?;
        let is_envelope = MAGICS.iter().any(|(_, format)| *format == named.name);
        let id = envelope::hash_id(head).ok().filter(|_| is_envelope);
        Ok(id.map_or(named.clone(), |id| named.with_encoding(id.encoding())))
    }

    /// Returns the format with another encoding of keys than [`Encoding::BYTES`]. Filters in an envelope have it in their
    /// headers: they are written with it, and only read if it is the same. The keys are given as bytes in this encoding.
    #[must_use]
    pub fn with_encoding(self, encoding: Encoding) -> Self {
        Self { encoding, ..self }
    }

    /// Returns the encoding of the keys.
    pub const fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns the hash of the keys of new filters in an envelope.
    fn hash_id(&self) -> HashId {
        Bytes.hash_id().with_encoding(self.encoding)
    }

    /// Returns the format with another seed of its hash.
    ///
    /// # Errors
    ///
    /// [`Input`](crate::ErrorKind::Input) unless the format is version 2 of Spark's.
    pub fn with_seed(mut self, seed: i32) -> Result<Self, Error> {
        match &mut self.kind {
            Kind::Spark(spark::Version::V2 { seed: old }) => *old = seed,
            _ => {
                return Err(Error::input(format_args!(
                    "{} has no seed; spark-v2 has",
                    self.name
                )));
            }
        }
        Ok(self)
    }

    /// Returns the name: of a policy, as engines store it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns true if the bytes of a filter tell the format.
    pub fn is_told_by_bytes(&self) -> bool {
        self.kind != Kind::Policy
    }

    /// Returns true if [`Size::Bits`] applies, and if a filter can be made for a given number of elements.
    pub(crate) const fn takes_bits(&self) -> bool {
        matches!(self.kind, Kind::Spark(_))
    }

    /// Returns the policy; `None` for the other formats.
    pub(crate) fn policy(&self, bits_per_key: BitsPerKey) -> Option<AnyPolicy> {
        let is_policy = self.kind == Kind::Policy;
        is_policy.then(|| policies::by_name(&self.name, bits_per_key).ok())?
    }

    pub(crate) fn hasher(&self) -> Result<Hasher, Error> {
        Ok(match self.kind {
            Kind::Policy => {
                let policy = self
                    .policy(BitsPerKey::whole(10))
                    .filter(|policy| policy.key_hash(b"").is_some());
                let refused = || {
                    Error::input(format_args!(
                        "{} can be asked, but not built: it has no hash values",
                        self.name
                    ))
                };
                Hasher::Policy(policy.ok_or_else(refused)?)
            }
            Kind::Spark(version) => Hasher::Spark(version.seed()),
            _ => Hasher::Bits128,
        })
    }

    /// Returns what the list says of a policy, also under a derived name.
    fn listed(&self) -> Option<&'static NamedPolicy> {
        let base = self.name.split(".Seed").next().unwrap_or_default();
        policies::ALL.iter().find(|policy| policy.name() == base)
    }

    /// Plans a filter for this many different keys, and of the size for `capacity` keys if that is given.
    pub(crate) fn plan(&self, keys: u64, capacity: Option<u64>, size: Size) -> Result<Plan, Error> {
        if self.kind == Kind::Policy {
            if capacity.is_some() {
                return Err(Error::input(format_args!(
                    "{} is sized by its keys alone: no capacity can be given",
                    self.name
                )));
            }
            return self.plan_policy(keys, size);
        }
        self.plan_elements(capacity.unwrap_or(keys).max(1), size)
            .map_err(Error::input)
    }

    fn plan_policy(&self, keys: u64, size: Size) -> Result<Plan, Error> {
        let refused = |reason: String| Error::input(format_args!("{}: {reason}", self.name));
        let sizes = self.listed().and_then(NamedPolicy::format);
        let bits_per_key = match (size, sizes) {
            (Size::BitsPerKey(bits), _) => BitsPerKey::fractional(bits).map_err(|e| refused(text(e)))?,
            (Size::Rate(rate), Some(sizes)) => sizes
                .bits_per_key_for_rate(keys.max(1), rate)
                .map_err(|e| refused(text(e)))?,
            (Size::Rate(_), None) => {
                return Err(refused(
                    "has no formula for its rate: give bits per key".to_owned(),
                ));
            }
            (Size::Bits(_), _) => return Err(refused("give bits per key, not bits".to_owned())),
        };
        let rate = sizes.and_then(|sizes| sizes.rate(keys, bits_per_key).ok());
        let policy = self.policy(bits_per_key);
        let policy = policy.ok_or_else(|| refused("is no policy".to_owned()))?;
        let function = policy.key_hash(b"").map(KeyHash::function);
        let function = function
            .ok_or_else(|| refused("can be asked, but not built: it has no hash values".to_owned()))?;
        let count = usize::try_from(keys).unwrap_or(usize::MAX);
        let len = policy.max_filter_len(count).map_err(|e| refused(text(e)))? as u64;
        let format = self.clone();
        let working = self.listed().map_or(0, NamedPolicy::building_bytes);
        Ok(Plan {
            memory: len.saturating_add(keys.saturating_mul(8 + working)),
            make: Box::new(move || {
                let policy = format.policy(bits_per_key).ok_or("is no policy")?;
                match function.bits() {
                    32 => OfPolicy::start(policy, function, keys, rate, |hash| (hash >> 64) as u32),
                    _ => OfPolicy::start(policy, function, keys, rate, |hash| hash as u64),
                }
            }),
        })
    }

    fn plan_elements(&self, keys: u64, size: Size) -> Result<Plan, String> {
        let id = self.hash_id();
        /// Makes the plan of parameters, the filter's length and its constructor.
        macro_rules! plan {
            ($parameters:expr, $memory:ident, $make:expr) => {{
                let parameters = $parameters.map_err(text)?;
                Plan {
                    memory: parameters.$memory(),
                    make: Box::new(move || Ok(Box::new($make(&parameters).map_err(text)?))),
                }
            }};
        }
        let rate = match size {
            Size::Rate(rate) => rate,
            // A Bloom filter's at the best number of probes.
            Size::BitsPerKey(bits) => (-bits * std::f64::consts::LN_2 * std::f64::consts::LN_2).exp(),
            Size::Bits(_) if self.takes_bits() => 0.5,
            Size::Bits(_) => return Err(format!("{}: give bits per key, not bits", self.name)),
        };
        Ok(match self.kind {
            Kind::Spark(version) => {
                let parameters = match size {
                    Size::Rate(rate) => spark::Parameters::new(keys, rate),
                    Size::BitsPerKey(bits) => {
                        spark::Parameters::with_bits(keys, (keys as f64 * bits).ceil() as u64)
                    }
                    Size::Bits(bits) => spark::Parameters::with_bits(keys, bits),
                };
                let parameters = parameters.map(|parameters| parameters.with_version(version));
                plan!(parameters, stream_len, spark::BloomFilter::new)
            }
            Kind::Blocked => {
                plan!(BlockedParameters::new(keys, rate), memory_bytes, |parameters| {
                    BlockedBloomFilter::new(id, parameters)
                })
            }
            Kind::Counting => {
                let parameters = Parameters::new(keys, rate).map_err(text)?;
                let width = CounterWidth::FOUR;
                let memory = CountingBloomFilter::stored_len_of(&parameters, width).map_err(text)?;
                let make = move || CountingBloomFilter::new(id, &parameters, width).map_err(text);
                Plan {
                    make: Box::new(move || Ok(Box::new(make()?))),
                    memory,
                }
            }
            Kind::Cuckoo => {
                plan!(CuckooParameters::new(keys, rate), memory_bytes, |parameters| {
                    CuckooFilter::new(id, parameters)
                })
            }
            Kind::Growing => {
                plan!(GrowingParameters::new(keys, rate), stored_len, |parameters| {
                    GrowingBloomFilter::new(id, parameters)
                })
            }
            Kind::GuavaEnvelope => {
                plan!(Parameters::new(keys, rate), stream_len, |parameters| {
                    BloomFilter::new(id, parameters)
                })
            }
            Kind::Guava | Kind::Policy => {
                plan!(Parameters::new(keys, rate), stream_len, |parameters| {
                    BloomFilter::new(Bytes, parameters)
                })
            }
        })
    }

    /// Reads a filter of a format that is no policy; `None` for a policy.
    pub(crate) fn read(&self, bytes: &[u8]) -> Result<Option<Box<dyn Elements>>, String> {
        let id = || {
            let id = envelope::hash_id(bytes).map_err(text)?;
            let (ours, stored) = (self.encoding, id.encoding());
            if ours == stored {
                return Ok(id);
            }
            Err(format!("the filter's keys must be {ours}, got {stored}"))
        };
        Ok(Some(match self.kind {
            Kind::Policy => return Ok(None),
            Kind::Guava => Box::new(BloomFilter::from_bytes(bytes, Bytes).map_err(text)?),
            Kind::GuavaEnvelope => {
                Box::new(envelope::from_bytes::<BloomFilter<_>>(bytes, id()?).map_err(text)?)
            }
            Kind::Spark(version) => {
                let filter = spark::BloomFilter::from_bytes(bytes).map_err(text)?;
                let number = filter.version().number();
                if number != version.number() {
                    let wanted = version.number();
                    return Err(format!(
                        "must be version {wanted} of Spark's stream, got version {number}"
                    ));
                }
                Box::new(filter)
            }
            Kind::Blocked => Box::new(BlockedBloomFilter::from_bytes(bytes, id()?).map_err(text)?),
            Kind::Counting => Box::new(CountingBloomFilter::from_bytes(bytes, id()?).map_err(text)?),
            Kind::Cuckoo => Box::new(CuckooFilter::from_bytes(bytes, id()?).map_err(text)?),
            Kind::Growing => Box::new(GrowingBloomFilter::from_bytes(bytes, id()?).map_err(text)?),
        }))
    }
}

impl Hasher {
    /// Returns true if a hash value takes up to 64 bits and is all that is known of a key.
    pub(crate) fn is_narrow(&self) -> bool {
        match self {
            Self::Policy(policy) => policy
                .key_hash(b"")
                .is_some_and(|hash| hash.function().bits() == 64),
            Self::Spark(_) => true,
            Self::Bits128 => false,
        }
    }

    /// Returns the hash value of a key. One of 32 bits has a second hash below it, because keys are counted, and two of
    /// 100,000 keys share 32 bits as often as not.
    #[inline]
    pub(crate) fn hash(&self, key: &[u8]) -> u128 {
        match self {
            Self::Policy(policy) => match policy.key_hash(key) {
                Some(hash) if hash.function().bits() == 64 => hash.value().into(),
                Some(hash) => u128::from(hash.value()) << 64 | u128::from(identity(key)),
                None => 0,
            },
            Self::Spark(seed) => hash_pair(key, *seed),
            Self::Bits128 => hash128(Hash128::of(key)),
        }
    }
}

fn identity(key: &[u8]) -> u64 {
    xxh3_64(key, IDENTITY_SEED)
}
