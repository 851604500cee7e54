//! ELFHash: the hash of the ELF `.hash` section, which is PJW.
//!
//! Origin: AT&T, *System V Application Binary Interface* (1990), chapter 5, "Hash Table"; today
//! <https://www.sco.com/developers/gabi/latest/ch5.dynamic.html#hash>. Its step clears the top four bits with
//! `h &= ~g`; the Dragon Book's `h ^= g` has the same effect. The published comparison then masks the value to 31 bits,
//! which removes a bit that is never set.

use super::pjw::pjw;
use crate::HashInfo;

/// Returns ELFHash of `key`: the same function as [`pjw`].
///
/// Output: 28 bits. Seed: none. Empty key: 0. Never panics.
///
/// ```
/// assert_eq!(hashzoo::elf(b"abc"), 0x6783);
/// ```
#[inline]
pub const fn elf(key: &[u8]) -> u32 {
    pjw(key)
}

pub(super) static INFO: HashInfo = HashInfo {
    name: "ELFHash",
    ident: "elf",
    year: 1990,
    author: "AT&T, after Peter J. Weinberger",
    source: "System V Application Binary Interface, chapter 5, Hash Table; \
             https://www.sco.com/developers/gabi/latest/ch5.dynamic.html#hash",
    aliases: &["elf_hash"],
    answers_source: "elf_hash of libelf 0.188; the last, which has a NUL: PJWHash of Partow's C library",
    hash: |key| elf(key) as u64,
    ..super::pjw::INFO
};
