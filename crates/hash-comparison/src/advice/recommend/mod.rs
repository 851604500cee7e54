//! Recommendations for a purpose, from the records of a run: the only verdict that report and terminal show.
//!
//! For each dataset, in this order:
//!
//! 1. Functions that lack a requirement are left out: a key that withstands attackers, stable values, enough bits.
//! 2. Functions are to be avoided if their costliest measurable defect for the [`Purpose`] is not negligible
//!    ([`costs`](crate::advice::costs)). Cheaper defects neither exclude nor lower a function.
//! 3. Time ranks the others, in the form of call that the purpose waits for. Functions whose times are not measurably
//!    different (see [`times`](crate::advice::times)) share a rank.
//!
//! This module measures nothing. Its results are stored, so report and terminal only show them.

mod incumbent;
mod sizes;
#[cfg(test)]
mod tests;
pub mod words;

use crate::questions::filters::FEWEST_KEYS;
use crate::questions::{Place, Records};
use crate::record::{
    Advice, AtSize, CallForm, CostRow, DatasetSummary, FunctionSummary, Incumbent, Interval, Purpose,
    Recommendation, Request, Resistance, Standing, of, on,
};
use records::number::{grouped, significant};

/// The width from which a checksum is wide enough for any number of keys: nothing here is wider.
const WIDEST: u32 = 64;
/// Fewer expected pairs of equal checksums than this, among ten times the keys, are negligible.
const NEGLIGIBLE_PAIRS: f64 = 1e-3;

/// Recommends functions for `request`, and ranks the findings in the order of the advice.
pub fn decide(records: &mut Records, request: &Request) {
    records.run.recommendations = recommend(records, request);
    for finding in &mut records.run.findings {
        let mut told = records.run.recommendations.iter();
        let told = told.find(|told| told.dataset == finding.dataset);
        let place = told.and_then(|told| {
            told.functions
                .iter()
                .position(|one| one.function == finding.function)
        });
        finding.rank = place.map_or(0, |place| place as u64 + 1);
    }
}

/// Returns the recommendation for `request` on each dataset of the run, in the order measured.
pub fn recommend(records: &Records, request: &Request) -> Vec<Recommendation> {
    let datasets = records.run.datasets.iter();
    datasets
        .map(|dataset| of_dataset(records, dataset, request))
        .collect()
}

/// Returns the costs of every function at several numbers of keys of a dataset, by the times that decide for `purpose`.
pub(crate) fn at_sizes(records: &Records, dataset: &DatasetSummary, purpose: Purpose) -> Vec<AtSize> {
    let request = Request {
        purpose,
        ..Request::default()
    };
    let all = judged(records, dataset, &request);
    sizes::of(records, dataset, &all.iter().collect::<Vec<_>>())
}

/// Returns the form of call whose times decide: a table waits for the hash of each key before its lookup.
pub(crate) fn form(purpose: Purpose) -> CallForm {
    match purpose {
        Purpose::FilterOrTable | Purpose::Table => CallForm::Chained,
        Purpose::Filter | Purpose::Shard | Purpose::Checksum => CallForm::Independent,
    }
}

/// A function that is being judged for the advice.
struct Judged<'a> {
    function: &'a FunctionSummary,
    /// Costs by purpose.
    costs: Vec<&'a CostRow>,
    speed: Option<Interval>,
    standing: Standing,
    rank: u64,
    /// The missing requirement, in a few words and in a sentence.
    lacks: Option<(&'static str, String)>,
}

impl Judged<'_> {
    /// Returns the costliest measurable defect.
    fn defect(&self) -> Option<&CostRow> {
        let measurable = self.costs.iter().copied().filter(|row| row.measurable);
        measurable.max_by(|a, b| a.cost.total_cmp(&b.cost))
    }

    fn time(&self) -> f64 {
        self.speed.map_or(f64::INFINITY, |speed| speed.ns)
    }

    /// Returns true if `other` is measurably faster.
    fn is_slower_than(&self, other: &Self) -> bool {
        match (self.speed, other.speed) {
            (Some(speed), Some(other)) => speed.is_slower_than(&other),
            (None, other) => other.is_some(),
            (Some(_), None) => false,
        }
    }

    /// Returns the share of its time that a change to `pick` saves.
    fn saves(&self, pick: &Self) -> f64 {
        let differs = self.is_slower_than(pick) || pick.is_slower_than(self);
        let share = 1.0 - pick.time() / self.time();
        if differs && share.is_finite() { share } else { 0.0 }
    }
}

