//! Cells of the page's tables, and the filters with which templates format values.

use std::collections::BTreeMap;

use minijinja::value::Value;
use minijinja::{Environment, HtmlEscape, context};

use crate::questions::tables::{Cell, Table};
use crate::record::{Choice, Unit, Verdict};
use terminal::number;

/// Returns an environment with the filters, and the syntax of the templates.
pub(super) fn environment() -> Result<Environment<'static>, minijinja::Error> {
    let mut environment = Environment::new();
    environment.add_filter("fixed", number::fixed);
    environment.add_filter("grouped", number::grouped);
    environment.add_filter("counted", |count: u64, noun: String| {
        number::counted(count, &noun)
    });
    environment.add_filter("percent", number::percent);
    environment.add_filter("significant", number::significant);
    environment.add_filter("shortened", shortened);
    environment.add_filter("named_key", named_key);
    environment.add_filter("signed", |value: Option<f64>| {
        value.map(|value| format!("{value:+.2}"))
    });
    environment.add_filter("td_count", |count: Option<u64>| cell(count.map(Cell::Count)));
    environment.add_filter("td_digits", |value: Option<f64>| cell(value.map(Cell::digits)));
    environment.add_filter("td_percent", |share: Option<f64>| cell(share.map(Cell::Percent)));
    environment.add_filter("td_as", |value: Option<f64>, text: Option<String>| {
        cell(value.zip(text).map(|(value, text)| Cell::As(value, text)))
    });
    let choices = Choice::ALL.iter().map(|one| (one.to_string(), one.describe()));
    let units = Unit::ALL.iter().map(|one| (one.to_string(), one.describe()));
    environment.add_global("choices", choices.collect::<BTreeMap<_, _>>());
    environment.add_global("units", units.collect::<BTreeMap<_, _>>());
    let mut syntax = environment.syntax().to_builder();
    syntax.trim_blocks(true).lstrip_blocks(true);
    environment.set_syntax(syntax.keep_trailing_newline(true).build()?);
    Ok(environment)
}

/// Returns the first characters of a key, at most `most` of them; the files have the whole key.
fn shortened(key: &str, most: usize) -> String {
    match key.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &key[..at]),
        None => key.to_owned(),
    }
}

/// Returns the first characters of a key in quotation marks, or in hexadecimal digits if most of it is escaped bytes.
fn named_key(key: &str, most: Option<usize>) -> String {
    let most = most.unwrap_or(usize::MAX);
    match digits(key) {
        Some(digits) => format!("0x{}", shortened(&digits, most)),
        None => format!("“{}”", shortened(key, most)),
    }
}

fn digits(key: &str) -> Option<String> {
    let (mut digits, mut escaped, mut rest) = (String::new(), 0, key);
    while let Some(first) = rest.chars().next() {
        let byte = rest.strip_prefix("\\x").and_then(|rest| rest.get(..2));
        let byte = byte.and_then(|byte| u8::from_str_radix(byte, 16).ok());
        let is_plain = first == ' ' || first.is_ascii_graphic() && first != '\\';
        let (byte, len) = match byte {
            Some(byte) => (byte, 4),
            None => (u8::try_from(first).ok().filter(|_| is_plain)?, 1),
        };
        escaped += usize::from(len == 4);
        digits += &format!("{byte:02x}");
        rest = &rest[len..];
    }
    (4 * escaped > digits.len()).then_some(digits)
}

fn cell(cell: Option<Cell>) -> Value {
    td(&cell.into())
}

/// Returns the head, the kinds of columns and the cells of a table, for the template that draws it.
pub(super) fn drawn(table: &Table) -> Value {
    let heads = table.heads.iter().enumerate();
    let heads = heads.map(|(column, text)| context! { text, number => table.is_number(column) });
    let rows = table.rows.iter().map(|row| {
        let cells = row.iter().map(|cell| match cell {
            Cell::Name(name) => context! { name },
            Cell::Lines(lines) => context! { lines },
            Cell::Keys([first, second]) => context! { first, second },
            other => context! { td => td(other) },
        });
        cells.collect::<Value>()
    });
    context! { caption => &table.caption, heads => heads.collect::<Value>(), rows => rows.collect::<Value>() }
}

/// Builds a cell, with a class from the style sheet if it is not a plain number.
///
/// The cell carries its number only if the text is none.
fn td(cell: &Cell) -> Value {
    let (class, value, text) = match cell {
        Cell::Empty => ("", None, String::new()),
        Cell::Name(text) | Cell::Text(text) => ("text", None, text.clone()),
        Cell::Lines(lines) => ("text", None, lines.join("; ")),
        Cell::Keys(keys) => ("text", None, keys.join(" and ")),
        Cell::Count(count) => ("", Some(*count as f64), number::grouped(*count)),
        Cell::Digits(value, digits) => ("", Some(*value), number::significant(*value, *digits)),
        Cell::Percent(share) => ("", Some(*share), number::percent(*share)),
        Cell::P(p) => ("", Some(*p), number::p_value(*p)),
        Cell::As(value, text) => ("", Some(*value), text.clone()),
        Cell::Verdict(verdict) => (class(*verdict), None, verdict.describe().to_owned()),
    };
    let class = match class {
        "" => String::new(),
        class => format!(" class={class}"),
    };
    let value = value.filter(|value| value.is_finite() && !is_number(&text));
    let key = value.map_or_else(String::new, |value| format!(" data-value={}", shortest(value)));
    Value::from_safe_string(format!("<td{class}{key}>{}", HtmlEscape(&text)))
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::FewerThanChance => "fewer",
        Verdict::WithinChance => "in-band",
        Verdict::WorseThanChance => "worse",
        Verdict::FarWorseThanChance => "unusable",
    }
}

/// Returns true if the page's script can read the text as a number, or the first of two: without digit grouping, per cent sign
/// and "<".
fn is_number(text: &str) -> bool {
    let mut numbers = text.split(" to ").flat_map(|part| part.split(", "));
    numbers.all(|number| number.replace([',', ' ', '%', '<'], "").parse::<f64>().is_ok())
}

/// Formats a number for sorting in as few characters as possible: in five digits.
fn shortest(value: f64) -> String {
    let scientific = format!("{value:.4e}");
    let value: f64 = scientific.parse().unwrap_or(value);
    let (plain, scientific) = (format!("{value}"), format!("{value:e}"));
    if scientific.len() < plain.len() {
        scientific
    } else {
        plain
    }
}
