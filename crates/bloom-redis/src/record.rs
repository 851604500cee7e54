//! The parameter record: a description, on the server, of the filters under a prefix.

use core::fmt;
use core::str::FromStr;

use redis::cmd;

use crate::batch::Batch;
use crate::call::{Call, Line};
use crate::error::{Error, ErrorKind};
use crate::names::companion;
use crate::schema::Schema;

/// A design of filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Design {
    /// One bitmap in one key: [`FixedFilter`](crate::FixedFilter).
    Fixed,
    /// Bitmaps behind a cursor: [`GrowingFilter`](crate::GrowingFilter).
    Growing,
    /// One bitmap in several keys: [`SplitFilter`](crate::SplitFilter).
    Split,
}

impl Design {
    /// Returns the name in records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Growing => "growing",
            Self::Split => "split",
        }
    }
}

/// The parameters of the filters under a prefix, recorded on the server. A prefix has at most one record. A filter
/// works without a record, but with one, `open` detects a caller with other parameters.
///
/// The key is `bloom-redis:parameters:` followed by the prefix. To put the record in the slot of the prefix, a prefix
/// without braces is put in braces; `{NAME}` alone gets another colon in front. The value is one line of text:
///
/// ```
/// use bloom_redis::{Design, Record, Schema};
///
/// let record = Record::new(Design::Fixed, Schema::fixed(3_000, 0.03)?);
/// let text = "bloom-redis 1 design=fixed insertions=3000 fpp=0.03 bits=21895 probes=5 part_bits=21895";
/// assert_eq!(record.to_string(), text);
/// assert_eq!(text.parse(), Ok(record));
/// # Ok::<(), bloom_redis::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    design: String,
    insertions: u64,
    false_positive_rate: f64,
    bits: u64,
    probe_count: u8,
    part_bits: u64,
}

/// The beginning of a record: the program, and the version of the format.
const HEAD: &str = "bloom-redis 1";

impl Record {
    /// Returns the record of filters that are stored in one key each.
    #[must_use]
    pub fn new(design: Design, schema: Schema) -> Self {
        Self::of_parts(design, schema, schema.bits())
    }

    pub(crate) fn of_parts(design: Design, schema: Schema, part_bits: u64) -> Self {
        Self {
            design: design.name().to_owned(),
            insertions: schema.insertions(),
            false_positive_rate: schema.false_positive_rate(),
            bits: schema.bits(),
            probe_count: schema.probe_count(),
            part_bits,
        }
    }

    /// Returns the design's name: one of [`Design::name`], or that of a later version.
    #[must_use]
    pub fn design(&self) -> &str {
        &self.design
    }

    /// Returns the number of insertions that the filters are meant for.
    #[must_use]
    pub const fn insertions(&self) -> u64 {
        self.insertions
    }

    /// Returns the false-positive rate that the filters are meant for.
    #[must_use]
    pub const fn false_positive_rate(&self) -> f64 {
        self.false_positive_rate
    }

    /// Returns the bits of a bitmap.
    #[must_use]
    pub const fn bits(&self) -> u64 {
        self.bits
    }

    /// Returns the number of bits that an element sets.
    #[must_use]
    pub const fn probe_count(&self) -> u8 {
        self.probe_count
    }

    /// Returns the bits in one key.
    #[must_use]
    pub const fn part_bits(&self) -> u64 {
        self.part_bits
    }

    /// Returns the key of the record of a prefix.
    #[must_use]
    pub fn key(prefix: &[u8]) -> Vec<u8> {
        companion("parameters", prefix)
    }

    /// Reads the record of a prefix, if there is one. The call fails with [`ErrorKind::Malformed`] if the key holds
    /// anything else.
    pub fn read(prefix: impl AsRef<[u8]>) -> Call<'static, Option<Self>> {
        let key = Self::key(prefix.as_ref());
        Call::new(|line| async move { read(&line, &key).await })
    }

    fn fields(&self) -> [(&'static str, String); 6] {
        [
            ("design", self.design.clone()),
            ("insertions", self.insertions.to_string()),
            // The shortest text that reads back as the same number.
            ("fpp", self.false_positive_rate.to_string()),
            ("bits", self.bits.to_string()),
            ("probes", self.probe_count.to_string()),
            ("part_bits", self.part_bits.to_string()),
        ]
    }

    fn check(&self, key: &[u8], stored: &Self) -> Result<(), Error> {
        for ((what, given), (_, stored)) in self.fields().into_iter().zip(stored.fields()) {
            if stored != given {
                let what = format_args!("{what} must be {stored} as in the record, got {given}");
                return Err(Error::of_key(ErrorKind::Mismatch, key, what));
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

impl FromStr for Record {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let no_record = || {
            let range = format_args!("`{HEAD} design=... insertions=...`");
            Error::new(ErrorKind::Malformed, "a parameter record", range, text)
        };
        parse_fields(text).ok_or_else(no_record)
    }
}

fn parse_fields(text: &str) -> Option<Record> {
    fn field<T: FromStr>(words: &mut core::str::Split<'_, char>, name: &str) -> Option<T> {
        words.next()?.strip_prefix(name)?.strip_prefix('=')?.parse().ok()
    }
    let mut words = text.strip_prefix(HEAD)?.strip_prefix(' ')?.split(' ');
    let record = Record {
        design: field(&mut words, "design")?,
        insertions: field(&mut words, "insertions")?,
        false_positive_rate: field(&mut words, "fpp")?,
        bits: field(&mut words, "bits")?,
        probe_count: field(&mut words, "probes")?,
        part_bits: field(&mut words, "part_bits")?,
    };
    words.next().is_none().then_some(record)
}

fn unrecorded(key: &[u8]) -> Error {
    let what = "no parameter record; adopt the filter";
    Error::of_key(ErrorKind::Unrecorded, key, what)
}

async fn read(line: &Line, key: &[u8]) -> Result<Option<Record>, Error> {
    match line.ask(cmd("GET").arg(key)).await?.bytes()? {
        Some(text) => parse(key, &text).map(Some),
        None => Ok(None),
    }
}

fn parse(key: &[u8], text: &[u8]) -> Result<Record, Error> {
    let record = core::str::from_utf8(text).ok().and_then(parse_fields);
    record.ok_or_else(|| Error::malformed(key, "a parameter record", text))
}

/// Checks the caller's parameters against the record of a prefix.
pub(crate) fn open(prefix: &[u8], record: Record) -> Call<'static, ()> {
    let key = Record::key(prefix);
    Call::new(|line| async move {
        match read(&line, &key).await? {
            Some(stored) => record.check(&key, &stored),
            None => Err(unrecorded(&key)),
        }
    })
}

/// Writes the record of a prefix if there is none, and checks the caller's parameters against it.
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
        None => Err(unrecorded(key)),
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
            assert_eq!(
                wrong.parse::<Record>().unwrap_err().kind(),
                ErrorKind::Malformed,
                "{wrong}"
            );
        }
    }

    #[test]
    fn a_mismatch_names_both_values() {
        let ours = Record::new(Design::Fixed, Schema::fixed(3_000, 0.03).unwrap());
        let theirs = Record::new(Design::Fixed, Schema::fixed(3_000, 0.01).unwrap());
        let error = ours.check(b"key", &theirs).unwrap_err();
        assert_eq!(
            error.to_string(),
            "key: fpp must be 0.01 as in the record, got 0.03"
        );
    }
}
