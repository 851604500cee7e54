//! Probe positions in lanes.

use crate::lanes::Lanes;
use crate::modulus::LaneDivisor;

/// The divisor in all lanes.
#[derive(Clone, Copy)]
pub(crate) struct Remainders<S: Lanes> {
    lanes: S,
    bits: S::Vector,
    reciprocal: S::Vector,
    /// The difference between 2^32 and `reciprocal` times `bits`: the remainder of 2^32, or `bits` if that is 0.
    wrap: S::Vector,
}

impl<S: Lanes> Remainders<S> {
    #[inline(always)]
    pub(crate) fn new(lanes: S, LaneDivisor { bits, reciprocal }: LaneDivisor) -> Self {
        Self {
            lanes,
            bits: lanes.splat(bits),
            reciprocal: lanes.splat(reciprocal),
            wrap: lanes.splat(reciprocal.wrapping_mul(bits).wrapping_neg()),
        }
    }

    #[inline(always)]
    pub(crate) fn of(&self, hashes: S::Vector) -> S::Vector {
        let quotients = self.lanes.mul_high(hashes, self.reciprocal);
        let rests = self.lanes.sub(hashes, self.lanes.mul(quotients, self.bits));
        self.reduced(rests)
    }

    /// Returns the remainders of numbers below twice the number of bits.
    #[inline(always)]
    fn reduced(&self, rests: S::Vector) -> S::Vector {
        self.lanes.min(rests, self.lanes.sub(rests, self.bits))
    }
}

/// The positions of successive probes, for a hash value in each lane.
///
/// Only the first two remainders take a multiplication. Then `hash + stride` moves the position by the stride's
/// remainder, minus that of 2^32 if the sum wraps around. The method requires filters of fewer than 2^31 bits.
pub(crate) struct Probes<S: Lanes> {
    remainders: Remainders<S>,
    hashes: S::Vector,
    strides: S::Vector,
    positions: S::Vector,
    steps: S::Vector,
    wrapped_steps: S::Vector,
}

impl<S: Lanes> Probes<S> {
    /// Starts at the probe with this number.
    #[inline(always)]
    pub(crate) fn new(remainders: Remainders<S>, hashes: S::Vector, probe: u32) -> Self {
        let lanes = remainders.lanes;
        let strides = lanes.rotate_15(hashes);
        let hashes = nth(lanes, hashes, strides, probe);
        let steps = remainders.of(strides);
        // The lesser of the two is the one that did not wrap around.
        let wrapped = lanes.sub(steps, remainders.wrap);
        Self {
            remainders,
            hashes,
            strides,
            positions: remainders.of(hashes),
            steps,
            wrapped_steps: lanes.min(wrapped, lanes.add(wrapped, remainders.bits)),
        }
    }

    #[inline(always)]
    pub(crate) fn positions(&self) -> S::Vector {
        self.positions
    }

    #[inline(always)]
    pub(crate) fn advance(&mut self) {
        let lanes = self.remainders.lanes;
        self.hashes = lanes.add(self.hashes, self.strides);
        let steps = lanes.if_less(self.hashes, self.strides, self.wrapped_steps, self.steps);
        self.positions = self.remainders.reduced(lanes.add(self.positions, steps));
    }
}

/// Returns the positions of a single probe.
#[inline(always)]
pub(crate) fn positions_of<S: Lanes>(remainders: Remainders<S>, hashes: S::Vector, probe: u32) -> S::Vector {
    let lanes = remainders.lanes;
    remainders.of(nth(lanes, hashes, lanes.rotate_15(hashes), probe))
}

#[inline(always)]
fn nth<S: Lanes>(lanes: S, hashes: S::Vector, strides: S::Vector, probe: u32) -> S::Vector {
    if probe == 0 {
        return hashes;
    }
    lanes.add(hashes, lanes.mul(strides, lanes.splat(probe)))
}
