//! Batches as comma-separated values: the columns that the benchmarks of all engines share.

use std::fmt::Write as _;

use crate::options::Options;
use crate::rounds::{Batch, Cache, Keys};
use crate::variants::VALUE_BYTES;

const HEADER: &str = "engine,version,policy,bits_per_key,cache,key_set,entries,key_bytes,value_bytes,keys,round,gets,blocks,ns";

const fn cache_name(cache: Cache) -> &'static str {
    match cache {
        Cache::Everything => "everything",
        Cache::Nothing => "nothing",
    }
}

const fn keys_name(keys: Keys) -> &'static str {
    match keys {
        Keys::Absent => "absent",
        Keys::Present => "present",
    }
}

/// One line a batch, header first.
pub(crate) fn csv(batches: &[Batch], options: &Options, version: &str) -> String {
    let mut text = format!("{HEADER}\n");
    for batch in batches {
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "leveldb,{version},{},{},{},random,{},{},{VALUE_BYTES},{},{},{},{},{}",
            batch.variant.name(),
            batch.variant.bits_per_key(),
            cache_name(batch.cache),
            options.entries,
            size_of::<crate::variants::Key>(),
            keys_name(batch.keys),
            batch.round,
            batch.gets,
            batch.blocks,
            batch.ns
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variants::Variant;

    #[test]
    fn lines_have_the_fields_of_the_header() {
        let batch = Batch {
            cache: Cache::Nothing,
            keys: Keys::Absent,
            variant: Variant::Ours,
            round: 3,
            gets: 5,
            blocks: 1,
            ns: 2_000,
        };
        let options = Options {
            entries: 10,
            gets: 5,
            rounds: 3,
            csv: None,
        };
        let text = csv(&[batch], &options, "1.23");
        let (header, line) = text.trim_end().split_once('\n').unwrap();
        assert_eq!(line.split(',').count(), header.split(',').count());
        assert_eq!(
            line,
            "leveldb,1.23,ours-leveldb-hash,10,nothing,random,10,16,100,absent,3,5,1,2000"
        );
    }
}
