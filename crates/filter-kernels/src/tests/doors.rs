//! Every way into every layout, by every kernel and by arrays of 8 and 16 lanes: what they write and answer is what portable
//! code does.

use super::alloc::vec;
use super::alloc::vec::Vec;

use hashzoo::{xxh3_64, xxph3_64};

use super::{Random, kernels, plain::Plain};
use crate::bloom64;
use crate::choose::KernelToken;
use crate::door::{Question, Stored, by_token};
use crate::fast_local;
use crate::fuse;
use crate::keys::{Keys, PackedKeys};
use crate::leveldb::{self, BitQuery};
use crate::ribbon;
use crate::source::{LaneHash, LaneSource, Source};
use crate::split_block::{self, BlockHash, SplitBlocks};

/// Keys to store and to look up, and bits to look them up in, after a byte that leaves none of them aligned.
struct Case<'a> {
    keys: Vec<Keys<'a>>,
    odd: Vec<u8>,
    probes: u8,
}

impl<'a> Case<'a> {
    /// `packed` holds the keys if they have one length. The bits are mostly set, so that both answers are frequent.
    fn new(keys: &'a [&'a [u8]], packed: &'a [u8], bytes: usize, probes: u8) -> Self {
        let mut random = Random(bytes as u64);
        let bits = random.bytes(1 + bytes).into_iter();
        let bits = bits.map(|byte| byte | random.next() as u8 | random.next() as u8 | random.next() as u8);
        let packed = PackedKeys::new(packed, keys.first().map_or(0, |key| key.len()));
        let packed = packed.filter(|packed| packed.len() == keys.len());
        Self {
            keys: [Keys::Slices(keys)]
                .into_iter()
                .chain(packed.map(Keys::Packed))
                .collect(),
            odd: bits.collect(),
            probes,
        }
    }

    fn bits(&self) -> &[u8] {
        &self.odd[1..]
    }

    fn hashes(&self, hash: impl Fn(&[u8]) -> u64) -> Vec<u64> {
        self.keys[0].iter().map(hash).collect()
    }

    /// Returns the answers for all keys, and for their hash values, as one batch each.
    fn many(&self, hashes: &[u64], ask: impl Fn(Source<'_, u64>, &mut [u64])) -> Vec<u8> {
        let hashes = Source::Hashes(hashes);
        let sources = self.keys.iter().map(|keys| Source::Keys(*keys));
        let answers = sources.chain([hashes]).flat_map(|source| {
            let mut answers = vec![!0; source.len().div_ceil(64)];
            ask(source, &mut answers);
            answers.into_iter().flat_map(u64::to_le_bytes)
        });
        answers.collect()
    }

    /// Panics if a key that was inserted is denied.
    fn assert_stored(&self, may_match: impl Fn(&[u8]) -> bool) {
        assert!(self.keys[0].iter().all(may_match), "a stored key is denied");
    }

    fn one_by_one<const N: usize>(&self, ask: impl Fn(&[u8]) -> [bool; N]) -> impl Iterator<Item = u8> {
        self.keys[0].iter().flat_map(move |key| ask(key).map(u8::from))
    }
}

