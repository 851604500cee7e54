//! Compares two custom functions with built-in functions, and writes the report.
//!
//! ```text
//! cargo run --release --package hash-comparison --example custom_function -- OUT [KEYS]...
//! ```
//!
//! `OUT` is a folder that is absent, empty, or from an earlier run. `KEYS` is a file with one key per line, or several; the default
//! is the embedded set `app-accounts`.
//!
//! To measure your own function, make this file the `src/main.rs` of a package that depends on `hash-comparison` alone, add
//! the function and list it in `CUSTOM`.

use std::path::PathBuf;
use std::process::ExitCode;

use hash_comparison::{Failure, Function, Options, Resistance, compare};

/// Multiplies in eight bytes per step and ends with the finaliser of MurmurHash3.
fn wordwise(key: &[u8]) -> u64 {
    let mut h = (key.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut rest = key;
    while let Some((word, tail)) = rest.split_first_chunk::<8>() {
        h = (h ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        h ^= h >> 32;
        rest = tail;
    }
    for &byte in rest {
        h = (h ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
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
                (b"hello world", 0x629c_de82_cb6f_3d61),
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
    let out = arguments.next();
    let out = out.ok_or_else(|| Failure::input("usage: custom_function OUT [KEYS]..."))?;
    let keys: Vec<PathBuf> = arguments.collect();
    let options = Options {
        own: CUSTOM.to_vec(),
        functions: ["MurMurHash2", "FNV-1a 64", "XXH3"].map(str::to_owned).to_vec(),
        datasets: Vec::from_iter(keys.is_empty().then(|| "app-accounts".to_owned())),
        keys,
        quick: true,
        ..Options::default()
    };
    for finding in &compare(&options, &out)?.run.findings {
        let result = finding.verdict.to_string().replace('-', " ");
        println!("{}, {}: {result}", finding.dataset, finding.function);
        for reason in &finding.reasons {
            println!("    {reason}");
        }
    }
    println!("report: {}", out.join("index.html").display());
    Ok(())
}
