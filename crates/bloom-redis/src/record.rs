//! The parameter record of a growing filter: the last key that `create` writes, so that a filter without it has lost
//! keys, or was never created. A caller with other parameters is told by it.
//!
//! The key is `bloom-redis:parameters:` followed by the prefix, in its slot of a cluster. The value is one line of text,
//! for instance `bloom-redis 1 design=growing insertions=10000 fpp=0.0005 bits=158208 probes=11 part_bits=158208`.

use crate::error::{Error, ErrorKind};
use crate::names::companion;
use crate::schema::Schema;

/// The beginning of a record: the program, and the version of the format.
const HEAD: &str = "bloom-redis 1 ";

pub(crate) fn key(prefix: &[u8]) -> Vec<u8> {
    companion("parameters", prefix)
}

/// Returns the record of a filter with these bitmaps. The rate is the shortest text that reads back as the same number.
pub(crate) fn text(schema: &Schema) -> String {
    let (insertions, rate) = (schema.insertions(), schema.false_positive_rate());
    let (bits, probes) = (schema.bits(), schema.probe_count());
    format!(
        "{HEAD}design=growing insertions={insertions} fpp={rate} bits={bits} probes={probes} part_bits={bits}"
    )
}

pub(crate) fn check(key: &[u8], ours: &str, found: &[u8]) -> Result<(), Error> {
    if found == ours.as_bytes() {
        return Ok(());
    }
    let text = core::str::from_utf8(found).ok();
    let Some((what, stored, given)) = text.and_then(|found| difference(found, ours)) else {
        return Err(Error::malformed(key, "a parameter record", found));
    };
    let what = format_args!("{what} must be {stored} as in the record, got {given}");
    Err(Error::of_key(ErrorKind::Mismatch, key, what))
}

/// Returns the first field in which two records differ, and its values. `None` if the first is no record.
fn difference<'a>(found: &'a str, ours: &'a str) -> Option<(&'a str, &'a str, &'a str)> {
    let fields = |text: &'a str| -> Option<Vec<(&str, &str)>> {
        let words = text.strip_prefix(HEAD)?.split(' ');
        words.map(|word| word.split_once('=')).collect()
    };
    let mut both = fields(found)?.into_iter().zip(fields(ours)?);
    let (found, ours) = both.find(|(found, ours)| found != ours)?;
    (found.0 == ours.0).then_some((found.0, found.1, ours.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_told_from_other_text_and_a_mismatch_names_both_values() {
        let ours = text(&Schema::whole_words(10_000, 0.0005).unwrap());
        let expected =
            "bloom-redis 1 design=growing insertions=10000 fpp=0.0005 bits=158208 probes=11 part_bits=158208";
        assert_eq!(ours, expected);
        let other = text(&Schema::whole_words(10_000, 0.03).unwrap());
        for (found, error) in [
            (other.as_str(), "fpp must be 0.03 as in the record, got 0.0005"),
            (
                &ours.replace("growing", "fixed"),
                "design must be fixed as in the record, got growing",
            ),
            ("", "the value must be a parameter record, got \"\""),
            (
                "bloom-redis 1 a b",
                "the value must be a parameter record, got \"bloom-redis 1 a b\"",
            ),
        ] {
            let text = check(b"key", &ours, found.as_bytes()).unwrap_err().to_string();
            assert_eq!(text, format!("key: {error}"));
        }
        for longer in [format!("{ours} more=1"), ours.replace("bits=", "bit=")] {
            let error = check(b"key", &ours, longer.as_bytes()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Malformed, "{longer}");
        }
        check(b"key", &ours, ours.as_bytes()).unwrap();
    }
}