/// Appends what is written and answered.
type Run = fn(KernelToken, &Case<'_>, &mut Vec<u8>);

const LAYOUTS: &[(&str, Run)] = &[
    ("bloom64", bloom64),
    ("fast_local", fast_local),
    ("fuse", fuse),
    ("leveldb", leveldb),
    ("ribbon", ribbon),
    ("split_block", split_block),
];

#[test]
fn every_layout_has_its_doors_run() {
    let modules = include_str!("../lib.rs").lines();
    let layouts = modules.filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'));
    assert!(layouts.eq(LAYOUTS.iter().map(|(layout, _)| *layout)));
}

fn leveldb(kernel: KernelToken, case: &Case<'_>, out: &mut Vec<u8>) {
    let (bits, probes) = (case.bits(), case.probes);
    let seed = 0xbc9f_1d34;
    for function in [
        LaneHash::LevelDb { seed },
        LaneHash::Murmur2 { seed },
        LaneHash::Murmur2SignedTail { seed },
    ] {
        let hashes: Vec<u32> = case.keys[0].iter().map(|key| function.hash(key)).collect();
        let sources = case.keys.iter().map(|keys| LaneSource::Keys(*keys, function));
        let question = BitQuery::new(kernel, bits, probes);
        for source in sources.chain([LaneSource::Hashes(&hashes)]) {
            let mut odd = vec![0xa5; case.odd.len()];
            leveldb::create(kernel, source, probes, &mut odd[1..]);
            let built = BitQuery::new(kernel, &odd[1..], probes);
            case.assert_stored(|key| leveldb::may_match(&built, function.hash(key)));
            out.extend(&odd);
            let mut answers = vec![!0; source.len().div_ceil(64)];
            leveldb::may_match_many(&question, source, &mut answers);
            out.extend(answers.into_iter().flat_map(u64::to_le_bytes));
        }
        let mut odd = case.odd.clone();
        odd.iter_mut().for_each(|byte| *byte &= 0x55);
        leveldb::insert(kernel, LaneSource::Hashes(&hashes), probes, &mut odd[1..]);
        out.extend(odd);

        let (_, [divisor, reciprocal]) = question.parts();
        let numbers = [divisor, reciprocal, u64::from(probes) | u64::from(seed) << 32];
        let ask = leveldb::asker(kernel, function);
        let whole = &[bits, &[probes]].concat()[..];
        out.extend(case.one_by_one(|key| {
            let hash = |key: &[u8]| function.hash(key);
            let stored = (!bits.is_empty()).then(|| leveldb::Bits::new(bits, probes, Some(function)));
            [
                door(kernel, stored, &hash, key, whole),
                ask(&numbers, bits, key),
                leveldb::may_match(&question, hash(key)),
            ]
        }));
    }
}

/// Asks a filter that was read, on the way that all layouts have.
fn door<S: Stored>(
    kernel: KernelToken,
    stored: Option<S>,
    hash: &dyn Fn(&[u8]) -> S::Hash,
    key: &[u8],
    filter: &[u8],
) -> bool {
    by_token(Read { stored, hash }, key, filter, kernel)
}

struct Read<'h, S: Stored> {
    stored: Option<S>,
    hash: &'h dyn Fn(&[u8]) -> S::Hash,
}

impl<S: Stored> Clone for Read<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Stored> Copy for Read<'_, S> {}

impl<S: Stored> Question for Read<'_, S> {
    type Filter<'f> = S;
    type Hash = S::Hash;

    fn read<'f>(self, _: &'f [u8]) -> Option<S> {
        self.stored
    }

    fn hash(self, key: &[u8]) -> S::Hash {
        (self.hash)(key)
    }

    fn other(self, _: &[u8], _: &[u8]) -> bool {
        true
    }
}

fn bloom64(kernel: KernelToken, case: &Case<'_>, out: &mut Vec<u8>) {
    let (bits, probes) = (case.bits(), case.probes.max(1));
    let hashes = case.hashes(|key| xxph3_64(key, 0));
    let sources = case.keys.iter().map(|keys| Source::Keys(*keys));
    for source in sources.chain([Source::Hashes(&hashes)]) {
        let mut odd = vec![0xa5; case.odd.len()];
        bloom64::create(kernel, &mut [], probes, source);
        bloom64::create(kernel, &mut odd[1..], probes, source);
        case.assert_stored(|key| {
            door(
                kernel,
                Some(bloom64::Bits(&odd[1..], probes)),
                &|key| xxph3_64(key, 0),
                key,
                &odd,
            )
        });
        out.extend(&odd);
        bloom64::insert(kernel, &mut odd[1..], 3, source);
        out.extend(odd);
    }
    let ask = bloom64::asker(kernel);
    out.extend(case.one_by_one(|key| {
        [
            ask(&[probes.into(), 0, 0], bits, key),
            door(
                kernel,
                Some(bloom64::Bits(bits, probes)),
                &|key| xxph3_64(key, 0),
                key,
                bits,
            ),
            bloom64::may_match(kernel, bits, probes, xxph3_64(key, 0)),
        ]
    }));
    out.extend(case.many(&hashes, |source, answers| {
        bloom64::may_match_many(kernel, bits, probes, source, answers)
    }));
}

