//! Batches as comma-separated values.

use std::fmt::Write as _;

use crate::data::BITS_PER_KEY;
use crate::turns::Batch;

const HEADER: &str = "contender,form,version,task,key_lengths,filter_keys,bits_per_key,round,keys,ns";

/// One line a batch, header first.
pub(crate) fn csv(batches: &[Batch]) -> String {
    let mut text = format!("{HEADER}\n");
    for batch in batches {
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{BITS_PER_KEY},{},{},{}",
            batch.name,
            batch.form,
            batch.version,
            batch.task,
            batch.shape.name(),
            batch.size,
            batch.round,
            batch.keys,
            batch.ns
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Shape;

    #[test]
    fn lines_have_the_fields_of_the_header() {
        let batch = Batch {
            task: "absent",
            size: 32,
            shape: Shape::Mixed,
            name: "avx2",
            form: "slices",
            version: "0.1.0".to_owned(),
            round: 3,
            keys: 65_536,
            ns: 2_000,
        };
        let text = csv(&[batch]);
        let (header, line) = text.trim_end().split_once('\n').unwrap();
        assert_eq!(line.split(',').count(), header.split(',').count());
        assert_eq!(line, "avx2,slices,0.1.0,absent,4-40,32,10,3,65536,2000");
    }
}