/// Returns every function of the run, best first.
fn judged<'a>(records: &'a Records, dataset: &DatasetSummary, request: &Request) -> Vec<Judged<'a>> {
    let parts = request.purpose.parts();
    let of_dataset: Vec<&CostRow> = on(&records.costs, &dataset.name).collect();
    let judge = |function: &'a FunctionSummary| {
        let costs = of(of_dataset.iter().copied(), &function.name);
        let mut one = Judged {
            function,
            costs: costs.filter(|row| parts.contains(&row.purpose)).collect(),
            speed: Interval::of(
                records,
                &dataset.name,
                &function.name,
                (Place::Sequence, form(request.purpose)),
            ),
            standing: Standing::Suited,
            rank: 0,
            lacks: lacks(function, dataset.keys, request),
        };
        one.standing = match one.defect() {
            _ if one.lacks.is_some() => Standing::Lacking,
            // With few keys everything looks good, and failures are luck.
            _ if dataset.keys < FEWEST_KEYS => Standing::Unknown,
            Some(row) if row.cost >= request.negligible => Standing::Avoid,
            _ => Standing::Suited,
        };
        one
    };
    let mut all: Vec<Judged<'a>> = records.run.functions.iter().map(judge).collect();
    rank(&mut all);
    all
}

/// Compares every function of the run, as if it were in use today, with the pick for `request`.
pub fn incumbents(records: &Records, dataset: &DatasetSummary, request: &Request) -> Vec<Incumbent> {
    let all = judged(records, dataset, request);
    let pick = all.first().filter(|one| one.standing == Standing::Pick);
    let at = (records, dataset.name.as_str(), form(request.purpose));
    let beside = |mine| incumbent::beside(at, mine, pick, request);
    all.iter().map(beside).collect()
}

fn of_dataset(records: &Records, dataset: &DatasetSummary, request: &Request) -> Recommendation {
    let purpose = request.purpose;
    let too_few_keys = dataset.keys < FEWEST_KEYS;
    let all = judged(records, dataset, request);
    let pick = all.first().filter(|one| one.standing == Standing::Pick);
    let mine = request.mine.as_deref();
    let mine = mine.and_then(|mine| all.iter().find(|one| one.function.name == mine));
    let listed = |one: &&Judged<'_>| one.standing <= Standing::RunnerUp;
    let beside: Vec<&Judged<'_>> = all
        .iter()
        .filter(listed)
        .chain(mine.filter(|mine| !listed(mine)))
        .collect();
    Recommendation {
        dataset: dataset.name.clone(),
        purpose,
        untrusted: request.untrusted,
        stable: request.needs_stable_values(),
        too_few_keys,
        negligible: request.negligible,
        form: form(purpose),
        form_reason: words::form_reason(purpose).to_owned(),
        attackers: words::attackers(records, dataset, request),
        functions: all.iter().map(|one| advice(one, pick)).collect(),
        mine: mine
            .map(|mine| incumbent::beside((records, &dataset.name, form(purpose)), mine, pick, request)),
        at_sizes: sizes::of(records, dataset, &beside),
        notes: notes(request, dataset.keys, pick.is_some()),
    }
}

