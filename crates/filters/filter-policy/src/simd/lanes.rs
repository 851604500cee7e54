//! Vectors, whose operations are traits with one implementation a processor.
//!
//! The algorithms are written once over these traits, and inlined into functions that are compiled for one instruction
//! set. Every function on the way there is `inline(always)`, and none for x86-64 takes a closure that works on vectors:
//! a closure cannot have the attribute, and is compiled without the instruction set unless it happens to be inlined.

use crate::simd::kernel::Kernel;

/// The maximum number of lanes in a vector.
pub(crate) const MAX_LANES: usize = 16;

/// The number of bytes of a key that are hashed between two loads.
pub(crate) const STEP: usize = 16;

/// For each set of 8 lanes, the numbers of the set's lanes in order.
pub(crate) static PACKINGS: [[u8; 8]; 256] = packings();

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

/// Returns the bytes after the last whole word as a little-endian number.
#[inline(always)]
pub(crate) fn last_bytes(bytes: &[u8]) -> u32 {
    if let Some(last) = bytes.last_chunk::<4>() {
        // Two steps, because a shift by all 32 bits would overflow.
        return u32::from_le_bytes(*last) >> 8 >> (24 - 8 * (bytes.len() % 4));
    }
    match *bytes {
        [a, b, c] => u32::from_le_bytes([a, b, c, 0]),
        [a, b] => u32::from_le_bytes([a, b, 0, 0]),
        [a] => u32::from(a),
        _ => 0,
    }
}

/// The instructions of a processor that kernels use besides vectors.
pub(crate) trait Target: Copy {
    /// The kernel.
    const KERNEL: Kernel;
    /// Set if compilers have vectors of eight numbers for the processor.
    const VECTORS: bool = true;
    /// Set if the processor has [`parities`](Self::parities).
    const PARITIES: bool = false;

    /// # Safety
    ///
    /// The processor and the operating system support the instructions.
    unsafe fn assumed() -> Self;

    /// Does work in a function that is compiled once for the instruction set: hashing is too large to be inlined
    /// wherever keys are hashed.
    fn call<W: Work>(self, work: W) -> W::Out;

    /// Does work inlined into the calling function.
    fn here<W: Work>(self, work: W) -> W::Out;

    /// Prefetches an item, to be written if `WRITE`. This is not an access in the sense of the language.
    #[inline(always)]
    fn prefetch<const WRITE: bool, T>(self, items: &[T], index: usize) {
        let _ = (items, index);
    }

    /// Prefetches an array, which may lie in two cache lines.
    #[inline(always)]
    fn prefetch_array<const WRITE: bool, const LEN: usize>(self, arrays: &[[u8; LEN]], index: usize) {
        let (bytes, start) = (arrays.as_flattened(), index * LEN);
        self.prefetch::<WRITE, _>(bytes, start);
        if bytes.as_ptr().align_offset(LEN) != 0 {
            self.prefetch::<WRITE, _>(bytes, start + LEN - 1);
        }
    }

    /// Returns the number of bits that are one.
    #[inline(always)]
    fn count_ones(self, word: u64) -> u32 {
        word.count_ones()
    }

    /// Returns, for each of at most eight rows, whether the bits that are set in both mask and row of the pair `first`
    /// and `second` are odd in number. Rows that are missing are even.
    #[inline(always)]
    fn parities(self, first: &[[u8; 16]], second: &[[u8; 16]], masks: [u128; 2]) -> u32 {
        let _ = (first, second, masks);
        unreachable!("the processor has no such instructions")
    }
}

/// Work that is done by the widest instructions of a processor that it has code for.
pub(crate) trait Work: Sized {
    type Out;

    /// Does the work in portable code.
    fn portable(self) -> Self::Out;

    /// Does the work in lanes of 32 bits.
    #[inline(always)]
    fn narrow<S: Lanes>(self, lanes: S) -> Self::Out {
        let _ = lanes;
        self.portable()
    }

    /// Does the work in lanes of 64 bits too.
    #[inline(always)]
    fn wide<S: WideLanes>(self, lanes: S) -> Self::Out {
        self.narrow(lanes)
    }
}

/// The portable code.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Portable;

impl Target for Portable {
    const KERNEL: Kernel = Kernel::Scalar;
    const VECTORS: bool = false;

    #[inline(always)]
    unsafe fn assumed() -> Self {
        Self
    }

    #[inline(always)]
    fn call<W: Work>(self, work: W) -> W::Out {
        work.portable()
    }

    #[inline(always)]
    fn here<W: Work>(self, work: W) -> W::Out {
        work.portable()
    }
}

