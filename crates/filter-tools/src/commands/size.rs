//! `size`: calculates the size of filters.

mod levels;
pub(super) mod numbers;
mod writers;

use std::io;

use crate::sizing::{Answer, Checked, Filter, NoAnswer, Question, answer};
use filter_formats::budget::Level;
use filter_policy::leveldb::is_coprime_size;
use records::number::grouped;
use serde::Serialize;

use self::levels::level;
use self::numbers::{bytes, count, rate};
use self::writers::Written;
use super::print_json;
use records::failure::Failure;
use records::number::{counted, readable};
use records::terminal::{table, wrapped};

/// Calculate the size of a filter from keys, rate, bits per key, memory or probes.
///
/// Shows every kind of filter of this project, with the exact bytes that it writes. Give one or two of the first four
/// options. The default is 1,000,000 keys if neither keys nor memory are given, and a rate of 1 % if nothing determines it.
/// A probe count alone finds the smallest filter with that many probes; beside other options it affects only the textbook's
/// formula, because each format has its own rule. Rates are those expected of an ideal hash. LevelDB's rate jumps with
/// the exact number of keys, because its probes are not independent (see THEORY.md of filter-formats).
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  {program} size --keys 10M --rate 0.01%\n  {program} size --bits-per-key 16 --probes 8\n  \
        {program} size --memory 64MiB --rate 0.1% --filter guava --filter cuckoo\n  \
        {program} size --levels 10k,100k,1M,10M --filter bloom64\n\n\
        Exit codes: 0 done; 1 no filter meets the request; 2 the arguments are wrong."
)]
pub struct Arguments {
    /// Distinct keys: 45402, 45,402, 10k, 10M, 2G
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    keys: Option<u64>,
    /// False-positive rate: 0.01 or 1%
    #[arg(long, value_name = "P", value_parser = rate, allow_negative_numbers = true)]
    rate: Option<f64>,
    /// Bits per key
    #[arg(long, value_name = "B", allow_negative_numbers = true)]
    bits_per_key: Option<f64>,
    /// Bytes that the stored filter may take: 85130, 64KiB, 22.85MiB, 1GB
    #[arg(long, value_name = "BYTES", value_parser = bytes, allow_negative_numbers = true)]
    memory: Option<u64>,
    /// Probe count k
    #[arg(long, value_name = "K", allow_negative_numbers = true)]
    probes: Option<u32>,
    /// Divide memory among levels so that the fewest reads are needless. A level is KEYS, the keys of a filter, then
    /// xFILTERS and :READS if they are not 1: `10k,100kx10,1Mx100:0.5`. The memory is --memory, or what --bits-per-key
    /// (10) takes everywhere
    #[arg(long, value_name = "LEVEL,...", value_delimiter = ',', value_parser = level,
        conflicts_with_all = ["keys", "rate", "probes"])]
    levels: Vec<Level>,
    /// Calculate only this kind of filter; may be repeated
    #[arg(long, value_name = "NAME", value_parser = filter)]
    filter: Vec<Filter>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// A row of the JSON form.
#[derive(Debug, Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    answer: &'a Answer,
    /// The part of the rate that is due to a narrow hash; absent if the hash is wide.
    #[serde(skip_serializing_if = "Option::is_none")]
    whole_hash_shared: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Report<'a> {
    answers: Vec<Row<'a>>,
    refused: &'a [NoAnswer],
    /// The filters of writers of Parquet files for the same keys and rate.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parquet_writers: Vec<Written>,
}

/// Calculates and prints the filters.
///
/// # Errors
///
/// If the request makes no sense, or no filter meets it.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if !arguments.levels.is_empty() {
        return levels::run(arguments);
    }
    let question = Question {
        keys: arguments.keys,
        rate: arguments.rate,
        bits_per_key: arguments.bits_per_key,
        memory: arguments.memory,
        probes: arguments.probes,
    };
    let question = question.checked().map_err(Failure::input)?;
    let mut filters = arguments.filter.clone();
    if filters.is_empty() {
        filters.extend(Filter::ALL);
    }
    let (mut answers, mut refused) = (Vec::new(), Vec::new());
    for &filter in &filters {
        match answer(filter, &question) {
            Ok(answer) => answers.push(answer),
            Err(reason) => refused.push(reason),
        }
    }
    let written = if filters.contains(&Filter::SplitBlock) {
        writers::written(question.question())
    } else {
        Vec::new()
    };
    let mut out = io::stdout().lock();
    if arguments.json {
        write_json(&mut out, &answers, &refused, written)?;
    } else {
        write_table(&mut out, &question, &answers, &refused, &written)?;
    }
    if answers.is_empty() {
        return Err(Failure::Checked);
    }
    Ok(())
}

fn write_json(
    out: &mut impl io::Write,
    answers: &[Answer],
    refused: &[NoAnswer],
    parquet_writers: Vec<Written>,
) -> Result<(), Failure> {
    let row = |answer| Row {
        answer,
        whole_hash_shared: answer.filter.whole_hash_shared(answer.keys),
    };
    let report = Report {
        answers: answers.iter().map(row).collect(),
        refused,
        parquet_writers,
    };
    print_json(out, &report)
}

