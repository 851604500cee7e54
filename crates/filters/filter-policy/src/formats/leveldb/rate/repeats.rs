//! Probes that fall together: those of one key, and those of an absent and a stored key.

use core::f64::consts::{FRAC_PI_2, PI};

use super::{CYCLE, Cover, HASHES, MAX, evenly_spread, gcd, solve};

/// Probes that are this far apart or more may fall together, but leave too many others to matter.
const MAX_STEP: u64 = 10;

/// The share of a rate below which a part of it is not computed.
const NEGLIGIBLE: f64 = 1e-3;

/// Returns the rate of absent keys whose own probes fall together, beyond that of distinct ones.
pub(super) fn of_one_key(bits: u64, cover: &Cover) -> f64 {
    let k = cover.probes;
    let strides = 2.0 * k as f64 / bits as f64;
    if strides * cover.of(1) < NEGLIGIBLE * cover.all() {
        return 0.0;
    }
    let points = POINTS_OF_ONE_KEY / share_of_time(k, 8);
    let mut sum = 0.0;
    for point in 0..points {
        let [start, angle, ..] = evenly_spread(point).map(unit);
        // Strides near 0 and 2^32 leave the fewest positions, so more points are there.
        let stride = (1.0 - libm::cos(PI * angle)) / 2.0;
        let weight = FRAC_PI_2 * libm::sin(PI * angle);
        let wraps = Wraps::new(start, stride);
        for_each_poor_stride(bits, k, &wraps, |stride| {
            let distinct = Positions::of_key(bits, stride, &wraps, k).get().len();
            sum += weight * (cover.of(distinct) - cover.all());
        });
    }
    sum / f64::from(points) / bits as f64
}

const POINTS_OF_ONE_KEY: u32 = 1 << 12;

/// Returns the rate of absent keys that share two or more positions with a stored key, beyond that of independent
/// probes.
///
/// The mean is over the wraps of both and over the stride of the absent key. For each stored key's stride that a small
/// multiple of the absent one's equals, it sums over all starts.
#[expect(clippy::cast_possible_truncation, reason = "strides are below 2^32")]
pub(super) fn of_two_keys(bits: u64, keys: u64, cover: &Cover) -> f64 {
    let (k, m) = (cover.probes, bits as f64);
    // For a start and a stride modulo m, this share of stored keys.
    let each = keys as f64 / (m * m);
    let common = gcd(bits, CYCLE);
    if k < 2 || each * (common as f64 + (k * k) as f64) < NEGLIGIBLE * cover.all() {
        return 0.0;
    }
    // Pairs of positions are shared as often as by independent probes, but more often several of one key.
    let pairs = |shared: usize| (shared * (shared - 1) / 2) as f64;
    let by_chance: f64 = (3..=k)
        .zip(shares_by_chance(k, m).into_iter().skip(3))
        .map(|(shared, starts)| starts * (cover.gain(shared) - pairs(shared) * cover.gain(2)))
        .sum();
    let points = POINTS_OF_TWO_KEYS / share_of_time(k, 4);
    let mut sum = 0.0;
    for point in 0..points {
        let [start, stride, other_start, other_stride, remainder] = evenly_spread(point).map(unit);
        let (wraps, other_wraps) = (Wraps::new(start, stride), Wraps::new(other_start, other_stride));
        let stride = (remainder * m) as u64;
        let absent = Positions::of_key(bits, stride, &wraps, k);
        if absent.get().len() < k {
            continue;
        }
        for_each_like_stride(bits, stride, k, |other| {
            let stored = Positions::of_key(bits, other, &other_wraps, k);
            sum -= by_chance;
            for_each_start(bits, &absent, &stored, |moved, shared| {
                // The rotation multiplies differences by 2^15.
                let rotated = ((moved % common) << 15) % common;
                let is_rotated = (other + bits - stride) % common == rotated;
                let keys = if is_rotated { common as f64 } else { 0.0 };
                sum += keys * cover.gain(shared) - pairs(shared) * cover.gain(2);
            });
        });
    }
    // Even multiples of strides are equal for two strides or more.
    let even = 1 << bits.trailing_zeros();
    let steps = || (1..).zip((1..k).rev());
    let more: f64 = steps()
        .flat_map(|(own, ways)| {
            steps().map(move |(other, other_ways)| (gcd(gcd(own, other), even) - 1, ways * other_ways))
        })
        .map(|(more, ways)| 2.0 * more as f64 * ways as f64)
        .sum();
    each * (sum / f64::from(points) + more * cover.gain(2))
}

const POINTS_OF_TWO_KEYS: u32 = 512;

/// A common divisor of the number of bits and 2^32 - 1 above which strides often agree.
const MANY: u64 = 15;

/// Returns a divisor for the number of points, for more probes than `usual`.
fn share_of_time(probes: usize, usual: usize) -> u32 {
    let share = (probes * probes).div_ceil(usual * usual);
    u32::try_from(share).unwrap_or(u32::MAX)
}

/// Returns for how many starts a stored key of independent probes shares 0, 1, 2, ... positions with an absent one.
fn shares_by_chance(k: usize, m: f64) -> [f64; MAX + 1] {
    let k = k as f64;
    let mut starts = m;
    for i in 0..MAX {
        let i = i as f64;
        if i < k {
            starts *= (m - k - i).max(0.0) / (m - i);
        }
    }
    let mut shared = 0.0;
    [(); MAX + 1].map(|()| {
        let here = starts;
        starts *= (k - shared) * (k - shared) / ((shared + 1.0) * (m - 2.0 * k + shared + 1.0).max(1.0));
        shared += 1.0;
        here
    })
}

