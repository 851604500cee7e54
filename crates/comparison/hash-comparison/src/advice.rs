//! Conclusions from all questions: findings, costs by purpose, recommendations, several runs together, false alarms.

use std::cmp::Reverse;

use self::times::Interval;
use crate::questions::filters::{FEWEST_KEYS, UnluckySize, unlucky_size};
use crate::questions::{CollisionRow, Defect, Place, ProbeRow, QUESTIONS, Records, collisions, probes};
use crate::record::{
    Advice, BitFact, CostRow, DatasetSummary, Effect, FailedTest, Finding, FunctionGroup, FunctionSummary,
    Lack, Purpose, Request, Resistance, Standing, Verdict, about, on, significant,
};
use serde::Serialize;
use statistics::correction::FAMILY_LEVEL;

pub mod calibration;
pub mod figures;
pub mod gains;
pub mod joined;
pub mod meaning;
pub mod over_sets;
pub mod parts;
pub mod published;
pub mod times;
pub mod weakness;

/// The width from which a checksum is wide enough for any number of keys: nothing here is wider.
const WIDEST: u32 = 64;
/// Fewer expected pairs of equal checksums than this, among ten times the keys, are negligible.
const NEGLIGIBLE_PAIRS: f64 = 1e-3;

/// Adds findings, facts and costs, and the advice for the request of the run.
pub(crate) fn judge(records: &mut Records) {
    records.run.findings = findings(records);
    records.run.bit_facts = bit_facts(records);
    records.costs = costs(records);
    let request = records.run.request.clone();
    recommend(records, &request);
}

/// Returns one finding for each dataset and function of the run, in this order.
///
/// - Collisions: the verdicts of the rows.
/// - Distribution: p-values below 1 % after correction for the number of rows in the file.
/// - False positives: more than the row of the ideal hash has, by a one-sided test of the two counts given their sum
///   (binomial, the function's share of all probes), below 1 % after correction for the number of such tests. The
///   counts are sums over filters of several sizes.
///
/// A defect in the last two makes a function worse than chance; a false-positive rate that is certainly
/// `FAR_WORSE_RATIO` times that of the ideal hash makes it far worse, as the same ratio
/// of collisions does.
pub fn findings(records: &Records) -> Vec<Finding> {
    let functions = &records.run.functions;
    let of_dataset = |dataset| {
        functions
            .iter()
            .map(move |function| finding(records, dataset, function))
    };
    records.run.datasets.iter().flat_map(of_dataset).collect()
}

/// Returns the failed tests of single bits, below 1 % after correction for the rows of their file: windows by dataset
/// and function, then avalanche and independence by function.
///
/// A [`Finding`] leaves these tests out: it states the effect on the user's own keys already.
pub fn bit_facts(records: &Records) -> Vec<BitFact> {
    QUESTIONS
        .iter()
        .flat_map(|question| (question.facts)(records))
        .collect()
}

fn finding(records: &Records, dataset: &DatasetSummary, function: &FunctionSummary) -> Finding {
    let (set, name) = (&dataset.name, &function.name);
    let questions = QUESTIONS.iter();
    let defects = questions.flat_map(|question| (question.defects)(records, dataset, function));
    let mut defects: Vec<Defect> = defects.collect();
    // Stable: what a question has failed stays in its order.
    defects.sort_by_key(|defect| (Reverse(defect.verdict), defect.test));
    let rows: Vec<_> = about(&records.collisions, set, name).collect();
    let fewer = rows.iter().any(|row| row.verdict == Verdict::FewerThanChance);
    let failed_most = defects.iter().map(|defect| defect.verdict).max();
    let verdict = failed_most.unwrap_or(if fewer {
        Verdict::FewerThanChance
    } else {
        Verdict::WithinChance
    });
    let mut failed: Vec<FailedTest> = defects.iter().map(|defect| defect.test).collect();
    failed.sort_unstable();
    failed.dedup();
    Finding {
        dataset: set.clone(),
        function: name.clone(),
        verdict,
        failed,
        reasons: defects.into_iter().map(|defect| defect.reason).collect(),
        worst_bits: worst(&rows).map_or(0, |row| row.bits),
        rank: 0,
    }
}

