//! Rows as a table for people and as a file for programs.

use std::fmt::Write as _;

use crate::options::Options;
use crate::rounds::{Cache, Keys, Row};

const fn cache_name(cache: Cache) -> &'static str {
    match cache {
        Cache::Everything => "everything",
        Cache::Nothing => "nothing",
    }
}

const fn keys_name(keys: Keys) -> &'static str {
    match keys {
        Keys::Absent => "absent",
        Keys::Stored => "stored",
    }
}

/// One line a row, with a heading before each group.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut text = String::new();
    let mut group = None;
    for row in rows {
        if group != Some((row.cache, row.keys)) {
            group = Some((row.cache, row.keys));
            let heading = format!(
                "{} keys, the block cache holds {}",
                keys_name(row.keys),
                cache_name(row.cache)
            );
            // Writing to a string does not fail.
            let _ = writeln!(text, "\n{heading}");
            let _ = writeln!(
                text,
                "{:<22} {:>10} {:>8} {:>9} {:>11}",
                "policy", "ns/Get", "+-", "speed-up", "blocks/Get"
            );
        }
        let _ = writeln!(
            text,
            "{:<22} {:>10.0} {:>8.0} {:>9.2} {:>11.4}",
            row.variant.name(),
            row.ns_per_get,
            row.ns_deviation,
            row.speed_up,
            row.blocks_per_get
        );
    }
    text
}

/// Comma-separated values, header first.
pub(crate) fn csv(rows: &[Row], options: &Options) -> String {
    let mut text = "engine,cache,keys,policy,entries,gets,rounds,median_ns_per_get,mad_ns_per_get,speed_up,blocks_per_get\n"
        .to_owned();
    for row in rows {
        let _ = writeln!(
            text,
            "leveldb,{},{},{},{},{},{},{:.3},{:.3},{:.6},{:.6}",
            cache_name(row.cache),
            keys_name(row.keys),
            row.variant.name(),
            options.entries,
            options.gets,
            options.rounds,
            row.ns_per_get,
            row.ns_deviation,
            row.speed_up,
            row.blocks_per_get
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variants::Variant;

    #[test]
    fn rows_have_as_many_fields_as_the_header() {
        let row = Row {
            cache: Cache::Nothing,
            keys: Keys::Absent,
            variant: Variant::Ours,
            ns_per_get: 400.0,
            ns_deviation: 10.0,
            speed_up: 3.25,
            blocks_per_get: 0.011,
        };
        let options = Options {
            entries: 10,
            gets: 5,
            rounds: 3,
            csv: None,
        };
        let text = csv(std::slice::from_ref(&row), &options);
        let (header, line) = text.trim_end().split_once('\n').unwrap();
        assert_eq!(line.split(',').count(), header.split(',').count());
        assert_eq!(
            line,
            "leveldb,nothing,absent,ours (LevelDB's hash),10,5,3,400.000,10.000,3.250000,0.011000"
        );
        assert!(table(&[row]).contains("ours (LevelDB's hash)         400       10      3.25      0.0110\n"));
    }
}
