//! Ribbon and binary fuse filters, keys, hash values and answers beside pages without access rights: every kernel stays within
//! them and gives the portable code's answers.

use filter_kernels::fuse::{self, Fingerprints, packed_len};
use filter_kernels::ribbon::{self, Solution};
use filter_kernels::{Kernel, KernelToken, Keys, PackedKeys, Source};

use super::arch::Guarded;
use super::slices::{each_length, fill};

/// More than three tiles.
const MOST_KEYS: usize = 200;

#[derive(Debug, Clone, Copy)]
enum Filter<'a> {
    Ribbon(Solution<'a>),
    Fuse(Fingerprints<'a>),
}

impl Filter<'_> {
    fn hash(self, key: &[u8]) -> u64 {
        match self {
            Self::Ribbon(_) => hashzoo::xxph3_64(key, 0),
            Self::Fuse(_) => hashzoo::xxh3_64(key, 0),
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Ribbon(solution) => solution.bytes(),
            Self::Fuse(fingerprints) => fingerprints.bytes(),
        }
    }

    fn may_match(self, kernel: KernelToken, key: &[u8]) -> bool {
        match self {
            Self::Ribbon(solution) => {
                let [shape, seed] = solution.numbers();
                ribbon::asker(kernel)(&[shape, seed, 0], self.bytes(), key)
            }
            Self::Fuse(found) => fuse::asker(kernel, found.width())(&found.numbers(), self.bytes(), key),
        }
    }

    fn may_match_many(self, kernel: KernelToken, source: Source<'_, u64>, answers: &mut [u64]) {
        match self {
            Self::Ribbon(solution) => ribbon::may_match_many(kernel, solution, source, answers),
            Self::Fuse(fingerprints) => fuse::may_match_many(kernel, fingerprints, source, answers),
        }
    }
}

/// Guarded memory for hash values and for answers.
struct Pages {
    hashes: Guarded,
    answers: Guarded,
}

impl Pages {
    fn new() -> Self {
        Self {
            hashes: Guarded::new(MOST_KEYS * 8),
            answers: Guarded::new(MOST_KEYS.div_ceil(64) * 8),
        }
    }

    /// Asks for keys one by one, many in a call and by hash values, on every kernel.
    fn check(&mut self, filter: Filter<'_>, keys: Keys<'_>, end: bool) {
        let words = keys.len().div_ceil(64);
        let hashes: &mut [u64] = self.hashes.at(end, keys.len());
        let answers: &mut [u64] = self.answers.at(end, words);
        let mut expected = vec![0; words];
        for (i, key) in keys.iter().enumerate() {
            hashes[i] = filter.hash(key);
            let answer = filter.may_match(KernelToken::of(Kernel::Scalar), key);
            expected[i / 64] |= u64::from(answer) << (i % 64);
        }
        for kernel in Kernel::available() {
            let token = KernelToken::of(kernel);
            for (i, key) in keys.iter().enumerate() {
                assert_eq!(
                    filter.may_match(token, key),
                    expected[i / 64] >> (i % 64) & 1 == 1,
                    "{kernel}, a key of {} bytes, {filter:?}",
                    key.len()
                );
            }
            for source in [Source::Keys(keys), Source::Hashes(hashes)] {
                answers.fill(u64::MAX);
                filter.may_match_many(token, source, answers);
                assert_eq!(answers, expected, "{kernel}, {source:?}, {filter:?}");
            }
        }
    }
}

/// Checks filters with keys of each length from 0 on.
fn check_lengths(pages: &mut Pages, filter: Filter<'_>, end: bool) {
    let mut bytes = [0; 2 * MOST_KEYS];
    fill(&mut bytes, 0);
    let keys: Vec<&[u8]> = (0..150).map(|len| &bytes[len..2 * len]).collect();
    pages.check(filter, Keys::Slices(&keys), end);
}

#[test]
fn solutions_of_all_numbers_of_columns() {
    let (mut memory, mut pages) = (Guarded::new(5 * 33 * 16), Pages::new());
    for blocks in 2..=5 {
        // Up to 32 columns, in all blocks and in those from the third on.
        for words in (0..=32 * blocks).filter(|words| words % blocks < 3) {
            // The words are not aligned where other bytes follow.
            for (end, more) in [(true, 0), (false, 0), (true, 7)] {
                let bytes: &mut [u8] = memory.at(end, words * 16 + more);
                fill(bytes, words);
                let solution = Solution::new(bytes, 1, blocks as u32).unwrap();
                check_lengths(&mut pages, Filter::Ribbon(solution), end);
            }
        }
    }
}

