//! `size`: the calculator.

mod numbers;

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use harness::sizing::{Answer, Checked, Filter, NoAnswer, Question, answer, draw};
use harness::thousands::grouped;
use serde::Serialize;

use self::numbers::{bytes, count, rate};
use crate::failure::Failure;
use crate::table::table;

/// Size a filter: from any of keys, rate, bits per key, memory and probes the rest.
///
/// For every filter of this project, with the exact bytes that it writes. Give one or two of the first four. Without
/// a number of keys (or memory) it is shown for 1,000,000, without anything that fixes the rate for 1 %. A probe count
/// alone asks for the smallest filter that takes so many; beside others it counts for the textbook's formula only, as
/// each format has a rule of its own. Rates are those to be expected of an ideal hash; LevelDB's own probe scheme errs
/// somewhat more often, see THEORY.md of filter-policy.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  {program} size --keys 10M --rate 0.01%\n  {program} size --bits-per-key 16 --probes 8\n  \
        {program} size --memory 64MiB --rate 0.1% --filter guava --filter cuckoo\n  \
        {program} size --keys 80,000 --bits-per-key 10 --chart curve.svg\n\n\
        Exit codes: 0 done; 1 no filter can be so; 2 the question makes no sense."
)]
pub struct Arguments {
    /// Distinct keys: 45402, 45,402, 10k, 10M, 2G
    #[arg(long, value_name = "N", value_parser = count)]
    keys: Option<u64>,
    /// False-positive rate: 0.01 or 1%
    #[arg(long, value_name = "P", value_parser = rate)]
    rate: Option<f64>,
    /// Bits per key
    #[arg(long, value_name = "B")]
    bits_per_key: Option<f64>,
    /// Bytes that the stored filter may take: 85130, 64KiB, 22.85MiB, 1GB
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    memory: Option<u64>,
    /// Probe count k
    #[arg(long, value_name = "K")]
    probes: Option<u32>,
    /// Only this kind of filter; may be repeated
    #[arg(long, value_name = "NAME", value_parser = filter)]
    filter: Vec<Filter>,
    /// Draw the rates at 4 to 24 bits per key into a new file, .svg or .png
    #[arg(long, value_name = "FILE")]
    chart: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

/// A row of the JSON form.
#[derive(Debug, Serialize)]
struct Row<'a> {
    filter: &'a str,
    keys: u64,
    bytes: u64,
    configured_bits_per_key: Option<f64>,
    stored_bits_per_key: f64,
    probes: Option<u32>,
    rate: f64,
    /// What hashes of few bits add to the rate; absent where they are wide.
    #[serde(skip_serializing_if = "Option::is_none")]
    whole_hash_shared: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Refusal<'a> {
    filter: &'a str,
    reason: &'a str,
}

#[derive(Debug, Serialize)]
struct Report<'a> {
    answers: Vec<Row<'a>>,
    refused: Vec<Refusal<'a>>,
}

/// Answers.
///
/// # Errors
///
/// When the question makes no sense, no filter can be so, or the chart's file is there.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
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
    let mut out = io::stdout().lock();
    if arguments.json {
        write_json(&mut out, &answers, &refused)?;
    } else {
        write_table(&mut out, &question, &answers, &refused)?;
    }
    if let Some(path) = &arguments.chart {
        let keys = question
            .question()
            .keys
            .or(answers.first().map(|answer| answer.keys));
        draw_into(path, &filters, keys.unwrap_or(1), &answers)?;
        writeln!(io::stderr(), "chart: {}", path.display())?;
    }
    if answers.is_empty() {
        return Err(Failure::Checked);
    }
    Ok(())
}

fn write_json(out: &mut impl io::Write, answers: &[Answer], refused: &[NoAnswer]) -> Result<(), Failure> {
    let report = Report {
        answers: answers.iter().map(row).collect(),
        refused: refused
            .iter()
            .map(|none| Refusal {
                filter: none.filter.name(),
                reason: &none.reason,
            })
            .collect(),
    };
    let text = serde_json::to_string_pretty(&report).map_err(Failure::internal)?;
    Ok(writeln!(out, "{text}")?)
}

