//! The header of a filter's file, which `FORMAT.md` describes.

use hashzoo::xxh3_64;
use serde::Serialize;

use crate::error::{Error, ensure};
use crate::format::Size;
use crate::shard::{MAX_SHARDS, Shard};

/// The first bytes of every version, and the version.
const MAGIC: &[u8; 7] = b"filter/";
const VERSION: u8 = b'1';

/// The places of what is not a number.
const SHA256: usize = 48;
const FORMAT: usize = 80;
const KEY_KIND: usize = 176;
const CAPACITY: usize = 240;
const WANTED_RATE: usize = 245;
const CHECKSUM: usize = 248;

/// The header of a filter's file. It states the format of the filter, and the set of which it is a shard.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Header {
    /// The name of the format.
    pub format: String,
    /// The kind of key; see [`Builder::key_kind`](crate::Builder::key_kind).
    pub key_kind: String,
    /// The seed of the function that assigns keys to shards.
    pub seed: u64,
    /// The number of the shard, counted from 0.
    pub shard: u32,
    /// The number of shards of the set; a filter that is no shard is the only one.
    pub shards: u32,
    /// The length of the stored filter, which follows the header.
    pub bytes: u64,
    /// The number of different keys; an upper bound for a filter that was merged or [took keys](crate::StoredFilter::insert).
    pub keys: u64,
    /// The SHA-256 of the stored filter, in lower-case hexadecimal digits.
    pub sha256: String,
    /// The expected false-positive rate; none if the format has no formula.
    pub rate: Option<f64>,
    /// The number of keys that the filter was made for; none if nobody stated it, and of shards.
    pub capacity: Option<u64>,
    /// The false-positive rate that the filter was made for, as a header keeps it, with four digits; none if it follows from
    /// the size, or without a capacity.
    pub wanted_rate: Option<f64>,
}

impl Header {
    /// The length of a header in bytes.
    pub const LEN: usize = 256;

    /// The length of the longest [`key_kind`](Self::key_kind) in bytes.
    pub const MAX_KEY_KIND: usize = CAPACITY - KEY_KIND;

    /// The [`key_kind`](Self::key_kind) of a filter without keys whose kind its first key decides.
    pub const UNDECIDED: &'static str = "undecided";

    /// The [`key_kind`](Self::key_kind) of a filter that was read without a header and without a kind of key.
    pub const UNSTATED: &'static str = "unstated";

    /// The length of the longest name of a format.
    pub(crate) const MAX_FORMAT: usize = KEY_KIND - FORMAT;

    /// Returns true if a file with these first bytes begins with a header of some version. 7 bytes suffice.
    pub fn begins(head: &[u8]) -> bool {
        head.starts_with(MAGIC)
    }

    /// Returns true if these first bytes of a file, up to [`LEN`](Self::LEN), contain a header whose beginning was
    /// changed, or that follows other bytes. Such a file would deny keys if it were read as a filter.
    pub(crate) fn is_displaced(head: &[u8]) -> bool {
        let is_changed = head.first_chunk().is_some_and(|head: &[u8; Self::LEN]| {
            let mut whole = *head;
            whole[..MAGIC.len()].copy_from_slice(MAGIC);
            whole[CHECKSUM..] == checksum(&whole).to_le_bytes()
        });
        is_changed || head.windows(MAGIC.len()).any(|part| part == MAGIC)
    }

    /// States the number of keys that the filter was made for, if it is from 1 to 2^40 - 1, and the rate if that gives the size
    /// or is known.
    pub(crate) fn made_for(self, capacity: u64, size: Size) -> Self {
        let capacity = (1..1 << 40).contains(&capacity).then_some(capacity);
        let rate = match size {
            Size::Rate(rate) => Some(rate),
            _ => self.rate,
        };
        let wanted_rate = rate.and_then(|rate| short_rate(short(rate)));
        Self {
            capacity,
            wanted_rate: capacity.and(wanted_rate),
            ..self
        }
    }

    /// Returns the shard's entry in a manifest. The name has the number and a checksum of the header, so that no
    /// other contents ever have the name.
    pub(crate) fn entry(&self) -> Shard {
        Shard {
            file: format!(
                "shard-{:05}-{:016x}.filter",
                self.shard,
                checksum(&self.to_bytes())
            ),
            bytes: self.bytes,
            keys: self.keys,
            sha256: self.sha256.clone(),
            rate: self.rate,
        }
    }

