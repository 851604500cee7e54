//! The filters that writers of Parquet files make.

use filter_formats::parquet::{arrow_cpp_bytes, arrow_rs_bytes, expected_rate, parquet_java_bytes};
use records::number::grouped;
use serde::Serialize;

use crate::sizing::Question;

/// The filter of one writer.
#[derive(Debug, Serialize)]
pub(super) struct Written {
    writer: &'static str,
    /// The length of the bit set while values are inserted.
    bytes: u32,
    /// The expected rate with as many values as asked for.
    rate: f64,
}

/// The default limit of parquet-java, in bytes.
const JAVA_MOST: u32 = 1 << 20;

/// Returns the filters of all writers for a number of keys and a rate; none if the question does not give both.
pub(super) fn written(question: &Question) -> Vec<Written> {
    let (Some(keys), Some(rate)) = (question.keys, question.rate) else {
        return Vec::new();
    };
    [
        ("arrow-rs", arrow_rs_bytes(keys, rate)),
        ("Arrow C++ and pyarrow", arrow_cpp_bytes(keys, rate)),
        ("parquet-java", parquet_java_bytes(keys, rate, JAVA_MOST)),
    ]
    .into_iter()
    .filter_map(|(writer, bytes)| {
        let bytes = bytes.ok()?;
        let rate = expected_rate(keys, bytes);
        Some(Written { writer, bytes, rate })
    })
    .collect()
}

/// Describes the filters in a sentence; `share` formats a rate.
pub(super) fn note(written: &[Written], share: impl Fn(f64) -> String) -> Option<String> {
    let sizes: Vec<String> = written
        .iter()
        .map(|one| {
            format!(
                "{} {} bytes ({})",
                one.writer,
                grouped(one.bytes.into()),
                share(one.rate)
            )
        })
        .collect();
    (!sizes.is_empty()).then(|| {
        format!(
            "split-block: writers of Parquet files choose powers of two: {}. parquet-java's limit can be raised above \
             {} bytes; arrow-rs and Arrow C++ fold a filter that got fewer keys to a shorter one",
            sizes.join(", "),
            grouped(JAVA_MOST.into())
        )
    })
}
