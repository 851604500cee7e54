//! Macros for the functions that are compiled for each instruction set.

use crate::modulus::LaneDivisor;

/// Gives lanes a method that is compiled for these target features: `fn name(arguments) = function`, where the function
/// takes the lanes before the arguments.
macro_rules! entry {
    ($lanes:ident, $features:literal, fn $name:ident $(<$hash:ident, $other:ident>)? ($($argument:ident: $type:ty),* $(,)?)
        $(-> $result:ty)? = $function:expr) => {
        #[inline]
        pub(crate) fn $name $(<$hash: Fn(&[u8]) -> u32 + Copy, $other: Fn($lanes, $hash, &[u8], &[u8]) -> bool>)? (self, $($argument: $type),*) $(-> $result)? {
            #[target_feature(enable = $features)]
            fn run $(<$hash: Fn(&[u8]) -> u32 + Copy, $other: Fn($lanes, $hash, &[u8], &[u8]) -> bool>)? (lanes: $lanes, $($argument: $type),*) $(-> $result)? {
                $function(lanes, $($argument),*)
            }
            // SAFETY: see the type.
            unsafe { run(self, $($argument),*) }
        }
    };
}

/// Gives lanes all methods that the other modules call. `$in_place` is the parameter of
/// [`may_match_many`](crate::leveldb::query::may_match_many).
macro_rules! entries {
    ($lanes:ident, $features:literal, in_place: $in_place:literal) => {
        impl $lanes {
            #[inline]
            pub(crate) fn create(
                self,
                bit_array: &mut [u8],
                divisor: LaneDivisor,
                probes: u8,
                source: Source<'_>,
            ) {
                if create::is_small(bit_array, probes) {
                    self.create_small(bit_array, divisor, source);
                } else if create::has_map(bit_array) {
                    self.create_by_map(bit_array, divisor, probes, source);
                } else {
                    bit_array.fill(0);
                    self.insert(bit_array, divisor, probes, source);
                }
            }

            entry!($lanes, $features, fn create_small(
                bit_array: &mut [u8],
                divisor: LaneDivisor,
                source: Source<'_>,
            ) = create::create_small);

            entry!($lanes, $features, fn create_by_map(
                bit_array: &mut [u8],
                divisor: LaneDivisor,
                probes: u8,
                source: Source<'_>,
            ) = create::create_by_map);

            entry!($lanes, $features, fn insert(
                bit_array: &mut [u8],
                divisor: LaneDivisor,
                probes: u8,
                source: Source<'_>,
            ) = create::insert);

            entry!($lanes, $features, fn hash_keys(
                keys: Keys<'_>,
                function: LaneHash,
                start: usize,
                hashes: &mut [u32],
            ) = groups::hash);

            entry!($lanes, $features, fn may_match_many(
                bit_array: &[u8],
                divisor: LaneDivisor,
                probes: u32,
                source: Source<'_>,
                answers: &mut [u64],
            ) = query::may_match_many::<_, $in_place>);

            entry!($lanes, $features, fn may_match(
                bit_array: &[u8],
                divisor: LaneDivisor,
                probes: u32,
                hash: u32,
            ) -> bool = |lanes: $lanes, bit_array, divisor, probes, hash| {
                if probes <= 8 {
                    lanes.all_of_8(bit_array, divisor, probes, hash)
                } else {
                    query::may_match(lanes, bit_array, divisor, probes, hash)
                }
            });

            // A single query spends as much time reaching the code as computing the answer. One function therefore goes
            // from the key to the answer, without a loop for keys of 16 bytes, such as UUIDs. Rare cases go to `other`.
            entry!($lanes, $features, fn may_match_key<H, O>(
                hash: H,
                key: &[u8],
                filter: &[u8],
                other: O,
            ) -> bool = |lanes: $lanes, hash: H, key: &[u8], filter: &[u8], other: O| {
                if let Some((bit_array, divisor, probes)) = usual(filter) {
                    let hash = match <&[u8; 16]>::try_from(key) {
                        Ok(key) => hash(key),
                        Err(_) => return lanes.may_match_any_key(hash, key, filter, other),
                    };
                    lanes.all_of_8(bit_array, divisor, probes, hash)
                } else {
                    other(lanes, hash, key, filter)
                }
            });

            entry!($lanes, $features, fn may_match_any_key<H, O>(
                hash: H,
                key: &[u8],
                filter: &[u8],
                other: O,
            ) -> bool = |lanes: $lanes, hash: H, key: &[u8], filter: &[u8], other: O| {
                if let Some((bit_array, divisor, probes)) = usual(filter) {
                    lanes.all_of_8(bit_array, divisor, probes, hash(key))
                } else {
                    other(lanes, hash, key, filter)
                }
            });
        }
    };
}

/// Gives lanes the methods that query RocksDB's lines for one key, from functions of the calling module.
macro_rules! line_entries {
    ($lanes:ident) => {
        impl $lanes {
            #[inline]
            pub(crate) fn line_may_match(self, lines: &[Line], probes: u8, hash: u64) -> bool {
                // SAFETY: see the type.
                unsafe { may_match(lines, probes, hash) }
            }

            #[inline]
            pub(crate) fn line_may_match_key(self, lines: &[Line], probes: u8, key: &[u8]) -> bool {
                // SAFETY: see the type.
                unsafe { key_may_match(lines, probes, key) }
            }

            #[inline]
            pub(crate) fn stored_may_match<S: Stored>(self, stored: &S, key: &[u8], filter: &[u8]) -> bool {
                // SAFETY: see the type.
                unsafe { stored_may_match(stored, key, filter) }
            }
        }
    };
}

