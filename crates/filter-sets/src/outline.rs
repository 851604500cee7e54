//! The part of a stored filter that answers for a key, for filters that are kept where a few bytes are read at a time.

use filter_formats::policies::{self, AnyPolicy};
use filter_formats::view::places::{self, Places};
use filter_policy::{BitsPerKey, FilterPolicy as _};
use membership_filters::spark;
use membership_filters::{Hash128, Modulus, Strategy, StreamHeader};

use crate::error::Error;
use crate::format::{Format, Kind};

/// The number of a filter's first bytes, and of its last, that suffice for [`Format::outline`].
pub const ENDS: usize = places::TAIL_LEN;

/// The most probes of a filter that is asked bit by bit: a stored number must not take any amount of memory.
const MAX_PROBES: u32 = 1 << 16;

/// The form of a stored filter, without its bits: tells which of them answer for a key.
pub struct Outline(Form);

enum Form {
    Policy(AnyPolicy, places::Outline),
    Guava {
        strategy: Strategy,
        probes: u8,
        bits: Modulus,
    },
    Spark {
        header: spark::StreamHeader,
        bits: Modulus,
    },
}

impl Format {
    /// Returns the form of a filter of this length with these first and last bytes: [`ENDS`] of each, or all if it has
    /// fewer.
    ///
    /// ```
    /// use filter_formats::view::places::Places;
    /// use filter_sets::Format;
    ///
    /// let format = Format::named("split-block")?;
    /// let outline = format.outline(64, &[0; 16], &[0; 16])?;
    /// let Places::Bytes(block) = outline.places(b"apple") else { panic!("a block") };
    /// assert!(block == [0..32] || block == [32..64]);
    /// // No bit is set.
    /// assert!(!outline.may_contain(b"apple", &[0; 32]));
    /// # Ok::<(), filter_sets::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Input`](crate::ErrorKind::Input) for a format of which an answer takes more than a few bytes, and for bytes that
    /// begin no filter of this length.
    pub fn outline(&self, len: u64, head: &[u8], tail: &[u8]) -> Result<Outline, Error> {
        let wrong = |reason: &dyn std::fmt::Display| Error::input(format_args!("{}: {reason}", self.name()));
        let of_words = |words: u32, stream_len: u64| {
            let bits = Modulus::new(u64::from(words) * 64).filter(|_| stream_len == len);
            bits.ok_or_else(|| {
                wrong(&format_args!(
                    "the length must be {stream_len} by its header, got {len}"
                ))
            })
        };
        Ok(Outline(match self.kind {
            Kind::Guava => {
                let header = head.first_chunk().copied().map(StreamHeader::from_bytes);
                let header = header.ok_or_else(|| wrong(&"the header is cut"))?;
                let (strategy, words) = header.validate().map_err(|error| wrong(&error))?;
                Form::Guava {
                    strategy,
                    probes: header.probe_count,
                    bits: of_words(words, header.stream_len())?,
                }
            }
            Kind::Spark(version) => {
                let header = spark::StreamHeader::from_prefix(head).map_err(|error| wrong(&error))?;
                if header.version.number() != version.number() {
                    return Err(wrong(&format_args!(
                        "the version must be {}, got {}",
                        version.number(),
                        header.version.number()
                    )));
                }
                if header.probe_count > MAX_PROBES {
                    let got = header.probe_count;
                    return Err(wrong(&format_args!(
                        "the probe count must be at most {MAX_PROBES}, got {got}"
                    )));
                }
                let bits = of_words(header.word_count, header.stream_len())?;
                Form::Spark { header, bits }
            }
            _ => {
                let layout = policies::layout_of(self.name().as_bytes());
                let policy = self
                    .policy(BitsPerKey::whole(10))
                    .filter(|policy| policy.key_hash(b"").is_some());
                let form = layout.and_then(|layout| places::Outline::new(layout, len, tail));
                let (policy, form) = policy.zip(form).ok_or_else(|| {
                    wrong(
                        &"an answer takes more than a few bytes of the filter; build the set as one of \
                          leveldb, murmur2, bloom64, rocksdb, rocksdb-legacy, split-block, split-block-xxph3, \
                          binaryfuse, guava, spark-v1, spark-v2",
                    )
                })?;
                Form::Policy(policy, form)
            }
        }))
    }
}

impl Outline {
    /// Returns what of the filter answers for a key.
    pub fn places(&self, key: &[u8]) -> Places {
        match &self.0 {
            Form::Policy(policy, form) => match policy.key_hash(key) {
                Some(hash) => form.places(hash),
                None => Places::Same(true),
            },
            Form::Guava {
                strategy,
                probes,
                bits,
            } => {
                let positions = strategy.positions(Hash128::of(key), *probes, *bits);
                Places::Bits(positions.map(|bit| in_words(StreamHeader::LEN, bit)).collect())
            }
            Form::Spark { header, bits } => {
                let version = header.version;
                let mut positions = version.positions(key, header.probe_count, *bits);
                for bit in &mut positions {
                    *bit = in_words(version.header_len(), *bit);
                }
                Places::Bits(positions)
            }
        }
    }

    /// Answers for a key from the bytes of its [`places`](Self::places), one range after the other; false is certain.
    #[must_use]
    pub fn may_contain(&self, key: &[u8], bytes: &[u8]) -> bool {
        match &self.0 {
            Form::Policy(policy, form) => policy
                .key_hash(key)
                .is_none_or(|hash| form.may_match(hash, bytes)),
            _ => true,
        }
    }
}

impl std::fmt::Debug for Outline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outline").finish_non_exhaustive()
    }
}

/// Returns the place in a stream, whose big-endian words of 64 bits begin after this many bytes, of a bit of the filter.
const fn in_words(header: usize, bit: u64) -> u64 {
    // The bytes of a word are turned around, the bits of a byte are not.
    header as u64 * 8 + (bit ^ 56)
}