    pub(crate) fn to_bytes(&self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        let mut put = |at: usize, part: &[u8]| bytes[at..at + part.len()].copy_from_slice(part);
        put(0, MAGIC);
        put(7, &[VERSION]);
        put(8, &self.bytes.to_le_bytes());
        put(16, &self.keys.to_le_bytes());
        put(24, &self.rate.unwrap_or(f64::NAN).to_bits().to_le_bytes());
        put(32, &self.seed.to_le_bytes());
        put(40, &self.shard.to_le_bytes());
        put(44, &self.shards.to_le_bytes());
        // Made of as many digits.
        put(SHA256, &hex::decode(&self.sha256).unwrap_or_default());
        put(FORMAT, self.format.as_bytes());
        put(KEY_KIND, self.key_kind.as_bytes());
        put(CAPACITY, &self.capacity.unwrap_or(0).to_le_bytes()[..5]);
        put(
            WANTED_RATE,
            &short(self.wanted_rate.unwrap_or(0.0)).to_le_bytes()[..3],
        );
        let sum = checksum(&bytes);
        bytes[CHECKSUM..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Reads what [`begins`](Self::begins) as a header.
    pub(crate) fn from_bytes(head: &[u8]) -> Result<Self, Error> {
        let version = char::from(head.get(MAGIC.len()).copied().unwrap_or_default());
        let known = char::from(VERSION);
        ensure(version == known, || {
            format!("the version of the header must be {known:?}, got {version:?}")
        })?;
        let Some(bytes) = head.first_chunk::<{ Self::LEN }>() else {
            let (all, got) = (Self::LEN, head.len());
            return Err(Error::argument(format_args!(
                "the header must have {all} bytes, got {got}"
            )));
        };
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|index| bytes[at + index]));
        let (sum, got) = (checksum(bytes), word(CHECKSUM));
        ensure(sum == got, || {
            format!("the header's checksum must be {sum:016x}, got {got:016x}")
        })?;
        let rate = f64::from_bits(word(24));
        let header = Self {
            format: text(&bytes[FORMAT..KEY_KIND])?,
            key_kind: text(&bytes[KEY_KIND..CAPACITY])?,
            seed: word(32),
            shard: word(40) as u32,
            shards: (word(40) >> 32) as u32,
            bytes: word(8),
            keys: word(16),
            sha256: hex::encode(&bytes[SHA256..FORMAT]),
            rate: (!rate.is_nan()).then_some(rate),
            capacity: Some(word(CAPACITY) & 0xff_ffff_ffff).filter(|&capacity| capacity > 0),
            wanted_rate: short_rate((word(CAPACITY) >> 40) as u32),
        };
        let Self { shard, shards, .. } = header;
        ensure(shard < shards && shards <= MAX_SHARDS, || {
            format!(
                "the number of shards must be above that of the shard and at most {MAX_SHARDS}, got {shards} and {shard}"
            )
        })?;
        header.entry().check()?;
        Ok(header)
    }

    /// Checks that this is the header that follows from the manifest. The error lists all differences.
    pub(crate) fn check_is(&self, expected: &Self) -> Result<(), Error> {
        let fields = |of: &Self| serde_json::to_value(of).map_err(Error::argument);
        let (got, expected) = (fields(self)?, fields(expected)?);
        let got = got.as_object().into_iter().flatten();
        let differing = got.filter(|(field, got)| expected[field.as_str()] != **got);
        let differing: Vec<_> = differing
            .map(|(field, got)| format!("{field} must be {}, got {got}", expected[field]))
            .collect();
        ensure(differing.is_empty(), || {
            format!("by the manifest, {} in the file's header", differing.join("; "))
        })
    }
}

/// Returns the first three bytes of a rate in single precision, rounded.
fn short(rate: f64) -> u32 {
    ((rate as f32).to_bits() + 0x80) >> 8
}

/// Returns the rate of which these are the first three bytes, if it is one.
fn short_rate(short: u32) -> Option<f64> {
    let rate = f64::from(f32::from_bits(short << 8));
    (rate > 0.0 && rate < 1.0).then_some(rate)
}

fn checksum(header: &[u8; Header::LEN]) -> u64 {
    xxh3_64(&header[..CHECKSUM], 0)
}

/// Checks that a kind of key can have this name.
pub(crate) fn check_key_kind(name: &str) -> Result<(), Error> {
    let most = Header::MAX_KEY_KIND;
    let is_visible = name.bytes().all(|byte| byte.is_ascii_graphic());
    ensure(is_visible && (1..=most).contains(&name.len()), || {
        format!("the kind of key must be 1 to {most} visible characters of ASCII, got {name:?}")
    })
}

/// Reads a text that zeros follow.
fn text(field: &[u8]) -> Result<String, Error> {
    let len = field.iter().position(|&byte| byte == 0).unwrap_or(field.len());
    let (text, rest) = field.split_at(len);
    let is_text = len > 0 && text.iter().all(u8::is_ascii_graphic) && rest.iter().all(|&byte| byte == 0);
    match String::from_utf8(text.to_vec()) {
        Ok(text) if is_text => Ok(text),
        _ => Err(Error::argument(format_args!(
            "names in the header must be visible characters of ASCII, got \"{}\"",
            field.escape_ascii()
        ))),
    }
}
