//! The parameter record: what the filters under a prefix are, in words, on the server.

use core::fmt;
use core::str::FromStr;

use redis::cmd;

use crate::batch::Batch;
use crate::call::{Call, Line};
use crate::error::Error;
use crate::names::companion;
use crate::schema::Schema;

/// The designs of filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Design {
    /// One bitmap, its length not rounded: [`Fixed`](crate::Fixed).
    Fixed,
    /// Bitmaps behind a cursor: [`Growing`](crate::Growing).
    Growing,
    /// One bitmap in several keys: [`Split`](crate::Split).
    Split,
}

impl Design {
    /// The name in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Growing => "growing",
            Self::Split => "split",
        }
    }
}

/// What the filters under a prefix are. There is at most one record for a prefix, and a filter works without one; with one,
/// nobody opens it with other parameters by mistake.
///
/// The key is `bloom-redis:parameters:` and the prefix, in braces unless it holds some (`{NAME}` alone: behind another
/// colon), so that the record lies in the slot of the prefix; the value is one line of text:
///
/// ```
/// use bloom_redis::{Design, Record, Schema};
///
/// let record = Record::new(Design::Fixed, Schema::fixed(3_000, 0.03)?);
/// let text = "bloom-redis 1 design=fixed insertions=3000 fpp=0.03 bits=21895 probes=5 part_bits=21895";
/// assert_eq!(record.to_string(), text);
/// assert_eq!(text.parse(), Ok(record));
/// # Ok::<(), bloom_redis::SchemaError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    design: String,
    insertions: u64,
    fpp: f64,
    bits: u64,
    probes: u8,
    part_bits: u64,
}

/// What records begin with: the program, and the version of the record.
const HEAD: &str = "bloom-redis 1";

impl Record {
    /// The record of filters that lie in one key each.
    #[must_use]
    pub fn new(design: Design, schema: Schema) -> Self {
        Self::of_parts(design, schema, schema.bits())
    }

    pub(crate) fn of_parts(design: Design, schema: Schema, part_bits: u64) -> Self {
        Self {
            design: design.name().to_owned(),
            insertions: schema.insertions(),
            fpp: schema.fpp(),
            bits: schema.bits(),
            probes: schema.probes(),
            part_bits,
        }
    }

    /// The design's name: one of [`Design::name`], or that of a later version.
    #[must_use]
    pub fn design(&self) -> &str {
        &self.design
    }

    /// Insertions that the filters are meant for.
    #[must_use]
    pub const fn insertions(&self) -> u64 {
        self.insertions
    }

    /// Their false-positive probability.
    #[must_use]
    pub const fn fpp(&self) -> f64 {
        self.fpp
    }

    /// Bits of a bitmap.
    #[must_use]
    pub const fn bits(&self) -> u64 {
        self.bits
    }

    /// Bits that an element sets.
    #[must_use]
    pub const fn probes(&self) -> u8 {
        self.probes
    }

    /// Bits in one key.
    #[must_use]
    pub const fn part_bits(&self) -> u64 {
        self.part_bits
    }

    /// The key of the record of a prefix.
    #[must_use]
    pub fn key(prefix: &[u8]) -> Vec<u8> {
        companion("parameters", prefix)
    }

    /// Reads the record of a prefix, if there is one. The call fails with [`Error::Malformed`] when there is something
    /// else.
    pub fn read(prefix: impl AsRef<[u8]>) -> Call<'static, Option<Self>> {
        let key = Self::key(prefix.as_ref());
        Call::new(|line| async move { read(&line, &key).await })
    }

    fn fields(&self) -> [(&'static str, String); 6] {
        [
            ("design", self.design.clone()),
            ("insertions", self.insertions.to_string()),
            // The shortest text that reads back as the same number.
            ("fpp", self.fpp.to_string()),
            ("bits", self.bits.to_string()),
            ("probes", self.probes.to_string()),
            ("part_bits", self.part_bits.to_string()),
        ]
    }

    fn check(&self, key: &[u8], stored: &Self) -> Result<(), Error> {
        for ((what, given), (_, stored)) in self.fields().into_iter().zip(stored.fields()) {
            if stored != given {
                return Err(Error::Mismatch {
                    key: key.to_vec(),
                    what,
                    stored,
                    given,
                });
            }
        }
        Ok(())
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HEAD)?;
        self.fields()
            .iter()
            .try_for_each(|(name, value)| write!(f, " {name}={value}"))
    }
}

