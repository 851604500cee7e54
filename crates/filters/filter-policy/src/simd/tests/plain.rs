//! Vectors that are arrays: every operation as its description says, on any processor.

use core::array::from_fn;

use crate::simd::kernel::Kernel;
use crate::simd::lanes::{Lanes, Lanes64, Target, Walks, WideLanes, Work};

/// `N` lanes of 32 bits, and vectors of `HALF` lanes of 64.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plain<const N: usize, const HALF: usize>;

pub(crate) type Plain8 = Plain<8, 4>;
pub(crate) type Plain16 = Plain<16, 8>;
/// Without lanes of 64 bits.
pub(crate) type Narrow8 = Plain<8, 0>;

impl<const N: usize, const HALF: usize> Target for Plain<N, HALF> {
    // Where lanes choose a kernel, portable code does the rest.
    const KERNEL: Kernel = Kernel::Scalar;
    const PARITIES: bool = true;

    unsafe fn assumed() -> Self {
        Self
    }

    fn call<W: Work>(self, work: W) -> W::Out {
        self.here(work)
    }

    fn here<W: Work>(self, work: W) -> W::Out {
        if HALF == 0 {
            work.narrow(self)
        } else {
            work.wide(self)
        }
    }

    fn parities(self, first: &[[u8; 16]], second: &[[u8; 16]], [here, next]: [u128; 2]) -> u32 {
        let rows = first.iter().zip(second).enumerate();
        rows.fold(0, |odd, (i, (first, second))| {
            let sum = u128::from_le_bytes(*first) & here ^ u128::from_le_bytes(*second) & next;
            odd | (sum.count_ones() & 1) << i
        })
    }
}

/// The word at a place, from bytes of which those that are missing are 0.
fn word(bytes: &[u8], place: usize) -> u32 {
    u32::from_le_bytes(from_fn(|i| bytes.get(place + i).copied().unwrap_or(0)))
}

impl<const N: usize, const HALF: usize> Lanes for Plain<N, HALF> {
    const LANES: usize = N;
    // Both strategies are tested.
    const UNEVEN: bool = N == 16;
    const IN_PLACE: bool = N == 16;
    const TABLE_BYTES: usize = 16 * N;

    type Vector = [u32; N];
    type Hits = [bool; N];

    fn splat(self, value: u32) -> [u32; N] {
        [value; N]
    }

    fn iota(self) -> [u32; N] {
        from_fn(|i| i as u32)
    }

    unsafe fn load_at(self, place: *const u8) -> [u32; N] {
        // SAFETY: guaranteed by the caller.
        from_fn(|i| unsafe { u32::from_le_bytes(place.cast::<[u8; 4]>().add(i).read()) })
    }

    unsafe fn store_at(self, vector: [u32; N], place: *mut u8) {
        // SAFETY: guaranteed by the caller.
        unsafe { place.cast::<[[u8; 4]; N]>().write(vector.map(u32::to_le_bytes)) }
    }

    fn load(self, values: &[u32]) -> [u32; N] {
        values[..N].try_into().unwrap()
    }

    fn store(self, vector: [u32; N], values: &mut [u32]) {
        values[..N].copy_from_slice(&vector);
    }

    fn add(self, a: [u32; N], b: [u32; N]) -> [u32; N] {
        from_fn(|i| a[i].wrapping_add(b[i]))
    }

    fn sub(self, a: [u32; N], b: [u32; N]) -> [u32; N] {
        from_fn(|i| a[i].wrapping_sub(b[i]))
    }

    fn mul(self, a: [u32; N], b: [u32; N]) -> [u32; N] {
        from_fn(|i| a[i].wrapping_mul(b[i]))
    }

    fn mul_high(self, a: [u32; N], b: [u32; N]) -> [u32; N] {
        from_fn(|i| ((u64::from(a[i]) * u64::from(b[i])) >> 32) as u32)
    }

    fn min(self, a: [u32; N], b: [u32; N]) -> [u32; N] {
        from_fn(|i| a[i].min(b[i]))
    }

    fn xor(self, a: [u32; N], b: [u32; N]) -> [u32; N] {
        from_fn(|i| a[i] ^ b[i])
    }

    fn or(self, a: [u32; N], b: [u32; N]) -> [u32; N] {
        from_fn(|i| a[i] | b[i])
    }

