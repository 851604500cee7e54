//! The published table of filters compared with ours: exact sizes, and measured rates.

use filter_policy::{BitsPerKey, BloomFilterPolicy, HashedPolicy};

use super::{Section, columns};
use crate::advice::published::{FilterRow, KeySet};
use crate::functions;
use crate::keys::{Dataset, Recipe, load_embedded};
use crate::questions::FalsePositiveRow;
use crate::questions::filters::Probes;
use crate::record::DatasetKind;
use crate::values::Hashed;
use records::error::Error;
use records::number::grouped;
use records::progress::{Progress, go_on};
use records::terminal::table;

/// The function whose values go into the published filters.
const FUNCTION: &str = "MurMurHash2";

/// Builds every published filter with the published policy, and probes those over ids with absent keys.
pub(super) fn section(seed: u64, progress: &dyn Progress) -> Result<Section, Error> {
    let (ids, accounts) = (ids(seed), load_embedded(&KeySet::AppAccounts.to_string(), seed)?);
    go_on(progress)?;
    let hashed = Hashed::new(&ids.keys, functions::find(FUNCTION)?);
    let probes = Probes::new(&ids);
    let measured = probes.rates(FUNCTION, &probes.values(&hashed), progress)?;
    let (mut sizes, mut rates, mut disagreements) = (Vec::new(), Vec::new(), Vec::new());
    for published in FilterRow::all() {
        go_on(progress)?;
        let (set, bits) = (published.set, published.bits_per_key);
        let keys = if set.is_exact() { &accounts.keys } else { &ids.keys };
        let filter = BloomFilterPolicy::new(BitsPerKey::whole(bits))
            .build(keys.iter())
            .map_err(|error| Error::internal(format!("filter over {set}: {error}")))?;
        let (raw_bytes, filter_bytes) = (keys.total_bytes() as u64, filter.len() as u64);
        let saved = 1.0 - filter_bytes as f64 / raw_bytes as f64;
        let pair = |published: String, ours: String| match published == ours {
            true => published,
            false => format!("{published} ({ours})"),
        };
        sizes.push([
            bits.to_string(),
            set.to_string(),
            grouped(published.keys),
            pair(grouped(published.raw_bytes), grouped(raw_bytes)),
            pair(grouped(published.filter_bytes), grouped(filter_bytes)),
            pair(format!("{:.7}", published.saved), format!("{saved:.7}")),
        ]);
        if !sizes_agree(published, raw_bytes, filter_bytes) {
            disagreements.push(format!(
                "filter of {} keys ({set}) at {bits} bits per key: {filter_bytes} bytes over {raw_bytes} of keys; published {} over {}",
                published.keys,
                published.filter_bytes,
                published.raw_bytes,
            ));
        }
        let row = measured.iter().find(|row| row.bits_per_key == bits);
        if let (Some(row), Some(known)) = (row, published.policy) {
            rates.extend(rate(published, row));
            let rate = row.rate;
            if !rate_agrees(known, rate, row.probes) {
                disagreements.push(format!(
                    "filter at {bits} bits per key: rate {rate} where {known} is known"
                ));
            }
        }
    }
    let sizes = table(
        columns("bits/key | set | keys | raw bytes | filter bytes | saved"),
        &[0, 2, 3, 4, 5],
        sizes,
    );
    let rates = table(
        columns("bits/key | matches | fit probes | measured % | 95 % CI | policy % | textbook %"),
        &[0, 1, 2, 3, 4, 5, 6],
        rates,
    );
    let text = format!(
        "\nThe Bloom policy: published, and ours where it differs\n{sizes}\n\
         The published ids are not known: ours are 80,000 by the recipe of video-ids, so their bytes and the saving\n\
         differ by 0.1 %. The filter sizes must be equal.\n\n{rates}\n\
         Published were matches over an unstated number of absent ids, divided by 10,000; about 70,000 fit. The policy's\n\
         double hashing costs the rest of the way from the textbook rate (facebook/rocksdb#4120).\n"
    );
    Ok(Section { text, disagreements })
}

/// Returns true if the filter has the published size. Keys that are known exactly must have their size and the saving too.
fn sizes_agree(published: &FilterRow, raw_bytes: u64, filter_bytes: u64) -> bool {
    let saved = 1.0 - filter_bytes as f64 / raw_bytes as f64;
    // The published saving was printed with single precision.
    let keys_agree = raw_bytes == published.raw_bytes && (saved - published.saved).abs() < 1e-7;
    filter_bytes == published.filter_bytes && (keys_agree || !published.set.is_exact())
}

/// Returns true if a rate lies within five standard errors of this policy's known rate.
fn rate_agrees(known: f64, rate: f64, probes: u64) -> bool {
    let standard_error = libm::sqrt(known * (1.0 - known) / probes as f64);
    (rate - known).abs() <= 5.0 * standard_error
}

/// Returns the published matches, with the number of absent keys that would give them at the measured rate, and the rates.
fn rate(published: &FilterRow, row: &FalsePositiveRow) -> Option<[String; 7]> {
    let percent = |rate: f64| format!("{:.4}", rate * 100.0);
    let matches = published.matches()?;
    Some([
        published.bits_per_key.to_string(),
        matches.to_string(),
        grouped((matches as f64 / row.rate) as u64),
        percent(row.rate),
        format!("{}\u{2013}{}", percent(row.ci_low), percent(row.ci_high)),
        percent(published.policy?),
        percent(published.textbook?),
    ])
}

/// Returns the published number of ids, by the recipe of `video-ids`: the published ids are not known.
fn ids(seed: u64) -> Dataset {
    let drawn = FilterRow::all().iter().filter(|row| !row.set.is_exact());
    let count = drawn.map(|row| row.keys).max().unwrap_or(0);
    let recipe = Recipe::DistinctBelow1e9;
    Dataset {
        kind: DatasetKind::Generated,
        seed,
        recipe: Some(recipe),
        ..Dataset::of("video-ids", recipe.keys(seed, count as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_figure_is_told() {
        for row in FilterRow::all() {
            assert!(sizes_agree(row, row.raw_bytes, row.formula_bytes()), "{row:?}");
            assert!(!sizes_agree(row, row.raw_bytes, row.filter_bytes + 1), "{row:?}");
            let is_unknown = !row.set.is_exact();
            assert_eq!(sizes_agree(row, row.raw_bytes + 1, row.filter_bytes), is_unknown);
        }
        // One standard error is 0.0001.
        let rates = [0.009_4, 0.009_6, 0.010_4, 0.010_6];
        let agree = rates.map(|rate| rate_agrees(0.01, rate, 1_000_000));
        assert_eq!(agree, [false, true, true, false]);
    }
}
