//! Every way into every format, by every kernel and by arrays of 8 and 16 lanes: what they write and answer is what
//! portable code does, and all of it lies beside pages that must not be accessed.
#![allow(
    clippy::cast_possible_truncation,
    clippy::indexing_slicing,
    reason = "a test that goes wrong has failed"
)]

extern crate alloc;

use alloc::borrow::ToOwned as _;
use alloc::vec;
use alloc::vec::Vec;

use hashzoo::{xxh3_64, xxph3_64};

use super::bloom64::bits as bloom64;
use super::fuse::bits as fuse;
use super::leveldb::bits as leveldb;
use super::rocksdb::fast_local::bits as fast_local;
use super::rocksdb::ribbon::bits as ribbon;
use super::split_block::bits::{self as split_block, BlockHash, SplitBlocks, Xxh64, Xxph3};
use crate::policy::query::by_token;
use crate::simd::bits::MAX_PROBES;
use crate::simd::choose::{KernelToken, Token};
use crate::simd::keys::{Keys, PackedKeys};
use crate::simd::source::{LaneHash, LaneSource, Source};
use crate::simd::stored_bits::StoredBits;
use crate::simd::tests::{Random, guarded::Guarded, kernels, plain::Plain};
use crate::{BitsPerKey, Error, Format, HashFunctionId, HashValue, Prepared};

/// The bits of a format, built and read in bytes of which none is aligned.
trait Bits: Copy {
    type Hash: HashValue;
    type Filter<'f>: StoredBits<Hash = Self::Hash>;

    fn hash(self, key: &[u8]) -> Self::Hash;

    /// Writes a filter over any bytes, and returns true. Ribbon and binary fuse filters have no code in lanes for that.
    fn create(self, _: KernelToken, _: Source<'_, Self::Hash>, _: &mut [u8]) -> bool {
        false
    }

    /// Adds keys to a filter, if the format can.
    fn insert(self, _: KernelToken, _: Source<'_, Self::Hash>, _: &mut [u8]) {}

    fn read(self, filter: &[u8]) -> Option<Self::Filter<'_>>;
}

#[derive(Clone, Copy)]
struct LevelDb(LaneHash, u8);

impl LevelDb {
    fn source<'a>(self, source: Source<'a, u32>) -> LaneSource<'a> {
        match source {
            Source::Keys(keys) => LaneSource::Keys(keys, self.0),
            Source::Hashes(hashes) => LaneSource::Hashes(hashes),
        }
    }
}

impl Bits for LevelDb {
    type Hash = u32;
    type Filter<'f> = leveldb::LevelDbBits<'f>;

    fn hash(self, key: &[u8]) -> u32 {
        self.0.hash(key)
    }

    fn create(self, kernel: KernelToken, source: Source<'_, u32>, filter: &mut [u8]) -> bool {
        leveldb::create(kernel, self.source(source), self.1, filter);
        true
    }

    fn insert(self, kernel: KernelToken, source: Source<'_, u32>, bits: &mut [u8]) {
        leveldb::insert(kernel, self.source(source), self.1, bits);
    }

    fn read(self, bits: &[u8]) -> Option<leveldb::LevelDbBits<'_>> {
        Some(leveldb::LevelDbBits::new(bits, self.1, Some(self.0)))
    }
}

#[derive(Clone, Copy)]
struct Bloom64(u8);

impl Bits for Bloom64 {
    type Hash = u64;
    type Filter<'f> = bloom64::Bloom64Bits<'f>;

    fn hash(self, key: &[u8]) -> u64 {
        xxph3_64(key, 0)
    }

    fn create(self, kernel: KernelToken, source: Source<'_, u64>, filter: &mut [u8]) -> bool {
        bloom64::create(kernel, &mut [], self.0, source);
        bloom64::create(kernel, filter, self.0, source);
        true
    }

    fn insert(self, kernel: KernelToken, source: Source<'_, u64>, bits: &mut [u8]) {
        bloom64::insert(kernel, bits, self.0, source);
    }

    fn read(self, bits: &[u8]) -> Option<bloom64::Bloom64Bits<'_>> {
        Some(bloom64::Bloom64Bits(bits, self.0.max(1)))
    }
}

#[derive(Clone, Copy)]
struct FastLocal(u8);

impl Bits for FastLocal {
    type Hash = u64;
    type Filter<'f> = fast_local::CacheLines<'f>;

