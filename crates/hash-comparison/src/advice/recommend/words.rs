//! The advice in words, for terminal and report.

use crate::advice::recommend::{Judged, judged};
use crate::questions::collisions::{even_chance, furthest, structured};
use crate::questions::filters::{Compared, Comparison};
use crate::questions::{MixingTest, NearSizesRow, Records, mixing};
use crate::record::{
    Advice, AtSize, Choice, CostRow, DatasetKind, DatasetSummary, End, IDEAL, Purpose, Recommendation,
    Request, Standing, Verdict, about, of, on,
};
use crate::vocabulary;
use crate::words::placed;
use records::number::{grouped, percent, significant};

/// Returns the unit of a purpose's cost.
pub fn unit(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Filter | Purpose::FilterOrTable => "false positives",
        Purpose::Table => "comparisons per look-up",
        Purpose::Shard => "keys in the fullest shard",
        Purpose::Checksum => "collisions",
    }
}

/// Returns the reason why the time of this form of call counts for a purpose.
pub fn form_reason(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::FilterOrTable | Purpose::Table => {
            "each call waits for the previous one, as a table look-up waits for its hash"
        }
        Purpose::Filter => "calls overlap, as when a filter is built from a batch",
        Purpose::Shard => "calls overlap, as when keys are distributed in batches",
        Purpose::Checksum => "calls overlap, as when checksums of a batch are computed",
    }
}

/// Returns the request as it follows "for ": `a hash table of these keys, which an attacker may choose`.
pub fn asked(recommendation: &Recommendation) -> String {
    let purpose = match recommendation.purpose {
        Purpose::FilterOrTable => "a filter or table over these keys",
        Purpose::Filter => "a filter over these keys",
        Purpose::Table => "a hash table of these keys",
        Purpose::Shard => "shards of these keys",
        Purpose::Checksum => "checksums of these keys",
    };
    let untrusted = if recommendation.untrusted {
        ", which an attacker may choose"
    } else {
        ""
    };
    let stable = if recommendation.stable {
        ", with values that never change"
    } else {
        ""
    };
    format!("{purpose}{untrusted}{stable}")
}

/// Formats a ratio of times or counts: `1.4 times`.
pub(super) fn times(ratio: f64) -> String {
    format!("{} times", significant(ratio, 2))
}

/// Describes why a suited function is good enough: its greatest measurable cost, or none.
pub(super) fn good_enough(one: &Judged<'_>, request: &Request) -> String {
    if let Some(row) = one.defect() {
        return cost(row, request.negligible);
    }
    let units: Vec<&str> = request.purpose.parts().iter().map(|part| unit(*part)).collect();
    format!("{} are within chance", units.join(" and "))
}

/// Describes a cost in figures, compared with chance. A cost below `negligible` is called negligible.
pub fn cost(row: &CostRow, negligible: f64) -> String {
    let place = &row.place;
    let figures = match row.purpose {
        Purpose::Filter | Purpose::FilterOrTable => {
            let [measured, chance] = [row.measured, row.chance].map(percent);
            format!("{measured} false positives at {place} (ideal hash: {chance})")
        }
        Purpose::Table => {
            let [measured, chance] = [row.measured, row.chance].map(|keys| significant(keys, 4));
            format!("{measured} comparisons per look-up in {place} (chance: {chance})")
        }
        Purpose::Shard | Purpose::Checksum => {
            let measured = grouped(row.measured as u64);
            let chance = significant(row.chance, if row.chance < 10.0 { 2 } else { 4 });
            let what = if row.purpose == Purpose::Shard {
                "keys in the fullest of"
            } else {
                "collide in"
            };
            format!("{measured} {what} {place} (chance: {chance})")
        }
    };
    match () {
        () if !row.measurable => format!("{figures}: {}", vocabulary::result(Verdict::WithinChance)),
        () if row.cost < negligible => format!(
            "{figures}, {}: {}, but negligible here",
            more(row.cost),
            vocabulary::result(Verdict::WorseThanChance)
        ),
        () => figures,
    }
}

/// Returns `12 % more` or `3.4 times as many`.
fn more(cost: f64) -> String {
    if cost < 1.0 {
        format!("{} % more", significant(100.0 * cost, 2))
    } else {
        format!("{} times as many", significant(cost + 1.0, 2))
    }
}