/// Operations on vectors of [`LANES`](Self::LANES) lanes of 32 bits.
///
/// Values of the implementing types exist only where the processor has the instructions, so the operations are safe to
/// call. `add`, `sub` and `mul` wrap.
pub(crate) trait Lanes: Target {
    /// The number of lanes in a vector, at most [`MAX_LANES`].
    const LANES: usize;
    /// Set if keys of different lengths are hashed faster in lanes than one by one.
    const UNEVEN: bool;
    /// Set if packed keys are hashed faster where many are queried than before.
    const IN_PLACE: bool;
    /// The number of bytes in four vectors, the largest table.
    const TABLE_BYTES: usize;

    type Vector: Copy;
    /// The lanes that have had all their bits set so far.
    type Hits: Copy;

    fn splat(self, value: u32) -> Self::Vector;
    /// Returns 0, 1, 2 and so on.
    #[inline(always)]
    fn iota(self) -> Self::Vector {
        self.load(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])
    }
    /// Loads a vector.
    ///
    /// # Safety
    ///
    /// There are as many bytes as a vector has.
    unsafe fn load_at(self, place: *const u8) -> Self::Vector;
    /// Stores a vector.
    ///
    /// # Safety
    ///
    /// There are as many bytes as a vector has.
    unsafe fn store_at(self, vector: Self::Vector, place: *mut u8);
    /// Loads the first values. Panics if there are too few.
    #[inline(always)]
    fn load(self, values: &[u32]) -> Self::Vector {
        // SAFETY: there is a value for each lane.
        unsafe { self.load_at(values[..Self::LANES].as_ptr().cast()) }
    }
    /// Stores over the first values. Panics if there are too few.
    #[inline(always)]
    fn store(self, vector: Self::Vector, values: &mut [u32]) {
        // SAFETY: there is a value for each lane.
        unsafe { self.store_at(vector, values[..Self::LANES].as_mut_ptr().cast()) }
    }
    /// Loads the first bytes. Panics if there are too few.
    #[inline(always)]
    fn load_bytes(self, bytes: &[u8]) -> Self::Vector {
        // SAFETY: there are four bytes for each lane.
        unsafe { self.load_at(bytes[..4 * Self::LANES].as_ptr()) }
    }
    /// Stores over the first bytes. Panics if there are too few.
    #[inline(always)]
    fn store_bytes(self, vector: Self::Vector, bytes: &mut [u8]) {
        // SAFETY: there are four bytes for each lane.
        unsafe { self.store_at(vector, bytes[..4 * Self::LANES].as_mut_ptr()) }
    }
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Returns the low halves of the products.
    fn mul(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Returns the high halves of the products.
    fn mul_high(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn min(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn shift_right<const BY: u32>(self, a: Self::Vector) -> Self::Vector;
    /// Shifts each lane by its own count; 32 or more leave no bit.
    fn shift_left_each(self, a: Self::Vector, counts: Self::Vector) -> Self::Vector;
    /// Rotates left by 15, which is right by 17.
    fn rotate_15(self, a: Self::Vector) -> Self::Vector;
    /// Selects `less` where a < b, `other` elsewhere.
    fn if_less(
        self,
        a: Self::Vector,
        b: Self::Vector,
        less: Self::Vector,
        other: Self::Vector,
    ) -> Self::Vector;

    /// Returns words in which only the bit of each position, counted modulo 32, is set.
    fn bit_of(self, positions: Self::Vector) -> Self::Vector;
    fn all_hits(self) -> Self::Hits;
    /// Keeps the lanes whose word has the bit of the position, counted modulo 32, set.
    fn hit(self, hits: Self::Hits, words: Self::Vector, positions: Self::Vector) -> Self::Hits;
    /// Returns a bit for each lane.
    fn hit_bits(self, hits: Self::Hits) -> u32;
    /// Moves the lanes whose bit is set to the front, in order. The other lanes are unspecified.
    fn compress(self, vector: Self::Vector, bits: u32) -> Self::Vector;

    /// Returns the words that hold the bits of these positions; `beyond` where there is no such word.
    fn words_at(self, words: &[[u8; 4]], beyond: Self::Vector, positions: Self::Vector) -> Self::Vector;
    /// Loads the bytes, at most `QUARTERS * TABLE_BYTES / 4`, followed by zeros. `QUARTERS` is 1, 2 or 4.
    fn table<const QUARTERS: usize>(self, bytes: &[u8]) -> [Self::Vector; QUARTERS];
    /// Returns the words of the table that hold the bits of these positions.
    fn table_words<const QUARTERS: usize>(
        self,
        table: &[Self::Vector; QUARTERS],
        positions: Self::Vector,
    ) -> Self::Vector;

    /// Returns true if the bits at the first `count` positions are set; at most eight count.
    ///
    /// # Safety
    ///
    /// The positions are below the number of bits.
    unsafe fn all_set(self, bytes: &[u8], positions: Self::Vector, count: u32) -> bool;

    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    #[inline(always)]
    fn or3(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector {
        self.or(self.or(a, b), c)
    }

    /// Returns the highest bit of each of 64 bytes.
    fn high_bits(self, bytes: &[u8; 64]) -> u64;
    /// Returns a bit for each of 64 bytes that has all bits set.
    #[inline(always)]
    fn full_bytes(self, bytes: &[u8; 64]) -> u64 {
        (0..64).fold(0, |full, i| full | u64::from(bytes[i] == 0xff) << i)
    }

    /// Returns words 0 to 3 of 16-byte keys, the lanes in an order that [`in_order`](Self::in_order) corrects. Panics
    /// if there are fewer than [`LANES`](Self::LANES) keys.
    fn packed_words(self, keys: &[[u8; STEP]]) -> [Self::Vector; 4];
    /// Puts lanes into the order of the keys that [`packed_words`](Self::packed_words) was given.
    fn in_order(self, vector: Self::Vector) -> Self::Vector;
    /// Returns the four words of each key from the byte at `from` on; 0 for words that do not lie within the key.
    /// Panics if `WHOLE` and a key lacks one of its four words, or if there are fewer than [`LANES`](Self::LANES) keys.
    fn words<const WHOLE: bool>(self, keys: &[&[u8]], from: usize) -> [Self::Vector; 4];
}

/// Lanes of the processors that also multiply 64-bit numbers in lanes.
pub(crate) trait WideLanes: Lanes {
    type Wide: Lanes64;
    /// Enough lanes that a processor is busy while each lane waits for the step before.
    type Chains: Lanes64;

    fn wide(self) -> Self::Wide;
    fn chains(self) -> Self::Chains;
    /// Loads the first [`LANES`](Lanes::LANES) values, in an order that [`upper_halves`](Self::upper_halves) corrects.
    /// Panics if there are too few.
    fn load_walks(self, hashes: &[u64]) -> Walks<Self>;
    /// Returns the upper halves of the values, in order.
    fn upper_halves(self, walks: Walks<Self>) -> Self::Vector;
}

/// A 64-bit value for each 32-bit lane.
pub(crate) type Walks<S> = [<<S as WideLanes>::Wide as Lanes64>::Vector; 2];

/// Operations on vectors of [`LANES`](Self::LANES) lanes of 64 bits. `add`, `sub` and `mul` wrap.
pub(crate) trait Lanes64: Copy {
    /// The number of lanes in a vector, at most [`MAX_GROUP`](crate::simd::hash::tile::MAX_GROUP).
    const LANES: usize;

    type Vector: Copy;

    fn splat(self, value: u64) -> Self::Vector;
    /// Returns the value of each lane.
    fn collect(self, value: impl Fn(usize) -> u64) -> Self::Vector;
    /// Reads two adjacent words for each lane.
    ///
    /// # Safety
    ///
    /// There are 16 bytes at each place.
    unsafe fn collect_pairs(self, place: impl Fn(usize) -> *const u8) -> (Self::Vector, Self::Vector);
    /// Stores over the first values. Panics if there are too few.
    fn store(self, vector: Self::Vector, values: &mut [u64]);
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Returns the low halves of the products.
    fn mul(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Returns the products of the lower halves.
    fn mul_halves(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Combines the lower halves of one vector with the upper halves of another.
    fn lower_and_upper(self, lower: Self::Vector, upper: Self::Vector) -> Self::Vector;

    /// XORs both halves of the 128-bit products, which are computed from four products of halves.
    #[inline(always)]
    fn fold(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        let (a_high, b_high) = (self.shift_right::<32>(a), self.shift_right::<32>(b));
        let low = self.mul_halves(a, b);
        let left = self.mul_halves(a_high, b);
        let right = self.mul_halves(a, b_high);
        let high = self.mul_halves(a_high, b_high);
        // No sum overflows: (2^32 - 1)^2 plus two 32-bit numbers is at most 2^64 - 1.
        let left = self.add(left, self.shift_right::<32>(low));
        let right = self.add(right, self.and(left, self.splat(0xffff_ffff)));
        let high = self.add(high, self.shift_right::<32>(left));
        let high = self.add(high, self.shift_right::<32>(right));
        self.xor(self.lower_and_upper(low, self.shift_left::<32>(right)), high)
    }

    fn shift_left<const BY: u32>(self, a: Self::Vector) -> Self::Vector;
    fn shift_right<const BY: u32>(self, a: Self::Vector) -> Self::Vector;
    /// XORs the upper bits into the lower ones.
    #[inline(always)]
    fn mixed<const BY: u32>(self, a: Self::Vector) -> Self::Vector {
        self.xor(a, self.shift_right::<BY>(a))
    }
    /// Reverses the bytes of each lane.
    fn swap_bytes(self, a: Self::Vector) -> Self::Vector;
    /// Shifts each lane by its own count; 64 or more leave no bit.
    fn shift_right_each(self, a: Self::Vector, counts: Self::Vector) -> Self::Vector;
    /// Rotates left by `LEFT` bits, which is right by `RIGHT`.
    fn rotate_left<const LEFT: i32, const RIGHT: i32>(self, a: Self::Vector) -> Self::Vector;
    /// Returns a bit for each lane whose number is above the bound; both are below 2^63.
    fn above(self, a: Self::Vector, bound: u64) -> u32;
    /// Selects `yes` where the number is above the bound and `no` elsewhere; both are below 2^63.
    fn if_above(self, a: Self::Vector, bound: u64, yes: Self::Vector, no: Self::Vector) -> Self::Vector;
}

/// Operations of an instruction set, each an expression of intrinsics; operands and results without a type are vectors,
/// and generics and `unsafe` are in brackets.
macro_rules! operations {
    ($($([$unsafe:ident])? fn $name:ident $([$($generic:tt)*])? ($this:ident $(, $operand:ident $(: $type:ty)?)*) $(-> $result:ty)? = $expression:expr;)+) => {$(
        #[inline(always)]
        $($unsafe)? fn $name $(<$($generic)*>)? ($this $(, $operand: operations!(@ $($type)?))*) -> operations!(@ $($result)?) {
            #[allow(unused_unsafe, reason = "all code may use NEON, and pairs use operations")]
            // SAFETY: see the type; the rest is guaranteed by the caller of an unsafe function.
            unsafe {
                $expression
            }
        }
    )+};
    (@) => { Self::Vector };
    (@ $type:ty) => { $type };
}

pub(crate) use operations;

/// Two vectors of the same lanes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair<L>(pub(crate) L);

impl<L: Lanes64> Lanes64 for Pair<L> {
    const LANES: usize = 2 * L::LANES;

    type Vector = [L::Vector; 2];

    operations! {
        fn splat(self, value: u64) = [self.0.splat(value); 2];
        fn store(self, vector: Self::Vector, values: &mut [u64]) -> () = {
            self.0.store(vector[0], values);
            self.0.store(vector[1], &mut values[L::LANES..]);
        };
        fn add(self, a, b) = [self.0.add(a[0], b[0]), self.0.add(a[1], b[1])];
        fn sub(self, a, b) = [self.0.sub(a[0], b[0]), self.0.sub(a[1], b[1])];
        fn and(self, a, b) = [self.0.and(a[0], b[0]), self.0.and(a[1], b[1])];
        fn xor(self, a, b) = [self.0.xor(a[0], b[0]), self.0.xor(a[1], b[1])];
        fn mul(self, a, b) = [self.0.mul(a[0], b[0]), self.0.mul(a[1], b[1])];
        fn mul_halves(self, a, b) = [self.0.mul_halves(a[0], b[0]), self.0.mul_halves(a[1], b[1])];
        fn lower_and_upper(self, a, b) = [self.0.lower_and_upper(a[0], b[0]), self.0.lower_and_upper(a[1], b[1])];
        fn shift_right_each(self, a, b) = [self.0.shift_right_each(a[0], b[0]), self.0.shift_right_each(a[1], b[1])];
        fn shift_left[const BY: u32](self, a) = [self.0.shift_left::<BY>(a[0]), self.0.shift_left::<BY>(a[1])];
        fn shift_right[const BY: u32](self, a) = [self.0.shift_right::<BY>(a[0]), self.0.shift_right::<BY>(a[1])];
        fn rotate_left[const LEFT: i32, const RIGHT: i32](self, a) =
            [self.0.rotate_left::<LEFT, RIGHT>(a[0]), self.0.rotate_left::<LEFT, RIGHT>(a[1])];
        fn swap_bytes(self, a) = [self.0.swap_bytes(a[0]), self.0.swap_bytes(a[1])];
        fn above(self, a, bound: u64) -> u32 = self.0.above(a[0], bound) | self.0.above(a[1], bound) << L::LANES;
        fn if_above(self, a, bound: u64, yes, no) =
            [self.0.if_above(a[0], bound, yes[0], no[0]), self.0.if_above(a[1], bound, yes[1], no[1])];
        fn collect(self, value: impl Fn(usize) -> u64) = [self.0.collect(&value), self.0.collect(|i| value(L::LANES + i))];
        [unsafe] fn collect_pairs(self, place: impl Fn(usize) -> *const u8) -> (Self::Vector, Self::Vector) = {
            let ((a, b), (c, d)) = (self.0.collect_pairs(&place), self.0.collect_pairs(|i| place(L::LANES + i)));
            ([a, c], [b, d])
        };
    }
}
