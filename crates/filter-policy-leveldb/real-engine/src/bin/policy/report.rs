//! Batches as comma-separated values.

use std::fmt::Write as _;

use crate::contenders::BITS_PER_KEY;
use crate::rounds::Batch;

const HEADER: &str = "leveldb_version,task,filter_keys,key_lengths,bits_per_key,contender,form,round,keys,ns";

/// One line a batch, header first.
pub(crate) fn csv(batches: &[Batch], version: &str) -> String {
    let mut text = format!("{HEADER}\n");
    for batch in batches {
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{version},{},{},{},{BITS_PER_KEY},{},{},{},{},{}",
            batch.task,
            batch.size,
            batch.shape.name(),
            batch.name,
            batch.form,
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
    use crate::rounds;

    #[test]
    fn lines_have_the_fields_of_the_header() {
        let batch = Batch {
            task: "absent",
            size: 32,
            shape: Shape::Mixed,
            name: "avx2",
            form: "slices",
            round: 3,
            keys: 65_536,
            ns: 2_000,
        };
        let text = csv(&[batch], "1.23");
        let (header, line) = text.trim_end().split_once('\n').unwrap();
        assert_eq!(line.split(',').count(), header.split(',').count());
        assert_eq!(line, "1.23,absent,32,4 to 40 bytes,10,avx2,slices,3,65536,2000");
    }

    #[test]
    fn every_contender_takes_part_in_every_round() {
        let batches = rounds::measure(33, Shape::Fixed, 2);
        let of = |name, task| {
            let taken = batches
                .iter()
                .filter(|batch| batch.name == name && batch.task == task);
            taken.count()
        };
        assert_eq!((of("leveldb", "build"), of("scalar", "build")), (2, 4));
        assert_eq!((of("leveldb", "both"), of("scalar", "both")), (2, 8));
        assert!(batches.iter().all(|batch| batch.ns > 0 && batch.keys >= 1 << 15));
    }
}