/// Returns the figures of a recommended function: the same places for every function, so that two can be compared, and
/// its other measurable costs.
pub(crate) fn figures(records: &Records, told: &Recommendation, advice: &Advice) -> Vec<String> {
    let (dataset, function) = (&told.dataset, &advice.function);
    let parts = told.purpose.parts();
    let mut all: Vec<String> = Vec::new();
    for part in parts {
        match part {
            Purpose::Filter | Purpose::FilterOrTable => all.extend(filter(records, dataset, function)),
            Purpose::Table => all.extend(table(records, dataset, function)),
            Purpose::Shard => all.extend(shards(records, dataset, function)),
            Purpose::Checksum => {}
        }
    }
    let costs = about(&records.costs, dataset, function).filter(|row| parts.contains(&row.purpose));
    // A figure listed above is not repeated, unless its cost is to be called negligible.
    let is_above = |row: &CostRow| match row.purpose {
        _ if row.cost < told.negligible => false,
        Purpose::Table => row.place.ends_with("by the low bits"),
        Purpose::Shard => all.iter().any(|told| told.contains(&format!(" {} ", row.place))),
        _ => false,
    };
    let is_told = |row: &&CostRow| row.measurable && !is_above(row) || row.purpose == Purpose::Checksum;
    let costs = costs.filter(is_told).map(|row| cost(row, told.negligible));
    let costs: Vec<String> = costs.collect();
    all.extend(costs);
    if told.untrusted {
        let known = records.run.functions.iter().find(|one| one.name == *function);
        all.extend(known.map(|one| phrase(&one.resistance_reason)));
    }
    all
}

fn filter(records: &Records, dataset: &str, function: &str) -> Option<String> {
    let set = records.run.datasets.iter().find(|set| set.name == dataset)?;
    let comparison = Comparison::new(&records.near_sizes, set.kind == DatasetKind::Generated);
    let mut rates = Vec::new();
    let mut filters = comparison.of(dataset, function);
    for bits in [AtSize::BITS_PER_KEY, 15] {
        let one = filters.find(|one| one.row.bits_per_key == bits)?;
        let Compared { row, ideal, .. } = one;
        let [rate, low, high, ideal] = [row.rate, row.lowest_rate, row.highest_rate, ideal.rate].map(percent);
        let chance = percent(comparison.highest_by_chance(one));
        let several = match row.sizes {
            1 => String::new(),
            sizes => format!(
                "; mean of {sizes} filters from {} keys down, {low} to {high}",
                grouped(row.keys)
            ),
        };
        rates.push(format!(
            "{rate} at {bits} bits per key (ideal hash: {ideal}; by chance up to {chance}{several})"
        ));
    }
    Some(format!("false positives {}", rates.join(", ")))
}

/// Describes the fullest of the most shards by the low bits, and of twelve by the remainder.
fn shards(records: &Records, dataset: &str, function: &str) -> Vec<String> {
    let shown = [(Choice::LowBits, 256), (Choice::Remainder, 12)];
    let rows = about(&records.shards, dataset, function);
    let rows = rows.filter(|row| shown.contains(&(row.choice, row.buckets)));
    let words = rows.map(|row| {
        let place = placed(row.buckets, "shards", row.choice);
        let [fullest, chance, even] = [row.value, row.expected, row.keys as f64 / row.buckets as f64]
            .map(|keys| grouped(keys.round() as u64));
        format!("{fullest} keys in the fullest of {place} (chance: {chance}; even: {even})")
    });
    words.collect()
}

fn table(records: &Records, dataset: &str, function: &str) -> Option<String> {
    let row = about(&records.occupancy, dataset, function).find(|row| row.choice == Choice::LowBits)?;
    let [hit, low, high] = [row.value, row.low?, row.high?].map(|value| significant(value, 4));
    Some(format!(
        "{hit} comparisons per look-up by the low bits (by chance: {low} to {high})"
    ))
}

