//! The page that compares several runs.

use minijinja::context;
use minijinja::value::{Serde, Value};

use crate::advice::joined::{Joined, Statement};
use crate::page::fill;

/// The first line of the page, which protects other files from being overwritten.
pub const FIRST_LINE: &str = "<!-- Written by hash-comparison join; do not edit. -->";

/// Builds the page.
pub fn page(joined: &Joined) -> Result<String, String> {
    let (compared, differing) = joined.compared();
    let statement = |one: &Statement| context! { holds => one.holds(), one => Value::from(Serde(one)) };
    let page = context! {
        first_line => FIRST_LINE,
        css => include_str!("style.css"),
        script => include_str!("script.js"),
        machines => Value::from(Serde(&joined.machines)),
        compared,
        differing => differing.into_iter().map(statement).collect::<Value>(),
        picks => joined.picks.iter().map(statement).collect::<Value>(),
        times => Value::from(Serde(&joined.times)),
    };
    fill(include_str!("joined.html"), page)
}
