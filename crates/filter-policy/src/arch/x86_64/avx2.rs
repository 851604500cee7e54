//! AVX2: 8 lanes, tables of 128 bytes in registers.

use core::arch::x86_64::*;

use super::super::Source;
use super::super::generic::{Divisor, Lanes, create, query, source};

cpufeatures::new!(detection, "avx2", "bmi1", "bmi2", "popcnt");

/// Exists only where the processor and the operating system have the instructions: the reason why calling them is
/// sound, wherever the comments below speak of the type.
#[derive(Clone, Copy)]
pub(in super::super) struct Avx2(());

/// For loads of 0 to 8 words: the vector from the word `8 - n` on has its first `n` words set.
static WORD_MASKS: [u32; 16] = [
    u32::MAX,
    u32::MAX,
    u32::MAX,
    u32::MAX,
    u32::MAX,
    u32::MAX,
    u32::MAX,
    u32::MAX,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
];

/// For each set of lanes, their numbers in order.
static PACKINGS: [[u8; 8]; 256] = packings();

const fn packings() -> [[u8; 8]; 256] {
    let mut packings = [[0; 8]; 256];
    let mut set = 0;
    while set < 256 {
        let (mut lane, mut next) = (0, 0);
        while lane < 8 {
            if set >> lane & 1 == 1 {
                packings[set][next] = lane;
                next += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    packings
}

impl Avx2 {
    #[inline]
    pub(in super::super) fn detect() -> Option<Self> {
        detection::get().then_some(Self(()))
    }

    pub(in super::super) fn create(
        self,
        bit_array: &mut [u8],
        divisor: Divisor,
        probes: u8,
        source: Source<'_>,
    ) {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn run(lanes: Avx2, bit_array: &mut [u8], divisor: Divisor, probes: u8, source: Source<'_>) {
            create::create(lanes, bit_array, divisor, probes, source);
        }
        // SAFETY: see the type.
        unsafe { run(self, bit_array, divisor, probes, source) }
    }

    pub(in super::super) fn insert(
        self,
        bit_array: &mut [u8],
        divisor: Divisor,
        probes: u8,
        source: Source<'_>,
    ) {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn run(lanes: Avx2, bit_array: &mut [u8], divisor: Divisor, probes: u8, source: Source<'_>) {
            create::insert(lanes, bit_array, divisor, probes, source);
        }
        // SAFETY: see the type.
        unsafe { run(self, bit_array, divisor, probes, source) }
    }

    #[cfg(feature = "alloc")]
    pub(in super::super) fn create_in_map(
        self,
        bit_array: &mut [u8],
        divisor: Divisor,
        probes: u8,
        source: Source<'_>,
        map: &mut [u8],
    ) {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn run(
            lanes: Avx2,
            bit_array: &mut [u8],
            divisor: Divisor,
            probes: u8,
            source: Source<'_>,
            map: &mut [u8],
        ) {
            create::create_in_map(lanes, bit_array, divisor, probes, source, map);
        }
        // SAFETY: see the type.
        unsafe { run(self, bit_array, divisor, probes, source, map) }
    }

    pub(in super::super) fn may_match_many(
        self,
        bit_array: &[u8],
        divisor: Divisor,
        probes: u32,
        source: Source<'_>,
        answers: &mut [u64],
    ) {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn run(
            lanes: Avx2,
            bit_array: &[u8],
            divisor: Divisor,
            probes: u32,
            source: Source<'_>,
            answers: &mut [u64],
        ) {
            query::may_match_many::<_, false>(lanes, bit_array, divisor, probes, source, answers);
        }
        // SAFETY: see the type.
        unsafe { run(self, bit_array, divisor, probes, source, answers) }
    }

    #[inline]
    pub(in super::super) fn may_match(
        self,
        bit_array: &[u8],
        divisor: Divisor,
        probes: u32,
        hash: u32,
    ) -> bool {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn run(lanes: Avx2, bit_array: &[u8], divisor: Divisor, probes: u32, hash: u32) -> bool {
            query::may_match(lanes, bit_array, divisor, probes, hash)
        }
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        fn run_8(lanes: Avx2, bit_array: &[u8], divisor: Divisor, probes: u32, hash: u32) -> bool {
            lanes.all_of_8(bit_array, divisor, probes, hash)
        }
        // SAFETY: see the type.
        unsafe {
            if probes <= 8 {
                run_8(self, bit_array, divisor, probes, hash)
            } else {
                run(self, bit_array, divisor, probes, hash)
            }
        }
    }

    /// [`query::may_match`] for at most 8 probes. Bit arrays of 16 to 64 bytes are looked up in registers, without the
    /// masks of [`Lanes::table`]: as two halves that overlap, the second of which ends with the array.
    #[inline(always)]
    fn all_of_8(self, bit_array: &[u8], divisor: Divisor, probes: u32, hash: u32) -> bool {
        let stride = self.splat(hash.rotate_left(15));
        let hashes = self.add(self.splat(hash), self.mul(self.iota(), stride));
        let (bits, reciprocal) = (self.splat(divisor.0), self.splat(divisor.1));
        let rests = self.sub(hashes, self.mul(self.mul_high(hashes, reciprocal), bits));
        let positions = self.min(rests, self.sub(rests, bits));
        let len = bit_array.len();
        let (words, positions) = if let (Some(low), Some(high), ..=64) =
            (bit_array.first_chunk::<32>(), bit_array.last_chunk::<32>(), len)
        {
            let positions = self.in_halves(positions, 256, 64 - len);
            // SAFETY: see the type; the arrays have the length of a vector.
            let words = unsafe {
                let low = _mm256_loadu_si256(low.as_ptr().cast());
                let high = _mm256_loadu_si256(high.as_ptr().cast());
                self.of_pair(
                    low,
                    high,
                    _mm256_srli_epi32::<5>(positions),
                    _mm256_slli_epi32::<23>(positions),
                )
            };
            (words, positions)
        } else if let (Some(low), Some(high), ..=32) =
            (bit_array.first_chunk::<16>(), bit_array.last_chunk::<16>(), len)
        {
            let positions = self.in_halves(positions, 128, 32 - len);
            // SAFETY: see the type; the arrays have the length of half a vector.
            let words = unsafe {
                let low = _mm_loadu_si128(low.as_ptr().cast());
                let high = _mm_loadu_si128(high.as_ptr().cast());
                let both = _mm256_set_m128i(high, low);
                _mm256_permutevar8x32_epi32(both, _mm256_srli_epi32::<5>(positions))
            };
            (words, positions)
        } else {
            let (words, beyond) = query::words(bit_array);
            // SAFETY: see the type; words are read under a mask of those that the slice has.
            let words = unsafe {
                let live = self.word_mask(probes as usize);
                let indices = _mm256_srli_epi32::<5>(positions);
                // Not above 2^27, so that no index is negative.
                let count = self.splat(words.len().min(1 << 27) as u32);
                let inside = _mm256_and_si256(_mm256_cmpgt_epi32(count, indices), live);
                _mm256_mask_i32gather_epi32::<4>(self.splat(beyond), words.as_ptr().cast(), indices, inside)
            };
            (words, positions)
        };
        let live = (1_u32 << probes) - 1;
        let hits = self.hit_bits(self.hit(self.all_hits(), words, positions));
        hits & live == live
    }

    /// Positions in two halves that lie behind each other: those from the second half's first bit on are `gap` bytes
    /// further away.
    #[inline(always)]
    fn in_halves(self, positions: __m256i, second_half: u32, gap: usize) -> __m256i {
        let gap = self.splat(gap as u32 * 8);
        let moved = self.add(positions, gap);
        self.if_less(positions, self.splat(second_half), positions, moved)
    }

    /// The same bytes of each key in a vector, transposed: word `i` of all keys in vector `i`.
    #[inline(always)]
    fn transposed(self, rows: [__m256i; 4]) -> [__m256i; 4] {
        let [a, b, c, d] = rows;
        // SAFETY: see the type.
        unsafe {
            let (ab_low, ab_high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
            let (cd_low, cd_high) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
            [
                _mm256_unpacklo_epi64(ab_low, cd_low),
                _mm256_unpackhi_epi64(ab_low, cd_low),
                _mm256_unpacklo_epi64(ab_high, cd_high),
                _mm256_unpackhi_epi64(ab_high, cd_high),
            ]
        }
    }

    /// The 16 bytes of a key from `from` on, as [`Lanes::words`] has them.
    #[inline(always)]
    fn step<const WHOLE: bool>(self, key: &[u8], from: usize) -> __m128i {
        if WHOLE {
            let step: &[u8] = &key[from..from + 16];
            // SAFETY: see the type; the slice has the length of a vector.
            return unsafe { _mm_loadu_si128(step.as_ptr().cast()) };
        }
        // Its end, not an empty slice elsewhere: under an empty mask, too, an address without memory costs time.
        let rest = &key[from.min(key.len())..];
        // SAFETY: see the type; words are read under a mask of those that the slice has.
        unsafe {
            let mask = _mm256_castsi256_si128(self.word_mask((rest.len() / 4).min(4)));
            _mm_maskload_epi32(rest.as_ptr().cast(), mask)
        }
    }

    /// The steps of the keys `i` and `i + 4`.
    #[inline(always)]
    fn row<const WHOLE: bool>(self, keys: &[&[u8]; 8], i: usize, from: usize) -> __m256i {
        let first = self.step::<WHOLE>(keys[i], from);
        let second = self.step::<WHOLE>(keys[i + 4], from);
        // SAFETY: see the type.
        unsafe { _mm256_set_m128i(second, first) }
    }

    /// `high` where the highest bit of `choice` is set, `low` elsewhere.
    #[inline(always)]
    fn chosen(self, low: __m256i, high: __m256i, choice: __m256i) -> __m256i {
        // SAFETY: see the type.
        unsafe {
            _mm256_castps_si256(_mm256_blendv_ps(
                _mm256_castsi256_ps(low),
                _mm256_castsi256_ps(high),
                _mm256_castsi256_ps(choice),
            ))
        }
    }

    /// The words of two vectors with these indices, of which three bits count; `choice` tells which of the two.
    #[inline(always)]
    fn of_pair(self, low: __m256i, high: __m256i, indices: __m256i, choice: __m256i) -> __m256i {
        // SAFETY: see the type.
        unsafe {
            let low = _mm256_permutevar8x32_epi32(low, indices);
            let high = _mm256_permutevar8x32_epi32(high, indices);
            self.chosen(low, high, choice)
        }
    }

    /// All bits of the first `count` of 8 words.
    #[inline(always)]
    fn word_mask(self, count: usize) -> __m256i {
        let mask: &[u32; 8] = WORD_MASKS[8 - count.min(8)..]
            .first_chunk()
            .expect("8 of 16 words");
        // SAFETY: see the type; the array has the length of a vector.
        unsafe { _mm256_loadu_si256(mask.as_ptr().cast()) }
    }
}

impl Lanes for Avx2 {
    const LANES: usize = 8;
    const TABLE_BYTES: usize = 128;

    type Vector = __m256i;
    /// The highest bit of each lane.
    type Hits = __m256i;

    #[inline(always)]
    fn splat(self, value: u32) -> __m256i {
        // SAFETY: see the type.
        unsafe { _mm256_set1_epi32(value.cast_signed()) }
    }

    #[inline(always)]
    fn iota(self) -> __m256i {
        // SAFETY: see the type.
        unsafe { _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7) }
    }

    #[inline(always)]
    fn load(self, values: &[u32]) -> __m256i {
        let values: &[u32; 8] = values.first_chunk().expect("a value for each lane");
        // SAFETY: see the type; the array has the length of a vector.
        unsafe { _mm256_loadu_si256(values.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store(self, vector: __m256i, values: &mut [u32]) {
        let values: &mut [u32; 8] = values.first_chunk_mut().expect("a value for each lane");
        // SAFETY: see the type; the array has the length of a vector.
        unsafe { _mm256_storeu_si256(values.as_mut_ptr().cast(), vector) }
    }

    #[inline(always)]
    fn add(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: see the type.
        unsafe { _mm256_add_epi32(a, b) }
    }

    #[inline(always)]
    fn sub(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: see the type.
        unsafe { _mm256_sub_epi32(a, b) }
    }

    #[inline(always)]
    fn mul(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: see the type.
        unsafe { _mm256_mullo_epi32(a, b) }
    }

    #[inline(always)]
    fn mul_high(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: see the type.
        unsafe {
            let even = _mm256_srli_epi64::<32>(_mm256_mul_epu32(a, b));
            let odd = _mm256_mul_epu32(_mm256_srli_epi64::<32>(a), _mm256_srli_epi64::<32>(b));
            _mm256_blend_epi32::<0b1010_1010>(even, odd)
        }
    }

    #[inline(always)]
    fn min(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: see the type.
        unsafe { _mm256_min_epu32(a, b) }
    }

    #[inline(always)]
    fn xor(self, a: __m256i, b: __m256i) -> __m256i {
        // SAFETY: see the type.
        unsafe { _mm256_xor_si256(a, b) }
    }

    #[inline(always)]
    fn shift_right<const BY: u32>(self, a: __m256i) -> __m256i {
        // SAFETY: see the type.
        unsafe { _mm256_srl_epi32(a, _mm_cvtsi32_si128(BY.cast_signed())) }
    }

    #[inline(always)]
    fn rotate_15(self, a: __m256i) -> __m256i {
        // SAFETY: see the type.
        unsafe { _mm256_or_si256(_mm256_slli_epi32::<15>(a), _mm256_srli_epi32::<17>(a)) }
    }

    #[inline(always)]
    fn if_less(self, a: __m256i, b: __m256i, less: __m256i, other: __m256i) -> __m256i {
        // SAFETY: see the type.
        unsafe {
            // Only equality can be compared without a sign.
            let not_less = _mm256_cmpeq_epi32(_mm256_max_epu32(a, b), a);
            _mm256_blendv_epi8(less, other, not_less)
        }
    }

    #[inline(always)]
    fn all_hits(self) -> __m256i {
        self.splat(u32::MAX)
    }

    #[inline(always)]
    fn hit(self, hits: __m256i, words: __m256i, positions: __m256i) -> __m256i {
        // SAFETY: see the type.
        unsafe {
            // 31 less the position modulo 32 moves the bit to the top.
            let to_the_top = _mm256_andnot_si256(positions, _mm256_set1_epi32(31));
            _mm256_and_si256(hits, _mm256_sllv_epi32(words, to_the_top))
        }
    }

    #[inline(always)]
    fn hit_bits(self, hits: __m256i) -> u32 {
        // SAFETY: see the type.
        unsafe { _mm256_movemask_ps(_mm256_castsi256_ps(hits)) }.cast_unsigned()
    }

    #[inline(always)]
    fn compress(self, vector: __m256i, bits: u32) -> __m256i {
        let packing = &PACKINGS[bits as usize & 0xff];
        // SAFETY: see the type; the array has 8 bytes.
        unsafe {
            let lanes = _mm256_cvtepu8_epi32(_mm_loadl_epi64(packing.as_ptr().cast()));
            _mm256_permutevar8x32_epi32(vector, lanes)
        }
    }

    #[inline(always)]
    fn words_at(self, words: &[[u8; 4]], beyond: __m256i, positions: __m256i) -> __m256i {
        // Not above 2^27, so that the index below is not negative.
        let count = words.len().min(1 << 27) as i32;
        // SAFETY: see the type; words are read under a mask of those that the slice has.
        unsafe {
            let indices = _mm256_srli_epi32::<5>(positions);
            let inside = _mm256_cmpgt_epi32(_mm256_set1_epi32(count), indices);
            _mm256_mask_i32gather_epi32::<4>(beyond, words.as_ptr().cast(), indices, inside)
        }
    }

    #[inline(always)]
    fn table<const QUARTERS: usize>(self, bytes: &[u8]) -> [__m256i; QUARTERS] {
        let (words, rest) = bytes.as_chunks::<4>();
        let beyond = self.splat(
            rest.iter()
                .rev()
                .fold(0, |word, &byte| word << 8 | u32::from(byte)),
        );
        let mut table = [self.splat(0); QUARTERS];
        for (i, vector) in table.iter_mut().enumerate() {
            let part = &words[words.len().min(8 * i)..];
            let mask = self.word_mask(part.len());
            // The place of the bytes after the last whole word, if it is in this vector.
            let place = self.splat(words.len().wrapping_sub(8 * i) as u32);
            // SAFETY: see the type; words are read under a mask of those that the slice has.
            *vector = unsafe {
                let whole = _mm256_maskload_epi32(part.as_ptr().cast(), mask);
                let here = _mm256_cmpeq_epi32(self.iota(), place);
                _mm256_or_si256(whole, _mm256_and_si256(beyond, here))
            };
        }
        table
    }

    #[inline(always)]
    fn table_words<const QUARTERS: usize>(self, table: &[__m256i; QUARTERS], positions: __m256i) -> __m256i {
        // SAFETY: see the type.
        unsafe {
            // Of which three bits count.
            let indices = _mm256_srli_epi32::<5>(positions);
            // The highest bit of each lane chooses: here bit 3 of the index, below bit 4.
            let third = _mm256_slli_epi32::<23>(positions);
            match *table.as_slice() {
                [a] => _mm256_permutevar8x32_epi32(a, indices),
                [a, b] => self.of_pair(a, b, indices, third),
                [a, b, c, d] => {
                    let low = self.of_pair(a, b, indices, third);
                    let high = self.of_pair(c, d, indices, third);
                    self.chosen(low, high, _mm256_slli_epi32::<22>(positions))
                }
                _ => unreachable!("tables have 1, 2 or 4 vectors"),
            }
        }
    }

    #[inline(always)]
    fn high_bits(self, bytes: &[u8; 64]) -> u64 {
        // SAFETY: see the type; two vectors have the length of the array.
        unsafe {
            let low = _mm256_movemask_epi8(_mm256_loadu_si256(bytes[..32].as_ptr().cast()));
            let high = _mm256_movemask_epi8(_mm256_loadu_si256(bytes[32..].as_ptr().cast()));
            u64::from(low.cast_unsigned()) | u64::from(high.cast_unsigned()) << 32
        }
    }

    #[inline(always)]
    fn packed_words(self, keys: &[[u8; 16]]) -> [__m256i; 4] {
        let keys: &[[u8; 16]; 8] = keys.first_chunk().expect("a group has a key for each lane");
        let rows: *const __m256i = keys.as_ptr().cast();
        // SAFETY: see the type; four vectors have the length of the array.
        unsafe {
            self.transposed([
                _mm256_loadu_si256(rows),
                _mm256_loadu_si256(rows.add(1)),
                _mm256_loadu_si256(rows.add(2)),
                _mm256_loadu_si256(rows.add(3)),
            ])
        }
    }

    #[inline(always)]
    fn in_order(self, vector: __m256i) -> __m256i {
        // SAFETY: see the type.
        unsafe { _mm256_permutevar8x32_epi32(vector, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)) }
    }

    #[inline(always)]
    fn words<const WHOLE: bool>(self, keys: &[&[u8]], from: usize) -> [__m256i; 4] {
        let keys: &[&[u8]; 8] = keys.first_chunk().expect("a group has a key for each lane");
        self.transposed([
            self.row::<WHOLE>(keys, 0, from),
            self.row::<WHOLE>(keys, 1, from),
            self.row::<WHOLE>(keys, 2, from),
            self.row::<WHOLE>(keys, 3, from),
        ])
    }

    #[inline(always)]
    fn hash(self, source: Source<'_>, start: usize, hashes: &mut [u32]) {
        #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
        #[inline(never)]
        fn run(lanes: Avx2, source: Source<'_>, start: usize, hashes: &mut [u32]) {
            source::hash(lanes, source, start, hashes);
        }
        // SAFETY: see the type.
        unsafe { run(self, source, start, hashes) }
    }

    #[inline(always)]
    fn prefetch<const WRITE: bool>(self, bytes: &[u8], index: usize) {
        let place = bytes.as_ptr().wrapping_add(index).cast();
        // SAFETY: a hint, whatever the address; part of what every x86-64 processor decodes.
        unsafe {
            if WRITE {
                _mm_prefetch::<_MM_HINT_ET0>(place);
            } else {
                _mm_prefetch::<_MM_HINT_T0>(place);
            }
        }
    }
}