fn fast_local(kernel: KernelToken, case: &Case<'_>, out: &mut Vec<u8>) {
    let probes = case.probes.max(1);
    let lines: &[fast_local::Line] = case.bits().as_chunks().0;
    let hashes = case.hashes(|key| xxph3_64(key, 0));
    let mut odd = case.odd.clone();
    let built = odd[1..].as_chunks_mut().0;
    for keys in &case.keys {
        out.push(fast_local::create(kernel, built, probes, Source::Keys(*keys)) as u8);
        out.extend(built.as_flattened());
        let may_match = |key: &[u8]| fast_local::may_match(kernel, built, probes, xxph3_64(key, 0));
        case.assert_stored(|key| built.is_empty() || may_match(key));
    }
    out.push(fast_local::insert(kernel, built, 11, Source::Hashes(&hashes)) as u8);
    out.extend(built.as_flattened());
    let ask = fast_local::asker(kernel);
    out.extend(case.one_by_one(|key| {
        let hash = xxph3_64(key, 0);
        let found = fast_local::may_match(kernel, lines, probes, hash);
        let nothing = fast_local::may_match(kernel, &[], probes, hash);
        let stored = |probes: Option<u8>| {
            let stored = probes.map(|probes| fast_local::Lines(lines, probes));
            door(kernel, stored, &|key| xxph3_64(key, 0), key, case.bits())
        };
        [
            stored(Some(probes)),
            stored(None),
            ask(&[probes.into(), 0, 0], lines.as_flattened(), key),
            found,
            nothing,
        ]
    }));
    if !lines.is_empty() {
        out.extend(case.many(&hashes, |source, answers| {
            fast_local::may_match_many(kernel, lines, probes, source, answers)
        }));
    }
}

fn split_block(kernel: KernelToken, case: &Case<'_>, out: &mut Vec<u8>) {
    let blocks: &[split_block::Block] = case.bits().as_chunks().0;
    for hash in [BlockHash::Xxh64, BlockHash::Xxph3] {
        let filter = SplitBlocks { blocks, hash };
        let hashes = case.hashes(|key| hash.hash(key));
        let sources = case.keys.iter().map(|keys| Source::Keys(*keys));
        for source in sources.chain([Source::Hashes(&hashes)]) {
            let mut odd = vec![0; case.odd.len()];
            let built = odd[1..].as_chunks_mut().0;
            split_block::insert(kernel, built, hash, source);
            let filter = SplitBlocks { blocks: built, hash };
            let may_match = |key: &[u8]| split_block::key_may_match(kernel, filter, key);
            case.assert_stored(|key| filter.blocks.is_empty() || may_match(key));
            split_block::insert_hash(kernel, built, 0x0123_4567_89ab_cdef);
            out.extend(built.as_flattened());
        }
        let ask = split_block::asker(kernel, hash);
        let words_may_match = |hash| {
            let block = blocks.get(split_block::block_of(hash, blocks.len()));
            block.is_none_or(|block| {
                let word = |index: usize| u64::from_le_bytes(block.as_chunks().0[index]);
                split_block::words_may_match(kernel, word, hash)
            })
        };
        out.extend(case.one_by_one(|key| {
            [
                ask(&[0; 3], blocks.as_flattened(), key),
                split_block::key_may_match(kernel, filter, key),
                split_block::may_match(kernel, filter, hash.hash(key)),
                words_may_match(hash.hash(key)),
            ]
        }));
        let filters: Vec<_> = (0..blocks.len().min(64)).map(|from| &blocks[from..]).collect();
        out.extend(
            hashes
                .iter()
                .flat_map(|hash| split_block::may_match_each(kernel, &filters, *hash).to_le_bytes()),
        );
        if !blocks.is_empty() {
            out.extend(case.many(&hashes, |source, answers| {
                split_block::may_match_many(kernel, filter, source, answers)
            }));
        }
    }
}

