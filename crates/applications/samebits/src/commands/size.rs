//! `size`: calculates the size of filters.

mod levels;

use std::collections::BTreeMap;
use std::io::{self, Write as _};

use filter_policy::leveldb::is_coprime_size;
use filter_policy::sizing::budget::Level;
use filter_sets::{Size, Sizing, StoredFormat};
use serde::Serialize;
use terminal::failure::Failure;
use terminal::layout::{table, wrapped};
use terminal::number::{self, counted, grouped};

use self::levels::{Budget, level};
use super::numbers::{bytes, expected, keys, missed_rate, next_size_up, rate, share};
use super::{checked, print_json};
use crate::sizing::{SizeAnswer, SizeQuestion, answer, name, of_policy};

/// Calculate the size of a filter from keys, rate, bits per key or memory.
///
/// Shows the exact stored bytes in every format of this project (a filter in Redis has the bits of guava's): for keys
/// and a rate, for keys and bits per key, for keys and a memory, or for the most keys of a rate in a memory. The
/// defaults are 1,000,000 keys if neither keys nor memory are given, and a rate of 1 % if no option determines it.
/// Rates are those of an ideal hash and the format's own probes. Guava, Spark and RedisBloom size their filters by
/// formulas that are too low for few keys: their rate is above the requested one then, and a note names the capacity
/// that reaches it. LevelDB's rate jumps with the exact number of keys, because its probes are not independent (see
/// THEORY.md of filter-policy).
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  {program} size --keys 10M --rate 0.01%\n  {program} size --keys 45402 --bits-per-key 15\n  \
        {program} size --memory 64MiB --rate 0.1% --format guava --format cuckoo\n  \
        {program} size --levels 10k,100k,1M,10M --format bloom64\n\n\
        Exit codes: 0 done; 1 no filter meets the request; 2 the arguments are wrong."
)]
pub struct Arguments {
    /// Distinct keys: 45402, 45,402, 10k, 10M, 2G
    #[arg(long, value_name = "N", value_parser = keys, allow_negative_numbers = true)]
    keys: Option<u64>,
    /// False-positive rate: 0.01 or 1%
    #[arg(long, value_name = "P", value_parser = rate, allow_negative_numbers = true,
        conflicts_with = "bits_per_key")]
    rate: Option<f64>,
    /// Bits per key
    #[arg(long, value_name = "B", value_parser = bits, allow_negative_numbers = true)]
    bits_per_key: Option<f64>,
    /// Most bytes of the stored filter: 85130, 64KiB, 22.85MiB, 1GB
    #[arg(long, value_name = "BYTES", value_parser = memory, allow_negative_numbers = true,
        conflicts_with = "bits_per_key")]
    memory: Option<u64>,
    /// Divide memory among levels so that few reads are needless. A level is KEYS, the keys of a filter, then xFILTERS
    /// and :READS if they are not 1: `10k,100kx10,1Mx100:0.5`. The memory is --memory, or that of --bits-per-key (10)
    /// in every level
    #[arg(long, value_name = "LEVEL,...", value_delimiter = ',', value_parser = level,
        conflicts_with_all = ["keys", "rate"])]
    levels: Vec<Level>,
    /// Calculate only filters of this format; may be repeated
    #[arg(long, alias = "filter", value_name = "NAME", value_parser = StoredFormat::named)]
    format: Vec<StoredFormat>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// The keys, the rate and, of levels, the bits per key that are assumed where a request does not determine them.
const ASSUMED_KEYS: u64 = 1_000_000;
const ASSUMED_RATE: f64 = 0.01;
const ASSUMED_BITS: f64 = 10.0;

/// A format whose filters cannot meet the request.
#[derive(Debug, Serialize)]
struct Refused {
    filter: &'static str,
    reason: String,
}

#[derive(Debug, Serialize)]
struct Report {
    answers: Vec<SizeAnswer>,
    refused: Vec<Refused>,
}

/// Calculates and prints the filters.
///
/// # Errors
///
/// If the request makes no sense, or no filter meets it.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if !arguments.levels.is_empty() {
        let budget = match arguments.memory {
            Some(bytes) => Budget::Bytes(bytes),
            None => Budget::BitsPerKey(arguments.bits_per_key.unwrap_or(ASSUMED_BITS)),
        };
        return levels::run(&arguments.levels, budget, &arguments.format, arguments.json);
    }
    let (question, text) = question(arguments)?;
    let all: Vec<_> = StoredFormat::all().collect();
    let (formats, is_chosen) = match &arguments.format[..] {
        [] => (&all[..], false),
        some => (some, true),
    };
    let (mut answers, mut refused) = (Vec::<SizeAnswer>::new(), Vec::new());
    // Formats of a kind have the same sizes, which take long to find.
    let mut known: BTreeMap<&str, Result<SizeAnswer, String>> = BTreeMap::new();
    for format in formats {
        let filter = name(format);
        let kind = of_policy(format).map_or(filter, |format| format.kind());
        let answer = known.entry(kind).or_insert_with(|| answer(format, question));
        match answer {
            Ok(answer) => {
                // Formats that differ in their hash alone are shown once.
                let is_like = |known: &SizeAnswer| {
                    *known
                        == SizeAnswer {
                            filter: known.filter,
                            ..*answer
                        }
                };
                if is_chosen || !answers.iter().any(is_like) {
                    answers.push(SizeAnswer { filter, ..*answer });
                }
            }
            Err(reason) => refused.push(Refused {
                filter,
                reason: reason.clone(),
            }),
        }
    }
    let is_met = !answers.is_empty();
    let report = Report { answers, refused };
    let mut out = io::stdout().lock();
    if arguments.json {
        print_json(&mut out, &report)?;
    } else {
        writeln!(out, "{text}\n")?;
        write_table(
            &mut out,
            &report,
            arguments.keys.is_none() && arguments.memory.is_some(),
            arguments.rate.unwrap_or(ASSUMED_RATE),
        )?;
    }
    checked(is_met)
}