fn row(answer: &Answer) -> Row<'static> {
    Row {
        filter: answer.filter.name(),
        keys: answer.keys,
        bytes: answer.bytes,
        configured_bits_per_key: answer.configured,
        stored_bits_per_key: answer.bits_per_key,
        probes: answer.probes,
        rate: answer.rate,
        whole_hash_shared: answer.filter.whole_hash_shared(answer.keys),
    }
}

fn write_table(
    out: &mut impl io::Write,
    question: &Checked,
    answers: &[Answer],
    refused: &[NoAnswer],
) -> io::Result<()> {
    writeln!(out, "{}\n", asked(question.question()))?;
    // One column is all that there is room for: where the keys were asked for, all rows have the same.
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
    let header = ["filter", "bits set", "k", "rate", "bytes", last, "bits/key"];
    if !answers.is_empty() {
        writeln!(out, "{}", table(header, &[1, 2, 3, 4, 5, 6], rows))?;
        writeln!(
            out,
            "\nbits set: the bits per key to configure. bits/key: what is stored, everything included."
        )?;
    }
    for text in answers.iter().filter_map(shared) {
        writeln!(out, "{text}")?;
    }
    for none in refused {
        writeln!(out, "{none}")?;
    }
    Ok(())
}

/// What hashes of few bits add to a rate, in words, where it is a tenth of it or more.
fn shared(answer: &Answer) -> Option<String> {
    let shared = answer.filter.whole_hash_shared(answer.keys)?;
    let together = shared + (1.0 - shared) * answer.rate;
    (shared >= 0.1 * answer.rate).then(|| {
        format!(
            "{}: its hash has 32 bits, which {} of absent keys share with a key,\n  whatever the size: expect a rate of {} or \
             more",
            answer.filter.name(),
            share(shared),
            share(together)
        )
    })
}

/// The question in words, with what was assumed.
fn asked(question: &Question) -> String {
    let mut parts = Vec::new();
    parts.extend(question.keys.map(|keys| format!("{} keys", grouped(keys))));
    parts.extend(
        question
            .rate
            .map(|rate| format!("at most {} false positives", share(rate))),
    );
    parts.extend(question.bits_per_key.map(|bits| format!("{bits} bits per key")));
    parts.extend(
        question
            .memory
            .map(|bytes| format!("at most {} bytes ({})", grouped(bytes), readable(bytes))),
    );
    parts.extend(question.probes.map(|probes| format!("{probes} probes")));
    parts.join(", ")
}

/// A share in percent with four significant digits.
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

/// Bytes in the largest unit that leaves a whole part.
fn readable(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut value = bytes as f64;
    let mut unit = "B";
    for larger in UNITS {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        unit = larger;
    }
    if unit == "B" {
        format!("{bytes} B")
    } else {
        format!("{value:.2} {unit}")
    }
}

/// Writes a file that was not there before.
fn draw_into(path: &Path, filters: &[Filter], keys: u64, answers: &[Answer]) -> Result<(), Failure> {
    let extension = path
        .extension()
        .and_then(|text| text.to_str())
        .map(str::to_ascii_lowercase);
    let bytes = match extension.as_deref() {
        Some("svg") => draw::svg(filters, keys, answers).map(String::into_bytes),
        Some("png") => draw::png(filters, keys, answers),
        _ => {
            return Err(Failure::input(format!(
                "{}: a chart's name ends in .svg or .png",
                path.display()
            )));
        }
    }
    .map_err(Failure::internal)?;
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Failure::input(format!(
                "{}: is there already, and nothing is overwritten; name another file",
                path.display()
            )),
            _ => Failure::input(format!("{}: {error}", path.display())),
        })?;
    file.write_all(&bytes)
        .map_err(|error| Failure::internal(format!("{}: {error}", path.display())))
}

fn filter(text: &str) -> Result<Filter, String> {
    Filter::named(text).ok_or_else(|| {
        let names: Vec<&str> = Filter::ALL.into_iter().map(Filter::name).collect();
        format!("{text:?} is no filter; there are {}", names.join(", "))
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