#[test]
fn fingerprints_of_all_widths() {
    let (mut memory, mut pages) = (Guarded::new(1 << 16), Pages::new());
    for width in [4, 8, 10, 12, 16] {
        for (segments, log2_len) in [(1, 0), (1, 2), (3, 5), (20, 7)] {
            for end in [true, false] {
                let fingerprints = noise(&mut memory, end, width, segments, log2_len);
                check_lengths(&mut pages, Filter::Fuse(fingerprints), end);
            }
        }
    }
}

/// Returns fingerprints that no builder made.
fn noise(memory: &mut Guarded, end: bool, width: u8, segments: u32, log2_len: u8) -> Fingerprints<'_> {
    let shape = fuse::Shape {
        seed: 7,
        segments,
        log2_len,
    };
    // One byte follows the fingerprints, at least.
    let len = usize::try_from(packed_len(shape, width).unwrap()).unwrap() + 1;
    let bytes: &mut [u8] = memory.at(end, len);
    fill(bytes, len);
    Fingerprints::new(bytes, shape, width).unwrap()
}

#[test]
fn keys_of_every_length() {
    let mut pages = Pages::new();
    let (mut words, mut bytes) = (Guarded::new(4 * 16 + 3), Guarded::new(1 << 10));
    let words: &mut [u8] = words.at_end(4 * 16 + 3);
    fill(words, 1);
    let ribbon = Filter::Ribbon(Solution::new(words, 1, 2).unwrap());
    let fuse = Filter::Fuse(noise(&mut bytes, true, 4, 3, 5));
    each_length(|keys, end| {
        for filter in [ribbon, fuse] {
            pages.check(filter, Keys::Slices(keys), end);
        }
    });
}

/// Returns the Ribbon filter of these hash values, whose solution has 19 words.
fn build_ribbon<'a>(kernel: KernelToken, hashes: &[u64], bytes: &'a mut [u8]) -> Filter<'a> {
    let shape = ribbon::Shape {
        blocks: 4,
        columns: 5,
        narrow: 1,
    };
    let mut rows = vec![ribbon::Row::default(); shape.slots() as usize];
    assert!(ribbon::eliminate(kernel, &mut rows, 1, hashes));
    ribbon::solve(kernel, &rows, shape, bytes.as_chunks_mut().0);
    Filter::Ribbon(Solution::new(bytes, 1, shape.blocks).unwrap())
}

/// Returns the fuse filter of the keys that were peeled. It has 512 slots.
fn build_fuse<'a>(kernel: KernelToken, hashes: &[u64], bytes: &'a mut [u8]) -> Filter<'a> {
    let shape = fuse::Shape {
        seed: 7,
        segments: 14,
        log2_len: 5,
    };
    let mut slots = vec![fuse::Slot::default(); 512];
    assert!(fuse::add(kernel, shape, &mut slots, hashes));
    let mut order = vec![0; 513];
    let peeled = fuse::peel(shape, &mut slots, &mut order);
    bytes.fill(0);
    fuse::store(shape, 8, &slots, &order[..peeled], bytes);
    Filter::Fuse(Fingerprints::new(bytes, shape, 8).unwrap())
}

#[test]
fn batches_of_every_size() {
    check_batches(19 * 16, hashzoo::xxph3_64, build_ribbon);
    check_batches(512 + 1, hashzoo::xxh3_64, build_fuse);
}

/// Builds filters of `room` bytes from hash values and asks them for keys of one length, on every kernel.
fn check_batches(
    room: usize,
    hash: fn(&[u8], u64) -> u64,
    build: for<'a> fn(KernelToken, &[u64], &'a mut [u8]) -> Filter<'a>,
) {
    let [mut keys, mut hashes, mut bytes] = [(); 3].map(|()| Guarded::new(MOST_KEYS * 30));
    let mut pages = Pages::new();
    for count in 0..=MOST_KEYS {
        let ends = [true, false].into_iter();
        for (end, len) in ends.flat_map(|end| [5, 16, 30].map(|len| (end, len))) {
            let packed: &mut [u8] = keys.at(end, count * len);
            fill(packed, 0);
            let packed = PackedKeys::new(packed, len).unwrap();
            let slices: Vec<&[u8]> = packed.iter().collect();
            let hashes: &mut [u64] = hashes.at(end, count);
            for (value, key) in hashes.iter_mut().zip(&packed) {
                *value = hash(key, 0);
            }
            let mut expected = Vec::new();
            for kernel in Kernel::available() {
                let filter = build(KernelToken::of(kernel), hashes, bytes.at(end, room));
                if kernel == Kernel::Scalar {
                    expected = filter.bytes().to_vec();
                }
                assert_eq!(filter.bytes(), expected, "{kernel}, {count} keys of {len} bytes");
                for keys in [Keys::Packed(packed), Keys::Slices(&slices)] {
                    pages.check(filter, keys, end);
                }
            }
        }
    }
}
