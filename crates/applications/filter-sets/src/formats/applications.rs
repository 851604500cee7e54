//! The filters of `membership-filters` that are sized by a rate: Guava's stream, RedisBloom's chunks, and those in an
//! envelope.

use filter_policy::sizing::{Textbook, lowest_rate};
use membership_filters::backend::{AnyFunnel, Blocked, Bloom, Compatible, Counting, Cuckoo, Rotating};
use membership_filters::envelope::{self, Stored as _};
use membership_filters::guava::{self, Strategy, StreamHeader};
use membership_filters::{Bytes, Encoding, Filter, Parameters, Xxph3, redisbloom};
use membership_filters::{CountingBloomFilter, CuckooParameters, Generations, Hash128, HashId, Hashing};

use super::filters::wide;
use super::open_either;
use crate::bytes::FilterData;
use crate::error::Error;
use crate::format::{
    AnyFilling, AnyOpened, Filling, FormatOperations, Hasher, NO_BITS, Opened, Plan, Result, Size, Sizing,
    StoredFormat,
};

/// A format of the list.
pub(super) struct Application {
    /// The name, which is the short name as well.
    names: &'static [&'static str; 1],
    form: Recognition,
    /// Returns the size of a filter of so many keys and this rate.
    shape: fn(u64, f64) -> Result<FilterSize>,
    make: fn(HashId, u64, f64) -> Result<AnyFilling>,
    open: fn(HashId, &[u8]) -> Result<AnyOpened>,
}

/// The stored form of a filter, which tells how it is recognised and how keys are hashed.
enum Recognition {
    /// Guava's stream, whose header is known by its length.
    Guava,
    /// RedisBloom's chunks, one after the other, alone or in an envelope.
    RedisBloom,
    /// An envelope with these first bytes.
    Envelope([u8; 8]),
}

/// The size of a filter.
struct FilterSize {
    /// The length of the stored filter in bytes.
    bytes: u64,
    /// The bytes of it that grow with the keys.
    array: u64,
    probe_count: Option<u32>,
    /// Computes the rate with so many keys, which takes longer than to compute the size.
    rate: Rate,
}

type Rate = Box<dyn Fn(u64) -> f64>;

/// A filter that is sized by a rate and stored in an envelope.
trait SizedByRate: AnyFunnel {
    fn shape(parameters: &Self::Parameters) -> Result<FilterSize>;
}

impl SizedByRate for Bloom<Strategy> {
    fn shape(parameters: &guava::Parameters) -> Result<FilterSize> {
        Ok(of_guava(
            *parameters,
            parameters.bits() / 8,
            parameters.guava_len() + ENVELOPE,
        ))
    }
}

impl SizedByRate for Counting {
    fn shape(parameters: &guava::Parameters) -> Result<FilterSize> {
        let bytes = CountingBloomFilter::stored_len_of(parameters).map_err(Error::argument)?;
        Ok(of_guava(*parameters, parameters.bits() / 2, bytes))
    }
}

impl SizedByRate for Blocked {
    fn shape(parameters: &Parameters) -> Result<FilterSize> {
        Ok(FilterSize {
            bytes: parameters.stored_len(),
            array: parameters.memory_bytes(),
            probe_count: Some(parameters.probe_count()),
            rate: rate_of(*parameters, Parameters::rate_at),
        })
    }
}

impl SizedByRate for Cuckoo {
    fn shape(parameters: &CuckooParameters) -> Result<FilterSize> {
        Ok(FilterSize {
            bytes: parameters.stored_len(),
            array: parameters.memory_bytes(),
            probe_count: None,
            rate: rate_of(*parameters, CuckooParameters::rate_at),
        })
    }
}

/// All keys are in the newest generation.
impl<B: SizedByRate + Compatible> SizedByRate for Rotating<B> {
    fn shape(size: &Generations<B::Parameters>) -> Result<FilterSize> {
        let (count, each) = (u64::from(size.count), B::shape(&size.each)?);
        Ok(FilterSize {
            bytes: ENVELOPE + 16 + count * (each.bytes - ENVELOPE),
            array: count * each.array,
            ..each
        })
    }
}