/// The text is no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a parameter record: `{HEAD} design=... insertions=...`")]
pub struct NoRecord;

impl FromStr for Record {
    type Err = NoRecord;

    fn from_str(text: &str) -> Result<Self, NoRecord> {
        fn field<T: FromStr>(words: &mut core::str::Split<'_, char>, name: &str) -> Result<T, NoRecord> {
            words
                .next()
                .and_then(|word| word.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
                .ok_or(NoRecord)
        }
        let words = text.strip_prefix(HEAD).and_then(|rest| rest.strip_prefix(' '));
        let mut words = words.ok_or(NoRecord)?.split(' ');
        let record = Self {
            design: field(&mut words, "design")?,
            insertions: field(&mut words, "insertions")?,
            fpp: field(&mut words, "fpp")?,
            bits: field(&mut words, "bits")?,
            probes: field(&mut words, "probes")?,
            part_bits: field(&mut words, "part_bits")?,
        };
        words.next().is_none().then_some(record).ok_or(NoRecord)
    }
}

async fn read(line: &Line, key: &[u8]) -> Result<Option<Record>, Error> {
    match line.ask(cmd("GET").arg(key)).await?.bytes()? {
        Some(text) => parse(key, &text).map(Some),
        None => Ok(None),
    }
}

fn parse(key: &[u8], text: &[u8]) -> Result<Record, Error> {
    /// Longest part of something else that an error repeats.
    const SHOWN: usize = 100;
    core::str::from_utf8(text)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| Error::Malformed {
            key: key.to_vec(),
            expected: "a parameter record",
            found: text[..text.len().min(SHOWN)].escape_ascii().to_string(),
        })
}

/// Compares the record of a prefix with what the caller has.
pub(crate) fn open(prefix: &[u8], record: Record) -> Call<'static, ()> {
    let key = Record::key(prefix);
    Call::new(|line| async move {
        match read(&line, &key).await? {
            Some(stored) => record.check(&key, &stored),
            None => Err(Error::Unrecorded { key }),
        }
    })
}

/// Writes the record of a prefix that has none, and compares in any case.
pub(crate) fn adopt(prefix: &[u8], record: Record) -> Call<'static, ()> {
    let key = Record::key(prefix);
    Call::new(|line| async move { write(&line, &key, &record).await })
}

pub(crate) async fn write(line: &Line, key: &[u8], record: &Record) -> Result<(), Error> {
    let mut batch = Batch::new();
    batch.add("SET").arg(key).arg(record.to_string()).arg("NX");
    batch.add("GET").arg(key);
    let mut replies = line.send(batch).await?;
    replies.value()?;
    match replies.bytes()? {
        Some(text) => record.check(key, &parse(key, &text)?),
        // Removed in between.
        None => Err(Error::Unrecorded { key: key.to_vec() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_is_no_record_is_refused() {
        let record = Record::new(Design::Growing, Schema::words(10_000, 0.0005).unwrap());
        let text = record.to_string();
        assert_eq!(text.parse(), Ok(record));
        for wrong in [
            String::new(),
            text.replacen('1', "2", 1),
            text.replace("bits=", "bit="),
            text.replace("probes=11", "probes=300"),
            format!("{text} "),
            format!("{text} more=1"),
        ] {
            assert_eq!(wrong.parse::<Record>(), Err(NoRecord), "{wrong}");
        }
    }

    #[test]
    fn a_mismatch_names_both_values() {
        let ours = Record::new(Design::Fixed, Schema::fixed(3_000, 0.03).unwrap());
        let theirs = Record::new(Design::Fixed, Schema::fixed(3_000, 0.01).unwrap());
        let error = ours.check(b"key", &theirs).unwrap_err();
        assert_eq!(
            error.to_string(),
            "key: fpp is 0.01 on the server, 0.03 was given"
        );
    }
}
