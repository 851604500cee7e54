//! Which functions to take for a purpose, from the records of a run alone.
//!
//! For each dataset, in this order:
//!
//! 1. Functions are left out that lack what was asked: a key that withstands attackers, values that stay the same, bits
//!    enough ([`Ground`]).
//! 2. Functions are left out that did measurably worse than chance in a test that counts for the [`Purpose`]
//!    ([`criteria`](words::criteria)).
//! 3. Of the others, those that failed nothing come before those that failed a test that does not count. Within either
//!    there is no measurable difference in quality, so time orders them; functions whose times are not measurably
//!    different (see [`times`](crate::judge::times)) share a rank.
//!
//! Nothing here measures, and what comes out is stored, so that report and terminal only show it.

mod evidence;
mod incumbent;
#[cfg(test)]
mod tests;
pub mod words;

use self::evidence::{Evidence, equal_pairs};
use crate::judge::findings::FEWEST_KEYS;
use crate::judge::times::Speed;
use crate::record::files::Records;
use crate::record::{
    CallForm, Candidate, DatasetSummary, Excluded, Exclusion, FunctionSummary, Ground, Other, Purpose,
    Recommendation, Request, Resistance,
};
use plots::number::grouped;

/// Most functions on a short list.
pub const MAX_LISTED: usize = 5;
/// A checksum is wide enough for any number of keys from this width on, since nothing here is wider.
const WIDEST: u32 = 64;
/// Among ten times the keys, fewer expected pairs of equal checksums than this are negligible.
const NEGLIGIBLE_PAIRS: f64 = 1e-3;

/// What to take for what `request` says, for each dataset of the run in the order measured.
pub fn recommend(records: &Records, request: &Request) -> Vec<Recommendation> {
    let datasets = records.run.datasets.iter();
    datasets
        .map(|dataset| of_dataset(records, dataset, request))
        .collect()
}

/// The times that decide: a table waits for the hash of each key before it can look.
pub(crate) fn form(purpose: Purpose) -> CallForm {
    match purpose {
        Purpose::Table => CallForm::Chained,
        Purpose::FilterOrTable | Purpose::Filter | Purpose::Shard | Purpose::Checksum => {
            CallForm::Independent
        }
    }
}

/// A function that nothing speaks against.
struct Suited<'a> {
    evidence: Evidence<'a>,
    /// A failed test that does not count for the purpose.
    blemish: Option<String>,
    speed: Option<Speed>,
    rank: u64,
}

/// A function that is left out.
struct Unsuited<'a> {
    evidence: Evidence<'a>,
    ground: Ground,
    reason: String,
    speed: Option<Speed>,
}

fn of_dataset(records: &Records, dataset: &DatasetSummary, request: &Request) -> Recommendation {
    let purpose = request.purpose;
    let (form, stable) = (form(purpose), request.stable || purpose.needs_stable_values());
    let too_few_keys = dataset.keys < FEWEST_KEYS;
    let (mut suited, mut unsuited) = (Vec::new(), Vec::new());
    for function in &records.run.functions {
        let evidence = Evidence::of(records, dataset, function);
        let speed = Speed::of(records, &dataset.name, &function.name, form);
        let lacking = lacks(function, dataset.keys, request, stable);
        // Of a few keys everything looks well, and what does not is luck.
        let flaws = if too_few_keys {
            Vec::new()
        } else {
            evidence.flaws(purpose)
        };
        let flaw = flaws.first();
        let left_out = lacking.or_else(|| {
            flaw.filter(|flaw| flaw.counts)
                .map(|flaw| (Ground::Quality, flaw.reason.clone()))
        });
        match left_out {
            Some((ground, reason)) => unsuited.push(Unsuited {
                evidence,
                ground,
                reason,
                speed,
            }),
            None => suited.push(Suited {
                evidence,
                blemish: flaw.map(|flaw| flaw.reason.clone()),
                speed,
                rank: 0,
            }),
        }
    }
    rank(&mut suited);
    let mine = request
        .mine
        .as_deref()
        .and_then(|mine| incumbent::of(mine, &suited, &unsuited, too_few_keys));
    let notes = notes(request, &suited, too_few_keys);
    let excluded = exclusions(unsuited);
    if too_few_keys {
        suited.clear();
    }
    let more = suited
        .get(MAX_LISTED..)
        .unwrap_or_default()
        .iter()
        .map(|one| Other {
            function: one.evidence.function.name.clone(),
            rank: one.rank,
        });
    Recommendation {
        dataset: dataset.name.clone(),
        purpose,
        untrusted: request.untrusted,
        stable,
        too_few_keys,
        form,
        more: more.collect(),
        short_list: suited
            .iter()
            .take(MAX_LISTED)
            .map(|one| candidate(one, request))
            .collect(),
        excluded,
        notes,
        mine,
    }
}