/// Returns the shape of a filter with Guava's bits and probes, and this many bytes of them.
fn of_guava(parameters: guava::Parameters, array: u64, bytes: u64) -> FilterSize {
    FilterSize {
        bytes,
        array,
        probe_count: Some(parameters.probe_count()),
        rate: rate_of(parameters, guava::Parameters::rate_at),
    }
}

fn rate_of<P: 'static>(parameters: P, rate_at: fn(&P, u64) -> f64) -> Rate {
    Box::new(move |keys| rate_at(&parameters, keys))
}

/// Returns the format of filters in an envelope.
const fn enveloped<B: SizedByRate>(names: &'static [&'static str; 1]) -> Application
where
    Filter<B, HashId>: Filling + Opened,
{
    Application {
        names,
        form: Recognition::Envelope(B::MAGIC),
        shape: |keys, rate| B::shape(&B::sized(keys, rate).map_err(Error::argument)?),
        make: |id, keys, rate| {
            let filter = B::sized(keys, rate).and_then(|size| Filter::<B, _>::new(id, &size));
            Ok(Box::new(filter.map_err(Error::argument)?))
        },
        open: |id, bytes| {
            Ok(Box::new(
                Filter::<B, _>::from_bytes(bytes, id).map_err(Error::argument)?,
            ))
        },
    }
}

pub(super) static ALL: [Application; 7] = [
    Application {
        names: &["guava"],
        form: Recognition::Guava,
        shape: |keys, rate| {
            let parameters = guava::Parameters::new(keys, rate).map_err(Error::argument)?;
            Ok(of_guava(
                parameters,
                parameters.bits() / 8,
                parameters.guava_len(),
            ))
        },
        make: |_, keys, rate| {
            let filter = guava::BloomFilter::with_capacity(Bytes, keys, rate);
            Ok(Box::new(filter.map_err(Error::argument)?))
        },
        open: |_, bytes| {
            Ok(Box::new(
                guava::BloomFilter::from_guava(bytes, Bytes).map_err(Error::argument)?,
            ))
        },
    },
    enveloped::<Bloom<Strategy>>(&["guava-envelope"]),
    enveloped::<Blocked>(&["blocked"]),
    enveloped::<Counting>(&["counting"]),
    enveloped::<Cuckoo>(&["cuckoo"]),
    enveloped::<Rotating<Blocked>>(&["rotating"]),
    // Before it grows.
    Application {
        names: &["redisbloom"],
        form: Recognition::RedisBloom,
        shape: |keys, rate| {
            let link = redisbloom::Parameters::new(keys, rate)
                .first_link()
                .map_err(Error::argument)?;
            Ok(FilterSize {
                // With the header of a chain of one link.
                bytes: 73 + link.bits / 8,
                array: link.bits / 8,
                probe_count: Some(link.probe_count),
                rate: rate_of(link, redisbloom::Link::rate_at),
            })
        },
        make: |_, keys, rate| {
            let filter = redisbloom::BloomFilter::with_capacity(keys, rate);
            Ok(Box::new(filter.map_err(Error::argument)?))
        },
        open: |_, bytes| {
            let bare = redisbloom::BloomFilter::from_redisbloom;
            Ok(Box::new(open_either(bytes, redisbloom::RedisBytes, bare)?))
        },
    },
];

/// The bytes of an envelope around what is in it.
const ENVELOPE: u64 = envelope::HEADER_LEN + envelope::CHECKSUM_LEN;