    fn shift_right<const BY: u32>(self, a: [u32; N]) -> [u32; N] {
        a.map(|a| a >> BY)
    }

    fn shift_left_each(self, a: [u32; N], counts: [u32; N]) -> [u32; N] {
        from_fn(|i| a[i].checked_shl(counts[i]).unwrap_or(0))
    }

    fn rotate_15(self, a: [u32; N]) -> [u32; N] {
        a.map(|a| a.rotate_left(15))
    }

    fn if_less(self, a: [u32; N], b: [u32; N], less: [u32; N], other: [u32; N]) -> [u32; N] {
        from_fn(|i| if a[i] < b[i] { less[i] } else { other[i] })
    }

    fn bit_of(self, positions: [u32; N]) -> [u32; N] {
        positions.map(|position| 1 << (position % 32))
    }

    fn all_hits(self) -> [bool; N] {
        [true; N]
    }

    fn hit(self, hits: [bool; N], words: [u32; N], positions: [u32; N]) -> [bool; N] {
        from_fn(|i| hits[i] && words[i] >> (positions[i] % 32) & 1 == 1)
    }

    fn hit_bits(self, hits: [bool; N]) -> u32 {
        (0..N).fold(0, |bits, i| bits | u32::from(hits[i]) << i)
    }

    fn compress(self, vector: [u32; N], bits: u32) -> [u32; N] {
        let mut kept = (0..N).filter(|i| bits >> i & 1 == 1);
        // What no lane was moved to must not be used.
        from_fn(|_| kept.next().map_or(0xdead_beef, |i| vector[i]))
    }

    fn words_at(self, words: &[[u8; 4]], beyond: [u32; N], positions: [u32; N]) -> [u32; N] {
        let word = |i: usize| words.get((positions[i] / 32) as usize);
        from_fn(|i| word(i).map_or(beyond[i], |word| u32::from_le_bytes(*word)))
    }

    fn table<const QUARTERS: usize>(self, bytes: &[u8]) -> [[u32; N]; QUARTERS] {
        assert!(
            bytes.len() <= QUARTERS * Self::TABLE_BYTES / 4,
            "a table of this size"
        );
        from_fn(|quarter| from_fn(|i| word(bytes, 4 * (N * quarter + i))))
    }

    fn table_words<const QUARTERS: usize>(
        self,
        table: &[[u32; N]; QUARTERS],
        positions: [u32; N],
    ) -> [u32; N] {
        positions.map(|position| table.as_flattened()[(position / 32) as usize])
    }

    unsafe fn all_set(self, bytes: &[u8], positions: [u32; N], count: u32) -> bool {
        let mut positions = positions.into_iter().take(count.min(8) as usize);
        positions.all(|position| bytes[(position / 8) as usize] >> (position % 8) & 1 == 1)
    }

    fn high_bits(self, bytes: &[u8; 64]) -> u64 {
        (0..64).fold(0, |bits, i| bits | u64::from(bytes[i] >> 7) << i)
    }

    /// In the opposite order, which [`in_order`](Lanes::in_order) must correct.
    fn packed_words(self, keys: &[[u8; 16]]) -> [[u32; N]; 4] {
        let keys = &keys[..N];
        from_fn(|place| from_fn(|i| word(&keys[N - 1 - i], 4 * place)))
    }

    fn in_order(self, mut vector: [u32; N]) -> [u32; N] {
        vector.reverse();
        vector
    }

    fn words<const WHOLE: bool>(self, keys: &[&[u8]], from: usize) -> [[u32; N]; 4] {
        from_fn(|place| {
            let start = from + 4 * place;
            from_fn(|i| match keys[i].get(start..start + 4) {
                None if WHOLE => panic!("every key has all four words"),
                part => word(part.unwrap_or_default(), 0),
            })
        })
    }
}

impl<const N: usize, const HALF: usize> WideLanes for Plain<N, HALF> {
    type Wide = Long<HALF>;
    type Chains = Long<8>;

    fn wide(self) -> Long<HALF> {
        Long
    }

    fn chains(self) -> Long<8> {
        Long
    }