    fn hash(self, key: &[u8]) -> u64 {
        xxph3_64(key, 0)
    }

    fn create(self, kernel: KernelToken, source: Source<'_, u64>, filter: &mut [u8]) -> bool {
        let (lines, rest) = filter.as_chunks_mut();
        let repeats = fast_local::create(kernel, lines, self.0, source);
        rest.fill(repeats as u8);
        true
    }

    fn insert(self, kernel: KernelToken, source: Source<'_, u64>, bits: &mut [u8]) {
        fast_local::insert(kernel, bits.as_chunks_mut().0, self.0, source);
    }

    fn read(self, bits: &[u8]) -> Option<fast_local::CacheLines<'_>> {
        let lines = bits.as_chunks().0;
        (!lines.is_empty()).then_some(fast_local::CacheLines(lines, self.0.max(1)))
    }
}

#[derive(Clone, Copy)]
struct Blocks<H>(H);

impl<H: BlockHash> Bits for Blocks<H> {
    type Hash = u64;
    type Filter<'f> = SplitBlocks<'f, H>;

    fn hash(self, key: &[u8]) -> u64 {
        H::hash(key)
    }

    fn create(self, kernel: KernelToken, source: Source<'_, u64>, filter: &mut [u8]) -> bool {
        filter.fill(0);
        self.insert(kernel, source, filter);
        true
    }

    fn insert(self, kernel: KernelToken, source: Source<'_, u64>, bits: &mut [u8]) {
        split_block::insert::<H>(kernel, bits.as_chunks_mut().0, source);
    }

    fn read(self, bits: &[u8]) -> Option<SplitBlocks<'_, H>> {
        let blocks = bits.as_chunks().0;
        (!blocks.is_empty()).then_some(SplitBlocks::new(blocks))
    }
}

#[derive(Clone, Copy)]
struct Ribbon(ribbon::Shape, u8);

impl Bits for Ribbon {
    type Hash = u64;
    type Filter<'f> = ribbon::Solution<'f>;

    fn hash(self, key: &[u8]) -> u64 {
        xxph3_64(key, 0)
    }

    fn read(self, bits: &[u8]) -> Option<ribbon::Solution<'_>> {
        ribbon::Solution::new(bits, self.1, self.0.blocks)
    }
}

#[derive(Clone, Copy)]
struct Fuse(fuse::Shape, u8);

impl Bits for Fuse {
    type Hash = u64;
    type Filter<'f> = fuse::Fingerprints<'f>;

    fn hash(self, key: &[u8]) -> u64 {
        xxh3_64(key, 0)
    }

    fn read(self, bits: &[u8]) -> Option<fuse::Fingerprints<'_>> {
        fuse::Fingerprints::new(bits, self.0, self.1)
    }
}

/// One key on the way that all formats have, through a filter that was read.
#[derive(Clone, Copy)]
struct Read<L>(L);

/// Implements the functions that a query calls; the others are never called.
impl<L: Bits> Format for Read<L> {
    type Filter<'f> = L::Filter<'f>;
    type Hash = L::Hash;

    fn read<'f>(&self, filter: &'f [u8]) -> Option<L::Filter<'f>> {
        self.0.read(filter)
    }

    fn hash(&self, key: &[u8]) -> L::Hash {
        self.0.hash(key)
    }

    fn other(_: &[u8]) -> Prepared {
        Prepared::same_for_all(true)
    }

    fn name(&self) -> &str {
        unreachable!()
    }

    fn bits_per_key(&self) -> Option<BitsPerKey> {
        unreachable!()
    }

    fn with_bits_per_key(self, _: BitsPerKey) -> Self {
        unreachable!()
    }

    fn hash_function(&self) -> HashFunctionId {
        unreachable!()
    }

    fn max_len(&self, _: usize) -> Result<usize, Error> {
        unreachable!()
    }

    fn build(&self, _: KernelToken, _: Source<'_, L::Hash>, _: &mut [u8]) -> Result<usize, Error> {
        unreachable!()
    }

    fn prepare(&self, _: KernelToken, _: L::Filter<'_>) -> Prepared {
        unreachable!()
    }

    fn restore(_: KernelToken, _: &[u8], _: [u64; 3]) -> L::Filter<'_> {
        unreachable!()
    }
}

