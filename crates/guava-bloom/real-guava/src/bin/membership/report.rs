//! Batches as comma-separated values.

use std::fmt::Write as _;

use crate::plan::Contents;
use crate::rounds::{Batch, Operation};

const HEADER: &str =
    "filter,version,setup,bits,insertions,contents,bit_size,probes,operation,round,calls,yes,ns";

const fn contents_name(contents: Contents) -> &'static str {
    match contents {
        Contents::Keys => "keys",
        Contents::RandomWords => "random-words",
    }
}

const fn operation_name(operation: Operation) -> &'static str {
    match operation {
        Operation::Put => "put",
        Operation::Absent => "absent",
        Operation::Present => "present",
    }
}

/// One line a batch, header first.
pub(crate) fn csv(batches: &[Batch]) -> String {
    let mut text = format!("{HEADER}\n");
    for batch in batches {
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{},{},{},{},{},{}",
            batch.description.filter,
            field(&batch.description.version),
            field(&batch.description.setup),
            batch.bits,
            batch.insertions,
            contents_name(batch.contents),
            batch.bit_size,
            batch.probes,
            operation_name(batch.operation),
            batch.round,
            batch.calls,
            batch.timed.yes,
            batch.timed.ns
        );
    }
    text
}

/// A text as a field (RFC 4180): it comes from the Java process, and may hold anything.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contestants::{Description, Timed};

    #[test]
    fn lines_have_the_fields_of_the_header() {
        let batch = Batch {
            description: Description {
                filter: "guava",
                version: "31.1-jre".to_owned(),
                setup: "a, \"b\"".to_owned(),
            },
            bits: 10_000,
            insertions: 1_043,
            contents: Contents::RandomWords,
            bit_size: 10_048,
            probes: 7,
            operation: Operation::Absent,
            round: 3,
            calls: 100,
            timed: Timed { ns: 2_000, yes: 1 },
        };
        let text = csv(&[batch]);
        let (header, line) = text.trim_end().split_once('\n').unwrap();
        assert_eq!(header.split(',').count(), 13);
        assert_eq!(
            line,
            "guava,31.1-jre,\"a, \"\"b\"\"\",10000,1043,random-words,10048,7,absent,3,100,1,2000"
        );
    }
}
