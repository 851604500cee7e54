//! Rates of filters that bring a hash function of their own, by the number of keys.

use std::collections::BTreeSet;

use filter_formats::Format;
use filter_formats::policies::ALL;
use filter_policy::BitsPerKey;
use minijinja::context;
use minijinja::value::Value;

use crate::page::cells::td;
use crate::questions::filters::sizes;
use crate::questions::on_dataset::DatasetRows;
use records::number::{self, grouped};

/// Returns heads and rows of the policies that bring a hash function of their own, by the same numbers of keys.
/// Computed, not counted.
pub(super) fn policies(data: &DatasetRows<'_>) -> Value {
    let sizes = data
        .rows(&data.records.near_sizes)
        .filter(|row| row.compared.is_some());
    let mut numbers: BTreeSet<u64> = sizes.map(|row| row.keys).collect();
    if numbers.is_empty() {
        numbers.insert(data.summary.keys);
    }
    let heads = numbers.iter().map(|&keys| format!("#{} keys", grouped(keys)));
    let heads: Value = ["Policy".to_owned()].into_iter().chain(heads).collect();
    let bits_per_key = BitsPerKey::whole(sizes::BITS_PER_KEY);
    let policies = ALL.iter().map(|policy| (policy.name(), policy.format()));
    let rows = policies
        .filter(|(_, format)| *format != Format::LEVEL_DB)
        .map(|(name, format)| {
            let cell = |&keys: &u64| {
                let rate = format.rate(keys, bits_per_key).ok()?;
                let bits = 8.0 * format.filter_bytes(keys, bits_per_key).ok()? as f64 / keys as f64;
                let (share, bits) = (number::percent(rate), number::significant(bits, 3));
                Some((format!("{share} in {bits} bits"), rate))
            };
            context! { name, cells => numbers.iter().map(|keys| td(cell(keys), None)).collect::<Value>() }
        });
    context! { heads, rows => rows.collect::<Value>() }
}
