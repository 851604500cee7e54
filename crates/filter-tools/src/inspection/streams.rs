//! Inspects the streams of Guava's and Spark's Bloom filters. Never writes to a file.
//!
//! Reads a stream in pieces, so that memory does not depend on what its header says.

use std::f64::consts::LN_2;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use membership_filters::StreamHeader;
use membership_filters::spark::{self, MAX_DATA_FRAME_BITS, MAX_DATA_FRAME_ITEMS};
use serde::Serialize;
use statistics::significant;

/// The length of the pieces in which a stream is read.
const PIECE: usize = 64 << 10;

/// A report on one stream.
#[derive(Debug, Serialize)]
pub(crate) struct StreamReport {
    /// The path of the file. Bytes that are not text are replaced.
    pub(crate) path: String,
    #[serde(flatten)]
    pub(crate) writer: Writer,
    /// The size of the file.
    pub(crate) bytes: u64,
    pub(crate) bits: u64,
    pub(crate) probes: u32,
    pub(crate) ones: u64,
    /// The share of ones.
    pub(crate) fill: f64,
    /// The number of different elements that the ones suggest; none if all bits are set.
    pub(crate) elements: Option<u64>,
    /// The probability that an absent element matches.
    pub(crate) false_positive_rate: f64,
    /// The number of elements for which the probe count is right.
    pub(crate) fitting_elements: u64,
    /// The probe count that fits the elements, and the rate that it would give, if it is smaller and the rate is lower.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) better: Option<Better>,
    /// Set if the size and the probe count are those to which Spark cuts the filters of data frames.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) capped_by_spark: bool,
    /// A description of the damage.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) damage: Option<String>,
}

/// The program that writes a stream, and its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "stream")]
pub(crate) enum Writer {
    Guava { strategy: &'static str },
    Spark { version: u32, seed: i32 },
}

/// A probe count that fits the elements of a filter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Better {
    pub(crate) probes: u32,
    pub(crate) false_positive_rate: f64,
}

/// Inspects a file; returns `None` if it is no stream.
///
/// # Errors
///
/// If the file cannot be read.
pub(crate) fn inspect(path: &Path) -> Option<Result<StreamReport, String>> {
    // Opening a pipe would wait for its writer.
    if !fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return None;
    }
    let read = || {
        let mut file = File::open(path)?;
        let bytes = file.metadata()?.len();
        let mut head = Vec::new();
        (&mut file)
            .take(spark::StreamHeader::MAX_LEN as u64)
            .read_to_end(&mut head)?;
        match Header::of(&head, bytes) {
            Some(header) => header.report(path, &head, bytes, &mut file).map(Some),
            None => Ok(None),
        }
    };
    read()
        .map_err(|error: io::Error| format!("{}: {error}", super::shown(path)))
        .transpose()
}

/// The fields of a stream's header.
struct Header {
    writer: Writer,
    len: usize,
    stream_len: u64,
    probes: u32,
    words: u32,
}

impl Header {
    /// Decodes the header of a file of this length. Guava's is too short to tell a stream from other files, so its
    /// length must be right; Spark's may be cut.
    fn of(head: &[u8], bytes: u64) -> Option<Self> {
        if let Ok(header) = spark::StreamHeader::from_prefix(head) {
            let (version, seed) = (header.version.number(), header.version.seed());
            return Some(Self {
                writer: Writer::Spark { version, seed },
                len: header.version.header_len(),
                stream_len: header.stream_len(),
                probes: header.probe_count,
                words: header.word_count,
            });
        }
        let header = StreamHeader::from_bytes(*head.first_chunk()?);
        let (strategy, words) = header.validate().ok()?;
        (header.stream_len() == bytes).then_some(Self {
            writer: Writer::Guava {
                strategy: strategy.name(),
            },
            len: StreamHeader::LEN,
            stream_len: bytes,
            probes: header.probe_count.into(),
            words,
        })
    }

    /// Counts the ones of the words, whose first bytes are in `head`.
    fn report(&self, path: &Path, head: &[u8], bytes: u64, file: &mut File) -> io::Result<StreamReport> {
        let ones_of = |bytes: &[u8]| bytes.iter().map(|byte| u64::from(byte.count_ones())).sum::<u64>();
        let first = head.get(self.len..).unwrap_or_default();
        let mut ones = ones_of(first);
        let mut left = (self.stream_len - self.len as u64).saturating_sub(first.len() as u64);
        let mut piece = vec![0; PIECE];
        while left > 0 {
            let wanted = usize::try_from(left).map_or(PIECE, |left| left.min(PIECE));
            let read = file.read(&mut piece[..wanted])?;
            if read == 0 {
                break;
            }
            ones += ones_of(&piece[..read]);
            left -= read as u64;
        }
        let damage = (bytes != self.stream_len).then(|| {
            let stream_len = self.stream_len;
            format!("the length in bytes must be {stream_len}, got {bytes}")
        });
        Ok(self.derive(super::shown(path), bytes, ones, damage))
    }