/// Returns the row of collisions furthest above chance. If no row is worse, ratios are noise at widths with hardly any
/// expected collisions, so the row with the least p-value above the expectation counts, or else the row least certain
/// to be below.
fn worst<'a>(rows: &[&'a CollisionRow]) -> Option<&'a CollisionRow> {
    let surprise = |row: &CollisionRow| {
        let above = row.collisions as f64 >= row.expected;
        if above { row.p_value } else { 2.0 - row.p_value }
    };
    let least = || {
        rows.iter()
            .copied()
            .min_by(|a, b| surprise(a).total_cmp(&surprise(b)))
    };
    collisions::furthest(rows.iter().copied()).or_else(least)
}

/// Returns the cost of each function for each purpose, in that purpose's unit: rows of each dataset and function, in
/// this order, by purpose. Only here does a failed test get a price.
///
/// Filters pay in false positives, tables in keys compared per key found, shards in keys in the fullest shard,
/// checksums in keys that share a value. Significance and size of a cost are separate questions: with enough keys the
/// smallest defect is measurable.
pub fn costs(records: &Records) -> Vec<CostRow> {
    let mut costs = Vec::new();
    for dataset in &records.run.datasets {
        for function in &records.run.functions {
            let rows = QUESTIONS.iter();
            let rows = rows.flat_map(|question| (question.costs)(records, dataset, function));
            let mut rows: Vec<CostRow> = rows.map(weighed).collect();
            // Stable: the places of a purpose keep their order.
            rows.sort_by_key(|row| row.purpose);
            for places in rows.chunk_by_mut(|a, b| a.purpose == b.purpose) {
                leave_costliest(places);
                leave_shown(places);
            }
            costs.extend(rows.into_iter().filter(|row| row.decides || row.is_shown()));
        }
    }
    costs
}

/// Leaves one place to decide, the costliest.
fn leave_costliest(places: &mut [CostRow]) {
    let of_all = (0..places.len()).filter(|&index| places[index].decides);
    let worst = of_all.max_by(|&a, &b| places[a].by_cost(&places[b]));
    for (index, row) in places.iter_mut().enumerate() {
        row.decides = Some(index) == worst;
    }
}

/// Of the places that differ in size alone, leaves one to be shown, and one beside it: the costliest if that is measurably worse
/// than chance, so that what decides is always shown, or else the one that its question names the costliest.
fn leave_shown(places: &mut [CostRow]) {
    for first in 0..places.len() {
        let kind = places[first].kind();
        let same: Vec<usize> = (0..places.len())
            .filter(|&index| places[index].kind() == kind)
            .collect();
        if same[0] != first {
            continue;
        }
        let usual = same.iter().copied().find(|&index| places[index].shown);
        let usual = usual.or(Some(first));
        let measurable = same.iter().copied().filter(|&index| places[index].measurable);
        let worst = measurable.max_by(|&a, &b| places[a].by_cost(&places[b]));
        let worst = worst.or_else(|| same.iter().copied().find(|&index| places[index].costliest));
        for index in same {
            places[index].shown = Some(index) == usual;
            places[index].costliest = Some(index) == worst && worst != usual;
        }
    }
}

/// Adds the excess over chance, and whether it is measurable.
fn weighed(mut row: CostRow) -> CostRow {
    row.cost = match row.measured == row.chance {
        true => 0.0,
        false => (row.measured / row.chance - 1.0).min(CostRow::MAX),
    };
    row.measurable = row.p_adjusted < FAMILY_LEVEL && row.measured > row.chance;
    row
}

