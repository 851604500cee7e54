//! A filter's bits: the strings that hold them, and the offsets of elements' bits.

use std::collections::BTreeMap;

use guava_bloom::Hash128;
use redis::{Cmd, cmd};

use crate::error::Error;
use crate::names::slots;
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
    /// Set if each string has a byte of zeros after its bits. No insert reaches it, so that a string of the full length
    /// was made by this crate as a whole and is not what inserts began after a loss.
    pub(crate) marked: bool,
}

/// One of the strings of a filter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece<'a> {
    pub(crate) key: &'a [u8],
    pub(crate) bytes: u64,
}

impl AsRef<[u8]> for Piece<'_> {
    fn as_ref(&self) -> &[u8] {
        self.key
    }
}

impl Piece<'_> {
    /// Interprets the length of the string on the server: returns whether it is there.
    pub(crate) fn is_there(self, length: u64) -> Result<bool, Error> {
        match length {
            0 => Ok(false),
            _ if length == self.bytes => Ok(true),
            _ => Err(Error::of_length(self.key, self.bytes, length)),
        }
    }

    /// Returns the command that gives a string of zeros its full length.
    pub(crate) fn allocate(self) -> Cmd {
        cmd("SETBIT")
            .arg(self.key)
            .arg(self.bytes * 8 - 1)
            .arg("0")
            .take()
    }
}

impl Bitmap {
    pub(crate) fn whole(key: Vec<u8>, schema: Schema, marked: bool) -> Self {
        Self {
            keys: vec![key],
            part_bits: schema.bits(),
            schema,
            spread: false,
            marked,
        }
    }

    /// Returns the string with this number, which must exist.
    pub(crate) fn piece(&self, number: usize) -> Piece<'_> {
        let bits = self.schema.bits() - self.part_bits * number as u64;
        Piece {
            key: &self.keys[number],
            bytes: bits.min(self.part_bits).div_ceil(8) + u64::from(self.marked),
        }
    }

    pub(crate) fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        (0..self.keys.len()).map(|number| self.piece(number))
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
    /// The parts of each batch: all of them, or those of one slot if the filter is spread.
    pub(super) slots: Vec<Vec<Part<'a>>>,
    pub(super) probes: usize,
    pub(super) elements: usize,
}

pub(super) struct Part<'a> {
    pub(super) piece: Piece<'a>,
    pub(super) offsets: Vec<u64>,
    /// The element of each offset; `None` if the part has all offsets of all elements, one element after another.
    elements: Option<Vec<usize>>,
}

impl AsRef<[u8]> for Part<'_> {
    fn as_ref(&self) -> &[u8] {
        self.piece.key
    }
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
        if bitmap.keys.len() == 1 {
            let mut offsets = Vec::with_capacity(hashes.len() * probes);
            for &hash in hashes {
                offsets.extend(bitmap.schema.positions(hash));
            }
            let elements = None;
            return Self {
                slots: vec![vec![Part {
                    piece: bitmap.piece(0),
                    offsets,
                    elements,
                }]],
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
                    piece: bitmap.piece(number),
                    offsets: Vec::new(),
                    elements: Some(Vec::new()),
                });
                part.offsets.push(position % bitmap.part_bits);
                part.elements.get_or_insert_default().push(element);
            }
        }
        Self {
            slots: slots(parts.into_values(), bitmap.spread),
            probes,
            elements: hashes.len(),
        }
    }
}

/// Hashes elements. Their offsets depend on nothing else.
pub(crate) fn hashes(elements: impl IntoIterator<Item: AsRef<[u8]>>) -> Vec<Hash128> {
    let elements = elements.into_iter();
    elements.map(|element| Hash128::of(element.as_ref())).collect()
}

pub(super) fn per_trip(schema: &Schema, options: &Options) -> usize {
    (options.bits_per_trip.get() / usize::from(schema.probe_count())).max(1)
}