fn write_table(
    out: &mut impl io::Write,
    question: &Checked,
    answers: &[Answer],
    refused: &[NoAnswer],
    written: &[Written],
) -> io::Result<()> {
    writeln!(out, "{}\n", asked(question.question()))?;
    // There is room for one column only. If the keys were given, they are the same in all rows.
    let keys_differ = question.question().keys.is_none();
    let rows = answers.iter().map(|answer| {
        [
            answer.filter.name().to_owned(),
            answer
                .configured
                .map_or_else(String::new, |bits| format!("{bits}")),
            answer
                .probes
                .map_or_else(|| "none".to_owned(), |probes| probes.to_string()),
            share(answer.rate),
            grouped(answer.bytes),
            if keys_differ {
                grouped(answer.keys)
            } else {
                readable(answer.bytes)
            },
            format!("{:.2}", answer.bits_per_key),
        ]
    });
    let last = if keys_differ { "keys" } else { "that is" };
    let header = ["filter", "setting", "k", "rate", "bytes", last, "bits/key"];
    if !answers.is_empty() {
        writeln!(out, "{}", table(header, &[1, 2, 3, 4, 5, 6], rows))?;
        writeln!(
            out,
            "\nsetting: the bits per key to configure. bits/key: what is stored, everything included."
        )?;
    }
    let notes = rounded(question.question(), answers).into_iter();
    for note in notes
        .chain(answers.iter().filter_map(bad_size))
        .chain(answers.iter().filter_map(shared))
        .chain(writers::note(written, share))
    {
        writeln!(out, "{}", wrapped(note))?;
    }
    for none in refused {
        writeln!(out, "{}", wrapped(none.to_string()))?;
    }
    Ok(())
}

/// Names the filters whose rate is above the requested one, because of their formats.
fn rounded(question: &Question, answers: &[Answer]) -> Option<String> {
    let most = question.rate?;
    // Ignore rounding errors of sums.
    let above = answers.iter().filter(|answer| answer.rate > most * (1.0 + 1e-9));
    let names: Vec<&str> = above.map(|answer| answer.filter.name()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "above {}, because sizes and probe counts are rounded: {}",
            share(most),
            names.join(", ")
        )
    })
}

/// Warns of a size at which LevelDB's filter lets more keys pass.
fn bad_size(answer: &Answer) -> Option<String> {
    let is_bad = answer.filter == Filter::LevelDb && !is_coprime_size(answer.bytes - 1);
    is_bad.then(|| {
        "leveldb: at this size numbers between stored numbers often match; filters of `with_coprime_sizes` avoid it \
         with a few bytes more or fewer"
            .to_owned()
    })
}

/// Describes the part of the rate that is due to a narrow hash, if it is at least a tenth of the rate.
fn shared(answer: &Answer) -> Option<String> {
    let shared = answer.filter.whole_hash_shared(answer.keys)?;
    (shared >= 0.1 * answer.rate).then(|| {
        format!(
            "{}: {} of absent keys have the same 32-bit hash as one of {}; a larger filter does not exclude them",
            answer.filter.name(),
            share(shared),
            counted(answer.keys, "key"),
        )
    })
}

/// Describes the request, including the defaults.
fn asked(question: &Question) -> String {
    let mut parts = Vec::new();
    parts.extend(question.keys.map(|keys| counted(keys, "key")));
    parts.extend(
        question
            .rate
            .map(|rate| format!("{} false positives", share(rate))),
    );
    parts.extend(question.bits_per_key.map(|bits| format!("{bits} bits per key")));
    parts.extend(
        question
            .memory
            .map(|bytes| format!("at most {} ({})", counted(bytes, "byte"), readable(bytes))),
    );
    parts.extend(question.probes.map(|probes| counted(u64::from(probes), "probe")));
    parts.join(", ")
}

/// Formats a share in percent with about four significant digits.
fn share(share: f64) -> String {
    let percent = share * 100.0;
    if percent == 0.0 || percent >= 1e-4 {
        let digits = if percent >= 10.0 {
            2
        } else if percent >= 1.0 {
            3
        } else {
            6
        };
        format!("{percent:.digits$} %")
    } else {
        format!("{percent:.2e} %")
    }
}

fn filter(text: &str) -> Result<Filter, String> {
    Filter::named(text).ok_or_else(|| {
        let names: Vec<&str> = Filter::ALL.into_iter().map(Filter::name).collect();
        format!("must be one of {}, got {text:?}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_sizes_are_readable() {
        assert_eq!(share(0.0102), "1.020 %");
        assert_eq!(share(0.0001), "0.010000 %");
        assert_eq!(share(1e-9), "1.00e-7 %");
        assert_eq!(share(0.5), "50.00 %");
        assert_eq!(readable(23_962_654), "22.85 MiB");
        assert_eq!(readable(9), "9 B");
    }
}
