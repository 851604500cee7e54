//! RocksDB's cache-local filters: a line is a byte table in four registers.

use core::arch::aarch64::*;

use hashzoo::xxph3_64;

use super::{Neon, are_set, bit_of_byte};
use crate::fast_local::{Line, POWERS, Stored, USUAL_PROBES, line_of, set_one, walk_of};
use crate::hash::{WideSource, xxph3};
use crate::lanes::entries::line_entries;
use crate::tiles::{Tile, TileLanes};

line_entries!(Neon, "neon");

impl TileLanes for Neon {
    #[inline(always)]
    fn hash_tile<const FINAL: bool>(self, source: WideSource<'_>, start: usize, hashes: &mut [u64]) {
        source.hash_by(xxph3::of_one::<FINAL>, start, hashes);
    }

    #[inline(always)]
    fn set_in_lines(self, lines: &mut [Line], probes: u8, tile: Tile<'_>) {
        for &hash in tile.used() {
            if probes == USUAL_PROBES {
                set_one(lines, USUAL_PROBES, hash);
            } else {
                set_one(lines, probes, hash);
            }
        }
    }

    #[inline(always)]
    fn ask_lines(self, lines: &[Line], probes: u8, tile: Tile<'_>) -> u64 {
        let mut answers = 0;
        for (i, &hash) in tile.used().iter().enumerate() {
            let line = &lines[line_of(hash, lines.len())];
            answers |= u64::from(all_set(line, probes, walk_of(hash))) << i;
        }
        answers
    }
}

/// Returns true if the line has the bits of all probes, tested eight at a time.
#[inline(always)]
fn all_set(line: &Line, probes: u8, walk: u32) -> bool {
    // SAFETY: see the type; four vectors have the length of a line, and two that of eight powers.
    unsafe {
        let table = vld1q_u8_x4(line.as_ptr());
        let mut left = u32::from(probes);
        for powers in POWERS.as_chunks::<8>().0 {
            let low = vmulq_n_u32(vld1q_u32(powers.as_ptr()), walk);
            let high = vmulq_n_u32(vld1q_u32(powers.as_ptr().add(4)), walk);
            // The top nine bits are the byte in the line (six bits) and the bit in the byte (three bits).
            let walks = vshrn_high_n_u32::<16>(vshrn_n_u32::<16>(low), high);
            let places = vshr_n_u8::<2>(vshrn_n_u16::<8>(walks));
            let all = are_set(
                vqtbl4_u8(table, places),
                bit_of_byte(vshrn_n_u16::<7>(walks)),
                left.min(8),
            );
            // Avoids a branch on the last answer.
            if left <= 8 || !all {
                return all;
            }
            left -= 8;
        }
    }
    true
}