/// Gives lanes the methods that build and query filters of 64-bit hash values by tiles.
macro_rules! tile_entries {
    ($lanes:ident, $features:literal) => {
        impl $lanes {
            entry!($lanes, $features, fn insert_in_lines(
                lines: &mut [Line],
                probes: u8,
                source: WideSource<'_>,
            ) -> usize = tiles::insert_in_lines);

            entry!($lanes, $features, fn lines_may_match_many(
                lines: &[Line],
                probes: u8,
                source: WideSource<'_>,
                answers: &mut [u64],
            ) = tiles::ask_lines);

            entry!($lanes, $features, fn insert_spread(
                bit_array: &mut [u8],
                probes: u8,
                source: WideSource<'_>,
            ) = tiles::insert_bits);

            entry!($lanes, $features, fn spread_may_match_many(
                bit_array: &[u8],
                probes: u8,
                source: WideSource<'_>,
                answers: &mut [u64],
            ) = tiles::ask_bits);
        }
    };
}

/// Gives lanes the methods that build and query Ribbon filters.
#[cfg(target_arch = "x86_64")]
macro_rules! ribbon_entries {
    ($lanes:ident, $features:literal) => {
        impl $lanes {
            entry!($lanes, $features, fn eliminate(
                rows: &mut [Row],
                used_seed: u64,
                hashes: &[u64],
            ) -> bool = ribbon::eliminate_by);

            entry!($lanes, $features, fn solve(rows: &[Row], shape: Shape, words: &mut [Word]) = ribbon::solve_by);

            entry!($lanes, $features, fn solution_may_match(
                words: &[Word],
                shape: u64,
                seed: u64,
                hash: u64,
            ) -> bool = ribbon::may_match_by);

            entry!($lanes, $features, fn solution_may_match_key(
                words: &[Word],
                shape: u64,
                seed: u64,
                key: &[u8],
            ) -> bool = ribbon::key_may_match_by);

            entry!($lanes, $features, fn solution_may_match_many(
                solution: Solution<'_>,
                source: WideSource<'_>,
                answers: &mut [u64],
            ) = ribbon::may_match_many_by);
        }
    };
}

/// Gives lanes the methods that build and query binary fuse filters.
#[cfg(target_arch = "x86_64")]
macro_rules! fuse_entries {
    ($lanes:ident, $features:literal) => {
        impl $lanes {
            entry!($lanes, $features, fn add_to_slots(
                shape: fuse::Shape,
                slots: &mut [fuse::Slot],
                hashes: &[u64],
            ) -> bool = |lanes: $lanes, shape, slots, hashes| fuse::add_by(
                shape,
                slots,
                hashes,
                |slots, at| lanes.prefetch::<true, _>(slots, at),
            ));

            entry!($lanes, $features, fn fingerprints_may_match(
                fingerprints: fuse::Fingerprints<'_>,
                hash: u64,
            ) -> bool = |_: $lanes, fingerprints, hash| fuse::may_match_by(fingerprints, hash));

            entry!($lanes, $features, fn fingerprints_may_match_many(
                fingerprints: fuse::Fingerprints<'_>,
                source: WideSource<'_>,
                answers: &mut [u64],
            ) = |lanes: $lanes, fingerprints, source, answers| fuse::may_match_many_by(
                fingerprints,
                source,
                answers,
                |bytes, at| lanes.prefetch::<false, _>(bytes, at),
            ));
        }
    };
}

/// Gives lanes the methods that build and query split blocks.
#[cfg(target_arch = "x86_64")]
macro_rules! block_entries {
    ($lanes:ident, $features:literal) => {
        impl $lanes {
            entry!($lanes, $features, fn insert_in_blocks(
                blocks: &mut [Block],
                function: BlockHash,
                source: WideSource<'_>,
            ) = insert_by);

            entry!($lanes, $features, fn insert_in_block(blocks: &mut [Block], hash: u64) = insert_hash_by);

            entry!($lanes, $features, fn block_may_match(blocks: &[Block], hash: u64) -> bool = may_match_by);

            entry!($lanes, $features, fn block_may_match_key(blocks: &[Block], key: &[u8]) -> bool = key_may_match_by);

            entry!($lanes, $features, fn block_may_match_key_xxph3(blocks: &[Block], key: &[u8]) -> bool = xxph3_may_match_by);

            entry!($lanes, $features, fn blocks_may_match_many(
                filter: SplitBlocks<'_>,
                source: WideSource<'_>,
                answers: &mut [u64],
            ) = may_match_many_by);

            entry!($lanes, $features, fn blocks_may_match_each(
                filters: &[&[Block]],
                hash: u64,
            ) -> u64 = may_match_each_by);
        }
    };
}

#[cfg(target_arch = "x86_64")]
pub(crate) use {block_entries, fuse_entries, ribbon_entries};
pub(crate) use {entries, entry, line_entries, tile_entries};

/// Splits a stored filter that has at most 8 probes and a length that lanes support.
#[inline(always)]
pub(crate) fn usual(filter: &[u8]) -> Option<(&[u8], LaneDivisor, u32)> {
    // One comparison checks both limits of the length.
    if filter.len().wrapping_sub(2) >= LaneDivisor::MAX_BYTES {
        return None;
    }
    let [bit_array @ .., probes @ 0..=8] = filter else {
        return None;
    };
    let divisor = LaneDivisor::of_bytes(bit_array.len())?;
    Some((bit_array, divisor, u32::from(*probes)))
}