/// Keys to store and to look up, as slices and packed if they have one length, and bits to look them up in, after a
/// byte that leaves none of them aligned.
struct Case<'a> {
    keys: Vec<Keys<'a>>,
    odd: &'a [u8],
    probes: u8,
    /// Set if all memory lies before a guard page, not after one.
    at_end: bool,
}

/// Appends what a kernel writes and answers.
fn run<L: Bits>(format: L, kernel: KernelToken, case: &Case<'_>, out: &mut Vec<u8>) {
    let keys = case.keys[0];
    let odd = Guarded::new(case.odd, case.at_end);
    let hashes: Vec<L::Hash> = keys.iter().map(|key| format.hash(key)).collect();
    let hashes = Guarded::new(&hashes, case.at_end);
    let sources = case.keys.iter().map(|keys| Source::Keys(*keys));
    for source in sources.clone().chain([Source::Hashes(&hashes)]) {
        let mut built = Guarded::new(&odd, case.at_end);
        if format.create(kernel, source, &mut built[1..]) && case.probes <= MAX_PROBES {
            let filter = format.read(&built[1..]);
            let may_match = |hash: &L::Hash| filter.is_none_or(|filter| filter.may_match(kernel, *hash));
            assert!(hashes.iter().all(may_match), "a stored key is denied");
        }
        out.extend(&*built);
        let mut more = Guarded::new(&odd, case.at_end);
        more.iter_mut().for_each(|byte| *byte &= 0x55);
        format.insert(kernel, source, &mut more[1..]);
        out.extend(&*more);
    }
    let Some(filter) = format.read(&odd[1..]).filter(|_| case.probes <= MAX_PROBES) else {
        return;
    };
    for (key, &hash) in keys.iter().zip(hashes.iter()) {
        let answers = [
            by_token(&Read(format), key, &odd[1..], kernel),
            filter.may_match(kernel, hash),
        ];
        out.extend(answers.map(u8::from));
    }
    for source in sources.chain([Source::Hashes(&hashes)]) {
        let mut answers = Guarded::new(&vec![!0; hashes.len().div_ceil(64)], case.at_end);
        filter.may_match_many(kernel, source, &mut answers);
        out.extend(answers.iter().flat_map(|word| word.to_le_bytes()));
    }
}

