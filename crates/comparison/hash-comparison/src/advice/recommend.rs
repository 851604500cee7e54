//! Recommendations for a purpose, from the records of a run: the only verdict that report and terminal show.
//!
//! For each dataset, in this order:
//!
//! 1. Functions that lack a requirement are left out: a key that withstands attackers, stable values, enough bits.
//! 2. Functions are to be avoided if their costliest measurable defect for the [`Purpose`] is not negligible
//!    ([`costs`](super::costs)). Cheaper defects neither exclude nor lower a function.
//! 3. Time ranks the others, in the form of call that the purpose waits for. Functions whose times are not measurably
//!    different (see [`times`](crate::advice::times)) share a rank.
//!
//! This module measures nothing and has no sentences: its rows are stored, and report and terminal put them into words.

use serde::Serialize;

use crate::questions::filters::{FEWEST_KEYS, UnluckySize, unlucky_size};
use crate::questions::{Place, Records};
use crate::record::{
    Advice, DatasetSummary, Effect, FunctionSummary, Interval, Lack, Purpose, Request, Resistance, Standing,
    about, on, significant,
};

/// The width from which a checksum is wide enough for any number of keys: nothing here is wider.
const WIDEST: u32 = 64;
/// Fewer expected pairs of equal checksums than this, among ten times the keys, are negligible.
const NEGLIGIBLE_PAIRS: f64 = 1e-3;

/// Stores the advice on every function for `request`, and ranks the findings in the order of the advice.
pub fn decide(records: &mut Records, request: &Request) {
    records.run.request = Request {
        stable: request.needs_stable_values(),
        ..request.clone()
    };
    let datasets = records.run.datasets.iter();
    records.advice = datasets
        .flat_map(|dataset| of_dataset(records, dataset, request))
        .collect();
    for finding in &mut records.run.findings {
        let mut advice = on(&records.advice, &finding.dataset);
        let place = advice.position(|one| one.function == finding.function);
        finding.rank = place.map_or(0, |place| place as u64 + 1);
    }
}

/// Returns the advice on every function, best first.
pub fn of_dataset(records: &Records, dataset: &DatasetSummary, request: &Request) -> Vec<Advice> {
    let functions = records.run.functions.iter();
    let mut all: Vec<Advice> = functions
        .map(|function| advice(records, dataset, function, request))
        .collect();
    // Stable sort: equal functions keep the order measured.
    all.sort_by(|a, b| {
        let key = |one: &Advice| match one.standing {
            Standing::Avoid => one.cost,
            _ => one.ns,
        };
        let [a_key, b_key] = [a, b].map(|one| key(one).unwrap_or(f64::INFINITY));
        a.standing.cmp(&b.standing).then(a_key.total_cmp(&b_key))
    });
    rank(&mut all);
    all
}

/// Returns the advice on a function before it is compared with others: a function that does no harm is suited.
fn advice(
    records: &Records,
    dataset: &DatasetSummary,
    function: &FunctionSummary,
    request: &Request,
) -> Advice {
    let parts = request.purpose.parts();
    let costs = about(&records.costs, &dataset.name, &function.name);
    let decisive = costs.filter(|row| row.decides && row.purpose.is_some_and(|part| parts.contains(&part)));
    let worst = decisive.max_by(|a, b| a.by_cost(b));
    let effect = worst.map(|row| row.effect(request.negligible));
    let lacks = lacks(function, dataset.keys, request);
    let form = (Place::Sequence, request.purpose.form());
    let time = Interval::of(records, &dataset.name, &function.name, form);
    Advice {
        dataset: dataset.name.clone(),
        function: function.name.clone(),
        standing: match effect {
            _ if lacks.is_some() => Standing::Lacking,
            // With few keys everything looks good, and failures are luck.
            _ if dataset.keys < FEWEST_KEYS => Standing::Unknown,
            Some(Effect::Costly) => Standing::Avoid,
            _ => Standing::Suited,
        },
        rank: 0,
        mine: request.mine.as_ref() == Some(&function.name),
        lacks,
        stable: function.stable,
        ns: time.map(|time| significant::round(time.ns)),
        low_ns: time.map(|time| significant::round(time.low_ns)),
        high_ns: time.map(|time| significant::round(time.high_ns)),
        times_pick: None,
        unit: worst.map(|row| row.unit),
        choice: worst.and_then(|row| row.choice),
        size: worst.map(|row| row.size),
        keys: worst.map(|row| row.keys),
        sizes: worst.map(|row| row.sizes),
        measured: worst.map(|row| significant::round(row.measured)),
        chance: worst.map(|row| significant::round(row.chance)),
        cost: worst.map(|row| significant::round(row.cost)),
        effect,
    }
}

