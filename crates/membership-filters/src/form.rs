//! The form of a filter by its first bytes.

/// The forms whose first bytes are known, and what reads them.
const FORMS: [(&[u8; 8], &str); 4] = [
    (b"GBfilter", "the envelope of `BloomFilter`"),
    (b"MFblocks", "the envelope of `BlockedBloomFilter`"),
    (b"MFcounts", "the envelope of `CountingBloomFilter`"),
    (b"MFcuckoo", "the envelope of `CuckooFilter`"),
];

/// Returns the form of a filter that begins with these bytes, four at least, as far as they tell it.
pub(crate) fn form_of(head: &[u8]) -> Option<&'static str> {
    let mut forms = FORMS.iter();
    let known = forms.find(|(magic, _)| magic.starts_with(head));
    known.map(|(_, form)| *form).or(match head {
        [0, 0, 0, 1 | 2, ..] => Some("Spark's stream, which `spark::BloomFilter::from_bytes` reads"),
        [0 | 1, 1..=u8::MAX, 0..=0x7f, ..] => Some("Guava's stream, which `BloomFilter::from_bytes` reads"),
        _ => None,
    })
}
