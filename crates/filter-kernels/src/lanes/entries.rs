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

/// Gives lanes the methods that query RocksDB's lines for one key. `all_set` of the calling module answers for a line and
/// the start of a walk.
macro_rules! line_entries {
    ($lanes:ident, $features:literal) => {
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
                #[target_feature(enable = $features)]
                fn run<S: Stored>(stored: &S, key: &[u8], filter: &[u8]) -> bool {
                    match stored.lines(filter) {
                        Some((lines, probes)) => key_may_match(lines, probes, key),
                        None => stored.may_match_without_lines(key, filter),
                    }
                }
                // SAFETY: see the type.
                unsafe { run(stored, key, filter) }
            }
        }

        /// Keys of 16 bytes, such as UUIDs, are hashed inline, others in separate functions.
        #[target_feature(enable = $features)]
        #[inline]
        fn key_may_match(lines: &[Line], probes: u8, key: &[u8]) -> bool {
            match <&[u8; 16]>::try_from(key) {
                Ok(key) => may_match(lines, probes, xxph3_64(key, 0)),
                // Short keys need no call, so no register has to be saved.
                Err(_) if key.len() < 16 => short_key_may_match(lines, probes, key),
                Err(_) => long_key_may_match(lines, probes, key),
            }
        }

        #[target_feature(enable = $features)]
        #[inline(never)]
        fn short_key_may_match(lines: &[Line], probes: u8, key: &[u8]) -> bool {
            may_match(lines, probes, xxph3_64(&key[..key.len().min(16)], 0))
        }

        #[target_feature(enable = $features)]
        #[inline(never)]
        fn long_key_may_match(lines: &[Line], probes: u8, key: &[u8]) -> bool {
            may_match(lines, probes, xxph3_64(key, 0))
        }

        #[target_feature(enable = $features)]
        #[inline]
        fn may_match(lines: &[Line], probes: u8, hash: u64) -> bool {
            match lines.get(line_of(hash, lines.len())) {
                Some(line) => all_set(line, probes, walk_of(hash)),
                None => true,
            }
        }
    };
}

pub(crate) use {entries, entry, line_entries};

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
