//! Key sets with the structures that real keys have and that hash functions fail on.
//!
//! Each set is a recipe of a few lines; SMHasher (<https://github.com/rurban/smhasher>) tests most of these shapes, in
//! sets of its own sizes. SplitMix64 draws random keys from the seed of the run, in a separate stream for each set. No
//! set holds a key twice.

mod bits;
mod text;

use rand::SeedableRng as _;
use rand_xoshiro::SplitMix64;

use crate::keys::{Dataset, KeySet};
use crate::record::DatasetKind;

/// One structured key set.
#[derive(Debug, Clone, Copy)]
pub struct StructuredSet {
    /// Name in the records.
    pub name: &'static str,
    /// A description of the keys, without a full stop.
    pub recipe: &'static str,
    draw: fn(&mut SplitMix64) -> KeySet,
}

impl StructuredSet {
    /// Returns the keys. The seed matters only to sets whose recipe says "random".
    ///
    /// ```
    /// use measuring::keys::structured;
    ///
    /// let zeroes = structured::ALL.iter().find(|set| set.name == "zeroes").unwrap();
    /// assert_eq!(zeroes.keys(1).get(3), [0, 0, 0]);
    /// ```
    pub fn keys(&self, seed: u64) -> KeySet {
        // FNV-1a of the name gives each set a stream that does not depend on its place in the table.
        let stream = self.name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        (self.draw)(&mut SplitMix64::seed_from_u64(seed ^ stream))
    }
}

/// Returns every set as a dataset, in the order of the records.
pub fn datasets(seed: u64) -> Vec<Dataset> {
    let dataset = |set: &StructuredSet| {
        let mut dataset = Dataset::of(set.name, set.keys(seed));
        dataset.seed = seed;
        dataset.summary.kind = DatasetKind::Structured;
        dataset
    };
    ALL.iter().map(dataset).collect()
}

/// Every set, in the order of the records.
#[rustfmt::skip]
pub const ALL: &[StructuredSet] = &[
    StructuredSet { name: "sparse-4", recipe: "4 bytes, at most 4 bits set", draw: |_| bits::sparse(4, 4) },
    StructuredSet { name: "sparse-8", recipe: "8 bytes, at most 3 bits set", draw: |_| bits::sparse(8, 3) },
    StructuredSet { name: "sparse-12", recipe: "12 bytes, at most 3 bits set", draw: |_| bits::sparse(12, 3) },
    StructuredSet { name: "sparse-16", recipe: "16 bytes, at most 2 bits set", draw: |_| bits::sparse(16, 2) },
    StructuredSet { name: "two-bytes", recipe: "16 bytes, zero but for two of 1 to 16", draw: |_| bits::two_bytes() },
    StructuredSet { name: "short", recipe: "all keys of two bytes", draw: |_| bits::short() },
    StructuredSet { name: "zeroes", recipe: "0 to 4,095 zero bytes", draw: |_| bits::zeroes() },
    StructuredSet { name: "block-orders", recipe: "the numbers 1 to 8 of four bytes, little-endian, in every order", draw: |_| bits::block_orders() },
    StructuredSet { name: "blocks-low", recipe: "one to five numbers of four bytes, little-endian, each 0 to 7", draw: |_| bits::blocks(0) },
    StructuredSet { name: "blocks-high", recipe: "one to five numbers of four bytes, little-endian, each 0 to 7 times 2^29", draw: |_| bits::blocks(29) },
    StructuredSet { name: "cyclic-4", recipe: "40,000 random cycles of 4 bytes, eight times over", draw: |random| bits::cyclic(random, 4, 8) },
    StructuredSet { name: "cyclic-5", recipe: "40,000 random cycles of 5 bytes, eight times over", draw: |random| bits::cyclic(random, 5, 8) },
    StructuredSet { name: "one-bit", recipe: "400 random keys of 16 bytes, each with its 128 neighbours of one bit", draw: bits::one_bit },
    StructuredSet { name: "numbers-le-4", recipe: "the numbers 0 to 49,999 in four bytes, little-endian", draw: |_| bits::numbers(|n| n.to_le_bytes().to_vec()) },
    StructuredSet { name: "numbers-le-8", recipe: "the numbers 0 to 49,999 in eight bytes, little-endian", draw: |_| bits::numbers(|n| u64::from(n).to_le_bytes().to_vec()) },
    StructuredSet { name: "numbers-be-8", recipe: "the numbers 0 to 49,999 in eight bytes, big-endian", draw: |_| bits::numbers(|n| u64::from(n).to_be_bytes().to_vec()) },
    StructuredSet { name: "numbers-text", recipe: "the numbers 0 to 49,999 in decimal", draw: |_| bits::numbers(|n| n.to_string().into_bytes()) },
    StructuredSet { name: "text-start", recipe: "three of a-z0-9, then FooBarBaz", draw: |_| text::around("", "FooBarBaz") },
    StructuredSet { name: "text-middle", recipe: "FooBar, three of a-z0-9, then Baz", draw: |_| text::around("FooBar", "Baz") },
    StructuredSet { name: "text-end", recipe: "FooBarBaz, then three of a-z0-9", draw: |_| text::around("FooBarBaz", "") },
    StructuredSet { name: "urls", recipe: "addresses of ten sections, 500 articles and ten pages of one site", draw: |_| text::urls() },
    StructuredSet { name: "uuid-4", recipe: "50,000 random UUIDs of version 4 as text", draw: text::uuid_4 },
    StructuredSet { name: "uuid-7", recipe: "50,000 UUIDs of version 7 as text, each 0 to 3 ms after the previous one, with random ends", draw: text::uuid_7 },
];
