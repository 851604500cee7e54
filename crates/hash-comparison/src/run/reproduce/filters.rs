//! The published table of filters compared with ours: exact sizes, and measured rates.

use filter_policy::{BitsPerKey, BloomFilterPolicy, HashedPolicy};

use crate::advice::published::{FILTERS, FilterRate, FilterRow, KeySet};
use crate::functions;
use crate::keys::{Dataset, Recipe, load_embedded, sha256};
use crate::questions::FalsePositiveRow;
use crate::questions::filters::Probes;
use crate::record::DatasetKind;
use crate::values::Hashed;
use records::error::Error;
use records::progress::{Progress, go_on};

/// The function whose values go into the published filters.
const FUNCTION: &str = "MurMurHash2";

/// A row of the published table compared with ours.
#[derive(Debug, Clone, PartialEq)]
pub struct FilterCheck {
    /// The published row.
    pub published: FilterRow,
    /// Bytes of our keys.
    pub raw_bytes: u64,
    /// Bytes of our filter.
    pub filter_bytes: u64,
    /// `1 - filter_bytes / raw_bytes` of ours.
    pub saved: f64,
    /// The measured rate, if absent keys can be drawn.
    pub rate: Option<MeasuredRate>,
}

/// A false-positive rate with the known rates.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredRate {
    /// The row as in `false_positives.csv`.
    pub row: FalsePositiveRow,
    /// The known rates of this policy and of the textbook.
    pub known: FilterRate,
}

impl MeasuredRate {
    /// Returns true if the rate lies within five standard errors of this policy's known rate.
    pub fn agrees(&self) -> bool {
        let known = self.known.policy;
        let standard_error = libm::sqrt(known * (1.0 - known) / self.row.probes as f64);
        (self.row.rate - known).abs() <= 5.0 * standard_error
    }

    /// Returns the number of absent keys that would give the published number of matches at the measured rate.
    pub fn probes_for(&self, matches: u64) -> f64 {
        matches as f64 / self.row.rate
    }
}

impl FilterCheck {
    /// Returns true if everything that is comparable agrees: the filter's size; for keys that are known exactly, their
    /// size and the saving; and the rate.
    pub fn agrees(&self) -> bool {
        let keys_agree = !self.published.set.is_exact()
            // The published saving was printed with single precision.
            || (self.raw_bytes == self.published.raw_bytes && (self.saved - self.published.saved).abs() < 1e-7);
        self.filter_bytes == self.published.filter_bytes
            && keys_agree
            && self.rate.as_ref().is_none_or(MeasuredRate::agrees)
    }

    pub(super) fn disagreement(&self) -> Option<String> {
        let published = &self.published;
        (!self.agrees()).then(|| {
            format!(
                "filter of {} keys ({}) at {} bits per key: {} bytes over {} of keys{}; published {} over {}",
                published.keys,
                published.set.dataset(),
                published.bits_per_key,
                self.filter_bytes,
                self.raw_bytes,
                self.rate.as_ref().map_or_else(String::new, |rate| format!(
                    ", rate {} where {} is known",
                    rate.row.rate, rate.known.policy
                )),
                published.filter_bytes,
                published.raw_bytes,
            )
        })
    }
}

/// Builds every published filter with the published policy, and probes those over ids with absent keys.
///
/// The published ids are not known; ours are the first 80,000 that the recipe of `video-ids` draws from `seed`.
///
/// # Errors
///
/// Returns an error if the embedded accounts differ from the manifest, or if `progress` requests a stop.
pub(super) fn checks(seed: u64, progress: &dyn Progress) -> Result<Vec<FilterCheck>, Error> {
    let mut checks = Vec::with_capacity(FILTERS.len());
    let (ids, accounts) = (ids(seed), load_embedded(KeySet::AppAccounts.dataset(), seed)?);
    let function = functions::find(FUNCTION)?;
    go_on(progress)?;
    let rates = Probes::new(&ids).measure(&Hashed::new(&ids.keys, function), progress)?;
    for published in FILTERS {
        go_on(progress)?;
        let (dataset, rates): (_, &[_]) = if published.set.is_exact() {
            (&accounts, &[])
        } else {
            (&ids, &rates)
        };
        checks.push(check(published, dataset, rates)?);
    }
    Ok(checks)
}

fn check(published: FilterRow, dataset: &Dataset, rates: &[FalsePositiveRow]) -> Result<FilterCheck, Error> {
    let policy = BloomFilterPolicy::new(BitsPerKey::whole(published.bits_per_key));
    let filter = policy
        .build(dataset.keys.iter())
        .map_err(|error| Error::internal(format!("filter over {}: {error}", dataset.name)))?;
    let raw_bytes = dataset.keys.total_bytes() as u64;
    let filter_bytes = filter.len() as u64;
    let mut measured = rates
        .iter()
        .filter(|row| row.bits_per_key == published.bits_per_key);
    let rate =
        (measured.next().cloned().zip(published.known)).map(|(row, known)| MeasuredRate { row, known });
    Ok(FilterCheck {
        saved: 1.0 - filter_bytes as f64 / raw_bytes as f64,
        published,
        raw_bytes,
        filter_bytes,
        rate,
    })
}

/// Returns the published number of ids, by the recipe of `video-ids`.
fn ids(seed: u64) -> Dataset {
    let count = FILTERS
        .iter()
        .filter(|row| !row.set.is_exact())
        .map(|row| row.keys)
        .max()
        .unwrap_or(0);
    let recipe = Recipe::DistinctBelow1e9;
    let keys = recipe.keys(seed, count as usize);
    Dataset {
        name: "video-ids".to_owned(),
        kind: DatasetKind::Generated,
        source: "the recipe of video-ids, drawn further".to_owned(),
        sha256: sha256(&keys),
        keys,
        duplicates_dropped: 0,
        seed,
        recipe: Some(recipe),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use records::progress::Silent;

    #[test]
    fn the_published_filters_come_out() {
        let checks = checks(1, &Silent).unwrap();
        assert_eq!(checks.len(), 6);
        for check in &checks {
            assert_eq!(check.disagreement(), None);
            assert_eq!(check.rate.is_some(), !check.published.set.is_exact());
        }
        // The published counts of matches fit one number of probes, about 70,000.
        for check in &checks {
            if let (Some(rate), Some(matches)) = (&check.rate, check.published.matches()) {
                assert!(
                    (40_000.0..100_000.0).contains(&rate.probes_for(matches)),
                    "{check:?}"
                );
            }
        }
    }

    #[test]
    fn a_wrong_figure_is_told() {
        let mut check = checks(1, &Silent).unwrap().swap_remove(1);
        assert!(check.agrees());
        check.filter_bytes += 1;
        assert!(
            check
                .disagreement()
                .is_some_and(|text| text.contains("56755 bytes"))
        );
        check.filter_bytes -= 1;
        check.raw_bytes += 1;
        assert!(!check.agrees());
    }
}
