//! The choice of what a filter tells apart and in how many bits, so that it fits and has the fewest false positives.

use alloc::vec::Vec;

use super::alphabet::Alphabet;
use super::layout::{
    KINDS, Lengths, MAX_EXTRA, MAX_SUFFIX, ORDERS, PARTS, SKIP, extra_bits, kind, suffix_bits,
};
use super::trie::{Fork, Trie};
use super::write::{exp_golomb, header_len, slot};
use crate::building::reserve;
use crate::error::Error;

/// Which keys are not told apart.
#[derive(Clone, Copy, Debug)]
struct Rule {
    /// Those below an edge of at least so many bits for each pair of neighbours,
    edge: u32,
    /// which has more bits than this, the most suffix bits.
    suffix: u32,
    /// Those of forks of at most so many.
    few: u32,
    /// Forks before this one are told apart all the same.
    from: usize,
    /// The bits that keys have in addition which are not told apart.
    more: u32,
    /// The number that stands for them in place of an edge's length.
    stop: u32,
}

impl Rule {
    #[inline]
    const fn stops(&self, place: usize, fork: &Fork) -> bool {
        place >= self.from
            && (fork.keys <= self.few
                || fork.edge > self.suffix + self.more && fork.edge / (fork.keys - 1) >= self.edge)
    }
}

/// All that is chosen.
pub(super) struct Plan {
    rule: Rule,
    /// Suffix bits, in parts.
    pub(super) suffix: u32,
    pub(super) shapes: [u8; KINDS],
    pub(super) lengths: Lengths,
    /// The length of what each fork begins, in bits.
    sizes: Vec<u32>,
    /// Whether the trie fits at all.
    pub(super) fits: bool,
}

impl Plan {
    /// Chooses all; `Err` has the number of bits by which it does not fit.
    pub(super) fn new(
        trie: &Trie,
        alphabet: &Alphabet,
        most: usize,
        reserved: u64,
    ) -> Result<Result<Self, u64>, Error> {
        let fixed = header_len(trie.keys) + alphabet.stored.len();
        let budget = 8 * (most as i64 - fixed as i64) - reserved.cast_signed();
        let shapes = shapes(&trie.forks);
        let mut search = Search {
            forks: &trie.forks,
            shapes,
            costs: Vec::new(),
            budget,
            best: None,
        };
        reserve(&mut search.costs, trie.forks.len())?;
        search
            .costs
            .extend(trie.forks.iter().map(|fork| cost(fork, &shapes)));
        let (rule, suffix) = search.rule();
        let mut plan = Self {
            rule,
            suffix: suffix.min(plan_limit(trie, &rule)),
            shapes,
            lengths: Lengths::default(),
            sizes: Vec::new(),
            fits: true,
        };
        reserve(&mut plan.sizes, trie.forks.len())?;
        plan.sizes.resize(trie.forks.len(), 0);
        let over = plan.fit(trie, &search.costs, budget);
        // The last rule tells no keys apart.
        plan.fits = over <= 0;
        Ok(if plan.fits || rule.few == u32::MAX {
            Ok(plan)
        } else {
            Err(over.unsigned_abs())
        })
    }

    /// The length of the filter in bytes.
    pub(super) fn len(&self, trie: &Trie, alphabet: &Alphabet) -> usize {
        let bits = if self.fits { self.trie_len() } else { 0 };
        header_len(trie.keys) + alphabet.stored.len() + bits.div_ceil(8) as usize
    }

    /// The length of the measured trie in bits.
    fn trie_len(&self) -> u32 {
        self.sizes.first().copied().unwrap_or_else(|| self.leaf(0, 0))
    }

    /// Returns true if the keys of a fork are not told apart.
    pub(super) const fn stops(&self, place: usize, fork: &Fork) -> bool {
        self.rule.stops(place, fork)
    }

    pub(super) const fn more(&self) -> u32 {
        self.rule.more
    }

    pub(super) const fn stop(&self) -> u32 {
        self.rule.stop
    }

    /// Chooses the suffix bits that fill the budget; returns by how many bits it is exceeded.
    fn fit(&mut self, trie: &Trie, costs: &[u8], budget: i64) -> i64 {
        let most = (PARTS * self.rule.suffix).min(plan_limit(trie, &self.rule));
        let mut total = self.measure(trie, costs);
        let leaves = self.leaves(trie);
        let mut too_many = None;
        for round in 0..6 {
            if round < 2 && trie.keys > SKIP + 1 {
                self.choose_lengths(trie, total);
                total = self.measure(trie, costs);
            }
            let step = i64::from(PARTS) * (budget - total);
            let suffix = i64::from(self.suffix);
            let next = if total > budget {
                too_many = Some(suffix);
                // Rounded away from zero.
                (suffix - ((-step + leaves - 1) / leaves).max(1)).max(0)
            } else {
                (suffix + step / leaves).min(most.into())
            };
            if next == suffix || total <= budget && too_many.is_some_and(|too_many| next >= too_many) {
                break;
            }
            self.suffix = next as u32;
            total = self.measure(trie, costs);
        }
        total - budget
    }