fn ribbon(kernel: KernelToken, case: &Case<'_>, out: &mut Vec<u8>) {
    let hashes = case.hashes(|key| xxph3_64(key, 0));
    let shape = ribbon::Shape {
        blocks: 3 + hashes.len() as u32 / 100,
        columns: 1 + u32::from(case.probes),
        narrow: 2,
    };
    let mut rows = vec![ribbon::Row::default(); shape.slots() as usize];
    // Rows that are solved do not depend on the order of the equations.
    let mut ordered = hashes.clone();
    if kernel.lanes() > 1 {
        ribbon::sort(case.probes, &mut ordered);
    }
    let is_solved = ribbon::eliminate(kernel, &mut rows, case.probes, &ordered);
    out.push(is_solved.into());
    rows.truncate(if is_solved { rows.len() } else { 0 });
    let mut odd = vec![0; 1 + 16 * shape.words() as usize];
    ribbon::solve(kernel, &rows, shape, odd[1..].as_chunks_mut().0);
    if is_solved {
        let built = ribbon::Solution::new(&odd[1..], case.probes, shape.blocks).unwrap();
        case.assert_stored(|key| door(kernel, Some(built), &|key| xxph3_64(key, 0), key, &[]));
    }
    out.extend(&odd);
    // The solution answers yes; bits that no builder made also answer no, and the last words are missing.
    for (bytes, blocks) in [
        (&odd[1..], shape.blocks),
        (case.bits(), 2 + case.bits().len() as u32 / 150),
    ] {
        let Some(solution) = ribbon::Solution::new(bytes, case.probes, blocks) else {
            continue;
        };
        let ask = ribbon::asker(kernel);
        let [shape, seed] = solution.numbers();
        out.extend(case.one_by_one(|key| {
            [
                ask(&[shape, seed, 0], solution.bytes(), key),
                door(kernel, Some(solution), &|key| xxph3_64(key, 0), key, &[]),
                ribbon::may_match(kernel, solution, xxph3_64(key, 0)),
            ]
        }));
        out.extend(case.many(&hashes, |source, answers| {
            ribbon::may_match_many(kernel, solution, source, answers)
        }));
    }
}

fn fuse(kernel: KernelToken, case: &Case<'_>, out: &mut Vec<u8>) {
    let hashes = case.hashes(|key| xxh3_64(key, 0));
    let shape = fuse::Shape {
        seed: case.probes.into(),
        segments: 1 + hashes.len() as u32 / 50,
        log2_len: 6,
    };
    let mut slots = vec![fuse::Slot::default(); shape.slots() as usize];
    out.push(fuse::add(kernel, shape, &mut slots, &hashes).into());
    let mut order = vec![0; fuse::used(&slots) + 1];
    let peeled = fuse::peel(shape, &mut slots, &mut order);
    for width in [4, 8, 10, 12, 16] {
        let mut odd = vec![0; fuse::packed_len(shape, width).unwrap() as usize + 2];
        fuse::store(shape, width, &slots, &order[..peeled], &mut odd[1..]);
        let built = fuse::Fingerprints::new(&odd[1..], shape, width).unwrap();
        let (ask, numbers) = (fuse::asker(kernel, width), built.numbers());
        if peeled == hashes.len() {
            case.assert_stored(|key| door(kernel, Some(built), &|key| xxh3_64(key, 0), key, &[]));
        }
        out.extend(case.one_by_one(|key| {
            let found = door(kernel, Some(built), &|key| xxh3_64(key, 0), key, &[]);
            assert_eq!(ask(&numbers, built.bytes(), key), found);
            [found, fuse::may_match(kernel, built, xxh3_64(key, 0))]
        }));
        out.extend(case.many(&hashes, |source, answers| {
            fuse::may_match_many(kernel, built, source, answers)
        }));
    }
}

