//! The page that compares several runs.

use minijinja::context;
use minijinja::value::{Serde, Value};

use crate::advice::joined::Joined;
use crate::advice::times::warning;
use crate::page::fill;
use crate::questions::Records;

/// The first line of the page, which protects other files from being overwritten.
pub const FIRST_LINE: &str = "<!-- Written by hash-comparison join; do not edit. -->";

/// Builds the page of runs, given as folder and records, and what they say together.
pub fn page(runs: &[(String, Records)], joined: &Joined) -> Result<String, minijinja::Error> {
    let machine = |(folder, records): &(String, Records)| {
        let run = &records.run;
        let (cpu, warning) = (&run.environment.cpu, warning(records));
        let features = run.environment.cpu_features.join(", ");
        context! { folder, cpu, features, date => &run.date, command => &run.command, warning }
    };
    let page = context! {
        first_line => FIRST_LINE,
        machines => runs.iter().map(machine).collect::<Value>(),
        ..Value::from(Serde(joined))
    };
    fill(include_str!("joined.html"), page)
}
