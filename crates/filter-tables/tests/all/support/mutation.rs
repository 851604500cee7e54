//! Mutations of files, each determined by a number.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Reads a number from the environment.
fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name} must be a whole number, got {text:?}")),
        Err(_) => default,
    }
}

/// Runs a target on mutations of the corpus.
pub(crate) fn fuzz(corpus: &[Vec<u8>], default_cases: u64, target: impl Fn(&mut Source, Vec<u8>)) {
    let first = setting("FILTER_POLICY_FUZZ_FIRST", 0);
    let cases = setting("FILTER_POLICY_FUZZ_CASES", default_cases);
    assert!(cases > 0, "FILTER_POLICY_FUZZ_CASES must be at least 1, got 0");
    for case in (0..cases).map(|i| first.wrapping_add(i)) {
        let result = catch_unwind(AssertUnwindSafe(|| {
            let mut source = Source(SplitMix64::seed_from_u64(case));
            let bytes = source.mutation(corpus);
            target(&mut source, bytes);
        }));
        if let Err(panic) = result {
            eprintln!("to repeat: cargo xtask fuzz --first {case} --cases 1");
            resume_unwind(panic);
        }
    }
}

/// The random choices of one case.
pub(crate) struct Source(pub(crate) SplitMix64);

impl Source {
    /// Returns a number below `end`; 0 if there is none.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.0.next_u64() % (end as u64).max(1)).unwrap()
    }

    /// Returns a position at which to mutate this many bytes: half of the time among the last 300, where a table keeps
    /// the path to its filters.
    fn position(&mut self, len: usize) -> usize {
        match self.below(2) {
            0 => self.below(len),
            _ => len - 1 - self.below(len.min(300)),
        }
    }

    /// Returns a number at the edges of the readers' computations.
    pub(crate) fn interesting(&mut self, len: usize) -> u64 {
        let near = [
            0,
            1,
            4,
            5,
            11,
            30,
            31,
            48,
            64,
            0x7f,
            0x80,
            0xff,
            2047,
            2048,
            len as u64,
            0x7fff_ffff,
            u64::from(u32::MAX),
            1 << 40,
            u64::MAX,
        ];
        near[self.below(near.len())].wrapping_add_signed([0, 0, 0, -1, 1][self.below(5)])
    }

    fn mutation(&mut self, corpus: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = corpus[self.below(corpus.len())].clone();
        for _ in 0..=self.below(4) {
            if bytes.is_empty() {
                break;
            }
            let len = bytes.len();
            let at = self.position(len);
            let field = self.interesting(len).to_le_bytes();
            match self.below(9) {
                0 => bytes[at] ^= 1 << self.below(8),
                1 => bytes[at] = field[0],
                2 => overwrite(&mut bytes, at, &field[..4]),
                3 => overwrite(&mut bytes, at, &field),
                4 => overwrite(&mut bytes, at, &[0xff; 9][..self.below(9)]),
                5 => bytes.truncate(at),
                6 => drop(bytes.drain(at..len.min(at + 1 + self.below(8)))),
                7 => drop(bytes.splice(at..at, field)),
                // The rest of another file.
                _ => {
                    let other = &corpus[self.below(corpus.len())];
                    let from = self.below(other.len());
                    bytes.splice(at.., other[from..].iter().copied());
                }
            }
        }
        bytes
    }
}

fn overwrite(bytes: &mut [u8], at: usize, with: &[u8]) {
    for (byte, new) in bytes[at..].iter_mut().zip(with) {
        *byte = *new;
    }
}