    /// Returns the number of leaves.
    fn leaves(&self, trie: &Trie) -> i64 {
        let mut leaves = 1;
        let mut place = 0;
        while let Some(fork) = trie.forks.get(place) {
            let stops = self.stops(place, fork);
            leaves += i64::from(!stops);
            place += if stops { fork.keys as usize - 1 } else { 1 };
        }
        leaves
    }

    /// Computes all lengths; returns that of the trie.
    fn measure(&mut self, trie: &Trie, costs: &[u8]) -> i64 {
        for (place, fork) in trie.forks.iter().enumerate().rev() {
            let size = if self.stops(place, fork) {
                stop_cost(fork.keys, &self.shapes, &self.rule) + suffix_bits(fork.first, self.suffix)
            } else {
                let (left, right) = self.sides(place, fork);
                let own =
                    u32::from(costs.get(place).copied().unwrap_or(0)) + edge_cost(fork.edge, self.rule.stop);
                let len = if fork.left > SKIP {
                    self.length(fork.left, left).1
                } else {
                    0
                };
                own.saturating_add(len).saturating_add(left).saturating_add(right)
            };
            self.sizes.get_mut(place).into_iter().for_each(|sum| *sum = size);
        }
        self.trie_len().into()
    }

    /// The bits of a leaf of one key.
    fn leaf(&self, rank: u32, above: u32) -> u32 {
        suffix_bits(rank, self.suffix) + extra_bits(above)
    }

    /// The lengths of both sides of a fork.
    fn sides(&self, place: usize, fork: &Fork) -> (u32, u32) {
        let size = |place: usize| self.sizes.get(place).copied().unwrap_or(0);
        let right = fork.keys - fork.left;
        (
            if fork.left == 1 {
                self.leaf(fork.first, fork.keys)
            } else {
                size(place + 1)
            },
            if right == 1 {
                self.leaf(fork.first + fork.left, fork.keys)
            } else {
                size(place + fork.left as usize)
            },
        )
    }

    /// The code of the length of a fork's left side, and its own length.
    fn length(&self, left: u32, len: u32) -> (u64, u32) {
        exp_golomb(self.difference(left, len), self.lengths.order(left))
    }

    fn difference(&self, left: u32, len: u32) -> u64 {
        let difference = i64::from(len) - self.lengths.expected(left).cast_signed();
        2 * difference.unsigned_abs() - u64::from(difference < 0)
    }

    /// The length of a fork's left side, as it is stored.
    pub(super) fn stored_length(&self, place: usize, fork: &Fork) -> (u64, u32) {
        self.length(fork.left, self.sides(place, fork).0)
    }

    /// Chooses how lengths are written, for a trie of so many bits.
    fn choose_lengths(&mut self, trie: &Trie, total: i64) {
        let mean = 64 * total / i64::from(trie.keys);
        self.lengths.mean = mean.clamp(0, u16::MAX.into()) as u32;
        let mut costs = [0_u64; 16];
        for (place, fork) in trie.forks.iter().enumerate() {
            if fork.left > SKIP && !self.stops(place, fork) {
                let difference = self.difference(fork.left, self.sides(place, fork).0);
                for (order, cost) in (0..).zip(&mut costs) {
                    *cost += u64::from(exp_golomb(difference, order + fork.left.ilog2() / 2).1);
                }
            }
        }
        let least = ORDERS.zip(costs).min_by_key(|&(_, cost)| cost);
        self.lengths.order = least.map_or(0, |(order, _)| order);
    }
}

/// The most suffix bits, in parts, for which enough bits of all keys are known.
fn plan_limit(trie: &Trie, rule: &Rule) -> u32 {
    let mut limit = PARTS * (trie.suffix - MAX_EXTRA);
    if trie.short.is_empty() {
        return limit;
    }
    let mut check = |rank: u32, above: u32| {
        if let Ok(at) = trie.short.binary_search_by_key(&rank, |&(rank, _)| rank)
            && let Some(&(_, known)) = trie.short.get(at)
        {
            limit = limit.min(PARTS * known.saturating_sub(extra_bits(above)));
        }
    };
    if trie.forks.is_empty() {
        check(0, 0);
    }
    for (place, fork) in trie.forks.iter().enumerate() {
        if !rule.stops(place, fork) {
            if fork.left == 1 {
                check(fork.first, fork.keys);
            }
            if fork.keys - fork.left == 1 {
                check(fork.first + fork.left, fork.keys);
            }
        }
    }
    limit
}

