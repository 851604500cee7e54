//! The form of a filter by its first bytes.

/// The forms whose first bytes are known, and what reads them.
const FORMS: [(&[u8; 8], &str); 8] = [
    (b"MFblocks", "the stored form of `BlockedBloomFilter`"),
    (b"GBfilter", "the stored form of `guava::BloomFilter`"),
    (b"MFsparks", "the stored form of `spark::BloomFilter`"),
    (b"MFredisb", "the stored form of `redisbloom::BloomFilter`"),
    (b"MFcounts", "the stored form of `CountingBloomFilter`"),
    (b"MFcuckoo", "the stored form of `CuckooFilter`"),
    (b"MFrotate", "the stored form of `RotatingFilter`"),
    (
        b"filter/1",
        "a file of the crate `filter-sets`, which `filter_sets::StoredFilter::open` reads",
    ),
];

/// Returns the form of a filter of this length that begins with these bytes, as far as they tell it. Few bytes are a stream of
/// Guava's by chance if their length is that of the stream.
pub(crate) fn form_of(head: &[u8], len: Option<u64>) -> Option<&'static str> {
    let mut forms = FORMS.iter();
    let known = forms.find(|(magic, _)| magic.starts_with(head));
    known.map(|(_, form)| *form).or(match head {
        [0, 0, 0, 1 | 2, ..] => Some("Spark's stream, which `spark::BloomFilter::from_spark` reads"),
        [0 | 1, 1..=u8::MAX, a @ 0..=0x7f, b, c, d, ..]
            if len == Some(6 + 8 * u64::from(u32::from_be_bytes([*a, *b, *c, *d]))) =>
        {
            Some("Guava's stream, which `guava::BloomFilter::from_guava` reads")
        }
        _ => None,
    })
}