/// Returns the question with its defaults, and its text.
fn question(arguments: &Arguments) -> Result<(SizeQuestion, String), Failure> {
    let keys = arguments.keys.unwrap_or(ASSUMED_KEYS);
    let rate = arguments.rate.unwrap_or(ASSUMED_RATE);
    let at_rate = format!("{} false positives", share(rate));
    let of_keys = counted(keys, "key");
    let in_bytes = |bytes| format!("at most {} ({})", counted(bytes, "byte"), number::bytes(bytes));
    let (size, text) = match (arguments.keys, arguments.memory, arguments.bits_per_key) {
        (_, None, Some(bits)) => (Size::BitsPerKey(bits), format!("{bits} bits per key")),
        (_, None, None) => (Size::Rate(rate), at_rate),
        (Some(_), Some(_), _) if arguments.rate.is_some() => {
            return Err(Failure::input(
                "the rate follows from the keys and the memory: give two of the three",
            ));
        }
        (Some(_), Some(bytes), _) => (Size::Bytes(bytes), in_bytes(bytes)),
        (None, Some(bytes), _) => {
            let question = SizeQuestion::MostKeys { rate, bytes };
            return Ok((question, format!("{at_rate}, {}", in_bytes(bytes))));
        }
    };
    Ok((SizeQuestion::Of { keys, size }, format!("{of_keys}, {text}")))
}

fn write_table(out: &mut impl io::Write, report: &Report, keys_differ: bool, wanted: f64) -> io::Result<()> {
    // There is room for one column only. If the keys were given, they are the same in all rows.
    let rows = report.answers.iter().map(|answer| {
        let Sizing {
            bytes,
            bits_per_key,
            probe_count,
            rate,
            ..
        } = answer.sizing;
        [
            answer.filter.to_owned(),
            bits_per_key.map_or_else(String::new, |bits| bits.to_string()),
            probe_count.map_or_else(|| "none".to_owned(), |probes| probes.to_string()),
            expected(rate, probe_count),
            grouped(bytes),
            match keys_differ {
                true => grouped(answer.keys),
                false => number::bytes(bytes),
            },
            format!("{:.2}", answer.stored_bits_per_key),
        ]
    });
    let last = if keys_differ { "keys" } else { "that is" };
    let header = ["filter", "setting", "k", "rate", "bytes", last, "bits/key"];
    if !report.answers.is_empty() {
        writeln!(out, "{}", table(header, &[1, 2, 3, 4, 5, 6], rows))?;
        writeln!(
            out,
            "\nsetting: the bits per key to configure. bits/key: what is stored, everything included."
        )?;
    }
    let notes = report.answers.iter().flat_map(|answer| {
        [
            bad_size(answer),
            shared(answer),
            next_size(answer),
            missed(answer, wanted),
        ]
    });
    let mut reasons: Vec<(&str, String)> = Vec::new();
    for Refused { filter, reason } in &report.refused {
        match reasons.iter_mut().find(|(known, _)| known == reason) {
            Some((_, filters)) => *filters += &format!(", {filter}"),
            None => reasons.push((reason, (*filter).to_owned())),
        }
    }
    let refused = reasons
        .iter()
        .map(|(reason, filters)| format!("{filters}: {reason}"));
    for line in notes.flatten().chain(refused) {
        writeln!(out, "{}", wrapped(line))?;
    }
    Ok(())
}

/// Warns of a size at which LevelDB's filter lets more keys pass.
fn bad_size(answer: &SizeAnswer) -> Option<String> {
    let is_bad = answer.whole_hash_shared.is_some() && !is_coprime_size(answer.sizing.bytes - 1);
    is_bad.then(|| {
        format!(
            "{}: at this size numbers between stored numbers often match; filters of `coprime_sizes` avoid it \
             with a few bytes more or fewer",
            answer.filter
        )
    })
}

/// Describes the part of the rate that is due to a narrow hash, if it is at least a tenth of the rate.
fn shared(answer: &SizeAnswer) -> Option<String> {
    let shared = answer
        .whole_hash_shared
        .filter(|&shared| shared >= 0.1 * answer.sizing.rate)?;
    Some(format!(
        "{}: {} of absent keys have the same 32-bit hash as one of {}; a larger filter does not exclude them",
        answer.filter,
        share(shared),
        counted(answer.keys, "key"),
    ))
}

/// Describes the next size up for a filter with far fewer bits than requested.
fn next_size(answer: &SizeAnswer) -> Option<String> {
    let sentence = next_size_up(
        answer.sizing.bits_per_key?,
        answer.stored_bits_per_key,
        answer.sizing.next_bits_per_key?,
    );
    Some(format!("{}: {sentence}", answer.filter))
}

/// Names the capacity that reaches the requested rate.
fn missed(answer: &SizeAnswer, wanted: f64) -> Option<String> {
    let text = missed_rate(answer.keys, wanted, answer.sizing.rate, answer.capacity_for_rate?);
    Some(format!("{}: {text}", answer.filter))
}

fn bits(text: &str) -> Result<f64, String> {
    let bits = text.parse().ok().filter(|&bits: &f64| bits > 0.0 && bits <= 1e6);
    bits.ok_or_else(|| format!("must be above 0 and at most 1,000,000, got {text}"))
}

fn memory(text: &str) -> Result<u64, String> {
    match bytes(text)? {
        0 => Err("must be at least 1 byte, got 0".to_owned()),
        bytes => Ok(bytes),
    }
}