/// Returns a requirement that a function lacks regardless of measurements, in a few words and in a sentence.
fn lacks(function: &FunctionSummary, keys: u64, request: &Request) -> Option<(&'static str, String)> {
    let bits = function.output_bits;
    if request.untrusted {
        let why = &function.resistance_reason;
        match function.resistance {
            Resistance::Keyed if request.purpose == Purpose::Checksum => {
                let reason = format!(
                    "{why} Its {bits} bits are too few against forgery: use a MAC of 128 bits or more."
                );
                return Some(("too few bits", reason));
            }
            Resistance::Keyed => {}
            Resistance::None | Resistance::SeedOnly => {
                return Some(("an attacker can make keys collide", why.clone()));
            }
        }
    }
    if request.needs_stable_values() && !function.stable {
        let reason =
            "Its values may change with its version or the platform, so it is for use in memory only.";
        return Some(("values may change", reason.to_owned()));
    }
    let ten_times = keys.saturating_mul(10);
    let pairs = equal_pairs(ten_times, bits);
    (request.purpose == Purpose::Checksum && bits < WIDEST && pairs >= NEGLIGIBLE_PAIRS).then(|| {
        let enough = (bits..WIDEST).find(|bits| equal_pairs(ten_times, *bits) < NEGLIGIBLE_PAIRS);
        let reason = format!(
            "{bits} bits are too few: {} pairs with equal checksums are expected among {} keys, {} among {}; {} bits are \
             enough.",
            significant(equal_pairs(keys, bits), 2),
            grouped(keys),
            significant(pairs, 2),
            grouped(ten_times),
            enough.unwrap_or(WIDEST),
        );
        ("too few bits", reason)
    })
}

/// Returns the expected pairs of equal values among `keys` random ones of `bits` bits: n (n - 1) / 2^(bits + 1).
fn equal_pairs(keys: u64, bits: u32) -> f64 {
    let keys = keys as f64;
    libm::ldexp(keys * (keys - 1.0).max(0.0), -(bits as i32 + 1))
}

/// Sorts the functions, best first, and ranks the suited ones.
///
/// A rank begins at a function measurably slower than the first of the rank before.
fn rank(all: &mut [Judged<'_>]) {
    // Stable sort: equal functions keep the order measured.
    all.sort_by(|a, b| {
        (a.standing.cmp(&b.standing)).then_with(|| match a.standing {
            Standing::Avoid => {
                let cost = |one: &Judged<'_>| one.defect().map_or(0.0, |row| row.cost);
                cost(a).total_cmp(&cost(b))
            }
            _ => a.time().total_cmp(&b.time()),
        })
    });
    let suited = all.iter().filter(|one| one.standing == Standing::Suited).count();
    let mut first = 0;
    for index in 0..suited {
        if all[index].is_slower_than(&all[first]) {
            first = index;
        }
        all[index].rank = first as u64 + 1;
        all[index].standing = match index {
            0 => Standing::Pick,
            1 => Standing::RunnerUp,
            _ => Standing::Suited,
        };
    }
}

fn advice(one: &Judged<'_>, pick: Option<&Judged<'_>>) -> Advice {
    let saves = pick.map_or(0.0, |pick| one.saves(pick));
    Advice {
        function: one.function.name.clone(),
        standing: one.standing,
        rank: one.rank,
        stable: one.function.stable,
        time: one.speed,
        saves,
        cost: one
            .defect()
            .filter(|_| one.standing != Standing::Unknown)
            .cloned(),
        reason: words::reason(one, saves),
    }
}

fn notes(request: &Request, keys: u64, has_pick: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let too_few_keys = keys < FEWEST_KEYS;
    if too_few_keys {
        notes.push(format!(
            "These are too few keys to tell functions apart. Give a larger sample: at least {FEWEST_KEYS} keys, better tens \
             of thousands."
        ));
    }
    if request.untrusted && request.purpose != Purpose::Checksum {
        let lifetime = if request.needs_stable_values() {
            "kept for as long as the values: another key gives other values"
        } else {
            "drawn anew for every process or table"
        };
        notes.push(format!(
            "The key must be random, secret and {lifetime}. Do not show hash values to strangers. This run used a fixed, \
             public key, so its figures say nothing about attacks."
        ));
    }
    if request.untrusted && request.purpose == Purpose::Shard {
        notes.push("Machines that agree on shards share that key, and each must keep it secret.".to_owned());
    }
    if request.purpose == Purpose::Checksum {
        notes.push(
            "None of these functions is cryptographic: they detect accidents only. Against deliberate changes use a MAC \
             (HMAC-SHA-256, keyed BLAKE3), or a cryptographic hash kept where nobody can change it."
                .to_owned(),
        );
    } else if !too_few_keys && !has_pick {
        notes.push(
            "No measured function meets the request. Measure more of them (--all), or drop a requirement."
                .to_owned(),
        );
    }
    if !too_few_keys && request.purpose.parts().contains(&Purpose::Filter) {
        notes.extend(sizes::unlucky(keys));
    }
    notes
}
