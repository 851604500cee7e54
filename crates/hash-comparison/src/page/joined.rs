//! The page that compares several runs.

use minijinja::context;
use minijinja::value::{Serde, Value};

use crate::advice::joined::Joined;
use crate::advice::times::unsteady;
use crate::page::fill;
use crate::questions::Records;

/// The first line of the page, which protects other files from being overwritten.
pub const FIRST_LINE: &str = "<!-- Written by hash-comparison join; do not edit. -->";

/// Builds the page of runs, given as folder and records, and what they say together.
pub fn page(runs: &[(String, Records)], joined: &Joined) -> Result<String, String> {
    let machine = |(folder, records): &(String, Records)| {
        let (run, warning) = (&records.run, unsteady(&records.timing, &records.run.environment));
        let cpu = &run.environment.cpu;
        context! { folder, cpu, date => &run.date, command => &run.command, warning }
    };
    let page = context! {
        first_line => FIRST_LINE,
        css => include_str!("style.css"),
        script => include_str!("script.js"),
        machines => runs.iter().map(machine).collect::<Value>(),
        ..Value::from(Serde(joined))
    };
    fill(include_str!("joined.html"), page)
}