    fn derive(&self, path: String, bytes: u64, ones: u64, damage: Option<String>) -> StreamReport {
        let bits = u64::from(self.words) * 64;
        let fill = ones as f64 / bits as f64;
        let load = -libm::log1p(-fill) * bits as f64 / f64::from(self.probes);
        let rate = libm::pow(fill, self.probes.into());
        let fitting = bits as f64 * LN_2 / f64::from(self.probes);
        let is_spark = matches!(self.writer, Writer::Spark { .. });
        let cap = (MAX_DATA_FRAME_BITS as f64 / MAX_DATA_FRAME_ITEMS as f64 * LN_2).round();
        StreamReport {
            path,
            writer: self.writer,
            bytes,
            bits,
            probes: self.probes,
            ones,
            fill: significant::round(fill),
            elements: (fill < 1.0).then_some(load.round() as u64),
            false_positive_rate: significant::round(rate),
            fitting_elements: fitting.round() as u64,
            better: (fill < 1.0)
                .then(|| self.better(bits as f64, load, rate))
                .flatten(),
            capped_by_spark: is_spark && bits == MAX_DATA_FRAME_BITS && f64::from(self.probes) == cap,
            damage,
        }
    }

    /// Returns the probe count for this many elements, if the rate would be lower by a tenth.
    fn better(&self, bits: f64, elements: f64, rate: f64) -> Option<Better> {
        let probes = (bits / elements * LN_2).round().max(1.0);
        let better = libm::pow(-libm::expm1(-probes * elements / bits), probes);
        (probes < f64::from(self.probes) && better < 0.9 * rate).then_some(Better {
            probes: probes as u32,
            false_positive_rate: significant::round(better),
        })
    }
}

#[cfg(test)]
mod tests {
    use membership_filters::spark::Version;
    use membership_filters::{BloomFilter, Parameters, Utf8};

    use super::*;

    fn report(bytes: &[u8]) -> Option<StreamReport> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), bytes).unwrap();
        inspect(file.path()).transpose().unwrap()
    }

    #[test]
    fn figures_are_those_of_the_filters() {
        let mut guava = BloomFilter::new(Utf8, &Parameters::new(20_000, 0.01).unwrap()).unwrap();
        let parameters = spark::Parameters::new(20_000, 0.01).unwrap();
        for version in [Version::V1, Version::V2 { seed: -7 }] {
            let mut spark = spark::BloomFilter::new(&parameters.with_version(version)).unwrap();
            for id in 0..20_000 {
                guava.insert(&format!("user-{id}"));
                spark.insert(&i64::from(id));
            }
            let shown = report(&spark.to_bytes()).unwrap();
            let (version, seed) = (version.number(), version.seed());
            assert_eq!(shown.writer, Writer::Spark { version, seed });
            assert_eq!((shown.bits, shown.ones), (spark.bits(), spark.ones()));
            assert_eq!(shown.elements, spark.estimated_len());
            let rate = significant::round(spark.false_positive_rate());
            assert_eq!(shown.false_positive_rate, rate);
            assert!(!shown.capped_by_spark && shown.better.is_none() && shown.damage.is_none());
        }
        let shown = report(&guava.to_bytes()).unwrap();
        let strategy = "MURMUR128_MITZ_64";
        assert_eq!(shown.writer, Writer::Guava { strategy });
        assert_eq!(
            (shown.ones, shown.elements),
            (guava.ones(), guava.estimated_len())
        );
    }

    #[test]
    fn a_probe_count_that_does_not_fit_is_told() {
        // The ones that 20 million elements leave in Spark's largest filter of a data frame, without filling it.
        let header = Header {
            writer: Writer::Spark { version: 2, seed: 0 },
            len: 16,
            stream_len: 8_388_624,
            probes: 12,
            words: 1 << 20,
        };
        let ones = (67_108_864.0 * -f64::exp_m1(-12.0 * 20e6 / 67_108_864.0)) as u64;
        let shown = header.derive(String::new(), 8_388_624, ones, None);
        assert!(shown.capped_by_spark);
        assert_eq!(shown.elements, Some(20_000_000));
        assert_eq!(shown.fitting_elements, 3_876_360);
        assert!((shown.false_positive_rate - 0.71).abs() < 0.01, "{shown:?}");
        let better = shown.better.unwrap();
        assert_eq!(better.probes, 2);
        assert!((better.false_positive_rate - 0.20).abs() < 0.01, "{better:?}");
    }

    #[test]
    fn streams_are_told_from_other_files() {
        let spark = spark::BloomFilter::new(&spark::Parameters::new(100, 0.01).unwrap()).unwrap();
        let mut bytes = spark.to_bytes();
        bytes.pop();
        let damage = report(&bytes).unwrap().damage.unwrap();
        assert_eq!(damage, "the length in bytes must be 136, got 135");
        let guava = BloomFilter::new(Utf8, &Parameters::new(100, 0.01).unwrap()).unwrap();
        let mut bytes = guava.to_bytes();
        bytes.pop();
        for other in [&bytes[..], b"", b"\0\0\0\x03", &[0; 100], b"PAR1"] {
            assert!(report(other).is_none(), "{other:?}");
        }
    }
}
