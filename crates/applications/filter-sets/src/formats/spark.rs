//! Spark's streams.

use membership_filters::envelope::{HEADER_LEN, Stored as _};
use membership_filters::spark::{BloomFilter, ItemBytes, Parameters, StreamHeader, Version};
use membership_filters::{Encoding, Hashing as _};

use super::open_either;
use crate::bytes::FilterData;
use crate::error::{Error, ensure};
use crate::format::{AnyOpened, FormatOperations, Hasher, Plan, Result, Size, Sizing, StoredFormat};

/// A format of the list: a version of the stream.
pub(super) struct Spark {
    version: Version,
    name: &'static str,
    short_names: &'static [&'static str],
}

pub(super) static ALL: [Spark; 2] = [
    Spark {
        version: Version::V1,
        name: "spark-v1",
        short_names: &["spark-v1"],
    },
    Spark {
        version: Version::V2 { seed: 0 },
        name: "spark-v2",
        short_names: &["spark-v2", "spark"],
    },
];

/// Refuses numbers of 32 bits, which Spark converts to 64 before it hashes them.
fn check_encoding(format: &StoredFormat) -> Result<()> {
    ensure(format.encoding != Encoding::INT32, || {
        "Spark hashes numbers of 32 bits as those of 64: keys must be of the type long, got int".to_owned()
    })
}

fn is_enveloped(bytes: &[u8]) -> bool {
    bytes.starts_with(&BloomFilter::MAGIC)
}

impl Spark {
    fn version(&self, format: &StoredFormat) -> Version {
        let seed = format.seed;
        match self.has_seed() {
            true => Version::V2 { seed },
            false => self.version,
        }
    }

    /// Reads a header of this version, of a stream or of one in an envelope.
    fn header(&self, head: &[u8]) -> Result<StreamHeader> {
        let start = usize::from(is_enveloped(head)) * HEADER_LEN as usize;
        let header =
            StreamHeader::from_prefix(head.get(start..).unwrap_or_default()).map_err(Error::argument)?;
        let (wanted, got) = (self.version.number(), header.version.number());
        ensure(wanted == got, || {
            format!("must be version {wanted} of Spark's stream, got version {got}")
        })?;
        Ok(header)
    }
}

impl FormatOperations for Spark {
    fn name(&self) -> &'static str {
        self.name
    }

    fn short_names(&self) -> &'static [&'static str] {
        self.short_names
    }

    fn has_seed(&self) -> bool {
        self.version != Version::V1
    }

    fn recognise(&'static self, head: &[u8], _len: u64) -> Option<StoredFormat> {
        // The header is long enough to recognise a truncated stream.
        let header = self.header(head).ok()?;
        let seed = header.version.seed();
        Some(StoredFormat {
            seed,
            ..StoredFormat::of(self)
        })
    }

    /// The first bytes of a policy's filter may by chance be those of a header.
    fn owns(&'static self, bytes: &[u8]) -> bool {
        self.header(bytes)
            .is_ok_and(|header| is_enveloped(bytes) || header.stream_len() == bytes.len() as u64)
    }

    fn hasher(&self, format: &StoredFormat) -> Result<Hasher> {
        let keys = ItemBytes { seed: format.seed };
        Ok(Hasher {
            is_narrow: true,
            hash: Box::new(move |key| Some(keys.hash_bytes(key).h1.into())),
        })
    }

    fn plan(&self, format: &StoredFormat, keys: u64, capacity: Option<u64>, size: Size) -> Result<Plan> {
        check_encoding(format)?;
        let capacity = capacity.unwrap_or(keys).max(1);
        let parameters = match size {
            Size::Rate(rate) => Parameters::new(capacity, rate),
            Size::BitsPerKey(bits) => Parameters::with_bits(capacity, (capacity as f64 * bits).ceil() as u64),
            Size::Bytes(bytes) => {
                let words = bytes.saturating_sub(self.version.header_len() as u64) / 8;
                let refused =
                    || Error::argument(format_args!("memory must be at least 24 bytes, got {bytes}"));
                let bits = words
                    .checked_mul(64)
                    .filter(|&bits| bits > 0)
                    .ok_or_else(refused)?;
                Parameters::with_bits(capacity, bits)
            }
            Size::Bits(bits) => Parameters::with_bits(capacity, bits),
        };
        let parameters = parameters.map_err(Error::argument)?.version(self.version(format));
        let (bytes, probes) = (parameters.spark_len(), parameters.probe_count());
        Ok(Plan {
            sizing: Sizing {
                bytes,
                bits_per_key: None,
                next_bits_per_key: None,
                probe_count: Some(probes),
                rate: parameters.rate_at(keys.max(1)),
            },
            memory: bytes,
            make: Box::new(move || Ok(Box::new(BloomFilter::new(&parameters).map_err(Error::argument)?))),
        })
    }

    fn open(&'static self, format: &StoredFormat, bytes: FilterData) -> Result<AnyOpened> {
        check_encoding(format)?;
        self.header(bytes.as_ref())?;
        let read = open_either(bytes.as_ref(), ItemBytes::default(), BloomFilter::from_spark);
        Ok(Box::new(read?))
    }
}