/// Ranks the suited functions, which come first, and compares all times with that of the pick.
///
/// A rank begins at a function measurably slower than the first of the rank before.
fn rank(all: &mut [Advice]) {
    let suited = all.iter().filter(|one| one.standing == Standing::Suited).count();
    let mut first = 0;
    for index in 0..suited {
        let times = [index, first].map(|index| all[index].time());
        if times[0].is_none_or(|slow| times[1].is_some_and(|fast| slow.is_slower_than(&fast)))
            && times[1].is_some()
        {
            first = index;
        }
        all[index].rank = first as u64 + 1;
        all[index].standing = match index {
            0 => Standing::Pick,
            1 => Standing::RunnerUp,
            _ => Standing::Suited,
        };
    }
    let pick = all.first().filter(|one| one.standing == Standing::Pick);
    if let Some(pick) = pick.and_then(Advice::time) {
        for one in all {
            let differs = |time: &Interval| time.is_slower_than(&pick) || pick.is_slower_than(time);
            one.times_pick = one
                .time()
                .filter(differs)
                .map(|time| significant::round(time.ns / pick.ns));
        }
    }
}

impl Advice {
    /// Returns the function's time, if it was measured.
    fn time(&self) -> Option<Interval> {
        Some(Interval {
            ns: self.ns?,
            low_ns: self.low_ns?,
            high_ns: self.high_ns?,
        })
    }
}

/// Returns a requirement that a function lacks regardless of measurements.
fn lacks(function: &FunctionSummary, keys: u64, request: &Request) -> Option<Lack> {
    let is_keyed = function.resistance == Resistance::Keyed;
    let is_checksum = request.purpose == Purpose::Checksum;
    if request.untrusted && !is_keyed {
        Some(Lack::Resistance)
    } else if request.needs_stable_values() && !function.stable && !(request.untrusted && is_checksum) {
        Some(Lack::Stability)
    } else if is_checksum && (request.untrusted || function.output_bits < enough_bits(keys)) {
        Some(Lack::Width)
    } else {
        None
    }
}

/// Returns the bits of a checksum with which equal ones are not to be expected among ten times these keys.
fn enough_bits(keys: u64) -> u32 {
    let keys = keys.saturating_mul(10) as f64;
    // Random values have n (n - 1) / 2^(bits + 1) equal pairs on average.
    let pairs = |bits: u32| libm::ldexp(keys * (keys - 1.0).max(0.0), -(bits as i32 + 1));
    (1..WIDEST)
        .find(|&bits| pairs(bits) < NEGLIGIBLE_PAIRS)
        .unwrap_or(WIDEST)
}

/// What a user must know beside the advice. The report and the terminal have a sentence for each.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Note {
    /// There are too few keys to distinguish functions.
    TooFewKeys {
        /// The fewest that are enough.
        fewest: u64,
    },
    /// Attackers may choose keys, so a function needs a secret key.
    SecretKey {
        /// Set if the key is kept for as long as the values.
        kept: bool,
        /// Set if machines have the key in common.
        common: bool,
    },
    /// Checksums against accidents do not withstand attackers.
    NotCryptographic {
        /// The bits that checksums of so many keys need.
        bits: u32,
        /// Set if attackers may choose keys.
        untrusted: bool,
    },
    /// No function meets the request.
    NothingSuits,
    /// Even an ideal hash has a high rate in LevelDB's filter of exactly these keys.
    UnluckySize(UnluckySize),
}

/// Returns the notes on advice for a dataset.
pub fn notes(dataset: &DatasetSummary, request: &Request, has_pick: bool) -> Vec<Note> {
    let has_few_keys = dataset.keys < FEWEST_KEYS;
    let is_checksum = request.purpose == Purpose::Checksum;
    let filters = request.purpose.parts().contains(&Purpose::Filter);
    let unlucky = (filters && !has_few_keys)
        .then(|| unlucky_size(dataset.keys))
        .flatten();
    let notes = [
        has_few_keys.then_some(Note::TooFewKeys { fewest: FEWEST_KEYS }),
        (request.untrusted && !is_checksum).then_some(Note::SecretKey {
            kept: request.needs_stable_values(),
            common: request.purpose == Purpose::Shard,
        }),
        is_checksum.then(|| Note::NotCryptographic {
            bits: enough_bits(dataset.keys),
            untrusted: request.untrusted,
        }),
        (!has_few_keys && !has_pick && !is_checksum).then_some(Note::NothingSuits),
        unlucky.map(Note::UnluckySize),
    ];
    notes.into_iter().flatten().collect()
}
