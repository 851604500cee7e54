//! Measures policies' false-positive rates and sizes at 10 bits per key, and prints the table of `WHICH.md`.
//!
//! ```text
//! cargo run --release --example which_policy
//! ```
//!
//! Seeds are fixed: the output is the same in every run, and a test compares it with the page.

use std::io::{self, Write};

#[path = "../tests/all/support/which_policy.rs"]
mod which_policy;

fn main() -> io::Result<()> {
    io::stdout().lock().write_all(which_policy::table().as_bytes())
}
