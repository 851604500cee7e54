//! Every operation of every instruction set, compared with arrays.

use super::alloc::vec;
use super::alloc::vec::Vec;

use super::{Random, kernels};
use crate::simd::compile::by_kernel;
use crate::simd::lanes::{Lanes, Lanes64, WideLanes, Work};

/// An operation, and the values of its result.
type Outcome = (&'static str, Vec<u64>);

/// Operands, among them those at which signs, shifts and carries go wrong.
struct Input {
    words: [[u32; 16]; 4],
    longs: [[u64; 16]; 4],
    /// Not at an address that vectors like.
    bytes: Vec<u8>,
}

impl Input {
    fn new(random: &mut Random) -> Self {
        let mut long = || match random.next() % 4 {
            0 => random.next(),
            1 => random.next() % 130,
            2 => random.next() | 0xffff_ff80 | 0xffff_ff80 << 32,
            _ => 1 << (random.next() % 64),
        };
        let longs = [[0; 16]; 4].map(|row: [u64; 16]| row.map(|_| long()));
        let words = [[0; 16]; 4].map(|row: [u32; 16]| row.map(|_| long() as u32));
        let bytes = random.bytes(700);
        Self { words, longs, bytes }
    }
}

/// Returns the results of all operations.
#[inline(always)]
fn outcomes<S: Lanes>(lanes: S, input: &Input) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let mut add = |name, vector| {
        let mut row = [0; 16];
        lanes.store(vector, &mut row);
        outcomes.push((name, row[..S::LANES].iter().copied().map(u64::from).collect()));
    };
    let [a, b, c, d] = input.words.each_ref().map(|row| lanes.load(row));
    add("splat", lanes.splat(input.words[0][0]));
    add("iota", lanes.iota());
    add("add", lanes.add(a, b));
    add("sub", lanes.sub(a, b));
    add("mul", lanes.mul(a, b));
    add("mul_high", lanes.mul_high(a, b));
    add("min", lanes.min(a, b));
    add("xor", lanes.xor(a, b));
    add("or", lanes.or(a, b));
    add("or3", lanes.or3(a, b, c));
    add("shift_right 1", lanes.shift_right::<1>(a));
    add("shift_right 31", lanes.shift_right::<31>(a));
    add("shift_left_each", lanes.shift_left_each(a, b));
    add("rotate_15", lanes.rotate_15(a));
    add("if_less", lanes.if_less(a, b, c, d));
    add("if_less of equals", lanes.if_less(a, a, c, d));
    add("bit_of", lanes.bit_of(a));
    let bytes = &input.bytes[1..];
    let mut copy = [0; 64];
    lanes.store_bytes(lanes.load_bytes(bytes), &mut copy);
    add("load_bytes", lanes.load_bytes(bytes));
    add("store_bytes", lanes.load_bytes(&copy));
    for words in lanes.packed_words(bytes.as_chunks().0) {
        add("packed_words", lanes.in_order(words));
    }
    let keys: Vec<&[u8]> = (0..16).map(|i| &bytes[i..][..2 * i + 32]).collect();
    for from in [0, 1, 5, 16, 29, 60, 90] {
        let whole = if from <= 16 {
            lanes.words::<true>(&keys, from)
        } else {
            [a; 4]
        };
        for (whole, words) in whole.into_iter().zip(lanes.words::<false>(&keys, from)) {
            add("words of whole keys", whole);
            add("words", words);
        }
    }
    let bits: [u32; 5] = [0, 1, 0xa5a5, 0x7ffe, 0xffff].map(|bits| bits & (u32::MAX >> (32 - S::LANES)));
    for bits in bits {
        // The other lanes are unspecified.
        let others = lanes.if_less(
            lanes.iota(),
            lanes.splat(bits.count_ones()),
            lanes.compress(a, bits),
            b,
        );
        add("compress", others);
    }
    let whole = bytes.as_chunks().0;
    for words in [0, 1, 7, 100, whole.len()] {
        add("words_at", lanes.words_at(&whole[..words], b, a));
        add(
            "words_at",
            lanes.words_at(&whole[..words], b, lanes.shift_right::<19>(a)),
        );
    }
    table::<S, 1>(lanes, a, bytes, &mut add);
    table::<S, 2>(lanes, a, bytes, &mut add);
    table::<S, 4>(lanes, a, bytes, &mut add);

    let mut add = |name, value: u64| outcomes.push((name, vec![value]));
    let hits = lanes.hit(lanes.all_hits(), a, b);
    add("all_hits", lanes.hit_bits(lanes.all_hits()).into());
    add("hit", lanes.hit_bits(hits).into());
    add("hit twice", lanes.hit_bits(lanes.hit(hits, c, d)).into());
    let mut full = *bytes.first_chunk::<64>().unwrap();
    full.iter_mut().step_by(3).for_each(|byte| *byte = 0xff);
    add("high_bits", lanes.high_bits(&full));
    add("full_bytes", lanes.full_bytes(&full));
    add("count_ones", lanes.count_ones(input.longs[0][0]).into());
    lanes.prefetch::<false, _>(bytes, 1 << (usize::BITS - 24));
    lanes.prefetch::<true, _>(bytes, 0);
    for len in 1..=bytes.len() {
        let positions = input.words[3].map(|word| word % (8 * len as u32));
        // In random bits, all queried positions are rarely set.
        let dense: Vec<u8> = bytes[..len].iter().map(|byte| byte | 0xf7).collect();
        // Beyond eight, as where more probes are left.
        for count in (0..=8).chain([12, 30]) {
            // SAFETY: the positions are below the number of bits.
            let all = unsafe { lanes.all_set(&dense, lanes.load(&positions), count) };
            add("all_set", all.into());
        }
    }
    // What not all instruction sets have comes last.
    if S::PARITIES {
        let [first, second] = [&bytes[..128], &bytes[128..256]].map(|rows| rows.as_chunks().0);
        let masks = [0, 1].map(|i| u128::from(input.longs[i][0]) << 64 | u128::from(input.longs[i][1]));
        for rows in 0..=8 {
            add(
                "parities",
                lanes.parities(&first[..rows], &second[..rows], masks).into(),
            );
        }
    }
    outcomes.extend(lanes.here(Long(input)));
    outcomes
}