/// Visits the strides modulo the number of bits with which two probes fall together.
fn for_each_poor_stride(bits: u64, k: usize, wraps: &Wraps, mut visit: impl FnMut(u64)) {
    // Probes that are `step` apart wrap this often or once more between them.
    let shifts = |step: u64| {
        let least = wraps.between(step);
        [least, least + 1].map(|wraps| wraps * (HASHES % bits) % bits)
    };
    let fall_together = |step: u64, stride: u64| shifts(step).contains(&(step * stride % bits));
    for step in 1..(k as u64).min(MAX_STEP) {
        let [one, other] = shifts(step);
        let others = (one != other)
            .then(|| solve(step, other, bits))
            .into_iter()
            .flatten();
        for stride in solve(step, one, bits).chain(others) {
            if !(1..step).any(|less| fall_together(less, stride)) {
                visit(stride);
            }
        }
    }
}

/// Visits the strides of which a small multiple equals a small multiple of the given one or of its negative, up to
/// wraps: each once.
fn for_each_like_stride(bits: u64, stride: u64, k: usize, mut visit: impl FnMut(u64)) {
    let common = gcd(bits, CYCLE);
    // Where strides often agree in remainders, the rarer multiples matter, too.
    let most = if common > MANY {
        3
    } else {
        (k as u64 / 3).clamp(1, 3)
    };
    let multiples = (1..=most).flat_map(|own| (1..=most).map(move |other| (own, other)));
    let mut seen = Distinct::<512>::new();
    for (own, other) in multiples.chain((k > 11 || common > MANY).then_some((4, 4))) {
        let most_wraps = own.max(other);
        for along in [stride, bits - stride] {
            // Wraps from `-most_wraps` on.
            let first = own * along + most_wraps * (bits - HASHES % bits);
            for wraps in 0..=2 * most_wraps {
                let value = (first + wraps * (HASHES % bits)) % bits;
                for found in solve(other, value, bits) {
                    if seen.add(found) {
                        visit(found);
                    }
                }
            }
        }
    }
}

/// Visits the distances by which a stored key's start may be away from an absent one's so that they share two positions
/// or more, with their number.
fn for_each_start(bits: u64, absent: &Positions, stored: &Positions, mut visit: impl FnMut(u64, usize)) {
    let mut apart = [0; MAX * MAX];
    let pairs = absent
        .get()
        .iter()
        .flat_map(|own| stored.get().iter().map(move |other| (own, other)));
    let mut len = 0;
    for (slot, (own, other)) in apart.iter_mut().zip(pairs) {
        *slot = if own >= other {
            own - other
        } else {
            own + bits - other
        };
        len += 1;
    }
    let apart = apart.get_mut(..len).unwrap_or_default();
    apart.sort_unstable();
    for same in apart.chunk_by(|one, next| one == next) {
        if let [first, _, ..] = *same {
            visit(first, same.len());
        }
    }
}

/// The probes of a hash value wrap around 2^32 where the start and multiples of the stride add up to it.
struct Wraps {
    start: f64,
    stride: f64,
}

impl Wraps {
    /// Takes the start and the stride over 2^32.
    fn new(start: f64, stride: f64) -> Self {
        Self { start, stride }
    }

    /// Returns how often the probe has wrapped around.
    fn of(&self, probe: usize) -> u64 {
        whole(self.start + probe as f64 * self.stride)
    }

    /// Returns the lesser of the two numbers of wraps between probes that are this many strides apart.
    fn between(&self, step: u64) -> u64 {
        whole(step as f64 * self.stride)
    }
}

/// Rounds a number from 0 to 31 down.
#[expect(clippy::cast_possible_truncation, reason = "small and not negative")]
fn whole(number: f64) -> u64 {
    number as u64
}

/// The distinct positions of a key whose first probe, before wraps, is at 0.
type Positions = Distinct<MAX>;

impl Positions {
    fn of_key(bits: u64, stride: u64, wraps: &Wraps, probes: usize) -> Self {
        let mut positions = Self::new();
        let back = bits - HASHES % bits;
        for probe in 0..probes {
            positions.add((probe as u64 * stride + wraps.of(probe) * back) % bits);
        }
        positions
    }
}

/// Up to N distinct numbers.
struct Distinct<const N: usize> {
    numbers: [u64; N],
    len: usize,
}

impl<const N: usize> Distinct<N> {
    fn new() -> Self {
        Self {
            numbers: [0; N],
            len: 0,
        }
    }

    fn get(&self) -> &[u64] {
        self.numbers.get(..self.len).unwrap_or_default()
    }

    /// Adds a number; returns false if it was there.
    fn add(&mut self, number: u64) -> bool {
        let is_new = !self.get().contains(&number);
        if is_new && let Some(slot) = self.numbers.get_mut(self.len) {
            *slot = number;
            self.len += 1;
        }
        is_new
    }
}

/// Returns a number over 2^32.
fn unit(number: u32) -> f64 {
    f64::from(number) / HASHES as f64
}