/// The bits of a fork without those of its edge and the length of its left side.
fn cost(fork: &Fork, shapes: &[u8; KINDS]) -> u8 {
    let plain = slot(fork.keys, Some(fork.left), fork.edge == 0, shapes).1;
    let edge = if fork.edge > 0 {
        slot(fork.keys, None, true, shapes).1
    } else {
        0
    };
    // Each has at most 47.
    (plain + edge) as u8
}

/// The bits of an edge and of its length.
#[inline]
fn edge_cost(edge: u32, stop: u32) -> u32 {
    if edge > 0 {
        exp_golomb(edge_number(edge, stop), 0).1 + edge
    } else {
        0
    }
}

/// The number of an edge's length, which jumps over that of a stop.
pub(super) const fn edge_number(edge: u32, stop: u32) -> u64 {
    (if edge <= stop { edge - 1 } else { edge }) as u64
}

/// The bits of keys that are not told apart, without suffix bits.
fn stop_cost(keys: u32, shapes: &[u8; KINDS], rule: &Rule) -> u32 {
    slot(keys, None, true, shapes).1 + exp_golomb(rule.stop.into(), 0).1 + rule.more
}

/// Chooses the shape of each kind of fork.
fn shapes(forks: &[Fork]) -> [u8; KINDS] {
    let mut costs = [[0_u64; 16]; KINDS];
    // Forks of fewer than 16 keys, counted: by keys, left side, edge or not.
    let mut few = [0_u32; 16 * 32];
    let mut add = |keys: u32, left: u32, has_edge: bool, count: u32| {
        let costs = costs.get_mut(kind(keys)).into_iter().flatten();
        for (bits, cost) in (0..).zip(costs) {
            let of = |left, or_edge| slot(keys, left, or_edge, &[bits; KINDS]).1;
            let len = if has_edge {
                of(None, true) + of(Some(left), false)
            } else {
                of(Some(left), true)
            };
            *cost += u64::from(count) * u64::from(len);
        }
    };
    for fork in forks {
        let has_edge = fork.edge > 0;
        let place = 32 * fork.keys + 2 * fork.left + u32::from(has_edge);
        match few.get_mut(place as usize) {
            Some(count) => *count += 1,
            None => add(fork.keys, fork.left, has_edge, 1),
        }
    }
    for (place, &count) in (0..).zip(&few) {
        if count > 0 {
            add(place / 32, place % 32 / 2, place % 2 == 1, count);
        }
    }
    let mut shapes = [0; KINDS];
    for (i, (shape, costs)) in shapes.iter_mut().zip(costs).enumerate() {
        // Forks of two and three keys have nothing after the ones.
        let all = (0..if i == 0 { 4 } else { 16 }).zip(costs);
        *shape = all.min_by_key(|&(_, cost)| cost).map_or(0, |(shape, _)| shape);
    }
    shapes
}

/// The search for a rule.
struct Search<'a> {
    forks: &'a [Fork],
    shapes: [u8; KINDS],
    costs: Vec<u8>,
    budget: i64,
    /// The best so far with its suffix bits, and its expected rate.
    best: Option<(u64, Rule, u32)>,
}

/// No edge is so long.
const NEVER: u32 = u32::MAX;