/// What a function lacks whatever was measured.
fn lacks(function: &FunctionSummary, keys: u64, request: &Request, stable: bool) -> Option<(Ground, String)> {
    if request.untrusted {
        let why = &function.resistance_reason;
        match function.resistance {
            Resistance::Keyed if request.purpose == Purpose::Checksum => {
                let reason = format!(
                    "{why} As a seal {} bits are few: take a MAC of 128 bits or more.",
                    function.output_bits
                );
                return Some((Ground::Width, reason));
            }
            Resistance::Keyed => {}
            Resistance::None | Resistance::SeedOnly => return Some((Ground::Attackers, why.clone())),
        }
    }
    if stable && !function.stable {
        let reason = "Its values may change with its version or the platform: for use in memory only.";
        return Some((Ground::Stability, reason.to_owned()));
    }
    let bits = function.output_bits;
    let ten_times = keys.saturating_mul(10);
    let pairs = equal_pairs(ten_times, bits);
    (request.purpose == Purpose::Checksum && bits < WIDEST && pairs >= NEGLIGIBLE_PAIRS).then(|| {
        let reason = format!(
            "{bits} bits: {} pairs with one checksum expected among {} keys, {} among {}.",
            words::figure(equal_pairs(keys, bits)),
            grouped(keys),
            words::figure(pairs),
            grouped(ten_times),
        );
        (Ground::Width, reason)
    })
}

/// Brings the best to the front, and numbers them.
///
/// A rank begins where a function is measurably slower than the first of the rank before.
fn rank(suited: &mut [Suited<'_>]) {
    let time = |one: &Suited<'_>| one.speed.map_or(f64::INFINITY, |speed| speed.median());
    // Stable: equal ones keep the order measured.
    suited.sort_by(|a, b| {
        let blemished = |one: &Suited<'_>| one.blemish.is_some();
        (blemished(a).cmp(&blemished(b))).then(time(a).total_cmp(&time(b)))
    });
    let mut first = 0;
    for index in 0..suited.len() {
        let (leader, one) = (&suited[first], &suited[index]);
        let level = leader.blemish.is_some() == one.blemish.is_some()
            && match (leader.speed, one.speed) {
                (Some(leader), Some(speed)) => !speed.is_slower_than(&leader),
                (None, None) => true,
                _ => false,
            };
        if !level {
            first = index;
        }
        suited[index].rank = first as u64 + 1;
    }
}

fn candidate(one: &Suited<'_>, request: &Request) -> Candidate {
    let function = one.evidence.function;
    let mut reasons = one.evidence.figures(request.purpose);
    if let Some(blemish) = &one.blemish {
        reasons.push(format!(
            "after those above for a test that does not count here: {blemish}"
        ));
    }
    if request.untrusted {
        reasons.push(words::phrase(&function.resistance_reason));
    }
    reasons.push(if function.stable {
        "values fixed for ever".to_owned()
    } else {
        "in memory only: its values may change".to_owned()
    });
    Candidate {
        function: function.name.clone(),
        rank: one.rank,
        stable: function.stable,
        time: one.speed.map(|speed| speed.interval()),
        reasons,
    }
}

fn exclusions(mut unsuited: Vec<Unsuited<'_>>) -> Vec<Exclusion> {
    // Stable; where quality does not decide, the order measured stays.
    unsuited.sort_by(|a, b| {
        let severity = |one: &Unsuited<'_>| {
            if one.ground == Ground::Quality {
                one.evidence.severity()
            } else {
                0.0
            }
        };
        a.ground.cmp(&b.ground).then(severity(b).total_cmp(&severity(a)))
    });
    unsuited
        .chunk_by(|a, b| a.ground == b.ground)
        .map(|group| Exclusion {
            ground: group[0].ground,
            functions: group
                .iter()
                .map(|one| Excluded {
                    function: one.evidence.function.name.clone(),
                    reason: one.reason.clone(),
                })
                .collect(),
        })
        .collect()
}

fn notes(request: &Request, suited: &[Suited<'_>], too_few_keys: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if too_few_keys {
        notes.push(format!(
            "Too few keys to tell functions apart: choose by a larger sample of such keys, at least {FEWEST_KEYS}, better \
             tens of thousands."
        ));
    }
    if request.untrusted && request.purpose != Purpose::Checksum {
        notes.push(
            "Against an attacker the key must be random, secret and drawn anew by every process or table, and values must \
             not be shown. This run used a fixed key that anybody can read: its figures are of time and evenness, and say \
             nothing of attacks."
                .to_owned(),
        );
    }
    if request.untrusted && request.purpose == Purpose::Shard {
        notes.push(
            "Machines that agree on shards share that key, and all of them must keep it secret.".to_owned(),
        );
    }
    if request.purpose == Purpose::Checksum {
        notes.push(
            "None of these functions is cryptographic: they find accidents. Against somebody who changes data on purpose \
             take a MAC (HMAC-SHA-256, keyed BLAKE3), or a cryptographic hash kept where he cannot change it."
                .to_owned(),
        );
    }
    // No more functions would help against somebody who forges checksums: see the note before.
    let is_seal = request.untrusted && request.purpose == Purpose::Checksum;
    if suited.is_empty() && !is_seal {
        notes.push(
            "None of the functions measured will do. Measure more: without --function all are, and what was asked may be \
             more than is needed."
                .to_owned(),
        );
    }
    notes
}
