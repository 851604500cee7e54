//! The parameter record of a growing filter: the last key that `create` writes, so that a filter without it has lost
//! keys, or was never created. It reveals a caller with other parameters.
//!
//! The key is `bloom-redis:parameters:` followed by the prefix, in its slot of a cluster. The value is one line of
//! text, for instance
//! `bloom-redis 1 design=growing insertions=10000 fpp=0.0005 bits=158208 probes=11 part_bits=158208`.

use crate::error::{Details, Error};
use crate::schema::Schema;
use membership_filters::redisbloom::companion_key;

/// The beginning of a record: the program, and the version of the format.
const HEAD: &str = "bloom-redis 1 ";

pub(crate) fn key(prefix: &[u8]) -> Vec<u8> {
    companion_key("parameters", prefix)
}

/// Returns the record of a filter with these bitmaps. The rate is the shortest text that reads back as the same number.
pub(crate) fn text(schema: &Schema) -> String {
    let (insertions, rate) = (schema.capacity(), schema.rate());
    let (bits, probes) = (schema.bits(), schema.probe_count());
    format!(
        "{HEAD}design=growing insertions={insertions} fpp={rate} bits={bits} probes={probes} part_bits={bits}"
    )
}

pub(crate) fn check(key: &[u8], ours: &str, found: &[u8]) -> Result<(), Error> {
    if found == ours.as_bytes() {
        return Ok(());
    }
    if !found.starts_with(HEAD.as_bytes()) {
        return Err(Error::malformed(key, "a parameter record", found));
    }
    let what = format_args!("the record must be \"{ours}\", got \"{}\"", found.escape_ascii());
    Err(Error::Mismatch(Details::of_key(key, what)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_recognised_and_a_mismatch_names_both_values() {
        let ours = text(&Schema::whole_words(10_000, 0.0005).unwrap());
        let expected =
            "bloom-redis 1 design=growing insertions=10000 fpp=0.0005 bits=158208 probes=11 part_bits=158208";
        assert_eq!(ours, expected);
        check(b"key", &ours, ours.as_bytes()).unwrap();
        let other = text(&Schema::whole_words(10_000, 0.03).unwrap());
        let error = check(b"key", &ours, other.as_bytes()).unwrap_err();
        assert!(matches!(error, Error::Mismatch(_)));
        assert!(error.to_string().contains(&ours) && error.to_string().contains(&other));
        let error = check(b"key", &ours, b"").unwrap_err();
        assert_eq!(
            error.to_string(),
            "key: the value must be a parameter record, got \"\""
        );
    }
}