impl Search<'_> {
    /// Finds the best rule and its suffix bits.
    fn rule(&mut self) -> (Rule, u32) {
        let all = Rule {
            edge: NEVER,
            suffix: MAX_SUFFIX,
            few: 0,
            from: 0,
            more: 0,
            stop: 15,
        };
        self.rate(all);
        let mut most = MAX_SUFFIX;
        let mut in_vain = 0;
        for edge in [64, 32, 24, 16, 12, 8, 6, 4, 2, 1] {
            let before = self.best.map(|(rate, ..)| rate);
            // The most suffix bits of which so many are left, from those of the rule before.
            let (mut low, mut high) = (0, MAX_SUFFIX + 1);
            let mut suffix = most;
            while low < high {
                let more = if suffix > 10 {
                    MAX_EXTRA
                } else if suffix > 4 {
                    4
                } else {
                    0
                };
                let room = self.rate(Rule {
                    edge,
                    suffix,
                    more,
                    stop: 7,
                    ..all
                });
                match room {
                    Some(room) if room >= PARTS * suffix => low = suffix + 1,
                    Some(room) => (low, high) = (low.max(room / PARTS), suffix),
                    None => high = suffix,
                }
                suffix = (low + high) / 2;
            }
            most = low.clamp(1, MAX_SUFFIX);
            let is_better = self.best.map(|(rate, ..)| rate) < before || before.is_none();
            in_vain = if is_better { 0 } else { in_vain + 1 };
            if in_vain == 2 {
                break;
            }
        }
        if let Some((_, rule, _)) = self.best
            && rule.edge != NEVER
        {
            for more in [0, 4, MAX_EXTRA] {
                self.rate(Rule { more, ..rule });
            }
        }
        let least = Rule {
            edge: 1,
            suffix: 0,
            stop: 0,
            ..all
        };
        let mut few = 2;
        while self.best.is_none() && few / 2 < self.forks.len() as u32 {
            self.rate(Rule { few, ..least });
            few *= 2;
        }
        let Some((_, mut rule, suffix)) = self.best else {
            return (
                Rule {
                    few: u32::MAX,
                    ..least
                },
                0,
            );
        };
        self.spend(&mut rule, suffix);
        (rule, suffix)
    }

    /// Rates a rule; returns the suffix bits, in parts, for which there is room.
    fn rate(&mut self, rule: Rule) -> Option<u32> {
        let (bits, told, leaves) = self.sum(&rule, |_, _| {})?;
        let room = i64::from(PARTS) * (self.budget - bits) / leaves;
        let room = room.min(i64::from(PARTS * 4 * MAX_SUFFIX)) as u32;
        let suffix = room.min(PARTS * rule.suffix);
        let untold = self.forks.len() as u64 - told;
        let rate = (untold << 32) + told * half_to(suffix);
        if self.best.is_none_or(|(best, ..)| rate < best) {
            self.best = Some((rate, rule, suffix));
        }
        Some(room)
    }

    /// Returns the bits without suffix bits, how many pairs of neighbours are told apart, and the number of leaves;
    /// `None` if it does not fit. Visits forks that stop.
    fn sum(&self, rule: &Rule, mut stops: impl FnMut(usize, i64)) -> Option<(i64, u64, i64)> {
        let (mut bits, mut told) = (0, 0_u64);
        let mut place = 0;
        while let Some(fork) = self.forks.get(place) {
            if rule.stops(place, fork) {
                let cost = i64::from(stop_cost(fork.keys, &self.shapes, rule));
                stops(place, cost);
                bits += cost;
                place += fork.keys as usize - 1;
            } else {
                bits += self.whole_cost(place, fork, rule.stop);
                told += 1;
                place += 1;
            }
            if bits > self.budget {
                return None;
            }
        }
        Some((bits, told, told.cast_signed() + 1))
    }

    /// The bits that telling a fork's sides apart takes, with about those of its left side's length.
    fn whole_cost(&self, place: usize, fork: &Fork, stop: u32) -> i64 {
        let right = fork.keys - fork.left;
        let mut bits = u32::from(self.costs.get(place).copied().unwrap_or(0)) + edge_cost(fork.edge, stop);
        bits += if fork.left == 1 { extra_bits(fork.keys) } else { 0 };
        bits += if right == 1 { extra_bits(fork.keys) } else { 0 };
        bits += if fork.left > SKIP {
            fork.left.ilog2() / 2 + 4
        } else {
            0
        };
        bits.into()
    }

    /// Spends what is left on telling keys apart, from the first on.
    fn spend(&self, rule: &mut Rule, suffix: u32) {
        let mut stops = Vec::new();
        let Some((bits, _, leaves)) = self.sum(rule, |place, cost| stops.push((place, cost))) else {
            return;
        };
        let mut left = self.budget - bits - leaves * i64::from(suffix) / i64::from(PARTS);
        if left <= self.forks.len() as i64 / 16 {
            return;
        }
        let of_leaf = i64::from(suffix / PARTS + 1);
        for (place, cost) in stops {
            let Some(fork) = self.forks.get(place) else {
                return;
            };
            let below = place..place + fork.keys as usize - 1;
            let forks = self.forks.get(below.clone()).unwrap_or_default();
            let all = below
                .zip(forks)
                .map(|(place, fork)| self.whole_cost(place, fork, rule.stop) + of_leaf);
            left -= all.sum::<i64>() - cost;
            if left < 0 {
                return;
            }
            rule.from = place + fork.keys as usize - 1;
        }
    }
}

/// Returns 2 to the power of 32 less `parts`, nearly.
fn half_to(parts: u32) -> u64 {
    let (whole, part) = (parts / PARTS, u64::from(parts % PARTS));
    // 1 - 0.672 x + 0.172 x², in 65536ths.
    let scaled = 65_536 - 172 * part + 11_272 * part * part / 65_536;
    (scaled << 16) >> whole
}