/// Looks up positions in tables of all lengths.
#[inline(always)]
fn table<S: Lanes, const QUARTERS: usize>(
    lanes: S,
    words: S::Vector,
    bytes: &[u8],
    add: &mut impl FnMut(&'static str, S::Vector),
) {
    let most = QUARTERS * S::TABLE_BYTES / 4;
    for len in 0..=most {
        let positions = lanes.mul_high(words, lanes.splat(8 * most as u32));
        let table = lanes.table::<QUARTERS>(&bytes[..len]);
        add("table", lanes.table_words(&table, positions));
    }
}

/// The operations on lanes of 64 bits, where there are any.
struct Long<'a>(&'a Input);

impl Work for Long<'_> {
    type Out = Vec<Outcome>;

    fn portable(self) -> Vec<Outcome> {
        Vec::new()
    }

    #[inline(always)]
    fn wide<S: WideLanes>(self, lanes: S) -> Vec<Outcome> {
        let mut row = [0; 16];
        let walks = lanes.load_walks(&self.0.longs[0]);
        let halves = lanes.upper_halves(walks);
        lanes.store(halves, &mut row);
        let mut outcomes = vec![("upper_halves", row.map(u64::from).to_vec())];
        outcomes.extend(long_outcomes(lanes.wide(), self.0));
        outcomes.extend(long_outcomes(lanes.chains(), self.0));
        outcomes
    }
}

#[inline(always)]
fn long_outcomes<L: Lanes64>(lanes: L, input: &Input) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    let mut add = |name, vector| {
        let mut row = [0; 8];
        lanes.store(vector, &mut row);
        outcomes.push((name, row[..L::LANES].to_vec()));
    };
    let [a, b, c, d] = input.longs.each_ref().map(|row| lanes.collect(|i| row[i]));
    add("splat", lanes.splat(input.longs[0][0]));
    add("collect", a);
    let keys = input.bytes[1..].as_chunks::<16>().0;
    // SAFETY: each key has 16 bytes.
    let (first, last) = unsafe { lanes.collect_pairs(|i| keys[L::LANES - i].as_ptr()) };
    add("collect_pairs, first", first);
    add("collect_pairs, last", last);
    add("add", lanes.add(a, b));
    add("sub", lanes.sub(a, b));
    add("and", lanes.and(a, b));
    add("xor", lanes.xor(a, b));
    add("mul", lanes.mul(a, b));
    add("mul_halves", lanes.mul_halves(a, b));
    add("lower_and_upper", lanes.lower_and_upper(a, b));
    add("fold", lanes.fold(a, b));
    add("shift_left", lanes.shift_left::<3>(a));
    add("shift_right", lanes.shift_right::<37>(a));
    add("swap_bytes", lanes.swap_bytes(a));
    add("shift_right_each", lanes.shift_right_each(a, b));
    add("rotate_left", lanes.rotate_left::<31, 33>(a));
    let (low, bound) = (lanes.shift_right::<1>(a), input.longs[1][0] >> 1);
    add("if_above", lanes.if_above(low, bound, c, d));
    outcomes.push(("above", vec![lanes.above(low, bound).into()]));
    outcomes
}

#[test]
fn every_operation_does_what_it_does_on_arrays() {
    let mut random = Random(1);
    for _ in 0..if cfg!(emulated) { 20 } else { 300 } {
        let input = &Input::new(&mut random);
        for (kernel, plain) in kernels() {
            let [found, expected] = [kernel, plain].map(|kernel| {
                by_kernel!(
                    |lanes, input: &Input| -> Vec<Outcome> { outcomes(lanes, input) },
                    kernel,
                    unreachable!("lanes")
                )
            });
            assert!(found.len() > 1_000);
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found, expected, "{kernel:?}");
            }
        }
    }
}