/// Describes the measured weaknesses of a function on other keys, or returns `None` if it has none.
pub(crate) fn known_weakness(records: &Records, dataset: &DatasetSummary, function: &str) -> Option<String> {
    let structured = structured::sets_failed(records, function).filter(|sets| sets.failed > 0);
    let nearest = structured
        .as_ref()
        .and_then(|_| nearest(records, dataset, function));
    let structured = structured.map(|sets| {
        let high_only = match sets.high_only {
            0 => String::new(),
            some => format!(", {some} of them by their high bits alone"),
        };
        format!(
            "fails {} of {} sets of structured keys{high_only}",
            sets.failed, sets.tried
        )
    });
    let mut mixing = of(&records.mixing, function);
    let unmixed = mixing.any(|row| row.test == MixingTest::Avalanche && mixing::failed(row.p_adjusted));
    let unmixed = unmixed.then(|| "single bits are not mixed well".to_owned());
    let all: Vec<String> = structured.into_iter().chain(unmixed).collect();
    let nearest = nearest.map_or_else(String::new, |nearest| format!(" {nearest}"));
    (!all.is_empty()).then(|| format!("Known weakness: {}.{nearest}", all.join("; ")))
}

/// Describes the result of a function on the structured set most like the keys of `dataset`.
fn nearest(records: &Records, dataset: &DatasetSummary, function: &str) -> Option<String> {
    let set = structured::nearest(dataset)?;
    let rows = || about(&records.structured, set.name, function);
    rows().next()?;
    let lead = format!("The set nearest to these keys, {} ({})", set.name, set.recipe);
    let Some(row) = furthest(rows()) else {
        return Some(format!("{lead}: passed."));
    };
    let only_high = rows().all(|row| !row.is_worse() || row.end == End::High);
    let then = if only_high {
        "; the low bits pass, so use it for such keys only with the low bits, as most filters and tables do"
    } else {
        ""
    };
    let collisions = grouped(row.collisions);
    let (keys, chance) = (grouped(row.keys), significant(row.expected, 3));
    Some(format!(
        "{lead}: {collisions} of {keys} collide in {} (chance: {chance}){then}.",
        row.place()
    ))
}

/// Describes the effect of the choice at 10,000 keys: the worst and the slowest function, compared with the pick.
pub(crate) fn at_ten_thousand(records: &Records, told: &Recommendation) -> Option<String> {
    const KEYS: u64 = 10_000;
    let pick = told.pick()?;
    let is_it = |row: &&NearSizesRow| row.keys == KEYS && row.compared.is_some() && row.function != IDEAL;
    let rows = || on(&records.near_sizes, &told.dataset).filter(is_it);
    let worst = |value: fn(&NearSizesRow) -> f64| {
        let best = rows().find(|row| row.function == pick.function)?;
        // The first of equal functions: forms of a published function come last.
        let worst = rows().reduce(|a, b| if value(b) > value(a) { b } else { a })?;
        Some((worst, best)).filter(|(worst, best)| value(worst) > value(best) * (1.0 + told.negligible))
    };
    let compared = |row: &NearSizesRow| row.compared.unwrap_or_default();
    let costs = told.purpose.parts().iter().filter_map(|part| match part {
        Purpose::Filter => worst(|row| row.rate).map(|(worst, best)| {
            let [worst_rate, rate] = [worst, best].map(|row| percent(row.rate));
            let function = &worst.function;
            format!("{function} lets {worst_rate} of absent keys through a filter (the pick: {rate})")
        }),
        Purpose::Table => worst(compared).map(|(worst, best)| {
            let [many, few] = [worst, best].map(|row| significant(compared(row), 3));
            format!(
                "{} takes {many} comparisons per look-up (the pick: {few})",
                worst.function
            )
        }),
        _ => None,
    });
    let costs = costs.collect::<Vec<_>>().join(", and ");
    let timed = || told.functions.iter().filter_map(|one| Some((one, one.time?.ns)));
    let (slowest, most) = timed().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let ms = |ns: f64| significant(ns * KEYS as f64 / 1e6, 2);
    let times = format!(
        "hashing all keys takes {} ms with the pick and {} ms with {}, the slowest",
        ms(pick.time?.ns),
        ms(most),
        slowest.function
    );
    let keys = grouped(KEYS);
    Some(if costs.is_empty() {
        format!("At {keys} keys: {times}.")
    } else {
        format!("At {keys} keys, a poor function matters and a slow one hardly: {costs}; {times}.")
    })
}

