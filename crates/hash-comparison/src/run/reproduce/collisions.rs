//! The published table of collisions compared with ours.

use crate::advice::published::{self, KeySet, Spread};
use crate::questions::CollisionRow;
use crate::record::about;

/// A cell of the published table compared with ours.
#[derive(Debug, Clone, PartialEq)]
pub struct CollisionCheck {
    /// The key set.
    pub set: KeySet,
    /// The function.
    pub function: &'static str,
    /// The published count.
    pub published: u64,
    /// Our count at the function's own width; `None` if the rows have none.
    pub ours: Option<u64>,
    /// Counts over many seeds of our recipe; `None` for the set that is known exactly.
    pub spread: Option<Spread>,
}

impl CollisionCheck {
    /// Returns true if the counts agree: equal counts for keys that are known exactly; otherwise ours within the range
    /// over the recipe's seeds, and the published count within three standard deviations of their mean.
    pub fn agrees(&self) -> bool {
        let Some(ours) = self.ours else { return false };
        match self.spread {
            None => ours == self.published,
            Some(spread) => {
                (spread.min..=spread.max).contains(&ours) && spread.z(self.published).abs() <= 3.0
            }
        }
    }

    pub(super) fn disagreement(&self) -> Option<String> {
        let ours = self
            .ours
            .map_or_else(|| "none".to_owned(), |count| count.to_string());
        let (set, function, published) = (self.set.dataset(), self.function, self.published);
        (!self.agrees()).then(|| format!("{set}, {function}: {ours} collisions, published {published}"))
    }
}

/// Returns every cell of the published table, set by set in its order.
pub(super) fn checks(rows: &[CollisionRow]) -> Vec<CollisionCheck> {
    let checks = KeySet::ALL.into_iter().flat_map(|set| {
        published::ROWS.iter().map(move |row| CollisionCheck {
            set,
            function: row.function,
            published: row.collisions(set),
            ours: own_width(rows, set.dataset(), row.function),
            spread: row.spread(set),
        })
    });
    checks.collect()
}

/// Returns the count at the widest width that was compared.
fn own_width(rows: &[CollisionRow], dataset: &str, function: &str) -> Option<u64> {
    let widest = about(rows, dataset, function).max_by_key(|row| row.bits);
    widest.map(|row| row.collisions)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(published: u64, ours: Option<u64>, spread: Option<Spread>) -> CollisionCheck {
        let set = if spread.is_some() {
            KeySet::VideoIds
        } else {
            KeySet::AppAccounts
        };
        CollisionCheck {
            set,
            function: "PJW",
            published,
            ours,
            spread,
        }
    }

    #[test]
    fn an_exact_set_must_be_equal() {
        assert!(check(170, Some(170), None).agrees());
        assert_eq!(
            check(170, Some(171), None).disagreement().as_deref(),
            Some("app-accounts, PJW: 171 collisions, published 170")
        );
        assert!(!check(170, None, None).agrees());
    }

    #[test]
    fn a_drawn_set_must_lie_in_the_spread() {
        let spread = Spread {
            mean: 38.7,
            sd: 6.1,
            min: 23,
            max: 60,
        };
        assert!(check(38, Some(31), Some(spread)).agrees());
        assert!(!check(38, Some(61), Some(spread)).agrees(), "beyond every seed");
        assert!(
            !check(60, Some(31), Some(spread)).agrees(),
            "published more than three deviations off"
        );
    }

    #[test]
    fn without_rows_nothing_agrees() {
        let checks = checks(&[]);
        assert_eq!(checks.len(), 51);
        assert!(checks.iter().all(|check| !check.agrees()));
    }
}