impl Application {
    /// Returns the rate of the filter of this size.
    fn rate(&self, keys: u64, size: Size) -> Result<f64> {
        let shape = |rate| (self.shape)(keys, rate);
        match size {
            Size::Rate(rate) => Ok(rate),
            Size::BitsPerKey(bits) => {
                let best = Textbook::BEST.rate_at(bits).map_err(Error::argument)?;
                let most = bits * keys as f64 / 8.0;
                Ok(
                    lowest_rate(|rate| shape(rate).is_ok_and(|shape| shape.array as f64 <= most))
                        .unwrap_or(best),
                )
            }
            Size::Bytes(bytes) => {
                let lowest = lowest_rate(|rate| shape(rate).is_ok_and(|shape| shape.bytes <= bytes));
                lowest.ok_or_else(|| match shape(0.5) {
                    Ok(FilterSize { bytes: least, .. }) => Error::argument(format_args!(
                        "memory must be at least {least} bytes for this many keys, got {bytes}"
                    )),
                    Err(error) => error,
                })
            }
            Size::Bits(_) => Err(Error::argument(NO_BITS)),
        }
    }
}

impl FormatOperations for Application {
    fn name(&self) -> &'static str {
        self.names[0]
    }

    fn short_names(&self) -> &'static [&'static str] {
        self.names
    }

    fn has_commands(&self) -> bool {
        matches!(self.form, Recognition::RedisBloom)
    }

    fn recognise(&'static self, head: &[u8], len: u64) -> Option<StoredFormat> {
        let format = StoredFormat::of(self);
        let magic = match self.form {
            Recognition::Guava => {
                let header = StreamHeader::from_bytes(*head.first_chunk()?);
                let is_whole = header.validate().is_ok() && header.stream_len() == len;
                return is_whole.then_some(format);
            }
            Recognition::RedisBloom => {
                let number = |at| Some(u32::from_le_bytes(*head.get(at..)?.first_chunk()?));
                // The options, and links, of which each has 57 bytes at least.
                let is_whole = len >= 20 + u64::from(number(8)?) * 57;
                let is_enveloped = head.starts_with(&redisbloom::BloomFilter::MAGIC);
                let is_bare = is_whole && matches!(number(12)?, 4 | 5 | 12 | 13);
                return (is_enveloped || is_bare).then_some(format);
            }
            Recognition::Envelope(magic) => magic,
        };
        head.starts_with(&magic).then(|| match envelope::hash_id(head) {
            Ok(id) => format.encoding(id.encoding()),
            Err(_) => format,
        })
    }

    fn hasher(&self, _format: &StoredFormat) -> Result<Hasher> {
        Ok(Hasher {
            is_narrow: false,
            hash: match self.form {
                Recognition::RedisBloom => Box::new(|key| Some(wide(redisbloom::RedisBytes.hash_bytes(key)))),
                _ => Box::new(|key| Some(wide(Hash128::of(key)))),
            },
        })
    }

    fn plan(&self, format: &StoredFormat, keys: u64, capacity: Option<u64>, size: Size) -> Result<Plan> {
        let capacity = capacity.unwrap_or(keys).max(1);
        let rate = self.rate(capacity, size)?;
        let shape = (self.shape)(capacity, rate)?;
        let (make, id) = (self.make, Bytes.hash_id().with_encoding(format.encoding));
        Ok(Plan {
            sizing: Sizing {
                bytes: shape.bytes,
                bits_per_key: None,
                next_bits_per_key: None,
                probe_count: shape.probe_count,
                rate: (shape.rate)(keys.max(1)),
            },
            memory: shape.bytes,
            make: Box::new(move || make(id, capacity, rate)),
        })
    }

    fn open(&'static self, format: &StoredFormat, bytes: FilterData) -> Result<AnyOpened> {
        let Recognition::Envelope(_) = self.form else {
            return (self.open)(Bytes.hash_id(), bytes.as_ref());
        };
        let id = envelope::hash_id(bytes.as_ref()).map_err(Error::argument)?;
        let (ours, stored) = (format.encoding, id.encoding());
        // The fast hash has integers and bytes in one encoding.
        let is_number = id == Xxph3.hash_id() && [Encoding::INT64, Encoding::INT32].contains(&ours);
        if ours != stored && !is_number {
            return Err(Error::argument(format_args!(
                "the filter's keys must be {ours}, got {stored}"
            )));
        }
        (self.open)(id, bytes.as_ref())
    }
}