/// Stores the advice on every function for `request`, and ranks the findings in the order of the advice.
///
/// For each dataset, in this order:
///
/// 1. Functions that lack a requirement are left out: a key that withstands attackers, stable values, enough bits.
/// 2. Functions are to be avoided if their costliest measurable defect for the [`Purpose`] is not negligible
///    ([`costs`]). Cheaper defects neither exclude nor lower a function.
/// 3. Time ranks the others, in the form of call that the purpose waits for. Functions whose times are not measurably
///    different (see [`times`]) share a rank.
///
/// This is the only verdict that report and terminal show. It has no sentences: its rows are stored, and report and
/// terminal put them into words.
pub fn recommend(records: &mut Records, request: &Request) {
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
        .map(|function| of_function(records, dataset, function, request))
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
fn of_function(
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
        let times = [index, first].map(|index| Interval::advised(&all[index]));
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
    if let Some(pick) = pick.and_then(Interval::advised) {
        for one in all {
            let differs = |time: &Interval| time.is_slower_than(&pick) || pick.is_slower_than(time);
            one.times_pick = Interval::advised(one)
                .filter(differs)
                .map(|time| significant::round(time.ns / pick.ns));
        }
    }
}

/// Returns a requirement that a function lacks regardless of measurements.
fn lacks(function: &FunctionSummary, keys: u64, request: &Request) -> Option<Lack> {
    let is_keyed = function.resistance == Resistance::Keyed;
    let is_checksum = request.purpose == Purpose::Checksum;
    if request.untrusted && !is_keyed {
        Some(Lack::Resistance)
    } else if request.needs_stable_values() && function.changes {
        Some(Lack::Change)
    } else if request.needs_stable_values() && !function.stable && !(request.untrusted && is_checksum) {
        Some(Lack::Stability)
    } else if is_checksum && (request.untrusted || function.effective_bits() < enough_bits(keys)) {
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

/// A fact that limits the advice. The report and the terminal print a sentence for each.
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
        /// Set if this run left out keyed functions.
        more: bool,
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
    /// Some bits of a function of the user never change, or repeat others.
    FewerBits(Box<FunctionSummary>),
    /// Some functions were measured as Rust hashes integers, and as it hashes their bytes, too.
    Integers {
        /// The names of those functions.
        functions: Vec<String>,
        /// The bits of the integers.
        bits: u32,
    },
    /// A function that is recommended or in use takes many probes in a table of open addressing.
    LinearProbing {
        /// The name of the function.
        function: String,
        /// Its costliest table of each way of choosing slots that is measurably worse than chance.
        tables: Vec<ProbeRow>,
    },
}

/// Returns the notes on advice for a dataset.
pub fn notes(records: &Records, dataset: &DatasetSummary, request: &Request, advice: &[Advice]) -> Vec<Note> {
    let has_pick = advice.iter().any(|one| one.standing == Standing::Pick);
    let has_few_keys = dataset.keys < FEWEST_KEYS;
    let is_checksum = request.purpose == Purpose::Checksum;
    let filters = request.purpose.parts().contains(&Purpose::Filter);
    let unlucky = (filters && !has_few_keys)
        .then(|| unlucky_size(dataset.keys))
        .flatten();
    let of_integers = records.run.functions.iter().filter(|one| one.integer_bits > 0);
    let integers = of_integers.clone().next().map(|first| Note::Integers {
        functions: of_integers.map(|one| one.name.clone()).collect(),
        bits: first.integer_bits,
    });
    let functions = records.run.functions.iter();
    let mut keyed = functions.filter(|one| one.resistance == Resistance::Keyed);
    let notes = [
        has_few_keys.then_some(Note::TooFewKeys { fewest: FEWEST_KEYS }),
        (request.untrusted && !is_checksum).then_some(Note::SecretKey {
            kept: request.needs_stable_values(),
            common: request.purpose == Purpose::Shard,
            more: !keyed.any(|one| one.group == FunctionGroup::Further),
        }),
        is_checksum.then(|| Note::NotCryptographic {
            bits: enough_bits(dataset.keys),
            untrusted: request.untrusted,
        }),
        (!has_few_keys && !has_pick && !is_checksum).then_some(Note::NothingSuits),
        unlucky.map(Note::UnluckySize),
        integers,
    ];
    let tables = request.purpose.parts().contains(&Purpose::Table);
    let named = advice
        .iter()
        .filter(|one| tables && (one.standing == Standing::Pick || one.mine));
    let probing = named.filter_map(|one| {
        let costliest = probes::costliest(records, &dataset.name, &one.function);
        let tables = costliest.filter(|row| row.cost >= request.negligible).cloned();
        Some(tables.collect::<Vec<_>>())
            .filter(|tables| !tables.is_empty())
            .map(|tables| Note::LinearProbing {
                function: one.function.clone(),
                tables,
            })
    });
    let of_user =
        |one: &&FunctionSummary| one.group == FunctionGroup::Own || request.mine.as_ref() == Some(&one.name);
    let fewer = records.run.functions.iter().filter(of_user);
    let fewer = fewer.filter(|one| one.effective_bits.is_some()).cloned();
    let fewer = fewer.map(|one| Note::FewerBits(Box::new(one)));
    notes.into_iter().flatten().chain(fewer).chain(probing).collect()
}
