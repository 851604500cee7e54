//! Cells of the page's tables. The templates arrange rows of records; their filters here format a value as a cell.

use minijinja::value::{Kwargs, Serde, Value};
use minijinja::{Environment, HtmlEscape};

use crate::record::{Advice, Verdict, significant};
use crate::vocabulary;
use records::number;
use statistics::robust::median;

/// Adds the filters: those that begin with `td_` give a whole cell, which is empty without a value.
pub(super) fn register(environment: &mut Environment<'_>) {
    environment.add_filter("fixed", number::fixed);
    environment.add_filter("grouped", number::grouped);
    environment.add_filter("counted", |count: u64, noun: String| {
        number::counted(count, &noun)
    });
    environment.add_filter("percent", number::percent);
    environment.add_filter("significant", number::significant);
    environment.add_filter("shortened", shortened);
    environment.add_filter("signed", |value: Option<f64>| {
        value.map(|value| format!("{value:+.2}"))
    });
    environment.add_filter("td_count", |count: Option<u64>| {
        td(count.map(|count| (number::grouped(count), count as f64)), None)
    });
    environment.add_filter(
        "td_digits",
        |value: Option<f64>, digits: Option<usize>, class: Option<&str>| {
            let shown = |value| (number::significant(value, digits.unwrap_or(3)), value);
            td(value.map(shown), class)
        },
    );
    environment.add_filter("find", find);
    environment.add_filter("median", |values: Vec<Option<f64>>| {
        median(&mut values.into_iter().flatten().collect::<Vec<f64>>())
    });
    environment.add_filter("td_percent", percent);
    environment.add_filter("td_p", |p: Option<f64>| {
        td(p.map(|p| (number::p_value(p), p)), None)
    });
    environment.add_filter("td_as", |value: Option<f64>, text: Option<String>| {
        td(value.zip(text).map(|(value, text)| (text, value)), None)
    });
    environment.add_filter("td_verdict", |verdict: Serde<Verdict>| {
        let class = match *verdict {
            Verdict::FewerThanChance => "fewer",
            Verdict::WithinChance => "in-band",
            Verdict::WorseThanChance => "worse",
            Verdict::FarWorseThanChance => "unusable",
        };
        let words = vocabulary::result(*verdict);
        Value::from_safe_string(format!("<td class=\"verdict {class}\">{words}"))
    });
    environment.add_filter("advice", |advice: Option<Serde<Advice>>| {
        advice.map_or_else(String::new, |advice| vocabulary::advice(&advice))
    });
}

/// Returns the first of `rows` whose attributes have these values, or none.
fn find(rows: &Value, attributes: Kwargs) -> Result<Value, minijinja::Error> {
    for row in rows.try_iter()? {
        let mut is_it = true;
        for name in attributes.args() {
            is_it &= row.get_attr(name)? == attributes.get::<Value>(name)?;
        }
        if is_it {
            return Ok(row);
        }
    }
    Ok(Value::from(()))
}

/// Builds a cell of text that sorts by a number, with a class from the style sheet if it is not a plain number.
///
/// The cell carries the number only if the text does not show exactly it.
pub(super) fn td(shown: Option<(String, f64)>, class: Option<&str>) -> Value {
    let Some((text, value)) = shown else {
        return Value::from_safe_string("<td>".to_owned());
    };
    let value = significant::round(value);
    let class = class.map_or_else(String::new, |class| format!(" class=\"{class}\""));
    let key = match value.is_finite() && parsed(&text) != Some(value) {
        true => format!(" data-value={}", shortest(value)),
        false => String::new(),
    };
    Value::from_safe_string(format!("<td{class}{key}>{}", HtmlEscape(&text)))
}

/// Builds a cell for a share as a percentage.
pub(super) fn percent(share: Option<f64>, class: Option<&str>) -> Value {
    td(share.map(|share| (number::percent(share), share)), class)
}

/// Returns the first characters of a key, at most `most` of them; the files have the whole key.
pub(super) fn shortened(key: &str, most: usize) -> String {
    match key.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &key[..at]),
        None => key.to_owned(),
    }
}

/// Parses a number as the page's script does: without digit grouping, and in hundredths if there is a per cent sign.
fn parsed(text: &str) -> Option<f64> {
    let digits = text.replace([',', ' '], "");
    match digits.strip_suffix('%') {
        Some(hundredths) => Some(hundredths.parse::<f64>().ok()? / 100.0),
        None => digits.parse().ok(),
    }
}

/// Formats a number in as few characters as possible.
fn shortest(value: f64) -> String {
    let (plain, scientific) = (format!("{value}"), format!("{value:e}"));
    if scientific.len() < plain.len() {
        scientific
    } else {
        plain
    }
}
