//! A filter's bits: the strings that hold them, and the offsets of elements' bits.

use std::collections::BTreeMap;

use guava_bloom::Hash128;

use crate::error::Error;
use crate::names::placed_by;
use crate::options::Options;
use crate::schema::Schema;

/// A Bloom filter's bits, in one string or, part after part, in several.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bitmap {
    /// The parts' keys, at least one.
    pub(crate) keys: Vec<Vec<u8>>,
    /// The number of bits of each part; the last may have fewer.
    pub(crate) part_bits: u64,
    pub(crate) schema: Schema,
    /// Set if the parts are meant to lie in several slots of a cluster.
    pub(crate) spread: bool,
}

impl Bitmap {
    /// Returns a bitmap in one string.
    pub(crate) fn whole(key: Vec<u8>, schema: Schema) -> Self {
        Self {
            keys: vec![key],
            part_bits: schema.bits(),
            schema,
            spread: false,
        }
    }

    /// Returns the key that companions are named after.
    pub(crate) fn anchor(&self) -> &[u8] {
        &self.keys[0]
    }

    /// Returns the error for a missing filter, which names the first key.
    pub(crate) fn missing(&self) -> Error {
        Error::missing(self.anchor())
    }

    /// Checks that one command or transaction can use all parts.
    pub(crate) fn in_one_slot(&self, what: &'static str) -> Result<(), Error> {
        if self.spread {
            return Err(Error::spread(what));
        }
        Ok(())
    }
}

/// The bits of some elements, grouped by part.
pub(super) struct Placed<'a> {
    /// The parts, ordered by slot if the filter is spread over several.
    pub(super) parts: Vec<Part<'a>>,
    pub(super) spread: bool,
    pub(super) probes: usize,
    pub(super) elements: usize,
}

pub(super) struct Part<'a> {
    pub(super) key: &'a [u8],
    pub(super) offsets: Vec<u64>,
    /// The element of each offset; `None` if the part has all offsets of all elements, one element after another.
    elements: Option<Vec<usize>>,
}

impl Part<'_> {
    /// Returns the element of the offset with this index.
    pub(super) fn element(&self, offset: usize, probes: usize) -> usize {
        match &self.elements {
            Some(elements) => elements[offset],
            None => offset / probes,
        }
    }
}

impl<'a> Placed<'a> {
    pub(super) fn new(bitmap: &'a Bitmap, hashes: &[Hash128]) -> Self {
        let probes = usize::from(bitmap.schema.probe_count());
        if let [key] = &bitmap.keys[..] {
            let mut offsets = Vec::with_capacity(hashes.len() * probes);
            for &hash in hashes {
                offsets.extend(bitmap.schema.positions(hash));
            }
            let elements = None;
            return Self {
                parts: vec![Part {
                    key,
                    offsets,
                    elements,
                }],
                spread: bitmap.spread,
                probes,
                elements: hashes.len(),
            };
        }
        let mut parts: BTreeMap<usize, Part<'a>> = BTreeMap::new();
        for (element, &hash) in hashes.iter().enumerate() {
            for position in bitmap.schema.positions(hash) {
                // A position is below the number of bits, so its part exists and the number of the part fits.
                let number = (position / bitmap.part_bits) as usize;
                let part = parts.entry(number).or_insert_with(|| Part {
                    key: &bitmap.keys[number],
                    offsets: Vec::new(),
                    elements: Some(Vec::new()),
                });
                part.offsets.push(position % bitmap.part_bits);
                part.elements.get_or_insert_default().push(element);
            }
        }
        let mut parts: Vec<Part<'a>> = parts.into_values().collect();
        if bitmap.spread {
            parts.sort_by(|one, other| placed_by(one.key).cmp(placed_by(other.key)));
        }
        Self {
            parts,
            spread: bitmap.spread,
            probes,
            elements: hashes.len(),
        }
    }

    /// Returns the parts of each batch: all of them, or those of one slot if the filter is spread.
    pub(super) fn by_slot(&self) -> impl Iterator<Item = &[Part<'a>]> {
        (self.parts).chunk_by(|one, other| !self.spread || placed_by(one.key) == placed_by(other.key))
    }
}

/// Hashes elements. Their offsets depend on nothing else.
pub(crate) fn hashes(elements: impl IntoIterator<Item: AsRef<[u8]>>) -> Vec<Hash128> {
    let elements = elements.into_iter();
    elements.map(|element| Hash128::of(element.as_ref())).collect()
}

/// Returns the number of elements in one round trip.
pub(super) fn per_trip(schema: &Schema, options: &Options) -> usize {
    (options.bits_per_trip.get() / usize::from(schema.probe_count())).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_hold_the_bits_that_their_numbers_say() {
        let schema = Schema::words(1_000, 0.01).unwrap();
        let bitmap = Bitmap {
            keys: (0..10_u8)
                .map(|part| vec![b'{', b'a' + part % 3, b'}', part])
                .collect(),
            part_bits: 1_024,
            schema,
            spread: true,
        };
        let hash = Hash128::of(b"element");
        let placed = Placed::new(&bitmap, &[hash, hash]);
        let mut positions = [Vec::new(), Vec::new()];
        for part in &placed.parts {
            for (at, offset) in part.offsets.iter().enumerate() {
                let element = part.element(at, placed.probes);
                positions[element].push(u64::from(part.key[3]) * 1_024 + offset);
            }
        }
        let mut expected: Vec<u64> = schema.positions(hash).collect();
        expected.sort_unstable();
        for mut positions in positions {
            positions.sort_unstable();
            assert_eq!(positions, expected);
        }
        // A slot is one batch.
        let slots: Vec<&[u8]> = placed.by_slot().map(|parts| placed_by(parts[0].key)).collect();
        assert!(slots.len() > 1 && slots.is_sorted_by(|one, other| one < other));
    }
}