/// Returns the functions that fail no set of structured keys, in the order of the advice, and the number of sets. This
/// is the advice for keys that are not known yet.
pub(crate) fn without_weakness<'a>(
    records: &Records,
    told: &'a Recommendation,
) -> Option<(Vec<&'a str>, usize)> {
    let suited = told.suited().map(|one| one.function.as_str());
    let tried: Vec<_> = suited
        .filter_map(|name| Some((name, structured::sets_failed(records, name)?)))
        .collect();
    let sets = tried.first()?.1.tried;
    let good = tried.iter().filter(|(_, sets)| sets.failed == 0);
    Some((good.map(|(name, _)| *name).collect(), sets))
}

/// Returns the reason for a function's standing, in about five words.
pub(super) fn reason(one: &Judged<'_>, saves: f64) -> String {
    let told = match (one.standing, one.defect()) {
        (Standing::Unknown, _) => "too few keys to tell",
        (Standing::Lacking, _) => one.lacks.as_ref().map_or("", |(reason, _)| *reason),
        (Standing::Avoid, Some(row)) if row.purpose == Purpose::Checksum => {
            return format!(
                "{} collide; chance: {}",
                grouped(row.measured as u64),
                significant(row.chance, 2)
            );
        }
        (Standing::Avoid, Some(row)) if row.purpose == Purpose::Shard => {
            return format!("{} in one shard", more(row.cost));
        }
        (Standing::Avoid, Some(row)) if row.purpose == Purpose::Table => {
            return format!("{} comparisons", more(row.cost));
        }
        (Standing::Avoid, Some(row)) => return format!("{} {}", more(row.cost), unit(row.purpose)),
        (Standing::Pick, _) => "fastest that suits",
        _ if one.speed.is_none() => "suits, but was not timed",
        _ if saves > 0.0 => {
            let longer = times(1.0 / (1.0 - saves));
            return format!("takes {longer} as long");
        }
        _ => "as fast as the pick, within noise",
    };
    told.to_owned()
}

/// Returns advice for keys that come from strangers, or `None` if nobody said that they do.
pub(super) fn attackers(records: &Records, dataset: &DatasetSummary, request: &Request) -> Option<String> {
    if !request.untrusted {
        return None;
    }
    let keys = "Since strangers may choose these keys,";
    if request.purpose == Purpose::Checksum {
        return Some(format!("{keys} no checksum here is enough: use a MAC."));
    }
    let keyed = judged(records, dataset, request);
    let best = match keyed.first().filter(|one| one.standing == Standing::Pick) {
        Some(one) => {
            let time = one
                .speed
                .map(|speed| format!(" ({} ns per key)", significant(speed.ns, 3)));
            let time = time.unwrap_or_default();
            format!("the fastest such function here is {}{time}", one.function.name)
        }
        None => "none was measured".to_owned(),
    };
    Some(format!(
        "{keys} use a function that takes a secret key, and draw the key at random; {best}."
    ))
}

/// Describes collisions at 32 bits, or at a narrower function's own width: found and expected ones, and the number of
/// keys with an even chance of one. The function is the one in use today, or else the pick.
pub fn collisions(records: &Records, told: &Recommendation) -> Option<String> {
    let mine = told.mine.as_ref().map(|mine| mine.function.as_str());
    let name = mine.or_else(|| told.pick().map(|pick| pick.function.as_str()))?;
    let function = records.run.functions.iter().find(|one| one.name == name)?;
    let mut rows = about(&records.collisions, &told.dataset, name);
    let row = rows.find(|row| row.bits == function.bits)?;
    let cut = match function.output_bits {
        bits if bits > row.bits => format!("the low {} of its {bits} bits", row.bits),
        bits => format!("its {bits} bits"),
    };
    Some(format!(
        "{name} has {} in {cut} (chance: {}, {}); {} bits have an even chance of a collision from {} keys on",
        grouped(row.collisions),
        significant(row.expected, 3),
        vocabulary::result(row.verdict),
        row.bits,
        grouped(even_chance(row.bits))
    ))
}

/// Turns a sentence into part of another: without its capital and full stop.
pub(super) fn phrase(sentence: &str) -> String {
    let sentence = sentence.strip_suffix('.').unwrap_or(sentence);
    let mut letters = sentence.chars();
    match letters.next() {
        // Words in capitals stay as they are.
        Some(first) if letters.clone().next().is_some_and(char::is_lowercase) => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => sentence.to_owned(),
    }
}