/// Runs a format with a case.
type Run = fn(KernelToken, &Case<'_>, &mut Vec<u8>);

const FORMATS: &[(&str, Run)] = &[
    ("bloom64", |kernel, case, out| {
        run(Bloom64(case.probes), kernel, case, out)
    }),
    ("fast_local", |kernel, case, out| {
        run(FastLocal(case.probes), kernel, case, out)
    }),
    ("fuse", |kernel, case, out| {
        let (seed, segments) = (case.probes.into(), 1 + case.keys[0].len() as u32 / 50);
        let shape = fuse::Shape {
            seed,
            segments,
            log2_len: 6,
        };
        for width in [4, 8, 10, 12, 16] {
            run(Fuse(shape, width), kernel, case, out);
        }
    }),
    ("leveldb", |kernel, case, out| {
        let seed = 0xbc9f_1d34;
        for hash in [
            LaneHash::LevelDb { seed },
            LaneHash::Murmur2 { seed },
            LaneHash::Murmur2SignedTail { seed },
        ] {
            run(LevelDb(hash, case.probes), kernel, case, out);
        }
    }),
    ("ribbon", |kernel, case, out| {
        let (blocks, columns) = (
            3 + case.keys[0].len() as u32 / 100,
            1 + u32::from(case.probes % 32),
        );
        let shape = ribbon::Shape {
            blocks,
            columns,
            narrow: 2,
        };
        run(Ribbon(shape, case.probes), kernel, case, out);
    }),
    ("split_block", |kernel, case, out| {
        run(Blocks(Xxh64), kernel, case, out);
        run(Blocks(Xxph3), kernel, case, out);
        apart_from_others(kernel, case, out);
    }),
];

/// The queries and insertions that only split blocks have.
fn apart_from_others(kernel: KernelToken, case: &Case<'_>, out: &mut Vec<u8>) {
    let mut odd = Guarded::new(case.odd, case.at_end);
    let blocks: &mut [split_block::Block] = odd[1..].as_chunks_mut().0;
    for hash in case.keys[0].iter().map(|key| xxph3_64(key, 0)) {
        if let Some(block) = blocks.get(split_block::block_of(hash, blocks.len())) {
            let word = |index: usize| u64::from_le_bytes(block.as_chunks().0[index]);
            out.push(split_block::words_may_match(kernel, word, hash).into());
        }
        let filters: Vec<_> = (0..blocks.len().min(64)).map(|from| &blocks[from..]).collect();
        out.extend(split_block::may_match_each(kernel, &filters, hash).to_le_bytes());
        split_block::insert_hash(kernel, blocks, hash);
        let mut alone = [[0; split_block::BLOCK_LEN]];
        split_block::insert_hash(kernel, &mut alone, hash);
        let words = split_block::words_of(hash).map(u64::to_le_bytes);
        assert_eq!(words.as_flattened(), alone.as_flattened());
    }
    out.extend(blocks.as_flattened());
}

#[test]
fn every_format_with_kernels_runs() {
    let formats = concat!(env!("CARGO_MANIFEST_DIR"), "/src/formats");
    let folders = ["", "/rocksdb"].map(|folder| std::fs::read_dir(formats.to_owned() + folder).unwrap());
    let folders = folders.into_iter().flatten().map(|entry| entry.unwrap().path());
    let with_kernels = folders.filter(|folder| folder.join("bits.rs").exists());
    let mut folders: Vec<_> = with_kernels
        .map(|folder| folder.file_name().unwrap().to_owned())
        .collect();
    folders.sort();
    assert!(folders.iter().eq(FORMATS.iter().map(|(format, _)| *format)));
}

/// All kernels that are not portable code, and all arrays.
fn all_kernels() -> impl Iterator<Item = KernelToken> {
    let plain = [
        KernelToken(Token::Narrow8(Plain)),
        KernelToken(Token::Plain8(Plain)),
        KernelToken(Token::Plain16(Plain)),
    ];
    kernels().map(|(kernel, _)| kernel).chain(plain)
}

/// Runs all formats with keys of these lengths, whose bytes lie side by side.
fn check(bytes: &[u8], lens: impl Iterator<Item = usize>, filter: usize, probes: u8, at_end: bool) {
    let mut rest = bytes;
    let places = lens.map(|len| {
        let (key, others) = rest.split_at(len);
        rest = others;
        Guarded::new(key, at_end)
    });
    let places: Vec<Guarded<u8>> = places.collect();
    let keys: Vec<&[u8]> = places.iter().map(|place| &**place).collect();
    let first = keys.first().map_or(0, |key| key.len());
    let packed = Guarded::new(&keys.concat(), at_end);
    let packed = PackedKeys::new(&packed, first)
        .filter(|_| keys.iter().all(|key| key.len() == first))
        .map(Keys::Packed);
    let mut random = Random(filter as u64);
    // Mostly set, so that both answers are frequent.
    let mut odd = random.bytes(1 + filter);
    odd.iter_mut()
        .for_each(|byte| *byte |= (random.next() | random.next() | random.next()) as u8);
    let case = Case {
        keys: [Keys::Slices(&keys)].into_iter().chain(packed).collect(),
        odd: &odd,
        probes,
        at_end,
    };
    for (format, run) in FORMATS {
        let mut expected = Vec::new();
        run(KernelToken::SCALAR, &case, &mut expected);
        for kernel in all_kernels() {
            let mut out = Vec::new();
            run(kernel, &case, &mut out);
            let at = format_args!(
                "{} keys, the first of {first} bytes, {filter} bytes of bits",
                keys.len()
            );
            assert!(out == expected, "{format}, {kernel:?}, {at}, {probes} probes");
        }
    }
}

/// An emulator tries every fifth length and count. Every remainder of a division by a number of lanes is still among them.
const THIN: usize = if cfg!(emulated) { 5 } else { 1 };

/// Lengths that fit into registers, and others; from one byte on.
const FILTERS: [usize; 12] = [64, 1, 100, 150, 31, 224, 256, 300, 16, 1024, 1100, 5000];

/// Of one length, and of lengths that are hashed together.
#[test]
fn keys_of_every_length() {
    let bytes = Random(1).bytes(310 * 37);
    for len in (0..=300).step_by(THIN) {
        let probes = if len % 2 == 0 { 6 } else { len as u8 % 31 };
        let (filter, at_end) = (FILTERS[len % 12], len % 4 < 2);
        check(&bytes, (0..37).map(|_| len), filter, probes, at_end);
        check(
            &bytes,
            (0..37).map(|i| len.max(9) + i % 8),
            filter,
            probes,
            !at_end,
        );
    }
}

/// Lengths around the limit from which keys are hashed one by one.
#[test]
fn keys_of_a_mebibyte() {
    const LONG: usize = 1 << 20;
    let lens = [-1, 0, 0, -3, 1, 3, 4, 0, -2].map(|more| LONG.wrapping_add_signed(more));
    let bytes = Random(6).bytes(10 * LONG);
    for count in [4, 9] {
        check(&bytes, lens[..count].iter().copied(), 100, 6, count == 9);
    }
}

#[test]
fn batches_of_every_size() {
    let mut random = Random(2);
    let bytes = random.bytes(200 * 70);
    for count in (0..=200).step_by(THIN) {
        let probes = [6, 7, 1 + (count % 30) as u8];
        for (i, probes) in probes.into_iter().enumerate() {
            let filter = FILTERS[(count + 5 * i) % 12];
            let longest = [16, 4, 70][i] as u64;
            let lens = (0..count).map(|_| if i < 2 { longest } else { random.next() % (longest + 1) } as usize);
            check(&bytes, lens, filter, probes, (count + i) % 2 == 0);
        }
    }
}

#[test]
fn filters_of_every_length() {
    let bytes = Random(7).bytes(70 * 16);
    for len in (1..=400).step_by(THIN) {
        for at_end in [false, true] {
            check(&bytes, (0..70).map(|_| 16), len, 6 + (len % 3) as u8, at_end);
        }
    }
}

/// Kernels take any probe count, and none of them panics where another does not.
#[test]
fn every_probe_count() {
    let bytes = Random(5).bytes(70 * 16);
    for probes in (0..=u8::MAX).step_by(THIN) {
        let filter = FILTERS[usize::from(probes) % 12];
        check(&bytes, (0..70).map(|_| 16), filter, probes, probes % 4 < 2);
    }
}

/// Tiles that are full, and filters that are prefetched.
#[test]
fn many_keys_and_large_filters() {
    let bytes = Random(3).bytes(3_000 * 16);
    for (filter, probes) in [
        (9_000, 6),
        (20_000, 2),
        ((1 << 20) + 64, 7),
        (4 << 20, 6),
        ((4 << 20) + 3, 9),
    ] {
        check(&bytes, (0..3_000).map(|_| 16), filter, probes, probes % 2 == 0);
    }
}

/// Queries whose words are missing are answered by the definition, so a solution with further words shows whether the
/// others are, column by column and eight at a time.
#[test]
fn ribbon_equations_hold_by_the_definition() {
    let mut random = Random(4);
    let hashes: Vec<u64> = (0..400).map(|_| random.next()).collect();
    for (columns, narrow) in (1..=32).flat_map(|columns| [(columns, 0), (columns, 3)]) {
        let shape = ribbon::Shape {
            blocks: 5,
            columns,
            narrow,
        };
        let mut rows = vec![ribbon::EchelonRow::default(); shape.slots() as usize];
        assert!(ribbon::eliminate(KernelToken::SCALAR, &mut rows, 7, &hashes));
        let mut words = vec![[0; 16]; shape.words() as usize];
        ribbon::solve(KernelToken::SCALAR, &rows, shape, &mut words);
        let [numbers, seed] = ribbon::Solution::new(words.as_flattened(), 7, 5)
            .unwrap()
            .numbers();
        // Many equations then fail in one column alone.
        for word in words.iter_mut().step_by(5) {
            word[random.next() as usize % 16] ^= 0x11;
        }
        words.resize(words.len() + 2, [0xa5; 16]);
        let bytes = [&[0], words.as_flattened()].concat();
        let solution = ribbon::Solution::of_numbers(&bytes[1..], [numbers, seed]);
        let mut kept = 0;
        for hash in &hashes {
            let expected = ribbon::may_match_at_end(&words, numbers, seed, *hash);
            kept += u32::from(expected);
            for kernel in all_kernels().chain([KernelToken::SCALAR]) {
                let found = solution.may_match(kernel, *hash);
                assert_eq!(
                    found, expected,
                    "{kernel:?}, {columns} columns, {narrow} fewer, {hash}"
                );
            }
        }
        assert!((1..400).contains(&kept), "{columns} columns: {kept} hold");
    }
}
