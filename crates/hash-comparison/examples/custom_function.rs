//! Compares two custom functions with built-in functions, and writes the report.
//!
//! ```text
//! cargo run --release --package hash-comparison --example custom_function -- OUT [KEYS]
//! ```
//!
//! `OUT` is a folder that is absent, empty, or from an earlier run. `KEYS` is a file with one key per line; the default
//! is the embedded set `app-accounts`.
//!
//! To measure your own function, copy this file, add the function and list it in `CUSTOM`.

use std::path::PathBuf;
use std::process::ExitCode;

use hash_comparison::commands::written;
use hash_comparison::functions::Function;
use hash_comparison::questions::files::KIND;
use hash_comparison::record::Resistance;
use hash_comparison::run::compare::{self, Options};
use records::bar::Terminal;
use records::failure::Failure;
use records::folder::{Destination, REPORT};
use records::progress::Silent;

/// Multiplies in eight bytes per step and ends with the finaliser of MurmurHash3.
fn wordwise(key: &[u8]) -> u64 {
    let mut h = (key.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut rest = key;
    while let Some((word, tail)) = rest.split_first_chunk::<8>() {
        h = (h ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        h ^= h >> 32;
        rest = tail;
    }
    if !rest.is_empty() {
        let tail = rest
            .iter()
            .rev()
            .fold(0, |tail, &byte| tail << 8 | u64::from(byte));
        h = (h ^ tail).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    h = (h ^ (h >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    h = (h ^ (h >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    h ^ (h >> 33)
}

/// Sums all bytes, so words with the same letters collide.
fn byte_sum(key: &[u8]) -> u64 {
    let sum = |sum: u32, &byte: &u8| sum.wrapping_add(u32::from(byte));
    u64::from(key.iter().fold(0, sum))
}

/// The custom functions of this program, with their properties.
const CUSTOM: [Function; 2] = [
    Function {
        author: "this example",
        source: "crates/hash-comparison/examples/custom_function.rs",
        stable: true,
        resistance: Resistance::None,
        resistance_reason: "No seed: keys that collide, once found, collide in every program.",
        ..Function::custom(
            "Wordwise",
            64,
            wordwise,
            // Computed by another program, so that a bug here is found before anything is measured.
            &[
                (b"", 0),
                (b"a", 0x47d1_e6b3_92f8_636d),
                (b"hello world", 0x06d9_713b_4c30_46ff),
            ],
        )
    },
    Function {
        stable: true,
        weaknesses: &["Keys of the same bytes in another order collide."],
        ..Function::custom("ByteSum", 32, byte_sum, &[(b"", 0), (b"abc", 294), (b"cab", 294)])
    },
];

fn main() -> ExitCode {
    run().map_or_else(Failure::report, |()| ExitCode::SUCCESS)
}

fn run() -> Result<(), Failure> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let out = arguments
        .next()
        .ok_or_else(|| Failure::input("usage: custom_function OUT [KEYS]"))?;
    let keys: Vec<PathBuf> = arguments.collect();

    let mut command = format!(
        "cargo run --release --package hash-comparison --example custom_function -- {}",
        out.display()
    );
    for path in &keys {
        command.push_str(&format!(" {}", path.display()));
    }
    let datasets: &[&str] = if keys.is_empty() { &["app-accounts"] } else { &[] };
    let options = Options {
        datasets: datasets.iter().map(ToString::to_string).collect(),
        keys,
        functions: ["MurMurHash2", "FNV-1a 64", "XXH3"].map(str::to_owned).into(),
        own: CUSTOM.into(),
        quick: true,
        command,
        ..Options::default()
    };

    let destination = Destination::check(&out, &KIND)?;
    let mut records = compare::run(&options, &Silent)?;
    for finding in &records.run.findings {
        println!("{}, {}: {:?}", finding.dataset, finding.function, finding.verdict);
        for reason in &finding.reasons {
            println!("    {reason}");
        }
    }
    written::all(&mut records, destination, &Terminal::listen()?)?;
    println!("report: {}", out.join(REPORT).display());
    Ok(())
}
