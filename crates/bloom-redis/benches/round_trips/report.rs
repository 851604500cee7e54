//! Batches as comma-separated values.

use std::fmt::Write as _;

use crate::rounds::Batch;

const HEADER: &str = "client,version,operation,bits,probes,batch,round,calls,yes,ns";

/// One line a batch, header first. No field holds what would need quoting.
pub(crate) fn csv(batches: &[Batch]) -> String {
    let mut text = format!("{HEADER}\n");
    for batch in batches {
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{},{},{}",
            batch.client,
            batch.version,
            batch.operation,
            batch.bits,
            batch.probes,
            batch.batch,
            batch.round,
            batch.calls,
            batch.yes,
            batch.ns
        );
    }
    text
}