    /// Eight values in turns, which [`upper_halves`](WideLanes::upper_halves) must correct.
    fn load_walks(self, hashes: &[u64]) -> Walks<Self> {
        from_fn(|part| {
            let at = |i| if N == 8 { 2 * i + part } else { HALF * part + i };
            from_fn(|i| hashes[at(i)])
        })
    }

    fn upper_halves(self, walks: Walks<Self>) -> [u32; N] {
        let at = |i| {
            if N == 8 {
                (i % 2, i / 2)
            } else {
                (i / HALF, i % HALF)
            }
        };
        from_fn(|i| (walks[at(i).0][at(i).1] >> 32) as u32)
    }
}

/// `N` lanes of 64 bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Long<const N: usize>;

impl<const N: usize> Lanes64 for Long<N> {
    const LANES: usize = N;

    type Vector = [u64; N];

    fn splat(self, value: u64) -> [u64; N] {
        [value; N]
    }

    fn collect(self, value: impl Fn(usize) -> u64) -> [u64; N] {
        from_fn(value)
    }

    unsafe fn collect_pairs(self, place: impl Fn(usize) -> *const u8) -> ([u64; N], [u64; N]) {
        // SAFETY: guaranteed by the caller.
        let keys: [[u8; 16]; N] = from_fn(|i| unsafe { place(i).cast::<[u8; 16]>().read() });
        let half = |i: usize, half| u64::from_le_bytes(keys[i].as_chunks().0[half]);
        (from_fn(|i| half(i, 0)), from_fn(|i| half(i, 1)))
    }

    fn store(self, vector: [u64; N], values: &mut [u64]) {
        values[..N].copy_from_slice(&vector);
    }

    fn add(self, a: [u64; N], b: [u64; N]) -> [u64; N] {
        from_fn(|i| a[i].wrapping_add(b[i]))
    }

    fn sub(self, a: [u64; N], b: [u64; N]) -> [u64; N] {
        from_fn(|i| a[i].wrapping_sub(b[i]))
    }

    fn and(self, a: [u64; N], b: [u64; N]) -> [u64; N] {
        from_fn(|i| a[i] & b[i])
    }

    fn xor(self, a: [u64; N], b: [u64; N]) -> [u64; N] {
        from_fn(|i| a[i] ^ b[i])
    }

    fn mul(self, a: [u64; N], b: [u64; N]) -> [u64; N] {
        from_fn(|i| a[i].wrapping_mul(b[i]))
    }

    fn mul_halves(self, a: [u64; N], b: [u64; N]) -> [u64; N] {
        from_fn(|i| (a[i] & 0xffff_ffff) * (b[i] & 0xffff_ffff))
    }

    fn lower_and_upper(self, lower: [u64; N], upper: [u64; N]) -> [u64; N] {
        from_fn(|i| lower[i] & 0xffff_ffff | upper[i] >> 32 << 32)
    }

    fn fold(self, a: [u64; N], b: [u64; N]) -> [u64; N] {
        from_fn(|i| {
            let product = u128::from(a[i]) * u128::from(b[i]);
            product as u64 ^ (product >> 64) as u64
        })
    }

    fn shift_left<const BY: u32>(self, a: [u64; N]) -> [u64; N] {
        a.map(|a| a << BY)
    }

    fn shift_right<const BY: u32>(self, a: [u64; N]) -> [u64; N] {
        a.map(|a| a >> BY)
    }

    fn swap_bytes(self, a: [u64; N]) -> [u64; N] {
        a.map(u64::swap_bytes)
    }

    fn shift_right_each(self, a: [u64; N], counts: [u64; N]) -> [u64; N] {
        from_fn(|i| a[i].checked_shr(counts[i].min(64) as u32).unwrap_or(0))
    }

    fn rotate_left<const LEFT: i32, const RIGHT: i32>(self, a: [u64; N]) -> [u64; N] {
        a.map(|a| a.rotate_left(LEFT as u32))
    }

    fn above(self, a: [u64; N], bound: u64) -> u32 {
        (0..N).fold(0, |bits, i| bits | u32::from(a[i] > bound) << i)
    }

    fn if_above(self, a: [u64; N], bound: u64, yes: [u64; N], no: [u64; N]) -> [u64; N] {
        from_fn(|i| if a[i] > bound { yes[i] } else { no[i] })
    }
}
