//! The probability that keys cover all of some positions.

/// The most positions of a key that are looked at.
pub(super) const MAX: usize = 64;

/// For each number of positions, a probability or a rate.
pub(super) type Shares = [f64; MAX + 1];

/// A probability below this share of the sum ends a sum whose terms decrease.
const LAST: f64 = 1e-18;

/// Returns the probability that this many keys cover all of the positions. A key covers 2, 3, ... of them with the
/// probabilities `hits`, and `once` on average. The moves are memory that is used.
pub(super) fn all_covered(positions: usize, hits: &Shares, once: f64, keys: f64, moves: &mut Moves) -> f64 {
    let mut hits = *hits;
    let several: f64 = (0_u32..)
        .zip(&hits)
        .skip(2)
        .map(|(count, share)| f64::from(count) * share)
        .sum();
    // Estimates may exceed what is possible.
    let scale = (once / several).min(1.0);
    for share in hits.iter_mut().skip(2) {
        *share *= if several > 0.0 { scale } else { 0.0 };
    }
    let [none, one, ..] = &mut hits;
    (*none, *one) = (0.0, (once - several).max(0.0));
    let all: f64 = hits.iter().sum();
    if all == 0.0 {
        return 0.0;
    }
    let some = all.min(1.0);
    fill(moves, positions, &hits, all);
    // The number of keys that cover some of the positions is binomial.
    let mut state = [0.0; MAX + 1];
    state[0] = 1.0;
    let (mut sum, mut count) = (0.0, 0.0);
    let mut probability = libm::log1p(-some) * keys;
    loop {
        let all = state.get(positions).copied().unwrap_or_default();
        let now = if some < 1.0 {
            libm::exp(probability)
        } else {
            f64::from(count >= keys)
        };
        sum += now * all;
        let is_last = count > keys * some && now < LAST * sum.max(f64::MIN_POSITIVE / LAST);
        if count >= keys || is_last {
            return sum;
        }
        probability += libm::log((keys - count) / (count + 1.0) * (some / (1.0 - some)));
        count += 1.0;
        state = after(&state, moves, positions);
    }
}

/// For each number of positions that are covered, the probability of each number after one more key.
pub(super) type Moves = [Shares; MAX + 1];

/// Computes the moves of a key that covers some positions; the probabilities of their numbers add up to `some`.
fn fill(moves: &mut Moves, positions: usize, hits: &Shares, some: f64) {
    for (covered, row) in moves.iter_mut().enumerate().take(positions + 1) {
        row.fill(0.0);
        for (count, share) in hits
            .iter()
            .enumerate()
            .take(positions + 1)
            .filter(|(_, share)| **share > 0.0)
        {
            let ways = share / some / choices(positions, count);
            // Of the positions that the key covers, so many are new.
            for (new, to) in row
                .iter_mut()
                .skip(covered)
                .enumerate()
                .take(positions + 1 - covered)
            {
                if new <= count && count - new <= covered {
                    *to += ways * choices(positions - covered, new) * choices(covered, count - new);
                }
            }
        }
    }
}

fn after(state: &Shares, moves: &Moves, positions: usize) -> Shares {
    let mut next = [0.0; MAX + 1];
    for (share, row) in state.iter().zip(moves).take(positions + 1) {
        for (to, probability) in next.iter_mut().zip(row).take(positions + 1) {
            *to += share * probability;
        }
    }
    next
}

/// Returns the number of choices of `some` among `all` things, at most 64.
fn choices(all: usize, some: usize) -> f64 {
    let factorial = |of: usize| FACTORIALS.get(of).copied().unwrap_or(f64::INFINITY);
    factorial(all) / (factorial(some) * factorial(all - some))
}

const FACTORIALS: Shares = {
    let mut factorials = [1.0; MAX + 1];
    let mut of = 1;
    while of <= MAX {
        #[expect(clippy::indexing_slicing, reason = "the compiler evaluates it")]
        {
            factorials[of] = factorials[of - 1] * of as f64;
        }
        of += 1;
    }
    factorials
};