/// All kernels that are not portable code, and all arrays.
fn all_kernels() -> impl Iterator<Item = KernelToken> {
    let plain = [
        KernelToken::Narrow8(Plain),
        KernelToken::Plain8(Plain),
        KernelToken::Plain16(Plain),
    ];
    kernels().map(|(kernel, _)| kernel).chain(plain)
}

/// Runs all layouts with the keys that lie side by side in these bytes, of these lengths.
fn check(bytes: &[u8], lens: impl Iterator<Item = usize>, filter: usize, probes: u8) {
    let mut rest = bytes;
    let keys = lens.map(|len| {
        let (key, others) = rest.split_at(len);
        rest = others;
        key
    });
    let keys: Vec<&[u8]> = keys.collect();
    let used = keys.iter().map(|key| key.len()).sum();
    let case = Case::new(&keys, &bytes[..used], filter, probes);
    for (layout, run) in LAYOUTS {
        let mut expected = Vec::new();
        run(KernelToken::Scalar, &case, &mut expected);
        for kernel in all_kernels() {
            let mut out = Vec::new();
            run(kernel, &case, &mut out);
            let len = keys.first().map_or(0, |key| key.len());
            let at = format_args!(
                "{} keys, the first of {len} bytes, {filter} bytes of bits",
                keys.len()
            );
            assert!(out == expected, "{layout}, {kernel:?}, {at}, {probes} probes");
        }
    }
}

/// Lengths that fit into registers, and others; from one byte on.
const FILTERS: [usize; 12] = [64, 1, 100, 150, 31, 224, 256, 300, 16, 1024, 1100, 5000];

#[test]
fn keys_of_every_length() {
    let bytes = Random(1).bytes(300 * 37);
    for len in 0..=300 {
        let probes = if len % 2 == 0 { 6 } else { len as u8 % 31 };
        check(&bytes, (0..37).map(|_| len), FILTERS[len % 12], probes);
    }
}

#[test]
fn batches_of_every_size() {
    let mut random = Random(2);
    let bytes = random.bytes(200 * 70);
    for count in 0..=200 {
        let probes = [6, 7, 1 + (count % 30) as u8];
        for (i, probes) in probes.into_iter().enumerate() {
            let filter = FILTERS[(count + 5 * i) % 12];
            let longest = [16, 4, 70][i] as u64;
            let lens = (0..count).map(|_| if i < 2 { longest } else { random.next() % (longest + 1) } as usize);
            check(&bytes, lens, filter, probes);
        }
    }
}

/// Tiles that are full, and filters that are prefetched.
#[test]
fn many_keys_and_large_filters() {
    let bytes = Random(3).bytes(3_000 * 16);
    for (filter, probes) in [(9_000, 6), (20_000, 2), (1 << 20, 7), ((4 << 20) + 3, 9)] {
        check(&bytes, (0..3_000).map(|_| 16), filter, probes);
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
        let mut rows = vec![ribbon::Row::default(); shape.slots() as usize];
        assert!(ribbon::eliminate(KernelToken::Scalar, &mut rows, 7, &hashes));
        let mut words = vec![[0; 16]; shape.words() as usize];
        ribbon::solve(KernelToken::Scalar, &rows, shape, &mut words);
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
            for kernel in all_kernels().chain([KernelToken::Scalar]) {
                let found = ribbon::may_match(kernel, solution, *hash);
                assert_eq!(
                    found, expected,
                    "{kernel:?}, {columns} columns, {narrow} fewer, {hash}"
                );
            }
        }
        assert!((1..400).contains(&kept), "{columns} columns: {kept} hold");
    }
}
