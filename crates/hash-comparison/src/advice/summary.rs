//! Summaries of datasets for the records.

use crate::keys::Dataset;
use crate::record::DatasetSummary;

/// Returns the summary of a dataset.
pub fn summarise(dataset: &Dataset) -> DatasetSummary {
    let keys = dataset.keys.len() as u64;
    let bytes = dataset.keys.total_bytes() as u64;
    let lengths = || dataset.keys.iter().map(|key| key.len() as u64);
    DatasetSummary {
        name: dataset.name.clone(),
        kind: dataset.kind,
        source: dataset.source.clone(),
        encoding: dataset.encoding.map(str::to_owned),
        keys,
        bytes,
        min_len: lengths().min().unwrap_or(0),
        max_len: lengths().max().unwrap_or(0),
        mean_len: bytes as f64 / keys.max(1) as f64,
        sha256: dataset.sha256.clone(),
        duplicates_dropped: dataset.duplicates_dropped,
    }
}
